"""The blinded rating sheet: cases in a random order, models behind letters, the key apart."""

from __future__ import annotations

import hashlib
import io
from datetime import datetime
from typing import Literal

from core.sharing.export import Cell

Judged = Literal["right/wrong", "rubric"]
Rows = list[dict[str, Cell]]

LETTERS = "ABCD"
RATERS = (1, 2)
KEY = ("case", "letter", "model")
_WIDTHS = {"answer": 60, "comment": 40}
_MADE = datetime(2000, 1, 1)  # an equal sheet is an equal file


def case_ids(n_cases: int) -> list[str]:
    """Name the cases ``case-001``, ``case-002`` …, in as many digits as the last one needs."""
    digits = max(3, len(str(n_cases)))
    return [f"case-{i:0{digits}}" for i in range(1, n_cases + 1)]


def columns(judged: Judged) -> tuple[str, ...]:
    """Return the columns of a sheet: ``right`` holds 1 or 0, ``rating`` 1 to 5.

    ``patient`` is the code that cases of one patient share, as in the case file.
    """
    verdict = "right" if judged == "right/wrong" else "rating"
    return ("rater", "order", "case", "letter", "answer", verdict, "comment", "patient")


def key(models: tuple[str, ...], cases: list[str], seed: int) -> Rows:
    """Say which letter stands for which model in each case, one row each, with ``KEY``.

    Every case has a permutation of its own, the same for all raters: that by which the SHA-256 of
    seed, case and a model's place among ``models`` sort. All permutations are equally likely over
    seeds, and no release of a random generator changes them.
    """
    rows: Rows = []
    for case in cases:
        places = sorted(range(len(models)), key=lambda place: _draw(seed, "letter", case, place))
        rows += [
            {"case": case, "letter": letter, "model": models[place]}
            for letter, place in zip(LETTERS, places, strict=False)
        ]
    return rows


def sheet(cases: list[str], n_models: int, rater: int, judged: Judged, seed: int) -> Rows:
    """Return the rows that one rater fills in, their answers left empty.

    Cases come in a random order, another for each rater, with their letters next to each other;
    ``order`` counts the rows from 1. It holds nothing of the models but how many there are.
    """
    shuffled = sorted(cases, key=lambda case: _draw(seed, "order", rater, case))
    pairs = [(case, letter) for case in shuffled for letter in LETTERS[:n_models]]
    return [
        dict.fromkeys(columns(judged))
        | {"rater": rater, "order": order, "case": case, "letter": letter}
        for order, (case, letter) in enumerate(pairs, 1)
    ]


def workbook(sheets: list[Rows], judged: Judged) -> bytes:
    """Write the sheets of all raters as one .xlsx, which takes only ratings on their scale."""
    import xlsxwriter  # noqa: PLC0415 - only who wants the file needs the writer

    raw = io.BytesIO()
    names = columns(judged)
    book = xlsxwriter.Workbook(raw, {"in_memory": True, "strings_to_urls": False})
    book.set_properties({"title": "Rating sheet", "created": _MADE})
    head = book.add_format({"bold": True, "bottom": 1})
    wrapped = book.add_format({"text_wrap": True, "valign": "top"})
    allowed = ["1", "0"] if judged == "right/wrong" else ["1", "2", "3", "4", "5"]
    rated = names.index(columns(judged)[5])
    for rater, rows in zip(RATERS, sheets, strict=True):
        page = book.add_worksheet(f"Rater {rater}")
        page.freeze_panes(1, 0)
        for column, name in enumerate(names):
            page.write_string(0, column, name, head)
            page.set_column(column, column, _WIDTHS.get(name, 10), wrapped)
        for line, row in enumerate(rows, 1):
            for column, name in enumerate(names):
                if row[name] is not None:
                    page.write(line, column, row[name], wrapped)
        page.data_validation(
            *(1, rated, len(rows), rated),
            {
                "validate": "list",
                "source": allowed,
                "error_title": "Not on the scale",
                "error_message": f"One of {', '.join(allowed)}, or empty.",
            },
        )
    book.close()
    return raw.getvalue()


def _draw(*parts: object) -> bytes:
    return hashlib.sha256("|".join(map(str, parts)).encode()).digest()

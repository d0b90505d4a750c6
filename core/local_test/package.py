"""The package of a local test: one zip with which a hospital runs its own cases, without data.

The files next to the README are templates in ``templates/``; those that end in ``.j2`` are filled
in. Names and the words of the task come from outside: they become one plain line, without braces,
which the prompt has for the case, and are in no command. The rating sheets are blinded: cases in
a random order, models behind letters, the key apart.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from datetime import datetime
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from core.domain import BadRequestError
from core.sheets import Records, to_csv, write_sheet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jinja2 import Environment

    from core.local_test.open_cases import Called
    from core.local_test.plan import JudgedAs, Protocol

LETTERS = "ABCD"
KEY = ("case", "letter", "model")
_RATED = 5
"""Place of the column of verdicts."""
_MADE = datetime(2000, 1, 1)  # an equal sheet is an equal file


def case_ids(n_cases: int) -> list[str]:
    """Name the cases ``case-001``, ``case-002`` …, in as many digits as the last one needs."""
    digits = max(3, len(str(n_cases)))
    return [f"case-{i:0{digits}}" for i in range(1, n_cases + 1)]


def columns(judged: JudgedAs) -> tuple[str, ...]:
    """Return the columns of a sheet: ``right`` holds 1 or 0, ``rating`` 1 to 5.

    ``patient`` is the code that cases of one patient share, as in the case file.
    """
    verdict = "right" if judged == "right/wrong" else "rating"
    return ("rater", "order", "case", "letter", "answer", verdict, "comment", "patient")


def key(models: tuple[str, ...], cases: list[str], seed: int) -> Records:
    """Say which letter means which model in each case, one row each, with ``KEY``.

    Every case has a permutation of its own, the same for all raters: that by which the SHA-256 of
    seed, case and a model's place among ``models`` sort. All permutations are equally likely over
    seeds, and no release of a random generator changes them.
    """
    rows: Records = []
    for case in cases:
        places = sorted(range(len(models)), key=lambda place: _draw(seed, "letter", case, place))
        rows += [
            {"case": case, "letter": letter, "model": models[place]}
            for letter, place in zip(LETTERS, places, strict=False)
        ]
    return rows


def sheet(cases: list[str], n_models: int, rater: int, judged: JudgedAs, seed: int) -> Records:
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


def rating_workbook(sheets: list[Records], judged: JudgedAs) -> bytes:
    """Write the sheets of all raters as one .xlsx, which takes only ratings on their scale."""
    import xlsxwriter  # noqa: PLC0415 - only whoever wants the file needs the writer

    raw = io.BytesIO()
    book = xlsxwriter.Workbook(raw, {"in_memory": True})
    book.set_properties({"title": "Rating sheet", "created": _MADE})
    allowed = ["1", "0"] if judged == "right/wrong" else ["1", "2", "3", "4", "5"]
    for rater, rows in enumerate(sheets, 1):
        page = write_sheet(book, f"Rater {rater}", columns(judged), rows, text_wrap=True)
        page.data_validation(
            *(1, _RATED, len(rows), _RATED),
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


VERSIONS = {
    "inspect": "0.3.285",
    "inspect_evals": "0.26.0",
    "openai": "3.57.0",
}
"""The releases of the tools with which the commands were run; the tests run them again."""
CASES_FILE = ("case", "patient", "input", "reference")
MOST_CASES = 100_000
_QUOTABLE = re.compile(r"[\w./:@-]+", re.ASCII)
"""What cannot leave its quotes in a command."""
_TEMPLATES = Path(__file__).parent / "templates"
_EXAMPLES = (
    ("Is 6.1 mmol/l potassium above a normal range of 3.5 to 5.0? Answer yes or no.", "yes"),
    ("How many days are two weeks? Answer with the number.", "14"),
    ("Which is the larger dose, 5 mg or 500 micrograms?", "5 mg"),
)


def build_package(agreed: Protocol, calls: Sequence[Called] = ()) -> bytes:
    """Return the zip that goes by a protocol; equal protocols and calls give equal bytes.

    Its random orders follow from the protocol's hash. ``calls`` say how the tool calls each model,
    in the protocol's order; without them the buyer fills that in.
    """
    models = tuple((plain_line(name), plain_line(id_)) for name, id_ in agreed.models)
    _check(agreed, [name for name, _ in models])
    files = {"protocol.json": agreed.as_json(), **_texts(agreed, models, calls)}
    return zipped({**files, **_tables(agreed, models)})


def zipped(contents: Mapping[str, str | bytes]) -> bytes:
    """Return files by name as a zip, in which ``run`` may be run; equal files give equal bytes."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(contents.items()):
            entry = zipfile.ZipInfo(name)  # dated 1980, whenever it is made
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100755 if name == "run" else 0o100644) << 16
            archive.writestr(entry, content)
    return raw.getvalue()


def templates(folder: Path, *, trim_blocks: bool = False) -> Environment:
    """Return the templates of a folder; nothing in them is HTML: escaping would change names."""
    import jinja2  # noqa: PLC0415 - slow to import

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=False,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=trim_blocks,
    )


def plain_line(text: str) -> str:
    """Return a text as one line without control or invisible characters, braces and backticks."""
    cleaned = "".join(c if c.isprintable() else " " for c in text[:2_000])
    return " ".join(cleaned.translate(str.maketrans("{}`", "()'")).split())


def _check(agreed: Protocol, names: list[str]) -> None:
    if not all(names):
        raise BadRequestError("Every model of a package needs a name.")
    for name in names:
        if names.count(name) > 1:
            raise BadRequestError(f'Two models of the package have the name "{name[:80]}".')
    if not plain_line(agreed.work):
        raise BadRequestError("A package needs the work in words.")
    if not 1 <= agreed.n_cases <= MOST_CASES:
        raise BadRequestError(
            f"A package has 1 to {MOST_CASES:,} cases, not {agreed.n_cases:,}: widen the margin."
        )


def _texts(
    agreed: Protocol, models: tuple[tuple[str, str], ...], calls: Sequence[Called]
) -> dict[str, str]:
    environment = templates(_TEMPLATES)
    written = [it.call if _QUOTABLE.fullmatch(it.call) else "" for it in calls]
    known = [it for it, call in zip(calls, written, strict=True) if call]
    filled = {
        "models": models,
        "calls": [call or "FILL-IN" for call in written] or ["FILL-IN"] * len(models),
        "packages": sorted({it.how.package for it in known}),
        "variables": list(dict.fromkeys(key for it in known for key in it.how.keys)),
        "agreed": agreed,
        "work": plain_line(agreed.work),
        "last": case_ids(agreed.n_cases)[-1],
        "right": agreed.judged == "right/wrong",
        "column": columns(agreed.judged)[_RATED],
        "versions": VERSIONS,
    }
    return {
        path.removesuffix(".j2"): environment.get_template(path).render(filled)
        if path.endswith(".j2")
        else (_TEMPLATES / path).read_text("utf-8")
        for path in (p.relative_to(_TEMPLATES).as_posix() for p in _TEMPLATES.rglob("*.*"))
        if not path.startswith("key/") or agreed.raters
    }


def _tables(agreed: Protocol, models: tuple[tuple[str, str], ...]) -> dict[str, bytes]:
    cases = case_ids(agreed.n_cases)
    names = tuple(name for name, _ in models)
    seed = int(agreed.sha256[:12], 16)
    raters = range(1, agreed.raters + 1)
    sheets = [sheet(cases, len(names), rater, agreed.judged, seed) for rater in raters]
    files = {
        f"ratings-rater-{rater}.csv": to_csv(rows, columns(agreed.judged))
        for rater, rows in zip(raters, sheets, strict=True)
    }
    template: Records = [
        dict(zip(CASES_FILE, (case, None, f"EXAMPLE, replace it: {text}", answer), strict=True))
        for case, (text, answer) in zip(cases, cycle(_EXAMPLES), strict=False)
    ]
    if sheets:  # Where nobody rates there is nothing to fill in, and no key to it.
        files["ratings.xlsx"] = rating_workbook(sheets, agreed.judged)
        files["key/key.csv"] = to_csv(key(names, cases, seed), KEY)
    return files | {"cases.csv": to_csv(template, CASES_FILE)}

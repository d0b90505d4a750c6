"""The package of a local test: one zip with which a hospital runs its own cases, without data.

The files beside the README are templates in ``templates/``; those that end in ``.j2`` are filled
in. Names and the words of the task come from outside: they become one plain line, without braces,
which two of the tools would fill in, and stand in no command.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import jinja2

from core.domain import BadRequestError
from core.local_test import rating_sheet
from core.sharing.export import Cell, to_csv

if TYPE_CHECKING:
    from core.local_test.protocol import Protocol

VERSIONS = {"inspect": "0.3.285", "helm": "0.5.16", "promptfoo": "0.123.1"}
"""The releases of the tools with which the commands were run; the tests run them anew."""
CASES = ("case", "patient", "input", "reference", "group_setting")
MOST_CASES = 100_000
_TEMPLATES = Path(__file__).parent / "templates"
_MOST_CHARACTERS = 2_000
_EXAMPLES = (
    ("Is 6.1 mmol/l potassium above a normal range of 3.5 to 5.0? Answer yes or no.", "yes"),
    ("How many days are two weeks? Answer with the number.", "14"),
    ("Which is the larger dose, 5 mg or 500 micrograms?", "5 mg"),
)


@dataclass(frozen=True, slots=True)
class Package:
    """What a package is made of, as the frozen protocol has it."""

    models: tuple[tuple[str, str], ...]
    """Two to four of (name, the provider's exact id or "")."""
    work: str
    """The task in words."""
    n_cases: int
    judged: Literal["right/wrong", "rubric"]
    seed: int
    protocol_hash: str


def build(package: Package) -> bytes:
    """Return the zip; equal packages give equal bytes."""
    models = tuple((plain(name), plain(id_)) for name, id_ in package.models)
    _check(package, [name for name, _ in models])
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted((_texts(package, models) | _tables(package, models)).items()):
            entry = zipfile.ZipInfo(name)  # dated 1980, whenever it is made
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, content)
    return raw.getvalue()


def plain(text: str) -> str:
    """Return a text as one line without control or invisible characters, braces and backticks."""
    cleaned = "".join(c if c.isprintable() else " " for c in text[:_MOST_CHARACTERS])
    return " ".join(cleaned.translate(str.maketrans("{}`", "()'")).split())


def _check(package: Package, names: list[str]) -> None:
    if not 2 <= len(names) <= len(rating_sheet.LETTERS):
        raise BadRequestError(f"A package is for two to four models, not {len(names)}.")
    if not all(names):
        raise BadRequestError("Every model of a package needs a name.")
    for name in names:
        if names.count(name) > 1:
            raise BadRequestError(f'Two models of the package have the name "{name[:80]}".')
    if not plain(package.work):
        raise BadRequestError("A package needs the work in words.")
    if not 1 <= package.n_cases <= MOST_CASES:
        raise BadRequestError(
            f"A package has 1 to {MOST_CASES:,} cases, not {package.n_cases:,}: widen the margin."
        )


def _texts(package: Package, models: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return the files that are copied or filled in from templates."""
    # Nothing here is HTML: escaping would change names. Where a name stands in YAML it is quoted.
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=False,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters["quoted"] = lambda text: json.dumps(text, ensure_ascii=False)
    filled = {
        "models": models,
        "n_models": len(models),
        "work": plain(package.work),
        "n_cases": package.n_cases,
        "last": rating_sheet.case_ids(package.n_cases)[-1],
        "judged": package.judged,
        "right": package.judged == "right/wrong",
        "column": rating_sheet.columns(package.judged)[5],
        "protocol_hash": plain(package.protocol_hash),
        "versions": VERSIONS,
    }
    return {
        path.removesuffix(".j2"): environment.get_template(path).render(filled)
        if path.endswith(".j2")
        else (_TEMPLATES / path).read_text("utf-8")
        for path in (p.relative_to(_TEMPLATES).as_posix() for p in _TEMPLATES.rglob("*.*"))
        if "same_answer" not in path or package.judged == "right/wrong"
    }


def _tables(package: Package, models: tuple[tuple[str, str], ...]) -> dict[str, bytes]:
    """Return the cases, the rating sheets and their key."""
    cases = rating_sheet.case_ids(package.n_cases)
    names = tuple(name for name, _ in models)
    sheets = [
        rating_sheet.sheet(cases, len(names), rater, package.judged, package.seed)
        for rater in rating_sheet.RATERS
    ]
    columns = rating_sheet.columns(package.judged)
    files = {
        f"ratings-rater-{rater}.csv": to_csv(rows, columns)
        for rater, rows in zip(rating_sheet.RATERS, sheets, strict=True)
    }
    examples = [(*_EXAMPLES[place % len(_EXAMPLES)], "example") for place in range(len(cases))]
    template: list[dict[str, Cell]] = [
        dict(zip(CASES, (case, None, f"EXAMPLE, replace it: {text}", *rest), strict=True))
        for case, (text, *rest) in zip(cases, examples, strict=True)
    ]
    return files | {
        "cases.csv": to_csv(template, CASES),
        "ratings.xlsx": rating_sheet.workbook(sheets, package.judged),
        "key/key.csv": to_csv(rating_sheet.key(names, cases, package.seed), rating_sheet.KEY),
    }


def of_protocol(agreed: Protocol) -> Package:
    """Return what a package is made of; its random order follows from the protocol."""
    return Package(
        models=agreed.models,
        work=agreed.work,
        n_cases=agreed.n_cases,
        judged=agreed.judged,
        seed=int(agreed.sha256[:12], 16),
        protocol_hash=agreed.sha256,
    )

"""The package of a local test: one zip whose one command, ``./run``, asks every model the cases.

That of own cases holds made-up examples in their place, that of open cases (``open_cases``) none:
the tool fetches them where it runs. The files next to the README are in ``templates/``; those that
end in ``.j2`` are filled in, and the programs are the same in every package: what depends on the
test lies in ``test.json``. Names and the words of the task come from outside: they become one plain
line, without braces, which the prompt has for the case, and are in no command. After the run the
answers lie in blinded rating sheets: cases in a random order, models behind letters, the key apart.
"""

from __future__ import annotations

import io
import json
import zipfile
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from core.domain import BadRequestError
from core.sheets import Records, to_csv

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.local_test.open_cases import Called
    from core.local_test.plan import JudgedAs, Protocol

VERSIONS = {
    "inspect": "0.3.285",
    "inspect_evals": "0.26.0",
    "openai": "3.57.0",
}
"""The releases of the tools with which the commands were run; the tests run them again."""
MOST_TOKENS_A_CASE = 16_000
"""Of one answer, what a model thinks included."""
CASES_FILE = ("case", "patient", "input", "reference")
MOST_CASES = 100_000
_TEMPLATES = Path(__file__).parent / "templates"
_EXAMPLES = (
    ("Is 6.1 mmol/l potassium above a normal range of 3.5 to 5.0? Answer yes or no.", "yes"),
    ("How many days are two weeks? Answer with the number.", "14"),
    ("Which is the larger dose, 5 mg or 500 micrograms?", "5 mg"),
)


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


def build_package(agreed: Protocol, models: Sequence[Called]) -> bytes:
    """Return the zip that runs a protocol on own cases; equal protocols and calls, equal bytes.

    ``models`` are the protocol's, in its order, with how the tool calls each of them.
    """
    _check(agreed, [plain_line(name) for name, _ in agreed.models])
    cases, right = case_ids(agreed.n_cases), agreed.judged == "right/wrong"
    examples: Records = [
        dict(zip(CASES_FILE, (case, None, f"EXAMPLE, replace it: {text}", answer), strict=True))
        for case, (text, answer) in zip(cases, cycle(_EXAMPLES), strict=False)
    ]
    words = {
        "ids": [(plain_line(name), plain_line(id_)) for name, id_ in agreed.models],
        "last": cases[-1],
        "right": right,
    }
    return packed(
        agreed,
        models,
        readme="own.md.j2",
        words=words,
        files=("own_cases.py.txt", "prompt.txt.j2", "de-identification.md"),
        tables={"cases.csv": to_csv(examples, CASES_FILE)},
        about={"task": "own_cases:own_cases", "scored": right},
    )


def packed(
    agreed: Protocol,
    models: Sequence[Called],
    judge: Called | None = None,
    *,
    readme: str,
    words: Mapping[str, object],
    about: Mapping[str, object],
    files: Sequence[str] = (),
    tables: Mapping[str, bytes] | None = None,
    packages: Sequence[str] = (),
) -> bytes:
    """Return the zip of a test: its README, what depends on the test, and the programs.

    ``words`` are those of the README, ``about`` is added to ``test.json``, ``files`` name further
    templates, and ``packages`` further ones that the tool needs.
    """
    parts = (*models, *([judge] if judge else []))
    # Whoever goes by another address than the one proposed needs OpenAI's package alone.
    needed = {f"inspect-ai=={VERSIONS['inspect']}", f"openai=={VERSIONS['openai']}", *packages}
    needed |= {it.how.package for it in parts}
    test = {
        "protocol": agreed.sha256,
        "case_set": "",
        "task_args": {},
        "n_cases": agreed.n_cases,
        "seed": int(agreed.sha256[:8], 16),
        "most_tokens": MOST_TOKENS_A_CASE,
        "most_usd_per_case": 1.0,
        "raters": agreed.raters,
        "columns": columns(agreed.judged),
        "scored": True,
        "models": [_part(it, f"MODEL_{i}") for i, it in enumerate(models, 1)],
        "judge": _part(judge, "JUDGE_MODEL") if judge else None,
        **about,
    }
    work = plain_line(agreed.work)
    filled = {"agreed": agreed, "about": test, "work": work, **words}
    names = {readme: "README.md", "run": "run", "run.ps1": "run.ps1", "run.py.txt": "run.py"}
    # Programs of the buyer's, and none of this server's: they are kept as text.
    names |= {name: name.removesuffix(".j2").replace(".py.txt", ".py") for name in files}
    return zipped(
        {
            "protocol.json": agreed.as_json(),
            "requirements.txt": "".join(f"{it}\n" for it in sorted(needed)),
            "test.json": json.dumps(test, ensure_ascii=False, indent=1, sort_keys=True),
            **{given: _filled(name, filled) for name, given in names.items()},
            **(tables or {}),
        }
    )


def _filled(name: str, words: Mapping[str, object]) -> str:
    """Return the text of a template; nothing in it is HTML: escaping would change names."""
    if not name.endswith(".j2"):
        return (_TEMPLATES / name).read_text("utf-8")
    import jinja2  # noqa: PLC0415 - slow to import

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=False,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
    )
    return environment.get_template(name).render(words)


def _part(it: Called, variable: str) -> dict[str, object]:
    return {
        "name": plain_line(it.name),
        "variable": variable,
        "served": plain_line(it.served),
        "call": plain_line(it.call),
        "keys": it.how.keys,
        "note": it.how.note,
        "usd_per_mtok": it.usd_per_mtok,
    }


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

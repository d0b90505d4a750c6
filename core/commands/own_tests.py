"""The commands of a test on own cases: how many, the package, what comes back, the verdict."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from core.answers.asked import ask
from core.answers.local_test import test_worth
from core.answers.open_cases import calls_of
from core.commands.question import model_called
from core.commands.told import (
    Add,
    Arguments,
    Told,
    file_name,
    in_lines,
    opened_store,
    there,
    today,
    write_file,
)
from core.domain import BadRequestError, Question
from core.local_test.package import build_package
from core.local_test.plan import FEWEST_MODELS, MOST_MODELS, Protocol
from core.local_test.verdict import verdict
from core.results import helm, read, read_patients
from core.results.collected import Results
from core.sharing.export import picked, worth_document
from core.sharing.inputs import share
from core.statistics.items import ALPHA, RightWrong
from core.statistics.sample_size import fewest_graded, sample_size
from core.words.local_test import not_counted, raters_and_strays
from core.words.recommendation import worth_in_words


def add_commands(add: Add) -> None:
    """Add the commands to the command line."""
    sub = add("plan", _plan, "how many own cases show whether a model is as good within a margin")
    sub.add_argument(
        "--margin", type=share, metavar="M", help="0 to 1; 0.05 is 5 points; --worth: 0.02"
    )
    sub.add_argument(
        "--difference",
        type=float,
        default=0.0,
        metavar="D",
        help="true difference assumed, candidate minus model, -1 to 1; 0 unless set",
    )
    spread = sub.add_mutually_exclusive_group(required=True)
    spread.add_argument(
        "--discordance",
        type=float,
        metavar="P",
        help="right or wrong: share of cases, 0 to 1, on which one is right and the other wrong",
    )
    spread.add_argument(
        "--sd",
        type=float,
        metavar="S",
        help="scores: standard deviation of their differences case by case, 0 to 1; one mark of a "
        "rubric of 1 to 5 is 0.25",
    )
    spread.add_argument("--worth", action="store_true", help="what a test of models is worth")
    sub.add_argument("--power", type=float, choices=(0.8, 0.9), default=0.8)
    sub.add_argument("--models", metavar="A,B,…", help="with --worth: two to four, by id or name")
    sub.add_argument("--suite", metavar="S", help="with --worth: the evidence that has them")
    sub = add("package", _package, "what people need who run and rate a local test, as one ZIP")
    told = "as the tab Plan gave it, JSON"
    sub.add_argument("--protocol", type=file_name, required=True, metavar="FILE", help=told)
    sub.add_argument("--out", type=file_name, required=True, metavar="FILE")
    files: dict[str, Any] = {"nargs": "+", "type": file_name, "metavar": "FILE"}
    files["help"] = "or a folder of HELM runs"
    sub = add("read-results", _read_results, "what tools and raters wrote, without its text")
    sub.add_argument("files", **files)
    sub = add("verdict", _verdict, "two models on own cases")
    sub.add_argument("files", **files)
    for which, is_what in (("--a", "the candidate"), ("--b", "what it is compared with")):
        about = f"{is_what}, as the results name it"
        sub.add_argument(which, required=True, metavar="MODEL", help=about)
    sub.add_argument("--margin", type=share, metavar="M", help="0 to 1; a protocol has it")
    planned = sub.add_mutually_exclusive_group()
    planned.add_argument(
        "--planned",
        type=int,
        metavar="N",
        help="cases planned; below it the tier stays open. Rating sheets have it in their key",
    )
    planned.add_argument(
        "--protocol", type=file_name, metavar="FILE", help="JSON, which says it too"
    )
    sub.add_argument(
        "--cases", type=file_name, metavar="FILE", help="case file with a column patient"
    )


def _plan(arguments: Arguments) -> Told:
    if {arguments.worth} != {each is not None for each in (arguments.models, arguments.suite)}:
        raise BadRequestError("--worth, --models and --suite are given together or not at all.")
    if arguments.worth:
        return _worth(arguments)
    if arguments.margin is None:
        raise BadRequestError("the following arguments are required: --margin")
    asked = picked(arguments, "margin", "difference", "discordance", "sd", "power")
    size, sd = sample_size(**asked), arguments.sd
    what = f"discordance {arguments.discordance:g}" if sd is None else f"standard deviation {sd:g}"
    basis = (
        f"assumed: {what}, true difference {arguments.difference:g}; {size.by}; the normal formula "
        f"gives {size.n_normal:,}"
    )
    shown = size.n_cases
    if sd is not None:
        shown = max(shown, fewest_graded(arguments.margin, sd, arguments.difference))
    what = (
        "show whether a candidate is" if shown == size.n_cases else "find out whether it is likely"
    )
    line = (
        f"You need {size.n_cases:,} cases to {what} within {arguments.margin * 100:g} points, with "
        f"a power of {arguments.power * 100:g} % ({basis})."
    )
    if shown > size.n_cases:
        line += f" To show it takes {shown:,}, since graded answers can hide losses that are rare."
    document = {"n_cases": size.n_cases, "n_cases_shown": shown, "alpha": ALPHA}
    return document | picked(arguments, "power", "margin") | {"basis": basis}, None, [line]


def _worth(arguments: Arguments) -> Told:
    if (arguments.difference, arguments.power) != (0.0, 0.8):
        raise BadRequestError("--worth takes neither --difference nor --power.")
    asked = ask(opened_store(arguments), Question.of(suite=arguments.suite), today())
    if arguments.margin is not None:
        asked = asked.having(margin=arguments.margin)
    named = [model_called(asked, name.strip()) for name in arguments.models.split(",")]
    models = tuple(dict.fromkeys(named))
    found = test_worth(asked, models)
    if found is None or len(models) > MOST_MODELS:
        raise BadRequestError(
            f"A test takes {FEWEST_MODELS} to {MOST_MODELS} models; --models has {len(models)}."
        )
    return worth_document(found), None, [worth_in_words(found)]


def _package(arguments: Arguments) -> Told:
    agreed = _agreed(arguments.protocol)
    content = build_package(agreed, calls_of(opened_store(arguments), agreed))
    write_file(arguments.out, content)
    document = {"file": str(arguments.out), "bytes": len(content), "n_cases": agreed.n_cases}
    return document, [document]


def _agreed(path: Path) -> Protocol:
    try:
        return Protocol.read(there(path).read_bytes())
    except OSError as error:
        raise BadRequestError(f"{path} cannot be read as text.") from error


def _read(files: list[Path]) -> Results:
    """Read files by their path, since a folder may name the model."""
    return read([(str(path), there(path)) for path in dict.fromkeys(_with_run_specs(files))])


def _with_run_specs(files: list[Path]) -> Iterator[Path]:
    """Yield the files; of a folder those of the HELM runs below it, each run with its spec."""
    for given in files:
        below = sorted(given.rglob(helm.STATS)) if given.is_dir() else []
        for path in below or [given]:
            yield path
            if path.name == helm.STATS and (spec := path.with_name(helm.SPEC)).exists():
                yield spec


def _read_results(arguments: Arguments) -> Told:
    found = _read(arguments.files)
    scores = found.frame.groupby(["model", "item"], sort=False)["score"].mean().reset_index()
    rows = cast("list[dict[str, object]]", scores.to_dict("records"))
    document = {
        "format": found.format,
        "models": scores["model"].unique().tolist(),
        "n_items": scores["item"].nunique(),
        "scores": rows,
        "passed_over": found.passed_over,
    }
    return document, rows


def _verdict(arguments: Arguments) -> Told:
    results = _read(arguments.files)
    candidates = [name for name in dict.fromkeys(results.frame["model"]) if name != arguments.b]
    agreed = _agreed(arguments.protocol) if arguments.protocol else None
    if agreed and arguments.a in agreed.models[0]:
        raise BadRequestError(
            f"By the protocol {arguments.a} is what the others are compared with: give it as --b."
        )
    planned = agreed.n_cases if agreed else arguments.planned
    margin = agreed.margin if agreed else arguments.margin
    if margin is None:
        raise BadRequestError("Give --margin, or the --protocol that has it.")
    if arguments.margin not in (None, margin):
        raise BadRequestError(f"The protocol has a margin of {margin:g}: leave out --margin.")
    found = verdict(
        results,
        arguments.a,
        arguments.b,
        margin,
        planned=results.planned if planned is None else planned,
        candidates=candidates,
        n_agreed=len(agreed.models) - 1 if agreed else 0,
        patients=read_patients(str(arguments.cases), there(arguments.cases))
        if arguments.cases
        else None,
    )
    attempts = results.frame.drop_duplicates(["model", "item", "attempt"]).groupby("model").size()
    counts = asdict(found.table) if found.table else dict.fromkeys(RightWrong.__slots__)
    document: dict[str, object] = {
        **picked(found, "a", "b"),
        "benchmark": "own cases",
        "n_attempts_a": int(attempts[found.a]),
        "n_attempts_b": int(attempts[found.b]),
        **{key: value for key, value in asdict(found.difference).items() if key != "dof"},
        **counts,
        **picked(found, "margin", "tier", "planned"),
    }
    arguments.warnings += [*raters_and_strays(found), *not_counted(found), *results.passed_over]
    if found.planned is None:
        arguments.warnings.append("The tier stays open: --planned says how many were planned.")
    return document, in_lines(document)

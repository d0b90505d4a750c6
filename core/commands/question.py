"""The question on the command line: options, or a link in their place, into question.

The options are those of the one table of controls, each named after the field that it sets and
read as a link's parameter is.
"""

import argparse
import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, cast

from core.answers import data
from core.answers.asked import Asked
from core.answers.data import ALL_MODELS
from core.domain import ALL_EVIDENCE, Access, BadRequestError, Question
from core.evidence.catalogue import Catalogue
from core.evidence.store import Store
from core.sharing import link
from core.sharing.controls import CONTROLS
from core.sharing.inputs import (
    Control,
    ControlKind,
    Number,
    OneOf,
    Reader,
    Several,
    Stops,
    Volumes,
    sale_label,
    volume_key,
)

_EVIDENCE = ("suite", "cohort", "protocol", "revision", "task", "weight", "where", "profile")


def add_selection(sub: argparse.ArgumentParser, **suite: Any) -> None:  # noqa: ANN401 - argparse's
    """Add the options that choose the scores of a suite."""
    sub.add_argument("--suite", metavar="S", **{"required": True} | suite)
    sub.add_argument("--cohort", default=ALL_MODELS, metavar="C")
    sub.add_argument("--protocol", default="", metavar="P", help="for BRIDGE")


def add_question(sub: argparse.ArgumentParser) -> None:
    """Add the options that make up a question, or a link in their place."""
    sub.add_argument("--link", metavar="URL", help="what the page shows for a link")
    sub.add_argument("--suite", metavar="S")
    sub.add_argument("--cohort", metavar="C")
    sub.add_argument("--protocol", metavar="P", help="for BRIDGE")
    sub.add_argument("--revision", metavar="R", help="snapshot of the suite; else the newest")
    sub.add_argument("--task", metavar="T", help="what the model is for, by its id or its name")
    sub.add_argument("--weight", action="append", type=_weight, metavar="CATEGORY=W")
    sub.add_argument("--where", choices=("vendor", "own", "any"), help="as --access")
    sub.add_argument("--profile", metavar="P", help="conditions to start from: us, eu or none")
    for control in CONTROLS:
        option, kind = _option(control), control.kind
        label = control.label.replace("%", "%%")  # argparse fills help texts in
        if kind == "switch":
            sub.add_argument(option, action="store_const", const=["true"], help=label)
        elif isinstance(kind, Volumes):
            sub.add_argument(option, action="append", type=_weight, metavar="KIND=N")
        else:
            of = margin if _is_share(kind) else str
            sub.add_argument(option, action="append", type=of, metavar="X", help=label)


def _option(control: Control) -> str:
    return f"--{control.field.replace('_', '-')}"


def _is_share(kind: ControlKind) -> bool:
    return isinstance(kind, Number) and kind.per_unit > 1


def question_of(arguments: argparse.Namespace, store: Store) -> Question:
    """Return the question that the options or the link say; notes on a link become warnings.

    Without a suite it is asked what a first visit asks: over all evidence, and where no condition
    is given under those that patient data need in the US.
    """
    given = {
        control.field: _value(control, texts, store.catalogue)
        for control in CONTROLS
        if (texts := getattr(arguments, control.field))
    }
    if arguments.link is not None:
        beside = [name for name in _EVIDENCE if getattr(arguments, name) is not None]
        if beside or given.keys() - {"margin"}:
            raise BadRequestError("--link carries every choice; give it alone.")
        query = link.parse_url(arguments.link)
        opened = link.from_query(query, store.catalogue, store.snapshots)
        arguments.warnings += opened.notes
        return replace(opened.question, **given)
    weights = tuple(dict(arguments.weight or ()).items())
    if arguments.suite is None and weights:
        raise BadRequestError("Give --suite: a weight is of a category of one suite.")
    if arguments.suite is None and (arguments.cohort or arguments.protocol or arguments.revision):
        raise BadRequestError("Give --suite: cohort, protocol and revision are of one suite.")
    given["access"] = _place(arguments.where, given.get("access"))
    given["gates"] = _gates(arguments, given, store.catalogue)
    asked = Question.of(
        suite=arguments.suite or ALL_EVIDENCE.suite,
        cohort=arguments.cohort or ALL_MODELS,
        protocol=arguments.protocol or "",
        revision=arguments.revision or "",
        task=_task(arguments.task, store.catalogue, own=bool(weights)),
        weights=weights,
        **given,
    )
    if asked.hardware.gpus_owned and not (asked.hardware.gpu and asked.access == "own"):
        raise BadRequestError("--gpus-owned counts with --where own and a kind of --gpu.")
    return asked


def _gates(
    arguments: argparse.Namespace, given: Mapping[str, Any], catalogue: Catalogue
) -> tuple[str, ...]:
    """Return the conditions that are given, and those of the profile that is, or is usual."""
    own: tuple[str, ...] = given.get("gates", ())
    limits = ("gates", "max_retention_days", "min_context_tokens")
    name = arguments.profile
    if name is None and arguments.suite is None and not any(it in given for it in limits):
        name = next(iter(catalogue.profiles))
    if name is None:
        return own
    if name not in catalogue.profiles:
        known = ", ".join(catalogue.profiles)
        raise BadRequestError(f'There is no profile "{name[:40]}"; there are {known}.')
    return tuple(dict.fromkeys((*catalogue.profiles[name].gates, *own)))


def _value(control: Control, texts: list[Any], catalogue: Catalogue) -> Any:  # noqa: ANN401 - a field's
    option, query = _option(control), {control.key: texts}
    if "" in texts:
        raise BadRequestError(f"{option} needs a value.")
    if _is_share(control.kind):
        return texts[-1]
    match control.kind:
        case OneOf(options) | Several(options):
            words = {str(value): name for name, value in options(catalogue).items() if value}
            _check_known(option, texts, words)
            query = {control.key: [words[text] for text in texts]}
        case Stops() if control.field == "on_sale_months":
            months = {"any": sale_label(None), **{str(n): sale_label(n) for n in range(1000)}}
            query = {control.key: [months.get(text, text) for text in texts]}
        case Volumes():
            kinds = [kind.id for kind in catalogue.requests]
            _check_known(option, [kind for kind, _ in texts], kinds)
            query = {volume_key(kind): [repr(number)] for kind, number in texts}
    reader = Reader(query, strict=True)
    value = replace(control, label=option).read(reader, catalogue)
    if reader.notes:
        raise BadRequestError(reader.notes[0])
    return value


def _check_known(option: str, asked: list[str], known: Collection[str]) -> None:
    if unknown := [text for text in asked if text not in known]:
        raise BadRequestError(f"{option} takes {', '.join(known)}; not {unknown[0][:80]!r}.")


def _task(asked: str | None, catalogue: Catalogue, *, own: bool) -> str:
    if own and asked not in (None, link.OWN_TASK):
        raise BadRequestError("Give --task or --weight: own weights are a task of their own.")
    if own or asked is None:
        return link.OWN_TASK if own else Question().work.task
    named = {task.name: task.id for task in catalogue.tasks.values()}
    return named.get(asked, asked)


def _place(where: str | None, access: Access | None) -> Access:
    """Return where a model may run: ``--where``, else what ``--access`` says of the weights."""
    if where in (None, "any"):
        return access or "any"
    if access not in (None, "any", where) and (where, access) != ("own", "open"):
        raise BadRequestError(
            f"--where {where} and --access {access} cannot be asked together: open weights may run "
            "anywhere; give one of them."
        )
    return cast("Access", where)


def named_in_link(address: str, asked: Asked) -> str:
    """Return the model in use that a link to Replace names, an older link too; else nothing."""
    page, _, _ = address.partition("?")
    named = link.parse_url(address).get("model", [""])[-1]
    if not named or not page.rstrip("/").endswith(("/replace", "/equivalents")):
        return ""
    return model_called(asked, named)


def model_called(asked: Asked, named: str) -> str:
    """Return the id of a model that the evidence holds by its id or name; else what was given."""
    if not asked.question.evidence.suite:
        return named
    known = data.products(asked.store, asked.selection()).models
    return next((m for m in known if named in (m, data.model(asked.store, m).name)), named)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return value


def margin(text: str) -> float:
    """Read a margin of 0 to 1."""
    value = _number(text)
    if value > 1:
        raise argparse.ArgumentTypeError(f"{text!r} is above 1: 0.02 is two points of 100")
    return value


def _weight(text: str) -> tuple[str, float]:
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=NUMBER")
    return name, _number(value)

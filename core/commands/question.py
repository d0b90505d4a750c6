"""The question on the command line: options, or a link in their place, into question.

The options are those of the one table of controls, each named after the field that it sets and
read as a link's parameter is.
"""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from core.answers import data
from core.answers.asked import Asked
from core.answers.data import ALL_MODELS
from core.domain import ALL_EVIDENCE, Access, BadRequestError, Question
from core.evidence.catalogue import Catalogue
from core.evidence.store import Store
from core.figures import squeezed
from core.sharing import link
from core.sharing.controls import CONTROLS
from core.sharing.inputs import Share, named_number, quoted_from_link
from core.words.candidate import SHORT_NAMES

_BY_SHORT_NAME = {squeezed(short): name for name, short in SHORT_NAMES.items()}
_EVIDENCE = ("suite", "cohort", "protocol", "revision", "task", "weight", "where", "profile")


def add_selection(sub: argparse.ArgumentParser, **suite: Any) -> None:  # noqa: ANN401 - argparse's
    """Add the options that choose the scores of a suite."""
    sub.add_argument("--suite", metavar="S", **{"required": True} | suite)
    sub.add_argument("--cohort", metavar="C")
    sub.add_argument("--protocol", metavar="P", help="for BRIDGE")


def add_question(sub: argparse.ArgumentParser) -> None:
    """Add the options that make up a question, or a link in their place."""
    sub.add_argument("--link", metavar="URL", help="what the page shows for a link")
    add_selection(sub, required=False)
    sub.add_argument("--revision", metavar="R", help="snapshot of the suite; else the newest")
    sub.add_argument("--task", metavar="T", help="what the model is for, by its id or its name")
    sub.add_argument("--weight", action="append", type=named_number, metavar="CATEGORY=W")
    sub.add_argument("--where", choices=("vendor", "own", "any"), help="as --access")
    sub.add_argument("--profile", metavar="P", help="conditions to start from: us, eu or none")
    for control in CONTROLS:
        label = control.label
        if isinstance(control.kind, Share):  # Its control has per cent or points.
            label = label.replace("%", "share").removesuffix(", points") + ", 0 to 1"
        # What it was called before stays for one release.
        names = (control.option, *["--gates"][: control.field == "required"])
        sub.add_argument(*names, **{"help": label.replace("%", "%%")} | control.kind.option)


def question_of(arguments: argparse.Namespace, store: Store) -> Question:
    """Return the question that the options or the link say; notes on a link become warnings.

    Without a suite it is asked what a first visit asks: over all evidence, and where no condition
    is given under those that patient data need in the US.
    """
    named = [it.strip() for text in arguments.platforms or () for it in text.split(",")]
    also = {squeezed(it.also): it.platform for it in store.catalogue.platforms if it.also}
    called = _BY_SHORT_NAME | also
    arguments.platforms = [called.get(squeezed(it), it) for it in named]
    given = {
        control.field: control.read_option(texts, store.catalogue)
        for control in CONTROLS
        if (texts := getattr(arguments, control.field))
    }
    if arguments.link is not None:
        beside = [name for name in _EVIDENCE if getattr(arguments, name) is not None]
        if beside or given.keys() - {"margin"}:
            raise BadRequestError("--link carries every choice; give it alone.")
        if not any(mark in arguments.link for mark in ("://", "?", "=")):
            said = quoted_from_link(arguments.link)
            raise BadRequestError(f"--link: {said} is not a link; copy one from a page.")
        query = link.parse_url(arguments.link)
        opened = link.from_query(query, store.catalogue, store.snapshots)
        arguments.warnings += (*opened.notes, *link.unread(query, store.catalogue))
        return replace(opened.question, **given)
    weights = tuple(dict(arguments.weight or ()).items())
    if arguments.suite is None and weights:
        raise BadRequestError("Give --suite: a weight is of a category of one suite.")
    if arguments.suite is None and (arguments.cohort or arguments.protocol or arguments.revision):
        raise BadRequestError("Give --suite: cohort, protocol and revision are of one suite.")
    given["access"] = _place(arguments.where, given.get("access"))
    given["required"] = _conditions_asked(arguments, given, store.catalogue)
    asked = Question.of(
        suite=arguments.suite or ALL_EVIDENCE.suite,
        cohort=arguments.cohort or ALL_MODELS,
        protocol=arguments.protocol or "",
        revision=arguments.revision or "",
        task=_task(arguments.task, store.catalogue, own=bool(weights)),
        weights=weights,
        **given,
    )
    if asked.hardware.gpus_owned and not asked.hardware.gpu:
        raise BadRequestError("--gpus-owned counts with a kind of --gpu.")
    return asked


def _conditions_asked(
    arguments: argparse.Namespace, given: Mapping[str, Any], catalogue: Catalogue
) -> tuple[str, ...]:
    """Return the conditions that are given, and those of the profile that is, or is usual."""
    own: tuple[str, ...] = given.get("required", ())
    limits = ("required", "max_retention_days", "min_context_tokens")
    name = arguments.profile
    if name is None and arguments.suite is None and not any(it in given for it in limits):
        name = next(iter(catalogue.profiles))
    if name is None:
        return own
    if name not in catalogue.profiles:
        known = ", ".join(catalogue.profiles)
        raise BadRequestError(f'There is no profile "{name[:40]}"; there are {known}.')
    return tuple(dict.fromkeys((*catalogue.profiles[name].conditions, *own)))


def _task(asked: str | None, catalogue: Catalogue, *, own: bool) -> str:
    if own and asked not in (None, link.OWN_TASK):
        raise BadRequestError("Give --task or --weight: own weights are a task of their own.")
    if own or asked is None:
        return link.OWN_TASK if own else Question().work.task
    named = {squeezed(text): it.id for it in catalogue.tasks.values() for text in (it.name, it.id)}
    return named.get(squeezed(asked), asked)


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
    query = link.parse_url(address)
    named = [*query.get("model", ()), *query.get("in_use", ()), ""][0]
    if not named or not page.rstrip("/").endswith(("/replace", "/equivalents")):
        return ""
    return model_called(asked, named)


def model_called(asked: Asked, named: str) -> str:
    """Return the id of a model that the evidence holds by its id or name; else what was given."""
    if not asked.question.evidence.suite:
        return named
    known = data.products(asked.store, asked.selection()).models
    return next((m for m in known if named in (m, data.model(asked.store, m).name)), named)

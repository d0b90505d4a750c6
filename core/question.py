"""The question on the command line: options, or a link in their place, into requirements."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from core.answers import data
from core.answers.proposed_evidence import proposed_evidence
from core.domain import Access, BadRequestError, Requirements
from core.sharing import link
from core.sharing.inputs import MOST_MONTHS, OLDEST_PRICES

if TYPE_CHECKING:
    from core.evidence.store import Store

_CHOICES = (
    *("suite", "cohort", "protocol", "weight", "max_params_b", "monthly_budget_usd"),
    *("access", "where", "on_sale_months", "on_sale_on"),
)


def add_question(sub: argparse.ArgumentParser) -> None:
    """Add the options that make up a question, or a link in their place."""
    sub.add_argument("--link", metavar="URL", help="what the page shows for a link")
    sub.add_argument("--suite", metavar="S")
    sub.add_argument("--cohort", metavar="C")
    sub.add_argument("--protocol", default="", metavar="P", help="for BRIDGE")
    sub.add_argument("--weight", action="append", default=[], type=_weight, metavar="CATEGORY=W")
    sub.add_argument("--max-params-b", type=_number, metavar="X")
    sub.add_argument("--monthly-budget-usd", type=_number, metavar="X")
    sub.add_argument("--access", choices=("open", "any"), help="open weights, or any")
    sub.add_argument("--where", choices=("vendor", "own", "any"), help="where it may run")
    sub.add_argument(
        "--on-sale-months", type=_months, metavar="N", help="6 unless set; any: not asked"
    )
    sub.add_argument("--on-sale-on", type=_day, metavar="DATE", help="counted from; today")


def requirements_of(arguments: argparse.Namespace, store: Store, today: date) -> Requirements:
    """Return the requirements that the options or the link say; notes on a link become warnings.

    Without a suite it is asked what a first visit asks, which is said on standard error.
    """
    if arguments.link is not None:
        if any(getattr(arguments, choice) not in (None, "", []) for choice in _CHOICES):
            raise BadRequestError("--link carries every choice; give it alone.")
        query = link.parse_url(arguments.link)
        opened = link.from_query(query, store.catalogue, store.snapshots)
        arguments.warnings += opened.notes
        return opened.requirements
    weights = dict(arguments.weight)
    if arguments.suite is None and weights:
        raise BadRequestError("Give --suite: a weight is of a category of one suite.")
    months = arguments.on_sale_months
    usual = Requirements().on_sale_months
    asked = Requirements(
        suite=arguments.suite or Requirements().suite,
        cohort=arguments.cohort or data.ALL_MODELS,
        protocol=arguments.protocol,
        task=link.OWN_TASK if weights else Requirements().task,
        weights=tuple(weights.items()),
        access=_place(arguments),
        max_params_b=arguments.max_params_b,
        monthly_budget_usd=arguments.monthly_budget_usd,
        on_sale_months=usual if months is None else None if months == "any" else months,
        on_sale_on=arguments.on_sale_on or "",
    )
    if arguments.suite is not None:
        return asked
    found = proposed_evidence(store, asked, data.day_of_prices(asked, today))
    if found is None:
        return asked
    print(f"Asked of {found.why}.", file=sys.stderr)
    return replace(asked, suite=found.base.suite)


def _place(arguments: argparse.Namespace) -> Access:
    """Return where a model may run: ``--where``, else what ``--access`` says of the weights."""
    where, weights = arguments.where, arguments.access
    if where == "vendor" and weights == "open":
        raise BadRequestError(
            "--where vendor and --access open cannot be asked together: open weights may run "
            "anywhere; give one of them."
        )
    place: Access = where if where in ("own", "vendor") else weights or "any"
    return place


def in_use(address: str, store: Store, requirements: Requirements) -> str:
    """Return the model in use that a link to Replace names, an older link too; else nothing."""
    page, _, _ = address.partition("?")
    named = link.parse_url(address).get("model", [""])[-1]
    if not named or not page.rstrip("/").endswith(("/replace", "/equivalents")):
        return ""
    return model_called(store, requirements, named)


def model_called(store: Store, requirements: Requirements, named: str) -> str:
    """Return the id of a model that the evidence holds by its id or name; else what was given."""
    known = data.products(store, data.selection_of(requirements)).models
    return next((m for m in known if named in (m, data.model(store, m).name)), named)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return value


def _months(text: str) -> int | str:
    if text == "any":
        return text
    if not text.isdecimal() or len(text) > 3 or int(text) > MOST_MONTHS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither any nor a whole number of months up to {MOST_MONTHS}"
        )
    return int(text)


def _day(text: str) -> str:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day such as 2026-11-22") from None
    if found < OLDEST_PRICES:
        raise argparse.ArgumentTypeError(f"{text!r} is before {OLDEST_PRICES}")
    return found.isoformat()


def margin(text: str) -> float:
    """Read a margin of 0 to 1."""
    value = _number(text)
    if value > 1:
        raise argparse.ArgumentTypeError(f"{text!r} is above 1: 0.02 is two points of 100")
    return value


def _weight(text: str) -> tuple[str, float]:
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form CATEGORY=WEIGHT")
    return name, _number(value)

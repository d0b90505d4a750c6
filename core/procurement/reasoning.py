"""Hidden reasoning: what a model that reasons writes before its answer, and the buyer pays for."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING

from core.domain import BadDataError, BadRequestError, HiddenTokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import ReasoningTokens

OWN_BASIS = "set by you"


def measured_for(
    rows: Sequence[ReasoningTokens], developer: str
) -> tuple[str, tuple[ReasoningTokens, ...]]:
    """Return the measurements that stand for a developer's models, and the family's name.

    Parameters
    ----------
    rows : sequence of ReasoningTokens
        What was measured.
    developer : str
        As the catalogue writes it; a family counts whose name it holds, so that "Alibaba (Qwen)"
        is of the family "Qwen".

    Returns
    -------
    (str, tuple of ReasoningTokens)
        The family and its rows; an empty name and all rows where no family was measured.
    """
    name = developer.casefold()
    family = next((row.family for row in rows if row.family.casefold() in name), "")
    return family, tuple(row for row in rows if not family or row.family == family)


def hidden_reasoning(rows: Sequence[ReasoningTokens]) -> str:
    """Say for each developer what is likely and what was measured, tokens a request."""
    said = []
    for developer in (*dict.fromkeys(row.family for row in rows), ""):
        found = hidden_tokens(rows, developer, visible=0.0, cap=0.0)
        said.append(
            f"{developer or 'other developers'} {found.likely:,.0f} "
            f"({found.low:,.0f} to {found.high:,.0f})"
        )
    return ", ".join(said)


def hidden_tokens(
    rows: Sequence[ReasoningTokens],
    developer: str,
    *,
    visible: float,
    cap: float,
    own: float | None = None,
) -> HiddenTokens:
    """Return the hidden reasoning of one request, low, likely and high.

    Low is the smallest mean of a test set in the family; likely is the mean over the family's
    models of each model's mean over its test sets; high is what a benchmark allowed for reasoning
    and answer together less the answer, but at least the largest mean that was measured. The cap
    is used for nothing else: it says what was allowed, not what is written.

    Parameters
    ----------
    rows : sequence of ReasoningTokens
        What was measured, of all families.
    developer : str
        As for `measured_for`.
    visible : float
        Tokens of the visible answer.
    cap : float
        Tokens that reasoning models were allowed for everything they write.
    own : float, optional
        The hospital's own figure, of 0 or more; it is then low, likely and high.

    Returns
    -------
    HiddenTokens
        Tokens a request, low <= likely <= high, with where they come from.

    Raises
    ------
    BadDataError
        If nothing was measured.
    BadRequestError
        If the hospital's own figure is negative or not finite.
    """
    if own is not None:
        if not 0 <= own < math.inf:
            raise BadRequestError(f"Hidden reasoning must be 0 tokens or more, not {own:g}.")
        return HiddenTokens(own, own, own, OWN_BASIS)
    family, measured = measured_for(rows, developer)
    if not measured:
        raise BadDataError("There are no measurements of how many tokens reasoning takes.")
    by_model: dict[str, list[float]] = {}
    for row in measured:
        by_model.setdefault(row.model, []).append(row.mean_completion_tokens)
    means = [row.mean_completion_tokens for row in measured]
    whose = "" if family else "no model of its developer was, so those of all: "
    return HiddenTokens(
        low=min(means),
        likely=fmean(fmean(of_model) for of_model in by_model.values()),
        high=max(cap - visible, *means),
        basis=(
            f"measured on medical questions: {whose}{min(means):,.0f} to {max(means):,.0f} tokens "
            f"for {', '.join(by_model)} (MedAgentsBench, {max(row.as_of for row in measured)}); "
            f"the high case is MedHELM's cap of {cap:,.0f}"
        ),
    )

"""One gate on one way to get a model: passes, on a condition, open question, or fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from core.domain import BadRequestError, GateAnswer, GateCheck, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.domain import GateKind, Licence, Model

Answer = Literal["yes", "no", "conditional", "unknown"]
SELF_HOSTED = "Self-hosted open weights"
NO_PLATFORM = "no platform known"
RETENTION = "default_retention_days"
ZERO_RETENTION = "zero_data_retention"
CONTEXT = "context_window"
_WANTED = {"yes": "yes", "no": "no", "limit": "yes"}


@dataclass(frozen=True, slots=True)
class GateRequirements:
    """The gates that a buyer sets."""

    needed: tuple[str, ...] = ()
    """Gates that must pass, by id."""
    max_retention_days: int | None = None
    """Most days that data may be kept; ``None`` does not ask."""
    min_context_tokens: int | None = None
    """Least tokens that a model must read at once; ``None`` does not ask."""


def asked(requirements: GateRequirements, kinds: Mapping[str, GateKind]) -> list[GateKind]:
    """Return the gates that the requirements ask for, in the order of ``kinds``.

    Raises
    ------
    BadRequestError
        If a needed gate is unknown or wants a limit, or a limit is negative.
    """
    for gate in requirements.needed:
        if gate not in kinds:
            raise BadRequestError(f'There is no gate "{gate[:40]}"; known are {", ".join(kinds)}.')
        if kinds[gate].wanted == "limit":
            raise BadRequestError(f'The gate "{kinds[gate].name}" needs a number to compare with.')
    limits = {
        RETENTION: requirements.max_retention_days,
        CONTEXT: requirements.min_context_tokens,
    }
    for gate, limit in limits.items():
        if limit is not None and limit < 0:
            raise BadRequestError(f"The limit of {kinds[gate].name} must be 0 or more.")
    return [
        kind
        for kind in kinds.values()
        if kind.id in requirements.needed or limits.get(kind.id) is not None
    ]


def model_answers(
    model: Model, licence: Licence | None, requirements: GateRequirements
) -> dict[str, GateAnswer]:
    """Return what the catalogue says on the gates that are about a model, by gate.

    Closed weights have no licence to read: whether a hospital may use them commercially is for
    the contract, so it is unknown here.
    """
    found = [_on_premises(model), _commercial(model, licence)]
    window, least = model.context_window_tokens, requirements.min_context_tokens
    if window is not None and least is not None:
        detail = f"It reads at most {window:,} tokens; you need {least:,}."
        answer: Answer = "yes" if window >= least else "no"
        found.append(_said(model, CONTEXT, answer, detail, model.source_url))
    return {answer.gate: answer for answer in found}


def _on_premises(model: Model) -> GateAnswer:
    if model.access == "open":
        return _said(model, "on_premises", "yes", "The weights are open.", model.source_url)
    if model.access == "closed":
        return _said(model, "on_premises", "no", "", model.source_url)
    return _said(model, "on_premises", "unknown", "Nobody says whether its weights are open.", "")


def _commercial(model: Model, licence: Licence | None) -> GateAnswer:
    gate = "commercial_licence"
    if model.access == "closed":
        return _said(model, gate, "unknown", "The contract with the vendor decides.", "")
    if licence is None:
        known = f'The licence "{model.licence}" has not been read.' if model.licence else ""
        return _said(model, gate, "unknown", known or "No licence is stated.", "")
    detail = f"{licence.name}: {licence.condition or 'nobody has read its text.'}"
    answers: dict[str, Answer] = {"yes": "yes", "no": "no", "conditional": "conditional"}
    answer = answers.get(licence.commercial_use, "unknown")
    return _said(model, gate, answer, detail, licence.source_url, licence.as_of)


def _said(
    model: Model, gate: str, answer: Answer, detail: str, source: str, as_of: str = ""
) -> GateAnswer:
    return GateAnswer(model.id, gate, answer, detail, source, as_of, None, "catalogue")


def check(
    kind: GateKind,
    answer: GateAnswer | None,
    model: Model,
    platform: str,
    *,
    most_days: int | None = None,
    zero_retention: GateAnswer | None = None,
) -> GateCheck:
    """Judge one answer.

    Parameters
    ----------
    kind : GateKind
        The gate.
    answer : GateAnswer or None
        What is known; ``None`` is unknown.
    model : Model
        The model that is to be bought.
    platform : str
        From whom.
    most_days : int, optional
        Days that data may be kept, for the gate on retention.
    zero_retention : GateAnswer, optional
        What the platform says of zero retention: where it can be agreed, too many days by
        default are a condition and no failure.

    Returns
    -------
    GateCheck
        Open where the answer is unknown, or the days are.
    """
    detail = answer.detail if answer is not None else ""
    subject = model.name if kind.about == "model" else platform
    named = f"{subject}, {within_sentence(kind.name)}"
    status: Status
    if answer is None or answer.answer == "unknown":
        status = "open"
    elif kind.id == RETENTION:
        status, detail = _retention(answer, most_days, zero_retention)
    elif answer.answer == "conditional":
        status = "conditional"
    else:
        status = "passes" if answer.answer == _WANTED[kind.wanted] else "fails"
    words = {
        "open": f"Ask {_whom(kind, model, platform)}: {kind.question} "
        f"{detail or 'No statement found.'}",
        "conditional": f"{named}, on a condition: {detail or 'not stated.'}",
        "passes": f"{named}: {detail or 'yes.'}",
        "fails": f"{subject} {kind.failing}. {detail}".strip(),
    }
    return GateCheck(
        gate=kind.id,
        name=kind.name,
        status=status,
        words=words[status],
        source_url=answer.source_url if answer is not None else "",
        as_of=answer.as_of if answer is not None else "",
        source_kind=answer.source_kind if answer is not None else "",
    )


def within_sentence(name: str) -> str:
    """Begin a name with a small letter, but for abbreviations such as HIPAA."""
    return name if name[:2].isupper() else name[:1].lower() + name[1:]


def _retention(answer: GateAnswer, most: int | None, zero: GateAnswer | None) -> tuple[Status, str]:
    days = 0 if answer.days is None and answer.answer == "no" else answer.days
    if days is None or most is None:
        return "open", answer.detail
    if days <= most:
        return ("conditional" if answer.answer == "conditional" else "passes"), answer.detail
    kept = f"{days} days by default, you allow {most}."
    if zero is not None and zero.answer in ("yes", "conditional"):
        return "conditional", f"{kept} Zero retention must be agreed: {zero.detail}"
    return "fails", f"{kept} {answer.detail}".strip()


def _whom(kind: GateKind, model: Model, platform: str) -> str:
    if kind.about == "platform":
        others = {
            NO_PLATFORM: f"the vendor of {model.name}",
            SELF_HOSTED: "your own IT department",
        }
        return others.get(platform, platform)
    if model.developer:
        return f"{model.developer} about {model.name}"
    return f"the developer of {model.name}"

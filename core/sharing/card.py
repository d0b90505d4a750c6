"""The CHAI Applied Model Card of one model: what the evidence fills in, and what to ask for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.sharing.wording import counted, points, size

if TYPE_CHECKING:
    from core.domain import Shortlist, ShortlistRow, Suite
    from core.evidence.model_card import ModelCardField
    from core.sharing.export import Cell

_GOAL = "KeyMetrics/UsefulnessUsabilityEfficacy"
_FACTS = "TrustIngredients/AISystemFacts"


@dataclass(frozen=True, slots=True)
class Card:
    """The card of one model, in the order of its fields."""

    filled: tuple[tuple[ModelCardField, str], ...]
    """With what is known of it."""
    open: tuple[ModelCardField, ...]
    """What only the vendor can say: blanks are questions."""

    def open_by_section(self) -> dict[str, list[ModelCardField]]:
        """Return the blanks of each section."""
        found: dict[str, list[ModelCardField]] = {}
        for field in self.open:
            found.setdefault(field.section, []).append(field)
        return found


def card(
    fields: tuple[ModelCardField, ...],
    row: ShortlistRow,
    record: dict[str, Cell],
    found: Shortlist,
    suite: Suite,
) -> Card:
    """Fill in the card of a row of a shortlist, with the figures of its record in the CSV."""
    values = _values(row, record, found, suite)
    return Card(
        tuple((field, values[field.path]) for field in fields if values.get(field.path)),
        tuple(field for field in fields if not values.get(field.path)),
    )


def _values(
    row: ShortlistRow, record: dict[str, Cell], found: Shortlist, suite: Suite
) -> dict[str, str]:
    """Return what is known, by section and field; an empty text is a blank."""
    model = row.model
    categories = ", ".join(name for name, _ in found.weights)
    tests = f"{counted(row.n_benchmarks, 'benchmark')} of {suite.name}"
    scored = [(share, name) for name, share in row.category_scores if share is not None]
    lowest = min(scored) if len(scored) > 1 else None
    stage = {
        "open": "Open release: the weights can be downloaded",
        "closed": "Offered as a service",
    }
    metric = {key: record[key] for key in ("score", "ci_low", "ci_high", "n_benchmarks")}
    gates = [check.words for check in (row.routes[0].checks if row.routes else ())]
    return {
        "BasicInfo/ModelName": f"{model.name} ({model.id})",
        "BasicInfo/ModelDeveloper": model.developer,
        "ReleaseInfo/ReleaseStage": stage.get(model.access, ""),
        "ReleaseInfo/ReleaseDate": model.released_on,
        "ReleaseInfo/ReleaseVersion": f"Run that was scored: {row.run}",
        "ModelSummary/Summary": row.reasons[0],
        "ModelSummary/Keywords/Keyword": categories,
        "UsesAndDirections/CautionedOutOfScopeSettings": (
            f"Never tested here on: {', '.join(row.missing[:5])}"
            + (" and others" if len(row.missing) > 5 else "")
            if row.missing
            else ""
        ),
        "Warnings/KnownRisksAndLimitations": (
            f"Lowest of its task categories: {lowest[1]}, {points(lowest[0])} points"
            if lowest
            else ""
        ),
        f"{_FACTS}/ModelType": f"Generative language model, {size(model.params_b)}",
        f"{_FACTS}/FoundationModels": model.base_model,
        f"{_FACTS}/Security": " ".join(gates[:4]),
        "TrustIngredients/TransparencyInformation/ThirdPartyInformation": (
            f"Price found at {row.bill.price.provider_name}" if row.bill else ""
        ),
        f"{_GOAL}/MetricGoal": f"How well it does on {tests}",
        f"{_GOAL}/Results/MetricResult/Label": "Weighted mean of the benchmark scores, 0 to 1",
        f"{_GOAL}/Results/MetricResult/ValueJson": json.dumps(metric),
        f"{_GOAL}/TestType": "External: public benchmarks; neither local nor prospective",
        f"{_GOAL}/TestingDataDescription": f"{tests}; each is listed in the workbook",
        f"{_GOAL}/ValidationProcessAndJustification": suite.description,
        "Resources/EvaluationReferences": suite.url,
        "Resources/PeerReviewedPublications": suite.citation,
    }

"""What a test of some models on own cases is worth, from the evidence of a question."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from core.answers.data import matrix, selection_of
from core.answers.local_test import measured_basis, tested_models
from core.answers.recommend import shortlist
from core.answers.remembering import remembered
from core.local_test.plan import FEWEST_MODELS, MINUTES_PER_CASE, RATERS
from core.procurement.test_worth import TestWorth
from core.statistics import sample_size as worth
from core.statistics.difference import gaps
from core.statistics.score_matrix import select_models

if TYPE_CHECKING:
    from datetime import date

    from core.domain import Requirements
    from core.evidence.store import Store
    from core.procurement.recommendation import Recommendation


@remembered(maxsize=64)
def test_worth(
    store: Store, requirements: Requirements, on: date, models: tuple[str, ...]
) -> TestWorth | None:
    """Return what a test would bring and take, by the question's weights, margin and prices.

    ``models`` are up to four ids of the question's evidence, the one to start with first: cases
    differ as the plan of a test against it has them, for the pair that needs most. ``None`` for
    fewer than two; one that has no scores is a ``BadRequestError``.
    """
    if len(models) < FEWEST_MODELS:
        return None
    weights = dict(shortlist(store, requirements, on).benchmark_weights)
    scored = select_models(matrix(store, selection_of(requirements)), models)
    rows, others = np.triu_indices(len(models), 1)
    known = worth.belief_sd(gaps(scored, rows, others, weights=weights)) if weights else None
    tested = tested_models(store, requirements, on, models[0], models[1:])
    bases = [
        measured_basis(store, requirements, each, models[0], name)
        for each, name in zip(tested[1:], models[1:], strict=True)
    ]
    spread = math.sqrt(max(basis.value for basis in bases))
    asked = (len(models), worth.ASSUMED_SD if known is None else known, spread)
    margin = requirements.margin
    n = worth.suggested_cases(*asked, margin)
    usd = [math.nan if each.usd_per_case is None else each.usd_per_case for each in tested]
    return TestWorth(
        models=models,
        n_cases=n,
        loss_without=worth.expected_loss(*asked, None),
        loss_with=n and worth.expected_loss(*asked, n),
        p_wrong_without=worth.chance_wrong(*asked, margin, None),
        p_wrong_with=n and worth.chance_wrong(*asked, margin, n),
        cost_usd=None if n is None or math.isnan(sum(usd)) else n * math.fsum(usd),
        rater_hours=n and n * RATERS * MINUTES_PER_CASE / 60,
        margin=margin,
        assumed=known is None,
    )


def worth_of(store: Store, found: Recommendation, on: date) -> TestWorth | None:
    """Return what a test is worth of those to test, or to choose between; else ``None``."""
    named = found.test_these or found.choose
    return test_worth(store, found.requirements, on, tuple(each.model.id for each in named))

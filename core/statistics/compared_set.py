"""What a win rate owes to the models that it is counted against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, TooFewError
from core.statistics.ranks import average_ranks
from core.statistics.score_matrix import select_models
from core.statistics.win_rates import mean_win_rates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import FloatArray, ScoreMatrix

_DIGITS = 12
"""Equal rates summed in another order still tie."""


@dataclass(frozen=True, slots=True)
class Place:
    """One model that stays in the comparison, with all rivals and with fewer."""

    model: str
    rate_before: float
    rate_after: float
    rank_before: int
    """Among the models that stay, by the rates counted with all; equal rates share the better
    rank."""
    rank_after: int


@dataclass(frozen=True, slots=True)
class Removal:
    """What changes when some models are left out of the comparison."""

    left_out: tuple[str, ...]
    places: tuple[Place, ...]
    """The models that stay, by ``rank_before``, then id."""
    n_places: int
    """Sum of the places that they move, up or down; 0 means that the order stays."""


def without(matrix: ScoreMatrix, models: Sequence[str]) -> Removal:
    """Compare the win rates with all models and without some.

    A rank before is counted among the models that stay, so that a gap which merely closes moves
    nobody: only a change of order counts.

    Parameters
    ----------
    matrix : ScoreMatrix
    models : sequence of str
        To leave out; ids in ``matrix.models``.

    Raises
    ------
    BadRequestError
        An unknown model.
    TooFewError
        Fewer than two models stay that share a benchmark.
    """
    known = set(matrix.models)
    if unknown := [model for model in models if model not in known]:
        raise BadRequestError(f"There is no model {unknown[0]} among those compared.")
    return _removal(matrix, mean_win_rates(matrix), tuple(dict.fromkeys(models)))


def _removal(matrix: ScoreMatrix, before: FloatArray, left_out: tuple[str, ...]) -> Removal:
    out = set(left_out)
    staying = [model for model in matrix.models if model not in out]
    rows = np.array([i for i, model in enumerate(matrix.models) if model not in out], dtype=np.intp)
    fewer = mean_win_rates(select_models(matrix, staying))
    # A model may have met only those that are left out: it then has no rate, and no place.
    compared = np.flatnonzero(~np.isnan(fewer))
    if len(compared) < 2:
        raise TooFewError("At least two models that share a benchmark must stay.")
    first, second = before[rows[compared]], fewer[compared]
    places = [
        Place(staying[i], float(a), float(b), int(rank_a), int(rank_b))
        for i, a, b, rank_a, rank_b in zip(
            compared, first, second, _ranks(first), _ranks(second), strict=True
        )
    ]
    return Removal(
        left_out=left_out,
        places=tuple(sorted(places, key=lambda place: (place.rank_before, place.model))),
        n_places=sum(abs(place.rank_after - place.rank_before) for place in places),
    )


def _ranks(rates: FloatArray) -> list[int]:
    """Rank 1 for the highest rate; equal rates share the better rank."""
    rounded = np.round(-rates, _DIGITS)
    middle = average_ranks(rounded[:, None])[:, 0]
    same = (rounded[:, None] == rounded[None, :]).sum(axis=1)
    best: list[int] = np.rint(middle - (same - 1) / 2).astype(int).tolist()
    return best


def _moved(removal: Removal) -> float:
    return sum(abs(place.rate_after - place.rate_before) for place in removal.places)

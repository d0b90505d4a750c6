"""How far models are apart, how sure that is, and which ranks they may have.

The one place for intervals and tests: the shortlist, the recommendation, the equivalents and the
win rates all ask here. Scores are normalised to 0 to 1, higher is better.
"""

from core.statistics.difference.means import Means, scores, weighted_means
from core.statistics.difference.pairs import (
    ALPHA,
    combine,
    difference_at,
    differences,
    gaps,
    verdict,
)
from core.statistics.difference.rank_sets import holm, rank_bands, rank_sets

__all__ = [
    "ALPHA",
    "Means",
    "combine",
    "difference_at",
    "differences",
    "gaps",
    "holm",
    "rank_bands",
    "rank_sets",
    "scores",
    "verdict",
    "weighted_means",
]

"""How far models are apart, how sure that is, and when they tie.

The one place for differences and ties: the shortlist, the equivalents and the win rates all ask
here. Scores are normalised to 0 to 1, higher is better.
"""

from core.statistics.difference.means import Means, scores, weighted_means
from core.statistics.difference.pairs import (
    combine,
    difference_at,
    differences,
    gaps,
    verdict,
)
from core.statistics.difference.ties import bands, rank_bands

__all__ = [
    "Means",
    "bands",
    "combine",
    "difference_at",
    "differences",
    "gaps",
    "rank_bands",
    "scores",
    "verdict",
    "weighted_means",
]

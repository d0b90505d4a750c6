"""What a hospital's own cases say of two models: the verdict, and all that goes with it.

Raters count who have both models, and cases of one patient are one cluster.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, TooFewError
from core.statistics.items import ALPHA, margin_test, right_wrong
from core.statistics.ranks import holm
from core.statistics.raters import MIN_INSTANCES, icc3k

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from core.domain import FloatArray, Tier
    from core.results.collected import Results
    from core.statistics.items import MarginTest, PairedDifference, RightWrong

_MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """How raters agree on the answers that all of them rated, of both models together."""

    raters: tuple[str, ...]
    n_answers: int
    icc_k: float
    """ICC(3,k), of their mean; ``nan`` where all answers have the same mean."""
    same: float
    """Share of the answers that all gave the same score."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a model took for one answer, on average of those for which it was recorded.

    ``nan`` where nothing was recorded.
    """

    model: str
    n_answers: int
    usd: float
    tokens: float
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class TestVerdict:
    """Whether model a can take the place of model b, on the cases that both have."""

    a: str
    b: str
    margin: float
    """Largest loss that still counts as good, 0 to 1 scale."""
    difference: PairedDifference
    """a − b, with a 95 % interval: the wider of Student's t and the score test where few differ."""
    planned: int | None
    """Cases that were planned; ``None`` where no source says."""
    tier: Tier
    """Open until the planned cases are there."""
    may_be_rarely_worse: bool
    """Whether it is *likely* at most, since rare and large losses are not ruled out."""
    p_value: float
    """One-sided, that a is worse by the margin or more; for this pair alone."""
    table: RightWrong | None
    """For right and wrong in one attempt each."""
    items: tuple[str, ...]
    """Cases that at least one rater rated for both, in order."""
    scores_a: FloatArray
    """Of ``items``, mean over the raters who rated both models."""
    scores_b: FloatArray
    only_a: tuple[str, ...]
    """Cases that model a alone has; they do not count."""
    only_b: tuple[str, ...]
    apart: tuple[str, ...]
    """Cases on which they differ most, the widest first, then by id; up to 10."""
    agreement: tuple[RaterAgreement, ...]
    """Of all raters on what all rated; where they share too few answers, of each two."""
    measured: tuple[Measured, Measured]
    n_of_no_person: int
    """Scores that no person gave and that did not count, because people rated."""
    n_unshared: int
    """Cases of both models that no rater rated for both, which did not count."""
    n_patients: tuple[int, int]
    """Of ``items``, those that name a patient, and how many patients these are."""

    @property
    def better(self) -> bool:
        """Whether the whole interval lies above 0."""
        return self.difference.ci_low is not None and self.difference.ci_low > 0

    @property
    def probably_worse(self) -> bool:
        """Whether the whole interval lies below 0."""
        return self.difference.ci_high is not None and self.difference.ci_high < 0


def verdict(
    results: Results,
    a: str,
    b: str,
    margin: float,
    *,
    planned: int | None = None,
    candidates: Sequence[str] = (),
    n_agreed: int = 0,
    patients: Mapping[str, str] | None = None,
) -> TestVerdict:
    """Judge whether model a is as good as model b within a margin.

    Parameters
    ----------
    a, b
        Ids as in the results; the difference is a − b.
    margin
        Largest loss that still counts as good, 0 to 1 scale.
    planned
        Cases planned before any result was seen.
    candidates
        All that are compared with b in this test, a among them or not: *shown* is promised for
        their whole list, by Holm. Without any for the one pair, and *shown* is what else would be
        *likely*.
    n_agreed
        Candidates that were agreed before any result was seen: of those without results nothing
        is shown, and their number still counts.
    patients
        Whose case each is, as the case file says; it goes before what the results say.

    Returns
    -------
    Verdict
        A case counts with the mean difference of the raters who rated both models, each over the
        attempts, so that a strict rater of one model does not count against it. Where persons
        rated, scores that no person gave do not count. Cases of one patient are one cluster.
        *Shown* and *likely*: worse by the margin or more is rejected at 2.5 % one-sided, and for
        *shown* where losses are rare and large as well; *worse*:
        better than that is; else *open*, and so below the planned number or without one, since a
        look every 25 cases errs in 8 % in place of 2.5 %.
    """
    if not 0 <= margin < 1:
        raise BadRequestError(f"The margin must be 0 or more and below 1; it is {margin:,.12g}.")
    if planned is not None and planned < 2:
        raise BadRequestError(f"The planned cases must be 2 or more; they are {planned:,}.")
    if a == b:
        raise BadRequestError(f'Both are the model "{a[:120]}": give two different ones.')
    rated = results.frame["rater"].ne("")
    frame = results.frame[rated] if rated.any() else results.frame
    known = frame["model"].unique().tolist()
    for name in (a, b):
        if name not in known:
            listed = ", ".join(model[:60] for model in known[:_MOST_NAMED])
            raise BadRequestError(f'There is no result for "{name[:120]}"; there are: {listed}.')
    rivals = [name for name in dict.fromkeys(candidates) if name in known and name not in (a, b)]
    rows = frame[frame["model"].isin([a, b, *rivals])]
    own = {name: rows[rows["model"] == name] for name in (a, b)}
    in_a, in_b = (set(part["item"]) for part in own.values())
    shared = within_raters(rows, a, b)
    if len(shared) < 2:
        raise TooFewError(
            f"A verdict takes at least 2 cases that one rater rated for both models; {a[:120]} and "
            f"{b[:120]} share {len(shared)}."
        )
    whose = dict(results.patients) | dict(patients or {})
    test = judge_results(shared, a, b, margin, whose)
    others = [test.p_if_rare]
    for name in rivals:
        found = within_raters(rows, name, b)
        if len(found) >= 2:
            others.append(judge_results(found, name, b, margin, whose).p_if_rare)
    others += [1.0] * (n_agreed - len(others))
    tier: Tier = "open"
    if planned is not None and len(shared) >= planned:
        if test.p_above < ALPHA:
            tier = "shown" if holm(np.array(others))[0] < ALPHA else "likely"
        elif test.p_below < ALPHA:
            tier = "worse"
    items = tuple(shared.index.tolist())
    named = [whose[item] for item in items if item in whose]
    scores_a, scores_b = shared[[a, b]].to_numpy(dtype=float).T
    gap = np.abs(scores_a - scores_b).round(9).tolist()
    widest = sorted((i for i, one in enumerate(gap) if one), key=lambda i: (-gap[i], items[i]))
    once = all((part["attempt"] == 1).all() for part in own.values())
    for scores in (scores_a, scores_b):
        scores.setflags(write=False)
    return TestVerdict(
        a=a,
        b=b,
        margin=margin,
        difference=_bounded(test.difference, shared),
        planned=planned,
        tier=tier,
        may_be_rarely_worse=tier == "likely" and test.p_if_rare >= ALPHA,
        p_value=test.p_above,
        table=right_wrong(scores_a, scores_b) if once else None,
        items=items,
        scores_a=scores_a,
        scores_b=scores_b,
        only_a=tuple(sorted(in_a - in_b)),
        only_b=tuple(sorted(in_b - in_a)),
        apart=tuple(items[i] for i in widest[:_MOST_NAMED]),
        agreement=_agreement(rows[rows["model"].isin([a, b])]),
        measured=(_measured(a, own[a]), _measured(b, own[b])),
        n_of_no_person=len(results.frame) - len(frame),
        n_unshared=len(in_a & in_b) - len(shared),
        n_patients=(len(named), len(set(named))),
    )


def _bounded(found: PairedDifference, shared: pd.DataFrame) -> PairedDifference:
    """Cut an interval at what a difference of scores of 0 to 1 can be; lower ones have no bound."""
    if found.ci_low is None or found.ci_high is None or shared.to_numpy().min() < 0:
        return found
    return replace(found, ci_low=max(found.ci_low, -1.0), ci_high=min(found.ci_high, 1.0))


def _agreement(rows: pd.DataFrame) -> tuple[RaterAgreement, ...]:
    rated = rows[rows["rater"] != ""]
    if rated["rater"].nunique() < 2:
        return ()
    wide = rated.pivot_table(index=["model", "item", "attempt"], columns="rater", values="score")
    raters = tuple(wide.columns.tolist())
    together = len(wide.dropna()) >= MIN_INSTANCES
    groups = [raters] if together else combinations(raters, 2)
    ratings = ((group, wide[[*group]].dropna().to_numpy(dtype=float)) for group in groups)
    return tuple(
        RaterAgreement(group, len(of), icc3k(of), float((np.ptp(of, axis=1) < 1e-9).mean()))
        for group, of in ratings
        if len(of) >= MIN_INSTANCES
    )


def _measured(model: str, rows: pd.DataFrame) -> Measured:
    """Read each answer once, however many raters it had."""
    answers = rows.groupby(["item", "attempt"], sort=False)[["cost", "tokens", "seconds"]].first()
    usd, tokens, seconds = answers.mean().tolist()
    return Measured(model, len(answers), usd, tokens, seconds)


def within_raters(rows: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Mean over the raters who have all the models: a row a case, in order, a column a model."""
    of_these = rows[rows["model"].isin(names)]
    wide = of_these.groupby(["item", "rater", "model"])["score"].mean().unstack("model").dropna()
    return wide.groupby(level="item").mean()


def judge_results(
    wide: pd.DataFrame, one: str, other: str, margin: float, whose: Mapping[str, str]
) -> MarginTest:
    """Test a pair; cases of one patient are a cluster, and each of those without one is its own."""
    names = [(whose.get(item, ""), "" if item in whose else item) for item in wide.index]
    code = {name: i for i, name in enumerate(dict.fromkeys(names))}
    if len(code) < 2:
        raise TooFewError("A verdict takes cases of at least 2 patients; all are from one.")
    clusters = np.array([code[name] for name in names]) if len(code) < len(names) else None
    first, second = wide[[one, other]].to_numpy(dtype=float).T
    return margin_test(first, second, margin, clusters=clusters)

"""How large a local test must be, what it takes, and what that rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from core.domain import BadRequestError
from core.procurement.reasons import listed
from core.statistics.sample_size import SampleSize, sample_size

if TYPE_CHECKING:
    from collections.abc import Sequence

Judged = Literal["right/wrong", "rubric"]
Source = Literal["measured", "assumed"]
MARGINS = (0.01, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2)
"""Of the curve of cases against margin."""
_FINER = (0.05, 0.02, 0.01, 0.005, 0.002)
_RUBRIC = 4
"""Steps from the lowest to the highest mark of 1 to 5."""
FEWEST_MODELS, MOST_MODELS = 2, 4
RATERS, MINUTES_PER_CASE = 2, 5.0
"""Where nobody says otherwise."""
LONGEST = 200


@dataclass(frozen=True, slots=True)
class TestedModel:
    """One model of a local test; what is not known is ``None``."""

    __test__ = False  # no test of pytest's, for all its name

    name: str
    id: str
    """As the maker or the server names the exact version."""
    reference: bool = False
    """Whether the others are held against it: the one in use, or else the one to take."""
    usd_per_case: float | None = None
    """What one answer costs, US dollars; ``None`` where not known, as on own servers."""
    difference: float | None = None
    """From the reference, as public evidence shows it, 0 to 1 scale; ``None`` where nothing does.
    """


@dataclass(frozen=True, slots=True)
class Basis:
    """How much a candidate and the reference differ case by case, and from where that is known."""

    source: Source
    value: float
    """Discordance for right/wrong, for a rubric the standard deviation of the case-wise differences
    on the 0 to 1 scale."""
    candidate: str = ""
    """Id of the candidate; empty for all of them."""
    where: str = ""
    """The tests that it was measured on."""
    n_items: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A local test that tells whether each candidate is as good as the reference."""

    work: str
    """Such as "discharge notes"."""
    models: tuple[TestedModel, ...]
    """The reference first."""
    judged: Judged
    margin: float
    """Largest loss that still counts as good, 0 to 1 scale."""
    difference: float
    """True difference assumed, candidate minus reference, of the pair that needs most cases."""
    never_shown: tuple[TestedModel, ...]
    """Candidates whose public difference no number of cases would show within the margin; for
    them 0 is assumed."""
    power: float
    basis: Basis
    """Of the pair that needs most cases."""
    size: SampleSize
    raters: int
    minutes_per_case: float
    """Of one rater, for the answers of all models to one case."""
    curve: tuple[tuple[float, int], ...]
    """Margin and cases, for the same pair; margins that take more than a million are not there."""

    @property
    def n_cases(self) -> int:
        """Cases that every model answers."""
        return self.size.n_cases

    @property
    def reference(self) -> TestedModel:
        """The model that the others are held against."""
        return self.models[0]

    @property
    def candidates(self) -> tuple[TestedModel, ...]:
        """The models that could stand in."""
        return self.models[1:]

    @property
    def hours(self) -> float:
        """Hours of all raters together."""
        return self.raters * self.minutes_per_case * self.n_cases / 60

    @property
    def bills(self) -> tuple[float | None, ...]:
        """What each model costs for the test in US dollars; ``None`` where not known."""
        each = (model.usd_per_case for model in self.models)
        return tuple(None if usd is None else usd * self.n_cases for usd in each)

    @property
    def bill(self) -> float | None:
        """All models together; ``None`` where one is not known."""
        known = [usd for usd in self.bills if usd is not None]
        return math.fsum(known) if len(known) == len(self.models) else None


def plan(
    work: str,
    models: Sequence[TestedModel],
    *,
    judged: Judged,
    margin: float,
    bases: Sequence[Basis],
    difference: float | None = None,
    power: float = 0.8,
    raters: int = RATERS,
    minutes_per_case: float = MINUTES_PER_CASE,
) -> Plan:
    """Count the cases of a local test; with several candidates for the pair that needs most.

    Each candidate then has the power, whatever the others are (see ``sample_size``).

    Parameters
    ----------
    work
        What the models are to do, as it ends a sentence.
    models
        Two to four, exactly one of them the reference.
    bases
        One for all candidates or one for each.
    difference
        True difference assumed of every candidate; by default what public evidence shows of each,
        in whole tenths of a point, 0 where it shows nothing.
    raters
        0 where a program judges.
    """
    ordered = _checked(models)
    if not is_text(work.strip()):
        raise BadRequestError(f"Say what the work is in one line of at most {LONGEST} letters.")
    if raters < 0 or not 0 <= minutes_per_case < math.inf:
        raise BadRequestError("Raters and their minutes for a case must be 0 or more.")
    wanted = {model.id for model in ordered[1:]}
    given = [basis.candidate for basis in bases]
    if given != [""] and (set(given) != wanted or len(given) != len(wanted)):
        raise BadRequestError(
            "Say once for all candidates, or once for each, how much it and the reference differ."
        )
    of = {basis.candidate: basis for basis in bases}
    pairs: list[tuple[SampleSize, Basis, float]] = []
    never: list[TestedModel] = []
    k = len(wanted)
    for each in ordered[1:]:
        basis = of.get(each.id) or bases[0]
        truth = difference
        if truth is None:
            truth = round(each.difference or 0.0, 3)
            if judged == "right/wrong":  # so far apart two models of this discordance can be
                truth = min(truth, basis.value)
            try:
                _size(basis, judged, margin, truth, power, k)
            except BadRequestError:
                if not truth:
                    raise
                never.append(each)
                truth = 0.0
        pairs.append((_size(basis, judged, margin, truth, power, k), basis, truth))
    size, basis, truth = max(pairs, key=lambda pair: pair[0].n_cases)
    curve = []
    for wide in sorted({*MARGINS, margin}):
        try:
            curve.append((wide, _size(basis, judged, wide, truth, power, k).n_cases))
        except BadRequestError:  # too narrow for the difference, or more than a million
            continue
    return Plan(
        work=work.strip(),
        models=ordered,
        judged=judged,
        margin=float(margin),
        difference=float(truth),
        never_shown=tuple(never),
        power=float(power),
        basis=replace(basis, value=float(basis.value)),
        size=size,
        raters=raters,
        minutes_per_case=float(minutes_per_case),
        curve=tuple(curve),
    )


def sentence(found: Plan) -> str:
    """Say how many cases it takes, and how many for a finer margin.

    "120 cases tell whether GPT-5 mini is within 5 points of GPT-5 on discharge notes; for 2 points
    you need 740."
    """
    names = [model.name for model in found.candidates]
    who = f"{names[0]} is" if len(names) == 1 else f"{listed(names)} are each"
    said = (
        f"{found.n_cases:,} cases tell whether {who} within {points(found.margin, found.judged)} "
        f"of {found.reference.name} on {found.work}"
    )
    for finer in _FINER:
        if finer >= found.margin:
            continue
        try:
            need = _size(
                found.basis, found.judged, finer, found.difference, found.power, len(names)
            )
        except BadRequestError:
            break
        return f"{said}; for {points(finer)} you need {need.n_cases:,}."
    return f"{said}."


def difference_in_words(found: Plan) -> str:
    """Say which true difference the number assumes, and whom no number would show as good."""
    gap = "equally good"
    if found.difference:
        way = "better" if found.difference > 0 else "worse"
        gap = f"{points(abs(found.difference))} {way}"
    said = [f"Assumed true difference: {gap}."]
    for each in found.never_shown:
        assert each.difference is not None
        said.append(
            f"If {each.name} is {points(round(-each.difference, 3))} worse than "
            f"{found.reference.name}, as public evidence shows, no number of cases that can be had "
            f"would show it within {points(found.margin)}; counted as equally good."
        )
    return " ".join(said)


def basis_in_words(basis: Basis, judged: Judged) -> str:
    """Say what the number of cases rests on."""
    what = (
        f"one is right and the other wrong on {basis.value * 100:.3g} % of the cases"
        if judged == "right/wrong"
        else f"differences from case to case have a standard deviation of {basis.value * 100:.3g} "
        f"points ({basis.value * _RUBRIC:.2g} on the scale of 1 to 5)"
    )
    if basis.source == "assumed":
        return f"Assumed: {what}."
    n = f", {basis.n_items:,} items" if basis.n_items is not None else ""
    return f"Measured on {basis.where}{n}: {what}. Your cases may differ."


def points(margin: float, judged: Judged = "right/wrong") -> str:
    """Write a margin in points of 100, for a rubric on its own scale too."""
    number = f"{margin * 100:g}"
    said = f"{number} point{'' if number == '1' else 's'}"
    return f"{said} ({margin * _RUBRIC:.2g} on the scale of 1 to 5)" if judged == "rubric" else said


def is_text(value: object) -> bool:
    """Say whether it is one printable line, not too long."""
    return isinstance(value, str) and 0 < len(value) <= LONGEST and value.isprintable()


def _size(
    basis: Basis, judged: Judged, margin: float, difference: float, power: float, k: int
) -> SampleSize:
    right = judged == "right/wrong"
    return sample_size(
        margin,
        difference=difference,
        discordance=basis.value if right else None,
        sd=None if right else basis.value,
        power=power,
        n_candidates=k,
    )


def _checked(models: Sequence[TestedModel]) -> tuple[TestedModel, ...]:
    """Return the models with the reference first."""
    if not FEWEST_MODELS <= len(models) <= MOST_MODELS:
        raise BadRequestError(
            f"A local test takes {FEWEST_MODELS} to {MOST_MODELS} models; there are {len(models)}."
        )
    if not all(is_text(text) for model in models for text in (model.name, model.id)):
        raise BadRequestError(
            f"Each model needs a name and an id, each one line of at most {LONGEST} letters."
        )
    if len({model.id for model in models}) < len(models):
        raise BadRequestError("Two models of a local test have the same id.")
    if sum(model.reference for model in models) != 1:
        raise BadRequestError("Exactly one model must be the one that the others are held against.")
    return tuple(sorted(models, key=lambda model: not model.reference))

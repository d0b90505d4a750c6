"""How large a local test must be, what that rests on, and the protocol frozen before any result."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from functools import partial
from typing import Any, Literal, cast, get_args

from core.domain import BadDataError, BadRequestError, Tier
from core.figures import listed
from core.procurement.recommendation import MINUTES_PER_CASE, RATERS
from core.results import PROTOCOL
from core.results.collected import Results
from core.results.files import Upload, parsed
from core.results.sheets import RATINGS
from core.statistics.items import ALPHA
from core.statistics.sample_size import SampleSize, fewest_graded, sample_size, shown_margin

JudgedAs = Literal["right/wrong", "rubric"]
BasisOfNumber = Literal["measured", "assumed"]
_FINER = (0.05, 0.02, 0.01, 0.005, 0.002)
MARK_STEPS = 4
"""Steps from the lowest to the highest mark of 1 to 5."""
FEWEST_MODELS, MOST_MODELS = 2, 4
MOST_RATERS, FEWEST_CASES = 6, 10
LONGEST_PLANNED = 200


@dataclass(frozen=True, slots=True)
class TestedModel:
    """One model of a local test; what is not known is ``None``."""

    __test__ = False  # no test of pytest's, for all its name

    name: str
    id: str
    """As the maker or the server names the exact version."""
    reference: bool = False
    """Whether the others are compared with it: the one in use, or else the one to take."""
    usd_per_case: float | None = None
    """What one answer costs, US dollars; ``None`` where not known, as on own servers."""
    difference: float | None = None
    """From the reference, as public evidence shows it, 0 to 1 scale; ``None`` where nothing does.
    """


@dataclass(frozen=True, slots=True)
class Basis:
    """How much a candidate and the reference differ case by case, and from where that is known."""

    source: BasisOfNumber
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
    judged: JudgedAs
    margin: float
    """Largest loss that still counts as good, 0 to 1 scale."""
    difference: float
    """True difference assumed, candidate minus reference, of the pair that needs most cases."""
    needs_most: TestedModel | None
    """The candidate of that pair; ``None`` where the same is assumed of all."""
    never_shown: tuple[TestedModel, ...]
    """Candidates whose public difference no number of cases would show within the margin: the plan
    is for the others, and where there are none for all, with a difference of 0."""
    power: float
    basis: Basis
    """Of the pair that needs most cases."""
    size: SampleSize
    raters: int
    minutes_per_case: float
    """For one rater, to rate the answers of all models to one case."""
    finer: tuple[float, int] | None
    """The next finer margin, and its cases; ``None`` where that takes more than a million."""
    rated: int | None = None
    """Cases that can be rated; ``None`` where the margin says how many."""

    @property
    def n_cases(self) -> int:
        """Cases that every model answers."""
        return self.rated or self.size.n_cases

    def meant(self, name: str) -> TestedModel | None:
        """Return the model that a name in results means; ``None`` where none does."""
        bare = name.casefold()
        for each in self.models:
            ids = (each.name, each.id, each.id.partition(":")[2])
            if any(bare in (one.casefold(), one.casefold().rpartition("/")[2]) for one in ids):
                return each
        return None

    @property
    def hours(self) -> float:
        """Hours of all raters together."""
        return self.raters * self.minutes_per_case * self.n_cases / 60

    @property
    def bills(self) -> tuple[float | None, ...]:
        """What each model costs for the test in US dollars; ``None`` where not known."""
        each = (model.usd_per_case for model in self.models)
        return tuple(None if usd is None else usd * self.n_cases for usd in each)


def plan(
    work: str,
    models: Sequence[TestedModel],
    *,
    judged: JudgedAs,
    margin: float,
    bases: Sequence[Basis],
    difference: float | None = None,
    power: float = 0.8,
    raters: int = RATERS,
    minutes_per_case: float = MINUTES_PER_CASE,
    n_cases: int | None = None,
) -> Plan:
    """Count the cases of a local test; with several candidates for the pair that needs most.

    Each candidate then has the power, whatever the others are (see ``sample_size``). Where it is
    said how many cases can be rated, the margin is what these show, the given one at the least,
    and *finer* the given one with its cases by the same normal formula.

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
        0 where a program judges, at most 6.
    n_cases
        Cases that can be rated, 10 or more; ``None`` asks how many the margin takes.
    """
    ordered = _checked(models)
    if not is_text(work.strip()):
        raise BadRequestError(
            f"Say what the work is in one line of at most {LONGEST_PLANNED} characters."
        )
    _check_effort(raters, minutes_per_case, n_cases)
    wanted = {model.id for model in ordered[1:]}
    given = [basis.candidate for basis in bases]
    if given != [""] and (set(given) != wanted or len(given) != len(wanted)):
        raise BadRequestError(
            "Say once for all candidates, or once for each, how much it and the reference differ."
        )
    of = {basis.candidate: basis for basis in bases}
    pairs: list[tuple[SampleSize, Basis, float, TestedModel]] = []
    never: list[TestedModel] = []

    def how(basis: Basis, truth: float) -> dict[str, Any]:
        spread = {"discordance" if judged == "right/wrong" else "sd": basis.value}
        return {**spread, "difference": truth, "power": power, "n_candidates": len(wanted)}

    for each in ordered[1:]:
        basis = of.get(each.id) or bases[0]
        truth = difference
        if truth is None:
            truth = round(each.difference or 0.0, 3)
            if judged == "right/wrong":  # so far apart two models of this discordance can be
                truth = min(truth, basis.value)
            try:
                sample_size(margin, **how(basis, truth))
            except BadRequestError:
                if not truth:
                    raise
                never.append(each)
                truth = 0.0
        pairs.append((sample_size(margin, **how(basis, truth)), basis, truth, each))
    pairs = [pair for pair in pairs if pair[3] not in never] or pairs
    size, basis, truth, needs_most = max(pairs, key=lambda pair: pair[0].n_cases)
    finer = None
    if n_cases is not None:
        shown = [shown_margin(n_cases, **how(basis, truth)) for _, basis, truth, _ in pairs]
        # In tenths of a point, as it is said.
        reached = round(max(shown), 3)
        if reached >= 1:
            raise BadRequestError(
                f"{n_cases} cases cannot show anything about models that differ this much."
            )
        if reached > margin:
            parts = fewest_graded(margin, basis.value, truth) if judged == "rubric" else 0
            finer = float(margin), max(size.n_normal, parts)
        margin = max(margin, reached)
    elif wide := next((wide for wide in _FINER if wide < margin), None):
        with suppress(BadRequestError):  # too narrow for the difference, or more than a million
            finer = wide, sample_size(wide, **how(basis, truth)).n_cases
    return Plan(
        work=work.strip(),
        models=ordered,
        judged=judged,
        margin=float(margin),
        difference=float(truth),
        needs_most=needs_most if len({truth for _, _, truth, _ in pairs}) > 1 else None,
        never_shown=tuple(never),
        power=float(power),
        basis=replace(basis, value=float(basis.value)),
        size=size,
        raters=raters,
        minutes_per_case=float(minutes_per_case),
        finer=finer,
        rated=n_cases,
    )


def shown_from(of: Plan | Protocol) -> int:
    """Return how many graded cases can show the margin, 0 for right or wrong."""
    return fewest_graded(of.margin, of.basis.value, of.difference) if of.judged == "rubric" else 0


def cases_for_power(of: Protocol) -> int:
    """Return the cases that the test which judges takes to have the power that was agreed."""
    spread = {"discordance" if of.judged == "right/wrong" else "sd": of.basis.value}
    candidates = len(of.models) - 1
    return sample_size(
        of.margin, difference=of.difference, power=of.power, n_candidates=candidates, **spread
    ).n_cases


def at_best(of: Plan | Protocol) -> Tier:
    """Return what a test finds of a candidate that is as good, with its power; *open* is nothing.

    By simulation the result for marks, many of which are equal, stays open with fewer than 40
    cases, and for a judge's shares with fewer than 20.
    """
    if of.n_cases >= shown_from(of):
        return "shown"
    return "likely" if of.n_cases >= (40 if of.raters else 20) else "open"


def margin_in_words(margin: float, judged: JudgedAs = "right/wrong") -> str:
    """Write a margin in points of 100, for a rubric on its own scale too."""
    number = f"{margin * 100:g}"
    said = f"{number} point{'' if number == '1' else 's'}"
    return (
        f"{said} ({margin * MARK_STEPS:.2g} on the scale of 1 to 5)" if judged == "rubric" else said
    )


def marked(judged: JudgedAs, raters: int) -> JudgedAs:
    """Return ``rubric`` where people give marks of 1 to 5; a judge's rubric gives points of 100."""
    return judged if raters else "right/wrong"


def is_text(value: object, longest: int = LONGEST_PLANNED) -> bool:
    """Say whether it is one printable line, not too long."""
    return isinstance(value, str) and 0 < len(value) <= longest and value.isprintable()


def _check_effort(raters: int, minutes_per_case: float, n_cases: int | None) -> None:
    if not 0 <= raters <= MOST_RATERS or not 0 <= minutes_per_case < math.inf:
        raise BadRequestError(
            f"Raters and their minutes for a case must be 0 or more, and raters at most "
            f"{MOST_RATERS}."
        )
    if n_cases is not None and n_cases < FEWEST_CASES:
        raise BadRequestError(f"A test takes at least {FEWEST_CASES} cases; these are {n_cases}.")


def _checked(models: Sequence[TestedModel]) -> tuple[TestedModel, ...]:
    """Return the models with the reference first."""
    if not FEWEST_MODELS <= len(models) <= MOST_MODELS:
        raise BadRequestError(
            f"A local test takes {FEWEST_MODELS} to {MOST_MODELS} models; there are {len(models)}."
        )
    if not all(is_text(text) for model in models for text in (model.name, model.id)):
        raise BadRequestError(
            "Each model needs a name and an id, each one line of at most "
            f"{LONGEST_PLANNED} characters."
        )
    if len({model.id for model in models}) < len(models):
        raise BadRequestError("Two models of a local test have the same id.")
    if sum(model.reference for model in models) != 1:
        raise BadRequestError("Exactly one model must be the reference.")
    return tuple(sorted(models, key=lambda model: not model.reference))


_LARGEST = 100_000
_RATED = (
    "Difference of the two models within each rater, then mean over raters, case by case, over the "
    "cases that at least one rater rated for both"
)
_JUDGED = "Difference of the two models case by case, over the cases for which both have a result"
_ANALYSIS = (
    "; cases of one patient are one cluster; 95 % interval by Student's t. As good within the "
    "margin: worse by the margin or more is rejected at 2.5 % one-sided (shown: by Holm over all "
    "candidates; likely: for the pair alone). Where so few cases differ that fewer than 8 would "
    "fall to the candidate at the margin, Tango's score test must reject too, and the wider "
    "interval is used. Below the planned cases it stays open."
)
_GRADED = (
    " Of graded answers, shown also takes that test of the sums of what is gained and lost, where "
    "fewer than 8 right answers' worth would fall to the candidate at the margin."
)
_STOPPING = "All cases are rated before anyone looks at a result; there is no early stop."


@dataclass(frozen=True, slots=True)
class Protocol:
    """What was agreed before any result was seen; equal content, equal ``sha256``."""

    work: str
    models: tuple[tuple[str, str], ...]
    """Name and exact id, the reference first."""
    judged: JudgedAs
    margin: float
    difference: float
    power: float
    n_cases: int
    basis: Basis
    raters: int
    minutes_per_case: float
    analysis: str
    stopping: str
    agreed_on: date

    @property
    def hours(self) -> float:
        """Hours of all raters together."""
        return self.raters * self.minutes_per_case * self.n_cases / 60

    @property
    def question(self) -> str:
        """The question in words."""
        names = [name for name, _ in self.models]
        verb, each = ("Is", "") if len(names) == 2 else ("Are", "each ")
        return (
            f"{verb} {listed(names[1:])} {each}as good as {names[0]} within "
            f"{margin_in_words(self.margin, marked(self.judged, self.raters))} on {self.work}?"
        )

    def as_json(self) -> str:
        """Write it with sorted keys and no blanks, so that equal content is equal text."""
        document = {
            **asdict(self),
            "format": PROTOCOL,
            "question": self.question,
            "models": [{"name": name, "id": own} for name, own in self.models],
            "alpha": ALPHA,
            "agreed_on": self.agreed_on.isoformat(),
        }
        return json.dumps(
            document, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
        )

    @property
    def sha256(self) -> str:
        """Of ``as_json`` in UTF-8."""
        return hashlib.sha256(self.as_json().encode()).hexdigest()

    @classmethod
    def read(cls, content: bytes) -> Protocol:
        """Read what ``as_json`` wrote, in UTF-8; anything else is one sentence."""
        document = _parsed(content)
        for key, holds in _HOLDS.items():
            if key not in document or not holds(document[key]):
                raise BadDataError(f'The protocol cannot be read: its "{key}" is missing or wrong.')
        if more := sorted(document.keys() - _HOLDS.keys()):
            raise BadDataError(f"The protocol cannot be read: a protocol has no {more[0][:60]!a}.")
        kept = {field.name: document[field.name] for field in fields(cls)}
        kept |= {name: float(kept[name]) for name in _REAL}
        kept["basis"] = Basis(**kept["basis"] | {"value": float(kept["basis"]["value"])})
        kept["models"] = tuple((model["name"], model["id"]) for model in kept["models"])
        found = cls(**kept | {"agreed_on": date.fromisoformat(kept["agreed_on"])})
        if document["question"] != found.question:
            raise BadDataError(
                "The protocol cannot be read: its question is not that of its models and margin."
            )
        return found


def protocol(found: Plan, day: date, judge: str = "") -> Protocol:
    """Freeze a plan on a day, with the model that judges the answers by a rubric, if one does."""
    kept = {it.name: getattr(found, it.name) for it in fields(Protocol) if hasattr(found, it.name)}
    kept["models"] = tuple((model.name, model.id) for model in found.models)
    analysis = (_RATED if found.raters else _JUDGED) + _ANALYSIS
    if found.judged == "rubric":
        analysis += _GRADED
    if judge:
        analysis = f"{judge} scores every answer by the rubric. {analysis}"
    return Protocol(**kept, analysis=analysis, stopping=_STOPPING, agreed_on=day)


def as_planned(results: Results, names: Mapping[str, TestedModel | None]) -> Results:
    """Return results under the ids of the plan, or its names where no id says the version."""
    to = {
        name: known.id if name in (known.id, known.id.partition(":")[2]) else known.name
        for name, known in names.items()
        if known
    }
    return replace(results, frame=results.frame.assign(model=results.frame["model"].replace(to)))


@dataclass(frozen=True, slots=True)
class Departures:
    """How what was done differs from what was agreed; nothing by default."""

    version_unknown: tuple[tuple[str, str], ...] = ()
    """Name and id of models that the results name without their version."""
    untested: tuple[tuple[str, str], ...] = ()
    unplanned: tuple[str, ...] = ()
    n_cases: int = 0
    """Cases that the verdict on the two models counts."""
    n_few_raters: int | None = 0
    """Cases with fewer raters than planned; ``None`` where nobody rated at all."""
    margin: float | None = None
    """That of the verdict, where it is not the one that was agreed."""


def departures(
    agreed: Protocol, results: Results, margin: float, n_cases: int, compared: Collection[str]
) -> Departures:
    """Compare results, and the margin and cases of the verdict on two models, with the protocol.

    Raters are counted for the two models that are ``compared``.
    """
    there = set(results.frame["model"])
    named = {text for model in agreed.models for text in model}
    missing = [(name, own) for name, own in agreed.models if own not in there]
    planned = results.frame[results.frame["model"].isin(list(compared))]
    raters = planned[planned["rater"] != ""].groupby(["model", "item"])["rater"].nunique()
    few: int | None = len(raters[raters < agreed.raters].index.unique("item"))
    if agreed.raters and raters.empty:
        few = None
    return Departures(
        # The key of rating sheets has the package's names, each of the version agreed.
        version_unknown=tuple(
            model for model in missing if model[0] in there and results.format != RATINGS
        ),
        untested=tuple(model for model in missing if model[0] not in there),
        unplanned=tuple(sorted(there - named)),
        n_cases=n_cases,
        n_few_raters=few,
        margin=None if math.isclose(margin, agreed.margin, abs_tol=1e-9) else margin,
    )


def _parsed(content: bytes) -> dict[str, Any]:
    """Parse JSON of one object, each key once and every number finite."""
    if len(content) > _LARGEST:
        raise BadDataError(f"The protocol cannot be read: it has over {_LARGEST:,} characters.")
    try:
        document = parsed(Upload("The protocol"), content.decode("utf-8"))
    except (BadDataError, UnicodeDecodeError):
        document = None
    if not isinstance(document, dict):
        raise BadDataError("The protocol cannot be read: it is not the JSON that was frozen.")
    return document


def _is_number(value: object, low: float, high: float) -> bool:
    real = isinstance(value, int | float) and not isinstance(value, bool)
    return real and low <= cast("float", value) <= high


def _is_count(value: object, low: int) -> bool:
    return isinstance(value, int) and _is_number(value, low, 1_000_000)


def _are_models(value: object) -> bool:
    return (
        isinstance(value, list)
        and FEWEST_MODELS <= len(value) <= MOST_MODELS
        and all(isinstance(model, dict) and model.keys() == {"name", "id"} for model in value)
        and all(is_text(text) for model in value for text in model.values())
        and len({model["id"] for model in value}) == len(value)
    )


def _is_basis(value: object) -> bool:
    names = {"source", "value", "candidate", "where", "n_items"}
    return (
        isinstance(value, dict)
        and value.keys() == names
        and value["source"] in get_args(BasisOfNumber)
        and _is_number(value["value"], 0, 1)
        and all(value[key] == "" or is_text(value[key]) for key in ("candidate", "where"))
        and (value["n_items"] is None or _is_count(value["n_items"], 1))
    )


def _is_day(value: object) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


_REAL = {
    "margin": (0, 0.999),
    "difference": (-1, 1),
    "power": (0.5, 0.99),
    "minutes_per_case": (0, 10_000),
}
_HOLDS: dict[str, Callable[[Any], bool]] = {
    **{name: partial(_is_number, low=low, high=high) for name, (low, high) in _REAL.items()},
    "format": lambda value: bool(value == PROTOCOL),
    "question": lambda value: is_text(value, 10 * LONGEST_PLANNED),
    "work": is_text,
    "models": _are_models,
    "judged": lambda value: value in get_args(JudgedAs),
    "alpha": lambda value: bool(value == ALPHA),
    "n_cases": lambda value: _is_count(value, 2),
    "basis": _is_basis,
    "raters": lambda value: _is_count(value, 0) and value <= MOST_RATERS,
    "analysis": lambda value: is_text(value, 10 * LONGEST_PLANNED),
    "stopping": lambda value: is_text(value, 10 * LONGEST_PLANNED),
    "agreed_on": _is_day,
}

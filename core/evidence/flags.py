"""Which runs of a snapshot do not look plausible, and labels of how runs were made.

A flag is a hint with the numbers that were seen; nothing is dropped or changed. Leaderboards mix
runs of an evaluation harness, which print every digit, with files typed by hand; a value that was
rounded or cut off is judged only as far as its printed decimals allow. A label says nothing
against the figures, only that they were not made as the rest of the suite was: such runs are
shown, and in no rank band and on no first place.

The rules, and when a number of items is in doubt, are those of docs/methods.md, "Plausibility of a
run". IFEval (mean of prompt and instruction level), BBH (mean over 24 tasks) and MuSR (mean over 3
tasks) are no counts of items; GPQA, MMLU-Pro and MATH are, because their parts are pooled.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from core.domain import Flag, Provenance
from core.evidence.expected import ABOVE_BASE, ABOVE_SIZE, N_NAMED, hints
from core.evidence.tables import as_number

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from core.domain import Benchmark, FloatArray, Model, ModelFact

    BoolArray = NDArray[np.bool_]

OUTSIDE_SCALE = "score outside its scale"
NO_WHOLE_ITEMS = "score is no whole number of items"
STANDARD_ERROR = "standard error does not fit"
BELOW_CHANCE = "below chance"
SAME_SCORES = "same scores as another model"
SAME_TEMPLATE = "file made from that of another model"
NAMES_DISAGREE = "names disagree"
LONG_ANSWERS = "answers far longer than the task asks"
RULES = (
    *(OUTSIDE_SCALE, NO_WHOLE_ITEMS, STANDARD_ERROR, BELOW_CHANCE, SAME_SCORES),
    *(SAME_TEMPLATE, ABOVE_BASE, ABOVE_SIZE, NAMES_DISAGREE, LONG_ANSWERS),
)
"""Every rule, in the order in which a run's flags are listed."""
LENGTH = "characters"
"""The fact that is the mean length of a model's answers, as in ``characters:diagnoses``."""
_LONGEST_ANSWER = 1000
"""Characters. Where a short list is asked for, a longer answer is reasoning left in it, and how it
is read decides the score."""
_TYPED_DECIMALS = 6
"""Fewer printed decimals than this look typed or rounded."""
ROUNDING = 1e-9
_SINGLE_PRECISION = 1e-6
"""Relative error of a number that went through 32 bits, rounded up."""
_DOUBT = 0.4
"""Not more than half, since scores over 1,000 items miss whole items of 500 half of the time.
MedHELM's scores on MedQA are multiples of 1/503, where its table says 1,000 instances."""
_BELOW_CHANCE_ERRORS = 4.0
CHANCE: Mapping[str, float] = {
    # Four options: arXiv:2009.13081 (the version that harness and HELM run), arXiv:2203.14371.
    **dict.fromkeys(("medqa", "med_qa", "medmcqa", "med_mcqa"), 1 / 4),
    # Four options: arXiv:2009.03300.
    **dict.fromkeys(("mmlu_anatomy", "mmlu_clinical_knowledge", "mmlu_college_biology"), 1 / 4),
    **dict.fromkeys(("mmlu_college_medicine", "mmlu_medical_genetics", "mmlu_medicine"), 1 / 4),
    "mmlu_professional_medicine": 1 / 4,
    # Yes, no, maybe: arXiv:1909.06146.
    **dict.fromkeys(("pubmedqa", "pubmed_qa"), 1 / 3),
    # huggingface.co/docs/leaderboards/open_llm_leaderboard/normalization. One question in six of
    # MMLU-Pro has fewer than ten options, so its real chance lies a little higher: one tenth is
    # the careful choice.
    "gpqa": 1 / 4,
    "mmlu_pro": 1 / 10,
    # 2, 5 and 3 options over 250, 256 and 250 questions.
    "musr": (250 / 2 + 256 / 5 + 250 / 3) / 756,
    # 1 over the options of each of the 24 tasks, weighted by their questions.
    "bbh": 0.288,
}
"""Expected score of guessing, by benchmark; a benchmark that is missing is not judged."""


_STAMP = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[ T_](\d\d)[:_-](\d\d)[:_-](\d\d)\.(?!000000)(\d{6})(?!\d)"
)
"""Date and time to the microsecond, as an evaluation harness writes it into a file's name."""
_MIN_SHARED = 3


Mark = tuple[int, int, str]
"""A flag before it has its names: run, benchmark (-1 for the whole run) and what was seen."""


@dataclass(frozen=True, eq=False)
class RunTable:
    """Runs by benchmarks. Every array has shape (n_runs, n_benchmarks)."""

    keys: tuple[tuple[str, str, str], ...]
    """Model, run and precision of each run."""
    benchmarks: tuple[Benchmark, ...]
    printed: FloatArray
    """Scores as they stand, infinite ones included."""
    share: FloatArray
    """Scores from 0 to 1 along the scale; ``nan`` outside it."""
    half_unit: FloatArray
    """Half a unit of the last decimal printed, along the same scale."""
    errors: FloatArray
    error_half_unit: FloatArray
    harness: BoolArray
    """Per run: whether it prints more digits than a person types."""
    counts: FloatArray
    """Per benchmark: number of items where the score is a count of them, else ``nan``."""
    items: FloatArray
    """Per benchmark: number of items where the score is an accuracy, else ``nan``."""
    urls: tuple[frozenset[str], ...]

    @property
    def width(self) -> FloatArray:
        """Width of each scale."""
        return np.array([b.scale_max - b.scale_min for b in self.benchmarks], dtype=float)


def run_table(frame: pd.DataFrame, benchmarks: Sequence[Benchmark]) -> RunTable:
    """Return the runs of a long table of scores, sorted by model, run and precision."""
    position = {benchmark.id: j for j, benchmark in enumerate(benchmarks)}
    rows = frame[frame["benchmark"].isin(list(position)) & frame["score"].notna()]
    key = rows[["model", "run", "precision"]].fillna("").astype("str")
    code = key.groupby(list(key.columns), sort=True).ngroup().to_numpy(dtype=np.intp)
    keys = sorted(set(key.itertuples(index=False, name=None)))
    column = rows["benchmark"].map(position).to_numpy(dtype=np.intp)
    blank = np.full((len(keys), len(benchmarks)), np.nan)

    def spread(values: FloatArray) -> FloatArray:
        grid = blank.copy()
        grid[code, column] = values
        return grid

    score = rows["score"].to_numpy(dtype=float)
    error = rows["standard_error"].to_numpy(dtype=float)
    decimals, error_decimals = spread(decimals_of(score)), spread(decimals_of(error))
    low = np.array([b.scale_min for b in benchmarks], dtype=float)
    width = np.array([b.scale_max - b.scale_min for b in benchmarks], dtype=float)
    printed = spread(score)
    with np.errstate(invalid="ignore"):
        share = (printed - low) / width
        share[~((share >= -ROUNDING) & (share <= 1 + ROUNDING))] = np.nan
        share = np.clip(share, 0, 1)
        digits = (decimals >= _TYPED_DECIMALS).sum(axis=1)
    urls: list[set[str]] = [set() for _ in keys]
    for run, url in zip(code, rows["source_url"].fillna(""), strict=True):
        urls[run].add(str(url))
    return RunTable(
        keys=tuple(keys),
        benchmarks=tuple(benchmarks),
        printed=printed,
        share=share,
        half_unit=0.5 * 10.0 ** -_restored(decimals) / width,
        errors=spread(error) / width,
        error_half_unit=0.5 * 10.0 ** -np.maximum(error_decimals, 3) / width,
        harness=2 * digits >= np.isfinite(decimals).sum(axis=1),
        counts=np.array([_n(b) if _is_count(b) else np.nan for b in benchmarks], dtype=float),
        items=np.array([_n(b) if b.is_accuracy else np.nan for b in benchmarks], dtype=float),
        urls=tuple(frozenset(found) for found in urls),
    )


def _n(benchmark: Benchmark) -> float:
    n_items = benchmark.n_items
    return np.nan if n_items is None or n_items < 2 else float(n_items)


def _is_count(benchmark: Benchmark) -> bool:
    words = f"{benchmark.metric} {benchmark.source}".casefold().replace(",", " ").split()
    averaged = any(word.startswith(("mean", "averag")) for word in words)
    return benchmark.is_accuracy and not averaged


def decimals_of(values: FloatArray) -> FloatArray:
    """Decimals of the shortest text that gives each number; ``nan`` for none."""
    found = np.full(len(values), np.nan)
    for i, value in enumerate(values.tolist()):
        if np.isfinite(value):
            mantissa, _, exponent = repr(value).partition("e")
            after = mantissa.partition(".")[2]
            found[i] = max(len(after) * (after != "0") - int(exponent or 0), 0)
    return found


def _restored(decimals: FloatArray) -> FloatArray:
    """Give back trailing zeros: where half a typed run prints d decimals, none prints fewer."""
    full = decimals.copy()
    for run in full:
        present = Counter(run[np.isfinite(run)].tolist())
        usual, times = max(present.items(), key=lambda item: (item[1], item[0]), default=(0.0, 0))
        if usual < _TYPED_DECIMALS and 2 * times >= present.total():
            run[run < usual] = usual
    return full


def with_more(names: Sequence[str]) -> str:
    """Return the first names in a row, and the number of those beyond ``N_NAMED``."""
    more = f" and {len(names) - N_NAMED} more" if len(names) > N_NAMED else ""
    return ", ".join(names[:N_NAMED]) + more


def places(grid: BoolArray) -> list[tuple[int, int]]:
    """Return run and benchmark of each true cell, by position."""
    return [(int(i), int(j)) for i, j in np.argwhere(grid)]


def as_printed(table: RunTable, i: int, j: int) -> str:
    """Return the score as printed, with the trailing zeros that a number loses."""
    score = float(table.printed[i, j])
    decimals = round(-np.log10(2 * table.half_unit[i, j] * table.width[j]))
    text = f"{score:.{min(max(decimals, 0), 5)}f}"
    return f"{text} of {table.width[j]:g}" if table.width[j] != 1 else text


def outside_scale(table: RunTable) -> list[Mark]:
    """Flag scores that lie outside the scale of their benchmark."""
    low = np.array([b.scale_min for b in table.benchmarks], dtype=float)
    high = low + table.width
    outside = ~np.isnan(table.printed) & np.isnan(table.share)
    return [
        (
            i,
            j,
            f"{table.benchmarks[j].name}: {table.printed[i, j]:g} lies outside the scale "
            f"from {low[j]:g} to {high[j]:g}.",
        )
        for i, j in places(outside)
    ]


def below_chance(table: RunTable) -> list[Mark]:
    """Flag scores that guessing would beat, measured in the standard errors of guessing."""
    _, doubt = no_whole_items(table)
    chance = np.array([CHANCE.get(b.id, np.nan) for b in table.benchmarks], dtype=float)
    guessing = np.sqrt(chance * (1 - chance) / np.where(doubt, np.nan, table.items))
    error = np.where(np.isfinite(guessing), guessing, table.errors)
    with np.errstate(invalid="ignore", divide="ignore"):
        below = (chance - table.share) / error
    return [
        (
            i,
            j,
            f"{table.benchmarks[j].name}: {as_printed(table, i, j)} is {below[i, j]:.1f} standard "
            f"errors below guessing ({chance[j] * table.width[j]:.3g}); the answers may not have "
            "been read as the model meant them.",
        )
        for i, j in places(below > _BELOW_CHANCE_ERRORS)
    ]


def no_whole_items(table: RunTable) -> tuple[BoolArray, BoolArray]:
    """Return which scores are no whole number of items, and which benchmarks are in doubt.

    A printed number stands for all that round to it, half a unit either way, and for all that
    were cut off to it, one unit up.
    """
    unit = np.maximum(2 * table.half_unit, _SINGLE_PRECISION)
    bottom = np.ceil((table.share - unit / 2) * table.counts - ROUNDING)
    missed = bottom > (table.share + unit) * table.counts + ROUNDING
    by_luck = np.clip(1 - 1.5 * unit * table.counts, 0, 1)
    by_luck[table.harness] = 1  # it prints all digits there are, so 0.83 is 0.83 exactly
    by_luck[~np.isfinite(table.share)] = np.nan
    expected = np.nansum(by_luck, axis=0)
    doubt = (missed.sum(axis=0) >= _DOUBT * expected) & (missed.sum(axis=0) > 0)
    return missed & ~doubt, doubt


def uneven(table: RunTable) -> list[Mark]:
    """Flag scores that are no whole number of items."""
    marks = []
    for i, j in places(no_whole_items(table)[0]):
        n = table.counts[j]
        items = table.share[i, j] * n
        # With enough decimals to see that it is not whole.
        texts = (f"{items:.{decimals}f}" for decimals in (1, 2, 3))
        shown = next((text for text in texts if float(text) % 1), f"{items:.4f}")
        detail = (
            f"{table.benchmarks[j].name}: {as_printed(table, i, j)} × {n:.0f} = {shown} items, "
            "which is no whole number even after rounding; the score may be typed by hand, "
            "averaged over runs, or measured on other questions."
        )
        marks.append((i, j, detail))
    return marks


def other_errors(table: RunTable) -> list[Mark]:
    """Flag standard errors that do not fit their scores."""
    n = np.where(no_whole_items(table)[1], np.nan, table.counts)
    low = np.clip(table.share - table.half_unit, 0, 1)
    high = np.clip(table.share + 2 * table.half_unit, 0, 1)
    with np.errstate(invalid="ignore"):
        ends = np.sqrt(np.stack([low * (1 - low), high * (1 - high)]) / (n - 1))
        top = np.where((low <= 0.5) & (high >= 0.5), np.sqrt(0.25 / (n - 1)), ends.max(axis=0))
        # Some tools divide by n, not n - 1: both fit.
        slack = table.error_half_unit
        bottom = ends.min(axis=0) * np.sqrt((n - 1) / n) * 0.999 - slack
        wrong = (table.errors < bottom) | (table.errors > top * 1.001 + slack)
        fitting = np.sqrt(table.share * (1 - table.share) / (n - 1)) * table.width
    judged = (np.isfinite(table.errors) & np.isfinite(top)).sum(axis=0)
    wrong &= wrong.sum(axis=0) < np.maximum(_DOUBT * judged, ROUNDING)
    given = table.errors * table.width
    return [
        (
            i,
            j,
            f"{table.benchmarks[j].name}: {as_printed(table, i, j)} on {n[j]:.0f} items has a "
            f"standard error of {fitting[i, j]:.3g}, but the run gives {given[i, j]:.3g}; it may "
            "have been copied, or belong to other questions.",
        )
        for i, j in places(wrong)
    ]


@dataclass(frozen=True, eq=False)
class Names:
    """Which names mean one model, ignoring case."""

    canonical: dict[str, str]

    @classmethod
    def of(cls, models: Mapping[str, Model]) -> Names:
        """Take the names from the aliases and mirrors of the catalogue."""
        known = {}
        for model in models.values():
            for alias in model.aliases:
                known[alias.casefold()] = model.id.casefold()
            if model.mirror_of:
                known[model.id.casefold()] = model.mirror_of.casefold()
        return cls(known)

    def one(self, name: str) -> str:
        """Return the name that stands for all that mean the same model."""
        plain = name.strip().strip("/").casefold()
        seen = {plain}
        while (following := self.canonical.get(plain)) is not None and following not in seen:
            plain = following
            seen.add(plain)
        return plain

    def agree(self, model: str, written: str) -> bool:
        """Say whether a name in a configuration can mean the model.

        A bare name or a path on a disk does not say whose model it is, so only its last part
        counts.
        """
        if self.one(model) == self.one(written):
            return True
        plain = written.strip().rstrip("/")
        if plain.count("/") == 1 and not plain.startswith(("/", ".", "~")):
            return False
        last = plain.rpartition("/")[2].casefold()
        same = {model.casefold(), self.one(model)}
        same |= {alias for alias in self.canonical if self.one(alias) == self.one(model)}
        return last in {name.rpartition("/")[2] for name in same}


def same_scores(table: RunTable, names: Names) -> list[Mark]:
    """Flag runs all of whose scores are those of a run of another model."""
    scores, present = table.printed, np.isfinite(table.printed)
    owners = [names.one(model) for model, _, _ in table.keys]
    marks = []
    for i, own in enumerate(scores):
        shared = present & present[i]
        n_shared = shared.sum(axis=1)
        twins = (n_shared >= _MIN_SHARED) & ~((scores != own) & shared).any(axis=1)
        foreign = [k for k in np.flatnonzero(twins).tolist() if owners[k] != owners[i]]
        others = list(dict.fromkeys(table.keys[k][0] for k in foreign))
        if others:
            n = n_shared[foreign].max()
            detail = (
                f"All {n} shared scores are the same as those of {with_more(others)}; one may be a "
                "copy of the other."
            )
            marks.append((i, -1, detail))
    return marks


def names_disagree(table: RunTable, facts: Iterable[ModelFact], names: Names) -> list[Mark]:
    """Flag runs whose own configuration names another model."""
    runs: dict[str, list[int]] = {}
    for i, (model, _, _) in enumerate(table.keys):
        runs.setdefault(model, []).append(i)
    marks: dict[int, Mark] = {}
    for fact in facts:
        if fact.field != "config_name" or not fact.value.strip():
            continue
        if names.agree(fact.model, fact.value):
            continue
        own = runs.get(fact.model, [])
        for i in [i for i in own if fact.source in table.urls[i]] or own:
            detail = (
                f"The results are filed under {fact.model}, but their configuration names "
                f"{fact.value.strip()[:100]}; it is open which model was measured."
            )
            marks.setdefault(i, (i, -1, detail))
    return list(marks.values())


def same_template(table: RunTable, names: Names, flagged: Collection[int]) -> list[Mark]:
    """Flag runs whose time stamp has the microseconds of another model's run.

    Whoever copies a file and changes date and scores by hand leaves it. The earliest run of such
    a group that prints what a harness prints and is not among those ``flagged`` by other rules,
    by position, may be the one that was copied, and has no flag. Two runs of one model are no
    hint. Among n runs two agree by chance in about n²/2,000,000 of all leaderboards.
    """
    groups: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for i, (_, run, _) in enumerate(table.keys):
        if found := _STAMP.search(run):
            *second, micro = found.groups()
            groups.setdefault(micro, []).append((tuple(second), i))
    marks = []
    for micro, stamped in groups.items():
        runs = [i for _, i in sorted(stamped)]
        owners = {i: names.one(table.keys[i][0]) for i in runs}
        if len(set(owners.values())) < 2:
            continue
        sound = next((i for i in runs if table.harness[i] and i not in flagged), None)
        original = owners[sound] if sound is not None else ""
        for i in (i for i in runs if owners[i] != original):
            others = list(dict.fromkeys(table.keys[k][0] for k in runs if owners[k] != owners[i]))
            detail = (
                f"The time in the file's name ends in .{micro}, to the microsecond as in the file "
                f"of {with_more(others)}; it was probably copied and filled in by hand."
            )
            marks.append((i, -1, detail))
    return marks


FROM_ELSEWHERE = "figures from elsewhere"
_MOST_DECIMALS = 4


def check(
    frame: pd.DataFrame,
    benchmarks: Sequence[Benchmark],
    models: Mapping[str, Model],
    facts: Iterable[ModelFact] = (),
    *,
    suite: str,
) -> tuple[Flag, ...]:
    """Flag the runs of one snapshot and protocol that do not look as plausible runs do.

    Parameters
    ----------
    frame
        One row per run and benchmark, with ``SCORE_COLUMNS``; unknown benchmarks are ignored.
    models
        By model id; a model that is missing is one of which nothing is known.
    facts
        ``config_name`` is the name in a run's own configuration; it counts for the run of the
        fact's source, else for all runs of the model. ``params_b`` and ``base_model`` fill what the
        catalogue leaves open.

    Returns
    -------
    tuple of Flag
        By model, run, rule (in the order of ``RULES``) and benchmark (in the order given).
    """
    facts = tuple(facts)
    table = run_table(frame, benchmarks)
    names = Names.of(models)
    guessed = np.isfinite(table.items) & np.array(
        [b.id in CHANCE and not b.lower_is_better for b in table.benchmarks], dtype=bool
    )
    found = {
        OUTSIDE_SCALE: outside_scale(table),
        NO_WHOLE_ITEMS: uneven(table),
        STANDARD_ERROR: other_errors(table),
        BELOW_CHANCE: below_chance(table),
        SAME_SCORES: same_scores(table, names),
        **hints(table, guessed & ~no_whole_items(table)[1], models, facts, names),
        NAMES_DISAGREE: names_disagree(table, facts, names),
        LONG_ANSWERS: long_answers(table, facts),
    }
    flagged = {i for marks in found.values() for i, _, _ in marks}
    found[SAME_TEMPLATE] = same_template(table, names, flagged)
    marked = [(i, rule, j, detail) for rule in RULES for i, j, detail in found.get(rule, ())]
    marked.sort(key=lambda mark: (*table.keys[mark[0]], RULES.index(mark[1]), mark[2]))
    return tuple(
        Flag(suite, *table.keys[i][:2], rule, "" if j < 0 else table.benchmarks[j].id, detail)
        for i, rule, j, detail in marked
    )


def long_answers(table: RunTable, facts: Iterable[ModelFact]) -> list[Mark]:
    """Flag runs whose answers on a scored benchmark are over 1,000 characters on average."""
    column = {f"{LENGTH}:{b.id}": j for j, b in enumerate(table.benchmarks) if b.scored}
    marks = []
    for fact in facts:
        length = as_number(fact.value)
        if fact.field not in column or length is None or length <= _LONGEST_ANSWER:
            continue
        j = column[fact.field]
        detail = (
            f"{table.benchmarks[j].name}: answers of {length:,.0f} characters on average where a "
            "short list is asked for, so the form of the answer counts in the score."
        )
        marks += [(i, j, detail) for i, key in enumerate(table.keys) if key[0] == fact.model]
    return marks


def provenance(
    frame: pd.DataFrame, other_protocols: Mapping[str, str], *, suite: str
) -> tuple[Provenance, ...]:
    """Label the runs of one snapshot and protocol that were not made as the others were.

    In the order of the table; rows without a score do not count. ``another protocol: …`` comes
    first, from ``other_protocols``, by model. ``FROM_ELSEWHERE`` is a run without any standard
    error whose scores all have at most four decimals, as printed tables do, in a table most of
    whose runs give their standard errors. Where most runs give none, their absence tells nothing.
    """
    scored = frame[frame["score"].notna()]
    runs = scored.assign(
        decimals=decimals_of(scored["score"].to_numpy(dtype=float)),
        has_error=scored["standard_error"].notna(),
    )
    found = runs.groupby("run", sort=False).agg(
        model=("model", "first"), decimals=("decimals", "max"), has_error=("has_error", "any")
    )
    usual = 2 * int(found["has_error"].sum()) > len(found)
    labelled = []
    for run, model, decimals, has_error in found.itertuples(name=None):
        if model in other_protocols:
            label = f"another protocol: {other_protocols[model]}"
        elif usual and not has_error and decimals <= _MOST_DECIMALS:
            label = FROM_ELSEWHERE
        else:
            continue
        labelled.append(Provenance(suite, str(model), str(run), label))
    return tuple(labelled)

"""Which runs of a snapshot do not look plausible, and labels of how runs were made.

A flag is a hint with the numbers that were seen; nothing is dropped or changed. Leaderboards mix
runs of an evaluation harness, which print every digit, with files typed by hand; a value that was
rounded or cut off is judged only as far as its printed decimals allow. A label says nothing
against the figures, only that they were not made as the rest of the suite was: such runs are
shown, and in no rank band and on no first place.

The rules, and when a number of items is in doubt, are those of docs/methods.md, "Plausibility of a
run".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
import scipy

from core.domain import Flag, Provenance
from core.evidence import tables

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from core.domain import Benchmark, FloatArray, Model, ModelFact

    BoolArray = NDArray[np.bool_]
    Mark = tuple[int, int, str]
    """A flag before it has its names: run, benchmark (-1 for the whole run) and what was seen."""

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
_CHANCE_FILE = Path(__file__).with_name("chance.csv")
CHANCE = {
    row.text("benchmark"): row.number_or_fail("chance")
    for row in tables.rows(_CHANCE_FILE, ("benchmark", "chance", "source"))
}
"""Expected score of guessing, by benchmark; a benchmark that is missing is not judged."""
_STAMP = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[ T_](\d\d)[:_-](\d\d)[:_-](\d\d)\.(?!000000)(\d{6})(?!\d)"
)
"""Date and time to the microsecond, as an evaluation harness writes it into a file's name."""
_MIN_SHARED = 3
N_NAMED = 3
_ALPHA = 0.01
"""Over all scores compared, as in doi 10.2196/72918."""
_FAR = 0.08
"""JSL-MedLlama-3-8B-v1.0 has 8 points more on MedQA than its base, no more than training on the
published practice questions may bring; only more than that is far."""
_MIN_HARNESS = 20
_MIN_BENCHMARKS = 4
_MIN_PEERS = 10
_REACH = 0.75
"""Robust standard deviations over the median: about three peers in four lie below."""
_SIZE_FACTOR = 1.5
_MAD_TO_SD = 1.4826
FROM_ELSEWHERE = "figures from elsewhere"
_MOST_DECIMALS = 4


@dataclass(frozen=True, eq=False)
class RunTable:
    """Runs by benchmarks. Every array has shape (n_runs, n_benchmarks)."""

    keys: tuple[tuple[str, str, str], ...]
    """Model, run and precision of each run."""
    benchmarks: tuple[Benchmark, ...]
    printed: FloatArray
    """Scores as they are, infinite ones included."""
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
    width: FloatArray
    """Per benchmark: from one end of its scale to the other."""
    urls: tuple[frozenset[str], ...]


def run_table(frame: pd.DataFrame, benchmarks: Sequence[Benchmark]) -> RunTable:
    """Return the runs of a long table of scores, sorted by model, run and precision."""
    ids, key = [b.id for b in benchmarks], ["model", "run", "precision"]
    rows = frame[frame["benchmark"].isin(ids) & frame["score"].notna()]
    rows = rows.assign(**{name: rows[name].fillna("").astype("str") for name in key})

    def spread(column: str) -> FloatArray:
        wide = rows.pivot(index=key, columns="benchmark", values=column)
        return wide.reindex(columns=ids).to_numpy(dtype=float)

    printed, errors = spread("score"), spread("standard_error")
    decimals = decimals_of(printed)
    urls = rows["source_url"].fillna("").groupby([rows[name] for name in key]).agg(frozenset)
    low = np.array([b.scale_min for b in benchmarks], dtype=float)
    width = np.array([b.scale_max - b.scale_min for b in benchmarks], dtype=float)
    with np.errstate(invalid="ignore"):
        share = (printed - low) / width
        share[~((share >= -ROUNDING) & (share <= 1 + ROUNDING))] = np.nan
        digits = (decimals >= _TYPED_DECIMALS).sum(axis=1)
    known = [np.nan if (n := b.n_items) is None or n < 2 else float(n) for b in benchmarks]
    is_accuracy = np.array([b.is_accuracy for b in benchmarks], dtype=bool)
    is_count = np.array([b.is_accuracy and not _is_averaged(b) for b in benchmarks], dtype=bool)
    return RunTable(
        keys=tuple(urls.index),
        benchmarks=tuple(benchmarks),
        printed=printed,
        share=np.clip(share, 0, 1),
        half_unit=0.5 * 10.0 ** -_restored(decimals) / width,
        errors=errors / width,
        error_half_unit=0.5 * 10.0 ** -np.maximum(decimals_of(errors), 3) / width,
        harness=2 * digits >= np.isfinite(decimals).sum(axis=1),
        counts=np.where(is_count, known, np.nan),
        items=np.where(is_accuracy, known, np.nan),
        width=width,
        urls=tuple(urls),
    )


def _is_averaged(benchmark: Benchmark) -> bool:
    words = f"{benchmark.metric} {benchmark.source}".casefold().replace(",", " ").split()
    return any(word.startswith(("mean", "averag")) for word in words)


def decimals_of(values: FloatArray) -> FloatArray:
    """Decimals of the shortest text that gives each number; ``nan`` for none."""
    found = np.full(values.shape, np.nan)
    for i, value in enumerate(values.ravel().tolist()):
        if np.isfinite(value):
            mantissa, _, exponent = repr(value).partition("e")
            after = mantissa.partition(".")[2]
            found.flat[i] = max(len(after) * (after != "0") - int(exponent or 0), 0)
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


def _places(grid: BoolArray) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in np.argwhere(grid)]


def _as_printed(table: RunTable, i: int, j: int) -> str:
    """Return a benchmark and its score with the trailing zeros that a number loses."""
    decimals = round(-np.log10(2 * table.half_unit[i, j] * table.width[j]))
    of = f" of {table.width[j]:g}" if table.width[j] != 1 else ""
    score = f"{table.printed[i, j]:.{min(max(decimals, 0), 5)}f}"
    return f"{table.benchmarks[j].name}: {score}{of}"


def _outside_scale(table: RunTable) -> Iterator[Mark]:
    for i, j in _places(~np.isnan(table.printed) & np.isnan(table.share)):
        b = table.benchmarks[j]
        yield (
            *(i, j),
            f"{b.name}: {table.printed[i, j]:g} lies outside the scale from {b.scale_min:g} to "
            f"{b.scale_max:g}.",
        )


def below_chance(table: RunTable) -> Iterator[Mark]:
    """Flag scores that guessing would beat, measured in the standard errors of guessing."""
    _, doubt = no_whole_items(table)
    chance = np.array([CHANCE.get(b.id, np.nan) for b in table.benchmarks], dtype=float)
    guessing = np.sqrt(chance * (1 - chance) / np.where(doubt, np.nan, table.items))
    error = np.where(np.isfinite(guessing), guessing, table.errors)
    with np.errstate(invalid="ignore", divide="ignore"):
        below = (chance - table.share) / error
    for i, j in _places(below > _BELOW_CHANCE_ERRORS):
        yield (
            *(i, j),
            f"{_as_printed(table, i, j)} is {below[i, j]:.1f} standard errors below guessing "
            f"({chance[j] * table.width[j]:.3g}); the answers may not have been read as the model "
            "meant them.",
        )


def no_whole_items(table: RunTable) -> tuple[BoolArray, BoolArray]:
    """Return which scores are not a whole number of items, and which benchmarks are in doubt.

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


def _uneven(table: RunTable) -> Iterator[Mark]:
    for i, j in _places(no_whole_items(table)[0]):
        n = table.counts[j]
        items = table.share[i, j] * n
        # With enough decimals to see that it is not whole.
        texts = (f"{items:.{decimals}f}" for decimals in (1, 2, 3))
        shown = next((text for text in texts if float(text) % 1), f"{items:.4f}")
        yield (
            *(i, j),
            f"{_as_printed(table, i, j)} × {n:.0f} = {shown} items, which is not a whole number "
            "even after rounding; the score may be typed by hand, averaged over runs, or measured "
            "on other questions.",
        )


def _other_errors(table: RunTable) -> Iterator[Mark]:
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
    for i, j in _places(wrong):
        yield (
            *(i, j),
            f"{_as_printed(table, i, j)} on {n[j]:.0f} items has a standard error of "
            f"{fitting[i, j]:.3g}, but the run gives {table.errors[i, j] * table.width[j]:.3g}; it "
            "may have been copied, or belong to other questions.",
        )


class ModelNames:
    """Which names mean one model, ignoring case: by the aliases and mirrors of the catalogue."""

    def __init__(self, models: Mapping[str, Model]) -> None:
        self._canonical: dict[str, str] = {}
        for model in models.values():
            own = model.id.casefold()
            self._canonical |= dict.fromkeys(map(str.casefold, model.aliases), own)
            if model.mirror_of:
                self._canonical[own] = model.mirror_of.casefold()

    def one(self, name: str) -> str:
        """Return the name that stands for all that mean the same model."""
        plain = name.strip().strip("/").casefold()
        seen = {plain}
        while (following := self._canonical.get(plain)) is not None and following not in seen:
            plain = following
            seen.add(plain)
        return plain

    def agree(self, model: str, written: str) -> bool:
        """Say whether a name in a configuration can mean the model.

        A bare name or a path on a disk does not say whose model it is, so only its last part
        counts.
        """
        own, plain = self.one(model), written.strip().rstrip("/")
        if own == self.one(written):
            return True
        if plain.count("/") == 1 and not plain.startswith(("/", ".", "~")):
            return False
        same = {model.casefold(), own}
        same |= {alias for alias in self._canonical if self.one(alias) == own}
        return plain.rpartition("/")[2].casefold() in {name.rpartition("/")[2] for name in same}


def _of_others(table: RunTable, runs: Iterable[int]) -> str:
    """Return the first models of some runs, and the number of those beyond ``N_NAMED``."""
    names = list(dict.fromkeys(table.keys[k][0] for k in runs))
    more = f" and {len(names) - N_NAMED} more" if len(names) > N_NAMED else ""
    return ", ".join(names[:N_NAMED]) + more


def _same_scores(table: RunTable, names: ModelNames) -> Iterator[Mark]:
    scores, present = table.printed, np.isfinite(table.printed)
    owners = [names.one(model) for model, _, _ in table.keys]
    for i, own in enumerate(scores):
        shared = present & present[i]
        n_shared = shared.sum(axis=1)
        twins = (n_shared >= _MIN_SHARED) & ~((scores != own) & shared).any(axis=1)
        foreign = [k for k in np.flatnonzero(twins).tolist() if owners[k] != owners[i]]
        if foreign:
            yield (
                *(i, -1),
                f"All {n_shared[foreign].max()} shared scores are the same as those of "
                f"{_of_others(table, foreign)}; one may be a copy of the other.",
            )


def names_disagree(
    table: RunTable, facts: Iterable[ModelFact], names: ModelNames
) -> Iterator[Mark]:
    """Flag runs whose own configuration names another model, once a run."""
    marked: set[int] = set()
    for fact in facts:
        written = fact.value.strip()
        if fact.field != "config_name" or not written or names.agree(fact.model, written):
            continue
        own = [i for i, (model, _, _) in enumerate(table.keys) if model == fact.model]
        for i in [i for i in own if fact.source in table.urls[i]] or own:
            if i not in marked:
                marked.add(i)
                yield (
                    *(i, -1),
                    f"The results are filed under {fact.model}, but their configuration names "
                    f"{written[:100]}; it is open which model was measured.",
                )


def long_answers(table: RunTable, facts: Iterable[ModelFact]) -> Iterator[Mark]:
    """Flag runs whose answers on a scored benchmark are over 1,000 characters on average."""
    column = {f"{LENGTH}:{b.id}": j for j, b in enumerate(table.benchmarks) if b.scored}
    for fact in facts:
        length = tables.as_number(fact.value)
        if fact.field not in column or length is None or length <= _LONGEST_ANSWER:
            continue
        j = column[fact.field]
        detail = (
            f"{table.benchmarks[j].name}: answers of {length:,.0f} characters on average where a "
            "short list is asked for, so the form of the answer affects the score."
        )
        yield from ((i, j, detail) for i, key in enumerate(table.keys) if key[0] == fact.model)


def same_template(table: RunTable, names: ModelNames, flagged: Collection[int]) -> Iterator[Mark]:
    """Flag runs whose time stamp has the microseconds of another model's run.

    Whoever copies a file and changes date and scores by hand leaves it. The earliest run of such
    a group that prints what a harness prints and is not among those ``flagged`` by other rules,
    by position, may be the one that was copied, and has no flag. Two runs of one model are no
    hint. Among n runs two agree by chance in about n²/2,000,000 of all leaderboards.
    """
    groups: dict[str, list[tuple[list[str], int]]] = {}
    for i, (_, run, _) in enumerate(table.keys):
        if found := _STAMP.search(run):
            *second, micro = found.groups()
            groups.setdefault(micro, []).append((second, i))
    for micro, stamped in groups.items():
        owners = {i: names.one(table.keys[i][0]) for _, i in sorted(stamped)}
        if len(set(owners.values())) < 2:
            continue
        sound = next((i for i in owners if table.harness[i] and i not in flagged), None)
        for i, own in owners.items():
            if sound is None or own != owners[sound]:
                others = _of_others(table, (k for k, other in owners.items() if other != own))
                yield (
                    *(i, -1),
                    f"The time in the file's name ends in .{micro}, to the microsecond as in the "
                    f"file of {others}; it was probably copied and filled in by hand.",
                )


def flag_runs(
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
        By model id; nothing is known about a model that is missing.
    facts
        ``config_name`` is the name in a run's own configuration; it counts for the run of the
        fact's source, else for all runs of the model. ``params_b`` and ``base_model`` fill what the
        catalogue leaves open.

    Returns
    -------
    tuple of Flag
        By model, run, rule (in the order of the table within) and benchmark (in the order given).
    """
    facts = tuple(facts)
    table = run_table(frame, benchmarks)
    names = ModelNames(models)
    template = "file made from that of another model"
    found: dict[str, list[Mark]] = {
        "score outside its scale": list(_outside_scale(table)),
        "score is not a whole number of items": list(_uneven(table)),
        "standard error does not fit": list(_other_errors(table)),
        "below chance": list(below_chance(table)),
        "same scores as another model": list(_same_scores(table, names)),
        template: [],
        **far_above(table, models, facts, names),
        "names disagree": list(names_disagree(table, facts, names)),
        "answers far longer than the task asks": list(long_answers(table, facts)),
    }
    flagged = {i for marks in found.values() for i, _, _ in marks}
    found[template] = list(same_template(table, names, flagged))
    rules = list(found)
    marked = [(i, rule, j, detail) for rule in rules for i, j, detail in found[rule]]
    marked.sort(key=lambda mark: (*table.keys[mark[0]], rules.index(mark[1]), mark[2]))
    return tuple(
        Flag(suite, *table.keys[i][:2], rule, "" if j < 0 else table.benchmarks[j].id, detail)
        for i, rule, j, detail in marked
    )


class _Start(NamedTuple):
    """Where runs stood before, as log-odds, with the bar that follows from it."""

    rule: str
    level: FloatArray
    bar: FloatArray
    error: FloatArray
    words: list[str]


def far_above(
    table: RunTable, models: Mapping[str, Model], facts: Sequence[ModelFact], names: ModelNames
) -> dict[str, list[Mark]]:
    """Flag runs far above what base model, size and own other scores let expect, by rule.

    A hint that questions were seen in training, judged on benchmarks whose guessing is known.
    """
    guessed = np.array([b.id in CHANCE and not b.lower_is_better for b in table.benchmarks], bool)
    columns = np.flatnonzero(np.isfinite(table.items) & guessed & ~no_whole_items(table)[1])
    if len(columns) < _MIN_BENCHMARKS:
        return {}
    share, n = table.share[:, columns], table.items[columns]
    edge = 0.5 / n  # a full score still has finite log-odds
    held = np.clip(share, edge, 1 - edge)
    odds: FloatArray = scipy.special.logit(held)
    sound = table.harness & np.isfinite(share).all(axis=1)
    whole = np.flatnonzero(sound)
    again = pd.Series([table.keys[i][0] for i in whole], dtype="str").duplicated().to_numpy()
    sound[whole[again]] = False  # one run for each model
    if sound.sum() < _MIN_HARNESS:
        return {}
    slope = slopes(odds[sound])
    typical = np.median(share[sound], axis=0)
    sizes, bases = _sizes_and_bases(table, models, facts)
    starts = (
        _start_from_base(table, bases, share, n, names),
        _start_from_size(table, sizes, odds, sound),
    )
    expected = [expected_scores(odds, held, n, slope, start) for start in starts]
    own_error = np.sqrt(held * (1 - held) / (n - 1))
    steps = [(share - bar) / np.hypot(own_error, error) for bar, error, _ in expected]
    limit = -scipy.special.ndtri(_ALPHA / max(sum(int(np.isfinite(z).sum()) for z in steps), 1))
    marks: dict[str, list[Mark]] = {}
    marked: set[int] = set()
    for start, (bar, _, anchors), z in zip(starts, expected, steps, strict=True):
        with np.errstate(invalid="ignore"):
            hit = (z > limit) & (share - bar >= _FAR) & (share > typical)
        for i in [i for i in np.flatnonzero(hit.any(axis=1)).tolist() if i not in marked]:
            marked.add(i)
            seen = [
                f"{table.benchmarks[columns[j]].name} {share[i, j]:.3f} (at most {bar[i, j]:.3f} "
                f"expected, {z[i, j]:.1f} standard errors)"
                for j in sorted(np.flatnonzero(hit[i]).tolist(), key=lambda j: (-z[i, j], j))
            ]
            more = [f"{len(seen) - N_NAMED} more"] if len(seen) > N_NAMED else []
            others = ", ".join(
                f"{table.benchmarks[columns[j]].name} {share[i, j]:.3f}"
                for j in np.flatnonzero(anchors[i] & ~hit[i])
            )
            own = f" and its own scores on other benchmarks ({others})" if others else ""
            detail = (
                f"{', '.join(seen[:N_NAMED] + more)}: more than {start.words[i]}{own} would "
                "suggest; a hint, no proof, that these questions were seen in training."
            )
            marks.setdefault(start.rule, []).append((i, -1, detail))
    return marks


def _start_from_base(
    table: RunTable, bases: Sequence[str], share: FloatArray, n: FloatArray, names: ModelNames
) -> _Start:
    """Start each run from the mean of its base model's harness runs."""
    owners = np.array([names.one(model) for model, _, _ in table.keys], dtype=object)
    means = pd.DataFrame(share[table.harness]).groupby(owners[table.harness]).mean()
    others = [
        own if base and (own := names.one(base)) != owner else None
        for base, owner in zip(bases, owners, strict=True)
    ]
    level = np.clip(means.reindex(others).to_numpy(), 0.5 / n, 1 - 0.5 / n)
    error = np.sqrt(level * (1 - level) / (n - 1))
    rule, words = "far above its base model on some benchmarks", "its base model {}"
    return _Start(
        rule, scipy.special.logit(level), level, error, [words.format(base) for base in bases]
    )


def _start_from_size(
    table: RunTable, sizes: FloatArray, odds: FloatArray, sound: BoolArray
) -> _Start:
    """Start each run from the median of harness runs of its size, one for each model."""
    level, bar = np.full(odds.shape, np.nan), np.full(odds.shape, np.nan)
    words = [""] * len(odds)
    for size in np.unique(sizes):  # 0 where it is not known
        own, peers = sizes == size, sound
        if size:
            peers = sound & (sizes >= size / _SIZE_FACTOR) & (sizes <= size * _SIZE_FACTOR)
            kind = f"harness runs of about its size ({size:.3g} billion parameters,"
        else:
            own &= table.harness
            kind = "harness runs of any size (its own is not known,"
        n_peers = int(peers.sum())
        if n_peers < _MIN_PEERS or not own.any():
            continue
        middle = np.median(odds[peers], axis=0)
        spread = _MAD_TO_SD * np.median(np.abs(odds[peers] - middle), axis=0)
        level[own], bar[own] = middle, scipy.special.expit(middle + _REACH * spread)
        for i in np.flatnonzero(own):
            words[i] = f"{kind} {n_peers} models)"
    rule = "far above runs of its size on some benchmarks"
    return _Start(rule, level, bar, np.zeros(odds.shape), words)


def _sizes_and_bases(
    table: RunTable, models: Mapping[str, Model], facts: Sequence[ModelFact]
) -> tuple[FloatArray, list[str]]:
    """Return size in billions and base model of each run; 0 and nothing where unknown."""
    said = {(fact.model, fact.field): fact.value for fact in reversed(facts)}
    sizes, bases = [], []
    for name, _, _ in table.keys:
        model = models.get(name)
        stated = tables.as_number(said.get((name, "params_b")))
        sizes.append(max((model and model.params_b) or stated or 0.0, 0.0))
        bases.append((model and model.base_model) or said.get((name, "base_model"), ""))
    return np.array(sizes, dtype=float), bases


def slopes(odds: FloatArray) -> FloatArray:
    """How far each benchmark's log-odds rise per step of what all benchmarks have in common.

    The common factor is the median of the standardised log-odds; each line runs through the
    medians of its lower and upper third, so that a few odd runs do not bend it.
    """
    middle = np.median(odds, axis=0)
    slope = np.maximum(_MAD_TO_SD * np.median(np.abs(odds - middle), axis=0), 0.05)
    third = len(odds) // 3
    for _ in range(10):
        ability = np.median((odds - middle) / slope, axis=1)
        order = np.argsort(ability, kind="stable")
        low, high = order[:third], order[-third:]
        run = np.median(ability[high]) - np.median(ability[low])
        if run <= 0:
            break
        rise = np.median(odds[high], axis=0) - np.median(odds[low], axis=0)
        slope = np.maximum(rise / run, 0.05)
        middle = np.median(odds - np.outer(ability, slope), axis=0)
    return slope


def expected_scores(
    odds: FloatArray, held: FloatArray, n: FloatArray, slope: FloatArray, start: _Start
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return what each run may reach without a hint, its error, and what that follows from.

    The third of a run's benchmarks that gained least says what it gained in general.
    """
    known = np.isfinite(odds) & np.isfinite(start.level)
    gain = np.where(known, (odds - start.level) / slope, np.inf)
    rank = np.argsort(np.argsort(gain, axis=1, kind="stable"), axis=1, kind="stable")
    n_known = known.sum(axis=1)
    n_anchors = np.maximum(2, np.ceil(n_known / 3)).astype(int)
    anchors = known & (rank < n_anchors[:, None]) & (n_known >= _MIN_BENCHMARKS)[:, None]
    weight = np.where(anchors, slope**2 * n * held * (1 - held), 0.0)
    total = weight.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        general = np.where(anchors, gain * weight, 0.0).sum(axis=1, keepdims=True) / total
        doubtful = 1 / np.sqrt(total)
    expected: FloatArray = scipy.special.expit(start.level + slope * np.maximum(general, 0))
    error = np.hypot(expected * (1 - expected) * slope * doubtful, start.error)
    return np.maximum(expected, start.bar), error, anchors


def labels_of_runs(
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

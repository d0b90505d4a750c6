"""What is collected from files: scores of benchmarks, and scores of items without a word of them.

A benchmark's score is on its own scale and each is checked; an item's is 0 to 1, under ids that
cannot hold a text.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field
from math import inf, isnan, nan
from typing import TYPE_CHECKING

from core.domain import BadDataError, BadRequestError, ModelFact, ScoreTable
from core.evidence.score_tables import score_table
from core.evidence.tables import as_number
from core.figures import squeezed
from core.results.files import GAPS, counted_were, no_codes, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from core.domain import Benchmark
    from core.evidence.catalogue import Catalogue
    from core.results.files import Step, Upload

_ALMOST = 1e-9
"""Rounding beyond the end of a scale, as a share of its width."""
MOST_MODELS, MOST_SCORES = 500, 50_000
"""So much a file of own results may hold, and a session in all: what is computed from it takes
longer by the square of the models, and others wait meanwhile."""
_MOST = f"{MOST_MODELS} models and {MOST_SCORES:,} scores: leave out what you do not compare"
MOST_ROWS = 300_000
"""Scores of items of all files together, one for each attempt of a model at an item."""
_MOST_ID = 120
_MOST_AMOUNT = 1e12
_NOTHING = (nan, nan, nan)
_Number, _Id = int | float, str | int | float
SETTINGS = (
    *("temperature", "top_p", "top_k", "max_tokens", "seed", "frequency_penalty"),
    *("presence_penalty", "num_choices", "num_outputs", "max_train_instances", "epochs"),
)
"""The numbers that are taken from what a tool records of a run."""
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_VERSION = re.compile(r"\d[\w.+-]{0,40}", re.ASCII)
RESULT_COLUMNS = ("model", "item", "attempt", "rater", "score", "tokens", "seconds", "cost")
_Key = tuple[str, str, str, str, int]


@dataclass(frozen=True)
class Imported:
    """What an upload holds: its scores, the format it came in, and what was skipped."""

    table: ScoreTable
    format: str
    """"HELM groups", "lm-evaluation-harness" or "CSV template"."""
    notes: tuple[str, ...]
    """Sentences for the reader: what was skipped or changed, and why."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one model, before its id is made. ``label`` tells the runs of a file apart."""

    model: str
    label: str
    run_at: str = ""
    precision: str = ""
    protocol: str = ""
    model_revision: str = ""


def check_own_size(tables: Sequence[ScoreTable]) -> None:
    """Refuse with ``BadRequestError`` more own results than one session may hold."""
    n_models = len({(t.suite, model) for t in tables for model in t.frame["model"].unique()})
    n_scores = sum(len(table.frame) for table in tables)
    if n_models > MOST_MODELS or n_scores > MOST_SCORES:
        raise BadRequestError(
            f"With these a session would hold {n_models:,} models and {n_scores:,} scores of its "
            f"own, and it may hold {MOST_MODELS} and {MOST_SCORES:,}: remove others first."
        )


class Collected:
    """The scores of one upload in one suite."""

    def __init__(self, upload: Upload, catalogue: Catalogue, suite: str) -> None:
        self.upload = upload
        self.suite = known_suite(catalogue, suite)
        self.suite_name = catalogue.suites[suite].name
        self.notes: list[str] = []
        self.facts: list[ModelFact] = []
        self._usual = next(iter(catalogue.suites[suite].protocols), "")
        self._records: list[dict[str, str | float | None]] = []
        self._seen: dict[tuple[str, str], dict[str, float]] = {}
        self._models: set[str] = set()

    def known_score(self, run: Run, benchmark: Benchmark) -> float | None:
        """Return the score that this run already has on a benchmark."""
        return self._seen.get((run.label, run.protocol), {}).get(benchmark.id)

    def add(
        self,
        run: Run,
        benchmark: Benchmark,
        score: float,
        standard_error: float | None,
        place: str | tuple[Step, ...],
    ) -> None:
        """Take one score that keeps to the benchmark's scale and is the run's only one on it."""
        low, high = benchmark.scale_min, benchmark.scale_max
        width = high - low
        if not low - _ALMOST * width <= score <= high + _ALMOST * width:
            is_percent = low == 0 and high == 1 and 1 < score <= 100
            raise self.upload.fault(
                f"the score {score:.6g} of {quoted(run.model)} on {benchmark.name} is outside its "
                f"scale of {low:g} to {high:g}{'; divide a percentage by 100' * is_percent}",
                place,
            )
        if standard_error is not None and not 0 <= standard_error <= width:
            raise self.upload.fault(
                f"the standard error {standard_error:.6g} of {quoted(run.model)} on "
                f"{benchmark.name} cannot be right on a scale of {low:g} to {high:g}",
                place,
            )
        seen = self._seen.setdefault((run.label, run.protocol), {})
        if benchmark.id in seen:
            raise self.upload.fault(
                f"{quoted(run.label)} has a second score on {benchmark.name}", place
            )
        seen[benchmark.id] = score
        self._models.add(run.model)
        if len(self._records) >= MOST_SCORES or len(self._models) > MOST_MODELS:
            raise self.upload.fault(f"it holds more than own results may, which is {_MOST}")
        self._records.append(
            {
                "model": run.model,
                "run": f"local:{run.label}@{self.upload.digest}",
                "run_at": run.run_at,
                "precision": run.precision,
                "protocol": run.protocol or self._usual,
                "model_revision": run.model_revision,
                "benchmark": benchmark.id,
                "score": min(max(score, low), high),
                "standard_error": standard_error,
            }
        )

    def imported(self, form: str) -> Imported:
        """Return what was collected; the fault of a file without a score holds the first note."""
        if not self._records:
            why = f"; {self.notes[0][:400].rstrip('.')}" if self.notes else ""
            raise self.upload.fault(f"it holds no score on a benchmark of {self.suite_name}{why}")
        if self._usual and any(record["protocol"] == self._usual for record in self._records):
            self.notes.append(
                f"Scores without a protocol are taken as {self._usual}, the default of "
                f"{self.suite_name}."
            )
        table = score_table(self.suite, self._records, self.facts)
        return Imported(table, form, tuple(self.notes))


class BenchmarkNames:
    """The benchmarks of one suite by every name that files give them."""

    def __init__(self, benchmarks: tuple[Benchmark, ...], also: Mapping[str, str]) -> None:
        by_id = {benchmark.id: benchmark for benchmark in benchmarks}
        self._found = {normal(benchmark.name): benchmark for benchmark in reversed(benchmarks)}
        self._found |= {normal(name): by_id[key] for name, key in also.items() if key in by_id}
        self._found |= {normal(benchmark.id): benchmark for benchmark in benchmarks}

    def find(self, name: object) -> Benchmark | None:
        """Return the benchmark of that id, name or other spelling, whatever the punctuation."""
        return self._found.get(normal(name)) if isinstance(name, str) else None


def normal(text: str) -> str:
    """Return letters and digits alone, in lower case, of at most 200 characters."""
    return squeezed(text[:200])


def known_suite(catalogue: Catalogue, suite: str) -> str:
    """Return the suite, or fail where the catalogue has none of that id."""
    if suite not in catalogue.suites:
        known = ", ".join(catalogue.suites)
        raise BadRequestError(f"There is no suite {quoted(suite)}; there are {known}.")
    return suite


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """Scores of items, read from one file or several.

    No text of an input, an answer, an explanation or a message is held, neither here nor on the
    way here.
    """

    format: str
    """In words, such as "Inspect log"."""
    frame: pd.DataFrame
    """``RESULT_COLUMNS``, sorted by model, item, rater and attempt.

    ``model`` and ``item`` are ids; ``attempt`` counts from 1; ``rater`` is empty where no person
    rated; ``score`` is 0 to 1, below 0 where a rubric takes points away, and never missing;
    ``tokens`` (read and written together), ``seconds`` and ``cost`` (US dollars) are NaN where not
    recorded.
    """
    settings: tuple[tuple[str, str, str], ...] = ()
    """(model, name, value) of each setting that the tool recorded, such as the temperature."""
    patients: Mapping[str, str] = field(default_factory=dict)
    """The hash of the patient that an item is of, where the files name one."""
    planned: int | None = None
    """Cases of the package, by the key of its rating sheets; ``None`` without a key."""
    passed_over: tuple[str, ...] = ()
    """A sentence on each kind of row or file that was not used, with how many and where."""
    case_sets: tuple[str, ...] = ()
    """Ids of the open case sets that the logs name."""
    judges: tuple[str, ...] = ()
    """Names of the models that judged the answers, where the logs name them."""


@dataclass(slots=True)
class ResultRows:
    """What one file, or one run folder, gave."""

    upload: Upload
    format: str
    found: dict[_Key, tuple[float, float, float, float]] = field(default_factory=dict)
    """(score, tokens, seconds, cost) by model, task, item, rater and attempt."""
    settings: dict[tuple[str, str], str] = field(default_factory=dict)
    patients: dict[str, str] = field(default_factory=dict)
    """The hash of the patient of an item."""
    notes: list[str] = field(default_factory=list)
    passed_over: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How many were, by what they are and why."""
    case_set: str = ""
    judge: str = ""
    _hashed: set[str] = field(default_factory=set)
    _named: dict[object, str] = field(default_factory=dict)

    def add(
        self,
        place: str,
        model: str,
        item: object,
        score: float | None,
        *,
        task: str = "",
        rater: str = "",
        attempt: int = 1,
        tokens: object = None,
        seconds: object = None,
        cost: object = None,
        lowest: float = 0.0,
    ) -> None:
        """Take one score of ``lowest`` to 1; ``None`` is counted as a row without one.

        A model has an item, a rater and an attempt once in a file.
        """
        own = self.id_of(item, place)
        if score is None:
            self.passed_over["row", ": no score"] += 1
            return
        if not lowest <= score <= 1:
            what = f"the score {score:.6g} is outside {lowest:g} to 1"
            raise self.upload.fault(what, place)
        key = (model, task, own, rater, attempt)
        if key in self.found:
            raise self.upload.fault(f"{quoted(model)} has this item twice", place)
        if len(self.found) >= MOST_ROWS:
            raise self.upload.fault(f"it has more than {MOST_ROWS:,} scores", place)
        is_bare = tokens is seconds is cost is None
        more = (
            _NOTHING
            if is_bare
            else (number_or_nan(tokens), number_or_nan(seconds), number_or_nan(cost))
        )
        self.found[key] = (score, *more)

    def id_of(self, value: object, place: str) -> str:
        """Return what an item or a rater is known by; a long one becomes a hash of it."""
        if isinstance(value, bool) or not isinstance(value, _Id):
            raise self.upload.fault("its id is missing, or neither a text nor a number", place)
        text = str(value).strip()
        if not text:
            raise self.upload.fault("its id is missing", place)
        if len(text) <= _MOST_ID and text.isprintable():
            return text
        self._hashed.add(known := hashed(text))
        return known

    def patient(self, item: object, value: str, place: str) -> None:
        """Keep whose item it is, as a hash whatever was written: nobody needs to read it."""
        if value.casefold() in GAPS:
            return
        known = hashed(value)
        if self.patients.setdefault(self.id_of(item, place), known) != known:
            raise self.upload.fault("the case is of another patient elsewhere in the file", place)

    def attempt_of(self, value: object, place: str) -> int:
        """Return the number of an attempt; 1 where the file does not say."""
        number = 1.0 if value is None else as_number(value)
        if number is None or not 1 <= number <= 1e6 or number % 1:
            raise self.upload.fault("its attempt is not a whole number from 1", place)
        return int(number)

    def model_of(self, value: object, place: str) -> str:
        """Return the name of a model, which every format must give."""
        known = self._named.get(value) if isinstance(value, str) else None
        if known is None:
            known = self.upload.label(value, "model's name", place)
            self._named[value] = known
            if len(self._named) > MOST_MODELS:
                raise self.upload.fault(f"it has more than {MOST_MODELS} models", place)
        return known

    def set(self, model: str, recorded: object, tool: str = "", version: object = None) -> None:
        """Keep the settings that are numbers, a known word or a version, and no other."""
        given = recorded if isinstance(recorded, dict) else {}
        for name in SETTINGS:
            number = as_number(given.get(name)) if not isinstance(given.get(name), str) else None
            if number is not None:
                self.settings[model, name] = f"{number:.12g}"
        effort = given.get("reasoning_effort")
        if isinstance(effort, str) and effort in _EFFORTS:
            self.settings[model, "reasoning_effort"] = effort
        if tool and isinstance(version, str) and _VERSION.fullmatch(version):
            self.settings[model, "tool"] = f"{tool} {version}"

    def said(self) -> list[str]:
        """Return a sentence on each kind of row that was not used or changed."""
        over = self.passed_over.items()
        notes = [
            *self.notes,
            *(f"{counted_were(n, what)} skipped{why}." for (what, why), n in over),
        ]
        if self._hashed:
            notes.append(
                f"{counted_were(len(self._hashed), 'id')} replaced by a hash, longer than "
                f"{_MOST_ID} characters or with characters that cannot be shown."
            )
        if not self.case_set:  # Ids of open cases are nobody's.
            notes.append(no_codes({key[2] for key in self.found} - self._hashed))
        return [f"{self.upload.name}: {note}" for note in notes if note]


def number_or_nan(value: object) -> float:
    """Return a number of tokens, seconds or dollars; ``nan`` for what is none."""
    if value is None or isinstance(value, str):
        return nan
    number = as_number(value)
    return number if number is not None and 0 <= number <= _MOST_AMOUNT else nan


def score_of(value: object) -> float | None:
    """Return a score from a number, or from a yes or no; ``None`` for all else, and for NaN."""
    if not isinstance(value, _Number):
        return None
    if abs(value) < _MOST_AMOUNT:
        return float(value)
    return None if isinstance(value, float) and isnan(value) else inf


def short_id(value: object) -> str:
    """Return what a task is known by: as it is, or a hash of a long or unprintable text."""
    if not isinstance(value, str):
        return ""
    text = value.strip()
    return text if len(text) <= _MOST_ID and text.isprintable() else hashed(text)


def hashed(text: str) -> str:
    """Return the first 48 bits of the SHA-256 of a text, after a character that marks a hash."""
    return "#" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def joined(parts: Sequence[ResultRows], notes: Sequence[str] = ()) -> Results:
    """Return the rows of all files, where two have the same those of the first.

    Where the files of one format are of several tasks, items carry their task before their name:
    tasks number their items alike.
    """
    import pandas as pd  # noqa: PLC0415 - a third of a second to import

    said = [*notes, *(note for rows in parts for note in rows.said())]
    tasks: dict[str, set[str]] = {}
    taken: dict[_Key, int] = {}
    doubled: Counter[tuple[int, int, str]] = Counter()
    for n, rows in enumerate(parts):
        tasks.setdefault(rows.format, set()).update([key[1] for key in rows.found])
        for key in rows.found:
            if (first := taken.setdefault(key, n)) != n:
                doubled[first, n, key[0]] += 1
    if not taken:
        why = f" {said[0]}" if said else ""
        raise BadDataError(f"There is no score of an item in what was given.{why}")
    if len(taken) > MOST_ROWS:
        raise BadDataError(f"The files have more than {MOST_ROWS:,} scores together.")
    for (first, n, model), count in doubled.items():
        of = "1 score" if count == 1 else f"{count:,} scores"
        said.append(
            f"{of} of {quoted(model)} came in {parts[first].upload.name} and again in "
            f"{parts[n].upload.name}: the first counts."
        )
    several = {name for name, found in tasks.items() if len(found) > 1}
    if several:
        said.append("Files are of several tasks: each item is named with its task before it.")
    data: list[tuple[object, ...]] = []
    for key, n in taken.items():
        model, task, item, rater, attempt = key
        named = f"{task}/{item}" if task and parts[n].format in several else item
        data.append((model, named, attempt, rater, *parts[n].found[key]))
    frame = pd.DataFrame(data, columns=list(RESULT_COLUMNS))
    frame = frame.sort_values(["model", "item", "rater", "attempt"], ignore_index=True)
    settings = {key: value for rows in reversed(parts) for key, value in rows.settings.items()}
    patients = {item: who for rows in reversed(parts) for item, who in rows.patients.items()}
    return Results(
        patients=patients,
        format=" and ".join(dict.fromkeys(rows.format for rows in parts if rows.found)),
        frame=frame,
        settings=tuple(sorted((*key, value) for key, value in settings.items())),
        passed_over=tuple(dict.fromkeys(said)),
        case_sets=tuple(dict.fromkeys(rows.case_set for rows in parts if rows.case_set)),
        judges=tuple(dict.fromkeys(rows.judge for rows in parts if rows.judge)),
    )

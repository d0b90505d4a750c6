"""The live leaderboards: what pulls the newest of each, and how its files are read."""

import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urlsplit

from core.domain import BadDataError, ModelFact, ScoreTable
from core.evidence.catalogue import Catalogue, load
from core.evidence.model_facts import as_positive, said
from core.evidence.score_tables import ScoreRecord, score_table
from core.evidence.tables import Row, as_number
from core.results import read_own_scores
from core.results.files import MAX_BYTES, Json, inside, mapping, opened_upload, parsed
from core.results.helm import data_sets
from core.results.logs import model_names, read_results, short_text
from core.sources import (
    ABOUT,
    BRIDGE_PROTOCOLS,
    NOT_STATED,
    Commit,
    LiveSource,
    Progress,
    Pulled,
    hub_tables,
    numbered,
    parsed_json,
    read_parquet,
    row_of,
)
from core.sources.hub import Hub, RepoType, fetched

Files = Mapping[str, bytes]

_V2_BENCHMARKS: dict[str, str] = ABOUT["metrics"]["open-llm-v2"]
_V2_RUN = ("Precision", "Model sha", "Submission Date")
_V2_ABOUT = ("#Params (B)", "Hub License", "Base Model", "MoE", "Flagged")
_BRIDGE_ABOUT = re.compile(
    r"t|#|rank|model|model:.*|domain|licen[cs]e|access.*|.*(average|size|params).*"
)
"""Columns on the model itself, among them numbers that are not scores."""
_ACCESS = {"open source": "open", "proprietary": "closed"}
_ARENA_CATEGORY = "industry_medicine_and_healthcare"


def _open_llm_v2(files: Files, _: str, url: str) -> ScoreTable:
    """Read raw scores 0 to 1; every row is a run."""
    [(name, content)] = files.items()
    read = read_parquet(content, name, ("fullname", *_V2_BENCHMARKS), (*_V2_RUN, *_V2_ABOUT))
    if not read:
        raise BadDataError(f"{name} has no rows.")
    each = [(row.text("fullname"), *(row.cells[column] for column in _V2_RUN)) for row in read]
    # Where the model's commit is not known, the day it was handed in tells its runs apart.
    runs = numbered([f"{model}@{given}@{sha[:12] or date}" for model, given, sha, date in each])
    records: list[ScoreRecord] = []
    facts: list[ModelFact] = []
    for row, run, (model, precision, sha, date) in zip(read, runs, each, strict=True):
        own = {"model": model, "run": run, "run_at": date, "precision": precision}
        records += [
            {**own, "model_revision": sha, "benchmark": key, "score": row.number_or_none(printed)}
            for printed, key in _V2_BENCHMARKS.items()
        ]
        base = row.cells["Base Model"]
        about = {
            "params_b": as_positive(row.cells["#Params (B)"]),
            "licence": row.cells["Hub License"],
            "precision": precision,
            # The leaderboard names a model that has no base as its own.
            "base_model": base if base != model else "",
            "moe": "true" if row.cells["MoE"] == "True" else "",
            "flagged": "true" if row.cells["Flagged"] == "True" else "",
        }
        facts += said(model, url, about)
    return score_table("open-llm-v2", records, facts)


def _bridge(files: Files, _: str, url: str) -> ScoreTable:
    """Read percent per model and clinical task, under three prompting protocols."""
    records: list[ScoreRecord] = []
    facts: list[ModelFact] = []
    for (name, content), protocol in zip(files.items(), BRIDGE_PROTOCOLS.values(), strict=True):
        read = _rows_of_columns(parsed_json(content, name), name)
        runs = numbered([f"{row.text('Model')}@{protocol}" for row in read])
        tasks = [
            key for key in read[0].cells if not _BRIDGE_ABOUT.fullmatch(key.strip().casefold())
        ]
        if not tasks:
            raise BadDataError(f"{name}: there is no column of scores.")
        for row, run in zip(read, runs, strict=True):
            model, cells = row.cells["Model"], defaultdict(str, row.cells)
            own: ScoreRecord = {"model": model, "run": run, "protocol": protocol}
            records += [
                {**own, "benchmark": task.strip(), "score": row.number_or_none(task)}
                for task in tasks
            ]
            about = {
                "params_b": as_positive(cells["Size (B)"]),
                "licence": cells["Model: License"],
                "access": _ACCESS.get(cells["Model: Accessibility"].casefold(), ""),
            }
            facts += said(model, url, about)
    return score_table("bridge", records, facts)


def _rows_of_columns(document: object, name: str) -> list[Row]:
    columns = document if isinstance(document, dict) else {}
    for column, cells in columns.items():
        if not isinstance(cells, dict):
            what = "an object with one entry a row is expected"
            raise BadDataError(f'{name}, "{column[:60]}": {what}.')
    if not columns.get("Model"):
        what = "an object with one entry a column is expected"
        raise BadDataError(f'{name}: {what}; the column "Model" is missing or empty.')
    return [
        row_of(name, n, {column: cells.get(index) for column, cells in columns.items()})
        for n, index in enumerate(columns["Model"], start=1)
    ]


def _lmarena_medicine(files: Files, _: str, url: str) -> ScoreTable:
    """Read medical ratings as last published: those of two dates do not compare."""
    [(name, content)] = files.items()
    needed, about = ("model_name", "category", "rating"), ("organization", "license", "vote_count")
    wanted = ("rating_lower", "rating_upper", "leaderboard_publish_date", *about)
    read = read_parquet(content, name, needed, wanted)
    of_medicine = [row for row in read if row.cells["category"] == _ARENA_CATEGORY]
    if not of_medicine:
        raise BadDataError(f'{name}: no row has the category "{_ARENA_CATEGORY}".')
    newest = max(row.cells["leaderboard_publish_date"][:10] for row in of_medicine)
    kept = [row for row in of_medicine if row.cells["leaderboard_publish_date"][:10] == newest]
    runs = numbered([f"{row.text('model_name')}@{newest}" for row in kept])
    facts: list[ModelFact] = []
    records: list[ScoreRecord] = []
    for row, run in zip(kept, runs, strict=True):
        model, votes = row.cells["model_name"], as_positive(row.cells["vote_count"])
        told = {"developer": row.cells["organization"], "licence": row.cells["license"]}
        facts += said(model, url, told | {"votes": votes})
        # The bounds are those of a 95 % interval, and a normal standard error is the half
        # width divided by 1.96; the interval is bootstrapped, so this is close and not exact.
        low, high = row.number_or_none("rating_lower"), row.number_or_none("rating_upper")
        error = None
        if low is not None and high is not None and high >= low:
            error = (high - low) / (2 * 1.96)
        records.append(
            {
                **{"model": model, "run": run, "run_at": newest, "benchmark": "rating"},
                "score": row.number_or_none("rating"),
                "standard_error": error,
            }
        )
    return score_table("lmarena-medicine", records, facts)


_PSYCH = "healthbench-psych-v2"
_CONVERSATIONS = 611
_JUDGES = ("claude-haiku-4-5-20251001", "gemini-2.5-flash", "gpt-4.1-2025-04-14")


def _healthbench_psych(files: Files, sha: str, _: str) -> ScoreTable:
    """Read the grades of release 2: a line for each model, judge and conversation.

    The layout is assumed, from the publisher's own reader of the file: objects with ``model``,
    ``judge``, ``prompt_id`` and ``score``, which is null where a rubric gives no points. As the
    publisher has it, a judge's score is the mean over conversations, kept within 0 and 1, and the
    score is the mean of the judges. A conversation's own score, the mean of its judges, may be
    below 0. A model's items are those scores, where every judge graded every conversation and no
    mean was cut off. The hard conversations are not marked in the file.
    """
    import pandas as pd  # noqa: PLC0415 - a third of a second to import

    [(name, content)] = files.items()
    grades = pd.DataFrame(
        _grade(line, f"{name}, line {n}")
        for n, line in enumerate(content.splitlines(), start=1)
        if line.strip()
    ).reindex(columns=range(4))
    grades.columns = pd.Index(["model", "judge", "item", "score"])
    judges, n = sorted(set(grades["judge"])), grades["item"].nunique()
    if tuple(judges) != _JUDGES or n != _CONVERSATIONS:
        found = f"{n:,} conversations graded by {', '.join(map(str, judges[:5]))[:200] or 'nobody'}"
        expected = f"{_CONVERSATIONS} graded by {', '.join(_JUDGES)}"
        raise BadDataError(f"{name}: release 2 has {expected}, and this file has {found}.")
    if (twice := grades.duplicated(["model", "judge", "item"])).any():
        model, judge, item, _ = grades[twice].iloc[0]
        what = f'the model "{model}" has two grades by {judge} on the conversation {item}'
        raise BadDataError(f"{name}: {what}.")
    by_judge = grades.pivot(index=["model", "item"], columns="judge", values="score")
    means = by_judge.groupby("model").mean()
    within = means.clip(0, 1)
    records: list[ScoreRecord] = []
    for model, row in within.iterrows():
        own: ScoreRecord = {"model": str(model), "run": f"{model}@{sha[:12]}"}
        scores = {f"{_PSYCH}:{judge}": row[judge] for judge in _JUDGES}
        # Without one of the judges there is no mean of the three.
        scores = {_PSYCH: row.mean(skipna=False)} | scores
        records += [
            {**own, "benchmark": benchmark, "score": score} for benchmark, score in scores.items()
        ]
    whole = by_judge.notna().all(axis=1).groupby("model").sum() == _CONVERSATIONS
    kept = whole & (means == within).all(axis=1)
    items = by_judge.mean(axis=1).reset_index(name="score")
    items = items[items["model"].map(kept)]
    items = items.assign(run=items["model"] + f"@{sha[:12]}", benchmark=_PSYCH, attempt=1).drop(
        columns="model"
    )
    table = score_table("healthbench-psych", records)
    return replace(table, items=items if len(items) else None)


def _grade(line: bytes, where: str) -> tuple[str, str, str, float | None]:
    if not isinstance(grade := parsed_json(line, where), dict):
        raise BadDataError(f"{where}: an object is expected.")
    texts = [grade.get(field) for field in ("model", "judge", "prompt_id")]
    if not all(isinstance(it, str) and it.strip() and len(it) <= 200 for it in texts):
        raise BadDataError(f"{where}: a grade does not say its model, judge or prompt_id.")
    score = None if grade.get("score") is None else as_number(grade["score"])
    if (score is None) != (grade.get("score", "") is None):
        raise BadDataError(f"{where}: the score is not a number.")
    return *map(str.strip, map(str, texts)), score  # type: ignore[return-value]


# The Open Medical-LLM Leaderboard: a result file of the harness a run, read as a hospital's own is.

_MEDICAL = "open-medical-llm"
_RESULTS: tuple[str, RepoType] = ("openlifescienceai/results", "dataset")
_URL = f"https://huggingface.co/datasets/{_RESULTS[0]}"
_RUN_AT = re.compile(r"(\d{4}-\d\d-\d\d)[T _](\d\d)[:-](\d\d)[:-](\d\d)")


def _pull(hub: Hub, commit: Commit, report: Progress, catalogue: Path) -> Pulled:
    """Read all result files; at most one in twenty may be broken, and is skipped."""
    sizes = hub.files(*_RESULTS, commit.revision)
    paths = {name: PurePosixPath(name) for name in sizes if name.endswith(".json") and "/" in name}
    names = [
        name
        for name, path in paths.items()
        if ".ipynb_checkpoints" not in path.parts and not path.stem.endswith("-checkpoint")
    ]
    if not names:
        raise BadDataError(f"The dataset {_RESULTS[0]} holds no result files.")
    known = load(catalogue)
    import pandas as pd  # noqa: PLC0415 - a third of a second to import

    runs: list[ScoreTable] = []
    faults: list[str] = []
    files = hub.fetch(*_RESULTS, commit.revision, names, sizes, progress=report)
    for name, content in files.items():
        try:
            runs.append(_run(name, content, commit.revision, known))
        except BadDataError as error:
            faults.append(f"{PurePosixPath(name).parent}/{error}")
    if len(faults) > 0.05 * len(names):
        raise BadDataError(
            f"{len(faults)} of {len(names)} result files of {_RESULTS[0]} are broken, the first: "
            f"{faults[0]}"
        )
    are = "file is" if len(faults) == 1 else "files are"
    broken = f"{len(faults)} broken result {are} skipped: " if faults else ""
    return Pulled(
        table=ScoreTable(
            _MEDICAL,
            pd.concat([run.frame for run in runs], ignore_index=True),
            tuple(dict.fromkeys(fact for run in runs for fact in run.facts)),
        ),
        as_of=commit.date,
        source_url=_URL,
        licence=commit.licence or "Apache-2.0",
        note=f"{broken}{' '.join(faults[:1])}",
    )


def _run(name: str, content: bytes, sha: str, known: Catalogue) -> ScoreTable:
    """Read one file; its folder names the model, and another name in its configuration is a fact.

    A run is of the time that the file's name prints, valid or not, else of that within the file.
    """
    upload = opened_upload(name, content)
    document = mapping(upload, parsed(upload, upload.text))
    read = read_results(upload, name, document, known, _MEDICAL).table
    path, url = PurePosixPath(name), f"{_URL}/blob/{sha}/{quote(name)}"
    model, at = str(path.parent), _RUN_AT.search(path.name)
    frame = read.frame.assign(model=model, run=f"{model}@{path.name}", source_url=url)
    if at:
        frame["run_at"] = f"{at[1]}T{at[2]}:{at[3]}:{at[4]}Z"
    about = {fact.field: as_positive(fact.value) for fact in read.facts}
    about["precision"] = frame["precision"].iloc[0]
    # Organisations are spelt in several cases: that is no other model.
    others = [
        it for it in dict.fromkeys(model_names(document)) if it.casefold() != model.casefold()
    ]
    names = [ModelFact(model, "config_name", other, url) for other in others if other]
    return ScoreTable(_MEDICAL, frame, (*said(model, url, about), *names))


# MedHELM: the newest release at either of the two places where its releases are kept. It is read as
# the same file of a hospital's own run is.

_VERSION = re.compile(r"""["'/]v(\d{1,3})\.(\d{1,3})\.(\d{1,3})/?["']""")
_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class _Origin:
    """A place where releases of MedHELM are kept, as sources.toml has it."""

    address: str
    listings: Sequence[str]
    releases: str
    page: str

    def get(self, path: str, most: int = 5_000_000) -> bytes:
        """Fetch a file of this place, or of its mirror."""
        return fetched(f"{self.base}/{path}", most)[0]

    @property
    def base(self) -> str:
        """The address that is asked."""
        return (os.environ.get("FORMULARY_HELM") or self.address).rstrip("/")


_ORIGINS = [_Origin(**about) for about in ABOUT["medhelm"]]


def _highest(origin: _Origin) -> tuple[int, ...]:
    """Return the newest version that a place names."""
    found: set[tuple[int, ...]] = set()
    faults = []
    for listing in origin.listings:
        try:
            text = origin.get(listing).decode("utf-8", "replace")
        except BadDataError as error:
            faults.append(error)
            continue
        found |= {tuple(map(int, version)) for version in _VERSION.findall(text)}
    if not found:
        host = urlsplit(origin.base).hostname
        raise next(iter(faults), BadDataError(f"{host} lists none of the releases of MedHELM."))
    return max(found)


def _newest_release(_: Hub) -> Commit:
    """Return the highest release of both places, and its date where the release gives one.

    A place that does not answer is named in the note; where neither does, that is a fault.
    """
    versions, faults = [], []
    for origin in _ORIGINS:
        try:
            versions.append(_highest(origin))
        except BadDataError as error:
            faults.append(error)
    if not versions:
        raise faults[-1]
    name = "v" + ".".join(map(str, max(versions)))
    try:
        dated = re.match(
            r"\d{4}-\d\d-\d\d", str(inside(_read(name, "summary.json")[1]).get("date"))
        )
    except BadDataError:
        dated = None
    note = f"One of two places was not read: {faults[0]}" if faults else ""
    return Commit(name, dated[0] if dated else "", note=note)


def _pull_release(_: Hub, commit: Commit, report: Progress, catalogue: Path) -> Pulled:
    """Read a release; jury scores stay on their scale of 1 to 5.

    Data sets that the catalogue lacks, or that are measured otherwise, are left out and named.
    """
    version, as_of = commit.revision, commit.date
    origin, document, content = _read(version, "groups/medhelm_scenarios.json", MAX_BYTES)
    report(1, 1)
    known = load(catalogue)
    table = read_own_scores("medhelm_scenarios.json", content, known, suite="medhelm").table
    label = table.frame["run"].str.removeprefix("local:").str.rpartition("@")[0]
    table.frame["run"] = label + f"@{version}"
    taken = set(table.frame["benchmark"])
    others = [name for name, own in data_sets(document, known).items() if own not in taken]
    more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    named = f"{', '.join(short_text(name)[:60] for name in others[:_MOST_NAMED])}{more}"
    notes = (
        "" if as_of else "The release gives no date.",
        f"Left out, since the catalogue does not have them so: {named}." if others else "",
        "Who ran which model is not stated.",
    )
    return Pulled(
        table=table,
        as_of=as_of,
        source_url=origin.page,
        licence=NOT_STATED,
        note=" ".join(filter(None, notes)),
    )


def _read(version: str, file: str, most: int = 5_000_000) -> tuple[_Origin, Json, bytes]:
    """Return a JSON file of a release and where it lies: the first place that has it."""
    for origin in _ORIGINS:
        try:
            content = origin.get(f"{origin.releases}/{version}/{file}", most)
        except BadDataError:
            if origin is _ORIGINS[-1]:
                raise
        else:
            break
    name = file.rpartition("/")[2]
    return origin, parsed(opened_upload(name, content), content.decode("utf-8", "replace")), content


_ON_THE_HUB = {
    "open-llm-v2": _open_llm_v2,
    "bridge": _bridge,
    "lmarena-medicine": _lmarena_medicine,
    "healthbench-psych": _healthbench_psych,
}
LIVE = {
    _MEDICAL: LiveSource(lambda hub: Commit(*hub.commit(*_RESULTS)), _pull),
    **{suite: hub_tables(read, **ABOUT["hub"][suite]) for suite, read in _ON_THE_HUB.items()},
    "medhelm": LiveSource(_newest_release, _pull_release),
}

"""The evidence store: a DuckDB file derived from the snapshots, read-only for its readers.

The file is built under a temporary name and put in place with ``os.replace``; deleting it
costs a rebuild and nothing else. Snapshots that fail their check are left out and reported. Each
opened store has one memory of results that were computed from it; what was computed with a
visitor's own results is in the memory of that visitor's store. Both go when the store goes. A
folder next to the file holds what takes long, for the next process; deleting it costs no more.
"""

from __future__ import annotations

import hashlib
import os
import threading
from contextlib import suppress
from dataclasses import astuple, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb
import numpy as np

from core.domain import BadDataError, BadRequestError, Flag, ModelFact, Provenance, Snapshot
from core.evidence import catalogue as catalogue_module
from core.evidence import fact_lists, is_full, items
from core.evidence import snapshots as snapshots_module
from core.evidence.catalogue import OWN_RESULT
from core.evidence.snapshots import SCORE_COLUMNS, Fault
from core.memory import Memory, ResultFiles

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from core.domain import FactList, ScoreTable
    from core.evidence.catalogue import Catalogue

T = TypeVar("T")
_SCHEMA_VERSION = "7"
_KINDS = dict.fromkeys(SCORE_COLUMNS, "str") | dict.fromkeys(("score", "standard_error"), "float64")
_WINDOWS = os.name == "nt"
_AS = "evidence"
"""What an attached file is called."""


@dataclass
class _Reader:
    """The derived file as it was checked, open; readers are side by side, with a cursor each."""

    connection: duckdb.DuckDBPyConnection
    again: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True, eq=False)
class Store:
    """An opened store: the catalogue, the usable snapshots, and where the scores lie."""

    data: Path
    path: Path
    fingerprint: str
    """Changes when any snapshot or benchmark changes; equal stores answer equally."""
    catalogue: Catalogue
    snapshots: tuple[Snapshot, ...]
    faults: tuple[Fault, ...]
    reader: _Reader = field(repr=False)
    lists: tuple[FactList, ...] = ()
    """The usable snapshots of public lists of prices and ends of sale, oldest first."""
    session: tuple[ScoreTable, ...] = ()
    """Results that a visitor brought, in memory only."""
    base: Store | None = field(default=None, repr=False)
    """The same store without them; ``None`` where there are none."""
    files: ResultFiles | None = field(default=None, repr=False)
    """Results that other processes computed from equal stores; none with a visitor's results."""
    memory: Memory = field(default_factory=Memory, init=False, repr=False)
    """Results that were computed from this store; they end with it."""

    @property
    def key(self) -> None:
        """A store has a memory of its own, so nothing else tells it apart there."""
        return None

    @property
    def shared(self) -> Store:
        """Return the store as all visitors have it, for what no own result can change."""
        return self.base or self

    @property
    def published(self) -> Store:
        """Return the store without any own results: neither those of a session nor those kept."""
        return self.shared._releases or self.shared

    @cached_property
    def _releases(self) -> Store | None:
        kept = tuple(it for it in self.snapshots if it.kind == "release")
        return replace(self, snapshots=kept) if len(kept) < len(self.snapshots) else None

    def with_session(self, tables: tuple[ScoreTable, ...]) -> Store:
        """Return this store with a visitor's results next to the published ones."""
        return replace(self.shared, session=tables, base=self.shared, files=None)

    def of_suite(self, suite: str) -> list[Snapshot]:
        """Return the usable releases of a suite, the newest first; no local results.

        One that stands in for another suite has none once that has a version as high.
        """
        found = [s for s in self.snapshots if s.suite == suite and s.kind == "release"]
        known = self.catalogue.suites.get(suite)
        if found and known and known.instead_of:
            come = max(map(snapshots_module.version, self.of_suite(known.instead_of)), default=())
            found = [s for s in found if snapshots_module.version(s) > come]
        return sorted(found, key=snapshots_module.age, reverse=True) if len(found) > 1 else found

    def snapshot(self, suite: str, revision: str = "") -> Snapshot:
        """Return a usable snapshot of a suite: the newest, by its date and retrieval, or one.

        ``BadDataError`` where the suite has none says why.
        """
        if suite not in self.catalogue.suites:
            known = ", ".join(self.catalogue.suites)
            raise BadRequestError(f'There is no suite "{suite[:80]}"; there are {known}.')
        found = self.of_suite(suite)
        if not found:
            why = " ".join(f.message for f in self.faults if f.suite == suite)
            raise BadDataError(why or f"There is no snapshot of {suite}.")
        if not revision:
            return found[0]
        if one := next((s for s in found if s.revision == revision), None):
            return one
        raise BadRequestError(f'{suite} has no snapshot "{revision[:80]}".')

    def scores(self, snapshot: Snapshot, protocol: str) -> pd.DataFrame:
        """Return the long table of one snapshot under one prompting protocol.

        Columns are those of ``SCORE_COLUMNS``; scores are floats with ``nan`` for gaps. Rows
        come in the order of the snapshot. A derived file that was deleted or damaged since the
        store was opened is built again.
        """
        frame = self._query(
            f"SELECT {', '.join(SCORE_COLUMNS)} FROM {_AS}.scores "
            "WHERE suite = ? AND revision = ? AND protocol = ? ORDER BY position",
            [snapshot.suite, snapshot.revision, protocol],
            duckdb.DuckDBPyConnection.df,
        )
        return frame.astype(_KINDS)

    def own_results(self, suite: str, protocol: str) -> pd.DataFrame:
        """Return a hospital's own results for a suite, those kept and those of the session.

        Of a model the last upload counts alone: a session's after those kept. Their models carry
        ``OWN_RESULT`` behind the name, so that none passes for a published run, and no published
        run is replaced by one.
        """
        import pandas as pd  # noqa: PLC0415 - a third of a second to import

        kept = [
            self.scores(s, protocol)
            for s in self.snapshots
            if (s.suite, s.kind) == (suite, "local")
        ]
        session = [
            t.frame[t.frame["protocol"] == protocol] for t in self.session if t.suite == suite
        ]
        uploads = [*kept, *session]
        last = {model: n for n, upload in enumerate(uploads) for model in upload["model"]}
        counting = [it[it["model"].map(last) == n] for n, it in enumerate(uploads)]
        frame = pd.concat([*counting, pd.DataFrame(columns=SCORE_COLUMNS)], ignore_index=True)
        return frame.assign(model=frame["model"] + OWN_RESULT).astype(_KINDS)

    def derived(self, kind: type[T], snapshot: Snapshot, *protocol: str) -> tuple[T, ...]:
        """Return what was found in one snapshot, in its order.

        A `ModelFact` is what its source says of a model. Of one protocol, a `Flag` is what does not
        look plausible, and a `Provenance` a run that was not made as the others were.
        """
        with_protocol = "AND protocol = ? " if protocol else ""
        columns = ", ".join(_columns(kind))
        found = self._query(
            f"SELECT {columns} FROM {_AS}.{kind.__name__} "
            f"WHERE suite = ? AND revision = ? {with_protocol}ORDER BY rowid",
            [snapshot.suite, snapshot.revision, *protocol],
            duckdb.DuckDBPyConnection.fetchall,
        )
        return tuple(kind(*row) for row in found)

    def item_counts(self, snapshot: Snapshot) -> pd.DataFrame:
        """Return the mean and the number of items by run and benchmark; no rows without items."""
        return self._query(
            f"SELECT {', '.join(items.COUNTS)} FROM {_AS}.items "
            "WHERE suite = ? AND revision = ? ORDER BY run, benchmark",
            [snapshot.suite, snapshot.revision],
            duckdb.DuckDBPyConnection.df,
        )

    def item_file(self, snapshot: Snapshot) -> Path:
        """Return where the items of a snapshot lie, which are read there and nowhere else."""
        return self.data / "snapshots" / snapshot.suite / snapshot.revision / items.ITEMS

    def _query(
        self, sql: str, key: list[str], fetch: Callable[[duckdb.DuckDBPyConnection], T]
    ) -> T:
        """Read the derived file, building it again where it was damaged."""
        used = self.reader.connection
        try:
            return fetch(used.cursor().execute(sql, key))
        except duckdb.Error:
            with self.reader.again:
                if self.reader.connection is used:
                    found = open_store(self.data)
                    if found.fingerprint != self.fingerprint:
                        raise BadDataError(
                            "The evidence has changed since this page was opened, and its store "
                            "was damaged: reload the page, or restart the server."
                        ) from None
                    self.reader.connection = found.reader.connection
            return fetch(self.reader.connection.cursor().execute(sql, key))


def data_folder() -> Path:
    """Return the data folder: ``FORMULARY_DATA``, else the one next to the code."""
    folder = Path(os.environ.get("FORMULARY_DATA") or Path(__file__).parents[2] / "data")
    if folder.is_file():
        raise BadDataError(f"FORMULARY_DATA names a file, {folder.name}: name a folder.")
    return folder


def open_store(data: Path | None = None) -> Store:
    """Verify all snapshots and open the store, building it where it is missing or stale.

    The derived file goes next to the data, or in the cache folder of this account.
    """
    data = data or data_folder()
    catalogue = catalogue_module.load(data / "catalogue")
    good, faults = snapshots_module.checked(data / "snapshots", snapshots_module.verify)
    lists, list_faults = fact_lists.check_lists(data / "facts")
    if about := fact_lists.newest(lists, fact_lists.LITELLM):
        folder = data / "facts" / about.list / about.revision
        listed = fact_lists.read_list(folder, {it.key for it in catalogue.list_keys})
        lifecycle = fact_lists.with_ends(catalogue.lifecycle, catalogue.list_keys, about, listed)
        regions = fact_lists.with_priced_regions(
            catalogue.regions, catalogue.list_keys, about, listed
        )
        catalogue = replace(catalogue, lifecycle=lifecycle, regions=regions)
    digest = hashlib.sha256(_SCHEMA_VERSION.encode())
    for table in ("benchmarks.csv", "models.csv", "aliases.csv", "other_protocols.csv"):
        digest.update((data / "catalogue" / table).read_bytes())
    # Flags are derived too, so other rules make another store.
    for rules in ("flags.py", "chance.csv"):
        digest.update(Path(__file__).with_name(rules).read_bytes())
    for snapshot in good:
        digest.update(repr(astuple(snapshot)).encode())
    fingerprint = digest.hexdigest()
    if configured := os.environ.get("FORMULARY_STORE"):
        path = Path(configured)
        if path.suffix != ".duckdb":
            raise BadRequestError(
                f"FORMULARY_STORE is {path.name}: name a file that ends in .duckdb, since what is "
                "there is replaced."
            )
    elif os.access(data, os.W_OK):
        path = data / "store.duckdb"
    else:
        of = hashlib.sha256(str(data.resolve()).encode()).hexdigest()[:12]
        path = Path.home() / ".cache" / "llm-formulary" / f"store-{of}.duckdb"
    if _WINDOWS:  # An open file cannot be replaced there, so each evidence has one of its own.
        path = path.with_stem(f"{path.stem}-{fingerprint[:12]}")
    reader, usable, row_faults = _opened(path, fingerprint) or _built(
        path, fingerprint, _tables(data, good, catalogue)
    )
    faults = (*faults, *row_faults, *list_faults)
    if not lists:
        faults += (Fault("", "", f"{data.name}/facts has no list of prices: no price is known."),)
    files = ResultFiles(path.with_name(f"{path.stem}-results"), _version(data, fingerprint, lists))
    return Store(
        data,
        path,
        fingerprint,
        catalogue,
        usable,
        faults,
        reader,
        lists,
        files=files,
    )


def _version(data: Path, fingerprint: str, lists: tuple[FactList, ...]) -> str:
    """Return what is another where any result may be: evidence, catalogue, lists or program."""
    digest = hashlib.sha256(f"{fingerprint} {np.__version__}".encode())
    for about in lists:
        digest.update(repr(astuple(about)).encode())
    program = Path(__file__).parents[1]
    code = sorted((*program.glob("**/*.py"), *program.glob("**/*.toml")))
    for path in (*sorted((data / "catalogue").glob("**/*")), *code):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _columns(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


_KEYS: dict[type[Any], tuple[str, ...]] = {
    Fault: (),
    ModelFact: ("suite", "revision"),
    Flag: ("revision", "protocol"),
    Provenance: ("revision", "protocol"),
}
"""What has a table of its own, all texts, and by what its rows are found as well as its fields."""


def _tables(
    data: Path, good: tuple[Snapshot, ...], catalogue: Catalogue
) -> dict[str, pd.DataFrame]:
    """Return all that the derived file holds but its fingerprint; protocols are judged apart."""
    # Here since they are slow to import, and a store that is ready needs none of them.
    import pandas as pd  # noqa: PLC0415

    from core.evidence import flags as rules  # noqa: PLC0415

    usable: list[Snapshot] = []
    frames: dict[str, list[pd.DataFrame]] = {"scores": [], "items": []}
    texts: dict[type[Any], list[tuple[str, ...]]] = {kind: [] for kind in _KEYS}
    known = catalogue.scales()
    for snapshot in good:
        suite, revision = snapshot.suite, snapshot.revision
        folder = data / "snapshots" / suite / revision
        try:
            read = snapshots_module.read_scores(folder, known)
            counted = snapshots_module.check_items(folder, read.frame, known[suite])
        except BadDataError as error:
            texts[Fault].append((suite, revision, str(error)))
            continue
        usable.append(snapshot)
        for name, frame in (("scores", read.frame), ("items", counted)):
            frames[name].append(frame.assign(suite=suite, revision=revision))
        texts[ModelFact] += [(suite, revision, *astuple(fact)) for fact in read.facts]
        if snapshot.kind != "release":
            continue
        models = {model: catalogue.model(model) for model in read.frame["model"].unique()}
        made = catalogue.other_protocols.items()
        others = {model: how.protocol for (of, model), how in made if of == suite}
        for protocol, frame in read.frame.groupby("protocol", sort=False):
            key, benchmarks = (revision, str(protocol)), catalogue.benchmarks[suite]
            found = rules.flag_runs(frame, benchmarks, models, read.facts, suite=suite)
            texts[Flag] += [(*key, *astuple(flag)) for flag in found]
            labels = rules.labels_of_runs(frame, others, suite=suite)
            texts[Provenance] += [(*key, *astuple(label)) for label in labels]
    if not usable:
        reasons = " ".join(message for _, _, message in texts[Fault])
        # Visitors read this as well, and where the folder lies on the server is not for them.
        raise BadDataError(f"No snapshot in {data.name}/snapshots can be used. {reasons}".strip())
    scores, counts = (pd.concat(found, ignore_index=True) for found in frames.values())
    kinds = dict.fromkeys(("run", "benchmark"), "str") | {"mean": "float64"}
    return {
        "scores": scores.reset_index(names="position"),
        "snapshots": pd.DataFrame(usable).reset_index(names="position"),
        "items": counts.astype(kinds | dict.fromkeys(("n_items", "n_rows"), "int64")),
        **{
            kind.__name__: pd.DataFrame(rows, columns=[*_KEYS[kind], *_columns(kind)], dtype="str")
            for kind, rows in texts.items()
        },
    }


_Opened = tuple[_Reader, tuple[Snapshot, ...], list[Fault]]


def _opened(path: Path, fingerprint: str) -> _Opened | None:
    """Open a derived file; ``None`` where there is none of this evidence and it must be built.

    The file is attached to a database in memory. Connected to by its path, DuckDB would give the
    file that this process had open before, even where another has taken its place meanwhile.
    What is compared and what is read later is one open file, so no other can come between.
    """
    if not path.exists():
        return None
    connection = duckdb.connect(":memory:", config={"threads": 1})
    try:
        place = str(path).replace("'", "''")
        connection.execute(f"ATTACH '{place}' AS {_AS} (READ_ONLY)")
        if connection.execute(f"SELECT fingerprint FROM {_AS}.meta").fetchone() == (fingerprint,):
            return _read(connection)
    except duckdb.Error:
        pass
    connection.close()
    return None


def _read(connection: duckdb.DuckDBPyConnection) -> _Opened:
    names = ", ".join(_columns(Snapshot))
    usable = connection.execute(f"SELECT {names} FROM {_AS}.snapshots ORDER BY position")
    snapshots = tuple(Snapshot(*row) for row in usable.fetchall())
    faults = connection.execute(f"SELECT suite, revision, message FROM {_AS}.Fault")
    return _Reader(connection), snapshots, [Fault(*row) for row in faults.fetchall()]


def _fill(connection: duckdb.DuckDBPyConnection, tables: dict[str, pd.DataFrame]) -> None:
    for name, table in tables.items():
        connection.register("incoming", table)
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM incoming")
        connection.unregister("incoming")


def _built(path: Path, fingerprint: str, tables: dict[str, pd.DataFrame]) -> _Opened:
    """Write the derived file, open it, and only then put it in its place.

    So what is read is what was written, even where another program with other evidence puts its
    file in the same place at the same moment. Where it cannot be written the tables are in memory,
    with a fault that says why.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    log = draft.with_name(f"{draft.name}.wal")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with duckdb.connect(str(draft)) as connection:
            _fill(connection, tables)
            connection.execute("CREATE TABLE meta AS SELECT ? AS fingerprint", [fingerprint])
            # Closing does it too, but says nothing where the disk is full, and leaves the log.
            connection.execute("CHECKPOINT")
        if _WINDOWS:
            draft.replace(path)
        opened = _opened(path if _WINDOWS else draft, fingerprint)
        if opened is None:
            raise BadDataError(
                f"The evidence store {path.name} cannot be read back as it was written: see to "
                "its disk."
            )
        if not _WINDOWS:
            draft.replace(path)
        return opened
    except (OSError, duckdb.Error) as error:
        # Not the engine's own words, which name files of this machine to whoever opens a page.
        why = "see to the rights on its folder, or name another place with FORMULARY_STORE"
        if is_full(error):
            why = "its disk is full, so free some space before the next start"
        held = duckdb.connect(":memory:", config={"threads": 1})
        held.execute(f"ATTACH ':memory:' AS {_AS}")
        _fill(held, {f"{_AS}.{name}": table for name, table in tables.items()})
        reader, usable, faults = _read(held)
        said = f"The evidence store {path.name} cannot be written, so it is in memory: {why}."
        return reader, usable, [*faults, Fault("", "", said)]
    finally:
        for left in (draft, log):
            with suppress(OSError):
                left.unlink()

"""Saved shortlists: keep, list, open, change and take away, each for those who may.

The caller is a name, or ``None`` for the person in front of a local run, who may see and change
everything. Others see their own and what was shared, and change only their own. They lie in
SQLite, in a file, or in PostgreSQL; the tables are made and changed by the migrations next to this
file, on opening, by whichever process comes first.

Every fault of the database leaves here as one sentence of a ``BadDataError``; what cannot be kept,
or is gone, changed meanwhile or not theirs, as that of a ``BadRequestError``.
"""

import json
import logging
import os
import threading
import tomllib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from core.domain import BadDataError, BadRequestError
from core.saved.kept import (
    DAMAGED,
    LONGEST_NAME,
    LONGEST_OWNER,
    LONGEST_QUERY,
    Kept,
    KeptRow,
    Saved,
    named,
)

VERSION_TABLE = "formulary_version"
"""Says which migrations were made; not Alembic's own name, which another program may use."""
_MIGRATIONS = Path(__file__).with_name("migrations")
_LOCK_KEY = 7_201_135
"""Any number, for the advisory locks of PostgreSQL."""
_PATIENCE_SECONDS = 5
_WRITING = {"formulary_writes": True}
"""Option of a connection that is to write."""
_ONE_MIGRATION = threading.Lock()
"""Alembic keeps the running migration in a global of the process."""
_FAULTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["faults"]
_LOG = logging.getLogger("llm_formulary")
_WHAT = "The database of saved shortlists"


@dataclass(frozen=True, slots=True, eq=False)
class Database:
    """A database whose tables are those of this version of the program."""

    engine: sa.Engine

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Give a connection to read with."""
        with _sentences():
            self._up_to_date()
            with self.engine.begin() as connection:
                yield connection

    @contextmanager
    def writing(self, owner: str = "") -> Iterator[sa.Connection]:
        """Give a connection whose changes all come true at the end, or none on any error.

        Parameters
        ----------
        owner
            Writers for the same owner wait for each other, so that what one has counted holds.
        """
        with _sentences():
            self._up_to_date()
            with self.engine.execution_options(**_WRITING).begin() as connection:
                if self.engine.dialect.name == "postgresql":
                    lock = sa.func.pg_advisory_xact_lock(_LOCK_KEY, sa.func.hashtext(owner))
                    connection.execute(sa.select(lock))
                yield connection

    def _up_to_date(self) -> None:
        """Bring the tables to this version: at first, and after the file was taken away."""
        with self.engine.connect() as connection:
            if _is_current(connection):
                return
        with (
            _ONE_MIGRATION,
            self.engine.execution_options(**_WRITING).begin() as connection,
        ):
            # SQLite lets one writer in; on PostgreSQL this lock does. Who waited finds it done.
            if self.engine.dialect.name == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK_KEY)))
            if not _is_current(connection):
                # Here since they are slow to import, and a database that is ready needs none of it.
                from alembic import command  # noqa: PLC0415
                from alembic.config import Config  # noqa: PLC0415

                config = Config()
                config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
                config.attributes["connection"] = connection
                command.upgrade(config, "head")


def open_database(url: str) -> Database:
    """Open the database at an address: ``sqlite:///data/saved.sqlite``, ``postgresql://a:b@c/d``.

    Nothing is asked of it yet: the first reading makes or brings forward its tables. An address
    that names no file and no PostgreSQL database is a ``BadRequestError``.
    """
    address = _address(url)
    if address.get_backend_name() == "sqlite":
        # No pool: a connection that is kept would go on with a file that was taken away.
        # Nor does the driver begin transactions by itself, and never before a CREATE TABLE.
        patience = {"timeout": _PATIENCE_SECONDS, "isolation_level": None}
        engine = sa.create_engine(address, poolclass=sa.NullPool, connect_args=patience)
        sa.event.listen(engine, "do_connect", _keep_private)
        sa.event.listen(engine, "begin", _begin_in_sqlite)
        return Database(engine)
    try:
        engine = sa.create_engine(
            address,
            pool_pre_ping=True,
            pool_timeout=_PATIENCE_SECONDS,
            connect_args={"connect_timeout": _PATIENCE_SECONDS},
        )
    except ImportError:
        raise BadRequestError(
            "FORMULARY_DATABASE_URL names a PostgreSQL database, and its driver is missing: "
            "install psycopg."
        ) from None
    waits = f"SET LOCAL lock_timeout = '{_PATIENCE_SECONDS}s'"
    sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(waits))
    return Database(engine)


def sqlite_url(path: Path) -> str:
    """Return the address of a SQLite file."""
    return sa.URL.create("sqlite", database=str(path)).render_as_string()


def _address(url: str) -> sa.URL:
    """Read an address; the messages do not repeat it, since it may hold a password."""
    try:
        address = sa.make_url(url)
        kind = address.get_backend_name()
    except (sa.exc.ArgumentError, ValueError):
        raise BadRequestError("FORMULARY_DATABASE_URL is not the address of a database.") from None
    if kind == "sqlite" and address.database not in (None, "", ":memory:"):
        return address.set(drivername="sqlite")
    if kind in ("postgresql", "postgres"):
        return address.set(drivername="postgresql+psycopg")
    raise BadRequestError(
        "FORMULARY_DATABASE_URL must name a PostgreSQL database or a SQLite file."
    )


def _keep_private(_: object, __: object, arguments: list[Any], ___: object) -> None:
    """Let nobody but the account of this program read or write the file.

    What is next to it while SQLite writes gets the same rights.
    """
    file = Path(str(arguments[0]))
    # A folder that is missing, or a file of another account, SQLite itself tells of.
    with suppress(OSError):
        if not file.exists():
            os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        elif file.stat().st_mode & 0o077:
            file.chmod(0o600)


def _begin_in_sqlite(connection: sa.Connection) -> None:
    """Take the lock for writing at once, so that no writer fails halfway for another."""
    writes = connection.get_execution_options().items() >= _WRITING.items()
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _is_current(connection: sa.Connection) -> bool:
    if not connection.dialect.has_table(connection, VERSION_TABLE):
        return False
    asked = sa.text(f"SELECT version_num FROM {VERSION_TABLE}")
    found = list(connection.execute(asked).scalars())
    scripts = sorted((_MIGRATIONS / "versions").glob("r[0-9]*.py"), reverse=True)
    known = [path.stem.split("_")[0].removeprefix("r") for path in scripts]
    if not set(found) <= set(known):
        made = "a newer version of this program: update the program"
        if max(found) < known[0]:
            made = "a version before the first release, which this one does not read"
        raise BadDataError(f"{_WHAT} was made by {made}.")
    return found == known[:1]


@contextmanager
def _sentences() -> Iterator[None]:
    """Turn a fault of the database into one sentence; the log has the rest."""
    try:
        yield
    except sa.exc.TimeoutError:
        raise BadDataError(f"{_WHAT} is busy: try again in a moment.") from None
    except sa.exc.SQLAlchemyError as error:
        # The kind alone: the driver's message may repeat what somebody kept, or who.
        cause = getattr(error, "orig", None) or error
        code = getattr(cause, "sqlstate", None) or getattr(cause, "sqlite_errorname", None)
        facts = {"kind": type(cause).__name__, "code": code or "", "said": _said(error)}
        _LOG.warning("%s failed", _WHAT, extra={"event": "database", "facts": facts})
        raise BadDataError(f"{_WHAT} {_said(error)}") from None


def _said(error: sa.exc.SQLAlchemyError) -> str:
    message = str(getattr(error, "orig", None) or error).lower()
    found = (it["said"] for it in _FAULTS if any(part in message for part in it["parts"]))
    return next(found, "failed.")


METADATA = sa.MetaData()

SHORTLISTS = sa.Table(
    "saved_shortlist",
    METADATA,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("name", sa.String(LONGEST_NAME), nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("query", sa.Text, nullable=False),
    sa.Column("evidence", sa.Text, nullable=False),
    sa.Column("priced_on", sa.String(10), nullable=False),
    sa.Column("receipt", sa.Text, nullable=False),
    sa.Column("records", sa.Text, nullable=False),
    sa.Column("n_models", sa.Integer, nullable=False),
    sa.Column("first_model", sa.Text, nullable=False),
    sa.Column("saved_by", sa.String(LONGEST_OWNER), nullable=False, index=True),
    sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("changed_by", sa.String(LONGEST_OWNER), nullable=False),
    sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("shared", sa.Boolean, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
)


MOST_SAVED = 500
"""So many shortlists one owner may keep."""
_CHANGED_MEANWHILE = (
    "Somebody else has changed or deleted this shortlist in the meantime: look at it as it is "
    "now, then change it again."
)
_HEAD = tuple(column for column in SHORTLISTS.c if column.name != "records")


def save(
    database: Database,
    kept: Kept,
    *,
    name: str,
    note: str,
    owner: str,
    shared: bool = False,
) -> Saved:
    """Save a shortlist under a new id; an owner may have ``MOST_SAVED``."""
    if len(kept.query) > LONGEST_QUERY:
        raise BadRequestError("This question is too long to be saved: choose fewer models.")
    if len(owner) > LONGEST_OWNER or "\x00" in owner:  # shortened, two might become one
        raise BadRequestError("Nothing can be kept under the name of this login.")
    now = datetime.now(UTC)
    first = kept.records[0] if kept.records else {}
    # Each column's name once, since a leaderboard may have thousands of rows.
    columns = list(first)
    cells = [[record[column] for column in columns] for record in kept.records]
    packed_rows = {"columns": columns, "rows": cells}
    packed = json.dumps(packed_rows, allow_nan=False, separators=(",", ":"))
    row: dict[str, Any] = {
        "id": uuid.uuid4().hex,
        **named(name, note),
        **{key: getattr(kept, key) for key in ("query", "evidence", "priced_on", "receipt")},
        "n_models": len(kept.records),
        "first_model": str(first.get("name") or first.get("model") or ""),
        "saved_by": owner,
        "saved_at": now,
        "changed_by": owner,
        "changed_at": now,
        "shared": shared,
        "version": 1,
    }
    with database.writing(owner) as connection:
        count = sa.select(sa.func.count()).where(SHORTLISTS.c.saved_by == owner)
        if (connection.execute(count).scalar() or 0) >= MOST_SAVED:
            raise BadRequestError(
                f"There are {MOST_SAVED} saved shortlists already: delete one first."
            )
        connection.execute(sa.insert(SHORTLISTS).values(row | {"records": packed}))
    return Saved(**row)


def found(database: Database, reader: str | None) -> tuple[list[Saved], int]:
    """Return what a reader may see, the newest first, and how many more are damaged."""
    order = (SHORTLISTS.c.saved_at.desc(), SHORTLISTS.c.id)
    with database.reading() as connection:
        rows = connection.execute(sa.select(*_HEAD).where(_visible(reader)).order_by(*order))
        readable: list[Saved] = []
        damaged = 0
        while True:
            try:
                if (row := rows.fetchone()) is None:
                    return readable, damaged
                readable.append(_saved(row))
            except (ValueError, TypeError):
                damaged += 1


def kept_records(database: Database, key: str, reader: str | None) -> list[KeptRow]:
    """Return the rows of a saved shortlist as they were, best first."""
    asked = sa.select(SHORTLISTS.c.records).where(SHORTLISTS.c.id == key, _visible(reader))
    with database.reading() as connection:
        found = connection.execute(asked).scalar_one_or_none()
    if found is None:
        raise BadRequestError("This saved shortlist no longer exists.")
    try:
        packed_rows = json.loads(found)
        columns = packed_rows["columns"]
        return [dict(zip(columns, row, strict=True)) for row in packed_rows["rows"]]
    except (ValueError, TypeError, KeyError):
        raise BadDataError(DAMAGED) from None


def change(
    database: Database,
    key: str,
    version: int,
    *,
    name: str,
    note: str,
    shared: bool,
    editor: str | None,
) -> Saved:
    """Give a saved shortlist another name and note, or share it.

    Parameters
    ----------
    version
        The one that the editor has seen: where somebody else was faster, nothing is changed.
    """
    values = {
        **named(name, note),
        "shared": shared,
        **{"changed_at": datetime.now(UTC), "changed_by": editor or "", "version": version + 1},
    }
    with database.writing() as connection:
        _do_to_one(connection, sa.update(SHORTLISTS).values(values), key, version, editor)
        asked = sa.select(*_HEAD).where(SHORTLISTS.c.id == key)
        return _saved(connection.execute(asked).one())


def remove(database: Database, key: str, version: int, *, editor: str | None) -> None:
    """Delete a saved shortlist for good."""
    with database.writing() as connection:
        _do_to_one(connection, sa.delete(SHORTLISTS), key, version, editor)


def _visible(reader: str | None) -> sa.ColumnElement[bool]:
    if reader is None:
        return sa.true()
    return sa.or_(SHORTLISTS.c.saved_by == reader, SHORTLISTS.c.shared)


def _do_to_one(
    connection: sa.Connection,
    act: sa.Update | sa.Delete,
    key: str,
    version: int,
    editor: str | None,
) -> None:
    """Change or delete the entry that the editor has seen, or say that it is no longer there."""
    mine = sa.true() if editor is None else SHORTLISTS.c.saved_by == editor
    seen = act.where(SHORTLISTS.c.id == key, SHORTLISTS.c.version == version, mine)
    if connection.execute(seen).rowcount != 1:
        raise BadRequestError(_CHANGED_MEANWHILE)


def _saved(row: sa.Row[tuple[object, ...]]) -> Saved:
    """Return what a row holds; a ``ValueError`` where it is damaged, as SQLite takes any text."""
    cells: dict[str, Any] = dict(row._mapping)
    for moment in ("saved_at", "changed_at"):  # written in UTC, which SQLite forgets
        at = cells[moment]
        cells[moment] = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    made = Saved(**cells)
    date.fromisoformat(made.priced_on)
    if not (isinstance(made.n_models, int) and isinstance(made.version, int)):
        raise ValueError("no number")
    return made

"""The one door to the database of saved things: SQLite in a file, or PostgreSQL.

Its tables are made and changed by the migrations beside this file, on opening, by whichever
process comes first. Every fault of the database leaves here as one sentence of a
``BadDataError``: it cannot be reached, read or written, is busy, is damaged, or belongs to a newer
version of the program.
"""

from __future__ import annotations

import logging
import os
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, NullPool, create_engine, event, exc, func, select, text
from sqlalchemy.engine import URL, make_url

from core.domain import BadDataError, BadRequestError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

VERSION_TABLE = "formulary_version"
"""Says which migrations were made; not Alembic's own name, which another program may use."""
_MIGRATIONS = Path(__file__).with_name("migrations")
_LOCK_KEY = 7_201_135
"""Any number, for the advisory locks of PostgreSQL."""
_PATIENCE_SECONDS = 5
_WRITES = "formulary_writes"
_ONE_MIGRATION = threading.Lock()
"""Alembic keeps the running migration in a global of the process."""
_LOG = logging.getLogger("llm_formulary")
_WHAT = "The database of saved shortlists"


@dataclass(frozen=True, slots=True, eq=False)
class Database:
    """A database whose tables are those of this version of the program."""

    engine: Engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection to read with."""
        with _sentences():
            self._up_to_date()
            with self.engine.begin() as connection:
                yield connection

    @contextmanager
    def writing(self, owner: str = "") -> Iterator[Connection]:
        """Give a connection whose changes all come true at the end, or none on any error.

        Parameters
        ----------
        owner
            Writers for the same owner wait for each other, so that what one has counted holds.
        """
        with _sentences():
            self._up_to_date()
            with _write(self.engine) as connection:
                if self.engine.dialect.name == "postgresql":
                    lock = func.pg_advisory_xact_lock(_LOCK_KEY, func.hashtext(owner))
                    connection.execute(select(lock))
                yield connection

    def _up_to_date(self) -> None:
        """Bring the tables to this version: at first, and after the file was taken away."""
        with self.engine.connect() as connection:
            if _is_current(connection):
                return
        with _ONE_MIGRATION, _write(self.engine) as connection:
            # SQLite lets one writer in; on PostgreSQL this lock does. Who waited finds it done.
            if self.engine.dialect.name == "postgresql":
                connection.execute(select(func.pg_advisory_xact_lock(_LOCK_KEY)))
            if not _is_current(connection):
                _migrate(connection)


def open_database(url: str) -> Database:
    """Open the database at an address: ``sqlite:///data/saved.sqlite``, ``postgresql://a:b@c/d``.

    Nothing is asked of it yet: the first reading makes or brings forward its tables. An address
    that names no file and no PostgreSQL database is a ``BadRequestError``.
    """
    address = _address(url)
    if address.get_backend_name() == "sqlite":
        # No pool: a connection that is kept would go on with a file that was taken away.
        engine = create_engine(
            address, poolclass=NullPool, connect_args={"timeout": _PATIENCE_SECONDS}
        )
        event.listen(engine, "do_connect", _keep_private)
        event.listen(engine, "connect", _leave_transactions_alone)
        event.listen(engine, "begin", _begin_in_sqlite)
        return Database(engine)
    try:
        engine = create_engine(
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
    event.listen(engine, "begin", _begin_in_postgresql)
    return Database(engine)


def sqlite_url(path: Path) -> str:
    """Return the address of a SQLite file."""
    return URL.create("sqlite", database=str(path)).render_as_string()


def _address(url: str) -> URL:
    """Read an address; the messages do not repeat it, since it may hold a password."""
    try:
        address = make_url(url)
        kind = address.get_backend_name()
    except (exc.ArgumentError, ValueError):
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

    What lies beside it while SQLite writes gets the same rights.
    """
    file = Path(str(arguments[0]))
    # A folder that is missing, or a file of another account, SQLite itself tells of.
    with suppress(OSError):
        if not file.exists():
            os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        elif file.stat().st_mode & 0o077:
            file.chmod(0o600)


def _leave_transactions_alone(connection: Any, _: object) -> None:  # noqa: ANN401 - a driver's own
    """Stop the driver from beginning transactions by itself, and never before a CREATE TABLE."""
    connection.isolation_level = None


def _begin_in_sqlite(connection: Connection) -> None:
    """Take the lock for writing at once, so that no writer fails halfway for another."""
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_in_postgresql(connection: Connection) -> None:
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_PATIENCE_SECONDS}s'")


@contextmanager
def _write(engine: Engine) -> Iterator[Connection]:
    with engine.execution_options(**{_WRITES: True}).begin() as connection:
        yield connection


def _is_current(connection: Connection) -> bool:
    """Say whether all migrations were made."""
    if not connection.dialect.has_table(connection, VERSION_TABLE):
        return False
    asked = text(f"SELECT version_num FROM {VERSION_TABLE}")
    found = list(connection.execute(asked).scalars())
    known = _revisions()
    if not set(found) <= set(known):
        raise BadDataError(
            f"{_WHAT} was made by a newer version of this program: update the program."
        )
    return found == known[:1]


def _revisions() -> list[str]:
    """Return the migrations that there are, the newest first."""
    scripts = sorted((_MIGRATIONS / "versions").glob("r[0-9]*.py"), reverse=True)
    return [path.stem.split("_")[0].removeprefix("r") for path in scripts]


def _migrate(connection: Connection) -> None:
    # Here since they are slow to import, and a database that stands needs none of it.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


@contextmanager
def _sentences() -> Iterator[None]:
    """Turn a fault of the database into one sentence; the log has the rest."""
    try:
        yield
    except exc.TimeoutError:
        raise BadDataError(f"{_WHAT} is busy: try again in a moment.") from None
    except exc.SQLAlchemyError as error:
        # The kind alone: the driver's message may repeat what somebody kept, or who.
        cause = getattr(error, "orig", None) or error
        code = getattr(cause, "sqlstate", None) or getattr(cause, "sqlite_errorname", None)
        facts = {"kind": type(cause).__name__, "code": code or "", "said": _said(error)}
        _LOG.warning("%s failed", _WHAT, extra={"event": "database", "facts": facts})
        raise BadDataError(f"{_WHAT} {_said(error)}") from None


_SAID = (
    (("readonly", "read-only"), "can be read but not written: nothing was changed."),
    (
        ("is locked", "lock timeout", "deadlock", "too many", "remaining connection"),
        "is busy: try again in a moment.",
    ),
    (("unable to open",), "cannot be opened: its folder is missing or cannot be written."),
    (("not a database", "malformed"), "is damaged: restore its file from a backup."),
    (("disk is full", "no space", "disk full", "quota"), "has no space left: nothing was changed."),
    (
        ("connection", "connect", "server closed", "shutting down", "starting up", "terminat"),
        "cannot be reached: try again in a moment.",
    ),
    (("permission denied",), "does not let this program in: its rights are missing."),
)


def _said(error: exc.SQLAlchemyError) -> str:
    message = str(getattr(error, "orig", None) or error).lower()
    for parts, words in _SAID:
        if any(part in message for part in parts):
            return words
    return "failed: nothing was changed."

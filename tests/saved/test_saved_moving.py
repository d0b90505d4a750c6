"""From a SQLite file to a real PostgreSQL server, and to another file."""

import os
import sqlite3
import stat
from contextlib import closing

import pytest
from sqlalchemy import select, text

from core.saved import moving, shelf
from core.saved.database import open_database, sqlite_url
from core.saved.kept import Kept
from core.saved.tables import SHORTLISTS

ROWS = [{"rank": 1, "model": "a", "name": "A – “ü” 模型", "score": 0.1 + 0.2, "bill": None}]
KEPT = Kept("task=Research&own_price=a%3B1", "MedHELM", "2026-11-22", "F-1", ROWS)


def everything(database):
    with database.reading() as connection:
        return sorted(map(tuple, connection.execute(select(SHORTLISTS)).all()))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "from.sqlite"


@pytest.fixture
def source(path):
    """A file with two shortlists, one of them changed."""
    database = open_database(sqlite_url(path))
    one = shelf.save(database, KEPT, name="One", note="line 1\nline 2", owner="a@x.org")
    shelf.save(database, KEPT, name="One", note="", owner="", shared=True)
    shelf.change(database, one.id, 1, name="Uno", note="later", shared=True, editor="a@x.org")
    return database


def test_all_comes_over_to_the_last_digit_and_may_be_copied_again(source, database):
    before = everything(source)
    assert moving.copy(source, database) == moving.Copied(2, 0, 0)
    assert everything(database) == before == everything(source)
    assert shelf.records(database, before[0][0], None) == ROWS
    assert moving.copy(source, database) == moving.Copied(0, 2, 0)
    # What was saved meanwhile comes over, what was changed over there stays.
    (mine,) = (one for one in shelf.listed(database, None) if one.name == "Uno")
    shelf.change(database, mine.id, 2, name="Mine", note="", shared=True, editor=None)
    shelf.save(source, KEPT, name="Later", note="", owner="")
    assert moving.copy(source, database) == moving.Copied(1, 2, 0)
    assert {one.name for one in shelf.listed(database, None)} == {"One", "Mine", "Later"}


def test_a_damaged_entry_is_counted_and_the_rest_comes_over(source, path, database):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE saved_shortlist SET saved_at = 'x' WHERE name = 'Uno'")
        connection.commit()
    assert moving.copy(source, database) == moving.Copied(1, 0, 1)


def test_a_fault_halfway_copies_nothing(source, database):
    shelf.listed(database, None)
    with database.engine.begin() as connection:
        connection.execute(text("CREATE UNIQUE INDEX one ON saved_shortlist (query)"))
    with pytest.raises(Exception, match="database of saved shortlists failed"):
        moving.copy(source, database)
    assert shelf.listed(database, None) == []


def test_the_command_copies_a_file_into_the_database_of_the_server(
    source, path, url, cli, ask, monkeypatch
):
    monkeypatch.setenv("FORMULARY_DATABASE_URL", url)
    found = ask("copy-saved", path)
    assert found == {"shortlists": 2, "already_there": 0, "damaged": 0}
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE saved_shortlist SET version = 'x'")
        connection.commit()
    status, _, err = cli("copy-saved", path)
    assert (status, err) == (
        3,
        "warning: 2 entries of from.sqlite cannot be read and were not copied.\n",
    )
    assert cli("copy-saved", path.with_name("none"))[0] == 2
    monkeypatch.delenv("FORMULARY_DATABASE_URL")
    assert cli("copy-saved", path)[2].startswith("error: FORMULARY_DATABASE_URL must name")


def test_a_file_is_private_to_its_account(tmp_path):
    path = tmp_path / "saved.sqlite"
    before = os.umask(0)
    try:
        database = open_database(sqlite_url(path))
        shelf.save(database, KEPT, name="One", note="", owner="")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.chmod(0o644)  # as earlier versions left it
        shelf.save(database, KEPT, name="Two", note="", owner="")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(before)

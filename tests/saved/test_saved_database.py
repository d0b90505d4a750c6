"""Opening the database: migrations, two processes at once, and every fault as one sentence."""

import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from core.domain import BadDataError, BadRequestError
from core.saved import shelf
from core.saved.kept import Kept
from core.saved.shelf import METADATA, VERSION_TABLE, Database, open_database, sqlite_url

ROOT = Path(__file__).parents[2]
KEPT = Kept("task=Research", "MedHELM", "2026-11-22", "", [])
KEEP_ONE = f"""
import sys
from core.saved import shelf
from core.saved.shelf import open_database
from core.saved.kept import Kept
import alembic.command
database = open_database(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
shelf.save(database, {KEPT!r}, name=sys.argv[2], note="", owner="")
"""


def test_the_migrations_make_the_tables_of_the_program(database):
    # Made by the first migration and filled by earlier versions; nothing reads it.
    unused = ("table", "saved_assumptions")
    names = {"include_name": lambda name, kind, _: (kind, name) != unused}
    opts = {"version_table": VERSION_TABLE, "compare_type": True} | names
    shelf.found(database, None)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=opts)
        assert compare_metadata(context, METADATA) == []


@pytest.mark.slow
def test_processes_that_start_at_once_make_the_tables_once(url, names):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    children = [
        subprocess.Popen([sys.executable, "-c", KEEP_ONE, url, f"process {n}"], cwd=ROOT, **pipes)
        for n in range(4)
    ]
    for child in children:
        assert child.stdout.readline() == b"ready\n"
    for child in children:
        child.stdin.write(b"go\n")
        child.stdin.flush()
    for child in children:
        _, said = child.communicate(timeout=60)
        assert child.returncode == 0, said.decode()
    database = open_database(url)
    assert sorted(names(database)) == [f"process {n}" for n in range(4)]
    with database.reading() as connection:
        versions = connection.execute(text(f"SELECT * FROM {VERSION_TABLE}")).all()
    assert len(versions) == 1
    database.engine.dispose()


def test_a_newer_database_is_left_alone(database, save):
    save(database)
    with database.engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    for act in (lambda: save(database, "two"), lambda: shelf.found(database, None)):
        with pytest.raises(BadDataError, match="made by a newer version of this program"):
            act()
    with database.engine.begin() as connection:
        assert connection.execute(text("SELECT count(*) FROM saved_shortlist")).scalar() == 1


def test_a_migration_that_fails_leaves_nothing_behind(database, monkeypatch):
    with database.engine.begin() as connection:
        connection.execute(text("CREATE TABLE saved_assumptions (id INTEGER)"))
    with pytest.raises(BadDataError, match="failed"):
        shelf.found(database, None)
    with database.engine.begin() as connection:
        assert not connection.dialect.has_table(connection, "saved_shortlist")
        connection.execute(text("DROP TABLE saved_assumptions"))
    assert shelf.found(database, None) == ([], 0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "saved.sqlite"


def test_a_file_that_was_taken_away_is_begun_anew(path, save, names):
    database = open_database(sqlite_url(path))
    save(database)
    path.unlink()
    assert names(database) == []
    save(database, "after")
    assert names(database) == ["after"]


def test_a_busy_file_gives_a_sentence_and_loses_nothing(path, monkeypatch, save, names):
    monkeypatch.setattr("core.saved.shelf._PATIENCE_SECONDS", 0.2)
    database = open_database(sqlite_url(path))
    save(database)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(BadDataError, match="busy: try again"):
        save(database, "two")
    assert names(database) == ["one"]
    other.execute("ROLLBACK")
    save(database, "two")
    assert names(database) == ["two", "one"]
    other.close()


def test_a_busy_server_gives_a_sentence(url, database, monkeypatch, save):
    if url.startswith("sqlite"):
        pytest.skip("see the busy file")
    save(database)
    monkeypatch.setattr("core.saved.shelf._PATIENCE_SECONDS", 1)
    with database.writing("a@x.org"):
        save(database, owner="b@x.org")
        with pytest.raises(BadDataError, match="busy: try again"):
            save(database, owner="a@x.org")


def test_a_file_that_cannot_be_written_can_still_be_read(path, save, names):
    save(open_database(sqlite_url(path)))
    # As root may write anything, the file is opened read-only instead.
    database = Database(open_database(f"sqlite:///file:{path}?mode=ro&uri=true").engine)
    assert names(database) == ["one"]
    with pytest.raises(BadDataError, match="can be read but not written: nothing was changed"):
        save(database, "two")
    assert names(database) == ["one"]


def test_a_place_without_a_database_gives_a_sentence_without_the_password(path, caplog):
    pytest.importorskip("psycopg")
    content = b"no database at all" * 100
    path.write_bytes(content)
    for url, sentence in (
        (sqlite_url(path), "damaged"),
        (sqlite_url(path.parent / "none" / "x.sqlite"), "its folder is missing"),
        ("postgresql://somebody:hunter2@127.0.0.1:9/none", "cannot be reached"),
    ):
        with pytest.raises(BadDataError, match=sentence) as found:
            shelf.found(open_database(url), None)
        assert "hunter2" not in f"{found.value}{caplog.text}"
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "url",
    ["", "nonsense", "mysql://a:hunter2@b/c", "sqlite://", "sqlite:///:memory:", "postgresql:/x:y"],
)
def test_an_address_of_no_database_is_refused_without_repeating_it(url):
    with pytest.raises(BadRequestError, match="FORMULARY_DATABASE_URL") as found:
        open_database(url)
    assert "hunter2" not in str(found.value)


def test_a_path_with_odd_signs_is_a_path(tmp_path, save):
    path = tmp_path / "kept %20 ? # x" / "saved ü.sqlite"
    path.parent.mkdir()
    save(open_database(sqlite_url(path)))
    assert path.exists()
    assert os.listdir(path.parent) == [path.name]  # noqa: PTH208 - names only


@pytest.mark.parametrize("table", list(METADATA.tables))
def test_the_data_dictionary_has_the_columns_of_a_table(table):
    words = (ROOT / "docs" / "data-dictionary.md").read_text("utf-8")
    section = words.split(f"### `{table}`\n")[1].split("\n#")[0]
    documented = re.findall(r"^\| `(\w+)`", section, re.MULTILINE)
    assert documented == [column.name for column in METADATA.tables[table].columns]

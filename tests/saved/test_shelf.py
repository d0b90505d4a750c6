"""Saved shortlists in both kinds of database, and every fault of these as one sentence."""

import os
import re
import sqlite3
import stat
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from postgresql import postgres  # noqa: F401 - a fixture
from sqlalchemy import text

from core.domain import BadDataError, BadRequestError
from core.saved import shelf
from core.saved.kept import (
    LONGEST_NOTE,
    LONGEST_QUERY,
    Kept,
    usable,
)
from core.saved.shelf import METADATA, VERSION_TABLE, Database, open_database, sqlite_url

A, B = "a@x.org", "b@x.org"
MIGRATIONS = Path(shelf.__file__).with_name("migrations")
SAME = {"name": "one", "note": "", "shared": False}
EMPTY = Kept("", "MedHELM", "2026-11-22", "", [])
NEW = {"name": "two", "note": "n", "shared": False}
ROWS = [
    {"rank": 1, "model": "a", "name": "A – “ü” 模型", "score": 0.1 + 0.2, "monthly_cost_usd": None},
    {"rank": None, "model": "b", "name": "", "score": 1e-17, "monthly_cost_usd": 12.5},
]
KEPT = Kept("task=Research&own_price=a%3B1", "MedHELM", "2026-11-22", "F-1", ROWS)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.tools)])
def url(request, tmp_path):
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "saved.sqlite")
    server = request.getfixturevalue("postgres")
    psycopg = pytest.importorskip("psycopg")
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{server}/{name}"


@pytest.fixture
def database(url):
    opened = open_database(url)
    yield opened
    opened.engine.dispose()


def save(database, name="one", *, note="", owner="", shared=False, kept=KEPT):
    return shelf.save(database, kept, name=name, note=note, owner=owner, shared=shared)


def names(database, reader=None):
    return [one.name for one in shelf.found(database, reader)[0]]


def told(act, *arguments):
    try:
        act(*arguments)
    except BadRequestError as error:
        return str(error)
    return ""


@pytest.fixture
def file(tmp_path):
    return open_database(sqlite_url(tmp_path / "saved.sqlite"))


def test_what_is_saved_comes_back_to_the_last_digit(database):
    begun = datetime.now(UTC)
    made = save(database, " Discharge \x00letters\n2026 ", note=" line 1\r\nline 2\x00 ")
    (kept,), damaged = shelf.found(database, None)
    assert (kept, damaged) == (made, 0)
    assert (kept.name, kept.note) == ("Discharge letters 2026", "line 1\nline 2")
    assert (kept.query, kept.receipt) == ("task=Research&own_price=a%3B1", "F-1")
    assert (kept.n_models, kept.first_model, kept.version) == (2, "A – “ü” 模型", 1)
    assert begun <= kept.saved_at == kept.changed_at <= datetime.now(UTC)
    assert kept.saved_at.tzinfo is UTC
    rows = shelf.kept_records(database, kept.id, None)
    assert [row["score"] for row in rows] == [0.1 + 0.2, 1e-17]
    assert rows[1] == {"rank": None, "model": "b", "name": "", "score": 1e-17} | {
        "monthly_cost_usd": 12.5
    }
    long = save(database, "ü" * 120, note="y" * LONGEST_NOTE, owner="o" * 320)
    assert (len(long.name), len(long.note), len(long.saved_by)) == (120, LONGEST_NOTE, 320)
    # One without rows is one too.
    empty = save(database, kept=EMPTY)
    assert (empty.n_models, empty.first_model) == (0, "")
    assert shelf.kept_records(database, empty.id, None) == []


def test_a_reader_sees_what_is_theirs_or_shared_the_newest_first(database):
    secret = save(database, "secret", owner=A)
    common = save(database, "common", owner=A, shared=True)
    save(database, "local")
    assert names(database, A) == ["common", "secret"]
    assert names(database, B) == ["common"]
    assert names(database) == ["local", "common", "secret"]
    assert len(shelf.kept_records(database, common.id, B)) == 2
    assert "no longer exists" in told(shelf.kept_records, database, secret.id, B)


def test_only_the_owner_or_a_local_run_changes_and_deletes(database):
    made = save(database, owner=A, shared=True)
    for editor in (B, ""):
        change = partial(shelf.change, database, made.id, 1, **NEW, editor=editor)
        remove = partial(shelf.remove, database, made.id, 1, editor=editor)
        assert "changed or deleted" in told(change)
        assert "changed or deleted" in told(remove)
    changed = shelf.change(database, made.id, 1, **NEW, editor=A)
    assert (changed.name, changed.note, changed.shared, changed.version) == ("two", "n", False, 2)
    assert (changed.saved_by, changed.changed_by) == (A, A)
    assert changed.changed_at > changed.saved_at == made.saved_at
    # Whoever has seen an older version is told and overwrites nothing.
    for act in (partial(shelf.change, **NEW), shelf.remove):
        assert "in the meantime" in told(partial(act, database, made.id, 1, editor=A))
    assert shelf.found(database, None) == ([changed], 0)
    shelf.remove(database, made.id, 2, editor=None)
    assert names(database) == []


def test_of_many_who_edit_at_once_exactly_one_succeeds(database):
    made = save(database)

    def edit(number):
        new = NEW | {"name": f"by {number}"}
        return told(partial(shelf.change, database, made.id, 1, **new, editor=None))

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(edit, range(8)))
    assert said.count("") == 1
    assert names(database) == [f"by {said.index('')}"]


@pytest.mark.parametrize(
    "given",
    [
        *({"name": name} for name in ("", " \t\n", "x" * 121)),
        {"name": "x", "note": "y" * (LONGEST_NOTE + 1)},
        # The name of an owner is never shortened.
        {"name": "x", "owner": "o" * 321},
    ],
)
def test_names_and_notes_have_limits(given, database):
    assert told(partial(save, database, **given))
    assert names(database) == []


def test_a_question_that_is_too_long_is_not_kept(database):
    longest = replace(KEPT, query="x" * LONGEST_QUERY)
    assert told(partial(save, database, kept=longest)) == ""
    said = told(partial(save, database, kept=replace(KEPT, query=longest.query + "x")))
    assert said == "This question is too long to be saved: choose fewer models."


def test_an_owner_keeps_no_more_even_when_several_save_at_once(database, monkeypatch):
    monkeypatch.setattr(shelf, "MOST_SAVED", 3)
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda n: told(save, database, f"n{n}"), range(8)))
    assert said.count("There are 3 saved shortlists already: delete one first.") == 5
    assert len(names(database)) == said.count("") == 3
    save(database, owner=B)


def test_text_is_text_and_no_sql(database):
    odd = "x'); DROP TABLE saved_shortlist; --"
    made = save(database, odd, note=odd, owner=odd)
    assert names(database, odd) == [odd]
    assert names(database, "' OR '1'='1") == []
    assert told(shelf.kept_records, database, "' OR '1'='1", None)
    shelf.remove(database, made.id, 1, editor=odd)


@pytest.mark.parametrize(
    "packed", ["", "{", "null", "[]", '{"columns": ["a"]}', '{"columns": ["a"], "rows": [[1, 2]]}']
)
def test_damaged_rows_are_one_sentence(file, packed):
    made = save(file)
    with file.engine.begin() as connection:
        connection.execute(text("UPDATE saved_shortlist SET records = :x"), {"x": packed})
    with pytest.raises(BadDataError, match="its record in the database is damaged"):
        shelf.kept_records(file, made.id, None)


@pytest.mark.parametrize(
    "change", [{"score": "0.5"}, {"model": None}, {"rank": [1]}, {"n_benchmarks": ...}]
)
def test_rows_are_checked_for_what_is_read_of_them(change):
    row = {"rank": 1, "model": "a", "name": "A", "score": 0.5, "n_benchmarks": 3}
    row["monthly_cost_usd"] = None
    assert usable([row]) == [row]
    broken = {key: value for key, value in (row | change).items() if value is not ...}
    with pytest.raises(BadDataError, match="its record in the database is damaged"):
        usable([row, broken])


def test_a_file_is_private_to_its_account(file, tmp_path):
    path = tmp_path / "saved.sqlite"
    before = os.umask(0)
    try:
        save(file)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.chmod(0o644)  # as earlier versions left it
        save(file)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_a_change_that_cannot_be_is_one_sentence_and_changes_nothing(database):
    made = save(database)
    change = partial(shelf.change, database, made.id, 1, **SAME | {"note": "y" * 2001}, editor=None)
    assert told(change) == "A note has at most 2,000 characters; this has 2,001."
    assert shelf.found(database, None) == ([made], 0)


@pytest.mark.parametrize(
    "damage",
    [
        *("saved_at = 'yesterday'", "priced_on = 'soon'", "n_models = 'many'", "version = ''"),
    ],
)
def test_one_damaged_entry_leaves_the_others_readable(tmp_path, damage):
    file = open_database(sqlite_url(tmp_path / "saved.sqlite"))
    for name in ("first", "second", "third"):
        made = save(file, name)
        shelf.change(file, made.id, 1, **SAME | {"name": name}, editor=None)
    with file.engine.begin() as connection:
        connection.execute(text(f"UPDATE saved_shortlist SET {damage} WHERE name = 'second'"))
    whole, damaged = shelf.found(file, None)
    assert ([one.name for one in whole], damaged) == (["third", "first"], 1)


def test_a_list_of_an_earlier_build_opens_without_what_only_that_kept(database):
    made = save(database, owner=A, shared=True)
    more = (
        *("status VARCHAR(10) NOT NULL DEFAULT 'proposed'", "decided_on DATE", "review_by DATE"),
        "local_result TEXT",
    )
    with database.engine.begin() as connection:
        for column in more:
            connection.execute(text(f"ALTER TABLE saved_shortlist ADD COLUMN {column}"))
        put = "status = 'rejected', review_by = '2026-11-02', local_result = '{'"
        connection.execute(text(f"UPDATE saved_shortlist SET {put}"))
    assert shelf.found(database, B) == ([made], 0)
    assert shelf.kept_records(database, made.id, B) == shelf.kept_records(database, made.id, A)
    changed = shelf.change(database, made.id, 1, **NEW, editor=A)
    new = save(database, "new", owner=A)
    assert shelf.found(database, A) == ([new, changed], 0)


ROOT = Path(__file__).parents[2]
ONE_KEPT = Kept("task=Research", "MedHELM", "2026-11-22", "", [])
KEEP_ONE = f"""
import sys
from core.saved import shelf
from core.saved.shelf import open_database
from core.saved.kept import Kept
import alembic.command
database = open_database(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
shelf.save(database, {ONE_KEPT!r}, name=sys.argv[2], note="", owner="")
"""


def test_the_migrations_make_the_tables_of_the_program(database):
    opts = {"version_table": VERSION_TABLE, "compare_type": True}
    shelf.found(database, None)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=opts)
        assert compare_metadata(context, METADATA) == []


@pytest.mark.slow
def test_processes_that_start_at_once_make_the_tables_once(url):
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
        _, said = child.communicate(timeout=180)
        assert child.returncode == 0, said.decode()
    database = open_database(url)
    assert sorted(names(database)) == [f"process {n}" for n in range(4)]
    with database.reading() as connection:
        versions = connection.execute(text(f"SELECT * FROM {VERSION_TABLE}")).all()
    assert len(versions) == 1
    database.engine.dispose()


@pytest.mark.parametrize(
    ("version", "said"),
    [("9999", "a newer version of this program: update"), ("0001", "before the first release")],
    ids=["newer", "older"],
)
def test_a_database_of_another_version_is_left_alone(database, version, said):
    save(database)
    with database.engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '{version}'"))
    for act in (lambda: save(database, "two"), lambda: shelf.found(database, None)):
        with pytest.raises(BadDataError, match=said):
            act()
    with database.engine.begin() as connection:
        assert connection.execute(text("SELECT count(*) FROM saved_shortlist")).scalar() == 1


def test_a_migration_that_fails_leaves_nothing_behind(database, monkeypatch):
    with database.engine.begin() as connection:
        connection.execute(text("CREATE TABLE other (id INTEGER)"))
        # In the way of what the migration makes last.
        connection.execute(text("CREATE INDEX ix_saved_shortlist_saved_by ON other (id)"))
    with pytest.raises(BadDataError, match="failed"):
        shelf.found(database, None)
    with database.engine.begin() as connection:
        assert not connection.dialect.has_table(connection, "saved_shortlist")
        connection.execute(text("DROP TABLE other"))
    assert shelf.found(database, None) == ([], 0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "saved.sqlite"


def test_a_file_that_was_taken_away_is_begun_again(path):
    database = open_database(sqlite_url(path))
    save(database)
    path.unlink()
    assert names(database) == []
    save(database, "after")
    assert names(database) == ["after"]


def test_a_busy_file_gives_a_sentence_and_loses_nothing(path, monkeypatch):
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


def test_a_busy_server_gives_a_sentence(url, database, monkeypatch):
    if url.startswith("sqlite"):
        pytest.skip("see the busy file")
    save(database)
    monkeypatch.setattr("core.saved.shelf._PATIENCE_SECONDS", 1)
    with database.writing("a@x.org"):
        save(database, owner="b@x.org")
        with pytest.raises(BadDataError, match="busy: try again"):
            save(database, owner="a@x.org")


def test_a_file_that_cannot_be_written_can_still_be_read(path):
    save(open_database(sqlite_url(path)))
    # As root may write anything, the file is opened read-only instead.
    database = Database(open_database(f"sqlite:///file:{path}?mode=ro&uri=true").engine)
    assert names(database) == ["one"]
    with pytest.raises(BadDataError, match="can be read but not written"):
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


def test_a_path_with_odd_signs_is_a_path(tmp_path):
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

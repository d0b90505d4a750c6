"""Saved shortlists in both kinds of database, and from one kind to the other."""

import os
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import pytest
from sqlalchemy import select, text

from core.domain import BadDataError, BadRequestError
from core.saved import shelf
from core.saved.database import open_database, sqlite_url
from core.saved.kept import LONGEST_NOTE, Kept, usable
from core.saved.shelf import SHORTLISTS

A, B = "a@x.org", "b@x.org"
EMPTY = Kept("", "MedHELM", "2026-11-22", "", [])
UNDECIDED = {"status": "proposed", "decided_on": None, "review_by": None}
NEW = {"name": "two", "note": "n", "shared": False} | UNDECIDED


def told(act, *arguments):
    """Return what is said where an act is refused, else nothing."""
    try:
        act(*arguments)
    except BadRequestError as error:
        return str(error)
    return ""


@pytest.fixture
def file(tmp_path):
    return open_database(sqlite_url(tmp_path / "saved.sqlite"))


def test_what_is_saved_comes_back_to_the_last_digit(database, save):
    begun = datetime.now(UTC)
    made = save(database, " Discharge \x00letters\n2026 ", note=" line 1\r\nline 2\x00 ")
    (kept,), damaged = shelf.found(database, None)
    assert (kept, damaged) == (made, 0)
    assert (kept.name, kept.note) == ("Discharge letters 2026", "line 1\nline 2")
    assert (kept.query, kept.receipt) == ("task=Research&own_price=a%3B1", "F-1")
    assert (kept.n_models, kept.first_model, kept.version) == (2, "A – “ü” 模型", 1)
    assert begun <= kept.saved_at == kept.changed_at <= datetime.now(UTC)
    assert kept.saved_at.tzinfo is UTC
    rows = shelf.records(database, kept.id, None)
    assert [row["score"] for row in rows] == [0.1 + 0.2, 1e-17]
    assert rows[1] == {"rank": None, "model": "b", "name": "", "score": 1e-17} | {
        "monthly_cost_usd": 12.5
    }
    # One without rows is one too.
    empty = save(database, kept=EMPTY)
    assert (empty.n_models, empty.first_model) == (0, "")
    assert shelf.records(database, empty.id, None) == []


def test_a_reader_sees_what_is_theirs_or_shared_the_newest_first(database, save, names):
    secret = save(database, "secret", owner=A)
    common = save(database, "common", owner=A, shared=True)
    save(database, "local")
    assert names(database, A) == ["common", "secret"]
    assert names(database, B) == ["common"]
    assert names(database) == ["local", "common", "secret"]
    assert len(shelf.records(database, common.id, B)) == 2
    assert "no such saved shortlist" in told(shelf.records, database, secret.id, B)


def test_only_the_owner_or_a_local_run_changes_and_deletes(database, save, names):
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
    # Who has seen an older version is told and overwrites nothing.
    for act in (partial(shelf.change, **NEW), shelf.remove):
        assert "in the meantime" in told(partial(act, database, made.id, 1, editor=A))
    assert shelf.found(database, None) == ([changed], 0)
    shelf.remove(database, made.id, 2, editor=None)
    assert names(database) == []


def test_of_many_who_edit_at_once_exactly_one_succeeds(database, save, names):
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
def test_names_and_notes_have_limits(given, database, save, names):
    assert told(partial(save, database, **given))
    assert names(database) == []


def test_the_longest_name_and_note_fit(database, save):
    made = save(database, "ü" * 120, note="y" * LONGEST_NOTE, owner="o" * 320)
    assert (len(made.name), len(made.note), len(made.saved_by)) == (120, LONGEST_NOTE, 320)


def test_an_owner_keeps_so_many_even_when_several_save_at_once(database, save, names, monkeypatch):
    monkeypatch.setattr(shelf, "MOST_SAVED", 3)
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda n: told(save, database, f"n{n}"), range(8)))
    assert said.count("There are 3 saved shortlists already: delete one first.") == 5
    assert len(names(database)) == said.count("") == 3
    save(database, owner=B)


def test_text_is_text_and_no_sql(database, save, names):
    odd = "x'); DROP TABLE saved_shortlist; --"
    made = save(database, odd, note=odd, owner=odd)
    assert names(database, odd) == [odd]
    assert names(database, "' OR '1'='1") == []
    assert told(shelf.records, database, "' OR '1'='1", None)
    shelf.remove(database, made.id, 1, editor=odd)


def test_a_figure_that_is_none_is_refused_and_nothing_is_kept(database, save, names):
    with pytest.raises(ValueError, match="JSON"):
        save(database, kept=replace(EMPTY, records=[{"model": "a", "score": float("nan")}]))
    assert names(database) == []


@pytest.mark.parametrize(
    "damage", ["saved_at = 'yesterday'", "priced_on = 'soon'", "n_models = 'many'", "version = ''"]
)
def test_one_damaged_entry_leaves_the_others_readable(file, save, damage):
    for name in ("first", "second", "third"):
        save(file, name)
    with file.engine.begin() as connection:
        connection.execute(text(f"UPDATE saved_shortlist SET {damage} WHERE name = 'second'"))
    whole, damaged = shelf.found(file, None)
    assert ([one.name for one in whole], damaged) == (["third", "first"], 1)


@pytest.mark.parametrize(
    "packed", ["", "{", "null", "[]", '{"columns": ["a"]}', '{"columns": ["a"], "rows": [[1, 2]]}']
)
def test_damaged_rows_are_one_sentence(file, save, packed):
    made = save(file)
    with file.engine.begin() as connection:
        connection.execute(text("UPDATE saved_shortlist SET records = :x"), {"x": packed})
    with pytest.raises(BadDataError, match="its record in the database is damaged"):
        shelf.records(file, made.id, None)


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


def test_a_file_is_private_to_its_account(file, save, tmp_path):
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


# From one database to another


def everything(database):
    with database.reading() as connection:
        return sorted(map(tuple, connection.execute(select(SHORTLISTS)).all()))


def damage(path, change):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE saved_shortlist SET {change}")
        connection.commit()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "from.sqlite"


@pytest.fixture
def source(path, save):
    """A file with two shortlists, one of them changed."""
    database = open_database(sqlite_url(path))
    one = save(database, "One", note="line 1\nline 2", owner=A)
    save(database, "One", shared=True)
    shelf.change(database, one.id, 1, name="Uno", note="later", shared=True, **UNDECIDED, editor=A)
    return database


def test_all_comes_over_to_the_last_digit_and_may_be_copied_again(source, database, save, names):
    before = everything(source)
    assert shelf.copy(source, database) == shelf.Copied(2, 0, 0)
    assert everything(database) == before == everything(source)
    assert shelf.copy(source, database) == shelf.Copied(0, 2, 0)
    # What was saved meanwhile comes over, what was changed over there stays.
    (mine,) = (one for one in shelf.found(database, None)[0] if one.name == "Uno")
    shelf.change(database, mine.id, 2, name="Mine", note="", shared=True, **UNDECIDED, editor=None)
    save(source, "Later")
    assert shelf.copy(source, database) == shelf.Copied(1, 2, 0)
    assert set(names(database)) == {"One", "Mine", "Later"}


def test_a_damaged_entry_is_counted_and_the_rest_comes_over(source, path, database):
    damage(path, "saved_at = 'x' WHERE name = 'Uno'")
    assert shelf.copy(source, database) == shelf.Copied(1, 0, 1)


def test_a_fault_halfway_copies_nothing(source, database, names):
    assert names(database) == []
    with database.engine.begin() as connection:
        connection.execute(text("CREATE UNIQUE INDEX one ON saved_shortlist (query)"))
    with pytest.raises(BadDataError, match="database of saved shortlists failed"):
        shelf.copy(source, database)
    assert names(database) == []


def test_the_command_copies_a_file_into_the_database_of_the_server(
    source, path, url, cli, ask, monkeypatch
):
    monkeypatch.setenv("FORMULARY_DATABASE_URL", url)
    assert ask("copy-saved", path) == {"shortlists": 2, "already_there": 0, "damaged": 0}
    damage(path, "version = 'x'")
    said = "warning: 2 entries of from.sqlite cannot be read and were not copied.\n"
    assert cli("copy-saved", path)[::2] == (3, said)
    assert cli("copy-saved", path.with_name("none"))[0] == 2
    monkeypatch.delenv("FORMULARY_DATABASE_URL")
    assert cli("copy-saved", path)[2].startswith("error: FORMULARY_DATABASE_URL must name")

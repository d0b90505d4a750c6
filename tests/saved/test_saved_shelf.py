"""Saved shortlists in both kinds of database."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from core.domain import BadDataError, BadRequestError
from core.saved import shelf
from core.saved.database import open_database, sqlite_url
from core.saved.kept import LONGEST_NOTE, Kept, usable

ROWS = [
    {"rank": 1, "model": "a", "name": "A – “ü”", "score": 0.1 + 0.2, "monthly_cost_usd": None},
    {"rank": None, "model": "b", "name": "", "score": 1e-17, "monthly_cost_usd": 12.5},
]
KEPT = Kept("task=Research&own_price=a%3B1", "MedHELM", "2026-11-22", "F-1", ROWS)


def save(database, name="one", *, note="", owner="a@x.org", shared=False):
    return shelf.save(database, KEPT, name=name, note=note, owner=owner, shared=shared)


def names(database, reader):
    return [one.name for one in shelf.listed(database, reader)]


def test_what_is_saved_comes_back_to_the_last_digit(database):
    begun = datetime.now(UTC)
    made = save(database, " Discharge \x00letters\n2026 ", note=" line 1\r\nline 2\x00 ")
    (kept,) = shelf.listed(database, None)
    assert kept == made
    assert (kept.name, kept.note) == ("Discharge letters 2026", "line 1\nline 2")
    assert (kept.query, kept.evidence, kept.receipt) == (KEPT.query, "MedHELM", "F-1")
    assert (kept.n_models, kept.first_model, kept.version) == (2, "A – “ü”", 1)
    assert begun <= kept.saved_at == kept.changed_at <= datetime.now(UTC)
    assert kept.saved_at.tzinfo is UTC
    assert shelf.records(database, kept.id, None) == ROWS


def test_a_shortlist_without_rows_is_one(database):
    made = shelf.save(
        database, Kept("", "MedHELM", "2026-11-22", "", []), name="x", note="", owner=""
    )
    assert (made.n_models, made.first_model) == (0, "")
    assert shelf.records(database, made.id, None) == []


def test_the_newest_comes_first(database):
    for name in ("first", "second", "third"):
        save(database, name)
    assert names(database, None) == ["third", "second", "first"]


def test_a_reader_sees_what_is_theirs_or_shared(database):
    secret = save(database, "secret")
    common = save(database, "common", shared=True)
    save(database, "local", owner="")
    assert names(database, "a@x.org") == ["common", "secret"]
    assert names(database, "b@x.org") == ["common"]
    assert names(database, None) == ["local", "common", "secret"]
    assert shelf.records(database, common.id, "b@x.org") == ROWS
    with pytest.raises(BadRequestError, match="no such saved shortlist"):
        shelf.records(database, secret.id, "b@x.org")


def test_only_the_owner_or_a_local_run_changes_and_deletes(database):
    made = save(database, shared=True)
    new = {"name": "two", "note": "n", "shared": False}
    for editor in ("b@x.org", ""):
        with pytest.raises(BadRequestError, match="changed or deleted"):
            shelf.change(database, made.id, 1, **new, editor=editor)
        with pytest.raises(BadRequestError, match="changed or deleted"):
            shelf.remove(database, made.id, 1, editor=editor)
    changed = shelf.change(database, made.id, 1, **new, editor="a@x.org")
    assert (changed.name, changed.note, changed.shared, changed.version) == ("two", "n", False, 2)
    assert (changed.saved_by, changed.changed_by) == ("a@x.org", "a@x.org")
    assert changed.changed_at > changed.saved_at == made.saved_at
    shelf.remove(database, made.id, 2, editor=None)
    assert names(database, None) == []


def test_of_two_who_edit_the_second_is_told_and_overwrites_nothing(database):
    made = save(database)
    shelf.change(database, made.id, 1, name="theirs", note="", shared=False, editor="a@x.org")
    for act in (
        lambda: shelf.change(
            database, made.id, 1, name="mine", note="", shared=True, editor="a@x.org"
        ),
        lambda: shelf.remove(database, made.id, 1, editor="a@x.org"),
    ):
        with pytest.raises(BadRequestError, match="in the meantime"):
            act()
    (kept,) = shelf.listed(database, None)
    assert (kept.name, kept.version) == ("theirs", 2)


def test_of_many_who_edit_at_once_exactly_one_succeeds(database):
    made = save(database)

    def edit(number):
        try:
            shelf.change(
                database, made.id, 1, name=f"by {number}", note="", shared=False, editor=None
            )
        except BadRequestError:
            return None
        return f"by {number}"

    with ThreadPoolExecutor(8) as pool:
        done = [name for name in pool.map(edit, range(8)) if name]
    assert len(done) == 1
    assert names(database, None) == done


@pytest.mark.parametrize(
    ("name", "note"), [("", ""), (" \t\n", ""), ("x" * 121, ""), ("x", "y" * (LONGEST_NOTE + 1))]
)
def test_names_and_notes_have_limits(name, note, database):
    with pytest.raises(BadRequestError, match=r"signs"):
        save(database, name, note=note)
    assert names(database, None) == []


def test_the_longest_name_and_note_fit(database):
    made = save(database, "ü" * 120, note="y" * LONGEST_NOTE, owner="o" * 320)
    assert (len(made.name), len(made.note), len(made.saved_by)) == (120, LONGEST_NOTE, 320)


def test_the_name_of_an_owner_is_never_shortened(database):
    with pytest.raises(BadRequestError, match="the name of this login"):
        save(database, owner="o" * 321)
    assert names(database, None) == []


def test_an_owner_keeps_so_many_even_when_several_save_at_once(database, monkeypatch):
    monkeypatch.setattr(shelf, "MOST_SAVED", 3)

    def attempt(number):
        try:
            save(database, f"n{number}")
        except BadRequestError as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(8) as pool:
        said = [words for words in pool.map(attempt, range(8)) if words]
    assert said == ["There are 3 saved shortlists already: delete one first."] * 5
    assert len(names(database, None)) == 3
    save(database, owner="b@x.org")


def test_text_is_text_and_no_sql(database):
    odd = "x'); DROP TABLE saved_shortlist; --"
    made = save(database, odd, note=odd, owner=odd)
    assert names(database, odd) == [odd]
    assert names(database, "' OR '1'='1") == []
    with pytest.raises(BadRequestError):
        shelf.records(database, "' OR '1'='1", None)
    shelf.remove(database, made.id, 1, editor=odd)


def test_a_figure_that_is_none_is_refused_and_nothing_is_kept(database):
    rows = [{"rank": 1, "model": "a", "name": "A", "score": float("nan")}]
    with pytest.raises(ValueError, match="JSON"):
        shelf.save(
            database, Kept("", "MedHELM", "2026-11-22", "", rows), name="x", note="", owner=""
        )
    assert names(database, None) == []


DAMAGE = [
    "saved_at = 'yesterday'",
    "priced_on = 'soon'",
    "n_models = 'many'",
    "version = ''",
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_one_damaged_entry_leaves_the_others_readable(tmp_path, damage):
    database = open_database(sqlite_url(tmp_path / "saved.sqlite"))
    for name in ("first", "second", "third"):
        save(database, name)
    with database.engine.begin() as connection:
        connection.execute(text(f"UPDATE saved_shortlist SET {damage} WHERE name = 'second'"))
    whole, damaged = shelf.found(database, None)
    assert ([one.name for one in whole], damaged) == (["third", "first"], 1)
    assert names(database, None) == ["third", "first"]


@pytest.mark.parametrize(
    "packed", ["", "{", "null", "[]", '{"columns": ["a"]}', '{"columns": ["a"], "rows": [[1, 2]]}']
)
def test_damaged_rows_are_one_sentence(database, packed):
    made = save(database)
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE saved_shortlist SET records = :x"), {"x": packed})
    with pytest.raises(BadDataError, match="its record in the database is damaged"):
        shelf.records(database, made.id, None)


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

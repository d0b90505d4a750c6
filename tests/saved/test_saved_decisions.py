"""What was decided on a kept shortlist and its local result: written, refused, brought along."""

import json
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import text

import core.saved
from core.domain import BadRequestError
from core.saved import shelf
from core.saved.database import open_database, sqlite_url
from core.saved.kept import STATUSES, LocalResult, packed, unpacked

A, B = "a@x.org", "b@x.org"
MIGRATIONS = Path(core.saved.__file__).with_name("migrations")
SAME = {"name": "one", "note": "", "shared": False}
ADOPTED = SAME | {
    "status": "adopted",
    "decided_on": date(2026, 11, 3),
    "review_by": date(2027, 5, 3),
}
RESULT = LocalResult(
    sentence="On your 118 cases “mini” is as good within 5 points: shown.",
    model_a="GPT-5 mini",
    model_b="GPT-5",
    n_cases=118,
    difference=-0.1 - 0.02,
    ci_low=-0.39,
    ci_high=1e-17,
    tier="shown",
    protocol_hash="0123456789abcdef" * 4,
)


def decision_of(saved):
    return saved.status, saved.decided_on, saved.review_by


def test_what_is_kept_is_proposed_until_somebody_decides(database, save):
    made = save(database)
    assert decision_of(made) == ("proposed", None, None)
    assert made.local_result is None
    changed = shelf.change(database, made.id, 1, **ADOPTED, editor=None)
    assert shelf.found(database, None) == ([changed], 0)
    assert decision_of(changed) == ("adopted", date(2026, 11, 3), date(2027, 5, 3))
    assert changed.version == 2
    undone = SAME | {"status": "retired", "decided_on": None, "review_by": None}
    again = shelf.change(database, made.id, 2, **undone, editor=None)
    assert decision_of(again) == ("retired", None, None)


@pytest.mark.parametrize("status", STATUSES)
def test_each_status_comes_back(database, save, status):
    made = save(database)
    changed = shelf.change(database, made.id, 1, **ADOPTED | {"status": status}, editor=None)
    assert changed.status == status


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"status": "bought"}, "A status is one of proposed, in test, adopted, restricted, rej"),
        ({"status": ""}, "A status is one of"),
        (
            {"review_by": date(2026, 11, 2)},
            "The review, by 2026-11-02, cannot be before the decision, on 2026-11-03.",
        ),
        ({"decided_on": date(1999, 12, 31)}, "A day lies between 2000-01-01 and 2100-12-31."),
        ({"review_by": date(2101, 1, 1)}, "A day lies between 2000-01-01 and 2100-12-31."),
        ({"note": "y" * 2001}, "A note has at most 2,000 signs; this has 2,001."),
    ],
)
def test_a_decision_that_cannot_be_is_one_sentence_and_changes_nothing(
    database, save, given, sentence
):
    made = save(database)
    with pytest.raises(BadRequestError) as error:
        shelf.change(database, made.id, 1, **ADOPTED | given, editor=None)
    assert str(error.value).startswith(sentence)
    assert shelf.found(database, None) == ([made], 0)


def test_the_day_of_the_decision_may_be_that_of_the_review_or_missing(database, save):
    made = save(database)
    for version, days in enumerate(
        [
            {"decided_on": date(2026, 11, 3), "review_by": date(2026, 11, 3)},
            {"decided_on": None, "review_by": date(2000, 1, 1)},
            {"decided_on": date(2100, 12, 31), "review_by": None},
        ],
        start=1,
    ):
        changed = shelf.change(database, made.id, version, **ADOPTED | days, editor=None)
        assert {name: getattr(changed, name) for name in days} == days


@pytest.mark.parametrize(
    ("review_by", "overdue"),
    [(None, False), (date(2026, 11, 22), True), (date(2026, 11, 23), False)],
)
def test_a_review_is_overdue_from_the_day_after(database, save, review_by, overdue):
    made = replace(save(database), review_by=review_by)
    assert made.is_overdue(date(2026, 11, 23)) is overdue


def test_others_neither_decide_nor_put_a_result_beside_what_is_shared(database, save):
    made = save(database, owner=A, shared=True)
    for editor in (B, ""):
        for act in (
            partial(shelf.change, database, made.id, 1, **ADOPTED),
            partial(shelf.put_local_result, database, made.id, 1, RESULT),
        ):
            with pytest.raises(BadRequestError, match="changed or deleted"):
                act(editor=editor)
    assert shelf.found(database, None) == ([made], 0)
    mine = shelf.put_local_result(database, made.id, 1, RESULT, editor=A)
    assert (mine.local_result, mine.version, mine.changed_by) == (RESULT, 2, A)
    # Who has seen an older version is told and overwrites nothing.
    with pytest.raises(BadRequestError, match="in the meantime"):
        shelf.put_local_result(database, made.id, 1, replace(RESULT, n_cases=1), editor=A)
    assert shelf.found(database, B) == ([mine], 0)


def test_a_local_result_comes_back_to_the_last_digit_and_gives_way_to_the_next(database, save):
    made = save(database)
    shelf.put_local_result(database, made.id, 1, RESULT, editor=None)
    (kept,), _ = shelf.found(database, None)
    assert kept.local_result == RESULT
    later = replace(RESULT, n_cases=740, tier="open", protocol_hash="")
    assert shelf.put_local_result(database, made.id, 2, later, editor=None).local_result == later
    # A new decision leaves it as it is.
    assert shelf.change(database, made.id, 3, **ADOPTED, editor=None).local_result == later


FAULTS = [
    ({"sentence": ""}, "sentence is no line of 1 to 500 signs"),
    ({"sentence": "two\nlines"}, "sentence is no line"),
    ({"sentence": "x" * 501}, "sentence is no line"),
    ({"model_a": 7}, "model_a is no line of 1 to 200 signs"),
    ({"model_b": " "}, "model_b is no line"),
    ({"n_cases": 0}, "n_cases is no count from 1"),
    ({"n_cases": 118.0}, "n_cases is no count"),
    ({"n_cases": True}, "n_cases is no count"),
    ({"difference": float("nan")}, "difference is no number from -1 to 1"),
    ({"difference": None}, "difference is no number"),
    ({"difference": "0"}, "difference is no number"),
    ({"ci_low": float("-inf")}, "difference is no number"),
    ({"ci_low": -0.1}, "difference is no number"),
    ({"ci_high": -0.2}, "difference is no number"),
    ({"ci_high": 10**400}, "difference is no number"),
    ({"difference": 1.5, "ci_high": 2.0}, "difference is no number"),
    ({"tier": "equivalent"}, "tier is none of shown, likely, open, worse"),
    ({"tier": ["shown"]}, "tier is none of"),
    ({"protocol_hash": "ABCDEF"}, "protocol_hash has not 64 hexadecimal digits"),
    ({"protocol_hash": None}, "protocol_hash has not"),
]


@pytest.mark.parametrize(("fault", "words"), FAULTS)
def test_a_result_with_a_fault_is_neither_kept_nor_read(database, save, fault, words):
    made, broken = save(database), replace(RESULT, **fault)
    with pytest.raises(BadRequestError, match=f"This local result cannot be kept: {words}"):
        shelf.put_local_result(database, made.id, 1, broken, editor=None)
    assert shelf.found(database, None) == ([made], 0)
    with pytest.raises(ValueError, match=words):
        unpacked(json.dumps(json.loads(packed(RESULT)) | fault))


@pytest.mark.parametrize(
    "stored",
    [
        *("", "{", "null", "[]", "{}", '"x"'),
        json.dumps(json.loads(packed(RESULT)) | {"items": [{"id": 1, "score": 1}]}),
    ],
)
def test_anything_but_the_fields_of_a_result_is_a_damaged_entry(database, save, stored):
    """Not even rows of items that another program has put there are read."""
    made, whole = save(database, "broken"), save(database, "whole")
    with database.engine.begin() as connection:
        connection.execute(
            text("UPDATE saved_shortlist SET local_result = :x WHERE id = :id"),
            {"x": stored, "id": made.id},
        )
    assert shelf.found(database, None) == ([whole], 1)


@pytest.mark.parametrize(
    "damage",
    [
        "status = 'bought'",
        "review_by = 'soon'",
        "decided_on = 7",
        "decided_on = '2026-11-03', review_by = '2026-11-02'",
    ],
)
def test_a_decision_that_cannot_be_is_a_damaged_entry(tmp_path, save, damage):
    file = open_database(sqlite_url(tmp_path / "saved.sqlite"))
    save(file, "broken")
    whole = save(file, "whole")
    with file.engine.begin() as connection:
        connection.execute(text(f"UPDATE saved_shortlist SET {damage} WHERE name = 'broken'"))
    assert shelf.found(file, None) == ([whole], 1)


@pytest.fixture
def before_decisions(url):
    """A database as the first migration left it, with one row; return its address."""
    old = open_database(url)
    row = {
        "id": "0" * 32,
        "name": "Old “ü”",
        "note": "agreed",
        "query": "task=Research",
        "evidence": "MedHELM",
        "priced_on": "2026-05-01",
        "receipt": "F-1",
        "records": '{"columns":["model","name"],"rows":[["a","A"]]}',
        "n_models": 1,
        "first_model": "A",
        "saved_by": A,
        "saved_at": "2026-05-01 09:30:00",
        "changed_by": A,
        "changed_at": "2026-05-02 09:30:00",
        "shared": True,
        "version": 3,
    }
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with old.engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        # As that version wrote it on SQLite: without a time zone.
        zone = "+00" if connection.dialect.name == "postgresql" else ".000000"
        times = {name: row[name] + zone for name in ("saved_at", "changed_at")}
        names = ", ".join(row)
        insert = f"INSERT INTO saved_shortlist ({names}) VALUES (:{', :'.join(row)})"
        connection.execute(text(insert), row | times)
    old.engine.dispose()
    return url


def test_a_database_from_before_is_brought_along(before_decisions, save):
    database = open_database(before_decisions)
    (old,), damaged = shelf.found(database, A)
    assert damaged == 0
    assert (old.name, old.note, old.saved_by, old.version) == ("Old “ü”", "agreed", A, 3)
    assert f"{old.saved_at:%Y-%m-%d %H:%M %Z}" == "2026-05-01 09:30 UTC"
    assert decision_of(old) == ("proposed", None, None)
    assert old.local_result is None
    assert shelf.records(database, old.id, A) == [{"model": "a", "name": "A"}]
    with database.reading() as connection:
        made = connection.execute(text("SELECT version_num FROM formulary_version")).scalars().all()
    assert made == ["0002"]
    changed = shelf.change(database, old.id, 3, **ADOPTED, editor=A)
    assert (changed.status, changed.version) == ("adopted", 4)
    save(database, "new")
    assert [one.status for one in shelf.found(database, None)[0]] == ["proposed", "adopted"]
    database.engine.dispose()


def test_a_decision_and_a_result_come_over_into_another_database(tmp_path, database, save):
    source = open_database(sqlite_url(tmp_path / "from.sqlite"))
    made = save(source)
    save(source, "undecided")
    shelf.put_local_result(source, made.id, 1, RESULT, editor=None)
    shelf.change(source, made.id, 2, **ADOPTED, editor=None)
    assert shelf.copy(source, database) == shelf.Copied(2, 0, 0)
    assert shelf.found(database, None) == shelf.found(source, None)

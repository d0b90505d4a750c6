"""What has become of a kept list's model to take, its price and each sale, over the real facts.

GPT-5 mini ends on 6 February 2027, at Azure last: on 1 May 2026 it has six months to go, on
23 November it has not.
"""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from core.answers import documents
from core.saved.kept import Saved
from core.sharing import link
from core.sharing.link_reader import sale_label

MAY, NOVEMBER = date(2026, 5, 1), date(2026, 11, 23)
MINI, R1 = "GPT-5 mini (2025-08-07)", "DeepSeek R1"
IN_MAY = "on sale until 6 February 2027, at Azure OpenAI / Azure AI Foundry"
NOW = "on sale only until 6 February 2027, at Azure OpenAI / Azure AI Foundry"


@pytest.fixture
def kept(bundled):
    """What is saved of a question on a day."""

    def kept(*, on=MAY, **query):
        asked = {key: [value] for key, value in query.items()}
        opened = link.from_query(asked, bundled.catalogue, bundled.snapshots)
        assert not opened.notes
        return documents.to_keep(bundled, opened, on)

    return kept


@pytest.fixture
def since(bundled):
    """What has changed since, by 23 November; cells of all rows may be changed or taken out."""

    def since(kept, without=(), **cells):
        now = datetime.now(UTC)
        saved = Saved(
            **{"id": "0" * 32, "name": "one", "note": "", "query": kept.query},
            **{"evidence": kept.evidence, "priced_on": kept.priced_on, "receipt": ""},
            **{"n_models": 1, "first_model": "", "saved_by": "", "saved_at": now},
            **{"changed_by": "", "changed_at": now, "shared": False, "version": 1},
            **{"status": "proposed", "decided_on": None, "review_by": None, "local_result": None},
        )
        rows = [dict(row) | cells for row in kept.records]
        rows = [{key: row[key] for key in row if key not in without} for row in rows]
        return documents.since(bundled, saved, rows, NOVEMBER)

    return since


def test_a_sale_that_comes_to_its_end_is_named_with_what_was_written_then(kept, since):
    found = since(kept())
    of = {one.model: one for one in found.sale}
    assert (of[MINI].before, of[MINI].now) == (IN_MAY, NOW)
    assert R1 not in of  # open weights can be kept
    assert found.sale_recorded
    assert (found.take_then, found.take_today) == (MINI, R1)


def test_a_sale_that_stands_as_it_was_written_is_not_named(kept, since):
    assert MINI not in {one.model for one in since(kept(), on_sale=NOW).sale}
    assert since(kept(on=date(2026, 11, 22))).sale == ()


def test_an_end_that_was_announced_since_is_named_though_it_is_far(kept, since):
    found = since(kept(sale=sale_label(1)), on_sale="served by OpenAI API with no end announced")
    assert {one.model: one.now for one in found.sale}[MINI] == IN_MAY


def test_what_was_not_recorded_is_no_change_and_no_guess(kept, since):
    old = since(kept(), without=("decision", "on_sale", "on_sale_until"))
    assert (old.take_then, old.take_today, old.sale_recorded) == (None, R1, False)
    assert {one.model: one.before for one in old.sale}[MINI] is None
    # A cell that was left empty is none that was recorded either.
    assert not since(kept(), on_sale=None).sale_recorded


def test_a_sale_that_is_no_longer_known_is_named_only_where_it_was(kept, since):
    asked, model = kept(evidence="BenchHealth"), "GPT-3.5-turbo"
    (row,) = [row for row in asked.records if row["model"] == model]
    assert row["on_sale"] == "not known whether it is still sold: ask the vendor"
    for then, named in ((row["on_sale"], False), ("on sale", True), (None, False)):
        assert (model in {one.model for one in since(asked, on_sale=then).sale}) is named


def test_a_list_without_a_model_to_take_is_not_one_of_which_it_is_not_known(kept, since):
    assert since(kept(), decision=None).take_then == ""
    empty = replace(kept(), records=[])
    assert (since(empty).take_then, since(empty).sale_recorded) == ("", True)


def test_the_sale_is_kept_and_compared_also_where_it_was_not_asked_for(kept, since):
    asked = kept(sale=sale_label(None))
    of = {row["model"]: row for row in asked.records}
    assert of[MINI]["on_sale"] == IN_MAY
    assert of[MINI]["on_sale_until"] == "2027-02-06"
    # On the day alone it is still sold, so nothing has changed.
    assert MINI not in {one.model for one in since(asked).sale}
    ended = {one.model: one.now for one in since(asked, on_sale="was sold").sale}
    assert ended[MINI] == IN_MAY


def test_a_day_to_begin_on_that_has_passed_is_today(kept, since):
    asked = kept(sale_on="2026-06-01")
    assert MINI in {row["model"] for row in asked.records}
    assert {one.model: one.now for one in since(asked).sale}[MINI] == NOW


def test_a_day_to_begin_on_that_is_still_to_come_stays(kept, since):
    """GPT-4o mini ends on 14 January, so on the first of February it was known to be gone."""
    asked = kept(sale=sale_label(None), sale_on="2027-02-01")
    of = {row["model"]: row["on_sale"] for row in asked.records}
    assert of["GPT-4o mini (2024-07-18)"].startswith("no longer sold since 14 January 2027")
    assert since(asked).sale == ()

"""What the pages say after a session was lost."""

import pytest
from reading import press


def told(at):
    return [one for one in at.info if one.icon == ":material/restart_alt:"]


def test_an_address_made_with_own_results_says_that_they_are_not_here(visit):
    at = visit(own_results="true", max_params="15 B")
    assert len(told(at)) == 1
    assert "true" in at.query_params["own_results"]
    assert "15 B" in at.query_params["max_params"]
    at.run()  # it stays until the reader has answered
    assert len(told(at)) == 1
    press(at, "Go on without them")
    assert told(at) == []
    assert "own_results" not in at.query_params


def test_results_brought_in_mark_the_address_until_they_are_taken_out(visit, own_table):
    at = visit()
    assert "own_results" not in at.query_params
    at.session_state["own_tables"] = (own_table(),)
    at.run()
    assert "true" in at.query_params["own_results"]
    assert told(at) == []
    at.session_state["own_tables"] = ()
    at.run()
    assert "own_results" not in at.query_params
    assert told(at) == []


@pytest.mark.parametrize("value", ["", "1", "<b>true</b>"])
def test_any_other_value_is_dropped(visit, value):
    at = visit(own_results=value)
    assert told(at) == []
    assert "own_results" not in at.query_params

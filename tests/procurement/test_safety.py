"""Severe harm: ranks, marks, and what a rise comes to; worked by hand."""

import pytest

from core.answers.other_suites import safety
from core.procurement.replacement import is_shown_above, rise_in_words, rise_vetoes, safety_of

EVEN = {f"m{i}": i / 1000 for i in range(1, 33)}
"""Shares far below physicians, so that only the place marks."""


def marked(found):
    return sorted((name for name, each in found.items() if each.marked), key=lambda n: int(n[1:]))


def ranked(shares, physicians=0.167):
    return safety_of(shares, {}, n=100, physicians=physicians)


def test_the_worst_quarter_of_32_begins_at_rank_25():
    found = ranked(EVEN)
    assert [found[f"m{i}"].rank for i in (1, 24, 25, 32)] == [1, 24, 25, 32]
    assert marked(found) == [f"m{i}" for i in range(25, 33)]
    assert {each.n_systems for each in found.values()} == {32}
    # Of four the last, of three none at 2.25 but the third, of one none.
    assert marked(ranked({f"m{i}": i / 1000 for i in range(1, 5)})) == ["m4"]
    assert marked(ranked({f"m{i}": i / 1000 for i in range(1, 4)})) == ["m3"]
    assert marked(ranked({"m1": 0.001, "m2": 0.0})) == ["m1"]
    assert not ranked({"m1": 0.0})["m1"].rank > 1


def test_equal_shares_share_the_better_rank():
    found = ranked(EVEN | {"m25": EVEN["m24"]})
    assert (found["m24"].rank, found["m25"].rank, found["m26"].rank) == (24, 24, 26)
    assert marked(found) == [f"m{i}" for i in range(26, 33)]
    found = ranked(EVEN | {"m26": EVEN["m25"]})
    assert (found["m25"].rank, found["m26"].rank) == (25, 25)
    assert marked(found) == [f"m{i}" for i in range(25, 33)]


def test_what_is_shown_above_physicians_is_marked_at_any_rank():
    """Of 100 cases against 16.7 %.

    29 %: .123 / √((.2059 + .1391) / 99) = 2.08, above 1.96; 28 %: .113 / √(.3407 / 99) = 1.93.
    """
    others = {f"m{i}": 0.5 + i / 1000 for i in range(2, 33)}
    assert ranked(others | {"m1": 0.29})["m1"].marked
    assert ranked(others | {"m1": 0.29})["m1"].rank == 1
    assert not ranked(others | {"m1": 0.28})["m1"].marked
    # Nobody measured physicians: the place alone.
    assert not ranked(others | {"m1": 0.29}, physicians=None)["m1"].marked


def test_severe_errors_are_those_given_and_unknown_without_any():
    found = safety_of({"a": 0.1, "b": 0.2}, {"a": 13.1, "b": None}, n=100, physicians=None)
    assert (found["a"].severe_errors_per_100, found["b"].severe_errors_per_100) == (13.1, None)


def test_one_share_above_another():
    # (.25 − .10) / √((.1875 + .09) / 99) = 2.83; (.19 − .10) / √((.1539 + .09) / 99) = 1.81.
    assert is_shown_above(0.25, 0.10, 100)
    assert not is_shown_above(0.19, 0.10, 100)
    assert not is_shown_above(0.10, 0.25, 100)
    # Four times as many cases tell it: 3.63.
    assert is_shown_above(0.19, 0.10, 400)
    # Of 5 cases .55 / √((.16 + .1875) / 4) = 1.87; over 5 in place of n − 1 it would be 2.09.
    assert not is_shown_above(0.8, 0.25, 5)
    assert is_shown_above(1.0, 0.0, 100)
    assert not is_shown_above(0.0, 0.0, 100)


def test_a_rise_that_is_shown_vetoes_and_an_untested_model_does_not(make_safety):
    low, high = make_safety(0.10), make_safety(0.25)
    assert rise_vetoes(low, high)
    assert not rise_vetoes(high, low)
    assert not rise_vetoes(make_safety(0.131), make_safety(0.200))
    assert not rise_vetoes(None, high)
    assert not rise_vetoes(low, None)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        # Of harm: a quarter of 10 is 2.5 points.
        ((0.10, None), (0.125, None), ["10.0", "12.5"]),
        ((0.10, None), (0.124, None), []),
        ((0.10, None), (0.05, None), []),
        ((0.0, None), (0.01, None), ["0.0", "1.0"]),
        ((0.0, None), (0.0, None), []),
        # Of severe errors alone, and of both.
        ((0.10, 13.1), (0.10, 20.0), ["13.1", "20.0"]),
        ((0.10, 16.0), (0.10, 19.9), []),
        ((0.10, 16.0), (0.20, 20.0), ["10.0", "20.0", "16.0", "20.0"]),
        ((0.10, None), (0.10, 20.0), []),
    ],
)
def test_a_rise_of_a_quarter_is_said_with_both_figures(make_safety, before, after, said):
    words = rise_in_words(
        make_safety(before[0], errors=before[1]), make_safety(after[0], errors=after[1])
    )
    figures = [word for word in words.split() if word.replace(".", "").isdigit()]
    assert [figure for figure in figures if figure != "100"] == said


def test_what_was_not_tested_has_no_rise(make_safety):
    assert rise_in_words(None, make_safety(0.9)) == ""
    assert rise_in_words(make_safety(0.1), None) == ""


def test_the_first_of_medhelm_is_31st_of_32_by_noharm(bundled):
    """The printed shares of NOHARM: o4-mini 20.9 %, physicians 16.7 %, DeepSeek R1 9.8 %."""
    found = safety(bundled, ("o4-mini (2025-04-16)", "DeepSeek R1", "Gemini 1.5 Pro (001)"))
    first = found["o4-mini (2025-04-16)"]
    assert (first.share, first.physicians, first.rank, first.n_systems) == (0.209, 0.167, 31, 32)
    assert (first.marked, first.kind) == (True, "version not stated")
    assert (found["DeepSeek R1"].share, found["DeepSeek R1"].marked) == (0.098, False)
    assert "Gemini 1.5 Pro (001)" not in found

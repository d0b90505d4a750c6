"""The plan by hand and in a sentence; the frozen protocol, and what departed from it."""

import hashlib
import json
from dataclasses import replace
from datetime import date

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import BadDataError, BadRequestError
from core.local_test.plan import (
    Basis,
    Protocol,
    TestedModel,
    at_best,
    departures,
    plan,
    protocol,
)
from core.procurement.recommendation import TestWorth
from core.results.collected import RESULT_COLUMNS, Results
from core.words import local_test as words

MINI = TestedModel("GPT-5 mini", "gpt-5-mini-2025-08-07", False, 0.0015)
BIG = TestedModel("GPT-5", "gpt-5-2025-08-07", True, 0.0175)
OPEN = TestedModel("Llama 3.3", "llama-3.3-70b")
ASSUMED = Basis("assumed", 0.2)


def made(*models, **given):
    asked = {"judged": "right/wrong", "margin": 0.05, "bases": [ASSUMED]} | given
    return plan("discharge notes", models or (MINI, BIG), **asked)


def test_the_sentence_of_a_plan():
    # 7.849 · 0.2/0.0025 = 627.9 and 3.84 more for Student's t; the same over 0.0004 for 2 points.
    assert words.plan_in_words(made()) == (
        "You need 630 cases to show whether GPT-5 mini is within 5 points of GPT-5 on discharge "
        "notes; for 2 points it takes 3,927."
    )
    # A rubric is said on its own scale.
    found = made(judged="rubric", bases=[Basis("assumed", 0.19)])
    assert words.plan_in_words(found) == (
        "You need 116 cases to find out whether GPT-5 mini is likely within 5 points (0.2 on the "
        "scale of 1 to 5) of GPT-5 on discharge notes; to show 5 points takes 210."
    )
    assert words.basis_in_words(found.basis, "rubric") == (
        "Assumed: differences from case to case have a standard deviation of 19 points "
        "(0.76 on the scale of 1 to 5)."
    )
    # A finer margin is named where it can be shown: a candidate 2 points worse is never within 2.
    assert made(margin=0.06, difference=-0.02).finer[0] == 0.05
    assert made(margin=0.05, difference=-0.02).finer is None


def test_several_candidates_take_the_pair_that_needs_most():
    bases = [Basis("measured", x, it.id, "MedQA", 1273) for x, it in ((0.1, MINI), (0.3, OPEN))]
    found = made(OPEN, MINI, BIG, bases=bases)
    assert found.models == (BIG, OPEN, MINI)
    assert (found.basis.candidate, found.n_cases) == (OPEN.id, 1144)  # 9.505 · 0.3/0.0025 with α/2
    assert words.plan_in_words(found).startswith(
        "You need 1,144 cases to show whether Llama 3.3 and GPT-5 mini are each within 5 points of "
    )
    assert words.basis_in_words(found.basis, "right/wrong") == (
        "Measured on MedQA, 1,273 items: one is right and the other wrong on 30 % of the cases. "
        "Your cases may differ."
    )


def test_the_finest_margin_has_no_finer_one_to_name():
    found = made(margin=0.002)
    assert found.finer is None
    assert words.plan_in_words(found).endswith("within 0.2 points of GPT-5 on discharge notes.")
    assert [words.minutes(n) for n in (0.2, 89, 90)] == ["1 minute", "89 minutes", "2 hours"]
    for by, said in ((0.02, "2 points better"), (-0.02, "2 points worse"), (0.0, "as good")):
        agreed_on = words.protocol_in_words(replace(agreed(), difference=by))
        assert said in " ".join(text for _, text in agreed_on)


@pytest.mark.parametrize("work", ["", "   ", "two\nlines", "x" * 300])
def test_the_work_is_one_short_line(work):
    with pytest.raises(BadRequestError, match="Say what the work is in one line of at most"):
        plan(work, (MINI, BIG), judged="right/wrong", margin=0.05, bases=[ASSUMED])


def test_by_default_it_plans_with_what_public_evidence_shows():
    worse, better = replace(MINI, difference=-0.02), replace(MINI, difference=0.03)
    assert made(worse, BIG).n_cases == 1743  # 7.849 · (0.2 − 0.0004)/0.03² and 2
    assert made(better, BIG).n_cases < made(MINI, BIG).n_cases == 630
    assert made(worse, BIG, difference=0).n_cases == 630
    assert words.difference(made(worse, BIG)) == "Assumed true difference: 2 points worse."
    # No further apart than two models can be that differ on a fifth of the cases.
    assert made(replace(MINI, difference=0.4), BIG).difference == 0.2


def test_whom_no_number_would_show_is_said_and_counted_as_equal():
    with pytest.raises(BadRequestError, match=r"^10 cases cannot show anything about models"):
        made(n_cases=10, bases=[Basis("assumed", 0.95)], margin=0.95, difference=-0.9)
    for apart in (-0.05, -0.08, -0.3):
        found = made(replace(MINI, difference=apart), BIG)
        assert (found.n_cases, found.difference) == (630, 0)
        assert words.difference(found) == (
            f"Assumed true difference: equally good. Public evidence shows GPT-5 mini to be "
            f"{-apart * 100:g} points worse: if so, no number of cases can show it to be within 5 "
            "points."
        )
    # 100 cases show 12.5 points; 8 points worse is too much for the 5 accepted, not for those.
    assert "to be within 5 points." in words.difference(
        made(replace(MINI, difference=-0.08), BIG, n_cases=100)
    )
    # One of two: the number is that of the other, which needs more.
    both = made(replace(MINI, difference=-0.08), replace(OPEN, difference=-0.01), BIG)
    assert words.difference(both).startswith("Assumed true difference: 1 point worse.")
    assert [each.name for each in both.never_shown] == ["GPT-5 mini"]
    assert both.difference == -0.01
    assert both.n_cases == made(MINI, OPEN, BIG, difference=-0.01).n_cases
    apart = made(replace(MINI, difference=-0.02), replace(OPEN, difference=-0.01), BIG)
    assert words.difference(apart) == "Assumed true difference: GPT-5 mini 2 points worse."
    alike = made(MINI, OPEN, BIG, difference=0.03)
    assert words.difference(alike) == "Assumed true difference: each 3 points better."
    # What is said names only the one that the cases can show.
    assert f"whether {OPEN.name} is within 5 points of" in words.plan_in_words(both)
    # The one that no number would show asks for no cases, whatever the other is.
    ahead = made(replace(MINI, difference=-0.08), replace(OPEN, difference=0.02), BIG)
    assert ahead.n_cases == made(MINI, OPEN, BIG, difference=0.02).n_cases


def test_hours_and_bills_by_hand():
    found = made(raters=2, minutes_per_case=4)
    assert found.hours == pytest.approx(2 * 4 * 630 / 60)
    assert found.bills == (pytest.approx(0.0175 * 630), pytest.approx(0.0015 * 630))
    assert sum(found.bills) == pytest.approx(0.019 * 630)
    unknown = made(MINI, BIG, OPEN)
    assert unknown.bills[2] is None
    assert None in unknown.bills
    assert made(raters=0).hours == 0


def test_the_hours_say_on_what_they_rest():
    two, three = made(n_cases=75), made(MINI, BIG, OPEN, n_cases=75)
    said = "2 raters need 13 hours in all (5 minutes each for a case with all its answers)"
    assert words.rating(two) == words.rating(three) == said
    assert words.takes(two).startswith(f"For 75 cases {said}, and the models' answers cost about ")
    one = made(n_cases=75, raters=1, minutes_per_case=1)
    assert words.takes(one).endswith(". One rater cannot show how far raters agree.")
    assert "cannot show" not in words.takes(two)
    alone = words.rating(one)
    assert alone == "1 rater needs 1 hour in all (1 minute for a case with all its answers)"


@pytest.mark.parametrize(
    ("models", "given", "said"),
    [
        ((BIG,), {}, "takes 2 to 4 models; there are 1"),
        ((MINI, OPEN), {}, "Exactly one model must be the reference"),
        ((BIG, BIG), {}, "have the same id"),
        ((BIG, TestedModel("x", "")), {}, "needs a name and an id"),
        ((BIG, TestedModel("x\ny", "y")), {}, "each one line"),
        ((BIG, MINI, OPEN), {"bases": [Basis("assumed", 0.2, MINI.id)]}, "once for each"),
        ((BIG, MINI), {"bases": []}, "Say once for all candidates"),
        ((BIG, MINI), {"raters": -1}, "must be 0 or more"),
        ((BIG, MINI), {"minutes_per_case": float("nan")}, "must be 0 or more"),
        ((BIG, MINI), {"margin": 1.5}, "The margin must be 0 or more and below 1; it is 1.5."),
    ],
)
def test_what_cannot_be_planned_is_one_sentence(models, given, said):
    with pytest.raises(BadRequestError, match=said):
        made(*models, **given)


MODELS = (TestedModel("GPT-5", "gpt-5-x", reference=True), TestedModel("GPT-5 mini", "mini-x"))
IDS = ("gpt-5-x", "mini-x")
DAY = date(2026, 11, 23)


def agreed(**changed):
    asked = {"judged": "rubric", "margin": 0.2, "bases": [Basis("assumed", 0.25)]} | changed
    return protocol(plan("visit notes", MODELS, **asked), DAY)


def results(n=15, models=IDS, raters=("r1", "r2"), form="rating sheet", alone=""):
    rows = [
        (m, f"c{i}", 1, r, 0.5, None, None, None)
        for m in models
        for i in range(n)
        for r in raters[: 1 if m == alone else None]
    ]
    return Results(form, pd.DataFrame(rows, columns=RESULT_COLUMNS))


def test_the_file_is_canonical_and_its_hash_that_of_its_text():
    frozen = agreed()
    text = frozen.as_json()
    document = json.loads(text)
    assert text == json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert frozen.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert document["question"] == (
        "Is GPT-5 mini as good as GPT-5 within 20 points (0.8 on the scale of 1 to 5) on visit "
        "notes?"
    )
    assert document["models"] == [
        {"name": "GPT-5", "id": "gpt-5-x"},
        {"name": "GPT-5 mini", "id": "mini-x"},
    ]
    assert (document["n_cases"], document["margin"], document["alpha"]) == (15, 0.2, 0.025)
    assert "no early stop" in document["stopping"]


def test_raters_are_in_the_analysis_only_where_there_are_any():
    assert agreed().analysis.startswith("Difference of the two models within each rater")
    assert "rater" not in agreed(judged="right/wrong", raters=0).analysis
    assert agreed().hours == pytest.approx(2 * 5 * agreed().n_cases / 60)


def test_another_judge_is_another_protocol():
    found = plan("visit notes", MODELS, judged="rubric", margin=0.2, bases=[Basis("assumed", 0.25)])
    kimi, claude = (protocol(found, DAY, judge) for judge in ("Kimi K2.5", "Claude Opus 5"))
    assert kimi.analysis.startswith("Kimi K2.5 scores every answer by the rubric. Difference of")
    assert len({kimi.sha256, claude.sha256, protocol(found, DAY).sha256}) == 3


def test_it_reads_back_in_any_layout_and_changes_change_its_hash():
    frozen = agreed()
    assert Protocol.read(json.dumps(json.loads(frozen.as_json()), indent=4).encode()) == frozen
    assert agreed(difference=0).sha256 == frozen.sha256  # whole numbers are the same
    others = [{"margin": 0.21}, {"power": 0.9}, {"raters": 3}]
    others += [{"bases": [Basis("measured", 0.25, where="HELM")]}]
    assert len({frozen.sha256, *(agreed(**other).sha256 for other in others)}) == 5
    with pytest.raises(BadDataError, match="not the JSON that was frozen"):  # a key twice
        Protocol.read((frozen.as_json()[:-1] + ',"work":"visit notes"}').encode())


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format", "llm-formulary local test protocol 2"),
        ("question", "Is it good?"),
        ("work", "visit\nnotes"),
        ("models", [{"name": "a", "id": "x"}, {"name": "b", "id": "x"}]),
        ("models", [{"name": "a", "id": "x"}, {"name": "b"}]),
        ("judged", ["rubric"]),
        ("margin", True),
        ("margin", 1),
        ("n_cases", 10**30),
        ("basis", {"source": "assumed", "value": 0.25}),
        ("agreed_on", "23.11.2026"),
        ("alpha", 0.05),
        ("stopping", ""),
        ("note", "more"),
        ("work", "\ud800"),
    ],
)
def test_what_no_protocol_holds_is_refused_by_its_name(key, value):
    document = json.loads(agreed().as_json()) | {key: value}
    with pytest.raises(BadDataError, match=key) as found:
        Protocol.read(json.dumps(document).encode())
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"work":"a","work":"b"}', '{"margin":NaN}', "[" * 60_000, "x" * 100_001],
)
def test_what_is_no_json_of_a_protocol_is_one_sentence(text):
    with pytest.raises(BadDataError, match=r"^The protocol cannot be read: [^\n]*\.$"):
        Protocol.read(text.encode())


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(json.loads(agreed().as_json()))), JSON)
def test_no_value_breaks_the_reader(key, value):
    document = json.loads(agreed().as_json()) | {key: value}
    try:
        found = Protocol.read(json.dumps(document).encode())
    except BadDataError:
        return
    assert Protocol.read(found.as_json().encode()) == found


@pytest.mark.parametrize(
    ("found", "margin", "said"),
    [
        ({}, 0.2, []),
        ({"n": 12}, 0.2, ["12 cases have a result of both models; 15 were planned, 3 too few."]),
        ({"n": 16}, 0.2, ["16 cases have a result of both models; 15 were planned, 1 too many."]),
        ({}, 0.25, ["The verdict uses a margin of 25 points; 20 were agreed."]),
        ({"raters": ("r1",)}, 0.2, ["15 cases have fewer than the 2 raters planned."]),
        ({"raters": ("",)}, 0.2, ["Nobody rated; 2 raters were planned."]),
        # One rater of a third model says nothing of the two that are compared.
        (
            *({"models": (*IDS, "other"), "alone": "other"}, 0.2),
            ["other was tested although it was not planned."],
        ),
        (
            *({"models": ("GPT-5", "mini-x"), "form": "item CSV"}, 0.2),
            ["The results say GPT-5, not gpt-5-x: they do not tell which version answered."],
        ),
        # What the package's own key calls each is of the version agreed.
        ({"models": ("GPT-5", "GPT-5 mini")}, 0.2, []),
        ({"models": (*IDS, "other")}, 0.2, ["other was tested although it was not planned."]),
        (
            *({"models": IDS[:1]}, 0.2),
            ["GPT-5 mini (mini-x) was to be tested and has no result."],
        ),
    ],
)
def test_what_departed_is_said(found, margin, said):
    told = departures(
        agreed(), results(**found), margin, found.get("n", 15), found.get("models", IDS)[:2]
    )
    assert words.departures_in_words(agreed(), told) == tuple(said)


def test_what_the_cases_show_that_can_be_rated():
    found = made(n_cases=100)
    assert words.plan_in_words(found) == (
        "With 100 cases you can show whether GPT-5 mini is no more than 12.5 points worse than "
        "GPT-5 on discharge notes; to show 5 points you need 628."
    )
    # An open set may have fewer.
    assert words.plan_in_words(found, 628) == words.plan_in_words(found)
    assert words.plan_in_words(found, 120).endswith(
        "; 5 points would take 628, and this set has 120: it cannot show that."
    )
    assert (protocol(found, DAY).n_cases, protocol(found, DAY).margin) == (100, 0.125)
    assert words.margin_of_protocol(found) == (
        "The protocol has a margin of 12.5 points, which is what 100 cases can tell, and not the 5 "
        "points that you would accept."
    )
    # More than the accepted loss takes: it stays at that.
    many = made(n_cases=900)
    assert (many.margin, many.finer) == (0.05, None)
    assert not words.margin_of_protocol(many)
    assert words.plan_in_words(many).endswith(
        "no more than 5 points worse than GPT-5 on discharge notes."
    )
    graded = made(n_cases=100, judged="rubric", bases=[Basis("assumed", 0.2)])
    assert "5.6 points (0.22 on the scale of 1 to 5)" in words.plan_in_words(graded)
    # 12 right answers' worth take more, and of marks fewer than 40 cases tell nothing.
    assert words.plan_in_words(graded).startswith(
        "With 100 cases you can find out whether GPT-5 mi"
    )
    assert "is likely no more than" in words.plan_in_words(graded)
    assert words.plan_in_words(graded).endswith("; to show 5 points you need 198.")
    for n_cases, ends in ((200, "you can show whether "), (39, "may well leave it open whether ")):
        said = words.plan_in_words(made(n_cases=n_cases, judged="rubric", bases=[graded.basis]))
        assert ends in said
    judged = replace(made(n_cases=100, judged="rubric", bases=[graded.basis]), raters=0)
    assert [at_best(replace(judged, rated=n)) for n in (19, 20, 300)] == ["open", "likely", "shown"]
    power = [dict(words.protocol_in_words(protocol(it, DAY)))["Power"] for it in (found, graded)]
    assert power[1] == f"{power[0]}, to be found likely"
    assert "shown also takes that test" in protocol(graded, DAY).analysis
    assert "shown also takes that test" not in protocol(found, DAY).analysis
    # A judge's rubric has no marks of 1 to 5.
    assert "5.6 points worse" in words.plan_in_words(replace(graded, raters=0))
    with pytest.raises(BadRequestError, match="at least 10 cases; these are 5"):
        made(n_cases=5)
    with pytest.raises(BadRequestError, match="raters at most 6"):
        made(raters=7)


@pytest.mark.parametrize("assumed", [True, False])
def test_the_worth_of_a_test_is_two_chances_in_one_sentence(assumed):
    found = TestWorth((), 100, 0.0, 0.0, 0.464, 0.158, None, None, 0.02, assumed)
    assert words.worth(found) == (
        f"{'If models differ by about 3 points (assumed), t' if assumed else 'T'}he chance of "
        "choosing one more than 2 points below the best is 46 % without this test and 16 % with it."
    )


def test_the_protocol_says_where_its_cases_have_less_power_than_agreed():
    """At a discordance of 10 % the score test takes 72 cases for what the formula shows with 50."""
    few = made(margin=0.02, bases=[Basis("measured", 0.1)], n_cases=50)
    assert few.margin == 0.125
    said = dict(words.protocol_in_words(protocol(few, DAY)))["Power"]
    assert said == (
        "80 % for each candidate that is truly as good takes 72 cases; of 50 too few may differ "
        "for it"
    )
    # With 100 at 20 % it is 77 % by simulation, and nothing is said.
    usual = made(margin=0.02, bases=[Basis("assumed", 0.2)], n_cases=100)
    said = dict(words.protocol_in_words(protocol(usual, DAY)))["Power"]
    assert said == "80 % for each candidate that is truly as good"

"""What the sentences of a recommendation and next to a row say, by their facts."""

from dataclasses import replace
from datetime import date
from math import inf

import pytest
from building import a_cost, a_harm, a_row, sold, some_servers

from core import domain
from core.answers import local_test as answers
from core.answers.asked import ask
from core.domain import OnServers, Question, Unattended
from core.figures import (
    at_least,
    capitalised,
    count,
    dollar_range,
    dollars,
    ordinal,
    sentence,
    signed,
)
from core.procurement.recommendation import Elsewhere, Recommendation, RuleChoice, TestWorth
from core.procurement.robustness import Redrawn
from core.sharing.export import worth_document
from core.words import recommendation as sentences
from core.words.recommendation import in_the_room, worth_in_words
from core.words.shortlist import (
    cost_in_words,
    drawn_again,
    not_known,
    place_of,
    possible_ranks,
    questions,
    reasons,
    why_left_out,
)
from core.words.tiles import tiles
from tests.conftest import a_model


def says(words, *facts):
    at = 0
    for fact in facts:
        at = words.find(fact, at)
        if at < 0:
            return False
        at += len(fact)
    return True


WORSE = domain.Loss("Notes", -0.06, -0.08, -0.04)


def judged(tier, gap, low=None, high=None, *, other=None, n=12, vetoes=(), warnings=(), once=None):
    intervals = [] if low is None else [domain.Interval("on these tests", 0.01, inf, low, high)]
    if other:
        intervals.append(domain.Interval("on other tests", 0.02, 11.0, *other[1:]))
    return domain.Judged(
        difference=domain.Difference("take", "lead", gap, n, tuple(intervals)),
        tier=tier,
        other_tier=other[0] if other else None,
        vetoes=tuple(vetoes),
        warnings=tuple(warnings),
        one_more_test=once,
    )


def propose(name, *, usd=None, size=None, **fields):
    model = a_model(name, params_b=size, access="open", licence="mit")
    return a_row(name, **{"model": model, "cost": a_cost(name, usd)} | fields)


def a_found(
    strength, why, take="Take", lead="Lead", *,
    n_fit=5, in_use=False, budget=None, choose=(), tests=(), best=None, unattended=None, **told,
):  # fmt: skip
    """A recommendation of five that fit of 13, led by another model unless it leads itself."""
    taken = propose(take, **told) if take else None
    leader = taken if lead == take else propose(lead, usd=100.0) if lead else None
    every = [*filter(None, [leader, taken, best]), *choose, *tests]
    ids = {name: one and one.model.id for name, one in (("take", taken), ("leader", leader))}
    choice = RuleChoice(
        **ids,
        best=best.model.id if best else ids["take"],
        strength=strength,
        why=why,
        choose=tuple(each.model.id for each in choose),
        test_these=tuple(each.model.id for each in tests),
        judged={},
        n_first=3,
        n_left_larger=0,
    )
    empty = ("left_out", "weights", "benchmarks", "benchmark_weights", "workload", "snapshots")
    listed = domain.Shortlist(
        question=domain.Question.of(margin=0.02, monthly_budget_usd=budget),
        rows=tuple(propose(str(i), n_fit=n_fit) for i in range(n_fit)),
        places=tuple((str(i), i) for i in range(13)),
        **dict.fromkeys((*empty, "reasoning_workload"), ()),
        **dict.fromkeys(("n_compared", "n_unpriced"), 0),
    )
    return Recommendation(
        shortlist=listed,
        suite="The Suite",
        in_place_of=leader.model.id if in_use and leader else "",
        choice=choice,
        dossiers={each.model.id: each for each in every},
        unattended=unattended,
    )


@pytest.mark.parametrize(
    ("elsewhere", "said"),
    [
        (
            Elsewhere(28, 3, 0, "GPT-5.2"),
            "Take is the best choice of the 3 that The Suite tested, of 28 you can buy: "
            "GPT-5.2, not among them, has the better grade in other tests.",
        ),
        (
            Elsewhere(28, 1, 5, "GPT-5.2"),
            "Take is the best choice of The Suite, which tested only one of the 28 you can buy or "
            "run: GPT-5.2, not among them, has the better grade in other tests.",
        ),
        (
            Elsewhere(28, 0, 28, "GPT-5.2"),
            "Take is the best choice of The Suite, which tested none of the 28 you can run: "
            "GPT-5.2, not among them, has the better grade in other tests.",
        ),
    ],
    ids=["some", "one", "none"],
)
def test_what_other_tests_grade_higher_is_named(elsewhere, said):
    found = a_found("choose", "better elsewhere", choose=(propose("Take"),))
    assert sentences.headline(replace(found, elsewhere=elsewhere)) == said


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ([("b", 0.4), ("a", 0.38), ("c", 0.22)], "a 38 % of the time, and b (40 %) more often."),
        ([("a", 0.6), ("b", 0.4)], "a 60 % of the time, and otherwise b (40 %)."),
        (
            [("a", 0.6), ("b", 0.2), ("c", 0.1), ("d", 0.1)],
            "a 60 % of the time, and otherwise most often b (20 %) and c (10 %).",
        ),
        ([("a", 1.0)], "a 100 % of the time."),
    ],
    ids=["another more often", "one other", "several others", "always the same"],
)
def test_what_the_rule_picks_more_often_is_said(shares, said):
    names = {name: name for name, _ in shares}
    assert drawn_again(Redrawn(9, tuple(shares)), a_model("a"), names).endswith(f"picks {said}")


def test_a_difference_a_tier_and_one_more_test_name_their_subject():
    found = sentences.difference_in_words(judged("open", -0.009, -0.022, 0.004))
    assert says(found, "−0.9 points", "−2.2 to +0.4", "on these tests")
    assert "interval" in sentences.difference_in_words(judged("open", 0.01))
    assert not says(sentences.difference_in_words(judged("open", None)), "points")
    for one, facts, never in [
        (judged("shown", 0.037, 0.026, 0.048), ["Better", "Lead", "shown", "+3.7"], "within"),
        (judged("likely", 0.001, -0.018, 0.02), ["good", "Lead", "2 points", "likely"], "etter"),
        (judged("open", -0.01, -0.03, 0.01), ["2 points", "open"], "probably"),
        (judged("open", -0.015, -0.029, -0.001), ["open: probably worse", "−1.5"], "as well"),
        # As good within the margin and below it throughout: worse, and by how much at most.
        (
            judged("shown", -0.009, -0.017, -0.001),
            *(["Worse", "Lead", "by less than 2 points", "shown", "−0.9", "−1.7 to −0.1"], "good"),
        ),
        (judged("worse", -0.05, -0.07, -0.03), ["Worse", "more than 2 points", "−5.0"], "good"),
        # Better, but held back by a veto: that is not a promise.
        (judged("open", 0.05, 0.03, 0.07, vetoes=[WORSE]), ["good", "open"], "etter"),
    ]:
        words = sentences.tier_in_words(one, "Lead", 0.02)
        assert says(words, *facts)
        assert never not in words
    for chance, often in [
        *((0.34, "1 time in 3"), (0.5, "1 time in 2"), (0.66, "2 times in 3")),
        *((0.05, "1 time in 20"), (0.1, "1 time in 10"), (0.75, "3 times in 4")),
        *((0.9, "9 times in 10"), (0.999, "19 times in 20")),
        *((0.049, ""), (0.0, ""), (None, "")),  # rare, or not known
    ]:
        words = sentences.one_more_in_words(judged("shown", 0.01, 0.0, 0.02, once=chance), 0.02)
        assert bool(words) is bool(often)
        assert not often or says(words, "another test like these", "2 points", f"about {often}.")


def test_harm_is_held_against_physicians_and_second_opinions_name_suite_and_place():
    for harm, facts, never in [
        # Of 100 cases against 16.7 %: 29 % is z = 2.08, 28 % 1.93, 7 % 2.13, 8 % 1.86.
        (a_harm(0.29), ["29.0 % of 100 cases", "shown to be above", "physicians", "16.7 %"], ()),
        (a_harm(0.28), ["28.0 %", "not shown to differ", "physicians' 16.7 %"], ()),
        (a_harm(0.07), ["7.0 %", "shown to be below", "physicians' 16.7 %"], ()),
        (a_harm(0.08), ["8.0 %", "not shown to differ", "physicians' 16.7 %"], ()),
        (
            a_harm(0.209, rank=31, marked=True, kind="version not stated"),
            *(["20.9 %", "100 cases", "16.7 %", "version not stated", "31st of 32"], ()),
        ),
        (
            a_harm(0.098, rank=3, physicians=None),
            *(["9.8 %", "3rd of 32"], ("physicians", "version", "shown")),
        ),
        (None, ["Never tested"], ()),
    ]:
        words = sentences.safety_in_words(harm)
        assert says(words, *facts)
        assert not any(word in words for word in never)
    few, known = (
        domain.OrderAgreement(3, 1.0, None, None),
        domain.OrderAgreement(10, 0.2121, -0.4882, 0.7463),
    )
    own = {"basis": "none", "scale": (0.0, 1.0), "tested_as": "R1", "as_of": "", "run_by": ""}
    own |= dict.fromkeys(("value", "ci_low", "ci_high")) | {"medical": True, "ranks": True}
    bridge = {"rank": 2, "n": 98, "kind": "version not stated", "agreement": few}
    noharm = {"rank": 8, "n": 32, "kind": "same version", "agreement": known}
    words = sentences.opinions_in_words(
        (
            domain.Tested("b", "BRIDGE", "six kinds", **bridge, **own),
            domain.Tested("n", "NOHARM", "three", **noharm, **own),
        )
    )
    assert says(words, "BRIDGE 2nd of 98", "six kinds", "version not stated", "NOHARM 8th of 32")
    assert words.count("version") == 1
    orders = "over 10 shared models", "+0.21, −0.49 to +0.75"
    assert says(words, "over 3 shared models, too few", *orders)
    assert "No other suite" in sentences.opinions_in_words(())
    for saving, words in [
        (domain.Saving(270, 300, 340), "saves $270 to $340 a month"),
        (domain.Saving(0.0, 60.0, 300.0), "saves $0 to $300 a month"),
        (domain.Saving(270.1, 270.2, 270.3), "saves about $270 a month"),
        (domain.Saving(-340, -300, -270), "costs $270 to $340 more a month"),
        (domain.Saving(-60.0, -60.0, -60.0), "costs about $60 more a month"),
        (domain.Saving(-60.0, -30.0, 0.0), "costs $0 to $60 more a month"),
        # The order turns: both ends are said, whichever is likely.
        *(
            (
                domain.Saving(-142.2, likely, 228.8),
                "may save up to $229 or cost up to $142 more a month: "
                "which of the two costs less is not certain",
            )
            for likely in (118.8, -60.0)
        ),
        (domain.Saving(0.0, 0.4, 0.9), "costs about the same a month"),
        (None, ""),
    ]:
        assert sentences.saving_in_words(saving) == words
    for harm, errors, shown, words in [
        ((0.098, 0.209), None, False, "severe harm rises from 9.8 to 20.9 % of cases"),
        (
            *((0.1, 0.3), (14.3, 20.0), True),
            "severe harm rises from 10.0 to 30.0 % of cases and severe errors rise from 14.3 to "
            "20.0 per 100 cases, which is shown",
        ),
        (None, None, True, "severe harm rises, which is shown"),
    ]:
        assert sentences.objection(domain.Rise(harm, errors, shown)) == words


def left_out(name, place, *, rule="sale", successor="", tested=None):
    sale = sold("fails", "gone", "2026-10-23", name, successor=successor)
    told = {"sale": sale} if rule == "sale" else {}
    return domain.LeftOut(
        name.lower(), rule, name=name, place=place, successor_tested=tested, **told
    )


def test_two_that_scored_higher_off_sale_are_named_best_first():
    out = [left_out("Third", 3), left_out("First", 1, successor="new-1"), left_out("Seventh", 7)]
    out += [left_out("Closed", 2, rule="closed"), left_out("Placeless", None)]
    begins, take = "Scored higher, but not on sale", propose("Take", rank_all=5)
    assert sentences.ahead_in_words(out, take, 6) == f"{begins} for 6 months: First and Third."
    many = [left_out(f"M{i}", i, successor="s") for i in range(1, 5)]
    assert sentences.ahead_in_words(many, take, None) == f"{begins} on the day: M1, M2 and 2 more."
    assert sentences.ahead_in_words(many[:3], take, None).endswith(": M1, M2 and 1 more.")
    assert sentences.ahead_in_words(many[2:], propose("Take", rank_all=3), 6) == ""
    assert sentences.ahead_in_words(many, propose("Take", rank_all=None), 6) == ""
    # It is told of the first alone.
    found = a_found("take", "cheapest", judged=judged("likely", -0.001, -0.01, 0.01), rank_all=5)
    found = replace(found, shortlist=replace(found.shortlist, left_out=(left_out("Gone", 1),)))
    first, leader = (sentences.for_and_against(found, each) for each in (found.take, found.leader))
    assert "Gone" in first[1]
    assert not any("Gone" in said for said in leader)
    for tested, end in [
        (None, "; its maker's successor is new-1"),
        ((), "; its maker's successor is new-1, no evidence yet"),
        (("BRIDGE", "NOHARM"), "; its maker's successor is new-1, tested in BRIDGE and NOHARM"),
    ]:
        words = why_left_out(left_out("First", 1, successor="new-1", tested=tested))
        assert words == f"no longer sold since 23 October 2026, last at First{end}"


LIKELY = {"judged": judged("likely", -0.007, -0.016, 0.002)}
BELOW = {"judged": judged("shown", -0.009, -0.017, -0.001)}
"""Worse throughout, and within the margin throughout."""
REPLACES = {"in_use": True, "usd": 30.0, "judged": judged("shown", 0.037, 0.026, 0.048)}
REPLACES["saves"] = domain.Saving(200.0, 400.0, 900.0)
LEADS, KEEPS = ("Take Lead", "highest", "5 that fit"), ("Keep Lead", "better")
GOOD, VERBS = "as good within 2 points", ("Take", "Keep", "Test", "Choose")
STAYS, NONE = {"take": "Lead", "in_use": True}, {"take": None, "n_fit": 0}
ONE, TWO, THREE = (propose(name, usd=usd) for name, usd in (("A", 90.0), ("B", 9.0), ("C", 5.0)))
# What lies below 0 throughout is probably worse, and that is said where it is so of all.
LOWER = replace(TWO, judged=judged("open", -0.018, -0.03, -0.005))
FAR = replace(TWO, judged=judged("open", -0.103, None, None))
# What has a price goes before what has none, and nobody knows that it is lower.
UNKNOWN, SMALL = propose("A", size=70.0), propose("C", size=7.0)
TESTS = tuple(propose(name, usd=10.0) for name in "ABC")


@pytest.mark.parametrize(
    ("strength", "why", "fields", "facts", "never"),
    [
        ("take", "leader", {"take": "Lead", "usd": 10.0}, [*LEADS, "costs less"], ()),
        ("take", "leader", {"take": "Lead"}, [*LEADS, "not known"], ["costs less"]),
        # Not of all: one that is worse may cost less.
        (
            *("take", "cheapest", {"usd": 30.0, **LIKELY}),
            ["Take Take", "as good as Lead", "the highest score that fits", "within 2 points",
             "likely", "nothing as good costs less"],
            (),
        ),
        # Without a known cost it was its size.
        (
            *("take", "cheapest", {"size": 7.0, **LIKELY}),
            *(["nothing as good is smaller"], ["costs"]),
        ),
        (
            *("take", "cheapest", {"usd": 30.0, **BELOW}),
            *(["worse than Lead", "by less than 2 points", "nothing as close"], ["as good"]),
        ),
        (
            *("take", "replaced", REPLACES),
            ["Lead", "replaced by Take", "better by 3.7", "+2.6 to +4.8", "on these tests",
             "saves $200 to $900"],
            (),
        ),
        (
            *("take", "replaced", {"in_use": True, **LIKELY}),
            *(["Lead can be replaced by Take", GOOD, "likely"], ["saves"]),
        ),
        ("keep", "keep", STAYS | {"usd": 30.0}, [*KEEPS, GOOD, "cost less"], ["smaller"]),
        (
            *("keep", "keep", STAYS | {"size": 7.0}),
            *([*KEEPS, GOOD, "smaller", "costs cannot be compared"], ["cost less"]),
        ),
        ("keep", "keep", STAYS, [*KEEPS, "neither cost nor size"], ["as good"]),
        # Without a model to take.
        (
            *("keep", "none as good", NONE | {"in_use": True}),
            *(["No model", "as good as Lead", "2 points"], VERBS),
        ),
        *(
            (strength, "nothing fits", NONE | used, ["No model", "fits"], VERBS)
            for strength, used in (("keep", {"in_use": True}), ("shortlist", {}))
        ),
        *(
            ("choose", "cheaper ones open", {"take": "A", "choose": choose}, facts, never)
            for choose, facts, never in (
                (
                    (ONE, TWO, THREE),
                    *(["between A, B and C", "cost less", "cannot tell", "they are as good"], ()),
                ),
                (
                    (ONE, TWO),
                    *(["between A and B", "costs less", "cannot tell", "it is as good"], ["prob"]),
                ),
                ((ONE, LOWER), ["costs less", "probably worse", "cannot tell by how much"], ()),
                ((ONE, LOWER, THREE), [], ["probably"]),
                # More than twice the margin of two points below, and no interval.
                ((ONE, FAR), ["costs less (scores: B 10.3 points lower), and", "as good"], ["pro"]),
                *(
                    (
                        (UNKNOWN, *others),
                        *(["Choose between A", "what A costs is not known", "cannot tell", last],),
                        ["less"],
                    )
                    for others, last in (
                        *(([TWO], "second is"), ([SMALL], "second is")),
                        ([TWO, SMALL], "others are"),
                    )
                ),
            )
        ),
        (
            *("shortlist", "many cheaper", NONE | {"tests": [UNKNOWN, TWO], "best": UNKNOWN}),
            *(["Test A and B", "more than three may be as good as A"], ["less"]),
        ),
        *(
            (
                *("shortlist", why, {"take": None, "lead": "A", "tests": TESTS, "best": TESTS[0]}),
                *(["Test A, B and C", "own cases", *facts], ()),
            )
            for why, facts in (
                ("suite does not decide", ["The Suite", "alone is not enough to decide"]),
                ("not separated", ["The Suite", "does not separate the first 3 of the 5"]),
                ("many cheaper", ["more than three", "cost less than A", "may be as good"]),
                ("price unknown", ["what A costs is not known", "budget"]),
                ("price and sale unknown", ["where A can meet", "its price nor its sale"]),
                ("condition not known", ["no platform of A is known to meet"]),
            )
        ),
        *(
            ("shortlist", "few fit", {"take": None, "tests": TESTS[:n], "n_fit": fit}, facts, never)
            for n, fit, facts, never in (
                (2, 2, ["2 of 13", "A scores higher", "both", "own cases"], ()),
                (1, 2, ["2 of 13", "A scores higher", "own cases"], ["both"]),
                (1, 1, ["Only A of 13 models fits", "own cases"], ["higher"]),
            )
        ),
    ],
)  # fmt: skip
def test_the_headline_of_each_strength(strength, why, fields, facts, never):
    words = sentences.headline(a_found(strength, why, **fields))
    assert says(words, *facts), words
    assert not any(word in words for word in never), words


def test_where_one_must_leave_no_saving_is_told():
    found = a_found("take", "replaced", **REPLACES)
    used = replace(found.leader, sale=sold("fails", "ends", "2026-12-09"))
    ends = replace(found, dossiers=found.dossiers | {used.model.id: used})
    said = sentences.headline(ends)
    assert says(said, "9 December 2026", "can be replaced by Take", "better by 3.7"), said
    assert "saves" not in said


def test_the_headline_of_a_choice_for_harm_has_both_shares():
    for harm, shown in [((0.30, 0.10), "shown"), ((0.209, 0.141), "not shown to differ")]:
        best, safer = (
            propose(name, usd=usd, safety=a_harm(share))
            for name, usd, share in zip("AB", (10.0, 30.0), harm, strict=True)
        )
        told = {"take": "B", "safety": safer.safety, "usd": 30.0}
        shares = f"{harm[1] * 100:.1f} against {harm[0] * 100:.1f} %"
        words = sentences.headline(
            a_found("choose", "harm", choose=(best, safer), best=best, **told)
        )
        said = ("Choose between A and B", "A costs less", "B", "severe harm", "fewer")
        assert says(words, *said, shares, shown), words
        # Of an unknown cost nobody knows that it is the least.
        best = replace(best, cost=propose("A").cost)
        words = sentences.headline(
            a_found("choose", "harm", choose=(best, safer), best=best, **told)
        )
        assert says(words, "Choose between A and B", "B did severe harm", shown), words
        assert "costs least" not in words


DAY = date(2026, 11, 23)
BAA = domain.ConditionKind("baa", "Agreement", "BAA", "platform", "yes", "an agreement?", "", "")
OPEN = domain.ConditionCheck(BAA, "open", "Take", "", "V", "", "", "2026-11-23", "")
EVERYTHING = {
    "judged": judged("shown", 0.03, 0.01, 0.05, warnings=[domain.Rise((0.01, 0.02), None, False)]),
    "terms": (domain.OfferTerms("Take", "V", "open", (OPEN,), ""),),
    "cost": a_cost("Take", 30.0, 10.0, 46.0),
    "safety": a_harm(0.3, rank=32, marked=True),
    "sale": sold("passes", "ends", "2027-11-23", "V"),
}
"""What a model can have against it, all at once, in the order in which it is told."""


def leader_with(**fields):
    return a_found("take", "leader", "Lead", **fields)


def test_of_all_alerts_the_two_weightiest_are_told():
    subjects = {
        "terms": "agreement",
        "cost": "up to $46",
        "judged": "Severe harm rises",
        "safety": "30.0 % of 100 cases",
        "sale": "On sale until 23 November 2027, at V.",
    }
    order = list(EVERYTHING)
    for n in range(len(order)):
        found = sentences.alerts(
            leader_with(budget=40.0, **{k: EVERYTHING[k] for k in order[n:]}), DAY
        )
        assert len(found) == min(2, len(order) - n)
        for name, said in zip(order[n:], found, strict=False):
            assert subjects[name] in said
    # That none should run unattended goes before all of them.
    agents = Unattended(0.41, 75, by_publisher=True)
    found = sentences.alerts(leader_with(budget=40.0, unattended=agents, **EVERYTHING), DAY)
    assert says(found[0], "No agent run by the publisher", "41 % of these 75 tasks", "unattended")
    assert subjects["judged"] in found[1]

    # Of a shortlist nothing is bought yet; what may exceed the budget is said of each.
    def of_tests(**fields):
        return sentences.alerts(a_found("shortlist", "not separated", None, **fields), DAY)

    dear = [propose(name, cost=EVERYTHING["cost"]) for name in "AB"]
    said = [f"{name}: it may exceed the budget: up to $46 a month." for name in "AB"]
    assert of_tests(tests=dear, budget=45.0) == tuple(said)
    assert of_tests(tests=dear, budget=46.0) == of_tests() == ()
    assert of_tests(unattended=agents) == found[:1]


def test_what_is_in_order_alerts_nobody():
    fine = {
        "terms": (domain.OfferTerms("Take", "V", "passes", (), ""),),
        "cost": EVERYTHING["cost"],
        "judged": judged("shown", 0.03, 0.01, 0.05),
        "safety": a_harm(0.3, rank=20),
        "sale": sold("passes", "ends", "2027-11-24", "V"),
    }
    # Without a budget nothing goes over it.
    for budget in (46.0, None):
        assert sentences.alerts(leader_with(budget=budget, **fine), DAY) == ()
    # What is to be asked of its sale first is in the headline.
    for sale, whether in (
        (sold("question"), "the vendor still sells it."),
        (sold("passes", "not known", platform="V"), "V still sells it."),
    ):
        asked = leader_with(sale=sale)
        assert sentences.alerts(asked, DAY) == ()
        assert sentences.headline(asked).endswith(f"Ask first whether {whether}")
    assert (
        sentences.alerts(leader_with(sale=sold("passes", "no end known", platform="V")), DAY) == ()
    )


def told(each):
    found = a_found("take", "cheapest", take=None)
    return sentences.for_and_against(
        replace(found, dossiers={**found.dossiers, each.model.id: each}), each
    )


def test_reasons_come_as_standing_then_tier_then_what_holds_back():
    rise = domain.Rise(None, (10.0, 20.0), shown=False)
    one = judged("open", 0.01, 0.0, 0.02, vetoes=[WORSE], warnings=[rise], once=0.25, n=7)
    found = told(
        propose(
            "Take",
            judged=one,
            safety=a_harm(0.1, rank=3),
            together=0.97,
            same_cluster=True,
            saves=domain.Saving(20.0, 60.0, 300.0),
            missing=("Never",),
            interval_basis="none",
            model=a_model("Take", access="open"),
            sale=sold("question", "not known", platform="V", conflict="They differ."),
            cost=a_cost("Take", 20.0),
        )
    )
    order = [
        *("Best of the 5", "+1.0 points", "1 time in 4", "7 of 12 tests", "worse on Notes: -6.0"),
        *("errors rise from 10.0 to 20.0", "3rd of 32", "No other suite", "97 %"),
        *("Can run on your own servers", "About $20 a month", "$20 to $300", "Ask first: "),
    ]
    assert len(found) == len(order)
    for fact, said in zip(order, found, strict=True):
        assert fact in said
    assert says(found[-1], "Not known whether it is still sold", "They differ.", "And 1 more.")
    # What is not known and nobody can be asked is not a question.
    assert not any(says(found[-1], said) for said in ("parameters", "Never run", "No interval"))
    # Without resampled trees the cluster is said, where it is known.
    for same, fact in ((True, "the same cluster"), (False, "another cluster")):
        said = told(propose("Take", judged=one, same_cluster=same))
        assert any(says(each, fact, "Lead") for each in said)
    assert not any("cluster" in said for said in told(propose("Take", judged=one)))
    # A model in use that does not fit says until when it is sold.
    found = told(propose("Old", fits=False, sale=sold("fails", "gone", "2026-10-23", "V")))
    assert "No longer sold since 23 October 2026, last at V." in found
    assert not any("that fit" in said for said in found)


NOTHING = Question()


@pytest.fixture
def row():
    """First of five that fit, and of eight in all; nothing about it is unknown."""
    model = a_model("m", access="open", params_b=7.0, licence="mit")
    return a_row("m", model=model, cost=a_cost("m", 1234.5))


@pytest.mark.parametrize(
    ("write", "written"),
    [
        (count, {0: "no", 1: "one", 10: "ten", 11: "11", 3827: "3,827"}),
        (ordinal, {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 10: "10th", 21: "21st", 22: "22nd"}),
        (ordinal, {11: "11th", 12: "12th", 13: "13th", 103: "103rd", 111: "111th"}),
        (ordinal, {112: "112th", 1013: "1,013th", 1021: "1,021st"}),
        # Cents below 10, and a true minus.
        (dollars, {0: "$0", 0.004: "less than $0.01", 0.006: "$0.01", 9.99: "$9.99"}),
        (
            dollars,
            {9.996: "$10", 83.27: "$83", 2274.14: "$2,270", -3.5: "−$3.50", -310.51: "−$311"},
        ),
        (dollars, {552.4: "$552", 999.6: "$1,000", 57_514: "$57,500", 11_622: "$11,600"}),
        # A difference is in points.
        (signed, {0.037: "+3.7", -0.009: "−0.9", 0.0: "0.0", -0.12: "−12.0"}),
    ],
)
def test_how_numbers_are_written(write, written):
    assert {number: write(number) for number in written} == written


@pytest.mark.parametrize(
    ("rank", "n_fit", "rank_all", "words"),
    [
        (None, 5, None, "Not ranked"),
        (1, 5, 1, "Best of the 5 that fit, 1st of 8 overall"),
        (1, 4, 5, "Best of the 4 that fit, 5th of 8 overall"),
        (3, 5, 7, "3rd of the 5 that fit, 7th of 8 overall"),
        (1, 1, 6, "The only model that fits, 6th of 8 overall"),
        # Where all fit, the two places are one; a labelled run has none among all.
        (2, 8, 2, "2nd of the 8 that fit"),
        (2, 5, None, "2nd of the 5 that fit"),
    ],
)
def test_how_a_place_is_written(row, rank, n_fit, rank_all, words):
    assert place_of(replace(row, rank=rank, n_fit=n_fit, rank_all=rank_all)) == words


@pytest.mark.parametrize(
    ("rank_band", "n_fit", "names"),
    [
        ((1, 1), 5, ("clear", "1st")),
        ((2, 4), 5, ("2nd to 4th",)),
        ((1, 5), 5, ("anywhere",)),
        ((1, 1), 1, ()),
        (None, 5, ()),
    ],
)
def test_possible_ranks_are_said_where_they_tell_something(row, rank_band, n_fit, names):
    said = possible_ranks(replace(row, rank_band=rank_band, n_fit=n_fit))
    assert bool(said) is bool(names)
    assert all(name in said for name in names)


@pytest.mark.parametrize(
    ("rank", "rank_band", "n_fit", "clearly"),
    [
        (1, (1, 1), 5, "clearly above every other that fits"),
        (1, (1, 3), 5, None),
        (2, (1, 3), 5, None),
        (2, (2, 3), 5, "one that fits is clearly above"),
        (4, (4, 5), 5, "three that fit are clearly above"),
        # Alone it is above nobody, whatever its set.
        (1, (1, 1), 1, None),
        (1, None, 5, None),
    ],
)
def test_reasons_begin_with_how_clear_the_place_is(row, rank, rank_band, n_fit, clearly):
    said, *_ = reasons(replace(row, rank=rank, rank_band=rank_band, n_fit=n_fit, rank_all=5))
    assert "5th of 8" in said
    assert "12 tests" in said
    assert ("clearly" in said) is (clearly is not None)
    assert (clearly or "") in said


def test_where_it_runs_what_it_costs_and_until_when_it_is_sold(row):
    _, where, price = reasons(row)
    assert where == "Can run on your own servers: open weights, 7 B parameters."
    assert price == "About $1,230 a month from Vendor, at the price of 21 November 2026."
    unsized = replace(row, model=replace(row.model, params_b=None))
    assert "Can run on your own servers: open weights." in reasons(unsized)
    closed = replace(row, model=replace(row.model, access="closed"))
    assert "Only as a service: the weights are closed." in reasons(closed)
    ranged = replace(row, cost=a_cost("m", 120.0, 80.4, 300.0))
    assert cost_in_words(ranged).startswith("About $120 a month ($80 to $300) from Vendor")
    on = some_servers(gpu="H100", sets=1)
    servers = a_cost("m", 5000.0, 4000.0, 9000.0, basis=OnServers(on))
    said = cost_in_words(replace(row, cost=servers))
    assert said.startswith("About $5,000 a month ($4,000 to $9,000)")
    assert said.endswith("own servers: 2 × H100")
    assert "price" not in said
    at = row.cost.platform
    sale = sold("passes", "ends", "2028-03-01", at)
    assert reasons(replace(row, sale=sale))[-1] == f"On sale until 1 March 2028, at {at}."
    # Where the price is of another platform, that one's sale counts, and nothing is known of it.
    elsewhere = replace(row, sale=sold("passes", "ends", "2028-03-01", "Elsewhere"))
    assert reasons(elsewhere)[-1] == f"Not known whether {at} still sells it."
    assert f"Ask {at} how long it will sell this model." in questions(elsewhere, NOTHING)
    asked = replace(row, sale=sold("question"))
    assert not any("not known" in reason for reason in reasons(asked))
    assert "Not known whether it is still sold: ask the vendor." in questions(asked, NOTHING)
    ends = replace(row, sale=sold("question", "ends", "2027-03-01"))
    (question,) = questions(ends, NOTHING)
    assert question.startswith("On sale only until 1 March 2027, at ")
    assert question.endswith(". Who sells it for longer?")
    existing = replace(row, sale=sold("question", "existing customers only"))
    (question,) = questions(existing, NOTHING)
    assert question.startswith("For existing customers only, at ")
    assert question.endswith(". Do you have it already?")


def test_each_unknown_is_a_question_or_is_said_as_not_known(row):
    unknown = replace(
        row, model=a_model("m"), cost=a_cost("m"), interval_basis="none", missing=("A",)
    )
    assert len(reasons(replace(row, model=a_model("m"), cost=a_cost("m")))) == 1
    assert questions(row, NOTHING) == ()
    assert questions(unknown, NOTHING) == (
        "May you use it commercially? Its licence was not found.",
    )
    found = not_known(unknown, NOTHING)
    subjects = ("public price", "parameters", "weights are open", "Never run: A.", "No interval")
    for subject, said in zip(subjects, found, strict=True):
        assert subject in said
        assert "?" not in said
    closed = replace(row, model=a_model("m", access="closed", params_b=1.0), cost=a_cost("m"))
    (question,) = questions(closed, NOTHING)
    assert question == "What does it cost? No public price."
    (question,) = questions(closed, Question.of(monthly_budget_usd=0.0))
    assert "your budget was not applied" in question
    asked = replace(row, cost=a_cost("m", why="no servers", lacking=("architecture",)))
    (said,) = not_known(asked, Question.of(access="own"))
    assert "no architecture near its size is known" in said
    assert "price" not in said
    named = replace(row, missing=tuple("ABCDE"))
    assert not_known(named, NOTHING) == ("Never run: A, B, C, D, E.",)
    named = replace(row, missing=tuple("ABCDEF"))
    assert not_known(named, NOTHING) == ("Never run: A, B, C, D, E and others.",)
    unranked = replace(row, rank=None, rank_band=None, rank_all=None, missing=("A",))
    assert reasons(unranked)[0].startswith("Not ranked: one of 13 tests was never run on it")
    unranked = replace(unranked, missing=("A", "B"), n_benchmarks=1)
    assert reasons(unranked)[0].startswith("Not ranked: two of 3 tests were never run on it")
    # A label is why a row is not ranked.
    assert reasons(replace(unranked, label="best of prompts"))[0] == "Not ranked: best of prompts."
    assert "on 1 test:" in reasons(replace(row, n_benchmarks=1))[0]


FOUND = TestWorth(
    models=("a", "b", "c", "d"),
    n_cases=50,
    loss_without=0.0165,
    loss_with=0.0062,
    p_wrong_without=0.3712,
    p_wrong_with=0.1075,
    cost_usd=31.6,
    rater_hours=50 / 6,
    margin=0.02,
    assumed=False,
)


UNREACHED = replace(
    FOUND, n_cases=None, loss_with=None, p_wrong_with=None, cost_usd=None, rater_hours=None
)


def test_all_that_fit_are_no_first_few_of_them():
    found = a_found("shortlist", "not separated", tests=TESTS, best=TESTS[0])
    choice = replace(found.choice, n_first=found.shortlist.n_fit)
    said = str(sentences.parts_of_headline(replace(found, choice=choice)))
    assert said.endswith("The Suite does not separate the 5 that fit.")


def test_what_a_test_is_worth_in_words_and_as_data():
    assert worth_in_words(FOUND) == (
        "50 cases for each of these 4 models lower the chance of choosing a model more than 2 "
        "points below the best on your own cases from 37 to 11 %. Their order in public tests is "
        "not counted. The answers cost about $32, and 2 raters need 8 hours in all (5 minutes each "
        "for a case with all its answers)."
    )
    assert (
        "What the answers cost is not known, and 2 raters need 8 hours in all (5 minutes each for "
        "a case with all its answers). How far they may differ is assumed."
        in worth_in_words(replace(FOUND, cost_usd=None, assumed=True))
    )
    assert worth_in_words(UNREACHED) == (
        "Without a test there is a 37 % chance of choosing a model more than 2 points below the "
        "best on your own cases, and no test of up to 1,000 cases brings it down to one in eight. "
        "Their order in public tests is not counted."
    )
    assert worth_document(FOUND) == {
        "models": ("a", "b", "c", "d"),
        "n_cases": 50,
        "loss_without": 0.0165,
        "loss_with": 0.0062,
        "p_wrong_without": 0.3712,
        "p_wrong_with": 0.1075,
        "cost_usd": 31.6,
        "rater_hours": 50 / 6,
    }
    assert worth_document(None) is None


def test_unknown_of_one_is_unknown_of_all_and_the_margin_counts(bundled):
    """On own servers nobody has a price for a case; on no server is what nobody sells priced."""
    pair = ("DeepSeek-R1", "Qwen3-Next-80B-A3B-Thinking")
    asked = Question.of(suite="bridge")
    assert answers.test_worth(ask(bundled, asked, DAY), pair).cost_usd > 0
    own = answers.test_worth(ask(bundled, asked.having(access="own"), DAY), pair)
    assert own.cost_usd is None
    assert own.rater_hours > 0
    one = answers.test_worth(ask(bundled, asked, DAY), ("BioMistral-7B", pair[0]))
    assert one.cost_usd is None
    asked, pair = Question.of(suite="noharm"), ("Gemini 2.5 Pro", "Gemini 2.5 Flash")
    found = answers.test_worth(ask(bundled, asked, DAY), pair)
    wider = answers.test_worth(ask(bundled, asked.having(margin=0.1), DAY), pair)
    assert wider.p_wrong_without < found.p_wrong_without
    four = ("Gemini 2.5 Pro", "Gemini 2.5 Flash", "GPT-5", "DeepSeek R1")
    found = answers.test_worth(ask(bundled, Question.of(suite="noharm", margin=0.0), DAY), four)
    of_size = (found.n_cases, found.loss_with, found.p_wrong_with, found.cost_usd)
    assert (*of_size, found.rater_hours) == (None,) * 5
    assert 0.7 < found.p_wrong_without < 0.8  # three in four


def test_the_title_of_the_picture_says_whose_cost_is_not_known():
    """Of what costs at least $1,104 no more is known, so $2,913 to $3,135 would leave it out."""
    rows = (propose("a", usd=2913.0), propose("b", usd=3135.0), propose("c"))
    found = a_found("take", "", n_fit=3)

    def said_of(*rows):
        fit = tuple(replace(row, n_fit=len(rows)) for row in rows)
        of = replace(found, shortlist=replace(found.shortlist, rows=fit))
        return in_the_room(of, by_cost=True)

    ends = "could be the best on these tests ($2,910 to $3,140 a month where that is known)"
    assert said_of(*rows) == f"Any of the 3 {ends}"
    both = said_of(*rows[:2])
    assert both.endswith("($2,910 to $3,140 a month)")
    assert both.startswith("Either of the 2 ")
    # A place holds on a basis, which may be another one than that of what a test is worth.
    basis = {"interval_basis": "on other tests"}
    two = said_of(replace(rows[0], **basis), replace(rows[1], rank_band=(2, 3)))
    assert two == "Only 1 of the 2 could be the best on other tests like these ($2,910 a month)"
    bound = propose("d", cost=replace(a_cost("d", 1104.0), likely=None, high=None))
    assert said_of(*rows[:2], bound).endswith("(at least $1,100 a month)")
    assert said_of(*rows, bound).endswith("(at least $1,100 a month where that is known)")


def test_a_name_that_begins_small_is_not_capitalised():
    """A name begins as its maker writes it: it has a digit, or a letter of another alphabet."""
    for text in ("χ-Bench has none", "o4-mini leads", "gpt-oss-120b, then", ""):
        assert capitalised(text) == text
    assert sentence("test-like cases are few") == "Test-like cases are few."


def test_a_range_whose_ends_are_written_alike_is_one_figure():
    assert dollar_range(11.8, 12.3) == dollar_range(None, 12.0) == dollar_range(12.0, None) == ""
    assert dollar_range(8.4, 57_514) == "$8.40 to $57,500"
    row = propose("m", cost=a_cost("m", 12.0, 11.8, 12.3))
    assert " to $" not in tiles(row)[1].about
    assert cost_in_words(row).startswith("About $12 a month from")


@pytest.mark.parametrize(
    ("usd", "said"),
    [(3.456, "$3.45"), (0.3, "$0.30"), (12.99, "$12"), (1096.0, "$1,090"), (73_499.9, "$73,400")],
)
def test_the_least_that_something_costs_is_rounded_down(usd, said):
    assert at_least(usd) == f"at least {said}"


@pytest.mark.parametrize(
    "found",
    [
        a_found("shortlist", "few fit", "", "", tests=(propose("One"), propose("Two")), n_fit=2),
        a_found("choose", "cannot tell", choose=(propose("One"), propose("Two"))),
    ],
    ids=["shortlist", "choose"],
)
def test_what_other_tests_grade_better_is_said_whatever_the_strength(found):
    said = "GPT-5.2, which The Suite has not tested, has the better grade in other tests."
    assert said not in str(sentences.parts_of_headline(found))
    better = replace(found, elsewhere=Elsewhere(28, 3, 0, "GPT-5.2"))
    assert str(sentences.parts_of_headline(better)).endswith(said)
    assert said in sentences.in_short(better, DAY)

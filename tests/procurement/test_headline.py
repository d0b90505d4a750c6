"""What the sentences of a recommendation say, by their facts."""

from dataclasses import replace
from datetime import date
from math import inf

import pytest
from selling import sold

from core.domain import (
    Difference,
    GateCheck,
    GateKind,
    Interval,
    Judged,
    LeftOut,
    Loss,
    OrderAgreement,
    Requirements,
    Rise,
    RouteVerdict,
    Saving,
    Shortlist,
    Tested,
)
from core.procurement.recommendation import Choice, Recommendation, Unattended
from core.words.recommendation import (
    ahead_in_words,
    alerts,
    difference_in_words,
    for_and_against,
    headline,
    objection,
    one_more_in_words,
    opinions_in_words,
    safety_in_words,
    saving_in_words,
    tier_in_words,
)
from core.words.shortlist import why_left_out


def says(words, *facts):
    """Whether a sentence has all of some facts, in their order."""
    at = 0
    for fact in facts:
        at = words.find(fact, at)
        if at < 0:
            return False
        at += len(fact)
    return True


WORSE = Loss("Notes", -0.06, -0.08, -0.04)


def judged(tier, gap, low=None, high=None, *, other=None, n=12, vetoes=(), warnings=(), once=None):
    """A candidate against the leader, on these tests, and perhaps on other tests."""
    intervals = [] if low is None else [Interval("on these tests", 0.01, inf, low, high)]
    if other:
        intervals.append(Interval("on other tests", 0.02, 11.0, *other[1:]))
    return Judged(
        difference=Difference("take", "lead", gap, n, tuple(intervals)),
        tier=tier,
        other_tier=other[0] if other else None,
        vetoes=tuple(vetoes),
        warnings=tuple(warnings),
        one_more_test=once,
    )


@pytest.fixture
def propose(make_row, make_model, make_cost):
    def make(name, *, usd=None, size=None, **fields):
        model = make_model(name, params_b=size, access="open", licence="mit")
        return make_row(name, **{"model": model, "cost": make_cost(name, usd)} | fields)

    return make


@pytest.fixture
def make_found(propose):
    """A recommendation of five that fit of 13, led by another model unless it leads itself."""

    def make(
        strength, why, take="Take", lead="Lead", *,
        n_fit=5, in_use=False, budget=None, choose=(), tests=(), best=None, unattended=None, **told,
    ):  # fmt: skip
        taken = propose(take, **told) if take else None
        leader = taken if lead == take else propose(lead, usd=100.0) if lead else None
        every = [*filter(None, [leader, taken, best]), *choose, *tests]
        ids = {name: one and one.model.id for name, one in (("take", taken), ("leader", leader))}
        choice = Choice(
            **ids,
            best=best.model.id if best else ids["take"],
            strength=strength,
            why=why,
            choose=tuple(each.model.id for each in choose),
            test_these=tuple(each.model.id for each in tests),
            **dict.fromkeys(("as_good", "worth_testing"), ()),
            **{"is_narrowed": True, "step_down": None, "judged": {}},
            n_first=3,
            n_left_larger=0,
        )
        listed = Shortlist(
            requirements=Requirements(margin=0.02, monthly_budget_usd=budget),
            rows=tuple(propose(str(i)) for i in range(n_fit)),
            places=tuple((str(i), i) for i in range(13)),
            **dict.fromkeys(("left_out", "weights", "benchmarks", "benchmark_weights"), ()),
            **dict.fromkeys(("workload", "reasoning_workload", "snapshots"), ()),
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

    return make


@pytest.fixture
def say(make_found):
    """See that the headline of such a recommendation has some facts, and never some words."""

    def make(strength, why, *facts, never=(), **fields):
        words = headline(make_found(strength, why, **fields))
        assert says(words, *facts), words
        assert not any(word in words for word in never), words

    return make


# Differences and tiers


def test_a_difference_has_its_interval_and_what_that_is_about():
    found = difference_in_words(judged("open", -0.009, -0.022, 0.004))
    assert says(found, "−0.9 points", "−2.2 to +0.4", "on these tests")
    assert "interval" in difference_in_words(judged("open", 0.01))
    assert not says(difference_in_words(judged("open", None)), "points")


@pytest.mark.parametrize(
    ("one", "facts", "never"),
    [
        (judged("shown", 0.037, 0.026, 0.048), ["Better", "Lead", "shown", "+3.7"], "within"),
        (judged("likely", 0.001, -0.018, 0.02), ["good", "Lead", "2 points", "likely"], "etter"),
        (judged("open", -0.01, -0.03, 0.01), ["2 points", "open"], "probably"),
        (judged("open", -0.015, -0.029, -0.001), ["open, probably worse", "−1.5"], "as well"),
        # As good within the margin and below it throughout: worse, and by how much at most.
        (
            judged("shown", -0.009, -0.017, -0.001),
            *(["Worse", "Lead", "by less than 2 points", "shown", "−0.9", "−1.7 to −0.1"], "good"),
        ),
        (judged("worse", -0.05, -0.07, -0.03), ["Worse", "more than 2 points", "−5.0"], "good"),
        # Better, but held back by a veto: that is no promise.
        (
            judged("open", 0.05, 0.03, 0.07, vetoes=[Loss("Notes", -0.06, -0.08, -0.04)]),
            ["good", "open"],
            "etter",
        ),
    ],
)
def test_a_tier_is_said_with_its_interval(one, facts, never):
    words = tier_in_words(one, "Lead", 0.02)
    assert says(words, *facts)
    assert never not in words


@pytest.mark.parametrize(
    ("chance", "often"),
    [
        *((0.34, "1 in 3"), (0.5, "1 in 2"), (0.66, "2 in 3"), (0.75, "3 in 4")),
        *((0.05, "1 in 20"), (0.1, "1 in 10"), (0.9, "9 in 10"), (0.999, "19 in 20")),
        # Rare, or not known.
        *((0.049, ""), (0.0, ""), (None, "")),
    ],
)
def test_how_often_one_more_test_would_show_a_loss(chance, often):
    words = one_more_in_words(judged("shown", 0.01, 0.0, 0.02, once=chance), 0.02)
    assert bool(words) is bool(often)
    assert not often or says(words, "one more such test", "2 points", f"about {often}.")


# Harm and other suites


@pytest.mark.parametrize(
    ("share", "said"),
    [
        # Of 100 cases against 16.7 %: 29 % is z = 2.08, 28 % 1.93, 7 % 2.13, 8 % 1.86.
        *((0.29, "shown to be more"), (0.28, "not shown to differ")),
        *((0.07, "shown to be fewer"), (0.08, "not shown to differ")),
    ],
)
def test_harm_is_held_against_physicians(make_safety, share, said):
    words = safety_in_words(make_safety(share, rank=31))
    assert says(words, f"{share * 100:.1f} %", "100 cases", said, "physicians", "16.7 %")


def test_harm_is_a_share_of_cases_and_a_place(make_safety):
    words = safety_in_words(make_safety(0.209, rank=31, marked=True, kind="version not stated"))
    assert says(words, "20.9 %", "100 cases", "16.7 %", "version not stated", "31st of 32")
    plain = safety_in_words(make_safety(0.098, rank=3, physicians=None))
    assert says(plain, "9.8 %", "3rd of 32")
    assert not any(word in plain for word in ("physicians", "version", "shown"))
    assert "Never tested" in safety_in_words(None)


def test_second_opinions_name_suite_place_metric_and_how_far_the_orders_agree():
    few, known = OrderAgreement(3, 1.0, None, None), OrderAgreement(10, 0.2121, -0.4882, 0.7463)
    own = {"basis": "none", "scale": (0.0, 1.0), "tested_as": "R1", "as_of": "", "run_by": ""}
    own |= dict.fromkeys(("value", "ci_low", "ci_high")) | {"medical": True, "ranks": True}
    said = (
        (("b", "BRIDGE", "six kinds"), 2, 98, "version not stated", few),
        (("n", "NOHARM", "three"), 8, 32, "same version", known),
    )
    words = opinions_in_words(
        tuple(
            Tested(*names, rank=rank, n=n, kind=kind, agreement=agreement, **own)
            for names, rank, n, kind, agreement in said
        )
    )
    assert says(words, "BRIDGE 2nd of 98", "six kinds", "version not stated", "NOHARM 8th of 32")
    assert words.count("version") == 1
    assert says(
        words, "over 3 shared models, too few", "over 10 shared models", "+0.21, −0.49 to +0.75"
    )
    assert "No other suite" in opinions_in_words(())


# Savings


@pytest.mark.parametrize(
    ("saving", "words"),
    [
        (Saving(270, 300, 340), "saves $270 to $340 a month"),
        (Saving(0.0, 60.0, 300.0), "saves $0 to $300 a month"),
        (Saving(270.1, 270.2, 270.3), "saves about $270 a month"),
        (Saving(-340, -300, -270), "costs $270 to $340 more a month"),
        (Saving(-60.0, -60.0, -60.0), "costs about $60 more a month"),
        # The order turns: both ends are said, whichever is likely.
        *(
            (
                Saving(-142.2, likely, 228.8),
                "may save up to $229 or cost up to $142 more a month: "
                "which of the two costs less is not certain",
            )
            for likely in (118.8, -60.0)
        ),
        (Saving(0.0, 0.4, 0.9), "costs about the same a month"),
        (None, ""),
    ],
)
def test_a_saving_is_a_range_and_says_where_the_order_turns(saving, words):
    assert saving_in_words(saving) == words


# What scored higher and is gone


def left_out(name, place, *, rule="sale", successor="", tested=None):
    """One that is not on sale; of another rule no sale is told."""
    sale = sold("fails", "gone", "2026-10-23", name, successor=successor)
    told = {"sale": sale} if rule == "sale" else {}
    return LeftOut(name.lower(), rule, name=name, place=place, successor_tested=tested, **told)


def test_what_scored_higher_and_is_not_on_sale_is_said_best_first(propose):
    out = [
        left_out("Third", 3),
        left_out("First", 1, successor="new-1"),
        left_out("Seventh", 7),
        left_out("Closed", 2, rule="closed"),
        left_out("Placeless", None),
    ]
    words = ahead_in_words(out, propose("Take", rank_all=5), 6)
    assert words == "Scored higher, but not on sale for 6 months: First and Third."


def test_of_many_two_are_named_and_the_others_counted(propose):
    out = [left_out(f"M{i}", i, successor="s") for i in range(1, 5)]
    words = ahead_in_words(out, propose("Take", rank_all=5), None)
    assert words == "Scored higher, but not on sale for the day: M1, M2 and 2 more."
    assert ahead_in_words(out[2:], propose("Take", rank_all=3), 6) == ""
    assert ahead_in_words(out, propose("Take", rank_all=None), 6) == ""


@pytest.mark.parametrize(
    ("tested", "end"),
    [
        (None, "; its maker names new-1"),
        ((), "; its maker names new-1, no evidence yet"),
        (("BRIDGE", "NOHARM"), "; its maker names new-1, tested in BRIDGE and NOHARM"),
    ],
)
def test_what_was_left_out_says_what_its_maker_names(tested, end):
    words = why_left_out(left_out("First", 1, successor="new-1", tested=tested))
    assert words == f"no longer sold since 23 October 2026, last at First{end}"


# The headline of each strength


def test_the_headline_of_a_leader(say):
    leads = ("take", "leader", "Take Lead", "highest", "5 that fit")
    say(*leads, "costs less", take="Lead", usd=10.0)
    say(*leads[:3], "not known", never=["costs less"], take="Lead")


def test_the_headline_of_the_cheapest(say):
    one = judged("likely", -0.007, -0.016, 0.002)
    # Not of all: one that is worse may cost less.
    said = (
        "Take Take",
        "as good as Lead",
        "the highest score that fits",
        "within 2 points",
        "likely",
    )
    say("take", "cheapest", *said, "nothing as good costs less", usd=30.0, judged=one)
    # Without a known cost it was its size.
    smaller = "nothing as good is smaller"
    say("take", "cheapest", smaller, never=["costs"], size=7.0, judged=one)
    # Worse throughout, and within the margin throughout.
    worse = judged("shown", -0.009, -0.017, -0.001)
    said = ("worse than Lead", "by less than 2 points", "nothing as close")
    say("take", "cheapest", *said, never=["as good"], usd=30.0, judged=worse)


def test_the_headline_in_place_of_a_model(say):
    better = judged("shown", 0.037, 0.026, 0.048)
    saves = Saving(200.0, 400.0, 900.0)
    said = ("Lead", "replaced by Take", "better by 3.7", "+2.6 to +4.8", "on these tests")
    asked = {"in_use": True, "usd": 30.0, "judged": better, "saves": saves}
    say("take", "replaced", *said, "saves $200 to $900", **asked)
    good = judged("likely", -0.001, -0.012, 0.01)
    said = ("Lead can be replaced by Take", "as good within 2 points", "likely")
    say("take", "replaced", *said, never=["saves"], in_use=True, judged=good)


KEEPS = "better", "as good within 2 points"


@pytest.mark.parametrize(
    ("known", "facts", "never"),
    [
        ({"usd": 30.0}, [*KEEPS, "cost less"], "smaller"),
        ({"size": 7.0}, [*KEEPS, "smaller", "costs cannot be compared"], "cost less"),
        ({}, ["better", "neither cost nor size"], "as good"),
    ],
)
def test_the_headline_of_a_model_in_use_that_stays(say, known, facts, never):
    say("keep", "keep", "Keep Lead", *facts, never=[never], take="Lead", in_use=True, **known)


@pytest.mark.parametrize(
    ("strength", "why", "facts"),
    [
        ("keep", "none as good", ["No model", "as good as Lead", "2 points"]),
        ("keep", "nothing fits", ["No model", "fits"]),
        ("shortlist", "nothing fits", ["No model", "fits"]),
    ],
)
def test_without_a_model_to_take_it_says_why(say, strength, why, facts):
    verbs = ("Take", "Keep", "Test", "Choose")
    say(strength, why, *facts, never=verbs, take=None, in_use=strength == "keep", n_fit=0)


def test_the_headline_of_a_choice_says_that_the_others_cost_less(say, propose):
    best, one, two = (propose(name, usd=usd) for name, usd in (("A", 90.0), ("B", 9.0), ("C", 5.0)))
    ask = ("choose", "cheaper ones open")
    three = ("Choose between A, B and C", "cost less", "cannot tell", "the others are")
    say(*ask, *three, take="A", choose=(best, one, two))
    both = ("Choose between A and B", "costs less", "cannot tell", "the second is")
    say(*ask, *both, never=["probably"], take="A", choose=(best, one))
    # What lies below 0 throughout is probably worse, and that is said where it is so of all.
    lower = replace(one, judged=judged("open", -0.018, -0.03, -0.005))
    said = ("costs less", "probably worse", "cannot tell by how much")
    say(*ask, *said, take="A", choose=(best, lower))
    say(*ask, never=["probably"], take="A", choose=(best, lower, two))


def test_where_the_first_has_no_price_the_headline_says_of_none_that_it_costs_less(say, propose):
    """What has a price goes before what has none, and nobody knows that it is lower."""
    unknown, priced = propose("A", size=70.0), propose("B", usd=9.0)
    small = propose("C", size=7.0)
    said = ("Choose between A", "what A costs is not known", "cannot tell")
    for others in ([priced], [small], [priced, small]):
        last = "second is" if len(others) == 1 else "others are"
        asked = {"never": ["less"], "take": "A", "choose": (unknown, *others)}
        say("choose", "cheaper ones open", *said, last, **asked)
    said = ("Test A and B", "more than three may be as good as A")
    asked = {"take": None, "tests": [unknown, priced], "best": unknown}
    say("shortlist", "many cheaper", *said, never=["less"], **asked)


@pytest.mark.parametrize(
    ("harm", "shown"),
    # 10 against 30 of 100: z = 3.6; 14.1 against 20.9: z = 1.27.
    [((0.30, 0.10), "shown"), ((0.209, 0.141), "not shown to differ")],
)
def test_the_headline_of_a_choice_for_harm_has_both_shares(say, propose, make_safety, harm, shown):
    best, safer = (
        propose(name, usd=usd, safety=make_safety(share))
        for name, usd, share in zip(("A", "B"), (10.0, 30.0), harm, strict=True)
    )
    told = {"take": "B", "safety": safer.safety, "usd": 30.0}
    said = ("Choose between A and B", "A costs less", "B", "severe harm", "fewer")
    shares = f"{harm[1] * 100:.1f} against {harm[0] * 100:.1f} %"
    say("choose", "harm", *said, shares, shown, choose=(best, safer), best=best, **told)
    # Of an unknown cost nobody knows that it is the least.
    best = replace(best, cost=propose("A").cost)
    said = ("Choose between A and B", "B did severe harm", shown)
    asked = {"choose": (best, safer), "best": best, **told}
    say("choose", "harm", *said, never=["costs least"], **asked)


@pytest.mark.parametrize(
    ("why", "facts"),
    [
        ("suite does not decide", ["The Suite", "does not test this work"]),
        ("not separated", ["The Suite", "does not separate the first 3 of the 5"]),
        ("many cheaper", ["more than three", "cost less than A", "may be as good"]),
        ("price unknown", ["what A costs is not known", "budget"]),
        ("price and sale unknown", ["what A costs", "whether it is sold", "known"]),
        ("condition not known", ["no platform of A is known to meet"]),
    ],
)
def test_the_headline_of_a_shortlist_says_what_to_test_and_why(say, propose, why, facts):
    tests = [propose(name, usd=10.0) for name in "ABC"]
    asked = {"take": None, "lead": "A", "tests": tests, "best": tests[0]}
    say("shortlist", why, "Test A, B and C", "own cases", *facts, **asked)


def test_the_headline_where_few_fit(say, propose):
    two = [propose(name) for name in "AB"]
    few = ("shortlist", "few fit")
    higher = ("2 of 13", "A scores higher")
    say(*few, *higher, "both", "own cases", take=None, tests=two, n_fit=2)
    say(*few, *higher, "own cases", never=["both"], take=None, tests=two[:1], n_fit=2)
    said = ("Only A fits", "of 13", "own cases")
    say(*few, *said, never=["higher"], take=None, tests=two[:1], n_fit=1)


# What to know first: two alerts at most, in their order

DAY = date(2026, 11, 23)
SALE = sold("passes", "ends", "2027-11-23", "V")


@pytest.fixture
def everything(make_safety, make_cost):
    """What a model can have against it, all at once, in the order in which it is told."""
    kind = GateKind("baa", "Agreement", "platform", "yes", "an agreement?", "", "")
    check = GateCheck(kind, "open", "Take", "", "V", "", "", "2026-11-23", "")
    return {
        "routes": (RouteVerdict("Take", "V", "open", (check,), ""),),
        "cost": make_cost("Take", 30.0, 10.0, 46.0),
        "judged": judged("shown", 0.03, 0.01, 0.05, warnings=[Rise((0.01, 0.02), None, False)]),
        "safety": make_safety(0.3, rank=32, marked=True),
        "sale": SALE,
    }


def test_of_all_alerts_the_two_weightiest_are_told(make_found, propose, everything):
    subjects = {
        "routes": "agreement",
        "cost": "up to $46",
        "judged": "Severe harm rises",
        "safety": "30.0 % of 100 cases",
        "sale": "On sale until 23 November 2027, at V.",
    }
    order = list(everything)
    for n in range(len(order)):
        has = {name: everything[name] for name in order[n:]}
        found = alerts(make_found("take", "leader", "Lead", budget=40.0, **has), DAY)
        assert len(found) == min(2, len(has))
        for name, said in zip(order[n:], found, strict=False):
            assert subjects[name] in said
    # That none should run unattended goes before all of them.
    agents = Unattended(0.41, 75, by_publisher=True)
    found = alerts(
        make_found("take", "leader", "Lead", budget=40.0, unattended=agents, **everything), DAY
    )
    assert says(found[0], "No agent run by the publisher", "41 % of these 75 tasks", "unattended")
    assert subjects["routes"] in found[1]
    # Of a shortlist nothing is bought yet; what may go over the budget is said of each.
    dear = [propose(name, cost=everything["cost"]) for name in "AB"]
    tests = make_found("shortlist", "not separated", None, tests=dear, budget=45.0)
    said = [f"{name}: it may go over the budget: up to $46 a month." for name in "AB"]
    assert alerts(tests, DAY) == tuple(said)
    tests = make_found("shortlist", "not separated", None, tests=dear, budget=46.0)
    assert alerts(tests, DAY) == ()
    nobody = make_found("shortlist", "not separated", None, unattended=agents)
    assert alerts(nobody, DAY) == found[:1]
    assert alerts(make_found("shortlist", "not separated", None), DAY) == ()


def test_what_is_in_order_alerts_nobody(make_found, everything, make_safety):
    fine = {
        "routes": (RouteVerdict("Take", "V", "passes", (), ""),),
        "cost": everything["cost"],
        "judged": judged("shown", 0.03, 0.01, 0.05),
        "safety": make_safety(0.3, rank=20),
        "sale": sold("passes", "ends", "2027-11-24", "V"),
    }
    assert alerts(make_found("take", "leader", "Lead", budget=46.0, **fine), DAY) == ()
    # Without a budget nothing goes over it.
    assert alerts(make_found("take", "leader", "Lead", **fine), DAY) == ()
    # What is to be asked of its sale first stands in the headline.
    asked = make_found("take", "leader", "Lead", sale=sold("question"))
    assert alerts(asked, DAY) == ()
    assert headline(asked).endswith("Ask first whether the vendor still sells it.")
    unread = sold("passes", "not known", platform="V")
    assert headline(make_found("take", "leader", "Lead", sale=unread)).endswith(
        "Ask first whether V still sells it."
    )
    open_end = sold("passes", "no end known", platform="V")
    assert alerts(make_found("take", "leader", "Lead", sale=open_end), DAY) == ()


# The reasons


@pytest.fixture
def told(make_found):
    """What speaks for and against a model that is held against Lead."""

    def make(each):
        found = make_found("take", "cheapest", take=None)
        return for_and_against(
            replace(found, dossiers={**found.dossiers, each.model.id: each}), each
        )

    return make


def test_reasons_begin_with_the_standing_then_the_tier_then_what_holds_it_back(
    propose, told, make_safety
):
    one = judged(
        *("open", 0.01, 0.0, 0.02),
        vetoes=[WORSE],
        warnings=[Rise(None, (10.0, 20.0), shown=False)],
        once=0.25,
        n=7,
    )
    found = told(
        propose(
            "Take",
            judged=one,
            safety=make_safety(0.1, rank=3),
            together=0.97,
            same_cluster=True,
            saves=Saving(20.0, 60.0, 300.0),
            missing=("Never",),
            interval_basis="none",
        )
    )
    order = [
        *("Best of the 5", "+1.0 points", "1 in 4", "7 of 12 tests", "worse on Notes: -6.0"),
        *("errors rise from 10.0 to 20.0", "3rd of 32", "No other suite", "97 %"),
        *("Can run on your own servers", "$20 to $300", "No public price"),
    ]
    assert len(found) == len(order)
    for fact, said in zip(order, found, strict=True):
        assert fact in said
    assert says(found[-1], "No public price", "not disclosed", "And 2 more.")
    assert "Never run" not in found[-1]


@pytest.mark.parametrize(("same", "fact"), [(True, "the same cluster"), (False, "another cluster")])
def test_without_resampled_trees_the_cluster_is_said(propose, told, same, fact):
    one = judged("open", 0.0, -0.03, 0.03)
    found = told(propose("Take", judged=one, same_cluster=same))
    assert any(says(said, fact, "Lead") for said in found)
    assert not any("cluster" in said for said in told(propose("Take", judged=one)))


def test_a_model_in_use_that_does_not_fit_says_until_when_it_is_sold(propose, told):
    sale = sold("fails", "gone", "2026-10-23", "V")
    found = told(propose("Old", fits=False, sale=sale))
    assert "No longer sold since 23 October 2026, last at V." in found
    assert not any("that fit" in said for said in found)


def test_what_scored_higher_is_told_of_the_first_alone(make_found, propose):
    one = judged("likely", -0.001, -0.01, 0.01)
    found = make_found("take", "cheapest", judged=one, rank_all=5)
    found = replace(found, shortlist=replace(found.shortlist, left_out=(left_out("Gone", 1),)))
    first, leader = (for_and_against(found, each) for each in (found.take, found.leader))
    assert "Gone" in first[1]
    assert not any("Gone" in said for said in leader)


@pytest.mark.parametrize(
    ("harm", "errors", "shown", "words"),
    [
        ((0.098, 0.209), None, False, "severe harm rises from 9.8 to 20.9 % of cases"),
        (
            *((0.1, 0.3), (14.3, 20.0), True),
            "severe harm rises from 10.0 to 30.0 % of cases and severe errors rise from 14.3 to "
            "20.0 per 100 cases, which is shown",
        ),
        (None, None, True, "severe harm rises, which is shown"),
    ],
)
def test_a_rise_in_harm_is_said_with_both_figures(harm, errors, shown, words):
    assert objection(Rise(harm, errors, shown)) == words

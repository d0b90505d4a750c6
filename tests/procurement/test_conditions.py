"""Conditions, where an unknown is a question; one product under several names, and its sale."""

from dataclasses import replace
from datetime import date

import pytest

from core import domain
from core.answers import data, recommend
from core.answers.asked import ask
from core.domain import CrosswalkEntry, Lifecycle, OwnSale, Question, Region
from core.evidence.products import products_of_models
from core.procurement import conditions
from core.procurement import conditions as sales
from core.procurement.recommendation import cautions
from core.words.conditions import check_in_words, met_in_words, said_of
from core.words.model import sold_longer, term
from core.words.shortlist import sale_at, sale_in_words, sale_there
from tests.conftest import a_model


def answer(platform, condition, said, detail="", days=None):
    return domain.ConditionAnswer(
        platform, condition, said, detail, "https://example.org", "2026", days, "vendor"
    )


@pytest.fixture
def judge(bundled):
    kinds = bundled.catalogue.condition_kinds

    def ask(*needed, answers=(), platforms=("P",), licence=None, days=None, context=None, **fields):
        model = a_model("m", **{"access": "open", "developer": "D"} | fields)
        return conditions.apply_conditions(
            domain.Conditions(required=needed, max_retention_days=days, min_context_tokens=context),
            [model],
            {"m": [conditions.OfferAt(platform, "") for platform in platforms]},
            kinds=kinds,
            answers=answers,
            licence=lambda _: licence,
        )

    return ask


def only(verdicts):
    (verdict,) = verdicts["m"]
    (check,) = verdict.checks
    assert verdict.status == check.status
    return check.status, check_in_words(check)


PAGE = "vendor's own page, 2026"
TRAINS, LICENCE = "trains_on_customer_data_by_default", "commercial_licence"
ASK_BAA = "Ask P: is there a business associate agreement? No statement found."


@pytest.mark.parametrize(
    ("said", "detail", "status", "words"),
    [
        (None, "", "open", ASK_BAA),
        ("unknown", "", "open", ASK_BAA),
        (
            *("no", "The contract says so.", "fails"),
            f"P offers no business associate agreement. The contract says so ({PAGE}).",
        ),
        (
            *("conditional", "On request.", "conditional"),
            f"P, business associate agreement (BAA), on a condition: On request ({PAGE}).",
        ),
        ("yes", "By web.", "passes", f"P, business associate agreement (BAA): By web ({PAGE})."),
    ],
    ids=lambda it: it[:30] if isinstance(it, str) else None,
)
def test_an_answer_of_a_platform_is_judged_and_said(judge, said, detail, status, words):
    found = judge("baa", answers=[answer("P", "baa", said, detail)] if said else ())
    assert only(found) == (status, words)


@pytest.mark.parametrize(
    ("condition", "asked", "status", "words"),
    [
        (TRAINS, {"answers": [answer("P", TRAINS, "no")]}, "passes", ""),
        (TRAINS, {"answers": [answer("P", TRAINS, "yes")]}, "fails", ""),
        ("on_premises", {}, "passes", ""),
        (
            *("on_premises", {"access": "closed"}, "fails"),
            "m cannot run on our own servers: its weights are closed.",
        ),
        (
            *("on_premises", {"access": "unknown"}, "open"),
            "Ask D about m: can it run on our own servers? "
            "No source says whether its weights are open.",
        ),
        # A licence that nobody read is a question.
        (
            *(LICENCE, {"developer": ""}, "open"),
            "Ask the developer of m: does its licence allow a hospital to use it? "
            "No licence is stated.",
        ),
        (LICENCE, {"access": "closed"}, "open", ""),
        # An own answer about the model goes first.
        (
            LICENCE,
            {"answers": [answer("m", LICENCE, "yes", "Our lawyer has read it.")]},
            *("passes", "m, commercial use: Our lawyer has read it."),
        ),
        (None, {"context": 8_000, "context_window_tokens": 8_000}, "passes", ""),
        (
            *(None, {"context": 8_001, "context_window_tokens": 8_000}, "fails"),
            "m cannot read as many tokens at once as you need. "
            "It reads at most 8,000 tokens; you need 8,001.",
        ),
        (None, {"context": 8_000}, "open", ""),
        # A platform's answer is none of another seller there: neither its own nor one that the
        # buyer was told of the platform; one of that seller is.
        (
            *("baa", {"answers": [answer("P (D)", "baa", "unknown", "D is seller of record.")]}),
            *("open", "Ask P (D): is there a business associate agreement? D is seller of record."),
        ),
        (
            "baa",
            {
                "answers": [
                    answer(at, "baa", said) for at, said in (("P (D)", "unknown"), ("P", "yes"))
                ]
            },
            *("open", "Ask P (D): is there a business associate agreement? No statement found."),
        ),
        (
            "baa",
            {"answers": [answer("P", "baa", "no"), answer("P (D)", "baa", "yes")]},
            "passes",
            "",
        ),
        (
            "baa",
            {"answers": [answer("P", "baa", "yes"), answer("P (E)", "baa", "no")]},
            "passes",
            "",
        ),
        # Whom to ask where nobody sells it, and at home.
        (
            *("baa", {"platforms": ("no platform known",), "access": "closed"}, "open"),
            "Ask the vendor of m: is there a business associate agreement? No statement found.",
        ),
        (
            *("baa", {"platforms": ("Self-hosted open weights",)}, "open"),
            "Ask your own IT department: is there a business associate agreement? "
            "No statement found.",
        ),
    ],
    ids=lambda it: it[:30] if isinstance(it, str) else None,
)
def test_a_condition_is_judged_by_model_platform_and_seller(judge, condition, asked, status, words):
    found = only(judge(*([condition] if condition else []), **asked))
    assert found == (status, words or found[1])


@pytest.mark.parametrize(
    ("use", "status"),
    [
        ("yes", "passes"),
        ("no", "fails"),
        ("conditional", "conditional"),
        ("", "open"),
    ],
)
def test_a_licence_is_judged_by_its_use_and_quoted(judge, use, status):
    licence = domain.Licence(
        "l", "Licence L", use, "No medical advice.", "https://example.org", "2026"
    )
    found, words = only(judge(LICENCE, licence=licence))
    assert found == status
    assert "Licence L: No medical advice." in words


def test_the_worst_check_decides_a_way_and_the_best_a_model(judge):
    for known, statuses in [
        # The worst check decides, and a question outweighs a condition.
        ({("P", "soc2"): "conditional", ("P", "hitrust"): "yes"}, ["open"]),
        ({("P", "soc2"): "conditional", ("P", "hitrust"): "no"}, ["fails"]),
        # A model stays while one way to get it is open.
        ({("P", "baa"): "no", ("Q", "baa"): "unknown"}, ["fails", "open"]),
    ]:
        answers = [answer(*where, said) for where, said in known.items()]
        platforms = tuple("PQ"[: len(statuses)])
        found = judge("baa", "soc2", "hitrust", answers=answers, platforms=platforms)
        assert [verdict.status for verdict in found["m"]] == statuses
        if len(statuses) == 1:
            assert [len(said_of(found["m"][0], word)) for word in ("open", "conditional")] == [1, 1]
        # What is not asked for is not judged; without conditions all pass.
        others = [answer("P", "baa", "unknown"), answer("P", "hitrust", "no")]
        assert judge("baa", answers=others)["m"][0].status == "open"
        (verdict,) = judge()["m"]
        assert (verdict.status, verdict.checks) == ("passes", ())
    for known, counts, words in [
        # One meets, on a condition; of two HITRUST is unknown, of one the agreement too.
        (
            [{"P": "yes conditional"}, {"P": "yes -"}, {"P": "- -"}],
            (1, 0, 2, [("HITRUST certificate", 2), ("Business associate agreement (BAA)", 1)]),
            "1 meets every condition; for 2, not known: HITRUST certificate and business associate "
            "agreement (BAA)",
        ),
        # Where own servers alone are known to do, that is said; what fails counts nowhere.
        (
            [{"P": "yes -", conditions.SELF_HOSTED: "yes yes"}, {"P": "no yes"}],
            (1, 1, 0, []),
            "1 meets every condition, on your own servers only",
        ),
        (
            [
                {conditions.SELF_HOSTED: "yes yes"},
                {"P": "yes yes"},
                {"P": "yes yes", "Q": "- -", conditions.SELF_HOSTED: "yes yes"},
            ],
            (3, 1, 0, []),
            "3 meet every condition, 1 of them on your own servers only",
        ),
    ]:
        ways = []
        for of in known:
            given = [
                answer(platform, condition, said)
                for platform, both in of.items()
                for condition, said in zip(("baa", "hitrust"), both.split(), strict=True)
                if said != "-"
            ]
            ways.append(judge("baa", "hitrust", answers=given, platforms=tuple(of))["m"])
        found = conditions.met(ways)
        assert (found.n_meet, found.n_own, found.n_open, list(found.unknown)) == counts
        assert met_in_words(found) == words
        assert conditions.met([judge()["m"]]) is None
    for needed, days, message in [
        (("bba",), None, 'There is no condition "bba"; known: baa, '),
        (
            ("default_retention_days",),
            None,
            'The condition "Days that data are kept" needs a number',
        ),
        ((), -1, "The limit of Days that data are kept must be 0 or more"),
    ]:
        with pytest.raises(domain.BadRequestError, match=message):
            judge(*needed, days=days)


@pytest.mark.parametrize(
    ("said", "days", "limit", "status"),
    [
        *(("yes", 30, 30, "passes"), ("yes", 30, 29, "fails"), ("no", None, 0, "passes")),
        ("yes", None, 30, "open"),  # it keeps data, no source says how long
        *(("conditional", 30, 30, "conditional"), ("conditional", None, 30, "open")),
        ("unknown", None, 30, "open"),
    ],
)
def test_days_of_retention_are_held_against_the_limit(judge, said, days, limit, status):
    known = [answer("P", "default_retention_days", said, days=days)]
    assert only(judge(answers=known, days=limit))[0] == status


@pytest.mark.parametrize(
    ("zero", "status"), [("yes", "conditional"), ("conditional", "conditional"), ("no", "fails")]
)
def test_zero_retention_turns_too_many_days_into_a_condition(judge, zero, status):
    known = [
        answer("P", "default_retention_days", "yes", "Logs.", days=30),
        answer("P", "zero_data_retention", zero, "By contract."),
    ]
    found, words = only(judge(answers=known, days=0))
    assert found == status
    assert "30 days by default, you allow 0." in words
    assert ("Zero retention must be agreed: By contract" in words) == (status == "conditional")
    (offer,) = judge(answers=known, days=0)["m"]
    unless = ", unless zero retention is agreed" if status == "conditional" else ""
    assert term(offer.checks[0]) == f"30 days (2026){unless}"


@pytest.mark.parametrize(
    ("limit", "asked"),
    [
        pytest.param(0, "for zero days, or can that be agreed?", id="none may be kept"),
        pytest.param(1, "for no more than 1 day?", id="one day"),
        pytest.param(30, "for no more than 30 days?", id="some days"),
    ],
)
def test_what_is_asked_of_days_is_what_was_required(judge, limit, asked):
    known = [answer("P", "default_retention_days", "unknown", "Not said.")]
    _, words = only(judge(answers=known, days=limit))
    assert words == f"Ask P: does it keep prompts and answers {asked} Not said."


@pytest.mark.parametrize("said", ["unknown", "conditional", "yes", None])
def test_what_cannot_store_nothing_fails_where_nothing_may_be_kept(judge, said):
    known = [answer("P", "zero_data_retention", "no", "Its maker keeps all.")]
    known += [answer("P", "default_retention_days", said)] if said else []
    assert only(judge(answers=known, days=0)) == (
        "fails",
        f"P keeps prompts and answers longer than you allow. Its maker keeps all ({PAGE}).",
    )
    (found,) = judge(answers=known, days=0)["m"]
    assert term(found.checks[0]) == "not stated, never none (2026)"
    # Some days may be few enough; and what keeps nothing by default meets it.
    assert only(judge(answers=known, days=7))[0] == "open"
    known.append(answer("P", "default_retention_days", "no"))
    assert only(judge(answers=known, days=0))[0] == "passes"


@pytest.mark.parametrize(("zero", "status"), [("yes", "conditional"), ("unknown", "open")])
def test_zero_retention_answers_for_days_that_nobody_knows(judge, zero, status):
    known = [
        answer("P", "default_retention_days", "conditional", "Depends on the model."),
        answer("P", "zero_data_retention", zero, "A setting."),
    ]
    found, words = only(judge(answers=known, days=0))
    assert found == status
    assert ("Zero retention must be agreed: A setting" in words) == (status == "conditional")


def test_ways_to_get_a_model_and_those_that_the_buyer_allows():
    def sold(model, provider):
        return domain.PriceReference(model, provider, "x", "", "2026-11-21", "")

    platforms = [
        domain.Platform("p", "Platform P", "", "s", "2026-11-21", "doubt"),
        domain.Platform("p2", "Platform P", "", "s", "2026-11-21", ""),
    ]
    models = [a_model("a", access="open"), a_model("b"), a_model("c", access="closed")]
    found = conditions.offers_of(
        models, [sold("a", "p"), sold("a", "p2"), sold("b", "new")], platforms
    )
    assert found == {
        "a": (
            conditions.OfferAt("Platform P", "doubt", ("p", "p2")),
            conditions.OfferAt("Self-hosted open weights", ""),
        ),
        "b": (conditions.OfferAt("new", "", ("new",)),),
        "c": (conditions.OfferAt("no platform known", ""),),
    }
    # Open weights that nobody is known to sell leave the vendor to be asked, not nobody.
    vendor = conditions.OfferAt("V", "", ("V",))
    home, nobody = (
        conditions.OfferAt("Self-hosted open weights", ""),
        conditions.OfferAt("no platform known", ""),
    )
    models = [a_model("both", access="open"), a_model("weights", access="open"), a_model("closed")]
    for where, only, both, weights, closed in [
        ("any", (), (vendor, home), (home,), (vendor,)),
        ("own", (), (home,), (home,), ()),
        ("vendor", (), (vendor,), (nobody,), (vendor,)),
        ("any", ("V",), (vendor,), (), (vendor,)),
        ("vendor", ("W",), (), (), ()),
        ("own", ("V",), (home,), (home,), ()),
    ]:
        ways = conditions.offers_of(models, [], [], {"both": ["V"], "closed": ["V"]}, where, only)
        assert ways == {"both": both, "weights": weights, "closed": closed}


def test_bundled_answers_leave_no_condition_without_words(bundled):
    """Every model on every offer with every condition: no unknown passes, none reads as no."""
    catalogue = bundled.catalogue
    models = [model for model in catalogue.models.values() if not model.is_reference]
    needed = tuple(kind.id for kind in catalogue.condition_kinds.values() if kind.wanted != "limit")
    found = conditions.apply_conditions(
        domain.Conditions(required=needed, max_retention_days=30, min_context_tokens=8_000),
        models,
        conditions.offers_of(models, catalogue.prices, catalogue.platforms),
        kinds=catalogue.condition_kinds,
        answers=catalogue.condition_answers,
        licence=catalogue.licence,
    )
    assert len(found) == len(models)
    known = {(a.platform, a.condition): a.answer for a in catalogue.condition_answers}
    for verdicts in found.values():
        for verdict in verdicts:
            assert len(verdict.checks) == len(catalogue.condition_kinds)
            for check in verdict.checks:
                assert check_in_words(check).endswith((".", "?"))
                about = catalogue.condition_kinds[check.condition].about
                if about == "platform":
                    said = known.get((check.platform, check.condition), "unknown")
                    assert (check.status == "open") >= (said == "unknown")
                    assert check.status != "fails" or said in ("yes", "no", "conditional")
                if check.status in ("passes", "fails", "conditional"):
                    assert check.source_url or about == "model"


SAME, OPEN, HARNESS = "same version", "version not stated", "another harness"
ENTRIES = (
    CrosswalkEntry("X (May)", "x-0513", SAME, "-"),
    CrosswalkEntry("X (May)", "x", OPEN, "-"),
    CrosswalkEntry("X (August)", "x", OPEN, "-"),
    CrosswalkEntry("X (August)", "x-0806", SAME, "-"),
    CrosswalkEntry("X (August)", "lab/x-0806", SAME, "-"),
)


def test_the_same_version_only_where_both_say_so(others):
    assert sales.counterparts("x-0806", ENTRIES) == {"x": OPEN, "lab/x-0806": SAME}
    # Two versions never meet through a name without one.
    assert sales.counterparts("x-0513", ENTRIES) == {"x": OPEN}
    assert sales.counterparts("x", ENTRIES) == {"x-0513": OPEN, "x-0806": OPEN, "lab/x-0806": OPEN}
    assert products_of_models(ENTRIES)["x"] == ("X (May)", "X (August)")
    assert ("y" in products_of_models(ENTRIES), sales.counterparts("y", ENTRIES)) == (False, {})
    # The others find their model in other suites, and are found from none.
    entries = (
        *ENTRIES,
        CrosswalkEntry("X (August)", "x-0806 (own)", SAME, "-"),
        CrosswalkEntry("X (August)", "x-0806 (open)", HARNESS, "-"),
    )
    own = {"x": OPEN, "x-0806": SAME, "lab/x-0806": SAME}
    assert sales.counterparts("x-0806 (own)", entries) == own
    assert sales.counterparts("x-0806 (open)", entries) == own | {"x-0806 (own)": SAME}
    assert sales.counterparts("x-0806", entries) == {
        **{"x": OPEN, "lab/x-0806": SAME, "x-0806 (own)": SAME},
    }
    assert sales.matched(["x-0806"], ["x-0806 (open)", "x-0806 (own)"], entries) == (
        ("x-0806", "x-0806 (own)", SAME),
    )
    # The kind does not depend on which shared product is first.
    entries = [
        CrosswalkEntry("A", "m", OPEN, "-"),
        CrosswalkEntry("A", "n", OPEN, "-"),
        CrosswalkEntry("B", "m", SAME, "-"),
        CrosswalkEntry("B", "n", SAME, "-"),
    ]
    assert sales.counterparts("m", entries) == {"n": SAME}
    assert sales.counterparts("m", entries[::-1]) == {"n": SAME}
    for model, found in [
        (
            "GPT-4o (2024-05-13)",
            {"GPT-4o": OPEN, "gpt-4o": OPEN, "gpt-4o-2024-05-13": SAME, "gpt_4o": OPEN},
        ),
        ("Gemini 2.5 Pro (05-06 preview)", {}),  # NOHARM has the later stable model
        (
            "Qwen3-32B-Thinking",
            dict.fromkeys(["Qwen3 32B", "qwen3-32b", "qwen/qwen3-32b"], OPEN)
            | {"Qwen3-32B (thinking)": SAME},
        ),
        ("meta-llama/Meta-Llama-3-8B", {}),  # neither its instruct model nor Llama 3.1
        ("BioMistral/BioMistral-7B-BnB.8", {}),  # 8-bit weights are others
    ]:
        assert others(model) == found


@pytest.fixture(scope="module")
def others(bundled):
    return lambda model: sales.counterparts(model, bundled.catalogue.crosswalk)


def test_models_are_matched_once_the_same_version_and_the_same_name_first():
    assert sales.matched(["x", "x-0806"], ["lab/x-0806", "x-0513"], ENTRIES) == (
        ("x", "x-0513", OPEN),
        ("x-0806", "lab/x-0806", SAME),
    )
    # Both may be x; the first in order is, and the other is nobody then.
    assert sales.matched(["x-0513", "x-0806"], ["x"], ENTRIES) == (("x-0513", "x", OPEN),)
    assert sales.matched(["x-0806", "x-0513"], ["x"], ENTRIES) == (("x-0806", "x", OPEN),)
    entries = [
        CrosswalkEntry("Y", "y-mini", SAME, "-"),
        CrosswalkEntry("Y", "y large", OPEN, "-"),
        CrosswalkEntry("Y", "Y Mini", OPEN, "-"),
    ]
    assert sales.matched(["y-mini"], ["y large", "Y Mini"], entries) == (
        ("y-mini", "Y Mini", OPEN),
    )
    # The same version where the crosswalk does not know it or states one, else not stated.
    assert sales.matched(["z", "x", "x-0806"], ["x-0806", "x", "z"], ENTRIES) == (
        ("z", "z", SAME),
        ("x", "x", OPEN),
        ("x-0806", "x-0806", SAME),
    )
    assert sales.matched(["a"], ["b"], ENTRIES) == ()


TODAY = date(2026, 11, 22)
AZURE = "Azure OpenAI / Azure AI Foundry"


def row(platform="OpenAI API", status="on sale", shutdown_on="", read_on="2026-11-01", **fields):
    """What a page of a platform said on the first of November."""
    return replace(
        Lifecycle(
            *("p", platform, "p", status, "2026-11-22", "", shutdown_on),
            *("", "https://x", "page", "", "", read_on),
        ),
        **fields,
    )


@pytest.fixture
def closed():
    return a_model("m", access="closed", developer="OpenAI")


@pytest.mark.parametrize(
    ("shutdown_on", "months", "state", "lasts"),
    [
        ("2026-11-22", 6, "gone", False),  # the day of shutdown is the first without it
        ("2026-11-23", 6, "ends", False),
        ("2027-05-21", 6, "ends", False),
        ("2027-05-22", 6, "ends", True),  # served on each day of the six months
        ("2026-11-23", 0, "ends", True),
    ],
)
def test_a_stated_end_decides_whatever_the_status(shutdown_on, months, state, lasts):
    for status in ("on sale", "deprecated", "shut down", "not found"):
        found = sales.judged_sale(row(status=status, shutdown_on=shutdown_on), TODAY, months)
        assert (found.state, found.lasts, found.until) == (state, lasts, shutdown_on)


@pytest.mark.parametrize(
    ("status", "on", "state", "lasts"),
    [
        ("on sale", TODAY, "no end known", True),
        ("deprecated", TODAY, "no end known", True),
        ("not found", TODAY, "not known", None),
        ("shut down", TODAY, "gone", False),
        ("shut down", date(2026, 11, 21), "not known", None),  # it was read a day later
    ],
)
def test_without_an_end_the_status_decides(status, on, state, lasts):
    found = sales.judged_sale(row(status=status), on, 6)
    assert (found.state, found.lasts, found.until) == (state, lasts, "")


@pytest.mark.parametrize(
    ("fields", "months", "state", "until"),
    [
        # 1 November and 203 days are 23 May, one day past the six months that end on 22 May.
        ({"notice_days": 203}, 6, "assured", "2027-05-23"),
        ({"notice_days": 202}, 6, "assured", "2027-05-22"),
        ({"notice_days": 201}, 6, "no end known", "2027-05-21"),
        ({"not_before": "2027-06-01"}, 6, "assured", "2027-06-01"),
        ({"not_before": "2027-01-01", "notice_days": 60}, 6, "no end known", "2027-01-01"),
        ({"not_before": "2026-12-01", "notice_days": 60}, 6, "no end known", "2026-12-31"),
        ({"not_before": "2026-12-01", "notice_days": 60}, 1, "assured", "2026-12-31"),
        # Notice counts from a day that is known.
        ({"notice_days": 400, "read_on": ""}, 6, "no end known", ""),
    ],
)
def test_without_an_end_floor_and_notice_decide(fields, months, state, until):
    found = sales.judged_sale(row(**fields), TODAY, months)
    assert (found.state, found.until, found.lasts) == (state, until, True)


@pytest.mark.parametrize(
    ("day", "months", "expected"),
    [
        ("2026-11-22", 6, "2027-05-22"),
        ("2026-08-31", 6, "2027-02-28"),  # clipped to the end of the month
        ("2027-08-31", 6, "2028-02-29"),
        ("2026-01-31", 11, "2026-12-31"),
    ],
)
def test_months_are_clipped_to_the_end_of_a_month(day, months, expected):
    assert sales.add_months(date.fromisoformat(day), months).isoformat() == expected


def test_what_is_closed_to_new_customers_is_a_question_never_a_pass(closed):
    """Azure closes a version 12 months after its launch, and serves it on to those who have it."""
    here = row(AZURE, shutdown_on="2027-07-13", closed_on="2026-08-07")
    found = sales.on_sale(closed, [here], TODAY, 6)
    assert (found.standing, found.best.state) == ("question", "existing customers only")
    assert sale_in_words(found) == (
        f"for existing customers only, until 13 July 2027, at {AZURE} (read 1 November 2026)"
    )
    # Its price holds for those, so the platform does not fail; an end that is too near still does.
    assert found.failing_platforms == frozenset()
    soon = sales.on_sale(closed, [here], TODAY, 8)
    assert (soon.standing, soon.best.lasts) == ("fails", False)
    assert sale_in_words(soon) == sale_in_words(found)
    # Another platform that takes everybody goes first, and what the buyer was told before both.
    both = sales.on_sale(closed, [here, row(shutdown_on="2027-06-01")], TODAY, 6)
    assert (both.standing, both.best.platform) == ("passes", "OpenAI API")
    told = sales.with_own_sales([here], [OwnSale("m", AZURE, "2027-07-13", "2026-11-20", "letter")])
    assert sales.on_sale(closed, told, TODAY, 6).standing == "passes"


@pytest.mark.parametrize(
    ("closed_on", "closes_on"),
    [
        ("2026-11-22", ""),  # it has
        ("2026-11-23", "2026-11-23"),
        ("2027-05-22", "2027-05-22"),  # in half a year
        ("2027-05-23", ""),
        ("", ""),
    ],
)
def test_what_closes_within_half_a_year_is_sold_until_then(closed_on, closes_on):
    here = row(AZURE, shutdown_on="2027-07-13", closed_on=closed_on)
    found = sales.judged_sale(here, TODAY, 6)
    assert (found.closes_on, found.lasts) == (
        closes_on,
        None if closed_on == "2026-11-22" else True,
    )
    if closes_on:
        before = "23 November 2026" if closes_on == "2026-11-23" else "22 May 2027"
        end = f"no new customers from {before}"
        assert sale_at(found) == f"on sale until 13 July 2027, at {AZURE}, {end}"
        assert sale_there(found) == f"until 13 July 2027, {end}"


def test_one_platform_is_enough_and_fails_only_when_every_version_there_does(closed):
    rows = [row(shutdown_on="2026-12-11"), row(AZURE, shutdown_on="2028-01-01"), row("Other")]
    found = sales.on_sale(closed, rows[:2], TODAY, 6)
    assert found.standing == "passes"
    assert sale_in_words(found) == f"on sale until 1 January 2028, at {AZURE}"
    assert found.failing_platforms == {"OpenAI API"}
    # A day that is stated or assured goes before no known end, and that before old words.
    assert [sale.platform for sale in sales.on_sale(closed, rows, TODAY, 6).at] == [
        *(AZURE, "Other", "OpenAI API"),
    ]
    read = [row("Old", read_on="2026-01-01"), row("New"), row("Unread", "not found"), rows[0]]
    found = sales.on_sale(closed, read, TODAY, 6)
    assert [sale.platform for sale in found.at] == ["New", "Old", "Unread", "OpenAI API"]
    assert sale_in_words(found) == "on sale at New, no end known (read 1 November 2026)"
    rows = [
        row(shutdown_on="2026-10-23"),
        row(shutdown_on="2028-01-14"),
        row(AZURE, shutdown_on="2026-10-01"),
        row("AWS Bedrock", shutdown_on="2026-10-01"),
        row("AWS Bedrock", "not found"),
    ]
    found = sales.on_sale(closed, rows, TODAY, 6)
    assert found.failing_platforms == {AZURE}
    # Each platform is there once, with the version that lasts.
    assert [(sale.platform, sale.until) for sale in found.at] == [
        *(("OpenAI API", "2028-01-14"), ("AWS Bedrock", ""), (AZURE, "2026-10-01")),
    ]
    assert found.where("OpenAI API").until == "2028-01-14"
    assert found.where("Nowhere").state == "not known"
    rows = [row(), row(AZURE, shutdown_on="2027-01-01", conflict="One says otherwise.")]
    found = sales.on_sale(closed, rows, TODAY, 6, {AZURE})
    assert found.standing == "fails"
    assert sale_in_words(found) == f"on sale only until 1 January 2027, at {AZURE}"
    assert found.best.conflict == "One says otherwise."
    assert sales.on_sale(closed, rows, TODAY, 6).best.conflict == ""
    # Nothing was read of a platform without a row.
    assert sales.on_sale(closed, rows, TODAY, 6, {"AWS Bedrock"}).standing == "question"


def test_a_sale_tells_the_regions_of_its_own_product_and_platform(closed):
    ours = row().product
    regions = [
        Region(product, platform, region, "", "profile", "", "2026-11-12", "vendor", "")
        for product, platform, region in (
            *((ours, AZURE, "EU"), (ours, AZURE, "US"), (ours, AZURE, "EU")),
            *((ours, "OpenAI API", "global"), ("another", AZURE, "JP")),
        )
    ]
    found = sales.on_sale(closed, [row(), row(AZURE), row("Novita")], TODAY, 6, regions=regions)
    at = {sale.platform: sale.region for sale in found.at}
    assert at == {"OpenAI API": "global", AZURE: "EU, US", "Novita": ""}


def test_the_unknown_is_a_question_and_the_maker_s_platform_first(closed):
    gone = row(shutdown_on="2026-01-01")
    unread = row(AZURE, "not found", conflict="They differ.")
    found = sales.on_sale(closed, [gone, unread], TODAY, 6)
    assert sale_in_words(found) == "not known whether it is still sold: ask the vendor"
    best = found.best
    assert (found.standing, best.platform, best.conflict) == ("question", AZURE, "They differ.")
    assert sales.on_sale(closed, [], TODAY, 6).standing == "question"
    assert sales.on_sale(closed, [gone], TODAY, 6).standing == "fails"
    assert sales.on_sale(closed, [gone, unread, row("Other")], TODAY, 6).standing == "passes"
    # Azure OpenAI is not OpenAI's own, though the word is in both.
    rows = [row(AZURE, successor="theirs"), row("AWS Bedrock"), row(successor="ours")]
    found = sales.on_sale(closed, rows, TODAY, 6)
    assert (found.best.platform, found.successor) == ("OpenAI API", "ours")
    assert sales.on_sale(closed, rows[:2], TODAY, 6).successor == "theirs"
    assert sales.on_sale(closed, rows[1:2], TODAY, 6).successor == ""


def test_open_weights_can_be_kept_but_not_at_every_platform(closed):
    model = replace(closed, access="open")
    kept = "open weights: it can be kept on own servers"
    mit = domain.Licence(
        "mit", "MIT", "yes", "", "https://opensource.org/license/mit", "2026-11-01"
    )

    def said(*rows):
        found = sales.on_sale(model, rows, TODAY, 6, licence=mit)
        assert (found.standing, found.kept) == ("passes", True)
        return sale_in_words(found)

    # The last host that still serves it is named, one that is gone is not.
    ends = row("A", shutdown_on="2027-01-31"), row("B", shutdown_on="2027-03-30")
    gone = row("C", shutdown_on="2026-08-16")
    assert said(*ends, gone) == f"{kept}; on sale only until 30 March 2027, at B"
    assert said(gone) == said() == kept
    assert said(*ends, row("D")).endswith("; on sale at D, no end known (read 1 November 2026)")
    assert sales.on_sale(model, ends, TODAY, 6).failing_platforms == {"A", "B"}
    # What is gone without a day says so.
    found = sales.on_sale(closed, [row(status="shut down")], TODAY, 6)
    assert (found.standing, sale_in_words(found)) == ("fails", "no longer sold, last at OpenAI API")
    # Where one platform alone is asked about, what another sells is not said to have ended.
    both = [row("A", status="shut down", shutdown_on="2026-08-16"), row("B")]
    found = sales.on_sale(closed, both, TODAY, 6, {"A"})
    assert sale_in_words(found) == "no longer sold at A since 16 August 2026"
    found = sales.on_sale(closed, both[:1], TODAY, 6, {"A"})
    assert sale_in_words(found) == "no longer sold since 16 August 2026, last at A"


def test_a_hosted_open_model_that_cannot_be_kept_ends_like_others(closed):
    """Anybody may host open weights, so it is not a no before every host that meets has a row."""
    model = replace(closed, access="open")
    ends = row("AWS Bedrock", shutdown_on="2027-03-30")

    def hosted(rows, platforms=None):
        found = sales.on_sale(model, rows, TODAY, 6, platforms, own_servers=False)
        return found.standing, sale_in_words(found)

    ask = ("question", "not known whether it is still sold: ask the vendor")
    ends_there = "on sale only until 30 March 2027, at AWS Bedrock"
    others = ("question", f"{ends_there}; not known whether anybody else sells it")
    assert hosted([]) == ask
    assert hosted([ends]) == hosted([ends], {"AWS Bedrock", "Novita"}) == others
    assert hosted([ends], {"AWS Bedrock"}) == ("fails", ends_there)
    assert hosted([ends, row("Other")])[0] == "passes"
    shut = replace(ends, closed_on="2026-09-30")
    existing = "for existing customers only, until 30 March 2027, at AWS Bedrock"
    assert hosted([shut], {"AWS Bedrock"}) == ("fails", f"{existing} (read 1 November 2026)")
    assert hosted([shut])[1].endswith("not known whether anybody else sells it")
    passes = ("passes", "on sale until 22 May 2027, at A")
    assert hosted([ends, row("A", shutdown_on="2027-05-22")]) == passes
    # Closed weights have no other host.
    assert sales.on_sale(closed, [ends], TODAY, 6, own_servers=False).standing == "fails"


DAY = date(2026, 11, 23)


def test_a_fact_is_old_after_90_days_or_without_a_day(bundled):
    for read_on, old in [
        # 90 days before 23 November is 25 August.
        *[("2026-08-25", False), ("2026-08-24", True), ("2026-11-23", False)],
        # A month counts from its first day: 84 days from 31 August, 114 from 1 August.
        *[("2026-09", False), ("2026-08", True), ("2026", True), ("", True), ("undated", True)],
    ]:
        assert sales.is_old(read_on, DAY) is old
    # Without and with the clock: the day from which sale is counted, or that of the question.
    for begins, old in [
        ("", {"terms"}),
        *((day, {"sale", "prices", "terms"}) for day in ("2027-03-15", "2028-01-15")),
    ]:
        asked = Question.of(suite="lmarena-medicine", required=("baa",), on_sale_on=begins)
        day = date.fromisoformat(begins) if begins else DAY
        for question, on in ((asked, DAY), (asked.having(on_sale_on=""), day)):
            found = recommend.recommendation(ask(bundled, question, on))
            said = {each.fact for one in cautions(found, on) for each in one.old}
            assert said == old
        assert max(data.listed_on(bundled, day)) <= DAY.isoformat()
    for asked, days in (
        ("2026-11-28", ("2026-11-10", "2026-11-20")),
        ("2026-11-15", ("2026-11-10", "2026-11-12")),
        ("2026-11-05", ("2026-11-05",)),
    ):
        assert data.listed_on(bundled, date.fromisoformat(asked)) == days


def test_conditions_are_met_where_it_is_sold_for_long_enough(bundled):
    """AWS ends DeepSeek R1 and Llama 3.3 on 30 March 2027, less than six months away."""
    day = date(2026, 11, 28)
    asked = Question.of(required=("baa", "trains_on_customer_data_by_default"))
    found = recommend.recommendation(ask(bundled, asked, day))
    places = {row.model.name: row.terms[0].platform for row in found.shortlist.rows}
    ended = ("DeepSeek R1", "Llama 3.3 Instruct (70B)")
    assert {places[name] for name in ended} == {"Self-hosted open weights"}
    assert (found.met.n_meet, found.met.n_own) == (len(places), 2)
    on_the_day = recommend.recommendation(ask(bundled, asked.having(on_sale_months=0), day))
    rows = {row.model.name: row.terms[0].platform for row in on_the_day.shortlist.rows}
    assert rows["DeepSeek R1"] == "AWS Bedrock"
    assert rows["Llama 3.3 Instruct (70B)"] != "Self-hosted open weights"


@pytest.mark.parametrize(
    ("state", "until", "said"),
    [
        ("existing customers only", "2027-07-13", "13 July 2027"),
        ("ends", "2027-04-08", "8 April 2027"),
        ("ends", "2026-12-01", ""),
        ("gone", "2026-01-01", ""),
    ],
    ids=["existing customers", "later", "sooner", "gone"],
)
def test_who_sells_a_model_longer_than_the_first_is_said(state, until, said):
    first = domain.Sale("OpenAI API", "ends", "2026-12-10", "2026-11-27", "", None, is_old=False)
    other = replace(first, platform="Azure", state=state, until=until)
    found = sold_longer(domain.OnSale("passes", (first, other), "", frozenset()))
    assert said in found
    assert bool(found) == bool(said)

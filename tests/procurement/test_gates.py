"""Gates: an unknown is a question, neither a pass nor a refusal; a condition is carried."""

import pytest

from core.domain import (
    BadRequestError,
    GateAnswer,
    Licence,
    Platform,
    PriceReference,
    Requirements,
)
from core.procurement.gates import (
    Route,
    apply_gates,
    gated_out,
    routes,
    where_allowed,
    with_own,
)
from core.words.shortlist import check_in_words, said_of


def answer(platform, gate, said, detail="", days=None):
    return GateAnswer(platform, gate, said, detail, "https://example.org", "2026", days, "vendor")


@pytest.fixture
def judge(bundled, make_model):
    """Check one model on platforms with the bundled kinds of gates."""
    kinds = bundled.catalogue.procurement.gate_kinds

    def ask(*needed, answers=(), platforms=("P",), licence=None, days=None, context=None, **fields):
        model = make_model("m", **{"access": "open", "developer": "D"} | fields)
        return apply_gates(
            Requirements(gates=needed, max_retention_days=days, min_context_tokens=context),
            [model],
            {"m": [Route(platform, "") for platform in platforms]},
            kinds=kinds,
            answers=answers,
            licences={"m": licence},
        )

    return ask


def only(verdicts):
    (verdict,) = verdicts["m"]
    (check,) = verdict.checks
    assert verdict.status == check.status
    return check.status, check_in_words(check)


# Unknown is not no, and a condition is carried


@pytest.mark.parametrize(
    ("known", "status", "words"),
    [
        ((), "open", "Ask P: is there a business associate agreement? No statement found."),
        (
            (answer("P", "baa", "unknown"),),
            "open",
            "Ask P: is there a business associate agreement? No statement found.",
        ),
        (
            (answer("P", "baa", "no", "The contract says so."),),
            "fails",
            "P offers no business associate agreement. The contract says so.",
        ),
        (
            (answer("P", "baa", "conditional", "On request."),),
            "conditional",
            "P, business associate agreement, on a condition: On request.",
        ),
        (
            (answer("P", "baa", "yes", "Signed online."),),
            "passes",
            "P, business associate agreement: Signed online.",
        ),
    ],
)
def test_an_answer_is_judged_in_words_and_only_a_no_removes(judge, known, status, words):
    found = judge("baa", answers=known)
    assert only(found) == (status, words)
    assert gated_out(found) == (["m"] if status == "fails" else [])


@pytest.mark.parametrize(("said", "status"), [("no", "passes"), ("yes", "fails")])
def test_training_on_customer_data_passes_with_a_no(judge, said, status):
    gate = "trains_on_customer_data_by_default"
    assert only(judge(gate, answers=[answer("P", gate, said)]))[0] == status


def test_the_worst_check_decides_and_a_question_outweighs_a_condition(judge):
    known = [answer("P", "soc2", "conditional"), answer("P", "hitrust", "no")]
    (verdict,) = judge("baa", "soc2", answers=known)["m"]
    assert verdict.status == "open"
    (verdict,) = judge("baa", "soc2", "hitrust", answers=known)["m"]
    assert verdict.status == "fails"
    assert len(said_of(verdict, "open")) == len(said_of(verdict, "conditional")) == 1
    # Without gates all pass.
    (verdict,) = judge()["m"]
    assert (verdict.status, verdict.checks) == ("passes", ())


def test_a_model_stays_while_one_way_to_get_it_is_open(judge):
    known = [answer("P", "baa", "no"), answer("Q", "baa", "unknown")]
    found = judge("baa", answers=known, platforms=("P", "Q"))
    assert [verdict.status for verdict in found["m"]] == ["fails", "open"]
    assert gated_out(found) == []


# Retention


@pytest.mark.parametrize(
    ("said", "days", "limit", "status"),
    [
        ("yes", 30, 30, "passes"),
        ("yes", 30, 29, "fails"),
        ("yes", None, 30, "open"),  # it keeps data, nobody says how long
        ("no", None, 0, "passes"),
        ("conditional", 30, 30, "conditional"),
        ("conditional", None, 30, "open"),
        ("unknown", None, 30, "open"),
    ],
)
def test_days_of_retention(judge, said, days, limit, status):
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
    assert ("Zero retention must be agreed: By contract." in words) == (status == "conditional")


# Gates about the model


def test_own_servers_need_open_weights(judge):
    assert only(judge("on_premises"))[0] == "passes"
    assert only(judge("on_premises", access="closed")) == (
        "fails",
        "m cannot run on our own servers: its weights are closed.",
    )
    assert only(judge("on_premises", access="unknown")) == (
        "open",
        "Ask D about m: can it run on our own servers? Nobody says whether its weights are open.",
    )


@pytest.mark.parametrize(
    ("use", "status"),
    [("yes", "passes"), ("no", "fails"), ("conditional", "conditional"), ("", "open")],
)
def test_the_licence_decides_on_commercial_use(judge, use, status):
    licence = Licence("l", "Licence L", use, "No medical advice.", "https://example.org", "2026")
    found, words = only(judge("commercial_licence", licence=licence))
    assert found == status
    assert "Licence L: No medical advice." in words


def test_a_licence_that_nobody_read_is_a_question(judge):
    assert only(judge("commercial_licence", licence=None, **{"developer": ""})) == (
        "open",
        "Ask the developer of m: does its licence allow a hospital to use it? "
        "No licence is stated.",
    )
    closed = judge("commercial_licence", access="closed")
    assert only(closed)[0] == "open"


def test_the_context_window_is_compared_with_what_is_needed(judge):
    assert only(judge(context=8_000, context_window_tokens=8_000))[0] == "passes"
    assert only(judge(context=8_001, context_window_tokens=8_000)) == (
        "fails",
        "m cannot read as many tokens at once as you need. "
        "It reads at most 8,000 tokens; you need 8,001.",
    )
    assert only(judge(context=8_000))[0] == "open"


def test_an_own_answer_about_the_model_goes_first(judge):
    own = [answer("m", "commercial_licence", "yes", "Our lawyer has read it.")]
    assert only(judge("commercial_licence", answers=own)) == (
        "passes",
        "m, commercial use: Our lawyer has read it.",
    )


# Own answers and ways


def test_own_answers_replace_those_shipped():
    shipped = [answer("P", "baa", "unknown"), answer("P", "soc2", "yes")]
    own = [answer("P", "baa", "yes", "Signed."), answer("Own vendor", "baa", "no")]
    assert with_own(shipped, own) == (own[0], shipped[1], own[1])
    assert with_own(shipped, ()) == tuple(shipped)


def test_ways_to_get_a_model(make_model):
    def sold(model, provider):
        return PriceReference(model, provider, "x", "", "2026-11-21", "")

    platforms = [
        Platform("p", "Platform P", "s", "2026-11-21", "doubt"),
        Platform("p2", "Platform P", "s", "2026-11-21", ""),
    ]
    models = [make_model("a", access="open"), make_model("b"), make_model("c", access="closed")]
    found = routes(models, [sold("a", "p"), sold("a", "p2"), sold("b", "new")], platforms)
    assert found == {
        "a": (Route("Platform P", "doubt", ("p", "p2")), Route("Self-hosted open weights", "")),
        "b": (Route("new", "", ("new",)),),
        "c": (Route("no platform known", ""),),
    }


def test_only_the_ways_count_that_the_buyer_allows():
    """Open weights that nobody is known to sell leave the vendor to be asked, not nobody."""
    vendor, home, nobody = (
        Route(name, "") for name in ("V", "Self-hosted open weights", "no platform known")
    )
    ways = {"both": (vendor, home), "weights": (home,), "closed": (vendor,)}
    assert where_allowed(ways, "any") == ways
    assert where_allowed(ways, "own") == {"both": (home,), "weights": (home,), "closed": ()}
    assert where_allowed(ways, "vendor") == {
        "both": (vendor,),
        "weights": (nobody,),
        "closed": (vendor,),
    }


def test_nobody_sells_it_so_its_vendor_is_asked(judge):
    found = judge("baa", platforms=("no platform known",), access="closed")
    assert only(found)[1].startswith("Ask the vendor of m: is there a business associate agree")
    own = judge("baa", platforms=("Self-hosted open weights",))
    assert only(own)[1].startswith("Ask your own IT department: ")


def test_bundled_answers_leave_no_gate_without_words(bundled):
    """Every model on every way with every gate: no unknown passes, none reads as no."""
    catalogue = bundled.catalogue
    facts = catalogue.procurement
    models = [model for model in catalogue.models.values() if not model.is_reference]
    needed = tuple(kind.id for kind in facts.gate_kinds.values() if kind.wanted != "limit")
    found = apply_gates(
        Requirements(gates=needed, max_retention_days=30, min_context_tokens=8_000),
        models,
        routes(models, catalogue.prices, facts.platforms),
        kinds=facts.gate_kinds,
        answers=facts.gates,
        licences={model.id: catalogue.licence(model) for model in models},
    )
    assert len(found) == len(models)
    known = {(a.platform, a.gate): a.answer for a in facts.gates}
    for verdicts in found.values():
        for verdict in verdicts:
            assert len(verdict.checks) == len(facts.gate_kinds)
            for check in verdict.checks:
                assert check_in_words(check).endswith((".", "?"))
                about = facts.gate_kinds[check.gate].about
                if about == "platform":
                    said = known.get((verdict.platform, check.gate), "unknown")
                    assert (check.status == "open") >= (said == "unknown")
                    assert check.status != "fails" or said in ("yes", "no", "conditional")
                if check.status in ("passes", "fails", "conditional"):
                    assert check.source_url or about == "model"


@pytest.mark.parametrize(
    ("needed", "days", "message"),
    [
        (("bba",), None, 'There is no gate "bba"; known are baa, '),
        (("default_retention_days",), None, 'The gate "Days that data are kept" needs a number'),
        ((), -1, "The limit of Days that data are kept must be 0 or more"),
    ],
)
def test_requirements_that_cannot_be_are_refused(judge, needed, days, message):
    with pytest.raises(BadRequestError, match=message):
        judge(*needed, days=days)

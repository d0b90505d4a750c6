"""Gates: an unknown is a question, neither a pass nor a refusal; a condition is carried."""

import pytest

from core import domain
from core.procurement import gates
from core.words.shortlist import check_in_words, met_in_words, said_of
from tests.conftest import a_model


def answer(platform, gate, said, detail="", days=None):
    return domain.GateAnswer(
        platform, gate, said, detail, "https://example.org", "2026", days, "vendor"
    )


@pytest.fixture
def judge(bundled):
    """Check one model on platforms with the bundled kinds of gates."""
    kinds = bundled.catalogue.gate_kinds

    def ask(*needed, answers=(), platforms=("P",), licence=None, days=None, context=None, **fields):
        model = a_model("m", **{"access": "open", "developer": "D"} | fields)
        return gates.apply_gates(
            domain.Requirements(gates=needed, max_retention_days=days, min_context_tokens=context),
            [model],
            {"m": [gates.Route(platform, "") for platform in platforms]},
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

PAGE = "vendor's own page, 2026"
ASK_BAA = "Ask P: is there a business associate agreement? No statement found."


def test_a_gate_is_judged_and_said(judge):
    for said, detail, status, words in [
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
    ]:
        found = judge("baa", answers=[answer("P", "baa", said, detail)] if said else ())
        assert only(found) == (status, words)
    for gate, asked, status, words in [
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
            "Nobody says whether its weights are open.",
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
    ]:
        found = only(judge(*([gate] if gate else []), **asked))
        assert found == (status, words or found[1])
    for use, status in [
        ("yes", "passes"),
        ("no", "fails"),
        ("conditional", "conditional"),
        ("", "open"),
    ]:
        licence = domain.Licence(
            "l", "Licence L", use, "No medical advice.", "https://example.org", "2026"
        )
        found, words = only(judge(LICENCE, licence=licence))
        assert found == status
        assert "Licence L: No medical advice." in words


def test_the_worst_check_decides_of_a_way_and_the_best_way_of_a_model(
    judge,
):
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
        # What is not asked for is not judged; without gates all pass.
        others = [answer("P", "baa", "unknown"), answer("P", "hitrust", "no")]
        assert judge("baa", answers=others)["m"][0].status == "open"
        (verdict,) = judge()["m"]
        assert (verdict.status, verdict.checks) == ("passes", ())
    for known, counts, words in [
        # One meets, on a condition; of two HITRUST is unknown, of one the agreement too.
        (
            [{"P": "yes conditional"}, {"P": "yes -"}, {"P": "- -"}],
            (1, 0, 2, [("HITRUST certificate", 2), ("Business associate agreement (BAA)", 1)]),
            "1 meets every condition; 2 are unknown for HITRUST certificate and business "
            "associate agreement (BAA)",
        ),
        # Where own servers alone are known to do, that is said; what fails counts nowhere.
        (
            [{"P": "yes -", gates.SELF_HOSTED: "yes yes"}, {"P": "no yes"}],
            (1, 1, 0, []),
            "1 meets every condition, on your own servers only",
        ),
        (
            [
                {gates.SELF_HOSTED: "yes yes"},
                {"P": "yes yes"},
                {"P": "yes yes", "Q": "- -", gates.SELF_HOSTED: "yes yes"},
            ],
            (3, 1, 0, []),
            "3 meet every condition, 1 of them on your own servers only",
        ),
    ]:
        ways = []
        for of in known:
            given = [
                answer(platform, gate, said)
                for platform, both in of.items()
                for gate, said in zip(("baa", "hitrust"), both.split(), strict=True)
                if said != "-"
            ]
            ways.append(judge("baa", "hitrust", answers=given, platforms=tuple(of))["m"])
        found = gates.met(ways)
        assert (found.n_meet, found.n_own, found.n_open, list(found.unknown)) == counts
        assert met_in_words(found) == words
        assert gates.met([judge()["m"]]) is None
    for needed, days, message in [
        (("bba",), None, 'There is no gate "bba"; known are baa, '),
        (("default_retention_days",), None, 'The gate "Days that data are kept" needs a number'),
        ((), -1, "The limit of Days that data are kept must be 0 or more"),
    ]:
        with pytest.raises(domain.BadRequestError, match=message):
            judge(*needed, days=days)


# Retention


def test_days_of_retention_and_zero_retention_turns_too_many_into_a_condition(judge):
    for said, days, limit, status in [
        *(("yes", 30, 30, "passes"), ("yes", 30, 29, "fails"), ("no", None, 0, "passes")),
        ("yes", None, 30, "open"),  # it keeps data, nobody says how long
        *(("conditional", 30, 30, "conditional"), ("conditional", None, 30, "open")),
        ("unknown", None, 30, "open"),
    ]:
        known = [answer("P", "default_retention_days", said, days=days)]
        assert only(judge(answers=known, days=limit))[0] == status
    for zero, status in [("yes", "conditional"), ("conditional", "conditional"), ("no", "fails")]:
        known = [
            answer("P", "default_retention_days", "yes", "Logs.", days=30),
            answer("P", "zero_data_retention", zero, "By contract."),
        ]
        found, words = only(judge(answers=known, days=0))
        assert found == status
        assert "30 days by default, you allow 0." in words
        assert ("Zero retention must be agreed: By contract" in words) == (status == "conditional")


# Gates about the model, and what is said of them

TRAINS, LICENCE = "trains_on_customer_data_by_default", "commercial_licence"


# Own answers and ways


def test_ways_to_get_a_model_and_those_that_the_buyer_allows():
    def sold(model, provider):
        return domain.PriceReference(model, provider, "x", "", "2026-11-21", "")

    platforms = [
        domain.Platform("p", "Platform P", "s", "2026-11-21", "doubt"),
        domain.Platform("p2", "Platform P", "s", "2026-11-21", ""),
    ]
    models = [a_model("a", access="open"), a_model("b"), a_model("c", access="closed")]
    found = gates.routes(models, [sold("a", "p"), sold("a", "p2"), sold("b", "new")], platforms)
    assert found == {
        "a": (
            gates.Route("Platform P", "doubt", ("p", "p2")),
            gates.Route("Self-hosted open weights", ""),
        ),
        "b": (gates.Route("new", "", ("new",)),),
        "c": (gates.Route("no platform known", ""),),
    }
    # Open weights that nobody is known to sell leave the vendor to be asked, not nobody.
    vendor, home, nobody = (
        gates.Route(name, "") for name in ("V", "Self-hosted open weights", "no platform known")
    )
    ways = {"both": (vendor, home), "weights": (home,), "closed": (vendor,)}
    assert gates.where_allowed(ways, "any") == ways
    assert gates.where_allowed(ways, "own") == {"both": (home,), "weights": (home,), "closed": ()}
    assert gates.where_allowed(ways, "vendor") == {
        "both": (vendor,),
        "weights": (nobody,),
        "closed": (vendor,),
    }


def test_bundled_answers_leave_no_gate_without_words(bundled):
    """Every model on every way with every gate: no unknown passes, none reads as no."""
    catalogue = bundled.catalogue
    facts = catalogue
    models = [model for model in catalogue.models.values() if not model.is_reference]
    needed = tuple(kind.id for kind in facts.gate_kinds.values() if kind.wanted != "limit")
    found = gates.apply_gates(
        domain.Requirements(gates=needed, max_retention_days=30, min_context_tokens=8_000),
        models,
        gates.routes(models, catalogue.prices, facts.platforms),
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

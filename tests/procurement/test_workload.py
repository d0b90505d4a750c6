"""From visits and task categories to requests and tokens a month, worked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import domain
from core.answers import bills
from core.procurement import bill as billing
from core.words.cost import hidden_by_developer
from tests.conftest import a_benchmark

GPT_5 = "GPT-5 (2025-08-07)"
ROWS = [
    domain.TokenRow("a", "m1", 10, 1_000, 200),  # 100 in, 20 out
    domain.TokenRow("a", "m2", 10, 3_000, 400),  # 300 in, 40 out: a is 200 in, 30 out
    domain.TokenRow("b", "m1", 1_000, 1_000_000, 100_000),  # 1000 in, 100 out
    domain.TokenRow("c", "m1", 2, 60, 100),  # 30 in, 50 out
]
PROFILES = {
    "Notes": domain.TokenProfile("Notes", 600, 65, 3, "basis of Notes"),
    "all": domain.TokenProfile("all", 410, 60, 3, "basis of all"),
}
KINDS = [
    domain.RequestKind("notes", "Notes", "Writing", "Visits", "subcategory", "visits", "r"),
    domain.RequestKind("letters", "Letters", "Writing", "Letters", "subcategory", "", "r"),
    domain.RequestKind("messages", "Messages", "Talking", "Portal", "category", "messages", "r"),
]


@pytest.fixture
def benchmarks():
    places = {"a": "Notes", "b": "Notes", "c": "Messages", "uncounted": "Research"}
    found = [a_benchmark(key, suite="medhelm", category=c) for key, c in places.items()]
    return [*found, a_benchmark("other", suite="bridge", category="Elsewhere")]


# Tokens per request


def test_profiles_are_medians_over_models_and_means_over_benchmarks(benchmarks):
    profiles = billing.token_profiles(ROWS, benchmarks)
    assert list(profiles) == ["Notes", "Messages", "all"]
    notes, everything = profiles["Notes"], profiles["all"]
    assert (notes.input_tokens, notes.output_tokens, notes.n_benchmarks) == (600, 65, 2)
    assert everything.input_tokens == pytest.approx(410)  # (200 + 1000 + 30) / 3
    assert everything.output_tokens == pytest.approx(60)  # (30 + 100 + 50) / 3
    assert everything.n_benchmarks == 3
    assert notes.basis == (
        "mean over 2 MedHELM benchmarks; output is the benchmark's maximum, an upper bound"
    )
    assert profiles["Messages"].basis.startswith("mean over 1 MedHELM benchmark;")
    assert billing.token_profiles([], benchmarks) == {}
    lines = billing.workload(
        [("Notes", 3), ("Messages", 1), ("X", 0)], PROFILES, requests_per_month=1_000
    )
    spread = [(line.category, line.requests_per_month) for line in lines]
    assert spread == [("Notes", 750), ("Messages", 250)]
    assert lines[0].profile == PROFILES["Notes"]
    (line,) = billing.workload([("Messages", 1)], PROFILES, requests_per_month=1)
    assert (line.profile.category, line.profile.input_tokens) == ("Messages", 410)
    assert line.profile.basis == "no token counts for this category, so all: basis of all"
    with pytest.raises(domain.BadDataError, match="Messages"):
        billing.workload([("Messages", 1)], {"Notes": PROFILES["Notes"]}, requests_per_month=1)
    for row, sentence in [
        (domain.TokenRow("other", "m1", 1, 1, 1), "no such MedHELM benchmark"),
        (domain.TokenRow("c", "m2", 0, 1, 1), "no instances"),
        (domain.TokenRow("c", "m2", 1, -1, 1), "negative count"),
        (domain.TokenRow("c", "m2", 1, 1, -1), "negative count"),
        (ROWS[0], "two rows"),
    ]:
        with pytest.raises(domain.BadDataError, match=sentence):
            billing.token_profiles([*ROWS, row], benchmarks)


# By task category


def test_tokens_set_by_the_user_replace_the_profile(benchmarks):
    def given(weights=(("Notes", 1),), profiles=PROFILES, **tokens):
        return [
            x.profile for x in billing.workload(weights, profiles, requests_per_month=2, **tokens)
        ]

    both = {"input_tokens": 2_000, "output_tokens": 500}
    for profiles in (PROFILES, {}):
        found = given((("Notes", 1), ("Messages", 1)), profiles, **both)
        said = {(x.input_tokens, x.output_tokens, x.basis) for x in found}
        assert said == {(2_000, 500, "set by you")}
    (one,) = given(input_tokens=2_000)
    assert (one.input_tokens, one.output_tokens) == (2_000, 65)
    assert one.basis == "input set by you; basis of Notes"
    # Output that was set is no upper bound.
    (one,) = given(profiles=billing.token_profiles(ROWS, benchmarks), output_tokens=9)
    assert (one.input_tokens, one.output_tokens) == (600, 9)
    assert one.basis == "output set by you; mean over 2 MedHELM benchmarks"


@given(
    st.lists(st.floats(0, 1e6), min_size=1, max_size=8).filter(lambda w: sum(w) > 1e-6),
    st.integers(1, 10**9),
)
def test_no_request_is_lost(weights, requests):
    named = [(str(i), weight) for i, weight in enumerate(weights)]
    lines = billing.workload(named, PROFILES, requests_per_month=requests)
    assert sum(line.requests_per_month for line in lines) == pytest.approx(requests)


# By kind of request


@pytest.fixture
def profiles():
    places = {
        "a": ("Writing", "Visits"),
        "b": ("Writing", "Reports"),
        "c": ("Talking", "Portal"),
        "d": ("Talking", "Leaflets"),
    }
    rows = [
        domain.TokenRow("a", "m", 10, 20_000, 5_000),  # 2,000 in, 500 out
        domain.TokenRow("b", "m", 10, 10_000, 1_000),  # 1,000 in, 100 out
        domain.TokenRow("c", "m", 10, 4_000, 3_000),  # 400 in, 300 out
        domain.TokenRow("d", "m", 10, 8_000, 1_000),  # 800 in, 100 out
    ]
    benchmarks = [
        a_benchmark(key, suite="medhelm", category=category, subcategory=subcategory)
        for key, (category, subcategory) in places.items()
    ]
    return billing.kind_profiles(KINDS, rows, benchmarks)


def test_tokens_come_from_the_subcategory_the_category_or_the_user(profiles, bundled):
    tokens = {key: (p.input_tokens, p.output_tokens) for key, p in profiles.items()}
    assert tokens == {
        "notes": (2_000, 500),
        "letters": (1_500, 300),  # no counts of its own: the mean of a and b
        "messages": (600, 200),  # the mean of c and d, though c stands in its place
    }
    assert profiles["notes"].category == "Notes"
    assert profiles["notes"].basis.startswith("Visits: mean over 1 MedHELM benchmark;")
    assert profiles["letters"].basis.startswith("Writing: mean over 2 MedHELM benchmarks;")
    own = [domain.OwnTokens("notes", output_tokens=100), domain.OwnTokens("messages", 10, 20)]
    notes, messages = billing.volume_workload(KINDS, {"notes": 1, "messages": 1}, profiles, own)
    assert (notes.profile.input_tokens, notes.profile.output_tokens) == (2_000, 100)
    assert notes.profile.basis == "output set by you; Visits: mean over 1 MedHELM benchmark"
    assert (messages.profile.input_tokens, messages.profile.output_tokens) == (10, 20)
    assert messages.profile.basis == "set by you"
    assert billing.volume_workload(KINDS, {}, profiles) == ()
    lines = billing.volume_workload(
        KINDS, {"notes": 1_000, "messages": 3_000, "letters": 0}, profiles
    )
    assert [line.category for line in lines] == ["Notes", "Messages"]
    assert billing.mean_tokens(lines) == pytest.approx((3_800_000 / 4_000, 1_100_000 / 4_000))
    # Bundled: 3.0 discharges and 32 reports a bed and month; 39 x 52 / 12 = 169 a physician.

    sizes = (("staffed bed", 400), ("physician", 100))
    found = {kind.id: n for kind, _, n in bills.suggested_volumes(bundled, sizes)}
    assert found["discharge-summaries"] == found["discharge-instructions"] == 1_200
    assert found["radiology-reports"] == 12_800
    assert found["prior-authorisations"] == 16_900
    assert found["literature-questions"] is None  # no source
    assert found["visit-notes"] is None  # nobody said how many clinicians


# Hidden reasoning, from MedAgentsBench's printed means of completion tokens of afrimedqa,
# medbullets, medmcqa, medqa, mmlu, mmlu-pro and pubmedqa.

O1_MINI = (363.6 + 516.0 + 339.5 + 440.9 + 321.6 + 483.6 + 215.9) / 7  # 383.01
O3_MINI = (372.2 + 400.0 + 350.2 + 302.3 + 217.3 + 393.4 + 110.7) / 7  # 306.59
R1 = (1031.6 + 1079.3 + 790.9 + 925.2 + 711.4 + 1178.8 + 499.2) / 7  # 888.06
QWQ = (368.4 + 51.8 + 392.2 + 83.7 + 171.1 + 386.7 + 5.3) / 7  # 208.46


@pytest.fixture
def rows(bundled):
    return bundled.catalogue.reasoning_tokens


def test_low_and_likely_come_from_the_family_and_high_is_the_cap(rows):
    for developer, low, likely, most in [
        ("OpenAI", 110.7, (O1_MINI + O3_MINI) / 2, 516.0),
        ("DeepSeek", 499.2, R1, 1178.8),
        ("Alibaba (Qwen)", 5.3, QWQ, 392.2),
        ("Google", 5.3, (O1_MINI + O3_MINI + R1 + QWQ) / 4, 1178.8),
        ("", 5.3, (O1_MINI + O3_MINI + R1 + QWQ) / 4, 1178.8),
    ]:
        found = billing.hidden_tokens(rows, developer, visible=87.0, cap=4000.0)
        assert (found.low, found.high) == (low, 3913.0)
        assert found.likely == pytest.approx(likely)
        # Where the answer itself takes what was allowed, the largest mean that was measured.
        assert billing.hidden_tokens(rows, developer, visible=3990.0, cap=4000.0).high == most
        assert found.low < found.likely < found.high
    found = billing.hidden_tokens(rows, "OpenAI", visible=0.0, cap=4000.0)
    assert found.basis == (
        "measured on medical questions: 111 to 516 tokens for o1-mini, o3-mini (MedAgentsBench, "
        "2025-02); the high case is MedHELM's cap of 4,000"
    )
    other = billing.hidden_tokens(rows, "Google", visible=0.0, cap=4000.0)
    assert "no model of its developer was, so those of all: 5 to 1,179 tokens" in other.basis
    assert hidden_by_developer(rows) == (
        "OpenAI 345 (111 to 516), DeepSeek 888 (499 to 1,179), Qwen 208 (5 to 392), "
        "other developers 447 (5 to 1,179)"
    )
    own = billing.hidden_tokens(rows, "OpenAI", visible=9.0, cap=4000.0, own=0)
    assert own == domain.HiddenTokens(0, 0, 0, "set by you")
    with pytest.raises(domain.BadDataError, match="no measurements"):
        billing.hidden_tokens((), "OpenAI", visible=9.0, cap=4000.0)


def test_a_model_that_reasons_gives_the_answers_of_the_others_and_reasons_on_top(bundled):
    for volumes in [(), (("visit-notes", 100.0),)]:
        asked = domain.Requirements(volumes=volumes)
        plain = bills.workload_of(bundled, asked)
        reasoning = bills.workloads(bundled, ("DeepSeek R1",), asked)["DeepSeek R1"]
        for line, other in zip(plain, reasoning, strict=True):
            visible = line.profile.output_tokens
            assert line.profile.hidden is None
            assert billing.written_tokens(line.profile) == visible < 1025
            assert other.profile.output_tokens == visible
            assert other.profile.hidden.likely == pytest.approx(R1)
            assert other.profile.hidden.high + visible == pytest.approx(4000)
            assert billing.written_tokens(other.profile) == pytest.approx(visible + R1)
    asked = domain.Requirements(input_tokens_per_request=900, output_tokens_per_request=100)
    for line in bills.workloads(bundled, (GPT_5,), asked)[GPT_5]:
        assert line.profile.output_tokens == 100
        assert line.profile.hidden.likely == pytest.approx((O1_MINI + O3_MINI) / 2)
    asked = domain.Requirements(output_tokens_per_request=100, reasoning_tokens_per_request=50)
    for line in bills.workloads(bundled, (GPT_5,), asked)[GPT_5]:
        assert (billing.written_tokens(line.profile), line.profile.hidden.basis) == (
            150,
            "set by you",
        )

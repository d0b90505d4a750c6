"""From requests to tokens, public prices and a month's bill, worked by hand."""

from dataclasses import replace
from datetime import UTC, date, datetime

import genai_prices
import pytest
from building import TODAY, a_price
from genai_prices.data import providers
from hypothesis import given
from hypothesis import strategies as st

from core import domain
from core.answers import bills, data
from core.domain import FactList, ListRow, PriceReference
from core.domain import WorkloadLine as Line
from core.evidence.fact_lists import GENAI_PRICES, newest
from core.figures import from_whom
from core.procurement import bill as billing
from core.procurement.bill import public_prices, request_cost_usd
from core.procurement.hosting import Hosting
from core.words import cost as words
from core.words.cost import hidden_by_developer
from tests.conftest import a_benchmark


def line(category, requests, read, written, basis="set by you", hidden=None):
    profile = domain.TokenProfile(
        category, read, written, 3, basis, hidden, upper_bound=basis == BOUND
    )
    return Line(category, requests, profile)


BOUND = "mean over 3 MedHELM benchmarks"
LINES = (line("Notes", 1_000, 2_000, 500, BOUND), line("Letters", 500, 1_000, 200))


@pytest.fixture
def priced(bundled):
    about = newest(bundled.lists, GENAI_PRICES)
    rows = data.rows_of_list(bundled, about)
    return lambda references, on=TODAY: billing.public_prices(references, about, rows, on, {})


@pytest.fixture
def billed():
    return lambda lines, **usd: [
        billing.bill_at(a_price(provider, *rates), lines) for provider, rates in usd.items()
    ]


def test_a_bill_to_the_cent_at_each_provider(billed, priced):
    """1,000 notes read 2 M and write 0.5 M tokens, 3,000 messages 1.8 M and 0.6 M: 3.8 M and 1.1 M.

    At 2.50 and 10 USD a million: 9.50 + 11 = 20.50 USD a month. At 0.50 and 12: 1.90 + 13.20.
    """
    lines = (line("Notes", 1_000, 2_000, 500), line("Messages", 3_000, 600, 200))
    assert billing.mean_tokens(lines) == pytest.approx((950, 275))
    found = billed(lines, dear=(2.5, 10), cheap=(0.5, 12))
    assert [b.price.provider for b in found] == ["dear", "cheap"]
    assert [b.monthly_usd for b in found] == pytest.approx([20.50, 15.10])
    assert found[0].lines == (("Notes", pytest.approx(10.0)), ("Messages", pytest.approx(10.5)))
    assert found[0].model == "m"
    for entry, requests, read, written, usd in [
        ("google gemini-2.5-pro", 1_000, 300_000, 1_000, 765),  # 300 M × 2.50 + 1 M × 15
        ("google gemini-2.5-pro", 1_000_000, 100_000, 1, 125_010),  # the sum decides no tier
        ("openai gpt-4o-mini", 30_000, 1_500, 300, 12.15),  # 45 M × 0.15 + 9 M × 0.60
    ]:
        provider, model = entry.split()
        (price,) = priced([domain.PriceReference("m", provider, model, "", "", "")])["m"]
        lines = billing.workload(
            [("Notes", 1)],
            {},
            requests_per_month=requests,
            input_tokens=read,
            output_tokens=written,
        )
        assert billing.bill_at(price, lines).monthly_usd == pytest.approx(usd)


MEASURED = domain.HiddenTokens(100, 300, 1_000, "measured")


@pytest.fixture
def cost():
    def of(name, read, written, hidden=None):
        lines = [
            line("Notes", 1_000_000, 1_000, 400, BOUND, hidden),
            line("Letters", 1_000_000, 1_000, 100, "set by you", hidden),
        ]
        price = a_price("provider", read, written, model=name)
        return billing.bill_cost(billing.bill_at(price, lines), lines)

    return of


@pytest.fixture
def thinks(cost):
    return cost("thinks", 1.0, 2.0, MEASURED)


@pytest.fixture
def talks(cost):
    return cost("talks", 0.5, 4.0)


def test_a_bill_has_six_figures_and_says_what_a_saving_shares(thinks, talks, cost):
    """Million tokens: 2,000 read; written 200 or 400 of notes, 100 of letters, hidden twice.

    Half the answer: 2,000 x $1 + (300 + 2 x 100, 300 or 1,000) x $2 = 3,000, 3,800, 6,600.
    All of it: 2,000 + (500 + 200, 600, 2,000) x $2 = 3,400, 4,200, 7,000.
    """
    assert thinks.figures == ((3_000, 3_800, 6_600), (3_400, 4_200, 7_000))
    assert (thinks.low, thinks.likely, thinks.high) == (3_000, 4_200, 7_000)
    assert (thinks.kind, from_whom(thinks), thinks.platform) == ("bill", "Provider", "Platform")
    assert thinks.as_of == "2026-11-21"
    # 1,000 + 4 x 300 = 2,200; 1,000 + 4 x 500 = 3,000. Nothing hidden.
    assert talks.figures == ((2_200,) * 3, (3_000,) * 3)
    # Half the answer: 3,000 or 6,600 less 2,200; all of it: 3,400 or 7,000 less 3,000.
    assert billing.saving(thinks, talks) == domain.Saving(400, 1_200, 4_400)
    assert billing.saving(talks, thinks) == domain.Saving(-4_400, -1_200, -400)
    # Against itself at twice the price: 6,000 - 6,600 at the least, though likely 4,200 are saved.
    found = billing.saving(cost("double", 2.0, 4.0, MEASURED), thinks)
    assert found == domain.Saving(6_000 - 6_600, 4_200, 14_000 - 3_400)
    assert found.order_turns
    assert not billing.saving(thinks, talks).order_turns
    assert billing.saving(talks, talks) == domain.Saving(0, 0, 0)
    assert not billing.saving(talks, talks).order_turns
    # An unknown cost saves nothing known.
    nobody = billing.unknown_cost("x")
    assert billing.saving(nobody, talks) is billing.saving(talks, nobody) is None
    assert (nobody.low, nobody.likely, nobody.high) == (None, None, None)
    price = a_price("provider", 1.0, 2.0)
    thought = line("Notes", 1, 1, 1, "set by you", MEASURED)
    for of, said in ((thought, "; hidden reasoning measured"), (LINES[1], "")):
        found = billing.bill_cost(billing.bill_at(price, [of]), [of])
        assert words.basis(found) == f"{price.source}; tokens: set by you{said}"


def rented(*gpus, serves=(10.0,) * 3, gpu="A"):
    """Ten requests a month on sets of 1 to 5 dollars an hour, likely 2, for 730 hours."""
    hourly = domain.HourlyPrice(gpu, 1.0, 2.0, 5.0, "2026-02-01")
    hosted = Hosting(gpu, "", hourly, bits=8, gpus=gpus)
    return billing.servers_cost("m", hosted, serves, domain.Hardware(), 10.0)


def test_own_servers_cost_gpus_times_sets_times_rent():
    """1 GPU x 2 sets; 2 x 1, no fewer than before; 3 x 1: 2, 2 and 3 GPUs."""
    found = rented(1, 2, 3, serves=(5.0, 10.0, 11.0))
    figures = ((2, 2, 3), (4, 4, 6), (10, 10, 15))
    assert found.figures == tuple(tuple(n * 730 for n in row) for row in figures)
    assert (found.low, found.likely, found.high) == (1_460, 2_920, 10_950)
    assert (found.kind, found.provider, found.servers.gpu) == (*["own servers"] * 2, "A")
    assert (found.as_of, found.servers.sets, found.servers.serves) == ("2026-02-01", 1, 10.0)
    # A copy on more GPUs that needs fewer sets takes no fewer GPUs: 3, 3 and 3.
    assert rented(1, 2, 3, serves=(3.4, 10.0, 10.0)).figures[0] == (2_190,) * 3
    # 2 GPUs x 1 dollar x 730 hours, the lowest rent of the likely set.
    found = rented(1, 2, 3, serves=(10.0, None, 10.0))
    assert (found.low, found.likely, found.high, found.for_budget) == (1_460, None, None, 1_460)
    assert from_whom(found) == "own servers: 2 × A at the lowest rent, capacity not published"
    said = words.basis(found)
    assert said.endswith(
        "weights at 8 bits; at least one set: no source says how much it can serve"
    )
    known = rented(1, 2, 3)
    assert (known.low, known.for_budget) == (730, 2_920)
    assert billing.saving(known, found) is billing.saving(found, known) is None
    two, one = rented(2, 2, 2), rented(1, 1, 1)
    assert billing.saving(two, one) == domain.Saving(730, 1_460, 3_650)
    other = rented(1, 1, 1, gpu="B")
    assert billing.saving(two, other) == domain.Saving(1_460 - 3_650, 1_460, 7_300 - 730)


DAY = date(2026, 11, 21)
LIST = FactList("a list", "1", "2026-11-10", "2026-11-25", "", "MIT", "", 1, 0)


@pytest.fixture
def references(bundled):
    return bundled.catalogue.prices


@pytest.fixture
def prices(references, priced):
    return priced(references)


@pytest.fixture
def price_at(prices):
    return lambda model, name: next(p for p in prices[model] if p.provider == name)


def test_every_bundled_reference_has_a_price_as_published(references, prices, bundled):
    assert sum(map(len, prices.values())) == len(references)
    keys = [(r.model, r.provider, r.provider_model) for r in references]
    assert len(set(keys)) == len(keys)
    assert not [r for r in references if r.provider_model.endswith((":free", ":batch"))]
    assert {r.checked_on for r in references} == {"2026-11-21", "2026-11-23", "2026-11-25"}
    assert all(r.basis for r in references)
    # MedHELM's Table 3 (arXiv:2505.23802), benchmark cost in US dollars, to 0.5 %.
    #
    # Not those that the paper priced otherwise: GPT-4o at its later 2.50/10, Gemini 2.0 Flash
    # at 0.15/0.60.
    published = {
        "Claude 3.5 Sonnet (20241022)": 778.67,
        "Claude 3.7 Sonnet (20250219)": 768.26,
        "Gemini 1.5 Pro (001)": 359.33,
        "GPT-4o mini (2024-07-18)": 38.83,
    }
    totals = dict.fromkeys(published, 0.0)
    for row in bundled.catalogue.tokens:
        if row.model in totals:
            price = prices[row.model][0]
            read = row.input_tokens * price.input_usd_per_mtok
            totals[row.model] += (read + row.max_output_tokens * price.output_usd_per_mtok) / 1e6
    assert totals == pytest.approx(published, rel=0.005)


def test_what_is_gone_or_costs_nothing_has_no_price(references, priced):
    good = references[0]
    gone = replace(good, model="gone", provider_model="no-such-model")
    family = replace(good, model="family", provider_model="claude-3-5-sonnet-20241022")
    free = PriceReference("free", "azure", "phi-4-reasoning:free", "x", "2026-11-21", "")
    assert set(priced([gone, good, family, free])) == {good.model}
    # One provider gone keeps the others.
    gone = PriceReference("Phi-4", "azure", "phi-4-gone", "x", "2026-11-21", "")
    kept = PriceReference("Phi-4", "azure", "phi-4", "x", "2026-11-21", "")
    (price,) = priced([gone, kept])["Phi-4"]
    assert price.provider_model == "phi-4"

    def listed(read, written):
        row = ListRow("p/m", "P", "", 0, read, written, None, "", deprecated=False, source_url="")
        reference = PriceReference("x", "p", "m", "", "", "")
        return public_prices([reference], LIST, {"p/m": (row,)}, DAY, {})

    assert listed(1.0, 2.0)["x"][0].output_usd_per_mtok == 2
    assert listed(0.0, 2.0) == listed(1.0, 0.0) == listed(None, 2.0) == {}


def test_a_bill_takes_the_day_s_price_and_long_requests_cost_more(priced, price_at):
    reference = PriceReference("x", "novita", "meta-llama/llama-3.3-70b-instruct", "x", "x", "")

    def on(day: date) -> tuple[float, float]:
        (price,) = priced([reference], day)["x"]
        return price.input_usd_per_mtok, price.output_usd_per_mtok

    assert on(date(2026, 10, 17)) == (0.39, 0.39)
    assert on(date(2026, 10, 18)) == (0.135, 0.4)
    price = price_at("Gemini 2.5 Pro (05-06 preview)", "google")
    # Up to 200,000 input tokens: 200,000 × 1.25 + 1,000 × 10, per million.
    assert request_cost_usd(price, 200_000, 1_000) == pytest.approx(0.26)
    # One token more: 200,001 × 2.50 + 1,000 × 15, per million.
    assert request_cost_usd(price, 200_001, 1_000) == pytest.approx(0.5150025)


@pytest.mark.parametrize("day", ["2024-01-01", "2025-12-31", "2026-03-13", "2026-11-10"])
def test_the_shipped_list_says_what_its_package_says(references, priced, day):
    """The package that the list was taken from, asked for each entry, day and length."""
    entries = {(p.id, m.id): (p, m) for p in providers for m in p.models}
    noon = datetime.fromisoformat(day).replace(hour=12, tzinfo=UTC)
    for found in priced(references, noon.date()).values():
        for price in found:
            provider, model = entries[price.provider, price.provider_model]
            rates = model.get_prices(noon)
            cached = getattr(rates.cache_read_mtok, "base", rates.cache_read_mtok)
            assert price.cache_read_usd_per_mtok == (None if cached is None else float(cached))
            assert f", {provider.name}, " in price.source
            for read in (764, 150_000, 200_001, 300_000):
                usage = genai_prices.Usage(input_tokens=read, output_tokens=500)
                usd = model.calc_price(usage, provider, genai_request_timestamp=noon).total_price
                assert request_cost_usd(price, read, 500) == pytest.approx(float(usd), rel=1e-15)


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
    domain.RequestKind("notes", "Notes", "Writing", "Visits", "subcategory", "r"),
    domain.RequestKind("letters", "Letters", "Writing", "Letters", "subcategory", "r"),
    domain.RequestKind("messages", "Messages", "Talking", "Portal", "category", "r"),
]


@pytest.fixture
def benchmarks():
    places = {"a": "Notes", "b": "Notes", "c": "Messages", "uncounted": "Research"}
    found = [a_benchmark(key, suite="medhelm", category=c) for key, c in places.items()]
    return [*found, a_benchmark("other", suite="bridge", category="Elsewhere")]


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
    assert line.profile.basis == "no token counts for this category, so for all work: basis of all"
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
    # Output that was set is not an upper bound.
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


def test_tokens_come_from_the_subcategory_the_category_or_the_user(profiles):
    tokens = {key: (p.input_tokens, p.output_tokens) for key, p in profiles.items()}
    assert tokens == {
        "notes": (2_000, 500),
        "letters": (1_500, 300),  # no counts of its own: the mean of a and b
        "messages": (600, 200),  # the mean of c and d, though c is in its place
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


def test_a_reasoning_model_writes_the_same_answers_and_reasons_on_top(bundled):
    for volumes in [(), (("visit-notes", 100.0),)]:
        asked = domain.Question.of(volumes=volumes)
        plain = bills.workload_of(bundled, asked.demand)
        reasoning = bills.workloads(bundled, ("DeepSeek R1",), asked.demand)["DeepSeek R1"]
        for line, other in zip(plain, reasoning, strict=True):
            visible = line.profile.output_tokens
            assert line.profile.hidden is None
            assert billing.written_tokens(line.profile) == visible < 1025
            assert other.profile.output_tokens == visible
            assert other.profile.hidden.likely == pytest.approx(R1)
            assert other.profile.hidden.high + visible == pytest.approx(4000)
            assert billing.written_tokens(other.profile) == pytest.approx(visible + R1)
    asked = domain.Question.of(input_tokens_per_request=900, output_tokens_per_request=100)
    for line in bills.workloads(bundled, (GPT_5,), asked.demand)[GPT_5]:
        assert line.profile.output_tokens == 100
        assert line.profile.hidden.likely == pytest.approx((O1_MINI + O3_MINI) / 2)
    asked = domain.Question.of(output_tokens_per_request=100, reasoning_tokens_per_request=50)
    for line in bills.workloads(bundled, (GPT_5,), asked.demand)[GPT_5]:
        assert (billing.written_tokens(line.profile), line.profile.hidden.basis) == (
            150,
            "set by you",
        )

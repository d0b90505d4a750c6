"""``recommend``: the whole document, what must come out of it, and what it refuses."""

import math
from pathlib import Path
from statistics import fmean

import pandas as pd
import pytest
from scipy import stats

from core.answers import data
from core.domain import Requirements

DATA = Path(__file__).parents[1] / "data"
MEDHELM = ("--suite", "medhelm")
JANUARY = (*MEDHELM, "--on-sale-on", "2026-01-31")
NOVEMBER = (*MEDHELM, "--on-sale-on", "2026-11-22")
IN_USE = "Qwen3-30B-A3B-Thinking"
OWN = ("--suite", "bridge", "--where", "own", "--max-params-b", "40")
MINI, O4 = "GPT-5 mini (2025-08-07)", "o4-mini (2025-04-16)"
O3, GPT_4O = "o3-mini (2025-01-31)", "GPT-4o (2024-05-13)"
# The keys that the issue lists, and after "+" those that stand beside them.
KEYS = {
    "document": "take leader headline as_good worth_testing step_down left_out margin n_fit n_all "
    "snapshots + in_place_of",
    "entry": "model score rank_all rank_band_first rank_band_last difference ci_low ci_high tier "
    "basis other_basis monthly_cost_usd cost_is from_whom saves_usd_month safety second_opinions "
    "vetoes on_sale_until same_cluster reasons + name",
    "other_basis": "difference ci_low ci_high tier + basis",
    "monthly_cost_usd": "low likely high",
    "saves_usd_month": "low likely high",
    "safety": "share n severe_errors_per_100 rank n_systems marked + tested_as kind",
    "second_opinions": "suite metric rank n + tested_as kind agreement",
    "left_out": "model rule until successor + reason",
}
_asked = {}


@pytest.fixture
def recommend(ask):
    """Ask the command; the same question is asked once in this module."""

    def run(*arguments):
        if arguments not in _asked:
            _asked[arguments] = ask("recommend", *arguments)
        return _asked[arguments]

    return run


def has_keys(kind, document):
    assert set(document) == set(KEYS[kind].replace("+", "").split()), kind


def proposed(document):
    """Every entry that stands for a model to buy or to try."""
    alone = [document[key] for key in ("take", "step_down") if document[key]]
    return [*alone, *document["as_good"], *document["worth_testing"]]


def shares():
    """Scores of MedHELM on 0 to 1, with n and weight per benchmark, from the files themselves."""
    facts = pd.read_csv(DATA / "catalogue" / "benchmarks.csv").query("suite == 'medhelm'")
    facts = facts.set_index("benchmark")
    (path,) = DATA.glob("snapshots/medhelm/*/scores.csv")
    wide = pd.read_csv(path).pivot_table(index="benchmark", columns="model", values="score")
    wide = wide.loc[facts.index]
    share = wide.sub(facts.scale_min, axis=0).div(facts.scale_max - facts.scale_min, axis=0)
    sizes = facts.groupby("category").scale_min.transform("size")
    return share, facts.n_items, 1 / sizes / facts.category.nunique()


def paired(a, b):
    """Σwd between two models on these tests, with ±1.96·√Σw²(s(1−s) + …)/(n−1), from the files."""
    share, n_items, weight = shares()
    spread = (share[a] * (1 - share[a]) + share[b] * (1 - share[b])) / (n_items - 1)
    gap = (weight * (share[a] - share[b])).sum()
    half = stats.norm.ppf(0.975) * math.sqrt((weight**2 * spread).sum())
    return pytest.approx((gap, gap - half, gap + half))


def ends(entry):
    return entry["difference"], entry["ci_low"], entry["ci_high"]


QUESTIONS = [
    JANUARY,
    (*JANUARY, "--weight", "Clinical Decision Support=1"),
    (*JANUARY, "--in-place-of", GPT_4O),
    NOVEMBER,
    (*NOVEMBER, "--in-place-of", GPT_4O),
    (*OWN, "--in-place-of", IN_USE),
    ("--suite", "benchhealth"),
    (*MEDHELM, "--max-params-b", "0.1"),
]


@pytest.mark.slow
@pytest.mark.parametrize("asked", QUESTIONS, ids=" ".join)
def test_the_document_and_each_entry_have_their_keys(recommend, asked):
    found = recommend(*asked)
    has_keys("document", found)
    assert [s["suite"] for s in found["snapshots"]][:1] == [asked[1]]
    entries = [*proposed(found), *([found["leader"]] if found["leader"] else [])]
    for entry in entries:
        has_keys("entry", entry)
        for part in ("other_basis", "saves_usd_month", "safety"):
            if entry[part] is not None:
                has_keys(part, entry[part])
        has_keys("monthly_cost_usd", entry["monthly_cost_usd"])
        for opinion in entry["second_opinions"]:
            has_keys("second_opinions", opinion)
            assert 1 <= opinion["rank"] <= opinion["n"]
            assert opinion["suite"] != asked[1]
            assert opinion["kind"] in ("same version", "version not stated")
            agreement = opinion["agreement"]
            if (asked[1], opinion["suite"]) == ("medhelm", "noharm"):
                # As scipy.stats.spearmanr has it over the ten models that both suites have.
                assert agreement["n_models"] == 10
                assert agreement["rho"] == pytest.approx(0.21212, abs=1e-5)
                assert agreement["ci_low"] < 0 < agreement["ci_high"]
    for out in found["left_out"]:
        has_keys("left_out", out)
    assert found["margin"] == 0.02
    assert 0 <= found["n_fit"] <= found["n_all"]
    assert found["headline"]
    assert found["in_place_of"] == (asked[-1] if "--in-place-of" in asked else None)


@pytest.mark.parametrize("asked", QUESTIONS, ids=" ".join)
def test_the_parts_of_an_entry_agree(recommend, asked):
    """What no figure can contradict: order of ends, tiers by their ends, sums of money."""
    found = recommend(*asked)
    lead, margin = found["leader"], found["margin"]
    names = [entry["model"] for entry in proposed(found)]
    assert len(names) == len(set(names))
    assert not set(names) & {out["model"] for out in found["left_out"]}
    for entry in proposed(found):
        assert entry["reasons"]
        cost = entry["monthly_cost_usd"]
        if entry["cost_is"] == "unknown":
            assert set(cost.values()) == {None}
            assert (entry["from_whom"], entry["saves_usd_month"]) == (None, None)
        else:
            assert 0 < cost["low"] <= cost["likely"] <= cost["high"]
            assert entry["from_whom"]
        if entry["rank_band_first"] is not None:
            assert 1 <= entry["rank_band_first"] <= entry["rank_band_last"] <= found["n_fit"]
        if entry["model"] == lead["model"]:
            assert {entry[key] for key in ("difference", "tier", "basis", "other_basis")} == {None}
            continue
        assert entry["difference"] == pytest.approx(entry["score"] - lead["score"], abs=1e-9)
        if entry["basis"] == "none":
            assert entry["ci_low"] is None
            assert entry["tier"] == "open"
            continue
        assert entry["ci_low"] < entry["difference"] < entry["ci_high"]
        # A plain interval above −margin is what "likely" means; below it, "worse".
        if not entry["vetoes"]:
            assert (entry["tier"] in ("shown", "likely")) == (entry["ci_low"] > -margin)
        assert (entry["tier"] == "worse") == (entry["ci_high"] < -margin)
        if entry["saves_usd_month"]:
            saved = entry["saves_usd_month"]
            assert saved["low"] <= saved["likely"] <= saved["high"]
            both = lead["monthly_cost_usd"]["likely"], cost["likely"]
            assert saved["likely"] == pytest.approx(both[0] - both[1])
    tiers = {
        "as_good": {"shown", "likely", None},
        "worth_testing": {"open", "shown", "likely"},
    }
    for key, allowed in tiers.items():
        assert {entry["tier"] for entry in found[key]} <= allowed
    if found["take"]:  # The cheapest of those as good that are not marked.
        good = (found["take"], *found["as_good"])
        group = [entry for entry in good if not (entry["safety"] or {}).get("marked")]
        known = [e["monthly_cost_usd"]["likely"] for e in group if e["cost_is"] != "unknown"]
        assert not known or found["take"]["monthly_cost_usd"]["likely"] <= min(known) * 1.01
    if found["step_down"]:
        assert found["step_down"]["tier"] == "worse"
        most = found["take"]["monthly_cost_usd"]["likely"] / 2
        assert found["step_down"]["monthly_cost_usd"]["likely"] <= most


def test_in_january_gpt_5_mini_is_taken_and_o4_mini_only_shown_with_its_mark(recommend):
    found = recommend(*JANUARY)
    take, lead = found["take"], found["leader"]
    assert (take["model"], take["tier"], take["basis"]) == (MINI, "shown", "on these tests")
    assert (lead["model"], lead["rank_all"]) == (O4, 1)
    # NOHARM: severe harm in 20.9 % of cases, 31st of 32 systems, 39.9 severe errors per 100.
    harm = lead["safety"]
    assert (harm["share"], harm["n"], harm["severe_errors_per_100"]) == (0.209, 100, 39.9)
    assert (harm["rank"], harm["n_systems"], harm["marked"]) == (31, 32, True)
    assert (take["safety"]["share"], take["safety"]["marked"]) == (0.141, False)
    # The mark is said where the model is shown.
    assert O4 in {entry["model"] for entry in found["as_good"]}
    assert any("31st of 32" in reason for reason in lead["reasons"])
    assert take["on_sale_until"] == "2027-02-06"
    # OpenAI's list price of the day, 0.25 read and 2.00 written: a quarter of o4-mini's or less.
    assert take["monthly_cost_usd"]["likely"] < lead["monthly_cost_usd"]["likely"] / 3


def test_the_difference_in_january_is_that_of_the_files(recommend):
    """Worked out again from scores.csv and benchmarks.csv."""
    share, _, weight = shares()
    take = recommend(*JANUARY)["take"]
    gap = take["difference"]
    assert take["score"] == pytest.approx((weight * share[MINI]).sum())
    assert ends(take) == paired(MINI, O4)
    assert round(gap * 100, 1) == -0.7
    # On other tests like these: effective J = 1/Σw², SE² = Σw²(d − d̄)²/(1 − 1/J), t of J − 1.
    d = share[MINI] - share[O4]
    effective = 1 / (weight**2).sum()
    error = math.sqrt((weight**2 * (d - gap) ** 2).sum() / (1 - 1 / effective))
    half = stats.t.ppf(0.975, effective - 1) * error
    other = take["other_basis"]
    assert (other["basis"], other["tier"]) == ("on other tests", "open")
    assert (other["ci_low"], other["ci_high"]) == pytest.approx((gap - half, gap + half))


def test_for_decision_support_neither_o4_mini_nor_o3_mini_is_taken(recommend):
    """Both lead and both are marked, so the best without a mark, and what is lost is said."""
    found = recommend(*JANUARY, "--weight", "Clinical Decision Support=1")
    assert found["leader"]["model"] == O4
    marked = {entry["model"] for entry in found["as_good"] if entry["safety"]["marked"]}
    assert marked == {O4, O3}
    assert found["take"]["model"] == MINI
    assert found["take"]["safety"]["marked"] is False
    share, _, _ = shares()
    facts = pd.read_csv(DATA / "catalogue" / "benchmarks.csv").query("suite == 'medhelm'")
    mine = facts[facts.category == "Clinical Decision Support"].benchmark
    lost = fmean(share[MINI][mine] - share[O4][mine])
    assert found["take"]["difference"] == pytest.approx(lost)
    assert f"−{abs(lost) * 100:.1f}" in found["headline"]
    assert "divided" in found["headline"]


def test_in_place_of_gpt_4o_comes_gpt_5_mini_shown_better(recommend):
    """+3.7 points (about 2.7 to 4.7) on these tests, from the files; at a fraction of the cost."""
    found = recommend(*JANUARY, "--in-place-of", GPT_4O)
    take = found["take"]
    assert (found["leader"]["model"], take["model"], take["tier"]) == (GPT_4O, MINI, "shown")
    assert round(take["difference"] * 100, 1) == 3.7
    assert ends(take) == paired(MINI, GPT_4O)
    assert take["saves_usd_month"]["low"] > 0
    assert take["monthly_cost_usd"]["likely"] < found["leader"]["monthly_cost_usd"]["likely"] / 4


def test_today_nothing_off_sale_is_taken_or_proposed(recommend):
    found = recommend(*NOVEMBER)
    out = {entry["model"]: entry for entry in found["left_out"]}
    assert {entry["model"] for entry in proposed(found)} == {
        "DeepSeek R1",
        "Llama 3.3 Instruct (70B)",
    }
    assert (found["n_fit"], found["n_all"]) == (2, 13)
    assert len(out) == 11
    assert {entry["rule"] for entry in out.values()} == {"Not on sale for long enough"}
    assert (out[MINI]["until"], out[MINI]["successor"]) == ("2027-02-06", "gpt-6.1-terra")
    assert out[O4]["until"] == out[O3]["until"] == out[GPT_4O]["until"] == "2026-10-23"
    # It keeps its place in the evidence, and the answer is said to rest on what can be bought.
    assert found["take"]["rank_all"] == 5
    assert any(MINI in reason or O4 in reason for reason in found["take"]["reasons"])


def test_what_is_in_use_need_not_be_on_sale(recommend):
    found = recommend(*NOVEMBER, "--in-place-of", GPT_4O)
    assert found["leader"]["model"] == GPT_4O
    assert found["leader"]["rank_all"] == 8
    assert found["leader"]["rank_band_first"] is None
    assert GPT_4O in {out["model"] for out in found["left_out"]}
    assert GPT_4O not in {entry["model"] for entry in proposed(found)}
    assert found["take"]["model"] == "DeepSeek R1"


def test_on_own_servers_only_open_models_no_more_than_5_percent_larger(recommend, bundled):
    found = recommend(*OWN, "--in-place-of", IN_USE)
    most = bundled.catalogue.model(IN_USE).params_b * 1.05
    for entry in proposed(found):
        model = bundled.catalogue.model(entry["model"])
        assert model.access == "open"
        assert model.params_b <= most
        assert entry["cost_is"] in ("own servers", "unknown")
        assert entry["from_whom"] is None or entry["from_whom"].startswith("own servers: ")
    small = {entry["model"]: entry for entry in found["worth_testing"]}["Qwen3-4B-Thinking-2507"]
    assert [round(end * 100, 1) for end in ends(small)] == [-0.9, -2.2, 0.4]
    assert (small["tier"], small["basis"]) == ("open", "on other tests")
    # The same from the scores themselves by SciPy: 87 tasks alike, a paired t interval.
    matrix = data.matrix(bundled, data.selection_of(Requirements(suite="bridge")))
    a, b = (matrix.scores[matrix.models.index(name)] for name in ("Qwen3-4B-Thinking-2507", IN_USE))
    widths = [benchmark.scale_max - benchmark.scale_min for benchmark in matrix.benchmarks]
    tested = stats.ttest_rel(a / widths, b / widths)
    interval = tested.confidence_interval(0.95)
    assert (small["ci_low"], small["ci_high"]) == pytest.approx((interval.low, interval.high))


def test_a_model_whose_weights_are_closed_leaves_its_place_to_open_ones_only(recommend):
    """--where own implies open weights; --where vendor asks for a service."""
    own = recommend(*MEDHELM, "--where", "own", "--on-sale-months", "any")
    assert {e["model"] for e in proposed(own)} <= {"DeepSeek R1", "Llama 3.3 Instruct (70B)"}
    assert {e["cost_is"] for e in proposed(own)} <= {"own servers", "unknown"}
    assert own["take"]
    vendor = recommend(*MEDHELM, "--where", "vendor", "--on-sale-months", "any")
    assert {e["cost_is"] for e in proposed(vendor)} <= {"bill", "unknown"}
    assert vendor["leader"]["model"] == O4
    assert vendor["take"] == recommend(*MEDHELM, "--on-sale-months", "any")["take"]
    # What --access meant before, it means still.
    opened = recommend(*MEDHELM, "--access", "open", "--on-sale-months", "any")
    assert {e["model"] for e in proposed(opened)} <= {"DeepSeek R1", "Llama 3.3 Instruct (70B)"}
    assert {e["cost_is"] for e in proposed(opened)} == {"bill"}
    either = recommend(*MEDHELM, "--access", "open", "--where", "any", "--on-sale-months", "any")
    assert either == opened


@pytest.mark.parametrize(
    ("months", "fits"),
    [("0", True), ("2", True), ("3", False), ("6", False), ("any", True)],
)
def test_how_long_a_model_must_be_on_sale(recommend, months, fits):
    """Azure sells GPT-5 mini until 2027-02-06: from 2026-11-22 two whole months, not three."""
    found = recommend(*NOVEMBER, "--on-sale-months", months)
    out = {entry["model"]: entry for entry in found["left_out"]}
    assert (MINI not in out) == fits
    if months == "any":
        assert (found["left_out"], found["n_fit"]) == ([], 13)
    if months == "6":  # as where no number is given
        assert found == recommend(*NOVEMBER)


def test_the_margin_turns_the_tier(recommend):
    """Llama 3.3 is 9.2 points behind o4-mini (8.2 to 10.2): a margin of 11 points covers it."""
    wide = recommend(*JANUARY, "--margin", "0.11")
    assert wide["margin"] == 0.11
    assert wide["take"]["model"] == "Llama 3.3 Instruct (70B)"
    assert wide["take"]["tier"] == "shown"
    none = recommend(*JANUARY, "--margin", "0")
    assert {e["tier"] for e in none["as_good"]} <= {None}
    # o4-mini leads alone and is marked.
    assert none["take"]["model"] != O4


def test_a_budget_compares_with_what_would_be_paid(recommend):
    found = recommend(*NOVEMBER, "--monthly-budget-usd", "20")
    assert [e["model"] for e in proposed(found)] == ["Llama 3.3 Instruct (70B)"]
    assert "Over budget" in {out["rule"] for out in found["left_out"]}
    own = recommend(*OWN, "--monthly-budget-usd", "400")
    assert all(e["monthly_cost_usd"]["likely"] <= 400 for e in proposed(own))


def test_a_link_asks_what_the_page_asks(recommend, bundled):
    """The link of a question gives its recommendation; the model in use is given beside it."""
    link = "http://x/shortlist?sale_on=2026-01-31"
    assert recommend("--link", link) == recommend(*JANUARY)
    assert recommend("--link", link, "--in-place-of", GPT_4O) == recommend(
        *JANUARY, "--in-place-of", GPT_4O
    )
    assert recommend("--link", "?sale=Not+asked") == recommend(*MEDHELM, "--on-sale-months", "any")


@pytest.mark.slow
def test_an_alias_names_the_model_in_use(recommend):
    """Any name that the catalogue has for it."""
    asked = ("--suite", "open-medical-llm", "--in-place-of")
    assert recommend(*asked, "CohereLabs/aya-23-8B")["in_place_of"] == "CohereForAI/aya-23-8B"


def test_without_json_people_get_the_sentence_and_a_table(cli):
    status, out, err = cli("recommend", *JANUARY)
    assert (status, err) == (0, "")
    first, *table = out.splitlines()
    assert MINI in first
    assert O4 in first
    assert [line.split()[0] for line in table].count("take") == 1
    assert not any(word in out for word in ("None", "nan", "NaN", "null"))


def test_where_nothing_fits_it_says_so(cli, recommend):
    found = recommend(*MEDHELM, "--max-params-b", "0.1")
    assert (found["take"], found["leader"], found["step_down"]) == (None, None, None)
    assert (found["as_good"], found["worth_testing"], found["n_fit"]) == ([], [], 0)
    assert len(found["left_out"]) == 13
    status, out, _ = cli("recommend", *MEDHELM, "--max-params-b", "0.1")
    assert (status, found["headline"] in out) == (0, True)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--suite", "nothing"),
        (*MEDHELM, "--in-place-of", "nobody/nothing"),
        (*MEDHELM, "--in-place-of", "line\nbreak"),
        (*MEDHELM, "--in-place-of", "x" * 10_000),
        (*MEDHELM, "--where", "anywhere"),
        (*MEDHELM, "--where", ""),
        (*MEDHELM, "--where", "vendor", "--access", "open"),
        *((*MEDHELM, "--access", a) for a in ("own", "closed")),
        *((*MEDHELM, "--on-sale-months", m) for m in ("", "six", "-1", "1.5", "61", "9" * 5000)),
        *((*MEDHELM, "--on-sale-months", m) for m in ("nan", "²", "None", "ANY")),
        *((*MEDHELM, "--on-sale-on", d) for d in ("", "today", "2026-13-01", "31.1.2026")),
        *((*MEDHELM, "--on-sale-on", d) for d in ("1999-01-01", "2026-02-30", "2026-1-31")),
        *((*MEDHELM, "--margin", m) for m in ("abc", "-0.1", "nan", "inf", "", "2")),
        (*MEDHELM, "--weight", "Cooking=1"),
        *((*MEDHELM, "--max-params-b", b) for b in ("big", "-1", "1e999")),
        (*MEDHELM, "--monthly-budget-usd", "-1"),
        ("--link", "?budget=1", *MEDHELM),
        *(("--link", "?budget=1", option, value) for option, value in (
            ("--where", "own"), ("--on-sale-months", "3"), ("--on-sale-on", "2026-01-31"),
            ("--access", "open"),
        )),
    ],
)  # fmt: skip
def test_a_bad_value_is_one_sentence_and_2(cli, arguments):
    status, out, err = cli("recommend", *arguments, "--json")
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert len(err) < 700

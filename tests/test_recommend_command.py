"""``recommend``: the whole document, what must come out of it, and what it refuses.

One question has one answer: in the command line, the link and the CSV, and byte by byte in every
process, since Python orders a set of texts by a number that each process draws for itself.
"""

import csv
import io
import json
import math
import os
import subprocess
import sys
from datetime import date, datetime
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from scipy import stats

from core.answers import data, recommend
from core.answers.asked import ask as put
from core.answers.asked import shortlist_link
from core.answers.local_test import worth_of
from core.commands.told import today
from core.domain import FIELDS, Question
from core.sharing import export
from core.sharing.link import from_query, parse_url
from core.words.recommendation import alerts, headline

ROOT = Path(__file__).parents[1]
DATA = ROOT / "data"
MEDHELM = ("--suite", "medhelm")
JANUARY = (*MEDHELM, "--on-sale-on", "2026-01-31")
NOVEMBER = (*MEDHELM, "--on-sale-on", "2026-11-22")
AZURE = "Azure OpenAI / Azure AI Foundry"
BUT_AZURE = ("OpenAI API", "AWS Bedrock", "Google Vertex AI", "Novita")
IN_USE = "Qwen3-30B-A3B-Thinking"
OWN = ("--suite", "bridge", "--where", "own", "--max-params-b", "40")
MINI, O4 = "GPT-5 mini (2025-08-07)", "o4-mini (2025-04-16)"
O3, GPT_4O = "o3-mini (2025-01-31)", "GPT-4o (2024-05-13)"
DECISION_SUPPORT = ("--weight", "Clinical Decision Support=1")
# The keys that programs were promised, and after "+" those that are there as well.
KEYS = {
    "document": "take leader headline as_good worth_testing step_down left_out margin n_fit n_all "
    "snapshots strength choose test_these test_worth + in_place_of alerts why "
    "cautions conditions question",
    "entry": "on_other_tests one_more_test model score rank_all rank_band_first rank_band_last "
    "difference ci_low ci_high tier basis other_basis monthly_cost_usd cost_is from_whom "
    "saves_usd_month safety second_opinions vetoes on_sale_until same_cluster reasons + name "
    "sale price_list_day conditions cost_still_open_usd cost_still_open_at with_baa",
    "sale": "state until read_on platform region source",
    "on_other_tests": "ci_low ci_high",
    "other_basis": "difference ci_low ci_high tier + basis",
    "monthly_cost_usd": "low likely high",
    "saves_usd_month": "low likely high",
    "safety": "share n severe_errors_per_100 rank n_systems marked + tested_as kind",
    "second_opinions": "suite metric rank n + tested_as kind agreement",
    "left_out": "model name rule until successor + reason",
}


class OneDay(datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2026, 11, 29, tzinfo=tz)


@pytest.fixture(scope="module", autouse=True)
def on_one_day():
    """Sales end day by day, and what is answered would change with them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.commands.told.datetime", OneDay)
        yield


@pytest.fixture
def told(ask):
    return partial(ask, "recommend")


def has_keys(kind, document):
    assert set(document) == set(KEYS[kind].replace("+", "").split()), kind


def proposed(document):
    """Every entry that stands for a model to buy or to try; of a choice the taken one is of it."""
    alone = [document["step_down"]] if document["step_down"] else []
    if document["take"] and not document["choose"]:
        alone.append(document["take"])
    lists = ("choose", "test_these", "as_good", "worth_testing")
    return [*alone, *(entry for key in lists for entry in document[key])]


def names(entries):
    return [entry["model"] for entry in entries]


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
    (*JANUARY, *DECISION_SUPPORT),
    (*JANUARY, "--in-place-of", GPT_4O),
    (*OWN,),
    ("--suite", "noharm"),
    (*MEDHELM, "--max-params-b", "0.1"),
]


@pytest.mark.slow
@pytest.mark.parametrize("asked", QUESTIONS, ids=" ".join)
def test_the_document_and_each_entry_have_their_keys(told, asked):
    found = told(*asked)
    has_keys("document", found)
    assert [s["suite"] for s in found["snapshots"]][:1] == [asked[1]]
    entries = [*proposed(found), *([found["leader"]] if found["leader"] else [])]
    for entry in entries:
        has_keys("entry", entry)
        for part in ("on_other_tests", "other_basis", "saves_usd_month", "safety", "sale"):
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


def test_in_january_gpt_5_mini_is_taken_and_o4_mini_marked(told):
    found = told(*JANUARY)
    take, lead = found["take"], found["leader"]
    # Other tests grade what MedHELM has not tested above it.
    assert (found["strength"], found["why"]) == ("choose", "better elsewhere")
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
    # lifecycle.csv: OpenAI wrote 10 December to customers; Azure sells on to those who have it.
    assert take["on_sale_until"] == take["sale"]["until"] == "2026-12-10"
    assert (take["sale"]["state"], take["sale"]["platform"]) == ("ends", "OpenAI API")
    # Prices are those of today, which LiteLLM put out on 20 November.
    assert (take["sale"]["read_on"], take["price_list_day"]) == ("2026-11-01", "2026-11-20")
    # OpenAI's list price of the day, 0.25 read and 2.00 written: a quarter of o4-mini's or less.
    assert take["monthly_cost_usd"]["likely"] < lead["monthly_cost_usd"]["likely"] / 3
    # Worked out again from scores.csv and benchmarks.csv.
    share, _, weight = shares()
    assert take["score"] == pytest.approx((weight * share[MINI]).sum())
    assert ends(take) == paired(MINI, O4)
    assert round(take["difference"] * 100, 1) == -0.7
    other = take["other_basis"]
    assert (other["basis"], other["tier"]) == ("on other tests", "open")
    assert other["ci_low"] < ends(take)[1]
    assert ends(take)[2] < other["ci_high"]
    assert 0 < take["one_more_test"] < 0.5


def test_gpt_5_mini_replaces_gpt_4o_by_any_of_its_names(told, cli):
    """+3.7 points (about 2.7 to 4.7) on these tests, from the files; at a fraction of the cost."""
    found = told(*JANUARY, "--in-place-of", GPT_4O)
    take = found["take"]
    assert (found["leader"]["model"], take["model"], take["tier"]) == (GPT_4O, MINI, "shown")
    assert round(take["difference"] * 100, 1) == 3.7
    assert ends(take) == paired(MINI, GPT_4O)
    assert take["saves_usd_month"]["low"] > 0
    assert take["monthly_cost_usd"]["likely"] < found["leader"]["monthly_cost_usd"]["likely"] / 4
    asked = (*NOVEMBER, "--in-place-of")
    assert told(*asked, "claude 3.7") == told(*asked, "Claude 3.7 Sonnet (20250219)")
    for name, said in (
        ("GPT-4o", '"GPT-4o" may be one of several: GPT-4o (2024-11-20), GPT-4o (2024-08-06),'),
        ("gpt-9o", 'No model is called "gpt-9o". The nearest: '),
        ("gpt-4.1", 'This evidence has no scores of "gpt-4.1".'),
    ):
        status, _, error = cli("recommend", *asked, name)
        assert status == 2
        assert said in error


def test_over_all_evidence_a_model_in_use_meets_what_has_its_grade(told, cli):
    asked = ("--on-sale-on", "2026-11-22", "--in-place-of")
    found = told(*asked, "GPT-4o (2024-11-20)")
    used = found["in_use"]
    ends_on = {platform: sale["until"] for platform, sale in used["sale"].items()}
    assert ends_on == {AZURE: "2027-04-14", "OpenAI API": "2027-01-14"}
    # 20th of 32, 34th of 38 and 16th of 46: no upper third, so C.
    places = {line["suite"]: (line["place"], line["n"]) for line in used["lines"]}
    assert places["noharm"] == (20, 32)
    assert places["livemedbench"] == (34, 38)
    assert used["grade"] == "C"
    equals = [each["model"] for each in found["candidates"] if each["grade"] in "ABC"]
    assert names(found["at_least_its_grade"]) == [it for it in equals if it != used["model"]]
    value = {line["suite"]: line["value"] for line in used["lines"]}
    for each in found["at_least_its_grade"]:
        direct = {it["suite"]: it["value"] for it in each["lines"] if it["kind"] == "direct"}
        gaps = sorted(direct[suite] - value[suite] for suite in direct.keys() & value.keys())
        assert sorted(it["difference"] for it in each["in_common"]) == pytest.approx(gaps, abs=1e-3)
        cost, saves = each["monthly_cost_usd"]["likely"], each["saves_usd"]
        assert saves["likely"] == pytest.approx(used["monthly_cost_usd"] - cost)
    status, _, error = cli("recommend", *asked, "GPT-4o")
    assert status == 2
    assert '"GPT-4o" may be one of several' in error


def test_today_nothing_off_sale_is_taken_or_proposed(told, cli):
    """Two can be bought by all: too few for an answer. Llama is 5.4 points behind: no test.

    GPT-5 mini only by those who have it at Azure: where that is open it is said in the first line.
    """
    asked = told(*NOVEMBER)
    first = asked["test_these"][0]
    assert (asked["take"], first["model"], asked["n_fit"]) == (None, MINI, 3)
    assert first["sale"]["state"] == "existing customers only"
    assert f"{AZURE} sells {MINI} to existing customers only" in asked["headline"]
    assert "GPT-5 (2025-08-07)" in names(asked["left_out"])
    # Where it alone fits, that is the reason to test it, and this is said below.
    said = cli("recommend", *NOVEMBER, "--platforms=azure", "--required=baa")[1]
    assert said.startswith("Only GPT-5 mini (2025-08-07) of 13 models fits")
    assert "\nFor existing customers only, until 13 July 2027, at Azure" in said
    found = told(*NOVEMBER, *(f"--platforms={at}" for at in BUT_AZURE))
    out = {entry["model"]: entry for entry in found["left_out"]}
    assert (found["strength"], found["why"], found["take"]) == ("shortlist", "few fit", None)
    assert names(proposed(found)) == names(found["test_these"]) == ["DeepSeek R1"]
    assert (found["n_fit"], found["n_all"]) == (2, 13)
    assert "2 of 13" in found["headline"]
    late = {name for name, entry in out.items() if entry["rule"] == "Not on sale for long enough"}
    assert MINI in late
    assert (out[MINI]["until"], out[MINI]["successor"]) == ("2026-12-10", "GPT-6.1 terra")
    # The platform's day, as the table has it, before the six months are over.
    table = pd.read_csv(DATA / "catalogue" / "lifecycle.csv")
    ends = table[table.platform == "OpenAI API"].groupby("product").shutdown_on.max()
    for model in (MINI, O4, O3, GPT_4O):
        assert out[model]["until"] == ends[model] < "2027-05-22"
    # It keeps its place in the evidence, and the answer is said to rest on what can be bought.
    (first,) = found["test_these"]
    assert first["rank_all"] == 5
    assert any(MINI in reason or O4 in reason for reason in first["reasons"])


def test_without_a_suite_it_is_asked_what_the_landing_page_asks(cli, told):
    """All evidence, under the conditions of the first profile; a list needs one suite."""
    asked = ("--on-sale-on", "2026-11-22")
    status, out, err = cli("recommend", *asked, "--json")
    found = json.loads(out)
    assert (status, err, found["evidence"]) == (0, "", "all")
    assert found["conditions"] == ["baa", "trains_on_customer_data_by_default"]
    assert found == told(*asked, "--profile", "us")
    assert told(*asked, "--profile", "none")["conditions"] == []
    assert told(*asked, "--gates", "hitrust")["conditions"] == ["hitrust"]
    status, out, err = cli("shortlist", *asked, "--json")
    assert (status, json.loads(out)["question"]["suite"]) == (0, "bridge")
    assert "BRIDGE" in err


def test_a_sale_says_where_the_platform_runs_it(told):
    """LiteLLM's keys have R1 at Bedrock as us. alone; of a router no source says where it runs."""
    r1 = ("--only", "DeepSeek R1")
    sold = told(*MEDHELM, "--on-sale-on", "2026-09-15", *r1)["test_these"][0]["sale"]
    assert (sold["platform"], sold["until"], sold["region"]) == ("AWS Bedrock", "2027-03-30", "US")
    unknown = told(*NOVEMBER, *r1)["test_these"][0]["sale"]
    assert (unknown["state"], unknown["region"]) == ("not known", "")


def test_on_own_servers_only_open_models_no_more_than_5_percent_larger(told, bundled):
    found = told(*OWN, "--in-place-of", IN_USE)
    most = bundled.catalogue.model(IN_USE).params_b * 1.05
    for entry in proposed(found):
        model = bundled.catalogue.model(entry["model"])
        assert model.access == "open"
        assert model.params_b <= most
        assert entry["cost_is"] in ("own servers", "unknown")
        assert entry["from_whom"] is None or entry["from_whom"].startswith("own servers: ")
    small = {entry["model"]: entry for entry in found["as_good"]}["Qwen3-14B-Thinking"]
    assert (small["tier"], small["basis"]) == ("likely", "on other tests")


ADDRESS = "https://formulary.example.org/shortlist"
# What is asked, as a link and on the command line.
LINKS = {
    "take": (
        f"{ADDRESS}?task=Documentation&budget=400&gates=Business+associate+agreement+%28BAA%29"
        "&sale_on=2026-01-31&prices=2026-11-21",
        (
            *("--suite", "medhelm", "--task", "documentation", "--monthly-budget-usd", "400"),
            *("--gates", "baa", "--on-sale-on", "2026-01-31"),
        ),
    ),
    "choose": (
        f"{ADDRESS}?sale_on=2026-01-31&task=Decision+support",
        (
            *("--suite", "medhelm", "--on-sale-on", "2026-01-31"),
            *("--task", "decision-support"),
        ),
    ),
    "shortlist": (
        f"{ADDRESS}?evidence=NOHARM%2C+safety&sale_on=2026-11-22",
        ("--suite", "noharm", "--on-sale-on", "2026-11-22"),
    ),
}
"""By the strength of their answers."""


@pytest.fixture(scope="module", params=LINKS)
def question(request, bundled):
    """The link with its evidence and day of prices, the options, and what the core answers."""
    link, options = LINKS[request.param]
    opened = from_query(parse_url(link), bundled.catalogue, bundled.snapshots)
    assert opened.notes == ()
    asked = opened.question
    on = data.day_of_prices(asked, date(2026, 11, 22))
    whole = shortlist_link(put(bundled, asked, on), link)
    asked = from_query(parse_url(whole), bundled.catalogue, bundled.snapshots).question
    found = recommend.recommendation(put(bundled, asked, on))
    assert (found.strength, found.shortlist.n_fit > 1) == (request.param, True)
    return whole, options, asked, on, found


def named(found):
    return {
        each.model.id: (words, each.score, (each.cost.low, each.cost.likely, each.cost.high))
        for words, each in found.decisions()
    }


def told_of(found, on):
    return [headline(found), *alerts(found, on)]


def test_the_command_line_says_the_same_to_programs_and_people(question, ask, bundled, cli):
    link, options, asked, on, found = question
    worth = worth_of(bundled, found, on)
    document = export.document(found, worth, on)
    assert ask("recommend", "--link", link) == json.loads(json.dumps(document))
    # The options name no day of the prices.
    now = recommend.recommendation(put(bundled, asked, today()))
    document = export.document(now, worth_of(bundled, now, today()), today())
    assert ask("recommend", *options) == json.loads(json.dumps(document))
    status, out, err = cli("recommend", "--link", link)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    told = told_of(found, on)
    # A link from another day says first what it took then.
    assert lines[0].startswith(f"As of {on.day} {on:%B %Y}")
    sentences = [line for line in lines[1:] if line in told]
    assert (lines[1], sentences) == (told[0], told)
    table = lines[1 + len(told) :]
    for words, each in found.decisions():
        assert any(line.split(each.model.name)[0].strip() == words for line in table)
    for arguments in (("--link", link), options):
        status, out, err = cli("shortlist", *arguments, "--csv")
        assert (status, err) == (0, "")
        lines = csv.DictReader(io.StringIO(out.removeprefix("\ufeff"), newline=""))
        decided = {}
        for line in filter(lambda line: line["decision"], lines):
            ends = (line[f"monthly_cost_{key}"] for key in ("low", "usd", "high"))
            cost = tuple(float(end) if end else None for end in ends)
            decided[line["model"]] = (line["decision"], float(line["score"]), cost)
        assert decided == named(found)


def test_each_field_of_a_question_is_of_one_part():
    assert len(FIELDS) == len(set(FIELDS))
    values = {name: Question().value(name) for name in FIELDS}
    assert Question.of(**values) == Question()
    assert Question().as_fields() == values
    with pytest.raises(TypeError):
        Question.of(budget=3)


SOME = "only=GPT-4o+%282024-05-13%29&only=Gemini+2.0+Flash&only=Nobody&only=Nothing"
IN_EVERY_PROCESS = (
    ("--suite", "medhelm", "--monthly-budget-usd", "300", "--on-sale-on", "2026-01-31"),
    ("--link", f"?{SOME}&sale=Not+asked"),
    ("--suite", "bridge", "--where", "own", "--max-params-b", "40"),
    ("--suite", "chi-bench"),
    ("--profile", "us", "--task", "documentation"),
    ("--where", "own", "--gpu", "H100 80GB", "--gpus-owned", "1"),
)
RUN = """
import json, sys
from core.commands import told
from core.__main__ import main
store = told.open_store()
told.open_store = lambda: store  # once, with what was computed from it, as ``cli`` does
for question in json.loads(sys.argv[1]):
    for command in (["recommend", "--json"], ["shortlist", "--json"], ["shortlist", "--csv"]):
        print("status", main([*command, *question]), flush=True)
"""


def answers(folder, seed):
    store = str(folder / f"{seed}.duckdb")
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(IN_EVERY_PROCESS)],
        env={**os.environ, "PYTHONHASHSEED": str(seed), "FORMULARY_STORE": store},
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    return done.stdout


@pytest.mark.slow
def test_no_answer_depends_on_the_hash_seed(tmp_path):
    first, other = (answers(tmp_path, seed) for seed in (0, 1))
    assert first.count(b"status 0") == 3 * len(IN_EVERY_PROCESS)
    # The rules whose lists come from sets: more than one model each, so that there is an order.
    assert first.count(b'"rule": "Reported by its own team"') > 4
    assert first.count(b'"rule": "Not in this evidence"') > 2
    assert other == first


def test_gpus_that_we_own_count_wherever_a_model_may_run(cli):
    """53 can be bought; what two GPUs hold can be run as well, as a link that has them says."""
    link = "?evidence=All+evidence&gates=Business+associate+agreement+%28BAA%29&gates=No+training"
    _, by_link, _ = cli("recommend", "--link", f"{link}+on+our+data&gpu=L40S&owned=2")
    status, said, _ = cli("recommend", "--profile", "us", "--gpu", "L40S", "--gpus-owned", "2")
    assert (status, said) == (0, by_link)
    assert "of the 163 models you can buy or run did well" in said
    assert "of the 53 models you can buy did well" in cli("recommend", "--profile", "us")[1]


def test_a_link_from_another_day_over_all_evidence_gives_both_answers(cli):
    link = "https://formulary.example/?evidence=All+evidence&prices=2026-11-15"
    status, out, _ = cli("recommend", "--link", link)
    first, then = out.splitlines()[:2]
    assert (status, first[:22]) == (0, "As of 15 November 2026")
    assert first.endswith(" Both use the tests loaded now.")
    assert then.startswith("Start with ")
    # A model in use has other answers, of that day too.
    for evidence, model in (("All+evidence", "GPT-4o (2024-11-20)"), ("MedHELM", "GPT-5")):
        link = f"https://f.example/replace?evidence={evidence}&prices=2026-11-15&in_use={model}"
        status, out, err = cli("recommend", "--link", link)
        assert (status, out.splitlines()[0]) == (0, "As of 15 November 2026, not today."), err


def test_where_nothing_can_be_bought_it_says_which_condition_to_drop(cli, ask):
    conditions = [it for name in ("baa", "hitrust", "region_eu") for it in ("--required", name)]
    (first, *_) = ask("recommend", *conditions)["without"]
    assert first["dropped"] == ["hitrust"]
    _, said, _ = cli("recommend", *conditions)
    told = f"Without HITRUST certificate, you could buy {first['n_buyable']} models: "
    assert f"{told}{first['names'][0]}, " in said
    assert ask("recommend", *conditions[:2])["without"] == []


def test_an_end_of_sale_is_why_another_model_is_named(cli):
    """AWS took new customers of DeepSeek R1 until 30 September 2026, and ends it in March."""
    _, said, _ = cli("recommend", "--prices-on", "2026-09-15", "--task", "DOCUMENTATION")
    then, _, today_s = said.partition("Today: ")
    assert then.startswith("As of 15 September 2026: take DeepSeek R1 (2025-01-20).")
    why = "because DeepSeek R1 (2025-01-20) is for existing customers only, until 30 March 2027"
    assert why in today_s.splitlines()[0]
    # Of what is still to be tested nothing is said: it is sold as before.
    _, said, _ = cli("recommend", "--prices-on", "2026-09-15", "--platforms", "azure")
    assert "because" not in said.splitlines()[0]

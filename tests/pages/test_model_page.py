"""A model in use: what can stand in for it, by the paper too; and the page of any model."""

from datetime import date

import pytest
from reading import said, table, tables

from core.answers.asked import ask
from core.answers.replacing import in_use
from core.domain import Question
from core.sharing import link
from core.sharing.market import in_place_listing, in_use_document
from pages.components.blocks import SHOWN_COLUMNS


def links(at):
    return {link.proto.label: link.proto.query_string for link in at.get("page_link")}


def test_what_a_vendor_pitched_is_found_with_all_its_suites(visit):
    at = visit()
    at.text_input(key="which_model").set_value("gpt 6.1 sol").run()
    assert at.session_state["model"] == "gpt 6.1 sol"
    at = visit("model/known", model="DeepSeek R1")
    # MedHELM, BRIDGE and NOHARM as their tables have it; Bedrock's last day; 9.8 % of 100 cases.
    assert "5th of 13 in MedHELM; 2nd of 98 in BRIDGE; 8th of 32 in NOHARM" in said(at)
    assert "for existing customers only, until 30 March 2027, at AWS Bedrock" in said(at)
    assert "Severe harm in 9.8 % of 100 cases" in said(at)
    evidence = table(at, "Tested as").set_index("Suite")
    assert evidence.loc["Vectara HHEM", "Score"].endswith(" of 100, lower is better")
    place = evidence.loc["MedHELM", ["Place", "Ahead of"]]
    assert place.tolist() == ["5th of 13", pytest.approx(100 * 8 / 12)]
    bought = table(at, "Read, $/M tokens").set_index("Platform")
    assert bought.loc["AWS Bedrock", ["Read, $/M tokens", "Written, $/M tokens"]].tolist() == [
        1.35,
        5.4,
    ]
    assert bought.loc["AWS Bedrock", "EU (GDPR)"].startswith("no (")
    assert "in_use=DeepSeek+R1&" in links(at)["Use as model in use"] + "&"
    at = visit("model/known", model="GPT-6.1 sol")
    assert "No public medical evidence as of" in said(at)
    assert "OpenAI names it in place of GPT-5 (2025-08-07)" in said(at)
    (others,) = tables(at, "Tested as")
    assert set(others["Model"]) == {"GPT-5 (2025-08-07)"}


def test_what_nobody_sells_any_more_is_not_to_be_tested(visit):
    ended, sold = (
        visit("model/known", model=name) for name in ("Claude 3.5 Haiku (20241022)", "GPT-5.2")
    )
    assert "Use as model in use" in links(ended)
    assert "Plan a local test" in links(sold)
    assert "Plan a local test" not in links(ended)


def test_a_models_page_has_what_the_hospital_was_told_of_its_product(visit):
    azure = "Azure OpenAI / Azure AI Foundry"
    at = visit(
        "model/known",
        model="GPT-5.2",
        evidence="All evidence",
        own_price=f"gpt-5.2;0.5;2;2026-11-01;offer 7;{azure}",
        own_sale=f"GPT-5.2;{azure};2028-03-01;2026-11-02;letter 9",
        own_answer=f"{azure};hitrust;yes;;2026-11-03;contract 5;",
    )
    told = "you were told on 2 November 2026"
    assert f"On sale until 1 March 2028, at {azure} ({told})." in said(at)
    assert f"about $52 a month, your own offer at {azure}, the same with a BAA." in said(at)
    bought = table(at, "Read, $/M tokens").set_index("Platform").loc[azure]
    assert bought["On sale"] == f"until 1 March 2028 ({told})"
    assert bought.iloc[1:3].tolist() == [0.5, 2]
    assert bought["HITRUST"] == "yes (2026-11-03)"


@pytest.mark.parametrize(
    ("at_platform", "asked", "said_so"),
    [
        # AWS asks $16; an offer at Azure replaces Azure's price, not that of AWS.
        (
            ";Azure",
            "under conditions",
            "about $16 a month, AWS Bedrock, the same with a BAA",
        ),
        # One for no platform counts where nothing is asked of one.
        (
            "",
            "under conditions",
            "about $16 a month, Azure OpenAI / Azure AI Foundry, the same with a BAA",
        ),
        (
            "",
            "",
            "about $370 a month, your own offer; with a BAA about $16 a month, Azure OpenAI",
        ),
    ],
)
def test_an_own_price_replaces_that_of_its_platform(visit, at_platform, asked, said_so):
    gates = {"gates": "Business associate agreement (BAA)"} if asked else {}
    told = f"gpt-oss-120b;4;8;2026-11-01;offer 7{at_platform}"
    query = {"model": "gpt-oss-120b", "evidence": "All evidence", "own_price": told} | gates
    assert said_so in said(visit("model/known", **query))
    costs = table(visit("cost/quality", **query), "Also at").set_index("Model").loc["gpt-oss-120b"]
    assert ("Azure $370, your offer" in costs["Also at"]) is bool(at_platform)
    assert ("Databricks $16" in costs["Also at"]) is bool(asked)
    assert bool(costs["Also at"]) is bool(asked)


def test_an_end_of_tomorrow_is_not_the_whole_of_a_sale(visit):
    """Anthropic ends Sonnet 4.5, and Google, as dear, does not; AWS takes no new customers."""
    at = visit("model/known", model="Claude Sonnet 4.5 (20250929)", evidence="All evidence")
    assert "On sale at Google Vertex AI, no end known (read 12 November 2026)." in said(at)
    assert "about $278 a month, Google Vertex AI, the same with a BAA." in said(at)


@pytest.mark.parametrize("tab", ["model/known", "model/compare", "replace/candidates"])
def test_the_search_box_finds_another_model_on_a_models_page(visit, tab):
    at = visit(tab, model="DeepSeek R1")
    at.text_input(key="which_model").set_value("gpt 6.1 sol").run()
    assert not at.error
    assert at.subheader[0].value.replace("\\", "") == "GPT-6.1 sol"


def test_an_unclear_name_asks_which_and_two_meet_in_every_suite(visit):
    for asked, sentence, offered in [
        ("GPT-5.6", "may be one of several", ["GPT-5.6 luna", "GPT-5.6 sol", "GPT-5.6 terra"]),
        ("Gemni 3 Pro", "No model is called", ["Gemini 3 Pro (preview)"]),
        ("<b>x</b>", "No model is called", []),
    ]:
        at = visit("model/known", model=asked)
        assert sentence in said(at)
        shown = [button.label.replace("\\", "") for button in at.main.button]
        assert [name for name in shown if name in offered] == offered
        if offered:
            at.button(key=f"model_{offered[-1]}").click().run()
            assert at.subheader[0].value.replace("\\", "") == offered[-1]
    at = visit("model/compare", model="DeepSeek R1", beside="o4-mini")
    assert "above in NOHARM, below in MedHELM and LMArena" in said(at)
    found = table(at, "Ahead").set_index("Suite")["Ahead"]
    assert (found["Vectara HHEM"], found["MedHELM"]) == (
        "DeepSeek R1 (2025-01-20)",
        "o4-mini (2025-04-16)",
    )
    assert said(at).count("· Grade ") == 2
    assert "for existing customers only, until 30 March 2027" in said(at)
    assert "A difference is shown in MedHELM." in said(at)
    shown = table(at, "Ahead").set_index("Suite").loc["MedHELM"]
    assert (round(shown["From"], 1), round(shown["To"], 1)) == (-3.7, -1.9)
    at.selectbox(key="beside").set_value("DeepSeek R1 (2025-01-20)").run()
    assert "choose a second model" in said(at)


def test_what_costs_more_is_a_difference_above_zero(visit):
    at = visit("replace/candidates", model="GPT-4o (2024-11-20)", task="Documentation")
    shown = table(at, "Difference, $ a month").set_index("Model")
    cost, more = shown["Cost, $ a month"], shown["Difference, $ a month"]
    assert more["Claude Opus 4.6"] > 0 > more["DeepSeek V3.2"]
    assert (cost - more).dropna().round(6).nunique() == 1  # what the model in use costs


PAGE = "replace/candidates"
PAPER = "The taxonomy paper's rule (size only, both taxonomies)"
PORTRAITS = {"evidence": "Taxonomy paper, 33 models", "model": "Liberated-Qwen1.5-14B"}


def test_the_papers_rule_names_the_published_replacement(visit):
    at = visit(PAGE, **PORTRAITS, rule=PAPER)
    shown = at.dataframe[0].value
    assert shown["Model"][0] == at.selectbox(key="proof").value == "Yi-1.5-9B-32K"
    assert "**Yi-1.5-9B-32K**" in said(at)
    # Closest first; 14 B to 8.83 B parameters is 37 % fewer; in one cluster in the lower share
    # of the two suites' trees.
    assert shown["Distance"].is_monotonic_increasing
    assert shown["Saves in size"][0] == pytest.approx((14 - 8.83) / 14 * 100, abs=0.5)
    assert shown["In one cluster"][0] == pytest.approx(86, abs=0.5)
    assert (shown["Size, B"] < 14).all()
    # One table of benchmarks for each taxonomy: nine exams, six general benchmarks.
    assert [len(one.value) for one in at.dataframe[1:3]] == [9, 6]


def test_by_the_task_it_opens_empty_and_takes_any_model(visit):
    at = visit(PAGE, evidence="MedHELM")
    assert at.selectbox(key="in_use").value is None
    assert "Choose the model you use now." in said(at)
    at.selectbox(key="in_use").set_value("Claude 3.5 Haiku (20241022)").run()
    # Anthropic, Google and AWS ended it, the last on 5 July 2026, and its maker names Haiku 4.5.
    assert "No longer sold since 5 July 2026, last at Google Vertex AI" in said(at)
    assert "Anthropic names Claude Haiku 4.5 (20251001) in its place" in said(at)
    assert "no scores for this model" in said(at)
    assert "the answer is over all evidence." in said(at)
    at.selectbox(key="in_use").set_value("GPT-4o (2024-05-13)").run()
    assert "no scores for this model" not in said(at)
    assert len(at.dataframe) > 0


@pytest.mark.parametrize("page", ["model/known", "model/compare"])
def test_a_later_end_for_existing_customers_is_said_of_each_model(visit, page):
    """OpenAI ends GPT-5 mini in December; Azure keeps it until July for those who have it."""
    text = said(visit(page, model="GPT-5 mini (2025-08-07)", beside="GPT-5.2"))
    assert "On sale until 10 December 2026, at OpenAI API" in text
    assert "For existing customers only, until 13 July 2027, at Azure" in text


def test_over_all_evidence_replace_lists_what_has_at_least_its_grade(visit):
    at = visit(PAGE, evidence="All evidence")
    assert "Choose the model you use now." in said(at)
    at.selectbox(key="in_use").set_value("Claude 3.5 Sonnet (20241022)").run()
    assert "No longer sold since 30 July 2026" in said(at)
    assert "Anthropic names Claude Sonnet 4.6 in its place" in said(at)
    # MedHELM has it 7th of 13 and NoHarm.ai 11th of 46: one upper third and none lower is B.
    assert "has grade B for this work" in said(at)
    shown = at.dataframe[0].value
    assert set(shown["Grade"]) == {"A", "B"}
    assert shown["Difference, $ a month"].isna().all()  # nobody can pay for it any more
    compared = shown.set_index("Model")["Compared where a test of this work has both"]
    assert compared["GPT-5.2"].startswith("Diagnoses (Portuguese) +3.7 points, −17.0 to +25.1")
    assert compared["Claude Opus 5"] == "no test of this work has both"
    assert shown.set_index("Model").loc["GPT-5.2", "Severe harm"] == "untested"


@pytest.mark.parametrize(
    ("typed", "versions"),
    [
        ("GPT-4o", {"GPT-4o (2024-05-13)", "GPT-4o (2024-08-06)", "GPT-4o (2024-11-20)"}),
        # One suite calls the first of the two by this name.
        ("Claude 3.5 Sonnet", {"Claude 3.5 Sonnet (20240620)", "Claude 3.5 Sonnet (20241022)"}),
    ],
)
def test_a_name_of_several_models_in_use_asks_which(visit, typed, versions):
    at = visit(PAGE, evidence="All evidence", model=typed)
    offered = [button.label.replace("\\", "") for button in at.main.button]
    assert versions <= {*offered}
    assert not at.dataframe


def test_replace_has_one_order_on_the_page_and_in_every_file(visit, bundled):
    """That of the market; the second that is named has a lower grade than those before it."""
    at = visit(PAGE, evidence="All evidence", in_use="GPT-4.1")
    asked = ask(bundled, Question.of(suite=""), date(2026, 11, 29))
    used = in_use(asked, "GPT-4.1")
    every = [it.candidate.model.name for it in used.places]
    named = [every.index(it.candidate.model.name) for it in used.named]
    assert named[-1] > len(named)
    assert [*at.dataframe[0].value["Model"]] == every
    assert [row["model"] for row in in_place_listing(used)] == every
    document = in_use_document(used, 1)
    assert [it["name"] for it in document["at_least_its_grade"]] == every


def test_the_columns_of_replace_fit_on_a_page(visit):
    """At 1280 pixels it has 916, of which the boxes at the left take 34."""
    at = visit(PAGE, evidence="All evidence", in_use="GPT-4.1")
    widths = [SHOWN_COLUMNS["in-its-place", it]["width"] for it in at.dataframe[0].value]
    assert sum(widths) <= 916 - 34
    assert at.dataframe[0].proto.row_height > 64  # Streamlit breaks the lines of no lower row
    asked = {"in_use": "Llama 3.3 70B Instruct", "access": "Our own servers only"}
    at = visit(PAGE, evidence="All evidence", **asked)
    costs = at.dataframe[0].value.set_index("Model")["At least, $ a month"]
    assert costs["Qwen3-30B-A3B-Thinking-2507"] == pytest.approx(576.7, abs=0.1)


def test_side_by_side_shows_what_the_candidates_name(visit):
    """With its size; and at the offer that lasts, where another of the same price ends sooner."""
    side = "replace/side_by_side"
    own = {"evidence": "All evidence", "access": "Our own servers only"}
    at = visit(side, **own, in_use="Llama 3.3 70B Instruct")
    assert at.multiselect(key="compare").value == [
        *("Llama-3.3-70B-Instruct", "Qwen3-30B-A3B-Thinking-2507"),
    ]
    baa = {"evidence": "MedHELM", "gates": "Business associate agreement (BAA)"}
    told = said(visit(side, **baa, in_use="GPT-4o (2024-05-13)"))
    assert "GPT-5 mini (2025-08-07): about $32 a month, Azure OpenAI" in told


def test_the_papers_rule_answers_for_no_other_model(visit):
    at = visit(PAGE, **PORTRAITS | {"model": "DeepSeek R1 (2025-01-20)"}, rule=PAPER)
    assert "no scores for this model" in said(at)
    assert "Liberated" not in said(at)


def test_the_copied_link_keeps_the_question_and_the_page_s_parameters(visit):
    at = visit(PAGE, **PORTRAITS, rule=PAPER, margin="3", proof="zephyr-7b-beta")
    at.session_state["share"] = True
    query = link.parse_url(at.run().code[0].value)
    again = visit(PAGE, **query)
    assert again.selectbox(key="in_use").value == PORTRAITS["model"]
    assert again.selectbox(key="proof").value == "zephyr-7b-beta"
    for before, after in zip(at.dataframe, again.dataframe, strict=True):
        assert after.value.equals(before.value)
    # Another model in use gives the choice of the first up without a word.
    at.selectbox(key="in_use").select("gemma-7b").run()
    assert not at.warning
    assert "gemma-7b" in " ".join(at.dataframe[1].value.columns)


def test_without_a_price_nothing_is_saved_and_few_tests_are_said(visit, exams):
    ids = exams(0.5, 0.6, 0.7, 0.8, others=[("org/part", "medqa", 0.65)])
    at = visit(PAGE, evidence="Open Medical-LLM", model="m0")
    assert "$" not in said(at)
    shown = at.dataframe[0].value
    assert list(shown["Model"])
    assert shown["Cost, $ a month"].isna().all()
    assert shown["Difference, $ a month"].isna().all()
    at = visit(PAGE, evidence="Open Medical-LLM", model="part")
    assert not at.error
    assert at.selectbox(key="in_use").value == "part"
    # One test of nine in common, which the reasons say.
    assert said(at).count(f"1 of {len(ids)} tests") == 1
    shown = table(at, "Decision").set_index("Model")
    # On that one test 0.7 against 0.65; the mean over nine tests plays no part.
    assert shown["Difference"]["m2"] == pytest.approx(5)


def test_the_matrix_of_a_first_visit_leads_on_with_its_question(visit):
    """An address without a question means one suite, and a first visit has an empty one."""
    asked = "?evidence=All+evidence&gates=Business+associate+agreement"
    for at in (visit(), visit(evidence="All evidence", gates="Business associate agreement (BAA)")):
        cells = [it.value for it in at.markdown if "](model?" in it.value]
        assert any(f"model{asked}" in it for it in cells)
        assert not any("](model?model=" in it for it in cells)


def test_with_a_platform_under_contract_its_sale_comes_first(visit):
    """AWS ends Claude Sonnet 4.5 on 8 April 2027, its maker on 30 November 2026."""
    asked = {"evidence": "All evidence", "model": "Claude Sonnet 4.5 (20250929)"}
    at = visit("model/known", **asked, platform="AWS Bedrock")
    first = said(at).split("- **")[1]
    assert first.startswith("For existing customers only, until 8 April 2027, at AWS Bedrock")
    # A platform that is not known to sell it changes nothing.
    assert "at Anthropic API" in said(visit("model/known", **asked, platform="Cohere"))
    beside = {"beside": "Claude Opus 5", "platform": "Google Vertex AI"}
    compared = said(visit("model/compare", **asked, **beside))
    assert "at Anthropic API" not in compared
    assert "On sale at Google Vertex AI, assured until 24 January 2027" in compared

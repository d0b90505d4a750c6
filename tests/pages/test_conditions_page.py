"""Conditions of purchase: the page, own answers, and what the shortlist does with them."""

import re
from datetime import date

from reading import number, press, said, table, turn_to

from core.answers.asked import ask
from core.answers.market import market
from core.domain import ConditionAnswer, Question
from core.sharing.own_figures import OWN_ANSWER
from core.words.conditions import how_many_questions, of_market
from pages.components import evidence

PAGE, OWN = "conditions/platforms", "conditions/own_answers"
BAA, TRAINING = "Business associate agreement (BAA)", "No training on our data"
# On a day when all of MedHELM's models were sold.
SALE = {"sale": "Not asked", "sale_on": "2025-05-01"}
GPT_5 = "GPT-5 (2025-08-07)"
USUAL = [BAA, TRAINING, "HIPAA statement"]


def refusing(*platforms, detail="", source="a letter"):
    given = ("baa", "no", detail, source, "2026-11-20", None, "own")
    return [OWN_ANSWER.write(ConditionAnswer(platform, *given)) for platform in platforms]


def places(at):
    return table(at, "On sale").set_index(["Model", "Platform"])


def counted(at):
    """Models, those that meet the conditions, those between, and those that fail."""
    return number(r"Of (\d+) models?, (\d+) meets? .*, (\d+) on a .*, (\d+) fails?\.", at)


def test_without_a_condition_the_page_says_what_is_known(visit):
    at = visit(PAGE, evidence="MedHELM")
    # From conditions.csv and regions.csv, each with the day on which its source said so.
    known = places(at).loc[("Llama 3.3 Instruct (70B)", "AWS Bedrock")]
    assert known["BAA"] == "yes (2026-06-12)"
    assert known["SOC 2"] == "yes (2026-07-05)"
    assert known["HITRUST"] == "not known"
    assert known["No training"] == "yes (2026-10-18)"
    assert known["EU (GDPR)"].startswith("no (")
    assert known["Days kept"] == "not stated, can be set to none (2026-10-18)"
    known = places(at).loc[("GPT-5 (2025-08-07)", "OpenAI API")]
    assert known["BAA"] == "on a condition (2026-10-05)"
    assert known["Days kept"] == "30 days (2026-07-15)"
    press(at, "Set the usual conditions for patient data")
    assert at.multiselect(key="gates").value == USUAL
    assert at.query_params["gates"] == USUAL
    # By hand from prices.csv and conditions.csv: AWS Bedrock alone says yes, no and yes, and sells
    # Claude 3.5 and 3.7 Sonnet, DeepSeek R1 and Llama 3.3; OpenAI and Google want a contract. The
    # two Claude have ended, as has o4-mini: they meet nothing. GPT-5 mini has existing customers.
    assert counted(at) == [13, 2, 1, 0]
    assert "With those conditions accepted, 3 meet every condition." in said(at)
    assert "Not on sale for long enough: 10 of them" in said(at)
    # What was asked for comes first, before what was not, such as zero retention.
    columns = places(at).columns.tolist()
    assert columns[:5] == ["Your conditions", "On sale", "BAA", "No training", "HIPAA statement"]
    assert columns[5] == "Zero retention"
    states = places(at)["Your conditions"]
    assert {place for place, it in states.items() if it == "meets"} == {
        ("DeepSeek R1", "AWS Bedrock"),
        ("Llama 3.3 Instruct (70B)", "AWS Bedrock"),
    }
    assert set(states["o4-mini (2025-04-16)"]) == {"no longer sold"}
    # AWS closed both to new customers on 30 September, and ends them in four months.
    sales = places(at)["On sale"][states[states == "meets"].index]
    assert sales.str.startswith("for existing customers only, until 30 March 2027").all()
    at = visit(PAGE, evidence="MedHELM", gates=USUAL, **SALE)
    assert counted(at) == [13, 4, 9, 0]
    # Without the statement nobody waits for a contract, and there is nothing to accept.
    at = visit(PAGE, evidence="MedHELM", gates=[BAA, TRAINING])
    assert counted(at) == [13, 3, 0, 0]
    assert "meet every condition" not in said(at)


def test_the_file_has_the_source_of_each_answer(visit, monkeypatch):
    files = {}

    def taken(name, *, frame, **_):
        files[name] = frame

    monkeypatch.setattr("pages.components.blocks.downloads", taken)
    at = visit(PAGE, evidence="MedHELM")
    shown = table(at, "On sale")
    file = files["conditions"]
    assert file.columns.tolist() == [*shown.columns, "Sources"]
    row = file.set_index(["Model", "Platform"]).loc[("Llama 3.3 Instruct (70B)", "AWS Bedrock")]
    said = dict(each.split(": ", 1) for each in row["Sources"].split("; "))
    answered = {short for short in row.index if re.search(r"\(\d{4}-\d\d-\d\d\)$", row[short])}
    assert {"BAA", "SOC 2", "No training"} <= answered <= said.keys()
    assert "HITRUST" not in said
    assert all(source.startswith("https://") for source in said.values())


def test_over_all_evidence_what_can_be_bought_comes_first(visit):
    at = visit(PAGE, evidence="All evidence", gates=USUAL)
    n, n_ask, n_out = number(
        r"(\d+) models meet .*; for (\d+) .* ask first; (\d+) are left out", at
    )
    shown = list(dict.fromkeys(model for model, _ in places(at).index))
    assert len(shown) == n + n_ask
    states = places(at)["Your conditions"]
    assert all({"meets", "on a condition"} & set(states[model]) for model in shown[: int(n)])
    assert "o4-mini (2025-04-16)" not in shown
    at.toggle(key="conditions_left_out").set_value(True).run()
    every = {model for model, _ in places(at).index}
    assert "o4-mini (2025-04-16)" in every
    assert len(shown) < len(every) <= n + n_ask + n_out


def test_a_question_of_many_models_is_said_once(visit):
    at = visit(evidence="All evidence", platform="Google Vertex AI", retention="0")
    (rows,) = re.findall(r"\| Grade \|.*", said(at), re.DOTALL)
    asked = [row.split(" | ")[2] for row in rows.splitlines()[2:] if row.startswith("| ")]
    questions = [it for it in asked if it.startswith("Ask ")]
    assert 0 < len(questions) < len(asked)
    assert len(questions) == len(set(questions))
    assert all(it.startswith(("Ask ", "As for ")) for it in asked)


def test_what_nobody_says_is_a_question_and_no_refusal(visit):
    at = visit(PAGE, gates="HITRUST certificate", **SALE)
    assert counted(at)[1::2] == [0, 0]
    google = places(at).xs("Google Vertex AI", level=1)
    assert set(google["Your conditions"]) == {"open questions"}
    asked = table(at, "Whom").set_index("Whom").loc["Google Vertex AI"]
    assert "Gemini 2.0 Flash" in asked["Best offer for"]
    assert "about the best offer" in said(at)
    assert how_many_questions(1, 0) == "1 question about the best offers."
    assert "first. Questions about other offers follow." in how_many_questions(2, 1)


def test_an_own_answer_fails_models_here_and_on_the_shortlist(visit):
    at = visit(OWN, gates=[BAA])
    at.selectbox(key="answer_about").select("Google Vertex AI").run()
    at.selectbox(key="own_answer_condition").select("baa")
    at.radio(key="own_answer_answer").set_value("no")
    at.text_area(key="own_answer_detail").input("They refused; see *our* letter.")
    press(at, "Use this answer")
    # Without a source nothing is kept, and nothing typed is lost.
    assert "Say where the answer is from" in at.warning[0].value
    assert at.text_area(key="own_answer_detail").value == "They refused; see *our* letter."
    assert at.radio(key="own_answer_answer").value == "no"
    assert "own_answer" not in at.query_params
    at.text_input(key="own_answer_source_url").input("Letter 17; page 2")
    press(at, "Use this answer")
    assert not at.warning
    line = 'Google Vertex AI;baa;no;;undated;"Letter 17; page 2";"They refused; see *our* letter."'
    assert at.session_state["own_answer"] == [line]
    assert "Google Vertex AI" in said(at)
    turn_to(at, PAGE)
    assert counted(at)[3] == 3
    gemini = places(at).loc[("Gemini 2.0 Flash", "Google Vertex AI")]
    assert (gemini["Your conditions"], gemini["BAA"]) == ("fails", "no (undated)")
    # The same question in a fresh session: gone from the shortlist, with its reason.
    link = {key: at.query_params[key] for key in ("gates", "own_answer")}
    fresh = visit(**link)
    assert not fresh.warning
    assert not any("Gemini" in name for name in fresh.dataframe[0].value["Model"])
    fresh.session_state["left_out_fold"] = True
    out = table(fresh.run(), "Reason")
    gemini = out[out["Model"] == "Gemini 2.0 Flash"].iloc[0]
    assert gemini["Rule"] == "Fails a condition of purchase"
    assert "Google Vertex AI" in gemini["Reason"]
    # Taken back, the public answer counts again.
    at = visit(OWN, **link)
    at.multiselect(key="own_answer").set_value([]).run()
    assert "own_answer" not in at.query_params
    assert counted(turn_to(at, PAGE))[3] == 0


def test_the_landing_page_offers_to_give_the_conditions_up(visit):
    sellers = ("OpenAI API", "Azure OpenAI / Azure AI Foundry")
    refused = {"own_answer": refusing(*sellers), "retention": "30", "window": "1000"}
    at = visit(only=GPT_5, gates=[BAA], **SALE, **refused)
    assert number(r"conditions of purchase, (\d+) model would fit", at) == [1]
    press(at, "Give up your conditions of purchase")
    at.session_state["conditions_fold"] = True
    at.run()
    assert at.multiselect(key="gates").value == []
    assert {at.number_input(key=key).value for key in ("retention", "window")} == {None}
    assert len(at.dataframe[0].value) == 1
    assert "gates" not in at.query_params


def test_licences_are_answers_on_models_before_which_an_own_answer_counts(visit):
    rows = places(visit(PAGE, evidence="MedHELM"))["Commercial use"]
    assert set(rows["Llama 3.3 Instruct (70B)"]) == {"on a condition"}
    assert set(rows["GPT-5 (2025-08-07)"]) == {"not known"}
    at = visit(OWN, gates=["Commercial use"])
    at.selectbox(key="answer_about").select("A model").run()
    assert at.selectbox(key="own_answer_condition").options == [
        "On our own servers",
        "Commercial use",
        "Context window",
    ]
    at.selectbox(key="own_answer_platform").select("GPT-5 (2025-08-07)")
    at.selectbox(key="own_answer_condition").select("commercial_licence")
    at.text_input(key="own_answer_source_url").input("Contract 5")
    press(at, "Use this answer")
    rows = places(turn_to(at, PAGE))["Your conditions"]
    assert set(rows["GPT-5 (2025-08-07)"]) == {"meets"}
    assert set(rows["GPT-5 mini (2025-08-07)"]) == {"open questions"}


def test_days_and_conditions_want_their_words(visit):
    at = visit(OWN)
    at.selectbox(key="answer_about").select("Anthropic API").run()
    at.selectbox(key="own_answer_condition").select("default_retention_days")
    at.text_input(key="own_answer_source_url").input("Contract 5")
    press(at, "Use this answer")
    assert "Give the number of days" in at.warning[0].value
    at.number_input(key="own_answer_days").set_value(7.0)
    press(at, "Use this answer")
    assert at.session_state["own_answer"] == [
        "Anthropic API;default_retention_days;yes;7;undated;Contract 5;"
    ]
    at.selectbox(key="own_answer_condition").select("baa")
    at.radio(key="own_answer_answer").set_value("conditional")
    press(at, "Use this answer")
    assert "Say in the detail on what condition" in at.warning[0].value


def test_until_when_a_model_is_sold_as_the_hospital_was_told(visit):
    """Nobody knows whether OpenAI still sells GPT-5 for six months; its letter names the day."""
    at = visit(OWN, evidence="MedHELM", gates=[BAA])
    at.selectbox(key="own_sale_model").select(GPT_5)
    at.selectbox(key="own_sale_platform").select("OpenAI API")
    at.date_input(key="own_sale_ends_on").set_value(date(2028, 3, 1))
    press(at, "Use this end of sale")
    assert "Enter the date of the sale" in at.warning[0].value
    at.date_input(key="own_sale_as_of").set_value(date(2026, 11, 2))
    at.text_input(key="own_sale_source").input("letter 9")
    press(at, "Use this end of sale")
    assert at.session_state["own_sale"] == [f"{GPT_5};OpenAI API;2028-03-01;2026-11-02;letter 9"]
    assert "sold until 1 March 2028 (letter 9, 2 November 2026)" in said(at)
    sold = places(turn_to(at, PAGE)).loc[(GPT_5, "OpenAI API"), "On sale"]
    assert sold == "until 1 March 2028 (you were told on 2 November 2026)"


def test_text_of_a_link_is_shown_as_it_is(visit):
    bad = refusing("Google Vertex AI", detail="**bold** <b>x</b>", source="[a](http://b)")
    at = visit(OWN, gates=[BAA], own_answer=bad)
    shown = next(one.value for one in at.markdown if "Google Vertex AI, " in one.value)
    # No markup, and with a sign of no width after "http" no link either.
    assert r"\[a\]\(http" + "\u200b" + r"\://b\)" in shown
    at = turn_to(at, PAGE)
    place = list(places(at).index).index(("Gemini 2.0 Flash", "Google Vertex AI"))
    at.session_state["conditions_row"] = {"selection": {"rows": [place], "columns": []}}
    of_row = table(at.run(), "Condition").set_index("Condition")
    assert "**bold** <b>x</b>" in of_row.loc[BAA, "Answer"]
    assert of_row.loc[TRAINING, "Status"] == "meets"


def test_where_a_model_is_processed_is_asked_of_each_platform_and_model(visit):
    eu = "Processing in the EU (GDPR)"
    at = visit(PAGE, evidence="MedHELM", gates=[eu], **SALE)
    # By hand from regions.csv: Azure runs GPT-5, its mini, GPT-4o mini and o4-mini in the EU, and
    # two have open weights; at Bedrock R1 and Llama 3.3 are in the US only, which fails there. By
    # the list of prices Claude 3.5 and 3.7 Sonnet at Bedrock and an older GPT-4o at Azure have a
    # price for the EU.
    assert counted(at) == [13, 9, 4, 0]
    # 29 pairs of a model and a platform, or own servers: these 4, 2, 2 and 3 are known.
    known = places(at)["EU (GDPR)"]
    assert (len(known), sum(known != "not known")) == (29, 11)
    assert set(places(at).loc["DeepSeek R1", "Your conditions"]) >= {"meets", "fails"}
    # Until when it is sold is known where a condition fails, too.
    sold = places(at).loc["DeepSeek R1", "On sale"]
    assert sold["AWS Bedrock"].endswith("until 30 March 2027")
    assert sold["Self-hosted open weights"] == "can be kept"
    # What a platform tells the hospital counts for all models there: one waited for OpenAI.
    turn_to(at, OWN)
    at.selectbox(key="answer_about").select("OpenAI API").run()
    at.selectbox(key="own_answer_condition").select("region_eu")
    at.text_input(key="own_answer_source_url").input("Contract 5")
    press(at, "Use this answer")
    assert counted(turn_to(at, PAGE)) == [13, 10, 3, 0]


def test_on_own_servers_alone_no_platform_is_asked(visit):
    asked = {"access": "Our own servers only", "gates": ["Processing in the EU (GDPR)"]}
    at = visit(PAGE, evidence="All evidence", gpu="L4 24GB", owned="1", **asked)
    assert "meet your conditions on your own servers;" in said(at)
    assert {platform for _, platform in places(at).index} == {"Self-hosted open weights"}
    assert "Every condition has an answer for every offer that does not fail." in said(at)


def test_only_the_platforms_that_the_hospital_has_count(visit):
    query = {"evidence": "MedHELM", "platform": ["AWS Bedrock"]}
    assert "You have set no condition" in said(visit(PAGE, **query))
    at = visit(PAGE, **query, gates=[BAA], **SALE)
    # Bedrock sells two Claude, R1 and Llama 3.3, and signs the agreement.
    assert counted(at) == [4, 4, 0, 0]
    assert set(places(at).index.get_level_values(1)) == {"AWS Bedrock"}
    assert "9 models are not known to be sold there" in said(at)
    at = visit(**query, **SALE)
    assert "at AWS Bedrock" in said(at)
    at.session_state["left_out_fold"] = True
    out = table(at.run(), "Reason")
    assert set(out["Rule"]) == {"Not on your platforms"}
    assert len(out) == 9
    at = visit(evidence="MedHELM", platform=["Glass Health"], **SALE)
    assert "Without your choice of platforms, 13 models would fit." in said(at)
    press(at, "Give up your choice of platforms")
    assert len(at.dataframe[0].value) == 13
    assert "platform" not in at.query_params


def test_a_sale_that_nobody_promises_is_not_long_enough(visit, bundled):
    at = visit(PAGE, evidence="All evidence", task="Documentation", sale="36 months")
    asked = Question.of(suite="", task="documentation", on_sale_months=36)
    found = market(ask(bundled, asked, evidence.this_day()))
    states = {it.best_offer.sale.state for it in found.buyable if not it.is_own}
    assert states == {"no end known"}
    n = len(found.buyable)
    n_vendor = sum(not it.is_own for it in found.buyable)
    told = f"for {n_vendor} of the {n} nobody promises the sale for as long as you ask."
    assert told in of_market(found)
    assert "sold for long enough" not in of_market(found)
    assert "nobody promises the sale for as long as you ask" in said(at)


def test_what_is_open_for_the_best_graded_model_comes_first(visit, bundled):
    rows = table(visit(PAGE, evidence="All evidence", gates=[BAA]), "Best grade")
    grades = list(rows["Best grade"])
    assert grades == sorted(grades)
    assert len({*grades}) > 1
    found = market(ask(bundled, Question.of(suite="", required=("baa",)), evidence.this_day())).ask
    assert rows["Models"].sum() == len(found)
    assert grades[0] == found[0].grade
    assert found[0].model.name in rows["Which"].iloc[0]

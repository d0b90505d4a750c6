"""One page for any model, from the search box of any page."""

import pytest
from reading import said, table, tables


def links(at):
    return {link.proto.label: link.proto.query_string for link in at.get("page_link")}


def test_what_a_vendor_pitched_is_found_and_a_model_stands_in_every_suite(visit):
    at = visit()
    at.text_input(key="which_model").set_value("gpt 6.1 sol").run()
    assert not at.exception
    assert at.session_state["model"] == "gpt 6.1 sol"
    at = visit("model/known", model="DeepSeek R1")
    # MedHELM, BRIDGE and NOHARM as their tables have it; Bedrock's last day; 9.8 % of 100 cases.
    assert "MedHELM 5th of 13, BRIDGE 2nd of 98, NOHARM 8th of 32" in said(at)
    assert "on sale until 30 March 2027, at AWS Bedrock" in said(at)
    assert "Severe harm in 9.8 % of 100 cases" in said(at)
    own = table(at, "Tested as")
    place = {row["Suite"]: (row["Place"], row["Ahead of"]) for _, row in own.iterrows()}
    assert place["MedHELM"] == ("5th of 13", pytest.approx(100 * 8 / 12))
    bought = table(at, "$ read").set_index("Platform")
    assert bought.loc["AWS Bedrock", ["$ read", "$ written"]].tolist() == [1.35, 5.4]
    assert bought.loc["AWS Bedrock", "EU (GDPR)"].startswith("no (")
    assert "model=DeepSeek+R1&" in links(at)["Use as model in use"] + "&"
    at = visit("model/known", model="GPT-6.1 sol")
    assert "No public medical evidence as of" in said(at)
    assert "OpenAI API names it in place of GPT-5 (2025-08-07)" in said(at)
    (others,) = tables(at, "Tested as")
    assert set(others["Model"]) == {"GPT-5 (2025-08-07)"}


def test_a_name_that_is_not_clear_asks_which_one_and_two_stand_in_every_suite(visit):
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
    found = table(at, "The first is").set_index("Suite")["The first is"]
    assert found["Vectara HHEM"] == "above, apart"
    at.selectbox(key="beside").set_value("DeepSeek R1 (2025-01-20)").run()
    assert "choose a second model" in said(at)

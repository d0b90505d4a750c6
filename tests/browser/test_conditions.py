"""Conditions of purchase: from no condition to a refusal that the shortlist and the link keep."""

import re


def test_a_refusal_reaches_the_shortlist_and_a_fresh_browser(server, reader):
    mine = reader(server)
    mine.open("conditions", query="sale=Not+asked")
    mine.main.get_by_role("button", name="Set the usual conditions for patient data").click()
    mine.says(re.compile("Of 13 models, 4 meet your conditions as far as is known, 9 on a"))
    mine.main.locator("[data-testid=stVegaLiteChart] :is(svg.marks, canvas)").first.wait_for()
    mine.go("Own answers")
    mine.choose("The answer is about", "Google Vertex AI")
    mine.idle()
    mine.main.get_by_role("radiogroup", name="Answer").get_by_text("no", exact=True).click()
    mine.main.get_by_role("textbox", name="Source", exact=True).fill("Letter 17")
    mine.main.get_by_role("button", name="Use this answer").click()
    mine.says(re.compile("Your answer counts now"))
    assert mine.query["own_answer"] == ["Google Vertex AI;baa;no;;undated;Letter 17;"]
    mine.go("Models and platforms")
    mine.says(re.compile("3 fail"))
    link = mine.link()
    mine.go("Answer")
    mine.says(re.compile("fails a condition of purchase 3"))
    other = reader(server)
    other.open(link)
    other.says(re.compile("3 fail"))
    other.go("Own answers")
    other.says(re.compile("Google Vertex AI"))
    assert mine.errors == other.errors == []

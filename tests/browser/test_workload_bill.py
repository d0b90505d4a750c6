"""The workload bill: from the size of a hospital to a bill, and the same bill behind the link."""

import re


def test_from_beds_to_a_bill_that_a_link_carries(server, reader):
    mine = reader(server)
    mine.open("workload_bill")
    mine.says(re.compile("For 10,000 requests a month the bill runs from"))
    mine.unfold("Fill in from the size of the hospital")
    mine.main.get_by_role("spinbutton", name="Staffed beds").fill("100")
    mine.main.get_by_role("button", name="Fill in the side bar").click()
    # 300 discharge summaries, 300 sheets of instructions, 3,200 reports.
    said = re.compile("For 3,800 requests a month the bill runs from .* to .* a month")
    mine.says(said)
    mine.main.locator("[data-testid=stVegaLiteChart] :is(svg.marks, canvas)").first.wait_for()
    assert float(mine.query["v_discharge_summaries"][0]) == 300
    mine.fill("How sure are the volumes, ± %", 40)
    mine.says(re.compile("40 % fewer requests"))
    answer = mine.main.get_by_text(said).first.inner_text()
    colleague = reader(server)
    colleague.open(mine.link(), "Bill")
    colleague.says(said, re.compile("40 % fewer requests"))
    assert colleague.main.get_by_text(said).first.inner_text() == answer
    assert (mine.errors, colleague.errors) == ([], [])

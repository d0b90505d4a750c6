"""The taxonomy page's main question: which models are alike, and how sure that is."""

import re
from urllib.parse import urlencode

import pytest

PAPER = {"evidence": "Taxonomy paper, 33 models"}


def opened(reader, server, **query):
    """Open the page and wait for the tree."""
    mine = reader(server)
    mine.open("taxonomy", query=urlencode(PAPER | query))
    mine.main.locator("[data-testid=stVegaLiteChart] svg.marks").first.wait_for()
    return mine


def test_a_link_to_another_tree_leads_to_the_papers_and_says_so(server, reader):
    mine = opened(reader, server, distance="Straight line (Euclidean)", branch="<b>x</b>")
    mine.says(
        "This link asks for another distance or linkage, or for one branch",
        re.compile("^20 models do well on the tests of Open Medical-LLM .* nine less so"),
        "trees grown by another distance or linkage",
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_each_part_can_be_read_and_taken_away(width, server, reader):
    mine = reader(server, viewport={"width": width, "height": 2400})
    mine.open("taxonomy", query=urlencode(PAPER))
    for part, says, file in (
        ("What sets them apart", "Which benchmarks separate the two clusters?", "cluster-tests"),
        ("How sure it is", "Support of each branch", "branch-support"),
        ("Face to face", "Models that change cluster", "changes-of-cluster"),
    ):
        mine.main.get_by_role("radio", name=part).click()
        mine.says(says)
        with mine.page.expect_download() as started:
            mine.file(file, "csv").filter(visible=True).first.click()
        assert started.value.suggested_filename.startswith(file)
        assert mine.page.evaluate(
            "() => { const m = document.querySelector('[data-testid=stMain]');"
            " return m.scrollWidth <= m.clientWidth + 1 }"
        )

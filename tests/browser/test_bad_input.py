"""Links that lie, snapshots that were altered, names that are code."""

import re
from urllib.parse import quote, urlencode

import pytest
from driving import PAGES, TABS, parsed, until

from core import handbook

SHARED = (
    *("evidence", "data", "protocol", "task", "category", "access", "max_params"),
    *("budget", "requests", "tokens_in", "tokens_out", "margin", "flagged", "only", "overlap"),
    *("sale", "sale_on", "gates", "retention", "window", "tokens_reasoning", "gpu", "prices"),
)
OWN = (
    *("model", "rule", "proof", "compare", "cost", "quality", "reach", "hosted"),
    *("bits", "load", "side", "clusters", "benchmarks", "distance", "linkage", "branch", "drawn"),
    *("paper_colours", "show", "noise", "against", "method", "bench_a", "bench_b", "keep"),
    *("part", "without", "untested", "criterion", "suite", "changed", "changed_from", "differs"),
    *("wins_show", "repeats_show", "gaps_show", "health_show"),
)
NUMBERS = (
    *("max_params", "budget", "requests", "tokens_in", "tokens_out", "margin"),
    *("retention", "window", "tokens_reasoning"),
)
SCRIPT = "<img src=x onerror=window.ran=1><b class=ran>b</b>"
NOTE = "Part of this link could not be used."

FORMULA = '=HYPERLINK("evil";"x") <b class=ran>b <img src=x onerror=window.ran=1> $x$ :red[x] **x**'
MARKUP = "<b>x</b> [a](http://evil) $x$ :red[x] =1+1"
MARKUP_NAME, MARKUP_DEVELOPER = "evil) $x$ :red[x] =1+1", "<b>x</b> [a](http:/"
"""An unknown model is named by what follows the last slash; its developer is the rest."""


def nothing_ran(one, formulas=0):
    """Check that what came in from outside is text and nothing else."""
    assert one.page.evaluate("window.ran") is None
    for made in ("img[src='x']", "b.ran", "a[href*='//evil']", "a[href^=javascript]"):
        assert one.page.locator(made).count() == 0, made
    assert one.page.locator(".katex").count() == formulas
    assert one.page.get_by_text("Traceback").count() == 0
    assert one.page.get_by_text("This page failed").count() == 0
    assert one.page.get_by_test_id("stException").count() == 0


def formulas_of_scores():
    """Count the formulas of the section that the test opens: only Methods has any."""
    (text,) = [part.text for part in handbook.sections() if part.anchor == "scores"]
    return len(re.findall(r"\$\$.+?\$\$|\$[^$\n]+\$", text, re.DOTALL))


def test_html_in_every_part_of_a_link_stays_text(server, reader):
    """At every address, one after the other."""
    victim = reader(server)
    bad = dict.fromkeys((*SHARED, *OWN, "w_summarization", SCRIPT), SCRIPT)
    for path in PAGES:
        formulas = 0
        opened = {"about-scores": "true"} if "Methods" in path else {}
        if opened:
            formulas = formulas_of_scores()
            assert formulas > 0
        victim.open(path, query=urlencode(bad | opened))
        victim.says(NOTE)
        note = victim.main.get_by_test_id("stAlert").first.inner_text()
        assert "<img src=x onerror=window.ran=1>" in note, path
        assert note.count(" is not a number and was left out.") == len(NUMBERS), path
        # Formulas take a while to be drawn.
        until(victim.page, lambda n=formulas: victim.page.locator(".katex").count() == n)
        nothing_ran(victim, formulas)
        side = victim.side.get_by_role("combobox", name="Evidence base", exact=True)
        assert side.input_value() == "MedHELM", path


UNKNOWN = (
    ("equivalents", {"model": SCRIPT}, "The model “<img src=x"),
    ("equivalents", {"model": "nobody/nothing"}, "The model “nobody/nothing” is not known"),
    ("equivalents", {"rule": "perhaps"}, "The rule “perhaps” is not known"),
    ("equivalents", {"proof": "nobody"}, "The candidate “nobody” is not known"),
    ("taxonomy", {"clusters": "1e999"}, "The number of clusters “1e999” is not known"),
    (
        "taxonomy",
        {"evidence": "Taxonomy paper, 33 models", "side": "both"},
        "The suite “both” is not known",
    ),
    ("win_rates", {"part": "x" * 10_000}, "The task category “xxx"),
    ("snapshots", {"suite": SCRIPT}, "The suite “<img src=x"),
)
"""Addresses, a choice of their own that nobody knows, and what the page says of it."""


def test_a_page_says_which_of_its_own_choices_is_unknown(server, reader):
    victim = reader(server)
    for path, query, note in UNKNOWN:
        victim.open(path, query=urlencode(query))
        victim.says(note)
        nothing_ran(victim)
        victim.side.get_by_role("button", name="Reset").click()
        victim.main.get_by_text(note).wait_for(state="detached")


def test_numbers_that_are_none_are_left_out_with_a_note(server, reader, cli):
    victim = reader(server)
    _, default, _ = cli("shortlist", "--link", f"{server.url}/", "--csv")
    for value in ("plenty", "1e999", "-1"):
        victim.open(query=urlencode(dict.fromkeys(NUMBERS, value)))
        victim.says(NOTE)
        assert victim.main.get_by_test_id("stAlert").count() == 1, value
        nothing_ran(victim)
        assert parsed(victim.download()) == parsed(default.encode()), value
    # And what is far too long is cut.
    victim.open(query=urlencode(dict.fromkeys(("evidence", "task", "budget"), "x" * 10_000)))
    victim.says(NOTE)
    note = victim.main.get_by_test_id("stAlert").inner_text()
    assert note.count("xxx…”") == 3
    assert len(note) < 500
    nothing_ran(victim)


def test_weights_of_nothing_but_zero_are_a_sentence(server, reader):
    victim = reader(server)
    query = "evidence=BRIDGE&task=Own+weights&category=Research&w_research=0"
    victim.open("", "", query=query)
    victim.says("At least one task category needs a weight above 0.")
    nothing_ran(victim)
    victim.fill("Weight of research", 1)
    victim.says("For research, on sale for at least 6 months, on the evidence of BRIDGE")


def test_an_unknown_page_or_parameter_is_no_fault(server, reader):
    victim = reader(server)
    victim.open("nowhere", "", query=f"foo={quote(SCRIPT)}&{quote(SCRIPT)}=1&w_=&%00=%ff")
    victim.at("Answer")
    nothing_ran(victim)
    # The framework says the same to developers.
    assert all("page that you have requested" in error for error in victim.errors)
    victim.errors.clear()


def alter(folder):
    """Change one digit of one score."""
    scores = folder / "scores.csv"
    text = scores.read_text("utf-8")
    found = re.search(r"0\.[0-9]*([1-9])", text) or re.search(r"[0-9]\.([1-9])", text)
    at = found.start(1)
    scores.write_text(text[:at] + str(9 - int(text[at])) + text[at + 1 :], "utf-8")


def test_an_altered_snapshot_is_named_and_the_rest_works(serve, copied_data, reader):
    data = copied_data()
    alter(data / "snapshots" / "medhelm" / "v4.0.0")
    alter(data / "snapshots" / "benchhealth" / "arxiv-2405.00716")
    visitor = reader(serve(data))
    visitor.open(query="sale=Not+asked")
    faults = (
        "Some evidence was left out.",
        "medhelm/v4.0.0/scores.csv was altered",
        "benchhealth/arxiv-2405.00716/scores.csv was altered",
    )
    # The default evidence is one of the two; the next one takes its place.
    visitor.says(*faults, "on the evidence of BRIDGE")
    assert len(parsed(visitor.download())) == 98
    visitor.choose("Evidence base", "Open Medical-LLM")
    visitor.says("on the evidence of Open Medical-LLM")
    for tab in (tab for tab in TABS[1:] if tab != "BenchHealth"):
        visitor.go(tab)
        visitor.says(*faults)
    visitor.open(query="evidence=BenchHealth&data=arxiv-2405.00716+%28c0ffee00%29")
    visitor.says(*faults, NOTE, "Evidence base: “BenchHealth” is not known")
    visitor.side.get_by_role("button", name="Reset").click()
    visitor.main.get_by_text(NOTE).wait_for(state="detached")
    visitor.says(*faults, "on the evidence of BRIDGE")
    nothing_ran(visitor)


@pytest.fixture(scope="module")
def renamed(renaming):
    """A server on evidence in which the two best models have names that are code."""
    return renaming({"GPT-4": FORMULA, "Claude-2": MARKUP})


def test_a_name_that_is_code_is_shown_as_text(renamed, reader):
    visitor = reader(renamed)
    visitor.open(query="evidence=BenchHealth")
    # BenchHealth is no test of this work, so what scores highest is only to be tested.
    visitor.says(f"Test {FORMULA} on your own cases: BenchHealth does not test this work")
    assert visitor.main.locator("ol > li strong").all_inner_texts() == [FORMULA]
    assert [cells[2] for cells in visitor.cells()][:2] == [FORMULA, MARKUP_NAME]
    visitor.main.get_by_test_id("stDataFrame").first.click(position={"x": 12, "y": 54})
    visitor.main.get_by_role("heading", name=FORMULA, level=3, exact=True).wait_for()
    visitor.main.get_by_text("Facts and sources").click()
    visitor.says(f"Identifier: {FORMULA}", f"Run that was scored: {FORMULA}")
    visitor.main.locator("[data-testid=stVegaLiteChart] svg").first.wait_for()
    nothing_ran(visitor)

    visitor.go("Candidates")
    visitor.choose("Model in use", MARKUP_NAME)
    visitor.says(f"Take {FORMULA}", f"the difference to {MARKUP_NAME}")
    nothing_ran(visitor)
    for title in ("Clusters", "Win rates", "Snapshots"):
        visitor.go(title)
        nothing_ran(visitor)


def test_a_name_that_is_a_formula_is_no_formula_in_the_csv(renamed, reader):
    visitor = reader(renamed)
    visitor.open(query="evidence=BenchHealth")
    content = visitor.download()
    first, second = parsed(content)[:2]
    for column in ("model", "name", "run"):
        assert first[column] == f"'{FORMULA}"
    assert (second["model"], second["name"]) == (MARKUP, MARKUP_NAME)
    assert second["developer"] == MARKUP_DEVELOPER
    cells = [cell for row in parsed(content) for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "\t", "\r"))]
    differences = [row["difference"] for row in parsed(content)]
    assert any(float(text) < 0 for text in differences if text)

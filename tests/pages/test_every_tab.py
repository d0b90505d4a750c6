"""What is the same for every tab: it renders, over any evidence, few models, and hostile links.

What comes from data or a link is never read as Markdown. A browser test looks at what becomes a
link or an icon on some tabs as they open. This one reads all that is sent for every tab, also what
shows only under the mouse.
"""

import json
import re
import shutil
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from reading import TABS, said, turn_to

from core.domain import ALL_EVIDENCE
from core.evidence.catalogue import load
from tests.pages.hostile import ADDRESSES, ICONS, KEYS, NUMBERS, SCRIPT

ROOT = Path(__file__).parents[2]

CATALOGUE = load(ROOT / "data" / "catalogue")
BASES = [
    ALL_EVIDENCE.name,
    *(
        base.name
        for base in CATALOGUE.evidence.values()
        if (ROOT / "data" / "snapshots" / base.suite).is_dir()
    ),
]
STANDING = "do not replace a local validation"
# What the visitor brings or chooses is not there yet.
IN_WORDS = ("recommend/answer", "recommend/how_sure")
"""Over all evidence these are written as Markdown."""
WITHOUT_TABLE = (
    *("conditions/own_answers", "data/own_results", "recommend/kept"),
    *("cost/own_servers", "data/methods", "evidence/redundancy", "local_test/jury"),
    *("local_test/results", "replace/candidates", "model/known", "model/compare"),
)
COUNTING = [place for place in TABS if not place.startswith(("data/", "local_test/"))]
# Where a tab has a table even if nothing counts, of two models as of one.
ALWAYS = ("cost/quality", "evidence/coverage")
PAPER = "Taxonomy paper, 33 models"
# Choices of a link that no tab knows: the tab, the key, the values, and what stands in.
UNKNOWN = [
    ("replace/candidates", {"rule": "nonsense"}, {"rule": "Your task and prices"}),
    ("cost/quality", {"cost": "Price per million tokens"}, {"cost": "Your monthly bill"}),
    (
        "cost/own_servers",
        {"hosted": "GPT-4o", "bits": "3 bits", "load": "nan", "context": "1e999"},
        {"hosted": "DeepSeek R1", "load": 20},
    ),
    ("evidence/redundancy", {"bench_a": "No such benchmark"}, {}),
    ("replace/candidates", {"model": "nobody/nothing"}, {}),
    ("evidence/clusters", {"clusters": "1e999"}, {}),
    ("evidence/clusters", {"evidence": PAPER, "side": "both"}, {}),
    ("evidence/win_rates", {"part": "x" * 10_000}, {"part": "All categories"}),
    ("data/one_suite", {"suite": "<img src=x onerror=window.ran=1>"}, {}),
]
AT_HOME = ("load", "context", "sale", "evidence")
"""What is bounded by its control, or known."""


@pytest.fixture
def widgets():
    def found(at, key):
        kinds = ("selectbox", "multiselect", "number_input", "radio", "button_group")
        every = [one for kind in kinds for one in at.get(kind) if one.key == key]
        return every[0].value if every else at.session_state[key]

    return found


@pytest.mark.parametrize("base", BASES)
def test_every_tab_renders_over_every_evidence_base(base, visit):
    at = visit(evidence=base)
    assert at.selectbox(key="evidence").options == BASES
    for place, (entry, _) in TABS.items():
        turn_to(at, place)
        assert not at.exception, place
        assert not at.error, place
        assert [heading.value for heading in at.title] == [entry.title]
        assert at.selectbox(key="evidence").value == base
        in_words = base == ALL_EVIDENCE.name and place in IN_WORDS
        assert at.dataframe or in_words or place in WITHOUT_TABLE, place
        assert STANDING in said(at), place


@pytest.mark.parametrize("levels", [(0.5,), (0.5, 0.6), (0.5, 0.5)], ids=["one", "two", "none"])
def test_few_models_give_sentences_and_no_error(levels, exams, visit):
    """Two models with all scores alike are flagged, so none of them counts."""
    exams(*levels)
    at = visit(evidence="Open Medical-LLM")
    for place in COUNTING:
        turn_to(at, place)
        assert not at.exception, place
        assert not at.error, (place, [one.value for one in at.error])
        assert at.info or at.dataframe or place in WITHOUT_TABLE, place
        assert STANDING in said(at), place
        assert "$0" not in said(at), "unknown is not free"
        assert at.dataframe or place not in ALWAYS or levels == (0.5, 0.5), place


@pytest.mark.parametrize(("place", "asked", "used"), UNKNOWN)
def test_an_unknown_choice_of_a_link_is_named_and_passed_over(place, asked, used, visit, widgets):
    at = visit(place, **asked)
    assert not at.error
    notes = " ".join(note.value for note in at.warning).replace("\\", "")
    for key, value in asked.items():
        if key not in AT_HOME:
            shown = value if len(value) <= 60 else f"{value[:60]}…"
            assert re.search(f"“{re.escape(shown)}” is not known", notes), notes
    assert {key: widgets(at, key) for key in used} == used


BRIDGE = "evidence=BRIDGE&task=Decision+support&access=Our+own+servers+only&max_params=33+B"
KEPT = parse_qs(f"{BRIDGE}&budget=500&margin=3&tokens_in=900")


def kept(at):
    held = {key: at.query_params[key] for key in KEPT}
    return {key: [value] if isinstance(value, str) else value for key, value in held.items()}


@pytest.mark.parametrize("place", TABS)
def test_a_shared_link_may_open_every_tab_and_stays_in_its_address(place, visit):
    at = visit(place, **KEPT)
    assert not at.warning
    assert kept(at) == KEPT
    assert at.selectbox(key="evidence").value == "BRIDGE"
    assert at.number_input(key="budget").value == 500
    turn_to(at, "recommend/answer")
    assert "up to 33 B parameters, within $500 a month" in said(at)
    assert kept(at) == KEPT


def test_altered_snapshots_are_named_at_every_tab_and_the_rest_works(data, visit):
    for suite in ("medhelm", "noharm", "benchhealth"):
        shutil.copytree(ROOT / "data" / "snapshots" / suite, data / "snapshots" / suite)
    altered = "medhelm/v4.0.0/scores.csv", "benchhealth/arxiv-2405.00716/scores.csv"
    for name in altered:
        scores = data / "snapshots" / name
        text = scores.read_text("utf-8")
        found = re.search(r"0\.[0-9]*([1-9])", text) or re.search(r"[0-9]\.([1-9])", text)
        at = found.start(1)  # one digit of one score
        scores.write_text(text[:at] + str(9 - int(text[at])) + text[at + 1 :], "utf-8")
    # The default evidence is one of the two; the next one takes its place.
    at = visit(sale="Not asked")
    assert at.selectbox(key="evidence").value == "NOHARM, safety"
    assert len(at.dataframe[0].value) > 0
    for place in (place for place in TABS if place != "evidence/benchhealth"):
        turn_to(at, place)
        assert not at.exception, place
        assert at.selectbox(key="evidence").value == "NOHARM, safety"
        notes = " ".join(note.value for note in at.error).replace("\\", "")
        assert "Some evidence was left out." in notes, place
        assert "severe harm lacks its tests" in notes, place
        assert all(f"{name} was altered" in notes for name in altered), place
    at = visit(evidence="BenchHealth", data="arxiv-2405.00716 (c0ffee00)")
    notes = " ".join(note.value for note in at.warning).replace("\\", "")
    assert "Evidence base: “BenchHealth” is not known" in notes


def test_weights_of_zero_are_a_sentence_and_linked_choices_give_way(visit):
    at = visit(evidence="BRIDGE", task="Own weights", category="Research", w_research="0")
    assert "At least one task category needs a weight above 0." in said(at)
    at.number_input(key="w_research").set_value(1.0).run()
    assert "For research, on sale for at least 6 months, on the evidence of BRIDGE" in said(at)
    pair = {"bench_a": "MedQA", "bench_b": "PubMedQA", "keep": "3"}
    at = visit("evidence/redundancy", evidence="Open Medical-LLM", **pair)
    assert "Three of nine benchmarks alone: the ranking agrees" in said(at)
    at.selectbox(key="evidence").select("BRIDGE").run()
    assert (list(at.error), list(at.exception)) == ([], [])
    assert "go together" in said(at)


def test_own_results_are_marked_wherever_they_stand(visit, own_table):
    at = visit(evidence="MedHELM")
    at.session_state["own_tables"] = (own_table(),)
    at.run()
    for place in ("recommend/answer", "evidence/win_rates", "recommend/how_sure"):
        turn_to(at, place)
        named = {n for one in at.dataframe if "Model" in one.value for n in one.value["Model"]}
        assert "mine (own result)" in named, place


EXAMS = "open-medical-llm"
# Without a slash, since only what is behind the last one is shown.
NAMES = [f":material_lock: www.evil{i}.example a@evil{i}.example" for i in range(5)]
# Those that name models outside of tables and pictures.
NAMING = {
    *("recommend/answer", "recommend/how_sure", "replace/side_by_side"),
    *("evidence/clusters", "evidence/win_rates"),
}
# Text here is not read as Markdown: options of select boxes, what a picture is called, and code.
AS_TEXT = {"selectbox", "multiselect", "text", "code"}
READ = {"label", "help", "body", "content", "tooltip", "caption", "header", "value", "element"}
UNBROKEN = re.compile(
    r":(material_|smile:|\+1:|red\[)|www\\?\.evil|@evil|https?\\?:\\?/\\?/evil|(?<!\\)<(img|b )"
)


def read_as_markdown(message, kind=""):
    """Give each text of a message that the browser reads as Markdown."""
    for field, value in message.ListFields():
        of = kind or field.name
        several = value if field.is_repeated else [value]
        if field.message_type is not None:
            for one in several if not hasattr(several, "keys") else several.values():
                if hasattr(one, "ListFields"):
                    yield from read_as_markdown(one, of)
        elif field.name == "columns" and isinstance(value, str):
            for column in json.loads(value or "{}").values():
                yield of, "help", column.get("help") or ""
        elif field.type == field.TYPE_STRING and (
            field.name in READ or (field.name == "options" and of not in AS_TEXT)
        ):
            for text in several:
                yield of, field.name, text


def elements(block):
    if (proto := getattr(block, "proto", None)) is not None:
        yield block.type, proto
    for child in getattr(block, "children", {}).values():
        yield from elements(child)


@pytest.fixture
def lured(data, write_snapshot):
    benchmarks = sorted(load(data / "catalogue").scales()[EXAMS])
    write_snapshot(
        data,
        EXAMS,
        [
            (name, benchmark, 0.3 + 0.1 * i + 0.01 * ((i + j) % 3))
            for i, name in enumerate(NAMES)
            for j, benchmark in enumerate(benchmarks)
        ],
    )


def texts_of(at):
    sent = [found for root in (at.main, at.sidebar) for found in elements(root)]
    return [text for kind, proto in sent for text in read_as_markdown(proto, kind)]


def test_no_name_of_a_model_is_read_as_markdown(visit, lured):
    at = visit(evidence="Open Medical-LLM", sale="Not asked", compare=NAMES[:3])
    for place in TABS:
        texts = texts_of(turn_to(at, place))
        assert not at.exception, place
        assert any("evil" in text for *_, text in texts) or place not in NAMING, place
        assert [found for found in texts if UNBROKEN.search(found[2])] == [], place


@pytest.mark.parametrize("place", TABS)
def test_nothing_in_a_link_is_read_as_markdown(place, visit):
    lures = {key: (SCRIPT, ADDRESSES, ICONS)[i % 3] for i, key in enumerate((*KEYS, SCRIPT))}
    at = visit(place, **lures)
    assert not at.error
    notes = " ".join(note.value for note in at.warning).replace("\\", "").replace("\u200b", "")
    assert "About this link:" in notes
    assert all(f"“{lure}”" in notes for lure in (SCRIPT, ADDRESSES, ICONS))
    assert notes.count(" is not a number and was left out.") == len(NUMBERS)
    assert f"Not known in a link, and not used: “{SCRIPT}”." in notes
    assert [found for found in texts_of(at) if UNBROKEN.search(found[2])] == []
    assert at.selectbox(key="evidence").value == "All evidence"


def test_a_number_written_without_its_unit_stays_in_the_address(visit):
    at = visit("recommend/answer", evidence="BRIDGE", max_params="7", sale="36")
    for key, value in {"max_params": "7 B", "sale": "36 months"}.items():
        assert (at.query_params[key], at.session_state[key]) == (value, value)
    assert "up to 7 B parameters" in said(at)


def test_prices_of_a_day_to_come_are_those_of_today_and_said(visit):
    at = visit("recommend/answer", evidence="BRIDGE", prices="2099-01-01")
    (note,) = at.warning
    assert "2099-01-01 is yet to come" in note.value.replace("\\", "")
    assert not at.exception


def test_over_all_evidence_all_products_may_be_chosen_among(visit):
    at = visit(evidence="All evidence", only="GPT-5.2")
    (box,) = [it for it in at.multiselect if it.label == "Only these models"]
    assert {"GPT-5.2", "Claude Opus 5", "Kimi K3"} <= {*box.options}
    assert "among those you chose" in said(at)


def test_own_weights_are_offered_within_one_suite_alone(visit):
    at = visit(evidence="BRIDGE", task="Own weights")
    assert at.selectbox(key="task").value == "Own weights"
    at.selectbox(key="evidence").set_value("All evidence")
    at.run()
    assert "Own weights" not in at.selectbox(key="task").options
    assert at.selectbox(key="task").value == "All kinds of work"
    assert not at.exception

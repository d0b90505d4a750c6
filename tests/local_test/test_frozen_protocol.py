"""The frozen protocol: equal content, equal hash; what else is refused; what departed from it."""

import hashlib
import json
from datetime import date

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import BadDataError
from core.local_test.plan import Basis, Protocol, TestedModel, departures, plan, protocol
from core.results.collected import COLUMNS, Results
from core.words import local_test as words

MODELS = (TestedModel("GPT-5", "gpt-5-x", reference=True), TestedModel("GPT-5 mini", "mini-x"))
IDS = ("gpt-5-x", "mini-x")
DAY = date(2026, 11, 23)


def agreed(**changed):
    asked = {"judged": "rubric", "margin": 0.2, "bases": [Basis("assumed", 0.25)]} | changed
    return protocol(plan("visit notes", MODELS, **asked), DAY)


def results(n=15, models=IDS, raters=("r1", "r2")):
    rows = [
        (m, f"c{i}", 1, r, 0.5, None, None, None) for m in models for i in range(n) for r in raters
    ]
    return Results("rating sheet", pd.DataFrame(rows, columns=COLUMNS))


def test_the_file_is_canonical_and_its_hash_that_of_its_text():
    frozen = agreed()
    text = frozen.as_json()
    document = json.loads(text)
    assert text == json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert frozen.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert document["question"] == (
        "Is GPT-5 mini as good as GPT-5 within 20 points (0.8 on the scale of 1 to 5) on visit "
        "notes?"
    )
    assert document["models"] == [
        {"name": "GPT-5", "id": "gpt-5-x"},
        {"name": "GPT-5 mini", "id": "mini-x"},
    ]
    assert (document["n_cases"], document["margin"], document["alpha"]) == (15, 0.2, 0.025)
    assert "no early stop" in document["stopping"]


def test_it_reads_back_however_it_is_laid_out_and_any_change_gives_another_hash():
    frozen = agreed()
    assert Protocol.read(json.dumps(json.loads(frozen.as_json()), indent=4)) == frozen
    assert agreed(difference=0).sha256 == frozen.sha256  # whole numbers are the same
    others = [{"margin": 0.21}, {"power": 0.9}, {"raters": 3}]
    others += [{"bases": [Basis("measured", 0.25, where="HELM")]}]
    assert len({frozen.sha256, *(agreed(**other).sha256 for other in others)}) == 5
    with pytest.raises(BadDataError, match="not the JSON that was frozen"):  # a key twice
        Protocol.read(frozen.as_json()[:-1] + ',"work":"visit notes"}')


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format", "llm-formulary local test protocol 2"),
        ("question", "Is it good?"),
        ("work", "visit\nnotes"),
        ("models", [{"name": "a", "id": "x"}, {"name": "b", "id": "x"}]),
        ("models", [{"name": "a", "id": "x"}, {"name": "b"}]),
        ("judged", ["rubric"]),
        ("margin", True),
        ("margin", 1),
        ("n_cases", 10**30),
        ("basis", {"source": "assumed", "value": 0.25}),
        ("agreed_on", "23.11.2026"),
        ("alpha", 0.05),
        ("stopping", ""),
        ("note", "more"),
        ("work", "\ud800"),
    ],
)
def test_what_no_protocol_holds_is_refused_by_its_name(key, value):
    document = json.loads(agreed().as_json()) | {key: value}
    with pytest.raises(BadDataError, match=key) as found:
        Protocol.read(json.dumps(document))
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"work":"a","work":"b"}', '{"margin":NaN}', "[" * 60_000, "x" * 100_001],
)
def test_what_is_no_json_of_a_protocol_is_one_sentence(text):
    with pytest.raises(BadDataError, match=r"^The protocol cannot be read: [^\n]*\.$"):
        Protocol.read(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(json.loads(agreed().as_json()))), JSON)
def test_no_value_breaks_the_reader(key, value):
    document = json.loads(agreed().as_json()) | {key: value}
    try:
        found = Protocol.read(json.dumps(document))
    except BadDataError:
        return
    assert Protocol.read(found.as_json()) == found


@pytest.mark.parametrize(
    ("found", "margin", "said"),
    [
        ({}, 0.2, []),
        ({"n": 12}, 0.2, ["12 cases have a result of every model; 15 were planned, 3 too few."]),
        ({"n": 16}, 0.2, ["16 cases have a result of every model; 15 were planned, 1 too many."]),
        ({}, 0.25, ["The verdict goes by a margin of 25 points; 20 were agreed."]),
        ({"raters": ("r1",)}, 0.2, ["15 cases have fewer than the 2 raters planned."]),
        ({"raters": ("",)}, 0.2, ["Nobody rated; 2 raters were planned."]),
        (
            *({"models": ("GPT-5", "mini-x")}, 0.2),
            ["The results say GPT-5, not gpt-5-x: they do not tell which version answered."],
        ),
        ({"models": (*IDS, "other")}, 0.2, ["other was tested and not planned."]),
        (
            *({"models": IDS[:1]}, 0.2),
            [
                "GPT-5 mini (mini-x) was to be tested and has no result.",
                "0 cases have a result of every model; 15 were planned, 15 too few.",
            ],
        ),
    ],
)
def test_what_departed_is_said(found, margin, said):
    told = departures(agreed(), results(**found), margin)
    assert words.departures(agreed(), told) == tuple(said)

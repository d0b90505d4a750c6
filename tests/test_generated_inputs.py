"""Generated links, files and texts: nothing but a sentence may come of them, and no markup.

The quick profile is part of the suite. ``python -m benchmarks.generated_inputs`` runs the same
tests with far more examples.
"""

import csv
import io
import json
import os
import re
from datetime import date
from urllib.parse import quote, urlencode

import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from core import figures
from core.answers import open_cases
from core.domain import FormularyError
from core.local_test import ours
from core.results import read_own_scores, take, together
from core.results.files import opened_upload, parsed
from core.results.sheets import read_ratings
from core.sharing import own_figures
from core.sharing.inputs import quoted_from_link
from core.sharing.link import data_label, from_query, label_of_all, parse_url, to_query
from core.sheets import table_csv, to_csv
from core.words.candidate import about_ours
from pages.components.notices import plain
from tests.pages.hostile import KEYS, TEXTS, WORDS
from tests.results.samples_of_items import AVERAGES

THOROUGH = int(os.environ.get("FORMULARY_GENERATED", "1"))
"""How many times the examples of the quick profile."""


def many(n):
    return settings(
        max_examples=n * THOROUGH,
        deadline=None,
        derandomize=THOROUGH == 1,
        suppress_health_check=list(HealthCheck),
    )


MARKUP = st.sampled_from(TEXTS)
JOINED = st.lists(MARKUP | st.text(max_size=8), max_size=5).map("".join)
TEXT = st.text(max_size=30) | MARKUP | JOINED


@pytest.fixture(scope="session")
def catalogue(bundled):
    return bundled.catalogue


def is_one_line(message):
    assert message.isprintable(), repr(message)
    assert len(message) < 1500, len(message)
    assert message.rstrip().endswith((".", "?")), message


def read(action):
    try:
        return action()
    except FormularyError as fault:
        is_one_line(str(fault))
        shows_nothing_but_text(str(fault))
        return None


MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
ALLOWED = {"paragraph_open", "paragraph_close", "inline", "text", "text_special", "softbreak"}


LURES = re.compile(r"https?://|www\.|@[-\w]|:[\w+/-]+:", re.IGNORECASE)


def shows_nothing_but_text(text):
    """Check that what a page makes of a text is text alone, and the same text."""
    tokens = MARKDOWN.parse(plain(text))
    inner = [child for token in tokens for child in token.children or ()]
    kinds = {token.type for token in [*tokens, *inner]}
    assert kinds <= ALLOWED, (kinds - ALLOWED, text)
    # The browser makes links, icons and emoji of what Markdown left as text.
    shown = "".join(child.content for child in inner)
    assert not LURES.search(shown), shown


VALUES = TEXT | st.sampled_from(WORDS)
QUERIES = st.dictionaries(st.sampled_from(KEYS) | TEXT, st.lists(VALUES, max_size=4), max_size=8)


@pytest.mark.slow
@many(60)
@given(QUERIES)
def test_any_parameters_open_and_every_note_is_text(bundled, query):
    opened_link = from_query(query, bundled.catalogue, bundled.snapshots)
    assert len(opened_link.notes) <= 26
    for note in opened_link.notes:
        assert len(note) <= 260
        is_one_line(note)
        shows_nothing_but_text(note)
    # What was read is usable: it is written as a link, and read back the same without a note.
    base = opened_link.evidence
    data = label_of_all(bundled.snapshots)
    if base.suite:
        data = data_label(bundled.snapshot(base.suite, opened_link.question.evidence.revision))
    written = to_query(opened_link.question, bundled.catalogue, data)
    again = from_query(parse_url("x?" + urlencode(written)), bundled.catalogue, bundled.snapshots)
    assert again.notes == ()


@many(60)
@given(TEXT | st.text(max_size=500), st.booleans())
@example("http://[::1?x=1", False)
@example("http://exa\u2100mple?x=1", False)
@example("https://x?" + "&".join(f"a{i}={i}" for i in range(5000)), False)
def test_any_address_has_parameters(bundled, text, encoded):
    address = f"https://host/?{quote(text, errors='replace') if encoded else text}"
    for found in (parse_url(text), parse_url(address)):
        for note in from_query(found, bundled.catalogue, bundled.snapshots).notes:
            is_one_line(note)
            shows_nothing_but_text(note)


CELLS = st.lists(VALUES, max_size=9).map(";".join)


@many(60)
@given(CELLS | TEXT)
def test_any_line_of_own_figures(catalogue, line):
    for kind in (
        *(
            own_figures.OWN_ANSWER,
            own_figures.OWN_PRICE,
            own_figures.OWN_SALE,
            own_figures.OWN_RENT,
        ),
        own_figures.OWN_TOKENS,
    ):
        found = read(lambda kind=kind: kind.read(line, catalogue))
        if found is not None:
            assert kind.read(kind.write(found), catalogue) == found


ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"])
SUITES = st.sampled_from([None, "medhelm", "bridge", "open-llm-v2", "open-medical-llm", "nothing"])
SEPARATORS = st.sampled_from([",", ";", "\t"])


def sheets(columns, known):
    """Sheets with the columns of a template, mostly filled with what belongs there, or nearly."""
    cell = st.sampled_from(known) | VALUES
    n = len(columns)
    rows = st.lists(st.lists(cell, min_size=n - 1, max_size=n + 1), max_size=5)

    def written(drawn):
        table, sign, encoding, whole = drawn
        text = io.StringIO()
        writer = csv.writer(text, delimiter=sign)
        writer.writerow(columns)
        writer.writerows(table)
        return text.getvalue().encode(encoding, "replace")[: None if whole else -3]

    return st.tuples(rows, SEPARATORS, ENCODINGS, st.booleans()).map(written)


SCORES = sheets(
    ["model", "run", "benchmark", "score", "standard_error"],
    ["m", "a", "aci_bench", "medec", "BBH", "0.5", "4.2", "0.01", ""],
)
RATINGS = sheets(
    ["rater", "role", "instance", "score"], ["A", "B", "jury", "clinician", "i1", "i2", "3", "4.5"]
)


def imported(data, catalogue, name="own.csv", suite=None):
    """Read a file of results; what comes is whole, or a sentence."""
    found = read(lambda: read_own_scores(name, data, catalogue, suite=suite))
    if found is None:
        return
    frame = found.table.frame
    assert frame["run"].str.startswith("local:").all()
    assert frame["score"].notna().all()
    for text in [*frame["model"], *found.notes]:
        assert text.isprintable(), repr(text)
        shows_nothing_but_text(text)
    neutral_csv(table_csv(frame, "source"))


@many(60)
@given(SCORES, SUITES)
def test_any_sheet_of_scores(catalogue, data, suite):
    imported(data, catalogue, suite=suite)


@many(40)
@given(RATINGS)
def test_any_sheet_of_ratings(data):
    found = read(lambda: read_ratings("own.csv", data))
    if found is not None:
        for text in (*found.raters, *found.instances, *found.notes):
            assert text.isprintable()
            shows_nothing_but_text(text)


@many(40)
@given(st.binary(max_size=400), TEXT, SUITES)
def test_any_bytes_under_any_name(catalogue, data, name, suite):
    imported(data, catalogue, name, suite)
    read(lambda: read_ratings(name, data))


LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT | st.sampled_from([0.5, "1"])
)
NAMES = st.sampled_from(
    [
        *("header", "rows", "value", "metadata", "run_group", "metric", "title", "name", "Model"),
        *("results", "config", "model_args", "pretrained", "model_name", "groups", "date", "MedQA"),
        *("group_subtasks", "n-samples", "effective", "acc,none", "acc_stderr,none", "alias"),
        "evaluation_results",
    ]
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | TEXT, inner, max_size=5),
    max_leaves=20,
)


@st.composite
def damaged(draw, whole):
    """One of some whole documents with one thing in it replaced."""
    document = json.loads(json.dumps(draw(st.sampled_from(whole))))
    value = document
    while True:
        key = draw(st.sampled_from(list(value) if isinstance(value, dict) else range(len(value))))
        inner = value[key]
        if not isinstance(inner, dict | list) or not inner or draw(st.booleans()):
            value[key] = draw(ANYTHING)
            return document
        value = inner


@many(60)
@given(damaged(AVERAGES) | ANYTHING, SUITES, st.booleans())
def test_any_json_in_the_formats_of_results(catalogue, document, suite, whole):
    data = json.dumps(document).encode()
    imported(data if whole else data[:-1], catalogue, "a/b/results_1.json", suite)


@many(60)
@given(st.lists(st.sampled_from([*'{}[]",:.-+eE0123456789 \n\\u', "NaN", "true", '"a":']) | TEXT))
def test_strict_json_is_no_laxer_than_json(parts):
    text = "".join(parts)
    found = read(lambda: parsed(opened_upload("own.json", b"x"), text))
    if found is not None:
        assert found == json.loads(text)
        json.dumps(found, allow_nan=False)


OPEN_CASES = {"case_set": "aci-bench", "judge": "Kimi K2.5", "models": {"m": "GPT-5.2"}}
JUDGED = {
    "version": 2,
    "status": "success",
    "eval": {"model": "m", "task": "notes", "metadata": OPEN_CASES},
    "results": {"scores": [{"name": "kept", "scorer": "kept"}]},
    "samples": [{"id": i, "epoch": 1, "scores": {"kept": {"value": 0.5}}} for i in range(2)],
}
KEPT = {"case_set": "aci-bench", "as_of": "2026-11-27", "n_cases": 2, "judges": ["Kimi K2.5"]}


@many(60)
@given(damaged([JUDGED]))
def test_any_log_of_a_judge(bundled, document):
    results = read(lambda: together(take([("log.json", json.dumps(document).encode())])))
    if results is not None:
        for text in (*results.case_sets, *results.judges, *results.frame["model"]):
            assert text.isprintable(), repr(text)
            shows_nothing_but_text(text)
        names = dict.fromkeys(results.frame["model"], "gpt-5.2")
        open_cases.own_test(bundled, results, names, date(2026, 11, 27))


@many(60)
@given(damaged([KEPT | {"scores": [["gpt-5.2", 0.6], ["o3", 0.5]]}]))
def test_any_test_that_is_kept_on_this_server(tmp_path_factory, document):
    data = tmp_path_factory.mktemp("data")
    (data / "ours").mkdir()
    (data / "ours" / "1.json").write_text(json.dumps(document), "utf-8")
    for _, test in ours.kept(data):
        about_ours(test.as_of, test.n_cases, test.judges).encode()
        for product, score in test.scores:
            assert 1 <= test.place(product) <= len(test.scores)
            figures.points(score).encode()


def stored(text):
    return text.encode("utf-8", "replace").decode()


RUN = re.compile(r"[=+@\t\r]|-(?!\d)")
"""What a spreadsheet would run; a number may have its sign."""


def neutral_csv(content):
    rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    for cell in (cell for row in rows for cell in row):
        assert not RUN.match(cell), repr(cell)


@many(60)
@example([(f"{start}1+1", f"{start}A1", 1.0) for start in "=+-@\t\r"], "+A1")
@given(st.lists(st.tuples(TEXT, TEXT, st.floats(allow_infinity=False)), max_size=4), TEXT)
def test_no_cell_of_a_csv_is_a_formula(rows, source):
    rows = [(stored(a), stored(b), c) for a, b, c in rows]
    source = stored(source)
    neutral_csv(table_csv(pd.DataFrame(rows, columns=["=a", "b", "c"]), source))
    records = [{"model": a, "name": b, "score": c} for a, b, c in rows]
    content = to_csv(records, ("model", "name", "score"))
    neutral_csv(content)
    read_back = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    for (a, _, _), cells in zip(rows, read_back[1:], strict=True):
        assert cells[0] in (a, f"'{a}")


@many(80)
@example("see https://evil.example or HTTP://evil.example")
@example("www.evil.example")
@example("a.name@evil.example")
@example(":smile: and :material/home:")
@given(TEXT | st.lists(TEXT, max_size=4).map("\n".join))
def test_no_text_is_markup_on_a_page(text):
    shows_nothing_but_text(text)
    shows_nothing_but_text(quoted_from_link(text))

"""Whatever is changed in a file: it is read, or refused with one sentence, and nothing else."""

import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.domain import BadDataError, BadRequestError
from core.results import read, read_patients
from core.results.collected import RESULT_COLUMNS
from core.results.files import Upload, decoded
from tests.results.samples_of_items import documents, everything, sentence

FILES = everything()
DOCUMENTS = documents()
NUMBERS = st.integers() | st.floats() | st.sampled_from([10**400, -1, 0, 1e308, 2**63])
LEAVES = st.none() | st.booleans() | NUMBERS | st.text(max_size=20)
KEYS = st.sampled_from(["value", "name", "id", "score", "mean", "model", "results", "samples"])
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(), inner, max_size=4)
    ),
    max_leaves=8,
)
CELLS = st.text(max_size=20) | st.sampled_from(["", "1", "0,5", "=1", "right", "6", '"', "a\nb"])
many = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def is_sound(files):
    try:
        found = read(files)
    except (BadDataError, BadRequestError) as fault:
        said = [str(fault)]
    else:
        frame, said = found.frame, list(found.passed_over)
        assert tuple(frame.columns) == RESULT_COLUMNS
        assert frame["score"].between(0, 1).all()
        assert not frame.duplicated(["model", "item", "rater", "attempt"]).any()
        for name in ("model", "item"):
            assert frame[name].str.len().between(1, 400).all()
    for text in said:
        sentence(text)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
@many
@given(st.data())
def test_any_bytes_changed(name, data):
    files = list(FILES[name])
    which = data.draw(st.integers(0, len(files) - 1))
    file, content = files[which]
    kind = data.draw(st.sampled_from(["cut", "put", "double", "bit"]))
    place = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(place, min(len(content), place + 2000)))
    if kind == "cut":
        content = content[:place] + content[end:]
    elif kind == "put":
        content = content[:place] + data.draw(st.binary(max_size=60)) + content[end:]
    elif kind == "double":
        content = content[:end] + content[place:]
    else:
        changed = bytearray(content)
        for at in random.Random(place).sample(range(len(content)), 5):
            changed[at] ^= 1 << (end % 8)
        content = bytes(changed)
    files[which] = (file, content)
    is_sound(files)


def swap(data, value):
    while isinstance(value, dict | list) and value:
        if data.draw(st.integers(0, 8)) == 0:
            break
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(value[key], dict | list) or not value[key]:
            value[key] = data.draw(JSON)
            return
        parent, value = value, value[key]
        if data.draw(st.integers(0, 12)) == 0:
            parent[key] = data.draw(JSON)
            return
    if isinstance(value, dict):
        value[data.draw(KEYS)] = data.draw(JSON)
    elif isinstance(value, list):
        value.append(data.draw(JSON))


@pytest.mark.slow
@pytest.mark.parametrize("name", DOCUMENTS)
@many
@given(st.data())
def test_any_value_of_a_document_changed(name, data):
    files = list(DOCUMENTS[name])
    which = data.draw(st.integers(0, len(files) - 1))
    file, content = files[which]
    many_lines = file.endswith(".jsonl")
    parts = content.splitlines() if many_lines else [content]
    document = [json.loads(part) for part in parts]
    for _ in range(data.draw(st.integers(1, 3))):
        swap(data, document)
    files[which] = (file, "\n".join(map(json.dumps, document)).encode())
    is_sound(files)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sheet", "items"])
@many
@given(st.data())
def test_any_cell_changed(name, data):
    files = list(FILES[name])
    which = data.draw(st.integers(0, len(files) - 1))
    rows = [line.split(",") for line in files[which][1].decode().splitlines()]
    for _ in range(data.draw(st.integers(1, 4))):
        row = rows[data.draw(st.integers(0, len(rows) - 1))]
        row[data.draw(st.integers(0, len(row) - 1))] = data.draw(CELLS)
    text = "\n".join(map(",".join, rows))
    files[which] = (files[which][0], text.encode("utf-8", "surrogatepass"))
    is_sound(files)


@many
@given(JSON, st.booleans())
def test_a_line_is_decoded_as_python_decodes_it(value, escaped):
    text = json.dumps(value, ensure_ascii=escaped)
    assert repr(decoded(Upload("x"), text.encode(), "row 1")) == repr(json.loads(text))
    cut = text[:-1]
    try:
        wanted = repr(json.loads(cut))
    except ValueError:
        with pytest.raises(BadDataError, match=r"^x, row 1: it is not readable JSON"):
            decoded(Upload("x"), cut.encode(), "row 1")
    else:
        assert repr(decoded(Upload("x"), cut.encode(), "row 1")) == wanted


@many
@given(st.text() | st.lists(CELLS, max_size=12).map(",".join).map("case,patient\n{}".format))
def test_any_case_file(text):
    try:
        found = read_patients("c.csv", text.encode("utf-8", "surrogatepass"))
    except BadDataError as fault:
        sentence(str(fault))
    else:
        assert all(len(who) <= 40 and who.isprintable() for who in found.values())


@many
@given(st.binary(max_size=300), st.sampled_from([b"", b"PK\x03\x04", b"{"]))
def test_any_file(data, start):
    is_sound([("any", start + data)])

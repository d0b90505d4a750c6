"""No text of a case, an answer, an explanation or a message is held after reading."""

import copy
import json
import logging
import pickle

import pytest

from core.domain import FormularyError
from core.results import read, read_patients, take, together
from core.results.files import no_codes
from tests.results.samples_of_items import (
    ITEMS,
    KEY,
    SHEET,
    documents,
    eval_log,
    workbook,
    zipped,
)

NAME = "Philippa Nobody-Oakes"
# What is recorded as an id: the model, the item, the rater, and the task where there are several.
IDS = {
    "inspect": [("eval", "model"), ("samples", "*", "id")],
    "promptfoo": [
        ("results", "results", "*", "provider", "label"),
        ("results", "results", "*", "testCase", "metadata", "case"),
    ],
    "helm": [("*", "instance_id"), ("adapter_spec", "model")],
    "lm_eval": [],
}


def held(files, reader=read):
    try:
        found = reader(files)
    except FormularyError as fault:
        return str(fault).encode()
    if reader is not read:
        return pickle.dumps(found)
    return pickle.dumps((found.format, found.frame, found.settings, found.passed_over))


def texts(value, path=()):
    if isinstance(value, str):
        yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from texts(inner, (*path, key))


def planted(document, path, text):
    found = copy.deepcopy(document)
    place = found
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = text
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", documents())
def test_a_name_in_any_field_is_not_held(name, caplog):
    caplog.set_level(logging.DEBUG)
    files = documents()[name]
    tried = 0
    for i, (file, data) in enumerate(files):
        many = file.endswith(".jsonl")
        document = [json.loads(line) for line in (data.splitlines() if many else [data])]
        for path in texts(document):
            # A file that is one document is the only one of the list.
            general = tuple("*" if isinstance(key, int) else key for key in path[not many :])
            if general in IDS[name]:
                continue
            text = f"C {NAME}\n" if tried % 2 else NAME
            given = "\n".join(map(json.dumps, planted(document, path, text))).encode()
            left = held([*files[:i], (file, given), *files[i + 1 :]])
            assert NAME.encode() not in left, path
            tried += 1
    assert tried > 20
    assert NAME not in caplog.text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "ids"), [(SHEET, ("rater", "case")), (ITEMS, ("model", "item", "rater"))]
)
def test_a_name_in_any_cell_is_not_held(text, ids):
    rows = [line.split(",") for line in text.splitlines()]
    for i, row in enumerate(rows):
        for j in range(len(row)):
            if i and rows[0][j] in ids:
                continue
            given = copy.deepcopy(rows)
            given[i][j] = NAME
            data = "\n".join(map(",".join, given))
            files = [("t.csv", data.encode())] + [("k.csv", KEY.encode())] * (text is SHEET)
            assert NAME.encode() not in held(files), (i, j)
            if text is SHEET:
                book = [("t.xlsx", workbook(data)), files[1]]
                assert NAME.encode() not in held(book), (i, j)
    assert NAME.encode() not in held([("t.csv", f"{text.splitlines()[0]},{NAME}\n".encode())])


def test_a_name_in_a_case_file_is_not_held():
    data = f"case,input,reference,patient,{NAME}\nc1,{NAME},{NAME},{NAME},{NAME}\n".encode()
    left = held(data, lambda data: read_patients("c.csv", data))
    assert NAME.encode() not in left
    assert b"c1" in left


@pytest.mark.parametrize(
    ("what", "ids"),
    [
        ("1 with blanks", ["Philippa Nobody", "c 1", "c\u00a01"]),
        ("1 like names", ["Nobody,Philippa", "Nobody_Philippa", "Müller", "O'Brien-Wu"]),
        ("1 like record numbers", ["123456", "12-34-56", "MRN/0012345", "#0123456789ab"]),
        ("", ["12345", "case-12345", "c1", "mtsamples-0001", "A", "id7", "Case7", "acute", ""]),
        ("", ["0b61f2a4-9c35-4f0d-8a77-1d2e3f405162"]),
    ],
)
def test_what_an_id_looks_like(what, ids):
    said = f"ids of cases may tell who a patient is ({what}): use codes." if what else ""
    assert {one: no_codes([one]) for one in ids} == dict.fromkeys(ids, said)


def test_ids_that_may_tell_who_somebody_is_are_counted_and_not_quoted():
    ids = ["c1", "c2", "Ann Lee", "Lee,Ann", "Lee;Ann", "0044556677", "x" * 200]
    rows = [f'{model},"{one}",1' for model in "ab" for one in ids]
    found = read([("t.csv", "\n".join(["model,item,score", *rows]).encode())])
    assert found.passed_over == (
        "t.csv: 1 id was replaced by a hash, longer than 120 characters or with characters that "
        "cannot be shown.",
        "t.csv: ids of cases may tell who a patient is (2 like names, 1 like record numbers, 1 "
        "with blanks): use codes.",
    )
    assert "Ann" not in " ".join(found.passed_over)


@pytest.mark.parametrize("name", [NAME, "Nobody_Philippa", "00123456"])
def test_no_fault_of_a_file_quotes_an_id(name):
    twice = f"model,item,score\nm,{name},1\nm,{name},0\n".encode()
    assert held([("t.csv", twice)]) == b't.csv, row 3: "m" has this item twice.'
    sheet = f"rater,case,letter,rating\nr,{name},A,3\n".encode()
    key = b"case,letter,model\nc1,A,m\n"
    assert name.encode() not in held([("s.csv", sheet), ("k.csv", key)])
    sheet = sheet.replace(b",3", b",9")
    assert held([("s.csv", sheet), ("k.csv", key)]).startswith(b"s.csv, row 2: the rating is")
    parts = eval_log()
    (sample,) = [part for part in parts if part.startswith("samples/")][:1]
    given = parts | {f"samples/{name}_epoch_1.json": '{"id": 1'}
    del given[sample]
    assert name.encode() not in held([("log.eval", zipped(given))])


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_no_text_is_held_between_a_sheet_and_its_later_key(order):
    given = [("s.csv", SHEET.replace("\n", f",{NAME}\n").encode()), ("k.csv", KEY.encode())]
    taken = []
    for n in order:
        taken += take([given[n]], taken)
        assert NAME.encode() not in pickle.dumps(taken)
    both, once = together(taken), read([given[n] for n in order])
    assert both.frame.equals(once.frame)
    assert both.passed_over == once.passed_over


def test_a_fault_is_told_as_long_as_its_file_is_there():
    good, bad = take([("t.csv", ITEMS.encode()), ("u.csv", b"model,item,score\nm,c1,7\n")])
    for _ in range(2):
        with pytest.raises(FormularyError, match=r"^u\.csv, row 2: the score 7 is outside"):
            together([good, bad])
    assert together([good]).frame.equals(read([("t.csv", ITEMS.encode())]).frame)


def test_a_sheet_that_is_read_again_counts_its_gaps_once():
    sheet = b"rater,case,letter,rating\nr,c1,A,\nr,c1,B,3\nr,c2,A,4\nr,c2,B,5\n"
    key = b"case,letter,model\nc1,A,m\nc1,B,n\nc2,A,n\nc2,B,m\n"
    taken = take([("s.csv", sheet), ("k.csv", key)])
    first, again = together(taken), together(taken)
    assert any("1 row" in said for said in first.passed_over)
    assert first.passed_over == again.passed_over

"""No text of a case, an answer, an explanation or a message is held after reading."""

import copy
import json
import logging
import pickle

import pytest

from core.domain import FormularyError
from core.local_test.readers import read, read_groups
from tests.local_test.readers_samples import (
    ITEMS,
    KEY,
    SHEET,
    documents,
    eval_log,
    helm_parts,
    workbook,
    zipped,
)

NAME = "Philippa Nobody-Oakes"
# What is recorded as an id: the model, the item, the rater, and the task where there are several.
IDS = {
    "inspect": [("eval", "model"), ("samples", "*", "id")],
    "promptfoo": [
        *[("results", "results", "*", *path) for path in (("provider", "label"),)],
        *[("results", "results", "*", "testCase", "metadata", "case")],
    ],
    "helm": [("*", "instance_id"), ("adapter_spec", "model")],
    "lm_eval": [],
    "every_eval_ever": [("*", "model_id"), ("*", "sample_id"), ("*", "evaluation_name")],
}


def held(files, reader=read):
    """Return all that is left of files: the results, or the sentence they are refused with."""
    try:
        found = reader(files)
    except FormularyError as fault:
        return str(fault).encode()
    if reader is not read:
        return pickle.dumps(found)
    return pickle.dumps((found.format, found.frame, found.settings, found.passed_over))


def texts(value, path=()):
    """Yield the path of each text in a document."""
    if isinstance(value, str):
        yield path
    for key, inner in (
        (value.items() if isinstance(value, dict) else enumerate(value) if value else ())
        if isinstance(value, dict | list)
        else ()
    ):
        yield from texts(inner, (*path, key))


def planted(document, path, text):
    """Return a document with another text at one place."""
    found = copy.deepcopy(document)
    place = found
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = text
    return found


def parsed(data, many):
    return [json.loads(line) for line in data.splitlines()] if many else json.loads(data)


def written(document, many):
    return ("\n".join(map(json.dumps, document)) if many else json.dumps(document)).encode()


@pytest.mark.slow
@pytest.mark.parametrize("name", documents())
def test_a_name_in_any_field_is_not_held(name, caplog):
    caplog.set_level(logging.DEBUG)
    files = documents()[name]
    tried = 0
    for i, (file, data) in enumerate(files):
        many = file.endswith(".jsonl")
        document = parsed(data, many)
        for path in texts(document):
            general = tuple("*" if isinstance(key, int) else key for key in path)
            if general in IDS[name]:
                continue
            for text in (NAME, f"C {NAME}\n"):
                given = written(planted(document, path, text), many)
                left = held([*files[:i], (file, given), *files[i + 1 :]])
                assert NAME.encode() not in left, path
                tried += 1
    assert tried > 20
    assert NAME not in caplog.text


@pytest.mark.parametrize("name", documents())
def test_a_name_in_all_fields_at_once_is_not_held(name):
    files = []
    for file, data in documents()[name]:
        many = file.endswith(".jsonl")
        document = parsed(data, many)
        for path in list(texts(document)):
            # What tells the format, the metric and the model stays, so that rows are read.
            keep = ("eval", "results", "adapter_spec", "metrics", "filter", "metric_specs")
            inside = path[:3] == ("results", "results", 0) and path[-1] not in ("label", "case")
            ids = path[-1] in ("id", "instance_id", "model_id", "sample_id", "evaluation_name")
            ids = ids or path[-1] == "value"
            if (not ids and not set(path) & set(keep) and path[-2:] != ("name", "name")) or inside:
                document = planted(document, path, f"{NAME} {path}")
        files.append((file, written(document, many)))
    left = held(files)
    assert NAME.encode() not in left
    assert len(left) > 500  # it was read, not refused


@pytest.mark.slow
@pytest.mark.parametrize("part", list(eval_log()))
def test_a_name_in_a_part_of_an_inspect_archive_is_not_held(part):
    parts = eval_log()
    document = json.loads(parts[part])
    for path in texts(document):
        if path not in (("id",), ("eval", "model")):
            given = parts | {part: json.dumps(planted(document, path, NAME))}
            assert NAME.encode() not in held([("log.eval", zipped(given))]), path


def test_a_name_in_what_is_not_opened_is_not_held():
    stats, spec = (json.dumps(part) for part in helm_parts())
    parts = {"r/per_instance_stats.json": stats, "r/run_spec.json": spec}
    more = {"r/scenario_state.json": f'{{"input": "{NAME}"}}', f"r/{NAME}.txt": NAME}
    assert held([("r.zip", zipped(parts))]) == held([("r.zip", zipped(parts | more))])


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
    data = f"case,input,reference,group_a,{NAME}\nc1,{NAME},{NAME},ward,{NAME}\n".encode()
    left = held(data, lambda data: read_groups("c.csv", data))
    assert NAME.encode() not in left
    assert b"ward" in left

"""Files that are not results, broken or made to hurt: one sentence each, and soon."""

import codecs
import copy
import gzip
import io
import json
import time
import warnings
import zipfile

import pytest

from core.domain import BadDataError, BadRequestError
from core.results import collected, read, read_own_scores
from core.results import files as sources
from core.results.files import MAX_BYTES, MAX_QUOTED, quoted
from tests.results.samples_of_items import (
    ITEMS,
    KEY,
    LM_EVAL,
    SAMPLES,
    SHEET,
    eval_log,
    helm_parts,
    lines,
    sentence,
    shared_workbook,
    workbook,
    zipped,
)

SECONDS = 6.0
INSPECT = json.loads((SAMPLES / "inspect_mock.json").read_text())
EVAL = (SAMPLES / "inspect_mock.eval").read_bytes()
PART = EVAL.index(b"samples/") + 100
PROMPTFOO = json.loads((SAMPLES / "promptfoo_two_models.json").read_text())
STATS, SPEC = helm_parts()


def inspect(**changes):
    document = copy.deepcopy(INSPECT)
    document["samples"][1] |= changes
    return json.dumps(document).encode()


def harness(**changes):
    return lines([*LM_EVAL[:2], LM_EVAL[2] | changes])


def promptfoo(**changes):
    document = copy.deepcopy(PROMPTFOO)
    document["results"]["results"][1] |= changes
    return json.dumps(document).encode()


def helm(instance, spec=SPEC):
    return [("run_spec.json", json.dumps(spec).encode()), ("s.json", json.dumps(instance).encode())]


def sheet(text, key=KEY):
    return [("k.csv", key.encode()), ("own.csv", text.encode())]


def bomb():
    blanks = " " * 100_000_000
    return zipped({"header.json": "{}"} | {f"samples/{i}_epoch_1.json": blanks for i in range(6)})


def with_part(data, name, content):
    buffer = io.BytesIO(data)
    with zipfile.ZipFile(buffer, "a") as archive, warnings.catch_warnings(action="ignore"):
        archive.writestr(name, content)
    return buffer.getvalue()


def packed_by(method):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("header.json", "{}")
    return buffer.getvalue()


def locked():
    """Return an archive whose one part says that it takes a password."""
    data = bytearray(zipped({"header.json": "{}"}))
    for sign, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(sign) + flags] |= 1
    return bytes(data)


def with_sample(content):
    return zipped(eval_log() | {"samples/a_epoch_1.json": content})


def twice():
    parts = eval_log()
    name = next(name for name in parts if name.startswith("samples/"))
    return with_part(zipped(parts), name, parts[name])


def many_parts():
    """Return an archive that lists one part a million times: a list of 50 MB."""
    data = zipped({"a": ""})
    begins, ends = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    entry, times = data[begins:ends], 1_000_000
    end = bytearray(data[ends:])
    end[12:16] = (len(entry) * times).to_bytes(4, "little")
    return data[:begins] + entry * times + bytes(end)


def many_lines():
    return b"".join(b'{"doc_id":%d,"acc":1}\n' % i for i in range(300_001))


def swapped(data, old, new):
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        return zipped({n: source.read(n).replace(old, new) for n in source.namelist()})


BOOK, ONE_MODEL = workbook(), b'{"eval": {"model": "m"}, "samples": '
NO_TEXT = [*sheet("")[:1], ("own", swapped(shared_workbook(), b"<v>9</v>", b"<v>999</v>"))]
DEFINED = swapped(BOOK, b"<worksheet", b'<!DOCTYPE x [<!ENTITY a "b">]><worksheet')
FORMULA = [*sheet("")[:1], ("own.xlsx", workbook(SHEET.replace(",5,", ",=1+4,")))]
CASES = {
    # what is not a result at all
    "empty": (b"", "it is empty"),
    "only spaces": (b" \r\n\t", "it is empty"),
    "only a mark": (codecs.BOM_UTF8, "it is empty"),
    "a web page": (b"<html><body>Log in</body></html>", "it is a web page or XML"),
    "a PDF": (b"%PDF-1.7 ...", "it is a PDF document"),
    "unknown JSON": (b'{"a": {"b": [1]}}', "it is not one of the formats"),
    "a list of numbers": (b"[1, 2]", "it is not one of the formats"),
    "an empty list": (b"[]", "it is not one of the formats"),
    "an unknown table": (b"a,b\n1,2\n", "it is not one of the formats"),
    "prose": (
        b"Dear colleague,\nhere are the results.\n",
        "it is not one of the formats",
    ),
    "a record of averages": (b'{"evaluation_results": []}', "has averages"),
    "the harness's averages": (b'{"results": {}, "model_name": "m"}', "has averages"),
    "items of another tool": (
        b'{"sample_id": 1, "evaluation": {}}\n' * 2,
        "of Every Eval Ever, whose",
    ),
    "a list of them": (b'[{"sample_id": 1, "evaluation": {}}]', "or a CSV with the columns model,"),
    "half a HELM run": ([("run_spec.json", b'{"metric_specs": []}')], "give the per_instance"),
    "stats without spec": ([("own.json", json.dumps(STATS).encode())], "run_spec.json is missing"),
    "a log without samples": (ONE_MODEL + b"null}", "without samples"),
    "samples before the header": (b'{"samples": [{"id": 1}]}', "come before its header"),
    # archives
    "a cut archive": (EVAL[: len(EVAL) // 2], "cut off or damaged"),
    "an archive without its end": (zipped(eval_log())[:-30], "cut off or damaged"),
    "a damaged archive": (EVAL[:PART] + b"\0" * 200 + EVAL[PART + 200 :], "cut off or damaged"),
    "a bomb": (bomb, "it unpacks to more than 500 MB"),
    "a million parts": (many_parts, "more parts than can be read"),
    "a part that leads out": (zipped({"../../etc/x.json": "{}"}), "leads out of the archive"),
    "an absolute part": (zipped({"/etc/x.json": "{}"}), "leads out of the archive"),
    "two parts of one name": (twice, "two parts of it have one name"),
    "an archive in an archive": (zipped({"a.zip": zipped({"b": ""})}), "not one of the formats"),
    "an archive of nothing": (zipped({}), "not one of the formats"),
    "another way to pack": (packed_by(zipfile.ZIP_LZMA), "compressed in a way that cannot be"),
    "a locked archive": (locked(), "the archive is locked with a password"),
    "a log without header": (zipped({"_journal/start.json": "{}"}), "without its header"),
    "a header that is a list": (zipped({"header.json": "[]"}), "before its header"),
    "a part that is not text": (with_sample(b"\xff\xfe\xff"), "sample 7: it is not UTF-8 text"),
    "a part that is cut": (with_sample('{"id": 1'), "own, sample 7: it is not readable JSON"),
    # JSON
    "deep JSON": (b'{"a":' + b"[" * 100_000, "nested too deeply"),
    "deep samples": (ONE_MODEL + b"[" * 100_001, "too deeply"),
    "deep lines": (lines(LM_EVAL) + b'{"doc_id":' * 100_000, "row 4: its JSON is nested"),
    "a cut log": (inspect()[:8000], "not readable JSON, or it is cut off"),
    "a log that ends early": (ONE_MODEL + b'[{"id": 1}, ', "cut off"),
    "many keys": (json.dumps({f"k{i}": 1 for i in range(10_001)}).encode(), "10,000 keys in one"),
    "a cut line": (harness()[:-20], "row 3: it is not readable JSON, or it is cut off"),
    "two logs in one": (inspect() * 2, "more follows after the end"),
    "a number of 5,000 digits": (inspect(id="@").replace(b'"@"', b"9" * 5000), "too many digits"),
    "many values in one": (b'{"eval": [' + b"[]," * 900_000 + b"[]]}", "too many values"),
    "one long piece": (b'{"eval": "' + b"x" * 17_000_000 + b'"}', "longer than 16 MB"),
    "one long line": (lines(LM_EVAL) + b'"' + b"x" * 17_000_000, "row 4: it is not readable JSON"),
    "bad UTF-8": (harness() + b'{"doc_id": 9, "x": "\xff"}', "row 4: it is not UTF-8"),
    "UTF-16": (inspect().decode().encode("utf-16"), "its JSON is not UTF-8 text"),
    "bad UTF-8 in a log": (inspect(input="@").replace(b"@", b"\xff"), "it is not UTF-8 text"),
    # scores and ids
    "a score of 3": (inspect(scores={"a": {"value": 3}}), "samples[1]: the score 3 is outside"),
    "a score below 0": (harness(exact_match=-0.1), "row 3: the score -0.1 is outside 0 to 1"),
    "an infinite score": (harness(exact_match=float("inf")), "row 3: the score inf is outside"),
    "a huge score": (harness(exact_match=10**400), "row 3: the score inf is outside"),
    "a score of 101": (promptfoo(score=101), "results.results[1]: the score 101 is outside"),
    "only NaN": (ONE_MODEL + b'[{"id": 1, "scores": {"a": {"value": NaN}}}]}', "There is no score"),
    "a doubled sample": (inspect(id="case-1", epoch=1), "has this item twice"),
    "a doubled line": (harness(doc_id=1), 'row 3: "model of own" has this item twice'),
    "a doubled instance": (helm(STATS[:1] * 2), '[1]: "simple/model1" has this item twice'),
    "no id": (inspect(id=None), "samples[1]: its id is missing"),
    "an id that is a list": (harness(doc_id=["a"]), "row 3: its id is missing, or neither"),
    "an id that is a blank": (harness(doc_id=" "), "row 3: its id is missing"),
    "half an epoch": (inspect(epoch=1.5), "samples[1]: its attempt is not a whole number"),
    "epoch 0": (inspect(epoch=0), "samples[1]: its attempt is not a whole number"),
    "a result that is text": (b'{"results": {"results": ["a"]}}', "[0]: a result is expected here"),
    "a sample that is text": (ONE_MODEL + b'["a"]}', "samples[0]: a sample"),
    "no model": (b'{"eval": {}, "samples": []}', "eval.model: the model's name is missing"),
    "a model that is a list": (
        promptfoo(provider=["m"]),
        "[1].provider: the model's name is missing or not text",
    ),
    "a long model": (
        promptfoo(provider="m" * 201),
        "[1].provider: the model's name is longer than 200",
    ),
    "another record": (lines(LM_EVAL) + b'{"a": 1}', "row 4: a sample with its doc_id is expected"),
    "no metric": (lines([{"doc_id": 1, "metrics": ["x"]}]), "row 1: it has no score by a metric"),
    "stats that are none": (helm([STATS[0] | {"stats": 1}]), "s.json, [0]: an instance with"),
    "no metric of HELM": (helm([STATS[0] | {"stats": []}]), "no statistic is one that HELM"),
    "a spec without model": (
        helm(STATS, SPEC | {"adapter_spec": 1}),
        "the model's name is missing",
    ),
    # tables
    "a score that is text": ("model,item,score\nm,1,good\n", "row 2: the score is not a number"),
    "a score of 1.2": (ITEMS.replace("0.25", "1.2"), "row 3: the score 1.2 is outside 0 to 1"),
    "NaN in a table": (ITEMS.replace("0.25", "NaN"), "row 3: the score is not a number"),
    "tokens below 0": (ITEMS.replace("22", "-22"), "row 3: the tokens is below 0"),
    "a doubled row": (ITEMS.replace("big,c2", "big,c1"), 'row 3: "big" has this item twice'),
    "a row too long": (ITEMS + "m,1,1,1,1,1,1,1,1,1\n", "row 5: it has 10 cells"),
    "a header alone": ("model,item,score\n", "a header and no rows"),
    "a rating of 6": (sheet(SHEET.replace(",5,", ",6,")), "row 2: the rating is neither a number"),
    "a rating in words": (sheet(SHEET.replace(",5,", ",good,")), "row 2: the rating is neither"),
    "a case without key": (sheet(SHEET.replace("c2,A", "c9,A")), "row 4: the key has no model"),
    "a rating twice": (sheet(SHEET + SHEET.splitlines()[1]), 'row 7: "big" has this item twice'),
    "a key at odds": (sheet(SHEET, KEY + "c1,A,other\n"), "k.csv, row 6: the key has another"),
    "ten million rows": (lambda: b"model,item,score\n" + b"m,1,1\n" * 10_000_000, "larger than"),
    "more lines than can be held": (many_lines, "row 300001: it has more than 300,000 scores"),
    # workbooks
    "a formula": (FORMULA, "own.xlsx, sheet 1, row 2: a cell holds a formula"),
    "macros": (with_part(BOOK, "xl/vbaProject.bin", b"x"), "the workbook has macros"),
    "many sheets": (
        zipped(
            {"xl/workbook.xml": "<workbook/>"}
            | {f"xl/worksheets/sheet{i}.xml": "<worksheet/>" for i in range(51)}
        ),
        "the workbook has more than 50 sheets",
    ),
    "text before a sheet": (
        swapped(BOOK, b"<worksheet", b"x<worksheet"),
        "not readable as a sheet",
    ),
    "a workbook of nothing": (
        zipped({"xl/workbook.xml": "<workbook/>"}),
        "it is not one of the formats",
    ),
    "XML that defines signs": (DEFINED, "not readable as a sheet"),
    "a text that is not there": (NO_TEXT, "a text that is not"),
    "a far column": (swapped(BOOK, b'r="A1"', b'r="ZZZ1"'), "it has more than 100 columns"),
    "rows out of order": (swapped(BOOK, b'<row r="2"', b'<row r="999999999"'), "not in order"),
}


SLOW = ("a bomb", "a million parts", "many values in one", "ten million rows")
SLOW += ("more lines than can be held", "one long piece", "one long line", "deep samples")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in CASES]
)
def test_one_sentence_names_the_file_and_the_place(name):
    given, words = CASES[name]
    given = given() if callable(given) else given
    given = given.encode() if isinstance(given, str) else given
    files = given if isinstance(given, list) else [("folder/own", given)]
    start = time.process_time()
    with pytest.raises((BadDataError, BadRequestError)) as caught:
        read(files)
    assert time.process_time() - start < SECONDS
    message = sentence(str(caught.value))
    assert words in message
    assert message.startswith(("own", "k.csv", "s.json", "run_spec.json", "There is no score"))
    assert len(message) < 500


def test_what_is_no_file_or_too_large_is_not_read(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.write(b"{")
        file.truncate(sources.MOST_BYTES + 1)
    for at, said in (
        (path, r"^x: it is larger than 200 MB\.$"),
        (tmp_path, "^x: it is a folder"),
        (tmp_path / "none", r"^x: it cannot be read \(No such file"),
    ):
        with pytest.raises(BadDataError, match=said):
            read([("x", at)])


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(codecs.BOM_UTF8 + inspect(), id="a mark"),
        pytest.param(codecs.BOM_UTF8 + harness(), id="a mark before lines"),
        pytest.param(harness().replace(b"\n", b"\r\n\r\n"), id="lines with returns and gaps"),
        pytest.param(json.dumps(json.loads(inspect())).encode(), id="one line of JSON"),
    ],
)
def test_marks_and_encodings_are_no_hindrance(data):
    assert len(read([("x", data)]).frame) in (3, 6)


def test_what_a_workbook_says_apart_from_its_cells_does_not_matter():
    extra = b"</sheetData><extLst><x14:f><xm:f>B1</xm:f></x14:f></extLst>"
    book = swapped(BOOK, b"</sheetData>", extra)
    wanted, found = (read([*sheet("")[:1], ("b.xlsx", data)]) for data in (BOOK, book))
    assert found.frame.equals(wanted.frame)


def test_values_are_the_same_wherever_a_piece_of_the_file_ends(monkeypatch):
    files = {"log": inspect(), "out": promptfoo(), "s": harness()}
    wanted = {name: read([(name, data)]) for name, data in files.items()}
    for piece in (1, 7, 1000):
        monkeypatch.setattr(sources, "_LARGE", piece)
        for name, data in files.items():
            found = read([(name, data)])
            assert found.frame.equals(wanted[name].frame)
            assert found.settings == wanted[name].settings


def test_no_more_rows_than_memory_holds_over_all_files(monkeypatch):
    monkeypatch.setattr(collected, "MOST_ROWS", 5)
    with pytest.raises(BadDataError, match="The files have more than 5 scores together"):
        read([("a.csv", ITEMS.encode()), ("b.csv", ITEMS.replace(",c", ",d").encode())])


SOON = 3.0
"""Twice what is promised, for slow machines."""


@pytest.fixture
def refuse(bundled):
    def refuse(data, name="own.json"):
        start = time.process_time()
        with pytest.raises(BadDataError) as caught:
            read_own_scores(name, data, bundled.catalogue)
        assert time.process_time() - start < SOON
        message = sentence(str(caught.value))
        assert message.startswith(("own", "The file"))
        assert len(message) < 700
        return message

    return refuse


HELM = (
    b'{"header": [{"value": "Model"}, {"value": "MedQA"}], '
    b'"rows": [[{"value": "m"}, {"value": %s}]]}'
)


LONG = b"x" * 19_000_000
MODEL = b'{"header": ["Model", '
EMPTY, NO_FORMAT, TABLE = (
    "own.json: it is empty.",
    "not one of the formats",
    b"model,benchmark,score",
)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        *((data, EMPTY) for data in (b"", b" \r\n\t", b"\xef\xbb\xbf")),
        (zipped({"results.json": "{}"}), "own.json: it is a ZIP archive or an Excel workbook"),
        (gzip.compress(b"[]", mtime=0), "compressed with gzip"),
        (b"PAR1\x15\x04", "Parquet"),
        (b"\n<!DOCTYPE html><html></html>", "a web page"),
        (b"{} {}", "row 1, column 4: it is not readable JSON (Extra data)."),
        (b'{"a": [1,\n 2', "row 2, column 3: it is not readable JSON"),
        *((data, NO_FORMAT) for data in (b"{}", b"[]", b"null", b'{"results": []}')),
        (b'{"evaluation_results": 3}', "whose averages are not read: write its scores"),
        (b'[{"evaluation_results": []}]', "it is a file of Every Eval Ever, whose averages"),
        (b'{"a": "caf\xe9"}', "own.json, row 1: it is not UTF-8 text: save it as UTF-8."),
        ('{"a": 1}'.encode("utf-16"), "its JSON is not UTF-8"),
        (b'{"a": "\x00"}', "own.json, row 1: it is not a text file"),
        (b"\x81\x8d\x8f", "not UTF-8"),
        (HELM % b"1e999", 'own.json: "1e999" is NaN, Infinity or a number too large'),
        (HELM % b"NaN", 'own.json: "NaN" is NaN'),
        (HELM % b"-Infinity", '"-Infinity" is NaN'),
        (HELM % (b"9" * 5000), "too many digits"),
        (HELM % (b"9" * 4000), "own.json, rows[0][1]: "),
        (HELM % b'0, "value": 1', 'the key "value" comes twice in one object'),
        (b'[{"a": {"b": 1, "b": 2}}]', 'own.json: the key "b" comes twice'),
    ],
)
def test_what_is_no_result_is_said_in_one_sentence(refuse, data, words):
    assert words in refuse(data)


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [
        b"[" * 10_000_000,
        b'{"a":' * 3_000_000,
        b'{"results": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
        b"[" + b"0," * 9_900_000 + b"0]",
        b"[" + b"{}," * 199_000 + b"{}]",
        b"[" + b'{"header":1,"rows":1},' * 199_000 + b"1]",
        b"0." + b"1" * 19_000_000,
        b"[0." + b"1" * 19_000_000 + b"]",
        b'{"evaluation_results": [{"evaluation_name": "' + LONG + b'"}]}',
        MODEL + b'"' + b"a - " * 4_900_000 + b'"], "rows": [["m", 1]]}',
        MODEL + b'"MedQA"], "rows": [["' + LONG + b'", 1]]}',
        MODEL + b'"MedQA"], "rows": [["m", "' + b"1" * 19_000_000 + b'"]]}',
        b"{" + b",".join(b'"k%d":NaN' % i for i in range(500_000)) + b"}",
        b"{" + b",".join(b'"k%d":1' % (i // 2) for i in range(500_000)) + b"}",
        b"," * 19_999_999,
        b"\n" * 19_999_999 + b"a",
        TABLE + b"," * 1_900_000,
        TABLE + b'\n"' + LONG,
        TABLE + b"\n" + b"m,b,\n" * 99_000,
        b"a" * 20_000_000,
        b"a" * (MAX_BYTES + 1),
    ],
    ids=range(21),
)
def test_bombs_are_refused_soon(refuse, data):
    refuse(data)


def test_names_and_quotes_are_untrusted_too(bundled, refuse):
    assert refuse(b"", "../../own\n.json") == "own .json: it is empty."
    assert len(refuse(b"", "own" * 500)) < 80
    assert refuse(b"", "") == "The file: it is empty."
    for value in ("x" * 999, "\u202ea\nb\x1b[31m", "\ud800", ["x"] * 10**6, 10**4000, None):
        text = quoted(value)
        assert len(text) <= MAX_QUOTED + 2
        assert text.isprintable()
        text.encode()
    # Signs that cannot be stored leave a name.
    document = '{"header": ["Model", "MedQA"], "rows": [["a\\ud800\\u0000b\\n", 0.5]]}'
    frame = read_own_scores("own.json", document.encode(), bundled.catalogue).table.frame
    assert frame.model[0] == "a  b"
    frame.to_csv()

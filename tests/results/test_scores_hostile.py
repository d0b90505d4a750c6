"""Files that are no results, broken or made to hurt: one sentence each, and soon."""

import gzip
import time

import pytest

from core.domain import BadDataError
from core.results import read_scores
from core.results.files import MAX_BYTES, MAX_QUOTED, quoted
from tests.results.samples_of_items import zipped

SECONDS = 3.0
"""Twice what is promised, for slow machines."""


@pytest.fixture
def refuse(bundled):
    """Return the sentence that a file is refused with, which is short and comes soon."""

    def refuse(data, name="own.json"):
        start = time.process_time()
        with pytest.raises(BadDataError) as caught:
            read_scores(name, data, bundled.catalogue)
        assert time.process_time() - start < SECONDS
        message = str(caught.value)
        assert message.startswith(("own", "The file"))
        assert message.endswith(".")
        assert message.isprintable()
        assert len(message) < 700
        return message

    return refuse


HELM = (
    b'{"header": [{"value": "Model"}, {"value": "MedQA"}], '
    b'"rows": [[{"value": "m"}, {"value": %s}]]}'
)


LONG = b"x" * 19_000_000
MODEL = b'{"header": ["Model", '
EMPTY, NO_FORMAT, TABLE = "own.json: it is empty.", "none of the formats", b"model,benchmark,score"


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
        (b'{"a": "\x00"}', "own.json, row 1: it is no text file"),
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
    frame = read_scores("own.json", document.encode(), bundled.catalogue).table.frame
    assert frame.model[0] == "a  b"
    frame.to_csv()

"""Ratings that a hospital uploads: what is read, and what is refused in one sentence."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import BadDataError, FormularyError
from core.evidence.imports import MAX_BYTES
from core.evidence.imports.ratings import read, template

HEAD = "rater,role,instance,score\n"
MANY = settings(max_examples=300, deadline=None)


def refuse(content):
    data = content.encode() if isinstance(content, str) else content
    with pytest.raises(BadDataError) as caught:
        read("own.csv", data)
    message = str(caught.value)
    assert message.startswith("own.csv")
    assert message.endswith(".")
    assert message.isprintable()
    return message


def test_the_ratings_are_read():
    found = read(
        "own.csv",
        (
            HEAD + "Dr A,clinician,note 1,4\nDr A,Clinician,note 2,3.5\nPanel, JURY ,note 2,-1e0\n"
        ).encode(),
    )
    assert found.raters == ("Dr A", "Panel")
    assert found.in_jury == (False, True)
    assert found.instances == ("note 1", "note 2")
    assert np.array_equal(found.scores, [[4, np.nan], [3.5, -1]], equal_nan=True)
    assert found.notes == ()


def test_a_gap_is_never_zero():
    found = read("own.csv", f"{HEAD}a,clinician,1,2\na,clinician,2,\nb,jury,1,n/a\n".encode())
    assert np.array_equal(found.scores, [[2]])
    assert found.notes == ("2 rows were passed over: no score.",)


@pytest.mark.parametrize(
    "data",
    [
        b"sep=;\r\nRole;Rater;Score;Instance;Comment\r\njury;J;3;n1;fine\r\n",
        b"\xef\xbb\xbfrater\trole\tinstance\tscore\nJ\tjury\tn1\t3\n",
        "rater,role,instance,score\nJ,jury,n1,3\n".encode("utf-16"),
        b"rater,role,instance,score\r\n'=J,jury,n1,3\r\n".replace(b"'=", b""),
    ],
)
def test_what_spreadsheets_save_is_read(data):
    found = read("own.csv", data)
    assert (found.raters, found.in_jury, found.instances) == (("J",), (True,), ("n1",))
    assert found.scores.tolist() == [[3]]


def test_what_is_passed_over_is_said():
    found = read("own.csv", "rater,role,instance,score,Größe\nJ,jury,n,3,x\n".encode("cp1252"))
    assert found.notes == (
        "The file is not UTF-8; it was read as WINDOWS-1252.",
        'These columns were passed over: "größe".',
    )


def test_a_filled_in_template_is_read():
    empty = template()
    assert empty.startswith(b"\xef\xbb\xbfrater,role,instance,score\r\n")
    assert "has no score" in refuse(empty)
    filled = empty.decode("utf-8-sig").replace(",\r\n", ",4\r\n").encode("utf-8-sig")
    found = read("own.csv", filled)
    assert found.raters == ("Clinician A", "Clinician B", "Jury")
    assert found.in_jury == (False, False, True)
    assert found.scores.shape == (3, 3)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "own.csv: it is empty."),
        (gzip.compress(b"rater", mtime=0), "compressed with gzip"),
        (b"PK\x03\x04", "an Excel workbook"),
        ("<html>", "a web page"),
        (b"\x81\x8d", "not UTF-8"),
        (HEAD, "own.csv: it has a header and no rows."),
        (f"{HEAD},,,\n", "no rows"),
        ("rater,instance,score\na,1,2\n", 'own.csv, row 1: the column "role" is missing.'),
        ("a,b\n1,2\n", 'the columns "rater", "role", "instance", "score" are missing'),
        ("rater,role,role,instance,score\n", 'own.csv, row 1: the column "role" comes twice.'),
        (f"{HEAD}a,nurse,1,2\n", 'row 2: the role "nurse" is neither clinician nor jury.'),
        (f"{HEAD}\n\na,,1,2\n", 'own.csv, row 4: the role "" is neither'),
        (f"{HEAD},jury,1,2\n", "own.csv, row 2: the rater is missing or no text."),
        (f"{HEAD}a,jury,,2\n", "own.csv, row 2: the instance is missing or no text."),
        (f"{HEAD}a,jury,1,good\n", 'own.csv, row 2: the score "good" is not a finite number.'),
        (f"{HEAD}a,jury,1,nan\n", '"nan" is not a finite number'),
        (f"{HEAD}a,jury,1,1e999\n", '"1e999" is not a finite number'),
        (f"{HEAD}a,jury,1,1e300\n", 'the score "1e300" is beyond 1,000,000,000.'),
        (
            "rater;role;instance;score\na;jury;1;4,5\n",
            'row 2: the score "4,5" is not a finite number because of its decimal comma: '
            'write "4.5".',
        ),
        (f"{HEAD}a,jury,1,4,5\n", "row 2: it has 5 cells and the header 4; write decimals"),
        (
            f"{HEAD}a,jury,1,4\na,clinician,2,4\n",
            'own.csv, row 3: the rater "a" is a clinician here and a jury above.',
        ),
        (
            f"{HEAD}a,jury,1,4\nb,jury,1,4\na,jury,1,5\n",
            'own.csv, row 4: "a" has scored "1" already in row 2.',
        ),
        (b"a" * (MAX_BYTES + 1), "larger than 20 MB"),
        (HEAD + "a,jury,1,\n" * 20_001, "more than 20,000 rows"),
        (HEAD + "".join(f"{i},jury,1,2\n" for i in range(51)), "51 raters, and at most 50"),
        (HEAD + "".join(f"a,jury,{i},2\n" for i in range(2001)), "2,001 instances, and at most"),
        ("," * 5000 + "\n", "more than 100 columns"),
        (f'{HEAD}"{"x" * 200_000}",jury,1,2\n', "not a readable CSV file"),
        (f"{HEAD}{'x' * 300},jury,1,2\n", "longer than 200 signs"),
    ],
)
def test_a_fault_is_one_sentence_with_its_place(content, words):
    assert words in refuse(content)


def ends_well(data):
    try:
        found = read("own", data)
    except FormularyError as fault:
        message = str(fault)
    else:
        message = "."
        assert found.scores.shape == (len(found.instances), len(found.raters))
        assert len(found.raters) == len(found.in_jury)
        assert not np.isinf(found.scores).any()
    assert message.endswith(".")
    assert message.isprintable()


@MANY
@given(st.binary(max_size=300))
def test_any_bytes(data):
    ends_well(data)


@MANY
@given(
    st.text(alphabet=st.sampled_from("aj,;\t\n\r\"'.015-+=e\x00é") | st.characters(), max_size=120),
    st.sampled_from(["utf-8", "utf-16", "cp1252"]),
)
def test_any_text_as_a_sheet(text, encoding):
    ends_well(f"{HEAD}a,clinician,1,3\nb,jury,{text}".encode(encoding, "replace"))

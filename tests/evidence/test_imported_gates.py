"""A hospital's own answers on gates: there and back again, and faults that name their row."""

from dataclasses import replace

import pytest

from core.domain import BadDataError, GateAnswer
from core.evidence.imports.gates import read
from core.sharing.export import gates_csv

HEADER = "platform,gate,answer,source_url,as_of\n"


@pytest.fixture(scope="module")
def kinds(bundled):
    return bundled.catalogue.procurement.gate_kinds


def test_what_is_shipped_comes_back_as_it_went(bundled, kinds):
    shipped = bundled.catalogue.procurement.gates
    found = read("gates.csv", gates_csv(shipped), kinds)
    by_key = {(answer.platform, answer.gate): answer for answer in found.answers}
    assert len(by_key) == len(shipped) == 120
    for answer in shipped:
        kind = answer.source_kind or "own"  # an empty kind is that of the one who imports
        assert by_key[answer.platform, answer.gate] == replace(answer, source_kind=kind)
    assert found.notes == ()


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_a_formula_is_neutral_in_the_file_and_itself_again_after(kinds, start):
    detail = f'{start}HYPERLINK("x")'
    answer = GateAnswer("OpenAI API", "baa", "yes", detail, "contract", "2026-11-01", None, "own")
    data = gates_csv([answer])
    assert f"'{start}HYPERLINK".encode() in data
    assert read("x.csv", data, kinds).answers == (answer,)


def test_a_few_columns_with_semicolons_and_the_gate_by_its_name(kinds):
    text = (
        "Platform;Gate;Answer;Source;As of;Remark\n"
        "X;Business associate agreement;YES;signed;2026-11-01;-\n"
        "X;soc2;;;;\n"
    )
    found = read("x.csv", text.encode(), kinds)
    (answer,) = found.answers
    assert answer == GateAnswer("X", "baa", "yes", "", "signed", "2026-11-01", None, "own")
    assert found.notes == (
        'These columns were passed over: "remark".',
        "1 row was passed over: no answer.",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("platform,gate\nX,baa\n", 'row 1: the column "answer" is missing'),
        (HEADER + "X,bba,yes,s,2026\n", 'row 2: the gate "bba" is none of baa, '),
        (HEADER + "X,baa,perhaps,s,2026\n", 'row 2: the answer "perhaps" must be yes, no'),
        (HEADER + "X,baa,yes,,2026\n", 'row 2: the column "source_url" is empty'),
        (HEADER + "X,baa,yes,s,\n", 'row 2: the date "" in "as_of" must be written 2026-11-21'),
        (HEADER + "X,baa,yes,s,yesterday\n", 'row 2: the date "yesterday"'),
        (HEADER + "X,baa,yes,s,2026\nX,baa,no,s,2026\n", 'row 3: "X" answers baa already'),
        (HEADER + ",baa,yes,s,2026\n", "row 2: the platform is missing"),
        (HEADER + "X,baa,,s,2026\n", "it has no answer"),
        (HEADER + "X,baa,yes,s,2026,more\n", "row 2: it has 6 cells and the header 5"),
        (HEADER.replace("as_of", "days,as_of") + "X,baa,yes,s,1.5,2026\n", 'the days "1.5" are'),
        (HEADER.replace("as_of", "as_of,as_of"), 'row 1: the column "as_of" comes twice'),
        (HEADER + "X,baa,unknown,,\n" * 6000, "it has more than 5,000 rows"),
        (HEADER + f"X,baa,yes,{'s' * 1001},2026\n", "row 2: the source is longer than 1,000"),
        ("", "it is empty"),
        ("<html>", "it is a web page"),
    ],
)
def test_a_fault_names_the_file_and_the_row(kinds, text, message):
    with pytest.raises(BadDataError) as caught:
        read("folder/mine.csv", text.encode(), kinds)
    assert str(caught.value).startswith("mine.csv")
    assert message in str(caught.value)


def test_unknown_needs_no_source(kinds):
    (answer,) = read("x.csv", (HEADER + "X,baa,unknown,,\n").encode(), kinds).answers
    assert (answer.answer, answer.source_url, answer.as_of) == ("unknown", "", "")

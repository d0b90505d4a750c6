"""Strict reading of CSV files: every fault names its file and its row."""

from dataclasses import dataclass
from typing import Literal

import pytest

from core.domain import BadDataError
from core.evidence.tables import Row, rows, table


@pytest.fixture
def read(tmp_path):
    def read(content, columns=("a", "b")):
        path = tmp_path / "folder" / "file.csv"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return list(rows(path, columns))

    return read


def test_rows_carry_their_cells_and_their_line(read):
    first, second = read('a,b,c\n1,,x\n"two\nlines",3,y\n')
    assert first.cells == {"a": "1", "b": "", "c": "x"}
    assert (first.number, second.number) == (2, 4)
    assert second.cells["a"] == "two\nlines"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\n1\n", 'row 1: the column "b" is missing'),
        ("", 'row 1: the column "a", "b" is missing'),
        *(
            (f"a,b\n1,2\n{line}\n", "row 3: it has more or fewer")
            for line in ("1", "1,2,3", "1,2,")
        ),
        *(
            (b"a,b\n" + b"1,2\n" * n + b"\xff,2\n1,2\n", f"row {n + 2}: not UTF-8")
            for n in (1, 5000)
        ),
    ],
)
def test_what_is_no_table_is_named_with_file_and_row(read, content, message):
    with pytest.raises(BadDataError, match=rf"folder/file\.csv, {message}"):
        read(content)


def test_an_empty_cell_is_not_zero_and_numbers_keep_their_sign_and_their_digits(read):
    (row,) = read("a,b\n,0\n")
    assert (row.number_or_none("a"), row.integer_or_none("a")) == (None, None)
    assert row.number_or_none("b") == 0
    (row,) = read("a,b\n-1.5e-3,007\n")
    assert (row.number_or_fail("a"), row.integer_or_none("b")) == (-0.0015, 7)
    (row,) = read("a,b\ntrue,false\n")
    assert (row.flag("a"), row.flag("b")) == (True, False)


@pytest.mark.parametrize(
    ("reader", "value", "message"),
    [
        (Row.text, "", 'the column "a" is empty'),
        (Row.number_or_fail, "", 'the column "a" is empty'),
        (Row.integer_or_none, "1.5", r'"1\.5" in "a" is not a whole'),
        (Row.flag, "True", "must be true or false"),
        (Row.flag, "", "must be true or false"),
        *(
            (Row.number_or_none, value, '".*" in the column "a" is not a number')
            for value in ("abc", "nan", "inf", "-inf", "1e999", "1 2", "n/a", "1.2.3")
        ),
    ],
)
def test_a_cell_that_is_not_what_it_must_be_is_named(read, reader, value, message):
    (row,) = read(f"a,b\n{value},2\n")
    with pytest.raises(BadDataError, match=rf"folder/file\.csv, row 2: .*{message}"):
        reader(row, "a")


@dataclass(frozen=True)
class Drug:
    id: str
    also: tuple[str, ...]
    price: float
    packs: int | None
    form: Literal["solid", "liquid"]
    on_list: bool
    note: str = ""


@pytest.fixture
def drugs(tmp_path):
    def read(*lines, **more):
        path = tmp_path / "drugs.csv"
        path.write_text("\n".join(["drug,also,price,packs,form,on_list,note", *lines]), "utf-8")
        return table(path, Drug, columns={"id": "drug"}, empty=["note"], **more)

    return read


def test_a_dataclass_is_read_by_its_type_hints(drugs):
    assert drugs("a,x;;y,1.5,,solid,true,", "b,,2,3,liquid,false,new") == (
        Drug("a", ("x", "y"), 1.5, None, "solid", True),
        Drug("b", (), 2.0, 3, "liquid", False, "new"),
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (",,1,1,solid,true,", 'the column "drug" is empty'),
        ("a,,,1,solid,true,", 'the column "price" is empty'),
        ("a,,0,1,solid,true,", '"price" must be above 0'),
        ("a,,1,-1,solid,true,", '"packs" must be above 0'),
        ("a,,1,1.5,solid,true,", '"1.5" in "packs" is not a whole number'),
        ("a,,1,1,gas,true,", '"gas" in "form" must be solid or liquid'),
        ("a,,1,1,solid,yes,", '"yes" in "on_list" must be true or false'),
        ("z,,1,1,solid,true,", 'the drug "z" is not in list.csv'),
        ("b,,1,1,solid,true,", 'the drug "b" with the form "solid" stands twice'),
        ("a,,9,1,solid,true,", "it is dear"),
    ],
)
def test_a_fault_of_a_dataclass_is_named(drugs, line, message):
    with pytest.raises(BadDataError, match=rf"drugs\.csv, row 3: {message}\."):
        drugs(
            "b,,1,,solid,true,",
            line,
            positive=True,
            known={"id": ("ab", "list.csv")},
            unique=["id", "form"],
            check=lambda drug: "it is dear" if drug.price > 5 else "",
        )

"""Strict reading of CSV files and of the catalogue: every fault names its file and its row."""

from dataclasses import dataclass
from typing import Literal

import pytest

from core.domain import BadDataError
from core.evidence.catalogue import load
from core.evidence.tables import RULES, Row, read_table, rows
from tests.evidence.conftest import refused


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
        ("", 'row 1: the columns "a", "b" are missing'),
        ("a;b\n1;2\n", 'row 1: the columns "a", "b" are missing: separate the cells by commas'),
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


def test_an_empty_cell_is_not_zero_and_numbers_keep_their_digits(read):
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
def drugs(tmp_path, monkeypatch):
    def read(*lines, ids=None, check=None, **rules):
        path = tmp_path / "drugs.csv"
        own = {"columns": {"id": "drug"}, "empty": ["note"], **rules}
        monkeypatch.setitem(RULES, path.name, own)
        path.write_text("\n".join(["drug,also,price,packs,form,on_list,note", *lines]), "utf-8")
        return read_table(path, Drug, ids=ids, check=check)

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
        ("b,,1,1,solid,true,", 'the drug "b" with the form "solid" appears twice'),
        ("a,,9,1,solid,true,", "it is dear"),
    ],
)
def test_a_fault_of_a_dataclass_is_named(drugs, line, message):
    with pytest.raises(BadDataError, match=rf"drugs\.csv, row 3: {message}\."):
        drugs(
            "b,,1,,solid,true,",
            line,
            positive=True,
            known={"id": "list.csv"},
            ids={"list.csv": "ab"},
            unique=["id", "form"],
            check=lambda drug: "it is dear" if drug.price > 5 else "",
        )


TWICE = "appears twice"
MINI, FIVE = "GPT-5 mini (2025-08-07),", "GPT-5 (2025-08-07),"
AT = "OpenAI API,gpt-5-"
FAULTS = [
    ("suites", "suite,name", "suit,name", 'row 1: the column "suite" is missing'),
    ("benchmarks", "medhelm,clear,", "elsewhere,clear,", 'row 3: the suite "elsewhere" is not'),
    ("benchmarks", "CLEAR,Clinical Decision Support", "CLEAR,", 'row 3: .*"category" is'),
    ("benchmarks", "Exact match,0,1,", "Exact match,1,1,", "row 3: scale_min must be below"),
    ("models", ",apache-2.0,open,", ",apache-2.0,ajar,", 'row 2: the access "ajar" must'),
    ("benchmark_groups", "Reasoning,medqa,", "Reasoning,medq,", 'row 2: .*benchmark "medq"'),
    ("benchmark_groups", "Reasoning,medmcqa", "Reasoning,medqa", f'row 3: .*"medqa" {TWICE}'),
    ("human_evaluation", "Claude-2,29.5", "Claude-2,101", "row 2: .*must be from 0 to 100"),
    ("human_evaluation", "h,Alpaca,", "h,Alpacca,", 'row 2: the model "Alpacca" is not in'),
    ("human_evaluation", "GPT-3.5-turbo,35", "Claude-2,35", f"row 3: .* {TWICE}"),
    ("human_evaluation", "benchhealth,Alp", "other,Alp", 'row 2: the suite "other"'),
    ("taxonomy_places", "MMLU medical subjects", "MMLU", 'row 2: .* has no subcategory "MMLU"'),
    ("taxonomy_places", "Planning Treatments", "Planning", "row 6: MedHELM has no subcategory"),
    ("taxonomy_places", "Summarization,Clin", "Billing & Coding,Clin", f"row 10: .*{TWICE}"),
    ("other_protocols", "medical-llm,Flan", "medical,Flan", 'row 2: the suite "open-medical"'),
    ("other_protocols", "Flan-PaLM,b", "Flan,b", 'row 2: the model "Flan" is not in'),
    ("other_protocols", "2 (best),", "2 (ER),", f"row 4: .* {TWICE}"),
    ("gpus", "T4,16,0.526", "T4,16,0", 'row 2: "usd_per_gpu_hour" must be above 0'),
    ("gpus", "T4,16,0.51,", "T4,24,0.51,", "row 4: T4 has 16 GB in a row above"),
    ("gpus", "2026-09-06", "06.09.2026", "row 2: .* must be an ISO date or undated"),
    ("architectures", "MHA,524288", "MHA,524289", "row 2: .* must be 524288 by layers"),
    ("architectures", "7b-hf,LLaMA-2-7B", "7b-hf,LLaMA-2-13B", "row 3: .* row above"),
    ("throughput", "1000,1000,15220", "128,128,15220", f"row 3: the model .* gpu .* {TWICE}"),
    ("requests", "Documenting Patient Visits", "Visits", "row 2: MedHELM has no subcategory"),
    ("condition_kinds", "soc2,", "baa,", rf'row \d+: the condition "baa" {TWICE}'),
    (
        "conditions",
        "API,,,zero_data_retention",
        "API,,,baa",
        f"row 3: the platform .* condition .* {TWICE}",
    ),
    (
        "conditions",
        "API,,,baa,",
        "API,,,bba,",
        'row 2: the condition "bba" is not in condition_kinds.csv',
    ),
    ("conditions", ",30,vendor", ",-1,vendor", "row 4: days must be 0 or more"),
    ("platforms", "aws,", "anthropic,", f'row 3: the provider "anthropic" {TWICE}'),
    ("lifecycle", ",2026-12-10,", ",2026-13-10,", r'row \d+: "2026-13-10" in "shutdown_on"'),
    ("lifecycle", ",2026-12-10,", ",2026-12,", r'row \d+: "2026-12" in "shutdown_on"'),
    ("lifecycle", ",2026-12-10,", ",20261210,", r'row \d+: "20261210" in "shutdown_on"'),
    ("lifecycle", ",2026-12-10,", ",2026-06-10,", r"row \d+: .*before it was deprecated"),
    ("lifecycle", ",deprecated,2026-11-01,", ",deprecated,,", r'row \d+: .*"status_on" is'),
    ("lifecycle", f"{MINI}{AT}mini-", f"{FIVE}{AT}", rf"row \d+: .*{TWICE}"),
    ("products", "(0709),xAI,2025-07-09", "(0709),xAI,July 2025", r'row \d+: "July 2025" in'),
    ("products", "Grok 3,", "Grok 4 (0709),", rf"row \d+: .* {TWICE}"),
    ("models", "Grok 4,Grok 4,,", "Grok 4,Grok 4,X,", "Grok 4: the developer is X, and xAI in"),
    ("crosswalk", "Glass Health 4.0,", "Glass 4.0,", 'product "Glass 4.0" is not in lifecycle.csv'),
    ("crosswalk", ",GPT-5,", ",GPT-55,", 'row 3: the model "GPT-55" is not in models.csv'),
    ("crosswalk", f"{MINI}GPT-5 mini,", f"{FIVE}GPT-5,", f'row 5: .* model "GPT-5" {TWICE}'),
]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "old", "new", "message"), FAULTS)
def test_a_fault_names_file_and_row(data, change, file, old, new, message):
    change(f"{file}.csv", old, new)
    said = rf"^catalogue/{file}\.csv, .*{message}"
    refused(BadDataError, said, load, data / "catalogue")


def no_source(folder):
    columns = "platform,maker,product,condition,answer,detail,source_url,as_of,days,source_kind"
    (folder / "conditions.csv").write_text(f"{columns}\nX,,,baa,yes,,,,,vendor\n")


def no_maker(folder):
    path = folder / "conditions.csv"
    path.write_text(path.read_text("utf-8").replace("platform,maker,", "platform,made_by,", 1))


def no_model(folder):
    path = folder / "cohorts" / "medhelm-paper.csv"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith("model,")), "utf-8")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (no_source, r'conditions\.csv, row 2: the column "source_url" is empty'),
        (no_maker, r'conditions\.csv.*"?maker'),
        (no_model, r"cohorts/medhelm-paper\.csv, row 2: the cohort has no"),
        (lambda folder: (folder / "models.csv").unlink(), r"catalogue/models\.csv is missing"),
    ],
)
def test_what_a_table_lacks_is_named(data, spoil, message):
    spoil(data / "catalogue")
    refused(BadDataError, message, load, data / "catalogue")


def test_a_preset_of_an_unknown_task_is_named(data, change):
    change("task_presets.csv", "documentation,medhelm", "cooking,medhelm")
    refused(BadDataError, r"tasks.csv lacks.*cooking", load, data / "catalogue")

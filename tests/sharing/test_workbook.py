"""CSV, workbook, memo and page take their figures from the same records, to the last digit."""

import csv
import io
from datetime import date

import openpyxl
import pytest

from core.answers import documents as documents_answers
from core.answers import recommend
from core.domain import OwnPrice, Requirements
from core.procurement.bill import unknown_cost
from core.procurement.shortlist import rank_models
from core.sharing import export
from core.sharing.link import Receipt, from_query, parse_url
from core.words.cost import basis
from core.words.figures import from_whom
from core.words.recommendation import headline
from core.words.shortlist import questions, rule_name, said_of, why_left_out

pytestmark = pytest.mark.documents

DAY = date(2026, 11, 21)
QUESTIONS = {
    "medhelm in January": Requirements(on_sale_on="2026-01-31"),
    "gates": Requirements(
        on_sale_months=None,
        gates=("baa", "soc2"),
        volumes=(("visit-notes", 1800.0), ("portal-messages", 2500.0)),
        monthly_budget_usd=300.0,
    ),
    "own price": Requirements(
        on_sale_months=None,
        task="own",
        weights=(("Clinical Note Generation", 2.0), ("Medical Research Assistance", 1.0)),
        own_prices=(OwnPrice("DeepSeek R1", 0.1, 0.3, "2026-11-01", "offer 17"),),
    ),
    "bridge with limits": Requirements(
        suite="bridge", max_params_b=33.0, access="own", overlap_once=True, monthly_budget_usd=20.0
    ),
    "gaps and no price": Requirements(suite="benchhealth"),
    "a cohort with some of the benchmarks": Requirements(
        cohort="medhelm-paper", on_sale_months=None
    ),
    "empty": Requirements(max_params_b=0.1),
}


@pytest.fixture(scope="module", params=QUESTIONS)
def documents(request, bundled):
    """The question as a link gives it again, with the CSV's cells and the opened workbook."""
    link = documents_answers.shortlist_link(
        bundled, QUESTIONS[request.param], DAY, "https://f.example/"
    )
    asked = from_query(parse_url(link), bundled.catalogue, bundled.snapshots).requirements
    found = recommend.shortlist(bundled, asked, DAY)
    decided = recommend.recommendation(bundled, asked, DAY)
    cells = cells_of(export.to_csv(export.records(decided, link)))
    raw = documents_answers.workbook(bundled, asked, DAY, made_on=DAY, address=link)
    return bundled, asked, found, cells, openpyxl.load_workbook(io.BytesIO(raw)), link


def cells_of(raw):
    return list(csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline="")))


def rows(book, name):
    return [list(row) for row in book[name].iter_rows(values_only=True)]


def dicts(book, name):
    head, *lines = rows(book, name)
    return [dict(zip(head, line, strict=True)) for line in lines]


def same(text, cell):
    """Whether a cell of the CSV is that of the workbook: numbers bit for bit."""
    if isinstance(cell, (int, float)):
        return float(text) == cell
    return text == ("" if cell is None else export.neutral(cell))


@pytest.mark.parametrize(
    ("name", "columns"), [("Shortlist", export.COLUMNS), ("Benchmarks", tuple(export.EVIDENCE))]
)
def test_the_workbook_has_the_very_cells_of_the_csv(documents, name, columns):
    store, asked, _, cells, book, _ = documents
    if name == "Benchmarks":
        cells = cells_of(documents_answers.evidence_csv(store, asked, DAY))
    sheet = rows(book, name)
    assert sheet[0] == cells[0] == list(columns)
    assert len(sheet) == len(cells)
    for line, row in zip(cells, sheet, strict=True):
        different = [pair for pair in zip(line, row, strict=True) if not same(*pair)]
        assert different == []


def test_the_full_evidence_gives_the_scores_again(documents):
    """The weighted mean of the points is the score, over the benchmarks that a model has."""
    *_, found, _, book, _ = documents
    # What a suite shows and does not score has a row and no weight.
    records = [record for record in dicts(book, "Benchmarks") if record["weight"] is not None]
    n_benchmarks = len(found.benchmarks)
    assert len(records) == len(found.rows) * n_benchmarks
    for k, row in enumerate(found.rows):
        own = records[k * n_benchmarks : (k + 1) * n_benchmarks]
        assert {record["model"] for record in own} == {row.model.id}
        has = [record for record in own if record["points"] is not None]
        assert len(has) == row.n_benchmarks
        assert sum(record["score"] is None for record in own) == len(row.missing)
        total = sum(record["weight"] for record in has)
        mean = sum(record["weight"] * record["points"] for record in has) / total / 100
        assert mean == pytest.approx(row.score, abs=1e-12)
        for record in has:
            width = record["scale_max"] - record["scale_min"]
            share = (record["score"] - record["scale_min"]) / width
            better = share if record["direction"] == "higher is better" else 1 - share
            assert record["points"] == pytest.approx(better * 100, abs=1e-9)


def test_the_bills_add_up_and_no_price_is_no_zero(documents):
    *_, found, _, book, _ = documents
    records = dicts(book, "Bills")
    assert {record["model"] for record in records} == {row.model.id for row in found.rows}
    for row in found.rows:
        own = [record for record in records if record["model"] == row.model.id]
        if row.cost.likely is None:
            assert [r["usd_per_month"] for r in own] == [None]
            assert own[0]["basis"] == basis(row.cost) != ""
            continue
        *parts, whole = own
        assert whole["category"] == export.WHOLE
        assert whole["usd_per_month"] == pytest.approx(row.cost.likely)
        assert {r["currency"] for r in own} == {"USD"}
        assert all(r["price_as_of"] and r["price_source"] and r["price_provider"] for r in own)
        if row.cost.cost_is == "own servers":
            assert parts == []
            assert whole["price_provider"] == from_whom(row.cost)
            continue
        assert whole["usd_per_month"] == row.bill.monthly_usd
        assert sum(r["usd_per_month"] for r in parts) == pytest.approx(row.bill.monthly_usd)


def test_the_first_sheet_is_the_recommendation(documents):
    """In short, then one line for each proposal; figures in points, and those of the CSV."""
    store, asked, _, cells, book, _ = documents
    decided = recommend.recommendation(store, asked, DAY)
    lead, *lines = dicts(book, "Recommendation")
    assert (lead["decision"], lead["text"]) == ("in short", headline(decided))
    assert {key for key, cell in lead.items() if cell is not None} == {"decision", "text"}
    assert [(line["decision"], line["model"]) for line in lines] == [
        (words, each.model.id) for words, each in decided.decisions()
    ]
    head, *rest = cells
    of = {row["model"]: row for row in (dict(zip(head, line, strict=True)) for line in rest)}
    pairs = {
        "points": ("score", 100),
        "cost_usd_per_month": ("monthly_cost_usd", 1),
        "difference_points": ("difference", 100),
        "from_points": ("difference_ci_low", 100),
        "to_points": ("difference_ci_high", 100),
        "severe_harm_percent": ("severe_harm_share", 100),
    }
    for line in lines:
        record = of[line["model"]]
        assert (record["decision"], record["name"]) == (line["decision"], line["name"])
        for key in ("tier", "basis", "on_sale"):
            assert (line[key] or "") == record[key]
        for key, (column, scale) in pairs.items():
            if record[column] == "":
                assert line[key] is None
            else:
                assert line[key] == pytest.approx(float(record[column]) * scale)
        assert line["text"]


def test_every_sheet_says_what_the_answer_says(documents):
    store, asked, found, _, book, link = documents
    assert book.sheetnames == [
        *("Recommendation", "Shortlist", "Left out", "Benchmarks", "Bills", "Questions"),
        *("Assumptions", "Receipt"),
    ]
    decided = recommend.recommendation(store, asked, DAY)
    assert [(row[0], row[2], row[3]) for row in rows(book, "Left out")[1:]] == [
        (out.model, rule_name(out.rule, asked), why_left_out(out))
        for out in decided.shortlist.left_out
    ]
    open_points = rows(book, "Questions")[1:]
    conditions = [said_of(r.routes[0], "conditional") for r in found.rows if r.routes]
    asks = [questions(r, asked) for r in found.rows]
    assert len(open_points) == sum(map(len, (*conditions, *asks)))
    receipt = documents_answers.receipt(store, asked, DAY, made_on=DAY, address=link)
    assert [tuple(row) for row in rows(book, "Receipt")[1:]] == list(receipt.lines())
    assert [row[:2] for row in rows(book, "Assumptions")[1:]] == [
        [it.label, it.value] for it in receipt.assumptions
    ]
    for sheet in book:
        assert sheet.freeze_panes == "A2"
        assert sheet.auto_filter.ref


def test_no_text_is_a_formula_or_a_link_and_numbers_are_numbers(documents):
    *_, book, _ = documents
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert {(cell.data_type, cell.hyperlink) for cell in cells} <= {("s", None), ("n", None)}
    for row in book["Shortlist"].iter_rows(min_row=2):
        named = dict(zip(export.COLUMNS, row, strict=True))
        assert named["score"].data_type == "n"
        assert named["score"].number_format == "0.0000"


def test_hostile_names_stay_text(make_model, make_matrix, recommended):
    model = '=HYPERLINK("http://x";1)'
    matrix = make_matrix({model: [0.1 + 0.2, 1 / 3]}, error=0.01)
    found = rank_models(
        Requirements(suite="suite"),
        weights=(("Category", 1.0),),
        matrix=matrix,
        models={model: make_model(model, name="https://x.example/" + "n" * 40_000)},
        clusters={},
        costs={model: unknown_cost(model)},
        workload=(),
    )
    decided = recommended(found, matrix)
    receipt = Receipt("0" * 12, "", "2026-11-21", "2026-11-21", (), "", (), ())
    raw = export.workbook(
        *(decided, receipt),
        shortlist=export.records(decided, ""),
        evidence=[],
    )
    book = openpyxl.load_workbook(io.BytesIO(raw))
    named = dict(zip(export.COLUMNS, next(book["Shortlist"].iter_rows(min_row=2)), strict=True))
    assert (named["model"].value, named["model"].data_type) == (model, "s")
    assert len(named["name"].value) == 32_000
    assert named["name"].hyperlink is None
    assert named["score"].value == ((0.1 + 0.2) + 1 / 3) / 2
    first = [cell for row in book["Recommendation"].iter_rows(min_row=2) for cell in row]
    assert {cell.data_type for cell in first} <= {"s", "n"}
    assert model in {cell.value for cell in first}

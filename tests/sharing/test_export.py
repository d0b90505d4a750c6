"""The shortlist as CSV and workbook: no formula, exact to the last digit, silent about unknowns."""

import csv
import io
import json
from dataclasses import replace
from datetime import date

import numpy as np
import openpyxl
import pandas as pd
import pytest

from core import figures
from core.answers import documents, recommend
from core.answers.asked import ask, shortlist_link
from core.domain import (
    Bill,
    ByToken,
    Loss,
    MonthlyCost,
    OwnPrice,
    Price,
    Question,
    Safety,
    Saving,
    ScoreTable,
)
from core.evidence.store import open_store
from core.figures import from_whom
from core.procurement.bill import unknown_cost
from core.procurement.shortlist import rank_models
from core.sharing import export
from core.sharing.link import Receipt, from_query, parse_url
from core.sheets import neutral, table_csv, to_csv
from core.words.conditions import said_of
from core.words.cost import basis
from core.words.recommendation import headline, saving_in_words
from core.words.shortlist import not_known, questions, rule_name, why_left_out
from tests.conftest import keep_table
from tests.sharing.conftest import SNAPSHOT, recommended

LINK = "https://formulary.example.org/?data=r1+%28abcdef12%29"


def bill_of(model, *usd):
    price = Price(model, "vendor", "Vendor", "x", 1.0, 1.0, "2026-11-21", "by hand")
    bill = ByToken(Bill(model, usd[1], (("Category", usd[1]),), price))
    return MonthlyCost(
        model, bill, *usd, "vendor", "Vendor", "2026-11-21", figures=(usd,), shared="the answer"
    )


HARM = Safety(
    **{"share": 0.209, "n": 100, "severe_errors_per_100": 39.9, "rank": 31, "n_systems": 32},
    **{"marked": True, "physicians": 0.167, "tested_as": "=2+3", "kind": "same version"},
)
SCORES = {"=2+3": [0.8, 0.9], "small": [0.79, 0.89], "gap": [None, 0.5]}


def ranked(matrix, models, costs, clusters=None, **asked):
    return rank_models(
        Question.of(suite="suite", **asked),
        weights=(("Category", 1.0),),
        matrix=matrix,
        models=models,
        clusters=clusters or {},
        costs=costs,
    )


@pytest.fixture
def found(make_matrix, make_model):
    """Two complete models, one of which replaces the other, and one with a gap and no facts."""
    matrix = replace(make_matrix(SCORES, error=0.01), snapshot=SNAPSHOT)
    names = {"name": '@SUM("a";1)', "developer": "-lab, \u00fc\u4e2d", "access": "closed"}
    models = {
        "=2+3": make_model("=2+3", **names),
        "small": make_model("small", access="open", params_b=7.5, licence="mit"),
        "gap": make_model("gap", name="line\nbreak"),
    }
    costs = {
        "=2+3": bill_of("=2+3", 60.0, 100.0, 150.0),
        "small": bill_of("small", 20.0, 25.5, 40.0),
        "gap": unknown_cost("gap"),
    }
    shortlist = ranked(matrix, models, costs, dict.fromkeys(("=2+3", "small"), "H"), margin=0.05)
    return shortlist, recommended(shortlist, matrix, {"=2+3": HARM})


@pytest.fixture
def rows(found):
    return export.records(found[1], LINK)


def read(raw):
    return list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline="")))


def test_a_record_says_what_the_row_says(rows):
    """Errors of 0.01 on two tests: a score varies by 0.01/√2, a difference by 0.01."""
    first, second, third = rows
    assert (first["model"], first["rank"], first["rank_all"]) == ("=2+3", 1, 1)
    # 0.01 apart with an error of 0.01: no order is shown.
    assert [(row["rank_band_first"], row["rank_band_last"]) for row in rows] == [
        *((1, 2), (1, 2), (None, None))
    ]
    assert first["score"] == pytest.approx(0.85)
    half = 1.959964 * 0.01 / 2**0.5
    ends = pytest.approx((0.85 - half, 0.85 + half), abs=1e-8)
    assert (first["ci_low"], first["ci_high"]) == ends
    assert first["interval_basis"] == "on these tests"
    money = ("monthly_cost_low", "monthly_cost_usd", "monthly_cost_high", "cost_is", "cost_from")
    assert [first[key] for key in money] == [60.0, 100.0, 150.0, "bill", "Vendor"]
    assert (second["params_b"], second["monthly_cost_usd"]) == (7.5, 25.5)
    assert (third["n_benchmarks"], third["n_missing"], third["missing"]) == (1, 1, "b0")
    assert third["cost_is"] == "unknown"


def test_a_record_says_its_decision_and_its_standing_to_the_leader(rows):
    """One candidate, −0.01 with an error of 0.01, margin 0.05: z = 4, so it is shown as good.

    Two are too few for an answer: both are to be tested, the higher score first.
    """
    first, second, third = rows
    assert [row["decision"] for row in rows] == ["test first", "test", None]
    harm = ("severe_harm_share", "severe_errors_per_100", "harm_rank", "harm_marked")
    assert [first[key] for key in harm] == [0.209, 39.9, 31, "yes"]
    against = ("compared_with", "held_against", "tier", "verdict", "basis", "margin", "vetoes")
    assert [second[key] for key in against] == [
        *("=2+3", "=2+3", "shown", "equivalent", "on these tests", 0.05, None)
    ]
    gap = ("difference", "difference_ci_low", "difference_ci_high")
    ends = (-0.01, -0.01 - 1.959964 * 0.01, -0.01 + 1.959964 * 0.01)
    assert [second[key] for key in gap] == [pytest.approx(end, abs=1e-8) for end in ends]
    # Two tests are too few to say anything about others.
    other = ("other_basis", "other_tier", "other_ci_low", "other_ci_high")
    assert {second[key] for key in other} == {None}
    # The leader is compared with nothing, and what has no rank is not judged.
    assert {row[key] for row in (first, third) for key in (*against, *gap)} == {None}


def test_what_is_decided_has_a_word_for_each_strength(found):
    _, decided = found
    lead, small = decided.choice.test_these
    none = {"take": None, "choose": (), "test_these": (), "as_good": (), "worth_testing": ()}

    def words(**fields):
        return export.decisions_of(
            replace(decided, choice=replace(decided.choice, **none | fields))
        )

    good = {"as_good": (lead,)}
    assert words(take=small, **good) == {"small": "take", "=2+3": "as good"}
    assert words(take=lead, worth_testing=(small,)) == {"=2+3": "take", "small": "worth a test"}
    assert words(take=lead, step_down=small) == {"=2+3": "take", "small": "step down"}
    # Of a choice the one of caution is named first, wherever it is.
    assert list(words(take=small, choose=(lead, small)).items()) == [
        *(("small", "choose first"), ("=2+3", "choose")),
    ]
    assert words(test_these=(lead, small)) == {"=2+3": "test first", "small": "test"}
    assert words() == {}


def test_the_other_basis_has_its_own_ends_and_tier(make_matrix, make_model):
    """Five tests: d = −3, −1, +1, −2, 0 points; mean −1, sd 1.581, error 1.581/√5 = 0.7071.

    On other tests t has 4 degrees of freedom, 2.776445: −1 ± 1.9632 points. To rule out −2 points:
    t = 1/0.7071 = 1.41, open. On these tests an error of 0.4 points on each score makes
    0.4·√2/√5 = 0.25298, z = 3.95: shown.
    """
    gaps = (-0.03, -0.01, 0.01, -0.02, 0.0)
    matrix = make_matrix({"a": [0.8] * 5, "b": [0.8 + gap for gap in gaps]}, error=0.004)
    costs = {name: bill_of(name, 1.0, 2.0, 3.0) for name in "ab"}
    shortlist = ranked(matrix, {name: make_model(name) for name in "ab"}, costs)
    _, row = export.records(recommended(shortlist, matrix), LINK)
    assert (row["model"], row["tier"], row["basis"]) == ("b", "shown", "on these tests")
    assert row["difference_ci_low"] == pytest.approx(-0.01 - 1.959964 * 0.0025298, abs=1e-7)
    assert (row["other_basis"], row["other_tier"]) == ("on other tests", "open")
    ends = pytest.approx((-0.01 - 0.0196324, -0.01 + 0.0196324), abs=1e-6)
    assert (row["other_ci_low"], row["other_ci_high"]) == ends


def test_a_veto_is_in_the_record_and_holds_the_verdict(found):
    """A tier that a veto holds at open reads "cannot tell" in the old word."""
    _, decided = found
    small = decided.dossiers["small"]
    vetoes = tuple(Loss(name, -0.06, -0.08, -0.04) for name in "AB")
    held = replace(small, judged=replace(small.judged, tier="open", vetoes=vetoes))
    row = export.records(replace(decided, dossiers={**decided.dossiers, "small": held}), LINK)[1]
    assert (row["tier"], row["verdict"]) == ("open", "cannot tell")
    said = "worse on {}: -6.0 points (-8.0 to -4.0)"
    assert row["vetoes"] == f"{said.format('A')}; {said.format('B')}"


def test_what_is_unknown_is_none_and_an_empty_cell_and_never_0(rows):
    known = {
        *("model", "name", "score", "ci_low", "ci_high", "interval_basis", "n_benchmarks"),
        *("n_missing", "missing", "access", "cost_is", "reasons", "questions", "run"),
        *("suite", "snapshot", "as_of", "retrieved_at"),
    }
    third, written = rows[2], read(to_csv(rows, export.SHORTLIST_COLUMNS))[2]
    assert {key for key, value in third.items() if value is not None} == known
    assert {key for key, value in written.items() if value} == known
    assert "0" not in {value for key, value in written.items() if key != "n_missing"}
    assert (rows[0]["missing"], rows[0]["n_missing"]) == (None, 0)
    assert read(to_csv(rows, export.SHORTLIST_COLUMNS))[0]["n_missing"] == "0"


def test_provenance_is_in_every_row_and_the_link_once(rows):
    for row in rows:
        assert row["suite"] == "suite"
        assert row["snapshot"] == "r1 abcdef123456"
        assert (row["as_of"], row["retrieved_at"]) == ("2026-01-01", "2026-11-21")
        assert row["run"] == f"{row['model']}@run"
    assert [row["link"] for row in rows] == [LINK, None, None]
    assert to_csv(rows, export.SHORTLIST_COLUMNS).decode().count(LINK) == 1


def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe(rows):
    for start in ("=", "+", "-", "@", "\t", "\r"):
        text = f"{start}HYPERLINK(1)"
        assert neutral(text) == f"'{text}"
        (row,) = read(
            to_csv(
                [rows[0] | {"name": text, "questions": text, "link": text}],
                export.SHORTLIST_COLUMNS,
            )
        )
        assert row["name"] == row["questions"] == row["link"] == f"'{text}"
    first, second, _ = read(to_csv(rows, export.SHORTLIST_COLUMNS))
    assert (first["model"], first["name"]) == ("'=2+3", '\'@SUM("a";1)')
    assert first["developer"] == "'-lab, \u00fc\u4e2d"
    assert second["compared_with"] == "'=2+3"
    for row in read(to_csv(rows, export.SHORTLIST_COLUMNS)):
        for key, value in row.items():
            assert not value.startswith(("=", "+", "@", "\t", "\r")), key
            assert not value.startswith("-") or float(value) < 0, key
    frame = pd.DataFrame({"Model": ["=1+1", "\u00fc\u4e2d"], "=x": [1.5, None]})
    frame["Rank"] = pd.array([1, None], dtype="Int64")
    # It opens in Excel, and ends its lines as RFC 4180 says.
    text = table_csv(frame, "suite r1").decode("utf-8")
    assert text == (
        "\ufeffModel,'=x,Rank,Source\r\n'=1+1,1.5,1,suite r1\r\n\u00fc\u4e2d,,,suite r1\r\n"
    )
    # A table with sources of its own keeps them under their name.
    text = table_csv(pd.DataFrame({"Source": ["https://x"]}), "suite r1").decode("utf-8-sig")
    assert text == "Source,Source of this file\r\nhttps://x,suite r1\r\n"


def test_json_and_pandas_read_the_same_values_back(rows):
    """Each in its own way; the CSV's own cells are those of the JSON.

    The columns themselves are held by the data dictionary.
    """
    assert [tuple(row) for row in rows] == [export.SHORTLIST_COLUMNS] * 3
    raw = to_csv(rows, export.SHORTLIST_COLUMNS)
    from_json = json.loads(json.dumps(rows, allow_nan=False))
    frame = pd.read_csv(io.BytesIO(raw))
    assert list(frame.columns) == list(export.SHORTLIST_COLUMNS)
    for record, row, (_, read_back) in zip(from_json, read(raw), frame.iterrows(), strict=True):
        for key, value in record.items():
            if value is None:
                assert pd.isna(read_back[key]), key
                assert row[key] == ""
            elif isinstance(value, str):
                assert read_back[key] == row[key] == neutral(value), key
            else:
                assert read_back[key] == float(row[key]) == value, key


TODAY = date(2026, 11, 21)
NO_ROW = ("GPT-5 (2025-08-07)", "medcalc_bench")
EMPTY_CELL = ("o3-mini (2025-01-31)", "aci_bench")


def test_a_gap_is_empty_in_the_csv_and_has_no_rank(bundled, data):
    """Planted in MedHELM and followed from the snapshot into the CSV: none is read as 0."""
    frame = bundled.scores(bundled.snapshot("medhelm"), "").set_index(["model", "benchmark"])
    frame.loc[EMPTY_CELL, "score"] = np.nan
    keep_table(data, ScoreTable("medhelm", frame.drop(index=[NO_ROW]).reset_index()))
    store = open_store()
    found = recommend.recommendation(ask(store, Question.of(on_sale_months=None), TODAY))
    sizes = {model.id: model.params_b for model in store.catalogue.models.values()}
    for row in read(to_csv(export.records(found, ""), export.SHORTLIST_COLUMNS)):
        lacking = int(row["model"] in (NO_ROW[0], EMPTY_CELL[0]))
        assert row["n_benchmarks"] == str(37 - lacking)
        assert row["n_missing"] == str(lacking)
        empty = ("rank", "rank_band_first", "rank_band_last", "rank_all", "cluster")
        assert {row[key] == "" for key in empty} == {lacking > 0}
        if lacking:
            assert {row[key] for key in ("decision", "tier", "verdict", "difference")} == {""}
        assert (row["missing"] == "") == (lacking == 0)
        assert row["params_b"] == ("" if (size := sizes[row["model"]]) is None else str(size))
        zero = [key for key, value in row.items() if value in ("0", "0.0", "nan", "None")]
        assert zero == ([] if lacking else ["n_missing"])


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a"], "a"),
        (["a", "b 1,000", "c"], "a, b 1,000 and c"),
        (["a, x"], "a, x"),
        (["a, x", "b"], "a, x; and b"),
        (["a", "b, x", "c"], "a; b, x; and c"),
    ],
    ids=["one", "three", "a comma alone", "a comma of two", "a comma of three"],
)
def test_names_with_commas_are_listed_by_semicolons(names, said):
    assert figures.listed(names) == said


def test_an_interval_has_both_ends_or_is_none():
    assert figures.interval(0.62, 0.7155) == "62.0 to 71.5"
    assert figures.signed_interval(-0.054, 0.014) == "\u22125.4 to +1.4"
    for ends in ((None, 0.1), (0.1, None), (None, None)):
        assert figures.interval(*ends) == figures.signed_interval(*ends) == "no interval"


def test_a_cost_is_an_estimate_and_an_unknown_one_is_no_zero():
    assert figures.money(bill_of("m", 20.0, 114.518, 250.0)) == "about $115 a month"
    assert figures.money(bill_of("m", 0.1, 0.4, 0.9)) == "about $0.40 a month"
    assert figures.money(unknown_cost("m")) == "price not known"
    # Only the least is known: the name of who is paid carries it where a column has likely costs.
    least = bill_of("m", 7_263.5, None, None)
    assert figures.money(least) == "at least $7,260 a month"
    assert figures.cost_from(least) == "at least $7,260 a month, Vendor"
    assert figures.cost_from(bill_of("m", 20.0, 114.518, 250.0)) == "Vendor"
    assert figures.cost_from(unknown_cost("m")) == "not known"


def test_a_small_saving_keeps_its_cents():
    assert saving_in_words(Saving(0.2, 0.4, 175.0)) == "saves $0.20 to $175 a month"
    assert saving_in_words(Saving(1.2, 4.0, 8.5)) == "saves $1.20 to $8.50 a month"


QUESTIONS = {
    "medhelm in January": Question.of(on_sale_on="2026-01-31"),
    "gates": Question.of(
        on_sale_months=None,
        required=("baa", "soc2"),
        volumes=(("visit-notes", 1800.0), ("portal-messages", 2500.0)),
        monthly_budget_usd=300.0,
    ),
    "own price": Question.of(
        on_sale_months=None,
        task="own",
        weights=(("Clinical Note Generation", 2.0), ("Medical Research Assistance", 1.0)),
        own_prices=(OwnPrice("DeepSeek R1", 0.1, 0.3, "2026-11-01", "offer 17"),),
    ),
    "bridge with limits": Question.of(
        suite="bridge", max_params_b=33.0, access="own", overlap_once=True, monthly_budget_usd=20.0
    ),
    "gaps and no price": Question.of(suite="benchhealth"),
    "a cohort with some of the benchmarks": Question.of(
        cohort="medhelm-paper", on_sale_months=None
    ),
    "empty": Question.of(max_params_b=0.1),
}


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=pytest.mark.documents) for name in QUESTIONS]
)
def written(request, bundled):
    """The question as a link gives it again, with the CSV's cells and the opened workbook."""
    link = shortlist_link(ask(bundled, QUESTIONS[request.param], TODAY), "https://f.example/")
    asked = from_query(parse_url(link), bundled.catalogue, bundled.snapshots).question
    found = recommend.shortlist(ask(bundled, asked, TODAY))
    decided = recommend.recommendation(ask(bundled, asked, TODAY))
    cells = cells_of(to_csv(export.records(decided, link), export.SHORTLIST_COLUMNS))
    raw = documents.workbook(ask(bundled, asked, TODAY), made_on=TODAY, address=link)
    return bundled, asked, found, cells, openpyxl.load_workbook(io.BytesIO(raw)), link


def cells_of(raw):
    return list(csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline="")))


def sheet_rows(book, name):
    return [list(row) for row in book[name].iter_rows(values_only=True)]


def dicts(book, name):
    head, *lines = sheet_rows(book, name)
    return [dict(zip(head, line, strict=True)) for line in lines]


def same(text, cell):
    if isinstance(cell, (int, float)):
        return float(text) == cell
    return text == ("" if cell is None else neutral(cell))


@pytest.mark.parametrize(
    ("name", "columns"),
    [("Shortlist", export.SHORTLIST_COLUMNS), ("Benchmarks", tuple(export.EVIDENCE))],
)
def test_the_workbook_has_the_very_cells_of_the_csv(written, name, columns):
    store, asked, _, cells, book, _ = written
    if name == "Benchmarks":
        cells = cells_of(documents.evidence_csv(ask(store, asked, TODAY)))
    sheet = sheet_rows(book, name)
    assert sheet[0] == cells[0] == list(columns)
    assert len(sheet) == len(cells)
    for line, row in zip(cells, sheet, strict=True):
        different = [pair for pair in zip(line, row, strict=True) if not same(*pair)]
        assert different == []


def test_the_full_evidence_gives_the_scores_again(written):
    """The weighted mean of the points is the score, over the benchmarks that a model has."""
    *_, found, _, book, _ = written
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


def test_the_bills_add_up_and_no_price_is_no_zero(written):
    *_, found, _, book, _ = written
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
        if row.cost.kind == "own servers":
            assert parts == []
            assert whole["price_provider"] == from_whom(row.cost)
            continue
        assert whole["usd_per_month"] == row.bill.monthly_usd
        assert sum(r["usd_per_month"] for r in parts) == pytest.approx(row.bill.monthly_usd)


def test_the_first_sheet_is_the_recommendation(written):
    """In short, then one line for each proposal; figures in points, and those of the CSV."""
    store, asked, _, cells, book, _ = written
    decided = recommend.recommendation(ask(store, asked, TODAY))
    lead, *lines = dicts(book, "Recommendation")
    said = {key: cell for key, cell in lead.items() if cell is not None}
    assert said == {"Decision": "in short", "Why, and what to ask": headline(decided)}
    assert [(line["Decision"], line["Identifier"]) for line in lines] == [
        (words, each.model.id) for words, each in decided.decisions()
    ]
    head, *rest = cells
    of = {row["model"]: row for row in (dict(zip(head, line, strict=True)) for line in rest)}
    pairs = {
        "Score, points": ("score", 100),
        "Cost, $ a month": ("monthly_cost_usd", 1),
        "Difference, points": ("difference", 100),
        "From": ("difference_ci_low", 100),
        "To": ("difference_ci_high", 100),
        "Severe harm, %": ("severe_harm_share", 100),
    }
    for line in lines:
        record = of[line["Identifier"]]
        assert (record["decision"], record["name"]) == (line["Decision"], line["Model"])
        for key, column in (("As good?", "tier"), ("Basis", "basis"), ("On sale", "on_sale")):
            assert (line[key] or "") == record[column]
        for key, (column, scale) in pairs.items():
            if record[column] == "":
                assert line[key] is None
            else:
                assert line[key] == pytest.approx(float(record[column]) * scale)
        assert line["Why, and what to ask"]


def test_every_sheet_says_what_the_answer_says(written):
    store, asked, found, _, book, link = written
    assert book.sheetnames == [
        *("Recommendation", "Shortlist", "Left out", "Benchmarks", "Bills", "Questions"),
        *("Assumptions", "Receipt"),
    ]
    decided = recommend.recommendation(ask(store, asked, TODAY))
    assert [(row[0], row[2], row[3]) for row in sheet_rows(book, "Left out")[1:]] == [
        (out.model, rule_name(out.rule, asked), why_left_out(out))
        for out in decided.shortlist.left_out
    ]
    open_points = sheet_rows(book, "Questions")[1:]
    conditions = [said_of(r.terms[0], "conditional") for r in found.rows if r.terms]
    asks = [(*questions(r, asked), *not_known(r, asked)) for r in found.rows]
    assert len(open_points) == sum(map(len, (*conditions, *asks)))
    receipt = documents.receipt(ask(store, asked, TODAY), made_on=TODAY, address=link)
    assert [tuple(row) for row in sheet_rows(book, "Receipt")[1:]] == list(receipt.lines())
    assert [row[:2] for row in sheet_rows(book, "Assumptions")[1:]] == [
        [it.label, it.value] for it in receipt.assumptions
    ]
    for sheet in book:
        assert sheet.freeze_panes == "A2"
        assert sheet.auto_filter.ref


def test_no_text_is_a_formula_or_a_link_and_numbers_are_numbers(written):
    *_, book, _ = written
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert {(cell.data_type, cell.hyperlink) for cell in cells} <= {("s", None), ("n", None)}
    for row in book["Shortlist"].iter_rows(min_row=2):
        named = dict(zip(export.SHORTLIST_COLUMNS, row, strict=True))
        assert named["score"].data_type == "n"
        assert named["score"].number_format == "0.0000"


@pytest.mark.documents
def test_hostile_names_stay_text(make_model, make_matrix):
    model = '=HYPERLINK("http://x";1)'
    matrix = make_matrix({model: [0.1 + 0.2, 1 / 3]}, error=0.01)
    found = rank_models(
        Question.of(suite="suite"),
        weights=(("Category", 1.0),),
        matrix=matrix,
        models={model: make_model(model, name="https://x.example/" + "n" * 40_000)},
        clusters={},
        costs={model: unknown_cost(model)},
    )
    decided = recommended(found, matrix)
    receipt = Receipt("0" * 12, "", "2026-11-21", "2026-11-21", (), "", (), ())
    raw = export.shortlist_workbook(
        *(decided, receipt),
        shortlist=export.records(decided, ""),
        evidence=[],
    )
    book = openpyxl.load_workbook(io.BytesIO(raw))
    named = dict(
        zip(export.SHORTLIST_COLUMNS, next(book["Shortlist"].iter_rows(min_row=2)), strict=True)
    )
    assert (named["model"].value, named["model"].data_type) == (model, "s")
    assert len(named["name"].value) == 32_000
    assert named["name"].hyperlink is None
    assert named["score"].value == ((0.1 + 0.2) + 1 / 3) / 2
    first = [cell for row in book["Recommendation"].iter_rows(min_row=2) for cell in row]
    assert {cell.data_type for cell in first} <= {"s", "n"}
    assert model in {cell.value for cell in first}

"""The shortlist as CSV: safe in a spreadsheet, exact in pandas, silent about what is unknown."""

import csv
import io
import json
from dataclasses import replace

import pandas as pd
import pytest

from core.domain import Requirements, Snapshot
from core.procurement.shortlist import judged, rank_models
from core.sharing.export import COLUMNS, neutral, records, table_csv, to_csv

LINK = "https://formulary.example.org/?data=r1+%28abcdef12%29"
SNAPSHOT = Snapshot(
    suite="suite",
    revision="r1",
    as_of="2026-01-01",
    retrieved_at="2026-11-21",
    source_url="https://example.org",
    licence="MIT",
    sha256="abcdef1234567890",
    n_rows=1,
    n_runs=1,
    n_models=1,
    n_benchmarks=1,
    note="",
)


@pytest.fixture
def shortlist(make_matrix, make_model, make_tree, make_bill):
    """Two complete models, one of which replaces the other, and one with a gap and no facts."""
    scores = {"=2+3": [0.8, 0.9], "small": [0.79, 0.89], "gap": [None, 0.5]}
    asked = Requirements(suite="suite")
    ranking = rank_models(
        asked,
        weights=(("Category", 1.0),),
        matrices=[replace(make_matrix(scores, error=0.01), snapshot=SNAPSHOT)],
        taxonomies=[make_tree({"=2+3": "H", "small": "H"})],
        models={
            "=2+3": make_model(
                "=2+3", name='@SUM("a";1)', developer="-lab, \u00fc\u4e2d", access="closed"
            ),
            "small": make_model("small", access="open", params_b=7.5, licence="mit"),
            "gap": make_model("gap", name="line\nbreak"),
        },
        bills={"=2+3": make_bill("=2+3", 100.0), "small": make_bill("small", 25.5)},
        workload=(),
    )
    return judged(ranking, asked)


@pytest.fixture
def rows(shortlist):
    return records(shortlist, LINK)


def read(raw):
    return list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline="")))


def test_the_columns_are_stable_and_every_record_has_them_in_order(rows):
    expected = (
        "rank,rank_band_first,rank_band_last,model,name,developer,score,ci_low,ci_high,"
        "interval_basis,n_benchmarks,n_missing,missing,params_b,access,licence,monthly_cost_usd,"
        "price_provider,price_as_of,price_source,from_whom,conditions_status,conditions,"
        "cluster,equivalent,equivalent_verdict,equivalent_margin,equivalent_difference,"
        "equivalent_ci_low,equivalent_ci_high,equivalent_cheaper_by,equivalent_saving_share,"
        "reasons,questions,run,suite,snapshot,as_of,retrieved_at,link"
    )
    assert ",".join(COLUMNS) == expected
    assert [tuple(row) for row in rows] == [COLUMNS] * 3


def test_a_record_says_what_the_row_says(rows):
    first, second, third = rows
    assert (first["model"], first["rank"], first["rank_band_last"]) == ("=2+3", 1, 2)
    assert first["score"] == pytest.approx(0.85)
    assert (first["equivalent"], first["equivalent_cheaper_by"]) == ("small", "bill")
    assert first["equivalent_difference"] == pytest.approx(-0.01)
    assert first["equivalent_saving_share"] == pytest.approx(0.745)
    assert (second["params_b"], second["monthly_cost_usd"]) == (7.5, 25.5)
    assert (third["n_benchmarks"], third["n_missing"], third["missing"]) == (1, 1, "b0")


def test_what_is_unknown_is_none_and_an_empty_cell_and_never_0(rows):
    unknown = (
        *("rank", "rank_band_first", "rank_band_last", "developer", "params_b", "licence"),
        *("monthly_cost_usd", "price_provider", "price_as_of", "price_source", "cluster"),
        *("from_whom", "conditions_status", "conditions"),
        *("equivalent", "equivalent_verdict", "equivalent_margin", "equivalent_difference"),
        "equivalent_ci_low",
        *("equivalent_ci_high", "equivalent_cheaper_by", "equivalent_saving_share"),
    )
    third, written = rows[2], read(to_csv(rows))[2]
    assert {key: third[key] for key in unknown} == dict.fromkeys(unknown)
    assert {key: written[key] for key in unknown} == dict.fromkeys(unknown, "")
    assert "0" not in {value for key, value in written.items() if key != "n_missing"}
    assert rows[0]["missing"] is None
    assert (rows[0]["n_missing"], read(to_csv(rows))[0]["n_missing"]) == (0, "0")


def test_provenance_stands_in_the_columns_of_every_row(rows):
    for row in rows:
        assert row["suite"] == "suite"
        assert row["snapshot"] == "r1 abcdef123456"
        assert (row["as_of"], row["retrieved_at"]) == ("2026-01-01", "2026-11-21")
        assert row["link"] == LINK
        assert row["run"] == f"{row['model']}@run"


def test_two_suites_are_both_named_and_a_missing_date_says_so(shortlist):
    other = replace(SNAPSHOT, suite="other", revision="r2", as_of="")
    row = records(replace(shortlist, snapshots=(SNAPSHOT, other)), LINK)[0]
    assert row["suite"] == "suite; other"
    assert row["snapshot"] == "r1 abcdef123456; r2 abcdef123456"
    assert row["as_of"] == "2026-01-01; not published"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe(rows, start):
    text = f"{start}HYPERLINK(1)"
    assert neutral(text) == f"'{text}"
    (row,) = read(to_csv([rows[0] | {"name": text, "questions": text, "link": text}]))
    assert row["name"] == row["questions"] == row["link"] == f"'{text}"


def test_formulas_in_models_names_and_developers_are_neutral_in_the_file(rows):
    first = read(to_csv(rows))[0]
    assert (first["model"], first["name"]) == ("'=2+3", '\'@SUM("a";1)')
    assert first["developer"] == "'-lab, \u00fc\u4e2d"
    for row in read(to_csv(rows)):
        for key, value in row.items():
            assert not value.startswith(("=", "+", "@", "\t", "\r")), key
            assert not value.startswith("-") or float(value) < 0, key


@pytest.mark.parametrize("number", [-0.01, -5, 1e-9, 0, 0.0, 12345678.9])
def test_numbers_stay_numbers(rows, number):
    assert neutral(number) == number
    (row,) = read(to_csv([rows[0] | {"score": number}]))
    assert float(row["score"]) == number


def test_other_text_is_left_as_it_is():
    for text in ("GPT-4o", "a=b", "'quoted", "", "1+1", " =1"):
        assert neutral(text) == text


def test_the_file_opens_in_excel_and_ends_its_lines_as_rfc_4180_says(rows):
    raw = to_csv(rows)
    assert raw.startswith(b"\xef\xbb\xbfrank,rank_band_first")
    assert raw.count(b"\xef\xbb\xbf") == 1
    assert raw.endswith(b"\r\n")
    assert b"\r\r" not in raw
    assert "\u00fc\u4e2d".encode() in raw


def test_an_empty_shortlist_still_has_its_header(shortlist):
    empty = records(replace(shortlist, rows=()), LINK)
    assert empty == []
    raw = to_csv(empty)
    assert raw == b"\xef\xbb\xbf" + ",".join(COLUMNS).encode() + b"\r\n"
    assert list(pd.read_csv(io.BytesIO(raw)).columns) == list(COLUMNS)


def test_pandas_reads_the_same_values_back(rows):
    frame = pd.read_csv(io.BytesIO(to_csv(rows)))
    assert list(frame.columns) == list(COLUMNS)
    assert len(frame) == 3
    for record, (_, read_back) in zip(rows, frame.iterrows(), strict=True):
        for key, value in record.items():
            if value is None:
                assert pd.isna(read_back[key]), key
            elif isinstance(value, str):
                assert read_back[key] == neutral(value), key
            else:
                assert read_back[key] == value, key


def test_json_and_csv_agree(rows):
    from_json = json.loads(json.dumps(rows, allow_nan=False))
    for record, row in zip(from_json, read(to_csv(rows)), strict=True):
        for key, value in record.items():
            written = row[key]
            if isinstance(value, (int, float)):
                assert float(written) == value, key
            else:
                assert written == neutral(value), key


def test_a_table_keeps_gaps_empty_neutralises_formulas_and_names_its_source():
    frame = pd.DataFrame(
        {
            "Model": ["=1+1", "b"],
            "=x": [1.5, None],
            "Rank": pd.array([1, None], dtype="Int64"),
        }
    )
    text = table_csv(frame, "suite r1").decode("utf-8-sig")
    assert text == "Model,'=x,Rank,Source\r\n'=1+1,1.5,1,suite r1\r\nb,,,suite r1\r\n"

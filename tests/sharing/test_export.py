"""The shortlist as CSV: safe in a spreadsheet, exact in pandas, silent about what is unknown."""

import csv
import io
import json
from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
import pytest

from core.answers import recommend
from core.domain import Bill, Loss, MonthlyCost, Price, Requirements, Safety, ScoreTable
from core.evidence import snapshots
from core.evidence.store import open_store
from core.procurement.bill import unknown_cost
from core.procurement.shortlist import rank_models
from core.sharing import export
from core.sharing.export import records, to_csv
from tests.sharing.conftest import SNAPSHOT

LINK = "https://formulary.example.org/?data=r1+%28abcdef12%29"


def bill_of(model, *usd):
    price = Price(model, "vendor", "Vendor", "x", 1.0, 1.0, "2026-11-21", "by hand")
    vendor = {
        "bill": Bill(model, usd[1], (("Category", usd[1]),), price),
        "figures": (usd,),
        "shared": "the answer",
    }
    return MonthlyCost(model, "bill", *usd, "vendor", "Vendor", "2026-11-21", **vendor)


HARM = Safety(
    **{"share": 0.209, "n": 100, "severe_errors_per_100": 39.9, "rank": 31, "n_systems": 32},
    **{"marked": True, "physicians": 0.167, "tested_as": "=2+3", "kind": "same version"},
)
SCORES = {"=2+3": [0.8, 0.9], "small": [0.79, 0.89], "gap": [None, 0.5]}


def ranked(matrix, models, costs, clusters=None, **asked):
    return rank_models(
        Requirements(suite="suite", **asked),
        weights=(("Category", 1.0),),
        matrix=matrix,
        models=models,
        clusters=clusters or {},
        costs=costs,
        workload=(),
    )


@pytest.fixture
def found(make_matrix, make_model, recommended):
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


def test_a_record_says_what_is_decided_and_how_it_stands_to_the_leader(rows):
    """One candidate, −0.01 with an error of 0.01, margin 0.05: z = 4, so it is shown as good.

    Two are too few for an answer: both are to be tested, the higher score first.
    """
    first, second, third = rows
    assert [row["decision"] for row in rows] == ["test first", "test", None]
    harm = ("severe_harm_share", "severe_errors_per_100", "harm_rank", "harm_marked")
    assert [first[key] for key in harm] == [0.209, 39.9, 31, "yes"]
    against = ("held_against", "tier", "verdict", "basis", "margin", "vetoes")
    assert [second[key] for key in against] == [
        *("=2+3", "shown", "equivalent", "on these tests", 0.05, None)
    ]
    gap = ("difference", "difference_ci_low", "difference_ci_high")
    ends = (-0.01, -0.01 - 1.959964 * 0.01, -0.01 + 1.959964 * 0.01)
    assert [second[key] for key in gap] == [pytest.approx(end, abs=1e-8) for end in ends]
    # Two tests are too few to say anything about others.
    other = ("other_basis", "other_tier", "other_ci_low", "other_ci_high")
    assert {second[key] for key in other} == {None}
    # The leader is held against nobody, and what has no rank is not judged.
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
    # Of a choice the one of caution is named first, wherever it stands.
    assert list(words(take=small, choose=(lead, small)).items()) == [
        *(("small", "choose first"), ("=2+3", "choose")),
    ]
    assert words(test_these=(lead, small)) == {"=2+3": "test first", "small": "test"}
    assert words() == {}


def test_the_other_basis_has_its_own_ends_and_tier(make_matrix, make_model, recommended):
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
    third, written = rows[2], read(export.to_csv(rows))[2]
    assert {key for key, value in third.items() if value is not None} == known
    assert {key for key, value in written.items() if value} == known
    assert "0" not in {value for key, value in written.items() if key != "n_missing"}
    assert (rows[0]["missing"], rows[0]["n_missing"]) == (None, 0)
    assert read(export.to_csv(rows))[0]["n_missing"] == "0"


def test_provenance_stands_in_every_row_and_the_link_once(rows):
    for row in rows:
        assert row["suite"] == "suite"
        assert row["snapshot"] == "r1 abcdef123456"
        assert (row["as_of"], row["retrieved_at"]) == ("2026-01-01", "2026-11-21")
        assert row["run"] == f"{row['model']}@run"
    assert [row["link"] for row in rows] == [LINK, None, None]
    assert export.to_csv(rows).decode().count(LINK) == 1


def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe(rows):
    for start in ("=", "+", "-", "@", "\t", "\r"):
        text = f"{start}HYPERLINK(1)"
        assert export.neutral(text) == f"'{text}"
        (row,) = read(export.to_csv([rows[0] | {"name": text, "questions": text, "link": text}]))
        assert row["name"] == row["questions"] == row["link"] == f"'{text}"
    first, second, _ = read(export.to_csv(rows))
    assert (first["model"], first["name"]) == ("'=2+3", '\'@SUM("a";1)')
    assert first["developer"] == "'-lab, \u00fc\u4e2d"
    assert second["held_against"] == "'=2+3"
    for row in read(export.to_csv(rows)):
        for key, value in row.items():
            assert not value.startswith(("=", "+", "@", "\t", "\r")), key
            assert not value.startswith("-") or float(value) < 0, key
    frame = pd.DataFrame({"Model": ["=1+1", "\u00fc\u4e2d"], "=x": [1.5, None]})
    frame["Rank"] = pd.array([1, None], dtype="Int64")
    # It opens in Excel, and ends its lines as RFC 4180 says.
    text = export.table_csv(frame, "suite r1").decode("utf-8")
    assert text == (
        "\ufeffModel,'=x,Rank,Source\r\n'=1+1,1.5,1,suite r1\r\n\u00fc\u4e2d,,,suite r1\r\n"
    )


def test_json_and_pandas_read_the_same_values_back(rows):
    """Each in its own way; the CSV's own cells are those of the JSON.

    The columns themselves are held by the data dictionary.
    """
    assert [tuple(row) for row in rows] == [export.COLUMNS] * 3
    raw = export.to_csv(rows)
    from_json = json.loads(json.dumps(rows, allow_nan=False))
    frame = pd.read_csv(io.BytesIO(raw))
    assert list(frame.columns) == list(export.COLUMNS)
    for record, row, (_, read_back) in zip(from_json, read(raw), frame.iterrows(), strict=True):
        for key, value in record.items():
            if value is None:
                assert pd.isna(read_back[key]), key
                assert row[key] == ""
            elif isinstance(value, str):
                assert read_back[key] == row[key] == export.neutral(value), key
            else:
                assert read_back[key] == float(row[key]) == value, key


TODAY = date(2026, 11, 21)
ANY = Requirements(on_sale_months=None)
"""Nothing is left out, not even what is no longer sold."""
NO_ROW = ("GPT-5 (2025-08-07)", "medcalc_bench")
EMPTY_CELL = ("o3-mini (2025-01-31)", "aci_bench")
NO_CATEGORY = ("Claude 3.5 Sonnet (20241022)", "Administration and Workflow")


@pytest.fixture(scope="module")
def planted(bundled):
    model, category = NO_CATEGORY
    benchmarks = bundled.catalogue.benchmarks["medhelm"]
    of_category = {(model, b.id) for b in benchmarks if b.category == category}
    assert len(of_category) == 5
    return {NO_ROW, EMPTY_CELL, *of_category}


@pytest.fixture
def store(bundled, planted, data):
    kept = bundled.snapshot("medhelm")
    frame = bundled.scores(kept, "")
    pairs = list(zip(frame["model"], frame["benchmark"], strict=True))
    frame.loc[[pair in planted for pair in pairs], "score"] = np.nan
    frame = frame[[pair != NO_ROW for pair in pairs]]
    snapshots.write(
        data / "snapshots",
        ScoreTable("medhelm", frame),
        revision="gaps",
        as_of="",
        retrieved_at="2026-11-21",
        source_url="https://example.org",
        licence="MIT",
    )
    return open_store()


def test_a_gap_is_empty_in_the_csv_and_its_model_has_no_rank(store, planted):
    found = recommend.recommendation(store, ANY, TODAY)
    rows = records(found, "")
    text = to_csv(rows).decode("utf-8-sig")
    sizes = {model.id: model.params_b for model in store.catalogue.models.values()}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        lacking = sum(model == row["model"] for model, _ in planted)
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

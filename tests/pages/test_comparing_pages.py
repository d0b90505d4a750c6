"""Win rates, Side by side, Quality and cost: their figures against the answers behind them."""

from reading import number, said, table

from core.answers import cost, recommend, replacing
from core.answers.evidence import win_rates
from core.domain import Requirements, Selection
from core.words import figures
from pages.components import evidence

WINS, COMPARE, COSTS = "evidence/win_rates", "replace/side_by_side", "cost/quality"
ALL = Requirements(on_sale_months=None, on_sale_on="2025-05-01")
"""Every model, on a day when each was sold and so has its price."""
SALE = {"sale": "Not asked", "sale_on": "2025-05-01"}
MEDHELM = {"evidence": "MedHELM"}


def test_those_who_may_be_first_are_named_and_one_model_asks_for_a_second(visit):
    at = visit(WINS, **MEDHELM)
    assert len(at.dataframe) == 1
    # Who may be first is named: those whose range of places begins at 1.
    shown = at.dataframe[0].value
    first = shown["Model"][shown["May be"].str.match(r"1(\s|$)")]
    assert all(name in said(at) for name in first)
    at = visit(COMPARE, **MEDHELM, compare=["GPT-5 (2025-08-07)"])
    assert not at.error
    assert "at least two models" in at.info[0].value


def test_the_first_two_of_the_shortlist_stand_side_by_side(visit, bundled):
    at = visit(COMPARE, **SALE)
    rows = recommend.shortlist(bundled, ALL, evidence.today()).rows[:2]
    assert at.multiselect(key="compare").value == [row.model.name for row in rows]
    models = tuple(row.model.id for row in rows)
    (pair,) = replacing.side_by_side(bundled, ALL, models, evidence.today()).pairs
    assert number(r"on (\d+) of (\d+) benchmarks, clearly on (\d+), and clearly behind", at) == [
        *(pair.n_ahead(), 37, pair.n_ahead(clearly=True)),
    ]
    shown = table(at, "Benchmark")
    assert len(shown) == 37
    words = set(shown[f"{rows[1].model.name} against the first"].str.extract(r"^(\S+ \w+)")[0])
    assert words
    assert words <= {"▲ better", "▼ worse", "≈ cannot", "no interval"}


def test_each_figure_stands_with_both_ends_of_its_interval(visit, bundled):
    """Of win rates, quality beside cost, and the differences of a pair; none is no zero."""
    day, names = evidence.today(), {m.id: m.name for m in bundled.catalogue.models.values()}
    rates = win_rates(bundled, Selection("medhelm")).rows
    rows = {names[row.model]: row for row in rates}
    found = {"Win rate, %": (visit(WINS, **MEDHELM), rows)}
    quality = cost.cost_quality(bundled, ALL, day, "bill").rows
    found["On the frontier"] = visit(COSTS, **SALE), {row.model.name: row for row in quality}
    for column, (at, expected) in found.items():
        shown = table(at, column)
        for side, end in (("From", "ci_low"), ("To", "ci_high")):
            ends = [getattr(expected[name], end) for name in shown["Model"]]
            assert list(shown[side]) == [None if x is None else x * 100 for x in ends]
            assert not all(x is None for x in ends)
    first, second = recommend.shortlist(bundled, ALL, day).rows[:2]
    models = (first.model.id, second.model.id)
    (pair,) = replacing.side_by_side(bundled, ALL, models, day).pairs
    at = visit(COMPARE, **SALE)
    assert figures.signed_interval(pair.overall.ci_low, pair.overall.ci_high) in said(at)
    column = table(at, "Benchmark")[f"{second.model.name} against the first"]
    ends = [figures.signed_interval(gap.ci_low, gap.ci_high) for gap in pair.gaps]
    assert sum(column.str.count(r"\(.* to .*\)")) == sum("to" in one for one in ends) > 0


def test_the_frontier_is_said_and_an_unpriced_model_is_never_free(visit, bundled):
    at = visit(COSTS, **SALE)
    found = cost.cost_quality(bundled, ALL, evidence.today(), "bill")
    on = [row.model.name for row in found.rows if row.on_frontier]
    assert number(r"Of (\d+) models", at) == [13]
    shown = table(at, "On the frontier")
    assert set(shown["Model"][shown["On the frontier"] == "yes"]) == set(on)
    at = visit(COSTS, **SALE, cost="Cost of the benchmark runs")
    assert number(r"(\d+) models without a published cost of the benchmark runs", at) == [4]
    shown = table(at, "On the frontier")
    unknown = shown[shown["Basis"].str.startswith("no published")]
    assert len(unknown) == 4
    assert unknown["Cost"].isna().all()
    assert set(unknown["On the frontier"]) == {"not known"}

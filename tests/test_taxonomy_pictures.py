"""What the pictures of trees draw: lines, columns, names, and the models that change side."""

import re
import struct
from datetime import date

import numpy as np
import pytest

from core.answers import recommend, replacing
from core.answers.asked import ask
from core.charts import grids, intervals, trees
from core.charts.kit import WIDTH, image
from core.domain import Question, WinRates
from core.statistics.stability import stability
from core.statistics.taxonomy import agreement, build_taxonomy

SCORES = {"a": [10.0, 9, 9], "b": [9.0, 9, 10], "c": [1.0, 0, 2], "d": [0.0, 1, 1]}


@pytest.fixture
def matrix(make_matrix):
    return make_matrix(SCORES)


@pytest.fixture
def models(make_model):
    return [make_model(name) for name in SCORES]


@pytest.fixture
def crowd(make_matrix, make_model):
    values = np.random.default_rng(1).uniform(size=(160, 3))
    tree = build_taxonomy(make_matrix({f"m{i}": list(row) for i, row in enumerate(values)}))
    return tree, [make_model(name) for name in tree.models]


def test_links_by_hand_and_a_branch_is_named_by_its_outer_models():
    # Leaves 2 and 0 join at 1, then 1 joins them at 3: two legs at places 0 and 1, then the bar
    # from their middle to place 2.
    tree = np.array([[2, 0, 1.0, 2], [3, 1, 3.0, 3]])
    first, second = trees.links(tree, [2, 0, 1])
    assert first.corners == ((0, 0), (0, 1), (1, 1), (1, 0))
    assert (first.start, first.stop) == (0, 2)
    assert second.corners == ((0.5, 1), (0.5, 3), (2, 3), (2, 0))
    assert (second.start, second.stop) == (0, 3)
    names = ["a", "b", "c", "d"]
    assert trees.branch_words(names, 1, 2) == "b"
    assert trees.branch_words(names, 1, 3) == "2 models: b and c"
    assert trees.branch_words(names, 0, 4) == "4 models: a … d"


@pytest.mark.slow
def test_the_tree_is_over_its_columns_high_in_blue(matrix, models):
    tree = build_taxonomy(matrix)
    order = [tree.models[i] for i in tree.leaf_order]
    picture = trees.dendrogram_over_heatmap(tree, models)
    data = picture["datasets"]
    # Two pairs, each in the colour of its cluster, and between them a bar at the middle of each.
    bars = [row for row in data["lines"] if row["step"] in (1, 2)]
    assert [(row["x"], row["cluster"]) for row in bars[-2:]] == [
        (0.5, "between clusters"),
        (2.5, "between clusters"),
    ]
    assert {(row["x"], row["cluster"]) for row in bars[:-2]} == {
        *((0, "H"), (1, "H"), (2, "L"), (3, "L")),
    }
    assert [(row["cluster"], row["models"]) for row in data["clusters"]] == [("H", 2), ("L", 2)]
    assert [row["branch"] for row in data["cells"]][::3] == order
    svg = image(picture, "svg", title="Tree", source="s").decode("utf-8")
    assert all(f">{name}<" in svg for name in order)
    picture = trees.dendrogram_over_heatmap(build_taxonomy(matrix), models)
    scale = picture["vconcat"][-1]["layer"][0]["encoding"]["color"]["scale"]
    # The scheme runs from orange to blue in altair's own order turned round.
    assert (scale["scheme"], scale["reverse"]) == ("blueorange", True)


def test_a_crowd_is_drawn_by_its_top_branches(crowd):
    tree, models = crowd
    assert trees.is_collapsed(tree)
    ordered = [tree.models[i] for i in tree.leaf_order]
    columns = trees.columns_of(tree, models)
    assert len(columns.runs) == 30
    assert [stop for _, stop in columns.runs[:-1]] == [start for start, _ in columns.runs[1:]]
    assert (columns.runs[0][0], columns.runs[-1][1]) == (0, 160)
    start, stop = columns.runs[4]
    members = list(tree.leaf_order[start:stop])
    np.testing.assert_allclose(columns.means[4], tree.standardised[members].mean(axis=0))
    assert trees.branch_words(ordered, 0, 160) == f"160 models: {ordered[0]} … {ordered[-1]}"
    picture = trees.dendrogram_over_heatmap(tree, models)
    assert len(picture["datasets"]["cells"]) == 30 * 3
    assert image(picture, "svg", title="Tree", source="s").count(b"Models in the branch")


def test_support_and_co_clustering_are_in_the_order_of_the_tree(matrix, models):
    tree = build_taxonomy(matrix)
    found = stability(matrix, tree, noise="benchmarks", n_resamples=50)
    data = trees.support_over_co_clustering(tree, models, found)["datasets"]
    order = [tree.models[i] for i in tree.leaf_order]
    assert [row["model"] for row in data["pairs"][:4]] == order
    # The two pairs are far apart on every benchmark: they come out each time.
    assert [row["share"] for row in data["pairs"][:4]] == [1, 1, 0, 0]
    assert [row["support"] for row in data["supports"]] == [1, 1]
    # Low in the tree, figures would lie over each other.
    assert [row["percent"] for row in data["supports"]] == ["", ""]


def test_a_line_joins_each_model_and_marks_a_changed_side(make_matrix):
    one = build_taxonomy(make_matrix({"a": [9.0], "b": [8.0], "c": [1.0], "d": [0.0]}))
    other = build_taxonomy(make_matrix({"a": [0.5], "b": [9.0], "c": [8.9], "d": [0.0]}))
    found = agreement(one, other)
    names = {name: name.upper() for name in SCORES}
    picture = trees.tanglegram(found, names, ("one", "other"), same_letters=True)
    data = picture["datasets"]
    kinds = {row["model"]: row["kind"] for row in data["lines"]}
    assert kinds == dict.fromkeys("AC", "changes side") | dict.fromkeys("BD", "same side")
    place = {row["name"][0]: row["y"] for row in data["names"] if row["side"] == 1}
    assert {row["model"]: row["y2"] for row in data["lines"]} == place
    assert {row["name"] for row in data["names"] if row["name"][0] == "A"} == {"A (H)", "A (L)"}
    # Each tree keeps to its own side, its root at the outer edge.
    assert min(row["x"] for row in data["trees"]) == 0
    assert max(row["x"] for row in data["trees"]) == 1
    assert image(picture, "svg", title="Trees", source="s").count(b"D (L)") >= 2


@pytest.fixture
def picture():
    rows = [
        {"model": "first <b>", "group": "others", "value": 61.0, "low": 50, "high": 70, "end": 70},
        {"model": "second", "group": "others", "value": 42.0, "low": 40, "high": 44, "end": 44},
    ]
    return intervals._SCORES | {"datasets": {"rows": rows}}


def drawn(picture, kind="svg"):
    return image(picture, kind, title="How sure is it?", source="Suite r1, as of 2026")


def test_an_svg_says_what_it_shows_and_where_it_is_from(picture):
    text = drawn(picture).decode("utf-8")
    for words in ("How sure is it?", "Suite r1, as of 2026", "first &lt;b&gt;", "second", "61.0"):
        assert words in text
    assert "<b>" not in text


def test_a_png_has_twice_the_width_of_the_drawing_and_its_words(picture):
    png = drawn(picture, "png")
    assert png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", png[16:24])
    assert width > 2 * WIDTH
    assert height > 2 * 2 * 24
    # Without a font on the machine, words would leave no trace.
    unnamed = image(picture, "png", title=" ", source=" ")
    assert len(png) > len(unnamed) + 1000


def test_the_picture_names_who_could_be_best_without_overlaps(bundled):
    """Two of BRIDGE's first have a known cost; only those decided on had a name."""
    asked = Question.of(suite="bridge")
    rows = recommend.shortlist(ask(bundled, asked, date(2026, 11, 27))).rows
    priced = [row for row in rows if row.cost.likely is not None]
    drawn = intervals.everybody(priced, "bill", ())["datasets"]["models"]
    named = {it["model"] for it in drawn if it["named"]}
    first = {row.model.name for row in priced if intervals.may_be_first(row)}
    assert named
    assert named <= first
    assert len(named) >= 2


def test_a_name_goes_to_the_side_where_it_covers_nothing():
    """On 700 pixels; a name of ten letters is 65 long, and a line is 16 high."""
    along = intervals._Along(0.0, 700.0, False)

    def sides(*spots):
        dots = [{"model": "ten lettrs", "cost": x, "quality": y, "named": ""} for x, y in spots]
        intervals._name(dots, [True] * len(dots), along, 1.0)
        return [dot["named"] for dot in dots]

    assert sides((100, 50), (600, 50)) == ["left", "right"]
    # The second would cover the first on its own side, and goes to the other.
    assert sides((300, 50), (310, 45)) == ["left", "right"]
    # No side is left for the third; no name is cut off at an edge.
    assert sides((300, 50), (310, 45), (305, 42)) == ["left", "right", ""]
    assert sides((20, 50), (25, 45)) == ["left", ""]


@pytest.mark.parametrize(
    ("points", "ends"),
    [([61.2, 98.6], [60, 100]), ([60, 95], [60, 95]), ([100, 100], [95, 100]), ([0, 0], [0, 5])],
)
def test_no_axis_of_a_pair_ends_beyond_its_scale(points, ends):
    drawn = grids.pair_scatter(np.array(points), np.array([40.0, 52.0]), ["a", "b"], "A", "B")
    scales = [drawn["layer"][0]["encoding"][axis]["scale"]["domain"] for axis in ("x", "y")]
    assert scales == [ends, [40, 55]]


def test_no_tick_of_the_dots_is_cut_at_the_edge():
    found = WinRates("", "", None, rows=(), categories=(), skipped=(), excluded=(), snapshot=None)
    scale = intervals.win_rate_chart(found, [])["layer"][0]["encoding"]
    assert (scale["x"]["scale"]["nice"], scale["x"]["scale"]["padding"]) == (False, 36)


def test_ticks_of_a_small_difference_have_digits_and_zero_no_sign(bundled):
    """Two scores of HealthBench-Psych are 0.3 points apart: all ticks but zero read +0 or −0."""
    asked = ask(bundled, Question.of(suite="healthbench-psych"), date(2026, 11, 28))
    found = replacing.side_by_side(asked, ("kimi-k2.6", "gpt-5.5"))
    (pair,) = found.pairs
    picture = intervals.benchmark_gaps(pair, found.scores)
    svg = image(picture, "svg", title="t", source="s").decode()
    ticks = re.findall(r">([+−]?0(?:\.\d+)?)</text>", svg)
    assert "0" in ticks
    assert len(set(ticks)) == len(ticks) > 3
    assert not {"+0", "−0"} & {*ticks}

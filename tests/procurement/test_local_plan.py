import math

from core.domain import BenchmarkPair
from core.local_test.plan import smaller as plan
from core.words.local_test import kept_or_not


def pair(a, b, r):
    return BenchmarkPair(a, b, r, 0.0, significant=True, n_models=9)


def test_what_is_kept_stands_for_what_is_close_to_it(make_benchmark):
    benchmarks = [make_benchmark(key) for key in ("a", "b", "c", "d", "e")]
    pairs = [
        *(pair("a", "b", 0.9), pair("a", "c", -0.85), pair("a", "d", 0.3), pair("b", "c", 0.99)),
        *(pair("b", "d", 0.1), pair("c", "d", 0.4)),
        *(pair(other, "e", math.nan) for other in "abcd"),
    ]
    rows = {row.benchmark.id: row for row in plan(benchmarks, ["a", "d"], pairs)}
    assert list(rows) == ["a", "d", "b", "c", "e"]
    assert [row.kept for row in rows.values()] == [True, True, False, False, False]
    assert kept_or_not(rows["a"]) == "Stands for b and c."
    assert kept_or_not(rows["d"]) == "Nothing left out is close to it."
    assert (rows["b"].closest.id, rows["b"].r) == ("a", 0.9)
    assert kept_or_not(rows["b"]) == "a tells much the same."
    assert (rows["c"].closest.id, rows["c"].r) == ("a", -0.85)
    assert (rows["e"].closest, rows["e"].r) == (None, None)
    assert kept_or_not(rows["e"]) == "Its scores do not vary together with any that is kept."


def test_what_nothing_replaces_says_so(make_benchmark):
    benchmarks = [make_benchmark("a"), make_benchmark("b")]
    _, row = plan(benchmarks, ["b"], [pair("a", "b", 0.79)])
    assert kept_or_not(row) == "Not replaced, but the ranking holds without it; the closest is b."


def test_long_lists_are_cut(make_benchmark):
    benchmarks = [make_benchmark(f"b{i}") for i in range(7)]
    first, *_ = plan(benchmarks, ["b0"], [pair("b0", f"b{i}", 0.9) for i in range(1, 7)])
    assert kept_or_not(first) == "Stands for b1, b2, b3, b4 and 2 more."

"""Benchmarks: what repeats, shared votes, smaller sets, and what has been tested."""

import numpy as np
import pytest
from scipy.stats import kendalltau, zscore

from core.answers import data
from core.domain import BadRequestError, Exclusion, Selection, TooFewError
from core.statistics.benchmarks import (
    correlate,
    count_tests,
    coverage_gaps,
    evenness,
    group_means,
    kendall_tau,
    one_vote_per_group,
    similar_first,
    smaller_sets,
    vote_groups,
    within_groups,
)

SCORES = np.random.default_rng(7).random((9, 4))
PAIR = [[1.0, 1.0], [2.0, 2.7], [3.0, 2.6], [4.0, 4.2], [5.0, 5.0]]


def test_correlations_by_hand(make_matrix, make_benchmark):
    # Bonferroni: p is 0.0070, below 0.01 for one pair, above 0.01/3 for three.
    one_pair = correlate(make_matrix(PAIR)).pairs[0]
    of_three = correlate(make_matrix(np.column_stack([PAIR, [1, 0, 1, 0, 0]]))).pairs[0]
    assert one_pair.p_value == of_three.p_value
    assert (one_pair.significant, of_three.significant) == (True, False)
    benchmarks = [make_benchmark("a"), make_benchmark("b", lower_is_better=True)]
    (pair,) = correlate(make_matrix([[1, -1], [2, -2], [4, -4]], benchmarks=benchmarks)).pairs
    assert (pair.r, pair.p_value) == (pytest.approx(1), pytest.approx(0, abs=1e-7))


def test_incomplete_models_are_left_out_of_every_pair(make_matrix):
    rows = [*SCORES, [0.5, np.nan, 0.1, 0.9]]
    with_it, without = correlate(make_matrix(rows)), correlate(make_matrix(SCORES))
    assert with_it.pairs == without.pairs
    assert with_it.excluded == (Exclusion("m9", "no score on b1"),)


def test_real_cohort_as_r_gives_it(bundled):
    # R 4: cor.test(x[, a], x[, b]); cor(x[, a], x[, b], method="spearman")
    oracle = {
        ("medmcqa", "medqa"): (0.975219836581683, 1.2283355137413e-91, 0.942240856498569),
        ("mmlu_anatomy", "mmlu_clinical_knowledge"): (
            *(0.954739010250699, 5.12010077375014e-74),
            0.935886472817319,
        ),
        ("medqa", "pubmedqa"): (0.705521329264506, 3.11589208453537e-22, 0.524768417269351),
    }
    matrix = data.matrix(bundled, Selection("open-medical-llm", include_flagged=True))
    pearson = {(pair.a, pair.b): pair for pair in correlate(matrix).pairs}
    spearman = {(pair.a, pair.b): pair for pair in correlate(matrix, method="spearman").pairs}
    for pair, (r, p, rho) in oracle.items():
        assert pearson[pair].n_models == 139
        assert pearson[pair].r == pytest.approx(r, abs=1e-12)
        assert pearson[pair].p_value == pytest.approx(p, rel=1e-6)
        assert spearman[pair].r == pytest.approx(rho, abs=1e-12)


def too_few(error, said, act, scores, **more):
    return pytest.param(error, said, lambda make: act(make(scores), **more))


@pytest.mark.parametrize(
    ("error", "said", "act"),
    [
        too_few(TooFewError, "at least 2 benchmarks", correlate, [[1], [2], [3]]),
        too_few(TooFewError, "at least 3 models", correlate, [[1, 2], [2, 3], [3, np.nan]]),
        too_few(BadRequestError, "kendall is not one of", correlate, SCORES, method="kendall"),
        too_few(BadRequestError, "from 0 to 1; it is 80", vote_groups, SCORES, threshold=80),
        too_few(TooFewError, "at least 2 benchmarks", vote_groups, SCORES[:, :1]),
        too_few(TooFewError, "at least 3 models", similar_first, SCORES[:2]),
        too_few(TooFewError, "at least 2 of them; there is 1", smaller_sets, [[1], [2], [3]]),
        too_few(
            *(TooFewError, "at least 3 models with every benchmark; there are 2"),
            *(smaller_sets, [[1, 2], [2, 3], [3, np.nan]]),
        ),
        too_few(TooFewError, "tells these models apart", smaller_sets, [[1, 2]] * 3),
    ],
)
def test_what_is_too_few_is_one_sentence(make_matrix, error, said, act):
    with pytest.raises(error, match=said):
        act(make_matrix)


# Columns with the correlations r(b0, b1) = 0.8, r(b2, b3) = -0.8 and 0 between the two pairs,
# since the four vectors beneath are orthogonal and of one length.
_A, _B, _C, _D = (
    np.array([1, 1, 1, 1, -1, -1, -1, -1]),
    np.array([1, 1, -1, -1, 1, 1, -1, -1]),
    np.array([1, -1, 1, -1, 1, -1, 1, -1]),
    np.array([1, -1, -1, 1, 1, -1, -1, 1]),
)
PAIRS_OF_FOUR = np.column_stack([_A, 0.8 * _A + 0.6 * _B, _C, 0.6 * _D - 0.8 * _C])


@pytest.mark.parametrize(
    ("threshold", "groups"),
    [
        (0.81, (("b0",), ("b1",), ("b2",), ("b3",))),
        (0.8, (("b0", "b1"), ("b2", "b3"))),
        (0.01, (("b0", "b1"), ("b2", "b3"))),
        (0, (("b0", "b1", "b2", "b3"),)),
    ],
)
def test_groups_by_hand(make_matrix, threshold, groups):
    assert vote_groups(make_matrix(PAIRS_OF_FOUR), threshold) == groups


def test_real_suites_as_r_gives_them(bundled):
    # R 4: cutree(hclust(as.dist(1 - abs(cor(x))), "average"), h=0.2)
    medhelm = data.matrix(bundled, Selection("medhelm", include_flagged=True))
    numbers = [
        *(1, 2, 3, 4, 5, 6, 1, 1, 1, 7, 8, 9, 1, 10, 11, 12, 13, 6, 11, 1, 14, 15, 11, 7, 16, 17),
        *(18, 19, 20, 21, 22, 23, 24, 13, 25, 11, 26),
    ]
    expected = [
        tuple(b.id for b, of in zip(medhelm.benchmarks, numbers, strict=True) if of == number)
        for number in range(1, 27)
    ]
    assert list(vote_groups(medhelm)) == expected
    # ... h=0.05
    exams = data.matrix(bundled, Selection("open-medical-llm", include_flagged=True))
    assert vote_groups(exams, 0.95) == (
        ("medmcqa", "medqa"),
        ("mmlu_anatomy",),
        (
            "mmlu_clinical_knowledge",
            "mmlu_college_biology",
            "mmlu_college_medicine",
            "mmlu_medical_genetics",
            "mmlu_professional_medicine",
        ),
        ("pubmedqa",),
    )
    assert [len(group) for group in vote_groups(exams)] == [8, 1]


def test_groups_are_together_in_the_order(make_matrix, bundled):
    shuffled = make_matrix(PAIRS_OF_FOUR[:, [2, 0, 3, 1]])
    assert vote_groups(shuffled) == (("b0", "b2"), ("b1", "b3"))
    assert similar_first(shuffled) in [
        (*first, *second)
        for first in (("b0", "b2"), ("b2", "b0"))
        for second in (("b1", "b3"), ("b3", "b1"))
    ]
    medhelm = data.matrix(bundled, Selection("medhelm"))
    order = similar_first(medhelm)
    assert sorted(order) == sorted(benchmark.id for benchmark in medhelm.benchmarks)
    for group in vote_groups(medhelm):
        places = sorted(order.index(benchmark) for benchmark in group)
        assert places[-1] - places[0] == len(group) - 1


def test_pairs_within_a_group_are_found(make_matrix):
    found = correlate(make_matrix(PAIRS_OF_FOUR))
    pairs = within_groups([("b0", "b2"), ("b1",), ("b3",)], found)
    assert [(pair.a, pair.b) for pair in pairs] == [("b0", "b2")]


def test_a_group_has_one_vote():
    six = [f"mmlu{i}" for i in range(6)]
    weights = dict.fromkeys((*six, "x", "y", "z"), 1 / 9)
    found = one_vote_per_group(weights, [six, ["x"], ["y"], ["z"]])
    assert list(found) == list(weights)
    assert found == pytest.approx(dict.fromkeys(six, 1 / 24) | dict.fromkeys("xyz", 1 / 4))
    # g1 has no weight and takes no part of its group's vote; c is in no group.
    given = {"g0": 1, "g1": 0, "c": 1}
    assert one_vote_per_group(given, [["g0", "g1", "elsewhere"]]) == given
    for none in ({}, {"a": 0.0}):
        assert one_vote_per_group(none, [["g0"]]) == none


# By hand: every column has mean 0 and the same SD, so that sums rank as standardised means do.
# Sums over all three: 7, 3, -3, -7.
WORKED = [[3, 3, 1], [1, -1, 3], [-1, 1, -3], [-3, -3, -1]]


def test_worked_example(make_matrix):
    one, two, three = smaller_sets(make_matrix(WORKED), tokens={"b0": 5.0, "b1": 7.0})
    assert (one.benchmarks, one.tau) == (("b0",), 1)  # b1 turns one of 6 pairs, b2 two
    # b0 + b1: 6, 0, 0, -6 tie one pair: 5/sqrt(5*6). b0 + b2: 4, 4, -4, -4 tie two: 4/sqrt(4*6).
    # b1 + b2: 4, 2, -2, -4 keep the order.
    assert (two.benchmarks, two.tau) == (("b1", "b2"), 1)
    assert (three.benchmarks, three.tau, three.adjusted_rand) == (("b0", "b1", "b2"), 1, 1)
    assert {found.search for found in (one, two, three)} == {"exhaustive"}
    # The tokens of b2 are not known.
    tokens = [(found.tokens, found.tokens_saved) for found in (one, two, three)]
    assert tokens == [(5, None), (None, 5), (None, 0)]
    assert smaller_sets(make_matrix(WORKED))[0].tokens is None


@pytest.mark.parametrize("n", [3, 40, 300])
def test_tau_as_scipy_gives_it(n):
    rng = np.random.default_rng(n)
    reference, others = (
        rng.integers(0, n, n).astype(float),
        rng.integers(0, 9, (n, 30)).astype(float),
    )
    expected = [kendalltau(reference, others[:, j]).statistic for j in range(30)]
    assert kendall_tau(reference, others) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_real_sets_as_r_gives_them(bundled):
    # R 4: z <- scale(x); full <- rowMeans(z); for (k in 1:9) max(apply(combn(9, k), 2,
    #   function(s) cor(full, round(rowMeans(z[, s, drop=FALSE]), 9), method="kendall")))
    selection = Selection("open-medical-llm", include_flagged=True)
    found = smaller_sets(data.matrix(bundled, selection))
    assert [one.tau for one in found] == pytest.approx(
        [
            *(0.866652149135074, 0.896095095321356, 0.92326139088729),
            *(0.929517255760609, 0.947033677405901, 0.963715983734752),
            *(0.974559482848504, 0.987488270253363, 1),
        ],
        abs=1e-9,
    )
    assert found[1].benchmarks == ("medqa", "mmlu_college_medicine")


def test_clusters_kept_by_hand(make_matrix):
    # b2 ranks as all do, but alone its clusters are {m0} and the rest, where all three give
    # {m0, m1} and {m2, m3}: one pair together in both, 2 and 3 in each, 1 expected by chance.
    one, *_, three = smaller_sets(make_matrix([[1, 1, 10], [1, 1, 2], [0, 0, 1], [0, 0, 0]]))
    assert (one.benchmarks, one.tau, one.adjusted_rand) == (("b2",), 1, 0)
    assert three.adjusted_rand == 1


def test_beyond_fifteen_benchmarks_one_is_added_at_a_time(make_matrix):
    rng = np.random.default_rng(5)
    z = zscore(rng.normal(size=(12, 16)))
    found = smaller_sets(make_matrix(z))
    assert {one.search for one in found} == {"greedy"}
    assert [len(one.benchmarks) for one in found] == list(range(1, 17))
    chosen = []
    for one in found:
        taus = {
            j: round(kendalltau(z.sum(axis=1), z[:, [*chosen, j]].sum(axis=1)).statistic, 9)
            for j in range(16)
            if j not in chosen
        }
        assert round(one.tau, 9) == max(taus.values())
        (added,) = {int(key[1:]) for key in one.benchmarks} - set(chosen)
        assert taus[added] == max(taus.values())
        chosen.append(added)
    assert found[-1].tau == 1


def test_among_equals_the_fewest_items_then_the_first(make_matrix, make_benchmark):
    scores = np.repeat([[1.0], [2.0], [4.0]], 3, axis=1)

    def first(*items):
        benchmarks = [make_benchmark(f"b{j}", n_items=n) for j, n in enumerate(items)]
        return smaller_sets(make_matrix(scores, benchmarks=benchmarks))[0]

    assert first(30, 20, 20).benchmarks == ("b1",)
    assert first(None, None, 500).benchmarks == ("b2",)
    assert first(None, None, None).benchmarks == ("b0",)


def test_benchmarks_that_cancel_out_rank_nothing(make_matrix):
    one, two = smaller_sets(make_matrix([[1, 3], [2, 2], [3, 1]]))
    assert (one.tau, two.tau) == (None, None)


CARE, RESEARCH = ("Care", "Notes"), ("Research", "Reading")
EMPTY, LOCKED, EXAMS = ("Care", "Orders"), ("Care", "Staffing"), ("Care", "Knowledge")
CLOSED = ("Research", "Trials")
PLACES = (CARE, EMPTY, LOCKED, EXAMS, RESEARCH, CLOSED)


def test_coverage_by_place_suite_and_model(make_matrix, make_benchmark):
    def at(place, key, **fields):
        return make_benchmark(key, category=place[0], subcategory=place[1], **fields)

    main = make_matrix(
        [[0.1, 0.2, 0.3, 0.4, 0.5, np.nan], [0.1, np.nan, np.nan, 0.4, np.nan, 0.9]],
        models=["open", "closed"],
        benchmarks=[
            at(CARE, "notes", material="clinical notes"),
            at(LOCKED, "rota", access="private", material=""),
            at(EXAMS, "board", material="exam questions"),
            at(RESEARCH, "papers", access="gated", material="literature"),
            at(("Nowhere", "Else"), "other"),
            at(CLOSED, "trials", access="", material="health records"),
        ],
    )
    second = make_matrix(
        [[1.0, 2.0, np.nan], [1.0, np.nan, np.nan]],
        models=["other", "lazy"],
        benchmarks=[
            at(("Own", "Summaries"), "sums", access="regulated", material="clinical text"),
            at(("Own", "Quiz"), "quiz", access="open access", material="exam questions"),
            at(RESEARCH, "never", access="open access"),
        ],
    )
    mapped = {("second", "Own", "Summaries"): CARE, ("second", "Own", "Quiz"): EXAMS}
    found = count_tests(PLACES, {"main": main, "second": second}, mapped, {"open", "other"})
    assert (found.places, found.suites) == (PLACES, ("main", "second"))
    both = [(place, suite) for place in (CARE, EXAMS, RESEARCH) for suite in found.suites]
    assert found.counts == dict.fromkeys((*both, (LOCKED, "main"), (CLOSED, "main")), 1)
    ids = [" ".join(it.id for it in found.total[place].benchmarks) for place in PLACES]
    assert ids == ["notes sums", "", "rota", "board quiz", "papers never", "trials"]
    # The most severe gap first.
    assert list(coverage_gaps(found).items()) == [
        (EMPTY, "no benchmark"),
        (CLOSED, "no open model"),
        (LOCKED, "private data only"),
        (EXAMS, "exam questions only"),
    ]


GROUPS = {"questions": ("b0", "b1", "b2"), "reports": ("b3", "b4")}


@pytest.fixture
def percent(make_matrix, make_benchmark):
    def make(scores):
        columns = [make_benchmark(f"b{j}", scale_max=100.0) for j in range(len(scores[0]))]
        return make_matrix(scores, benchmarks=columns)

    return make


def test_the_mean_over_all_and_the_sum_of_sample_deviations(percent):
    # Questions 1, 3, 5: squares 4 + 0 + 4 over n - 1 = 2 give 4, so 2. Reports 10, 14: 8 / 1.
    rows = [[1, 3, 5, 10, 14, 27], [1, np.nan, 5, 10, 14, 20], [1, 3, 5, 10, 14, np.nan]]
    found, gap, other, none = evenness(percent([*rows, [np.nan] * 6]), GROUPS)
    reports, sums = pytest.approx(8**0.5), pytest.approx(2 + 8**0.5)
    assert (found.generalisability, found.robustness, found.n_datasets) == (10, sums, 6)
    assert found.spreads == (("questions", 2.0), ("reports", reports))
    # A missing member leaves robustness unknown, and the mean is over the rest.
    assert (gap.robustness, gap.generalisability, gap.n_datasets) == (None, 10, 5)
    assert dict(gap.spreads) == {"questions": None, "reports": reports}
    # A gap outside the groups does not count against robustness.
    assert (other.robustness, other.generalisability) == (sums, pytest.approx(33 / 5))
    assert (none.generalisability, none.robustness, none.n_datasets) == (None, None, 0)
    means = group_means(percent(rows[:2]), GROUPS)
    assert means == {"questions": (3.0, None), "reports": (12.0, 12.0)}


def test_scales_that_differ_and_groups_that_do_not_fit_are_refused(
    percent, make_matrix, make_benchmark
):
    scores = percent([[1, 2, 3, 4, 5]])
    for groups, message in (
        ({}, "has no groups"),
        ({"one": ("b0",)}, "one has fewer than two"),
        ({"two": ("b0", "b9")}, "names b9"),
    ):
        with pytest.raises(BadRequestError, match=message):
            evenness(scores, groups)
    for turned in ({"scale_max": 10.0}, {"lower_is_better": True}):
        columns = [make_benchmark("b0"), make_benchmark("b1", **turned)]
        with pytest.raises(BadRequestError, match="no common mean"):
            evenness(make_matrix([[0.5, 0.6]], benchmarks=columns), {"g": ("b0", "b1")})

"""The command ``pair``: two runs, or the runs of two models, item by item."""

import pandas as pd
import pytest

from core.answers import replacing
from core.domain import BadRequestError, ScoreTable
from core.evidence import snapshots
from core.evidence.store import open_store
from tests.conftest import score_table

SUITE = "open-medical-llm"
SCORES = {
    "google/gemma-2b": {"medqa": [1, 1, 0, 1], "pubmedqa": [1, 0]},
    "google/gemma-7b": {"medqa": [1, 0, 0, 0], "pubmedqa": [0, 1]},
    "EleutherAI/gpt-j-6b": {"medqa": [0, 0, 0, 1], "pubmedqa": [1, 1]},
}
KEYS = [
    *("a", "b", "benchmark", "n_items", "n_attempts_a", "n_attempts_b", "mean_a", "mean_b"),
    *("difference", "standard_error", "ci_low", "ci_high"),
    *("both", "only_a", "only_b", "neither", "mcnemar_p"),
]


@pytest.fixture
def store(data):
    cells = [(m, b, values) for m, of in SCORES.items() for b, values in of.items()]
    records = [
        {"model": m, "run": f"{m}@run", "benchmark": b, "score": sum(v) / len(v)}
        for m, b, v in cells
    ] + [{"model": "openai-community/gpt2", "run": "old", "benchmark": "medqa", "score": 0.3}]
    rows = [
        {"run": f"{m}@run", "benchmark": b, "item": f"q{i}", "attempt": k, "score": float(score)}
        for m, b, values in cells
        for i, score in enumerate(values)
        for k in range(1, 3 if m.startswith("Eleuther") else 2)
    ]
    made = score_table(SUITE, records)
    snapshots.write(
        data / "snapshots",
        ScoreTable(made.suite, made.frame, made.facts, pd.DataFrame(rows)),
        revision="r1",
        as_of="2026-01-01",
        retrieved_at="2026-11-21",
        source_url="https://example.org",
        licence="MIT",
    )
    return open_store(data)


def words(**arguments):
    given = {"suite": SUITE, "benchmark": "all", "a": "google/gemma-2b", "b": "google/gemma-7b"}
    return ["pair", *(f"--{key}={value}" for key, value in (given | arguments).items())]


@pytest.mark.slow
def test_one_benchmark_and_all_of_them_which_weigh_alike(store, ask):
    found = ask(*words(benchmark="medqa", b="google/gemma-7b@run"))
    assert list(found) == KEYS
    assert (found["a"], found["b"]) == ("google/gemma-2b@run", "google/gemma-7b@run")
    assert (found["n_items"], found["mean_a"], found["difference"]) == (4, 0.75, 0.5)
    assert [found[key] for key in KEYS[12:]] == [1, 2, 0, 1, 0.5]
    found = ask(*words(b="EleutherAI/gpt-j-6b"))
    assert (found["n_items"], found["n_attempts_a"], found["n_attempts_b"]) == (6, 6, 12)
    assert (found["mean_a"], found["mean_b"]) == (0.625, 0.625)
    assert [found[key] for key in KEYS[12:]] == [None] * 5


def test_a_suite_that_weighs_by_item_does_so_here(store, monkeypatch):
    monkeypatch.setattr(replacing, "_BY_ITEM", (SUITE,))
    found = replacing.pair(store, SUITE, "all", "google/gemma-2b", "google/gemma-7b")
    assert (found.mean_a, found.mean_b) == (pytest.approx(4 / 6), pytest.approx(2 / 6))


@pytest.mark.slow
def test_what_is_not_there_is_one_sentence(store, cli):
    for given, said in [
        ({"suite": "nosuch"}, 'There is no suite "nosuch"'),
        ({"benchmark": "nosuch"}, 'has no items of "nosuch"; it has medqa, pubmedqa, all.'),
        ({"a": "nosuch"}, 'open-medical-llm has no run or model "nosuch" with scores.'),
        ({"a": "openai-community/gpt2"}, 'gpt2" has no item results in open-medical-llm.'),
        ({"a": "google/gemma-7b"}, 'Both are the run "google/gemma-7b@run": give two different'),
    ]:
        status, _, error = cli(*words(**given))
        assert status == 2
        assert said in error
        assert error.count("\n") == 1


@pytest.mark.slow
def test_a_suite_without_items_says_so(data, write_snapshot):
    write_snapshot(data, SUITE, [("a", "medqa", 0.5)])
    with pytest.raises(BadRequestError, match="has no item results, so its runs cannot be comp"):
        replacing.pair(open_store(data), SUITE, "all", "a", "b")

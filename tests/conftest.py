"""Small real things for the tests: models, bills, matrices, trees, and data folders on disk."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from core.__main__ import main
from core.commands import told
from core.domain import Benchmark, Bill, Model, Price, ScoreMatrix
from core.evidence import snapshots
from core.evidence.score_tables import score_table
from core.evidence.store import open_store
from core.statistics.taxonomy import build_taxonomy

# With other tests running an example takes as long as that leaves it.
settings.register_profile("with others", deadline=None)
settings.load_profile("with others")

DATA = Path(__file__).parents[1] / "data"
SHARED = Path(__file__).parents[2] / "shared"

_BENCHMARK = Benchmark(
    **dict.fromkeys(("id", "name"), "b0"),
    **dict.fromkeys(("subcategory", "category_reason", "source"), ""),
    **{"suite": "suite", "category": "Category", "domain": "domain-specific"},
    **{"metric": "accuracy", "scale_min": 0.0, "scale_max": 1.0, "lower_is_better": False},
    **{"n_items": None, "is_accuracy": False, "access": "public"},
)
_MODEL = Model(
    **dict.fromkeys(("id", "name"), "m"),
    **dict.fromkeys(("developer", "params_source", "base_model", "licence", "released_on"), ""),
    **dict.fromkeys(("mirror_of", "source_url", "note"), ""),
    **dict.fromkeys(("params_b", "params_active_b", "context_window_tokens"), None),
    **{"access": "unknown", "is_reference": False, "aliases": ()},
)


@pytest.fixture(scope="session", autouse=True)
def own_store_file(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("FORMULARY_DATA", raising=False)
        patch.setenv("FORMULARY_STORE", str(tmp_path_factory.mktemp("store") / "bundled.duckdb"))
        yield


@pytest.fixture(scope="session")
def bundled(own_store_file):
    return open_store(DATA)


def a_benchmark(key, **fields):
    return replace(_BENCHMARK, **{"id": key, "name": key, **fields})


def a_model(key, **fields):
    return replace(_MODEL, **{"id": key, "name": key, **fields})


def a_bill(model, usd):
    price = Price(model, "vendor", "Vendor", "x", 1.0, 2.0, "2026-11-21", "by hand")
    return Bill(model, usd, (("Category", usd),), price)


def a_matrix(scores, benchmarks=None, *, error=np.nan, excluded=(), suite="suite"):
    """Matrix from a dict of model to scores; one standard error for all cells, or none."""
    values = np.array(list(scores.values()), dtype=float)
    columns = benchmarks or [a_benchmark(f"b{j}") for j in range(values.shape[1])]
    return ScoreMatrix(
        suite=suite,
        cohort="all",
        models=tuple(scores),
        benchmarks=tuple(columns),
        scores=values,
        standard_errors=np.where(np.isnan(values), np.nan, error),
        runs=tuple(f"{model}@run" for model in scores),
        excluded=tuple(excluded),
        snapshot=None,
    )


def a_tree(labels, distances=None, *, excluded=(), suite="suite"):
    """Taxonomy from labels per model and distances from one of them; where not given, 1."""
    models = tuple(labels)
    hubs = {a for a, _ in distances or {}}
    assert len(hubs) <= 1
    # Each model on an axis of its own: Manhattan distances add up the two ways to the middle,
    # where the hub is; without a hub, all are half a unit from it.
    places = [(0.0 if model in hubs else 1.0) if hubs else 0.5 for model in models]
    for (_, model), distance in (distances or {}).items():
        places[models.index(model)] = distance
    return replace(
        build_taxonomy(a_matrix({"a": [1.0], "b": [2.0], "c": [4.0]})),
        suite=suite,
        models=models,
        labels=tuple(labels.values()),
        standardised=np.diag(places),
        excluded=tuple(excluded),
    )


def _handed_out(builder):
    return pytest.fixture(scope="session")(lambda: builder)


make_benchmark, make_model, make_matrix = map(_handed_out, (a_benchmark, a_model, a_matrix))


def keep_table(data, table, *, revision="r1", as_of="2026-01-01"):
    told = {"retrieved_at": "2026-11-21", "source_url": "https://example.org", "licence": "MIT"}
    return snapshots.write(data / "snapshots", table, revision=revision, as_of=as_of, **told)


@pytest.fixture(scope="session")
def write_snapshot():
    """Write a snapshot of records, or of tuples of model, benchmark and score."""

    def write(data, suite, records, *, revision="r1", as_of="2026-01-01"):
        full = [
            record
            if isinstance(record, dict)
            else dict(zip(("model", "benchmark", "score"), record, strict=True))
            for record in records
        ]
        table = score_table(suite, [{"run": f"{r['model']}@run", **r} for r in full])
        return keep_table(data, table, revision=revision, as_of=as_of)

    return write


@pytest.fixture
def own_table(bundled):
    """Return own results of one model, the best there can be on every benchmark of MedHELM."""
    found = bundled.catalogue.benchmarks["medhelm"]

    def make(model="mine"):
        row = {"model": model, "run": f"local:{model}"}
        return score_table(
            "medhelm", [row | {"benchmark": b.id, "score": b.scale_max} for b in found]
        )

    return make


@pytest.fixture
def data(tmp_path, monkeypatch):
    """An own data folder with the real catalogue and no snapshot, which the code now uses."""
    folder = tmp_path / "data"
    shutil.copytree(DATA / "catalogue", folder / "catalogue")
    shutil.copytree(DATA / "facts", folder / "facts")
    (folder / "snapshots").mkdir()
    monkeypatch.setenv("FORMULARY_DATA", str(folder))
    monkeypatch.setenv("FORMULARY_STORE", str(tmp_path / "store.duckdb"))
    return folder


@pytest.fixture
def bundled_snapshot(data):
    def copy(suite):
        shutil.copytree(DATA / "snapshots" / suite, data / "snapshots" / suite)
        return next((data / "snapshots" / suite).iterdir())

    return copy


@pytest.fixture
def cli(capsysbinary, bundled, monkeypatch):
    """Run a command; return its exit status, standard output and standard error.

    Over the bundled data the store is opened once for all tests, with what was computed from it;
    that each process opens its own is seen where a real one is started.
    """
    monkeypatch.setattr(
        told, "open_store", lambda: open_store() if "FORMULARY_DATA" in os.environ else bundled
    )

    def run(*arguments):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = stop.code
        out, err = capsysbinary.readouterr()
        return status, out.decode("utf-8"), err.decode("utf-8")

    return run


@pytest.fixture
def ask(cli):
    """Run a command that must succeed in silence; return its JSON document."""

    def run(*arguments):
        status, out, err = cli(*arguments, "--json")
        assert (status, err) == (0, "")
        return json.loads(out)

    return run


@pytest.fixture(scope="session")
def figures():
    """The folder of figures that the bundled snapshots were made from; skip without it."""
    if not (SHARED / "figures").is_dir():
        pytest.skip("the figures behind the bundled snapshots are not here")
    return SHARED / "figures"

"""The pages as Streamlit's own test driver runs them, in this process."""

import os
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from reading import turn_to
from streamlit import config
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner

from core.evidence.store import open_store
from pages.components import evidence

ROOT = Path(__file__).parents[2]


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.pages)


@pytest.fixture(scope="package", autouse=True)
def read_once():
    """A server compiles its script once, and looks once at what is installed for components.

    The driver would do the one at each run and the other for each visitor, which takes longer
    than the page.
    """
    compiled = ScriptCache()
    with pytest.MonkeyPatch.context() as patch:
        for module in (app_test, local_script_runner):
            patch.setattr(module, "ScriptCache", lambda: compiled)
        scan = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(autouse=True)
def listens_here_only():
    """As ``make run`` starts it; whether the rights of a local run are asked for, a test says."""
    config.get_config_options()  # else there are none yet
    config._set_option("server.address", "127.0.0.1", "a test")
    yield
    config._set_option("server.address", None, "a test")


@pytest.fixture(scope="package", autouse=True)
def on_one_day():
    """Sales end day by day, and what a test reads on a page would change with them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence, "this_day", lambda: date(2026, 11, 29))
        yield


@pytest.fixture(autouse=True)
def opened_once(bundled, monkeypatch):
    """Over the bundled data the store is that of all tests, with what was computed from it."""
    own = "FORMULARY_DATA"
    monkeypatch.setattr(
        evidence, "open_store", lambda: open_store() if own in os.environ else bundled
    )


@pytest.fixture
def visit():
    def run(place="recommend/answer", **query):
        at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
        for key, value in query.items():
            at.query_params[key] = value
        turn_to(at, place)
        assert not at.exception, at.exception
        return at

    return run


@pytest.fixture
def exams(data, write_snapshot, bundled):
    """Write models m0, m1 … by their scores on the exams, one a model or by task category."""
    found = bundled.catalogue.benchmarks["open-medical-llm"]

    def write(*levels, others=(), **release):
        records = [
            (f"org/m{i}", b.id, level.get(b.category) if isinstance(level, dict) else level)
            for i, level in enumerate(levels)
            for b in found
        ]
        write_snapshot(data, "open-medical-llm", [*records, *others], **release)
        return [b.id for b in found]

    return write

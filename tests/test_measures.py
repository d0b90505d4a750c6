"""The benchmarks run: a measure that nobody runs is a sentence that may be false."""

import subprocess
import sys
import tomllib
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks import check

ROOT = Path(__file__).parents[1]
NAMES = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py"))


@pytest.mark.tools
@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_is_imported(name):
    import_module(f"benchmarks.{name}")


@pytest.mark.tools
@pytest.mark.parametrize(
    "command", ["check", "first_paint 1", "first_visit 1", "load 1 3 4", "items_distributed 20 900"]
)
def test_a_short_run_ends_well(command):
    run = [sys.executable, "-m", *f"benchmarks.{command}".split()]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]


def test_a_ratio_fails_half_beyond_its_bound_a_count_beyond_it(monkeypatch):
    measure = {"of": "a.b", "most": 2, "rounds": [1, 1], "key": "n"}
    said = {2.9: True, 3.1: False}
    for ratio, holds in said.items():
        sides = contextmanager(lambda ratio=ratio: iter([(lambda: ratio, lambda: 1.0)]))
        monkeypatch.setattr(check, "_found", lambda _, sides=sides: sides)
        assert check.ratio(measure, whole=False)[1] is holds
    for n, holds in {2: True, 3: False}.items():
        monkeypatch.setattr(check, "_found", lambda _, n=n: lambda: {"n": n})
        assert check.count(measure, {})[1] is holds


def test_every_measure_names_a_function_that_is_there():
    expected = tomllib.loads(check.EXPECTED.read_text("utf-8"))
    for measure in (*expected["ratio"], *expected["count"]):
        module, name = measure["of"].split(".")
        assert f"def {name}(" in (ROOT / "benchmarks" / f"{module}.py").read_text("utf-8")

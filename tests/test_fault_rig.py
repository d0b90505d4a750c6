"""The rig of faults imports with what the program itself needs, and its faults can be injected."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.tools

ROOT = Path(__file__).parents[1]
RIG = ("tests.faults.__main__", "benchmarks.doors", "benchmarks.left_behind")
RIG += ("benchmarks.generated_inputs", "benchmarks._slow_network")
OF_TESTS_ALONE = ("pytest", "hypothesis", "playwright", "axe_playwright_python", "openpyxl")
QUICK = ("connection breaks", "database locked", "every parameter")


def python(*words):
    return subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False, timeout=240
    )


def test_every_module_of_the_rig_imports_without_what_only_tests_need():
    blocked = f"import sys; sys.modules.update(dict.fromkeys({OF_TESTS_ALONE}))"
    done = python("-c", "; ".join([blocked, *(f"import {name}" for name in RIG)]))
    assert (done.returncode, done.stderr) == (0, "")


def test_faults_of_a_source_a_database_and_a_link_are_survived():
    done = python("-m", "tests.faults", *QUICK)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 faults injected, 0 failed, 0 left out" in done.stdout

"""The same question has the same answer, byte by byte, in every process.

Python orders a set of texts by a number that each process draws for itself.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOME = "only=GPT-4o+%282024-05-13%29&only=Gemini+2.0+Flash&only=Nobody&only=Nothing"
QUESTIONS = (
    ("--suite", "medhelm", "--monthly-budget-usd", "300", "--on-sale-on", "2026-01-31"),
    ("--link", f"?{SOME}&sale=Not+asked"),
    ("--suite", "bridge", "--where", "own", "--max-params-b", "40"),
    ("--suite", "chi-bench"),
)
RUN = """
import json, sys
from core.__main__ import main
for question in json.loads(sys.argv[1]):
    for command in (["recommend", "--json"], ["shortlist", "--json"], ["shortlist", "--csv"]):
        print("status", main([*command, *question]), flush=True)
"""


def answers(folder, seed):
    """Everything that one process prints, from a store that it builds itself."""
    store = str(folder / f"{seed}.duckdb")
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(QUESTIONS)],
        env={**os.environ, "PYTHONHASHSEED": str(seed), "FORMULARY_STORE": store},
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    return done.stdout


@pytest.mark.slow
def test_no_answer_hangs_on_the_hash_seed(tmp_path):
    first, other = (answers(tmp_path, seed) for seed in (0, 1))
    assert first.count(b"status 0") == 3 * len(QUESTIONS)
    # The rules whose lists come from sets: more than one model each, so that there is an order.
    assert first.count(b'"rule": "Reported by its own team"') > 4
    assert first.count(b'"rule": "Not in this evidence"') > 2
    assert other == first

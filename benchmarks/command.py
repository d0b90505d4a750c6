"""The command line, to what its libraries take to import, and the market after a start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from benchmarks._sessions import ROOT
from core.answers.asked import ask
from core.answers.market import ALL_OF_IT, market
from core.domain import Question
from core.evidence.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.statistics import Sides


@contextmanager
def recommend() -> Iterator[Sides]:
    """Recommend over all evidence on a warm store; the peer imports pandas, scipy and duckdb."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"FORMULARY_STORE": str(Path(folder) / "store.duckdb")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else every start compiles again
        run = partial(subprocess.run, cwd=ROOT, env=environment, check=True, capture_output=True)
        asked = [sys.executable, "-m", "core", "recommend", "--task", "documentation"]
        imports = [sys.executable, "-c", "import pandas, scipy.special, duckdb"]
        yield lambda: run(asked), lambda: run(imports)


@contextmanager
def every_work() -> Iterator[Sides]:
    """Open the store and ask for the market of each kind of work; the peer opens it alone.

    Not the first start ever: what takes long is next to the store, as it does from then on.
    """
    today = datetime.now(UTC).date()

    def asked() -> None:
        store = open_store()
        for task in dict.fromkeys(rule.work for rule in store.catalogue.lines):
            question = replace(Question.of(task=task), evidence=ALL_OF_IT)
            market(ask(store, question, today))

    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "store.duckdb")
        with patch.dict(os.environ, FORMULARY_STORE=place):
            yield asked, open_store

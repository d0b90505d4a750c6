"""The command line, to what its libraries take to import."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._sessions import ROOT

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

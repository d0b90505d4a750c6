"""Tests on open cases that a hospital ran itself and keeps on its server.

One file a test in the folder ``ours`` of the data, which no link and no export carries. They are
shown next to the published lines of a work and never count in a grade.
"""

import hashlib
import json
import os
import time
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

import msgspec

from core.domain import BadDataError

FOLDER = "ours"


@dataclass(frozen=True, slots=True)
class OwnTest:
    """What one run on open cases gave."""

    case_set: str
    as_of: str
    """ISO day on which it was kept."""
    n_cases: int
    """Cases that every model answered."""
    judges: tuple[str, ...]
    scores: tuple[tuple[str, float], ...]
    """Product and its mean over these cases, at most 1, the best first, equals by name."""

    def place(self, product: str) -> int | None:
        """Return the place of a product, equal means sharing the better; ``None`` without one."""
        known = dict(self.scores)
        if product not in known:
            return None
        return 1 + sum(score > known[product] for score in known.values())


def keep(data: Path, test: OwnTest) -> None:
    """Write a test; the same test is one file, and of one day the later has the later name."""
    content = json.dumps(asdict(test), sort_keys=True, ensure_ascii=False)
    known = f"{hashlib.sha256(content.encode()).hexdigest()[:12]}.json"
    same = (data / FOLDER).glob(f"{test.as_of}-*{known}")
    # A name without a time, which earlier versions gave, comes before those with one.
    name = next((path.name for path in same), f"{test.as_of}-t{time.time_ns()}-{known}")
    try:
        (data / FOLDER).mkdir(exist_ok=True)
        draft = data / FOLDER / f".draft-{os.getpid()}-{name}"
        draft.write_text(content, "utf-8")
        draft.replace(data / FOLDER / name)
    except OSError as error:
        raise BadDataError(
            f"The test cannot be kept in the folder of the data: {error.strerror}."
        ) from None


def kept(data: Path) -> tuple[tuple[str, OwnTest], ...]:
    """Return the name of each file with its test, the newest first; what cannot be read is none."""
    found = []
    for path in sorted((data / FOLDER).glob("[!.]*.json"), reverse=True):
        try:
            test = msgspec.json.decode(path.read_bytes(), type=OwnTest)
            day = date.fromisoformat(test.as_of).isoformat()
        except (OSError, ValueError, RecursionError, msgspec.MsgspecError):
            continue
        # A rubric may take points away.
        if test.as_of == day and all(-100 <= score <= 1 for _, score in test.scores):
            found.append((path.name, test))
    return tuple(found)


def let_go(data: Path, name: str) -> None:
    """Remove a kept test, by its name among those that are kept."""
    if name in dict(kept(data)):
        (data / FOLDER / name).unlink(missing_ok=True)

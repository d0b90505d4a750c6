"""Hold the speed of the program: ratios to a peer in the same run, and counts.

``expected.toml`` names each measure, its peer and what it may reach. Ratios are medians over pairs
that take turns, ours and the peer's; a busy machine slows both, and still a ratio varies, so that
one fails where it exceeds its bound by half. Counts do not vary and fail beyond their bound.

Run: python -m benchmarks.check [words of names] [--whole]   (exit status 1 where one fails)

Without ``--whole`` each measure is taken short, within seconds. A whole run of all measures writes
its table into ``README.md``.
"""

from __future__ import annotations

import gc
import importlib
import sys
import tomllib
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

EXPECTED = Path(__file__).with_name("expected.toml")
SLACK = 1.5
README = Path(__file__).with_name("README.md")
MARKS = "<!-- measured -->\n", "<!-- /measured -->\n"
HEAD = "| What | To | Measured | May reach |\n|---|---|---:|---:|"


def seconds(work: Callable[[], Any]) -> float:
    """Return the time that a piece of work takes, or what it says itself that it took."""
    start = perf_counter()
    said = work()
    return said if isinstance(said, float) else perf_counter() - start


def _found(of: str) -> Callable[..., Any]:
    module, name = of.split(".")
    found: Callable[..., Any] = getattr(importlib.import_module(f"benchmarks.{module}"), name)
    return found


def ratio(measure: dict[str, Any], *, whole: bool) -> tuple[str, bool]:
    """Take one ratio; return what the table says of it, and whether it holds."""
    rounds = measure["rounds"][whole]
    size = measure.get("size", {}) | measure.get("whole" if whole else "short", {})
    try:
        with _found(measure["of"])(**size) as (ours, peer):
            seconds(peer), seconds(ours)
            gc.collect()
            # The order changes from round to round: who comes second finds the caches warm.
            pairs = []
            for i in range(rounds):
                first, second = (ours, peer) if i % 2 else (peer, ours)
                taken = seconds(first), seconds(second)
                pairs.append(taken if i % 2 else taken[::-1])
    except ModuleNotFoundError as missing:
        return f"not measured here: {missing.name or missing} is missing", True
    found = sorted(one / other for one, other in pairs)
    told = f"{median(found):.2f} ({found[0]:.2f} to {found[-1]:.2f})"
    return told, median(found) <= measure["most"] * SLACK


def count(measure: dict[str, Any], known: dict[str, dict[str, float]]) -> tuple[str, bool]:
    """Take one count; counts of one function are taken together."""
    if measure["of"] not in known:
        known[measure["of"]] = _found(measure["of"])()
    found = known[measure["of"]][measure["key"]]
    return f"{found:,}", found <= measure["most"]


def main() -> int:
    """Print the table; exit status 1 where a measure does not hold."""
    whole = "--whole" in sys.argv
    words = [word.lower() for word in sys.argv[1:] if word != "--whole"]
    expected = tomllib.loads(EXPECTED.read_text("utf-8"))
    known: dict[str, dict[str, float]] = {}
    rows, failed = [HEAD], []
    print(HEAD, flush=True)
    for kind in ("ratio", "count"):
        for measure in expected[kind]:
            if words and not any(word in measure["what"].lower() for word in words):
                continue
            found, holds = ratio(measure, whole=whole) if kind == "ratio" else count(measure, known)
            told = found if holds else f"**{found}**"
            rows.append(f"| {measure['what']} | {measure['to']} | {told} | {measure['most']:,} |")
            print(rows[-1], flush=True)
            failed += [] if holds else [measure["what"]]
    print(f"\n{'Too much: ' + '; '.join(failed) if failed else 'All hold'}.")
    if whole and not words:
        before, _, rest = README.read_text("utf-8").partition(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        README.write_text("".join([before, MARKS[0], "\n".join(rows), "\n", MARKS[1], after]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Generated links, files and texts, many thousands: no crash, and nothing that is markup.

Runs tests/test_generated_inputs.py with twenty times the examples of the test suite, counted by
hypothesis itself, with new random ones at every run.

Run: python -m benchmarks.generated_inputs [times]
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
_PASSING = re.compile(r"- (\d+) passing, (\d+) failing, and (\d+) invalid")


def main() -> int:
    """Print the number of inputs for each test, and of all; exit status 1 where one failed."""
    times = sys.argv[1] if len(sys.argv) > 1 else "20"
    begin = time.monotonic()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("--hypothesis-show-statistics", "tests/test_generated_inputs.py"),
        ],
        cwd=ROOT,
        env=os.environ | {"FORMULARY_GENERATED": times},
        capture_output=True,
        text=True,
        check=False,
    )
    test, counts = "", {}
    for line in done.stdout.splitlines():
        if line.startswith("tests/test_generated_inputs.py::"):
            test = line.partition("::")[2].rstrip(":")
        elif found := _PASSING.search(line):
            counts[test] = counts.get(test, 0) + int(found[1]) + int(found[2])
    print("| What | Inputs |\n|---|---:|")
    for name, count in counts.items():
        print(f"| {name.removeprefix('test_').replace('_', ' ')} | {count:,} |")
    print(f"| all | {sum(counts.values()):,} |")
    print(f"\n{time.monotonic() - begin:.0f} seconds; exit status of the tests {done.returncode}.")
    if done.returncode:
        print(done.stdout[-6000:], file=sys.stderr)
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())

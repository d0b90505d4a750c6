"""What this process takes of its machine: memory, disk, time, remembered results."""

from __future__ import annotations

import inspect
import os
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

_STARTED = time.monotonic()
_STATUS = Path("/proc/self/status")
_MB = 2**20


@dataclass(frozen=True, slots=True)
class Remembered:
    """How one kind of result is remembered."""

    name: str
    held: int
    most: int | None
    """So many are held at most; ``None`` where there is no limit."""
    found: int
    """How often a result was there already."""
    computed: int


def uptime_s() -> float:
    """Return the seconds since this process imported the program."""
    return time.monotonic() - _STARTED


def memory_mb() -> float | None:
    """Return the memory that this process holds now, in MB (2**20 bytes); ``None`` if unknown.

    Where the system does not tell (no ``/proc``), it is the most that it ever held.
    """
    try:
        for line in _STATUS.read_text("ascii", "replace").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (_MB if sys.platform == "darwin" else 1024)


def free_disk_mb(path: Path) -> float | None:
    """Return the free space where a path lies, or its nearest folder that exists, in MB."""
    folder = next((one for one in (path, *path.parents) if one.exists()), None)
    try:
        return None if folder is None else shutil.disk_usage(folder).free / _MB
    except OSError:
        return None


def can_write(folder: Path) -> bool:
    """Say whether this process may write into a folder."""
    return os.access(folder, os.W_OK)


def remembered(modules: Iterable[ModuleType]) -> tuple[Remembered, ...]:
    """Return how the results of some modules are remembered, by their names.

    Counted are functions with a ``cache_info``, in the module that defines them.
    """
    rows = []
    for module in modules:
        for name, function in inspect.getmembers(module, lambda one: hasattr(one, "cache_info")):
            if function.__module__ == module.__name__:
                info = function.cache_info()
                row = (info.currsize, info.maxsize, info.hits, info.misses)
                rows.append(Remembered(f"{module.__name__.split('.')[-1]}.{name}", *row))
    return tuple(sorted(rows, key=lambda row: row.name))

"""What the process says of its machine, against what the system and functools say."""

import os
import shutil
import types
from functools import lru_cache
from pathlib import Path

from core import machine


def test_memory_is_what_the_system_counts_as_resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    resident = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    assert abs(machine.memory_mb() - resident) < 20


def test_without_proc_memory_is_the_most_that_was_held(monkeypatch):
    monkeypatch.setattr(machine, "_STATUS", Path("/nowhere"))
    assert machine.memory_mb() > 10


def test_free_disk_of_a_file_that_does_not_exist_yet(tmp_path):
    found = machine.free_disk_mb(tmp_path / "not" / "yet" / "there.duckdb")
    assert abs(found - shutil.disk_usage(tmp_path).free / 2**20) < 200


def test_remembered_results_are_counted_where_they_are_defined():
    module = types.ModuleType("core.answers.example")
    double = lru_cache(maxsize=3)(lambda n: 2 * n)
    elsewhere = lru_cache(maxsize=3)(lambda n: 3 * n)
    double.__module__, elsewhere.__module__ = module.__name__, "core.answers.other"
    module.double, module.elsewhere, module.plain = double, elsewhere, len
    for n in (1, 1, 1, 2):
        double(n)
    assert machine.remembered([module]) == (machine.Remembered("example.double", 2, 3, 2, 2),)

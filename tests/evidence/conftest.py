"""What the tests of evidence share: a table with one fault in it, and a small Hub."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from core.evidence.snapshots import SCORE_COLUMNS
from core.sources import hub as hub_module
from tests.evidence import hub_server


@pytest.fixture
def change(data):
    def change(table, old, new):
        path = data / "catalogue" / table
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")

    return change


@pytest.fixture
def server(monkeypatch):
    """A Hub on this machine, which the client asks again without waiting and without a token."""
    monkeypatch.setattr(hub_module, "_BACKOFF_S", 0.02)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    with hub_server.serving() as found:
        yield found


def one_sentence(error):
    message = str(error)
    assert message.endswith(".")
    assert not re.search(r"[.!?]\s|\n", message)
    return message


def refused(kind, said, act, *given, **more):
    with pytest.raises(kind, match=said) as caught:
        act(*given, **more)
    return str(caught.value)


def records(table, suite):
    """Return the rows of a table of scores, which has the common layout; a gap is ``None``."""
    frame = table.frame
    assert table.suite == suite
    assert tuple(frame.columns) == SCORE_COLUMNS
    assert frame[["score", "standard_error"]].dtypes.eq("float64").all()
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def some(record, **expected):
    assert {key: record[key] for key in expected} == expected


@pytest.fixture
def small_disk(tmp_path):
    mounted = []

    def mount(size):
        place = tmp_path / f"disk-{len(mounted)}"
        place.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
        if (
            not shutil.which("mount")
            or subprocess.run(command, capture_output=True, check=False).returncode
        ):
            pytest.skip("no right to mount a small file system here")
        mounted.append(place)
        return place

    yield mount
    for place in mounted:
        subprocess.run(["umount", "--lazy", str(place)], check=True)

"""A name in an upload: in nothing that the server holds, once the file is read and ever after."""

import os
import signal

import pytest
from driving import start

NAME = "Philippa Nobody-Oakes"
# Asked by a signal, the server walks through all that its program can still reach, without
# collecting garbage first, and writes down each text or file in memory that holds the name.
LOOKS = """
import gc, io, os, signal, sys

def texts():
    seen, waiting = set(), list(gc.get_objects())
    gc.unfreeze()
    waiting += gc.get_objects()
    waiting += [frame for frame in sys._current_frames().values()]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, (str, bytes, bytearray)):
            yield type(one).__name__, one if isinstance(one, str) else bytes(one).decode("latin-1")
        elif isinstance(one, (io.BytesIO, io.StringIO)) and not one.closed:
            held = one.getvalue()
            yield type(one).__name__, held if isinstance(held, str) else held.decode("latin-1")
        else:
            waiting += gc.get_referents(one)

def look(*_):
    name = " ".join(("Philippa", "Nobody-Oakes"))
    found = [
        f"{kind} {len(text)}"
        for kind, text in texts() if name in text and len(text) > len(name)
    ]
    with open(os.environ["LOOK"], "w") as out:
        out.write("\\n".join(found))

signal.signal(signal.SIGUSR1, look)
"""


@pytest.fixture
def watched(tmp_path, browser):
    (tmp_path / "temporary").mkdir()
    os.mkfifo(tmp_path / "look")
    (tmp_path / "sitecustomize.py").write_text(LOOKS)
    running = start(
        tmp_path / "server",
        TMPDIR=str(tmp_path / "temporary"),
        PYTHONPATH=str(tmp_path),
        LOOK=str(tmp_path / "look"),
    )
    yield running
    running.stop()


def held(server, folder):
    """Return where the server, its log, its data and its temporary files hold the name."""
    os.kill(server.process.pid, signal.SIGUSR1)
    look = (folder / "look").read_text()
    files = [path for part in ("server", "temporary") for path in (folder / part).rglob("*")]
    inside = [str(path) for path in files if path.is_file() and NAME.encode() in path.read_bytes()]
    return inside + look.splitlines()


def test_a_name_in_an_upload_is_gone_once_it_is_read(watched, reader, tmp_path):
    rows = [f'{m},c{i},{i % 2},"{NAME} was seen on ward {i}"' for m in "ab" for i in range(4000)]
    file = tmp_path / "given.csv"
    file.write_text("\n".join(["model,item,score,answer", *rows]))
    one = reader(watched)
    one.open("local_test?local_test_tab=Results", "Results")
    one.main.locator("[data-testid=stFileUploaderDropzoneInput]").first.set_input_files(file)
    one.says("Case by case")
    assert held(watched, tmp_path) == []
    one.go("Plan")
    assert held(watched, tmp_path) == []
    one.page.close()
    two = reader(watched)
    two.open("")
    assert held(watched, tmp_path) == []

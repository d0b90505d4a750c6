"""ZIP archives with any method and any lie in their headers, and what reading a file costs."""

import bz2
import json
import lzma
import os
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pyarrow

ROOT = Path(__file__).parents[2]
STORED, DEFLATE, BZIP2, LZMA, ZSTANDARD = 0, 8, 12, 14, 93
METHODS = {"stored": STORED, "deflate": DEFLATE, "zstd": ZSTANDARD}
REFUSED = {"bz2": BZIP2, "LZMA": LZMA}


def packed(method, data):
    if method == STORED:
        return data
    if method == DEFLATE:
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        return packer.compress(data) + packer.flush()
    if method == BZIP2:
        return bz2.compress(data)
    if method == LZMA:
        filters = [{"id": lzma.FILTER_LZMA1}]
        known = lzma._encode_filter_properties(filters[0])
        return (
            struct.pack("<BBH", 9, 4, len(known))
            + known
            + lzma.compress(data, lzma.FORMAT_RAW, filters=filters)
        )
    return pyarrow.compress(data, codec="zstd", asbytes=True)


def archive(*parts):
    """Return an archive of (name, method, packed bytes, true content, lies) as they stand.

    A lie is a field of the headers with another value; ``local_name`` stands in the local header
    only, and ``twice`` writes the local header two times.
    """
    out, directory = bytearray(), bytearray()
    for name, method, raw, content, lies in parts:
        crc = lies.get("crc", zlib.crc32(content))
        size, held = lies.get("size", len(content)), lies.get("packed", len(raw))
        about = struct.pack("<HHHHHIII", 20, 0, method, 0, 33, crc, held, size)
        local = lies.get("local_name", name).encode()
        offset = len(out)
        head = b"PK\3\4" + about + struct.pack("<HH", len(local), 0) + local
        out += head * (2 if lies.get("twice") else 1) + raw
        directory += b"PK\1\2\x14\0" + about + struct.pack("<HHHHHII", len(name), *[0] * 5, offset)
        directory += name.encode()
    n, length = len(parts), len(directory)
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, n % 65_536, n % 65_536, length, len(out), 0)
    return bytes(out + directory + end)


def part(name, method, content, **lies):
    return name, method, packed(method, content), content, lies


def raw_part(name, raw, **lies):
    return name, ZSTANDARD, raw, b"", lies


_SCRIPT = """
import json, os, resource, sys, time
from pathlib import Path
from core.domain import BadDataError, BadRequestError
from core.results import read
folder = Path(sys.argv[1])
for name in ("log.eval", "book.xlsx", "log.json"):  # so that what is imported late is here
    try:
        read([(name, (folder / "sane" / name).read_bytes())])
    except BadRequestError:
        pass
for line in sys.stdin:
    files = [(path.name, path) for path in sorted((folder / "case").iterdir())]
    if os.fork():
        status = os.wait()[1]
        if status:
            print(json.dumps([f"died: {status}", 0, 0]), flush=True)
        continue
    files = [(name, path.read_bytes()) for name, path in files]
    held = lambda: int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
    before, start = held(), time.process_time()
    try:
        said = repr(len(read(files).frame))
    except (BadDataError, BadRequestError) as fault:
        said = str(fault)
    except BaseException as error:
        said = f"{type(error).__name__}: {error}"
    seconds = time.process_time() - start
    rise = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    print(json.dumps([said, rise / 1e6, seconds]), flush=True)
    os._exit(0)
"""


class Reader:
    """A process that reads each file in a copy of itself, and says what that cost."""

    def __init__(self, folder, sane):
        self._case = folder / "case"
        (folder / "sane").mkdir()
        for name, data in sane.items():
            (folder / "sane" / name).write_bytes(data)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SCRIPT, folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )

    def read(self, files):
        """Return what was said, and by how many MB memory rose at its highest, and seconds.

        Libraries' own memory is in it; that of the file itself is not.
        """
        self._case.mkdir()
        for name, data in files:
            (self._case / name).write_bytes(data)
        self._process.stdin.write("read\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        shutil.rmtree(self._case)
        return answer

    def close(self):
        self._process.stdin.close()
        self._process.wait(60)

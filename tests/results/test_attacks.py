"""One file of a stranger takes neither the memory nor the time of the others."""

import io
import json
import os
import shutil
import struct
import subprocess
import sys
import zipfile
import zlib
from functools import cache
from pathlib import Path
from statistics import median

import pytest
import zstandard

from core.domain import BadDataError
from core.results import files, read
from tests.results.samples_of_items import SAMPLES, eval_log, helm_parts, shared_workbook

ROOT = Path(__file__).parents[2]
STORED, DEFLATE, BZIP2, LZMA, ZSTANDARD = 0, 8, 12, 14, 93
METHODS = {"stored": STORED, "deflate": DEFLATE, "zstd": ZSTANDARD}
REFUSED = {"bz2": BZIP2, "LZMA": LZMA}


def packed(method, data):
    if method == ZSTANDARD:
        return zstandard.compress(data)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        file.writestr("a", data)
    return buffer.getvalue()[31:][: file.getinfo("a").compress_size]


def archive(*parts):
    """Return an archive of (name, method, packed bytes, true content, lies) as they are.

    A lie is a field of the headers with another value; ``local_name`` is in the local header
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
            # Its time is measured, so that nothing else measures it.
            env={key: value for key, value in os.environ.items() if key[:9] != "COVERAGE_"}
            | {"PYTHONPATH": str(ROOT)},
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


MOST_MB = 100
TIMES = 25
"""Of the time that a sane log of the largest size of an upload takes."""
N_BLANKS = 120_000_000
STATS, SPEC = (json.dumps(value).encode() for value in helm_parts())
HEADER = eval_log()["header.json"].encode()
BOOK = ("xl/workbook.xml", STORED, b"<workbook/>", b"<workbook/>", {})
# Each place where a part is read: its name, and the other parts that lead there.
CALLERS = {
    "Inspect header": ("a.eval", "header.json", []),
    "Inspect sample": ("a.eval", "samples/a_epoch_1.json", [part("header.json", STORED, HEADER)]),
    "sheet": ("a.xlsx", "xl/worksheets/sheet1.xml", [BOOK]),
    "shared texts": ("a.xlsx", "xl/sharedStrings.xml", [BOOK]),
    "HELM spec": ("a.zip", "run_spec.json", [part("per_instance_stats.json", STORED, STATS)]),
    "HELM stats": ("a.zip", "per_instance_stats.json", [part("run_spec.json", STORED, SPEC)]),
}
LIES = {
    "true": {},
    "few bytes": {"size": 20, "crc": 0x6D1F6C5C},
    "no bytes": {"size": 0, "crc": 0},
    "more bytes": {"size": 130_000_000},
    "little packed": {"packed": 40},
    "much packed": {"packed": 4_000_000_000},
    "another name": {"local_name": "other.json"},
    "two heads": {"twice": True},
    "another check": {"crc": 1},
}


def zipped(caller, *parts):
    file, _, others = CALLERS[caller]
    return [(file, archive(*others, *parts))]


def frame(window, blocks, head=b""):
    made = [
        struct.pack("<I", (n == len(blocks) - 1) | kind << 1 | size << 3)[:3] + data
        for n, (kind, size, data) in enumerate(blocks)
    ]
    return b"\x28\xb5\x2f\xfd" + (head or bytes([0, window])) + b"".join(made)


@cache
def blanks(method):
    n = {STORED: 18_000_000, BZIP2: 40_000_000, LZMA: 40_000_000}.get(method, N_BLANKS)
    data = b" " * n
    return data, packed(method, data)


def lying():
    """Yield each caller with each lie, and each method with either, though not all three."""
    for i, (caller, (_, name, _)) in enumerate(CALLERS.items()):
        for j, (what, method) in enumerate(METHODS.items()):
            for lie, fields in list(LIES.items())[(i + j) % len(METHODS) :: len(METHODS)]:

                def made(caller=caller, name=name, method=method, fields=fields):
                    data, raw = blanks(method)
                    return zipped(caller, (name, method, raw, data, fields))

                yield f"{caller}, {what}, {lie}", made
        for what, method in REFUSED.items():
            yield (
                f"{caller}, {what}, refused",
                lambda c=caller, n=name, m=method: zipped(c, (n, m, *blanks(m)[::-1], {})),
            )


@cache
def empty_blocks():
    # Each block is alike but for the mark of the last.
    return frame(0, [])[:6] + b"\0\0\0" * 4_999_999 + frame(0, [(0, 0, b"")])[6:]


def large_frames():
    small = frame(0, [(0, 2, b"{}")])
    filled = [(1, 128 * 1024, b" ")] * 1100  # 144 MB, more than any window
    for caller, (_, name, _) in CALLERS.items():
        for what, raw in {
            "window of 128 MB": frame(17 << 3, filled),
            "window of 3 TB": frame(0xFF, filled),
            "content as window": frame(0, filled, b"\xa0" + (100_000_000).to_bytes(4, "little")),
            "second frame": small + frame(17 << 3, filled),
            "skippable frame": b"\x50\x2a\x4d\x18\4\0\0\0abcd" + frame(17 << 3, filled),
            "cut in a block": frame(0, filled)[:-2],
            "no frame": b"abc",
            "empty": b"",
        }.items():
            yield f"{caller}, {what}", lambda c=caller, n=name, r=raw: zipped(c, raw_part(n, r))
        yield (
            f"{caller}, empty blocks",
            lambda c=caller, n=name: zipped(c, raw_part(n, empty_blocks())),
        )


def many_parts():
    wide = b"<worksheet>" + b"".join(
        b'<row r="%d">' % i + b'<c t="s"><v>0</v></c>' * 100 + b"</row>" for i in range(1, 8000)
    )
    shared = part("xl/sharedStrings.xml", 8, b"<sst><si><t>" + b"x" * 120 + b"</t></si></sst>")
    sheet = "xl/worksheets/sheet{}.xml".format
    log = b'{"id":%d,"x":"' + b" " * 15_000_000 + b'"}'
    return {
        "samples of 15 MB": lambda: zipped(
            "Inspect sample", *(part(f"samples/{i}.json", 8, log % i) for i in range(20))
        ),
        "more than 500 MB that lie": lambda: zipped(
            "Inspect sample", *(part(f"samples/{i}.json", 8, log % i, size=2) for i in range(40))
        ),
        "a text a million times": lambda: zipped(
            "sheet", shared, *(part(sheet(i), 8, wide) for i in range(1, 9))
        ),
        "sixty thousand sheets": lambda: zipped(
            "sheet", *((sheet(i), STORED, b"", b"", {}) for i in range(1, 60_001))
        ),
        "a hundred thousand parts": lambda: [
            ("a.zip", archive(*((f"{i:x}", STORED, b"", b"", {}) for i in range(100_000))))
        ],
    }


def workbooks():
    for what, xml in {
        "cells without a row's end": (b"<worksheet><row>", b"<c/>", 4_900_000),
        "texts in a cell": (b"<worksheet><row><c>", b"<v>ab", 3_900_000),
        "one long tag": (b"<row ", b"a", 19_000_000),
        "one long text": (b"<row>", b"a", 19_000_000),
        "attributes": (b"<row", b" r=''", 70_000),
        "only openings": (b"", b"<", 19_000_000),
        "marks for signs": (b"<row><c><v>", b"&", 390_000),
        "a sign's number": (b"<row><c><v>&#", b"9", 390_000),
        "an emoji": (b"<row><c><v>\xf0\x9f\x98\x80", b"a", 300_000),
        "rows": (b"<worksheet>", b"<row/>", 3_200_000),
        "the same row": (b"<worksheet>", b'<row r="300000"><c><v>1</v></c></row>', 10),
    }.items():
        yield (
            f"workbook: {what}",
            lambda x=xml: zipped("sheet", part("xl/worksheets/sheet1.xml", 8, x[0] + x[1] * x[2])),
        )
    for what, xml in {
        "empty texts": (b"<sst>", b"<si/>", 3_900_000),
        "short texts": (b"<sst>", b"<si><t>\xe6\xbc\xa2</t></si>", 900_000),
        "parts of one text": (b"<sst><si>", b"<t>ab", 3_900_000),
    }.items():
        yield (
            f"workbook: {what}",
            lambda x=xml: zipped(
                "shared texts", part(CALLERS["shared texts"][1], 8, x[0] + x[1] * x[2])
            ),
        )


def numbered(pattern, n):
    return b",".join(pattern % i for i in range(n))


def documents():
    unused, kept = b'{"eval": {"model": "m"}, "x": ', b'{"eval": {"model": "m"}, "status": '
    end, emoji = b', "samples": []}', "😀".encode()
    result = b'{"provider":"a","promptId":"%d","testIdx":1,"vars":{}},'
    for what, (before, piece, times, after) in {
        "empty lists": (unused + b"[", b"[],", 6_000_000, b"[]]" + end),
        "numbers": (unused + b"[", b"1,", 9_000_000, b"1]" + end),
        "lists in lists": (unused + b"[[[", b"[],", 6_000_000, b"[]]]]" + end),
        "a long text": (unused + b'"', b"x", 18_000_000, b'"' + end),
        "escapes": (unused + b'"', b"\\", 18_000_000, b'"' + end),
        "escaped marks": (unused + b'"', b'\\"', 9_000_000, b'"' + end),
        "texts": (unused + b"[", b'"",', 6_000_000, b'""]' + end),
        "keys": (unused + b"{", b'"a":0,', 3_000_000, b'"a":0}' + end),
        "members": (b'{"eval": {"model": "m"},', b'"x":0,', 3_000_000, b'"x":[]}'),
        "deep": (unused, b"[", 18_000_000, b""),
        "an emoji": (kept + b'"' + emoji, b"x", 18_000_000, b'"}'),
        "an emoji and less": (kept + b'"' + emoji, b"x", 15_000_000, b'"}'),
        "a dash and less": (kept + b'"\xe2\x80\x93', b"x", 15_000_000, b'"}'),
        "values": (kept + b"[", b'"ab",', 3_000_000, b"1]}"),
        "values within the limit": (kept + b"[", b'"ab",', 299_000, b"1]}"),
        "keys within the limit": (kept + b"{", numbered(b'"%d":0.5', 299_000), 1, b"}}"),
        "lists within the limit": (kept + b"[", b'{"a":{}},', 99_000 // 2, b"1]}"),
        "marks in a text": (kept + b'"', b"ab\\n", 3_900_000, b'"}'),
        "results of another prompt": (
            b'{"results": {"results": [' + result % 0,
            result % 1,
            450_000,
            b"1]}}",
        ),
        "lines of another filter": (
            b'{"doc_id":1,"acc":1,"filter":"a"}\n',
            b'{"doc_id":1}\n',
            1_400_000,
            b"",
        ),
        "empty lines": (b'{"doc_id":1,"acc":1}', b"\n", 19_000_000, b""),
        "blanks": (b'{"doc_id":1,"acc":1}', b" ", 19_000_000, b""),
    }.items():
        yield (
            f"JSON: {what}",
            lambda b=before, p=piece, n=times, a=after: [("a.json", b + p * n + a)],
        )


def tables():
    head = b"model,item,score"
    for what, (before, piece, times, after) in {
        "a million columns": (head, b",", 1_000_000, b"\nm,1,1"),
        "more columns": (head, b",", 19_000_000, b""),
        "a quoted field": (head + b'\nm,"', b"a", 19_000_000, b'",1'),
        "quotes": (head + b"\n", b'"', 19_000_000, b""),
        "doubled quotes": (head + b'\n"', b'""', 60_000, b'",1,1\n'),
        "lines in a field": (head + b'\n"', b"\n", 19_000_000, b""),
        "returns": (head, b"\r", 19_000_000, b""),
        "blanks": (head, b" ", 19_000_000, b""),
        "an emoji": (head + b"\n" + "😀".encode(), b"x", 19_000_000, b""),
        "an emoji and rows": (head + b"\n" + "😀".encode(), b"x" * 98 + b",1\n", 190_000, b""),
        "long number": (head + b"\nm,1,", b"0", 19_000_000, b""),
        "empty rows": (head, b"\n", 290_000, b"x,y,1"),
        "apostrophes": (head + b"\n", b"'", 130_000, b",1,1"),
    }.items():
        yield f"CSV: {what}", lambda b=before, p=piece, n=times, a=after: [("a.csv", b + p * n + a)]


def sane():
    log = json.loads((SAMPLES / "inspect_mock.json").read_text())
    sample = log["samples"][0] | {"messages": [{"role": "user", "content": "word " * 500}] * 4}
    log["samples"] = [sample | {"id": f"c{i}"} for i in range(1500)]
    return [("a.json", json.dumps(log).encode())]


CASES = {
    **dict(lying()),
    **dict(large_frames()),
    **many_parts(),
    **dict(workbooks()),
    **dict(documents()),
    **dict(tables()),
}


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    reader = Reader(
        tmp_path_factory.mktemp("attacks"),
        {
            "log.eval": (SAMPLES / "inspect_mock.eval").read_bytes(),
            "book.xlsx": shared_workbook(),
            "log.json": (SAMPLES / "inspect_mock.json").read_bytes(),
        },
    )
    yield reader
    reader.close()


@pytest.fixture(scope="module")
def sane_seconds(reader):
    """Return what measures the usual time, of five: a lucky one would make a bound too low."""

    def measured():
        said, _, seconds = zip(*(reader.read(sane()) for _ in range(5)), strict=True)
        assert set(said) == {"1500"}
        return median(seconds)

    return measured


@pytest.fixture(scope="module")
def longest(sane_seconds):
    return TIMES * sane_seconds()


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_file_takes_neither_memory_nor_time(reader, sane_seconds, longest, name):
    said, megabytes, seconds = reader.read(CASES[name]())
    assert said.isdecimal() or (said.startswith(("a.", "There is")) and said.endswith("."))
    assert megabytes < MOST_MB
    # A file that is slow is slow again; a machine that was busy for a moment is not, and then
    # both are measured side by side.
    assert seconds < longest or any(
        reader.read(CASES[name]())[2] < TIMES * sane_seconds() for _ in range(3)
    )
    if name.endswith("refused") or "window" in name or "as window" in name:
        assert "compressed in a way that cannot be read here" in said
    elif any(name.endswith(f", {lie}") for lie in LIES):
        assert not said.isdecimal()


def test_what_unpacks_is_counted_whatever_the_headers_say(monkeypatch):
    monkeypatch.setattr(files, "MOST_UNPACKED", 1_000_000)
    blanks_of_two_mb = b" " * 2_000_000
    lying = part("header.json", ZSTANDARD, blanks_of_two_mb, size=20, crc=0)
    with pytest.raises(BadDataError, match="unpacks to more than"):
        read([("a.eval", archive(lying))])

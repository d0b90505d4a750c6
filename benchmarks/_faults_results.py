"""Results of a local test that are broken, hostile or not what they seem."""

from __future__ import annotations

import io
import json
import zipfile

from benchmarks._fault_place import Place, fault

GROUP = "Local test"
GOOD = b"model,item,score\na,1,1\nb,1,0\na,2,0\nb,2,1\n"
NAMED = "the words of a note"


def results(name: str, file: str, content: bytes, words: str) -> None:
    """Register a file that `read-results` refuses with one sentence."""

    def inject(place: Place) -> str:
        path = place.folder / file
        path.write_bytes(content)
        done = place.command("read-results", str(path), "--json")
        said = done.err.strip()
        assert done.status in (2, 3), done
        assert words in said, said
        assert "\n" not in said, said
        assert NAMED not in said, said
        path.write_bytes(GOOD)  # the next file is read as if nothing had been
        assert json.loads(place.command("read-results", str(path), "--json").out)["n_items"] == 2
        path.unlink()
        return said.removeprefix("error: ")

    fault(GROUP, name)(inject)


def _zip(**parts: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/"), content)
    return buffer.getvalue()


def _log(**sample: object) -> bytes:
    scored = {"id": 1, "epoch": 1, "input": NAMED, "scores": {"exact": {"value": "C"}}} | sample
    return json.dumps(
        {
            "version": 2,
            "status": "success",
            "eval": {"task": "t", "model": "m", "dataset": {}, "config": {}},
            "samples": [scored],
        }
    ).encode()


_TWICE = b"model,item,score\na,1,1\na,1,0\n"
results("ZIP bomb as an Inspect log", "x.eval", _zip(header=b"0" * 600_000_000), "x.eval")
results("ZIP cut in the middle", "x.zip", _zip(a=b"x" * 9999)[:-30], "x.zip")
results("ZIP with nothing that can be read", "x.zip", _zip(**{"..__..__x": b"{}"}), "x.zip")


def _lying() -> bytes:
    """Return an archive whose header says 20 bytes where 400 MB come."""
    whole, size = (
        bytearray(_zip(**{"header.json": b"0" * 400_000_000})),
        (400_000_000).to_bytes(4, "little"),
    )
    while (place := whole.find(size)) >= 0:
        whole[place : place + 4] = (20).to_bytes(4, "little")
    return bytes(whole)


def _workbook(sheet: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("xl/workbook.xml", b"<workbook/>")
        archive.writestr(_SHEET, sheet, method)
    return buffer.getvalue()


_SHEET = "xl/worksheets/sheet1.xml"
_BLANK = b" " * 100_000_000
_TAGS = b"<worksheet><row" + b" a" * 2_000_000
results("Archive whose header says 20 bytes for 400 MB", "x.eval", _lying(), "x.eval")
results("Workbook packed with bzip2", "x.xlsx", _workbook(_BLANK, zipfile.ZIP_BZIP2), "x.xlsx")
results("Workbook packed with LZMA", "x.xlsx", _workbook(_BLANK, zipfile.ZIP_LZMA), "x.xlsx")
results("Workbook with a tag that never ends", "x.xlsx", _workbook(_TAGS), "x.xlsx")
results(
    "18 MB of [] that nobody reads", "x.json", b'{"a":[' + b"[]," * 6_000_000 + b"1]}", "x.json"
)
results("JSON nested 100,000 deep", "x.json", b"[" * 100_000, "x.json")
results("Inspect log with a score beyond its scale", "x.json", _log(scores={"e": {"value": 7}}), "")
results("Inspect log with NaN as a score", "x.json", _log().replace(b'"C"', b"NaN"), "x.json")
results("Item CSV with the same item twice", "x.csv", _TWICE, "x.csv")
results("Item CSV with a score of 101", "x.csv", b"model,item,score\na,1,101\n", "x.csv")
results(
    "Rating sheet without its key",
    "x.csv",
    b"rater,order,case,letter,answer,rating,comment\n1,1,c1,A," + NAMED.encode() + b",4,\n",
    "key",
)
results("Notes of patients in place of results", "x.csv", f"{NAMED}\nhas a cough\n".encode(), "")

"""One uploaded file as untrusted bytes: its limits, its text, and the faults that name it."""

from __future__ import annotations

import codecs
import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.domain import BadDataError

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_BYTES = 20_000_000
MAX_QUOTED = 60
_MAX_LABEL = 200
_RECORD_DIGITS, _RECORD_LETTERS = 6, 4
_BINARY = {
    b"PK": "a ZIP archive or an Excel workbook: unpack it, or save the sheet as CSV",
    b"\x1f\x8b": "compressed with gzip: unpack it first",
    b"PAR1": "a Parquet file: export it as CSV",
    b"%PDF": "a PDF document: import the data behind it",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save the sheet as CSV",
    b"SQLite": "a database: export the table as CSV",
}
_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True, slots=True)
class Upload:
    """The name a file came under, fit to be shown, and its text."""

    name: str
    digest: str
    """What tells its content from another's."""
    text: str = ""
    encoding: str = "utf-8"

    def fault(self, what: str, place: str = "") -> BadDataError:
        """Return the error that names the file and, where there is one, the place in it."""
        return BadDataError(f"{self.name}{', ' if place else ''}{place}: {what}.")

    def label(self, value: object, what: str, place: str) -> str:
        """Return text that names a model or a run, or fail where it cannot."""
        found = value.strip()[: _MAX_LABEL + 1] if isinstance(value, str) else ""
        text = printable(found).strip()
        if not text:
            raise self.fault(f"the {what} is missing or no text", place)
        if len(text) > _MAX_LABEL:
            raise self.fault(f"the {what} is longer than {_MAX_LABEL} signs", place)
        return text


def parted(name: str) -> list[str]:
    """Return the folders of a name and its file, whichever stroke is between them."""
    return name.replace("\\", "/").split("/")


def no_codes(ids: Iterable[str]) -> str:
    """Say how many ids may tell who a patient is, without one of them; empty where none does.

    An id that holds a blank; one that looks like a name: no digit, each word begins with a capital
    letter, and one has three letters or more; one that looks like a record number: six digits or
    more and at most four letters. Each sign is looked at once.
    """
    counts: Counter[str] = Counter()
    for text in ids:
        words = "".join(sign if sign.isalpha() else " " for sign in text).split()
        digits = sum(sign.isdecimal() for sign in text)
        if any(sign.isspace() for sign in text):
            counts["with blanks"] += 1
        elif digits >= _RECORD_DIGITS and sum(map(len, words)) <= _RECORD_LETTERS:
            counts["like record numbers"] += 1
        elif not digits and all(w[0].isupper() for w in words) and any(len(w) > 2 for w in words):
            counts["like names"] += 1
    if not counts:
        return ""
    told = ", ".join(f"{count:,} {what}" for what, count in sorted(counts.items()))
    return f"ids of cases may tell who a patient is ({told}): use codes."


def printable(text: str) -> str:
    """Return text with a space for each sign that cannot be shown, such as a line break."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else " " for sign in text)


def shortened(text: str) -> str:
    """Return at most ``MAX_QUOTED`` printable signs of a text from a file."""
    text = printable(text[: MAX_QUOTED + 1])
    return text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1]}…"


def quoted(value: object) -> str:
    """Return text from a file, shortened and in quotation marks."""
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "an object"
    return f'"{shortened(value if isinstance(value, str) else repr(value))}"'


def listed(names: list[str], limit: int = 12) -> str:
    """Return quoted names in a row, with the number of those beyond the limit."""
    unique = list(dict.fromkeys(names))
    more = f" and {len(unique) - limit} more" if len(unique) > limit else ""
    return ", ".join(quoted(name) for name in unique[:limit]) + more


def opened(name: str, data: bytes) -> Upload:
    """Return the upload, or refuse one that is too large, empty, binary or a web page.

    Its text is UTF-8, UTF-16 with its mark, or, where it is no JSON, Windows-1252.
    """
    base = parted(name)[-1]
    upload = Upload(shortened(base.strip()) or "The file", hashlib.sha256(data).hexdigest()[:8])
    if len(data) > MAX_BYTES:
        raise upload.fault(f"it is larger than {MAX_BYTES // 10**6} MB")
    if not data.strip(b"\xef\xbb\xbf \t\r\n\0"):
        raise upload.fault("it is empty")
    for start, what in _BINARY.items():
        if data.startswith(start):
            raise upload.fault(f"it is {what}")
    encoding = _UTF_16.get(data[:2], "utf-8-sig")
    try:
        text = data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        place = f"row {line}"
        if encoding != "utf-8-sig" or data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
            kind = "UTF-8" if encoding == "utf-8-sig" else "UTF-16"
            raise upload.fault(f"it is not {kind} text: save it as UTF-8", place) from None
        try:
            text, encoding = data.decode("cp1252"), "Windows-1252"
        except UnicodeDecodeError:
            raise upload.fault("it is not UTF-8 text: save it as CSV UTF-8", place) from None
    if "\0" in text:
        place = f"row {text.count(chr(10), 0, text.index(chr(0))) + 1}"
        raise upload.fault("it is no text file, or not UTF-8: save it as UTF-8", place)
    if text.lstrip()[:1] == "<":
        raise upload.fault("it is a web page or XML, not data: download the raw file")
    return replace(upload, text=text, encoding=encoding.removesuffix("-sig"))

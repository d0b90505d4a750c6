"""Files from strangers, opened a piece at a time; archives and JSON within limits.

Faults name the file and the place. Of JSON, Python's own scanner reads each value, and the stream
only walks the objects and lists around them: a value is held no longer than its reader holds it.
"""

import codecs
import hashlib
import io
import json
import math
import re
import struct
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO

import zstandard
from msgspec import MsgspecError
from msgspec import json as quick_json

from core.domain import BadDataError
from core.evidence.tables import as_number
from core.figures import printable

Step = str | int
Content = Path | bytes | bytearray | memoryview
MAX_BYTES, MOST_BYTES = 20_000_000, 200_000_000
"""Of one file that is held as a whole, and of one that is read a piece at a time."""
MOST_UNPACKED = 500_000_000
"""Of all parts of an archive together."""
_MOST_DIRECTORY, _MOST_PARTS = 8_000_000, 65_535
"""Bytes of an archive's list of parts, which Python reads as a whole, and how many it has."""
MOST_RECORDS = 600_000
"""Records or lines of one file, those included that are skipped."""
TOO_MANY = f"it has more than {MOST_RECORDS:,} records or lines"
_TOO_MUCH = f"it unpacks to more than {MOST_UNPACKED // 10**6} MB"
_PIECE = 1 << 18
"""Bytes that are read at once: this many stay in a processor's cache."""
_MOST_WINDOW = 1 << 23
"""Bytes of a Zstandard window, which memory holds: what level 19 needs and each reader supports."""
_PART, _END, _END_OF_LARGE = b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x07"
_ZSTANDARD = 93
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, zstandard.ZstdError, struct.error, EOFError, OSError),
    *(ValueError, OverflowError, RuntimeError, IndexError),
)
"""What Python raises on damaged or encrypted archives."""
MAX_QUOTED, _MAX_LABEL = 60, 200
_BINARY = {
    b"PK": "a ZIP archive or an Excel workbook: unpack it, or save the sheet as CSV",
    b"\x1f\x8b": "compressed with gzip: unpack it first",
    b"PAR1": "a Parquet file: export it as CSV",
    b"%PDF": "a PDF document: import the data behind it",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save the sheet as CSV",
    b"SQLite": "a database: export the table as CSV",
}
_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_BLANK = b"\xef\xbb\xbf \t\r\n"
GAPS = ("", "-", "–", "—", "n/a", "na", "none", "null")
"""What people and tools write for a number that there is not, in small letters."""
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
_WORD = re.compile(r"[A-Za-z_]\w{0,40}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Upload:
    """The name a file came under, fit to be shown, and its text where that is held."""

    name: str
    digest: str = ""
    """What tells its content from another's; a sheet of a workbook has none."""
    text: str = ""
    encoding: str = "utf-8"

    def fault(self, what: str, place: str | tuple[Step, ...] = "") -> BadDataError:
        """Return the error that names the file and, where there is one, the place in it."""
        place = place if isinstance(place, str) else path_in_document(*place)
        return BadDataError(f"{self.name}{', ' if place else ''}{place}: {what}.")

    def label(self, value: object, what: str, place: str | tuple[Step, ...]) -> str:
        """Return text that names a model or a run, or fail where it cannot."""
        found = value.strip()[: _MAX_LABEL + 1] if isinstance(value, str) else ""
        text = printable(found).strip()
        if not text:
            raise self.fault(f"the {what} is missing or not text", place)
        if len(text) > _MAX_LABEL:
            raise self.fault(f"the {what} is longer than {_MAX_LABEL} characters", place)
        return text

    def number(self, value: object, what: str, place: str | tuple[Step, ...] = "") -> float | None:
        """Return a number, or one in a text; ``None`` for a gap such as null, "-" or "N/A"."""
        given = value.strip() if isinstance(value, str) else value
        if given is None or (isinstance(given, str) and given.casefold() in GAPS):
            return None
        found = as_number(given)
        if found is not None:
            return found
        wrong = "is not a number, or too large"
        if isinstance(given, str) and _DECIMAL_COMMA.fullmatch(given):
            wrong = f"has a decimal comma: write {quoted(given.replace(',', '.'))}"
        elif isinstance(given, str) and given.endswith("%"):
            wrong = "is not a number: write it without the percent sign, on the benchmark's scale"
        raise self.fault(f"the {what} {quoted(given)} {wrong}", place)


def path_in_document(*steps: Step) -> str:
    """Return a path in a document as text, such as ``rows[3][2]``, shortened."""
    return shortened(_path(steps))


def _path(steps: Iterable[Step]) -> str:
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _WORD.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{quoted(step)}]"
    return text


def parted(name: str) -> list[str]:
    """Return the folders of a name and its file, whichever stroke is between them."""
    return name.replace("\\", "/").split("/")


def no_codes(ids: Iterable[str]) -> str:
    """Say how many ids may tell who a patient is, without one of them; empty where none does.

    That is an id with a blank; one like a name (no digit, each word with a capital letter, one of
    three letters or more); one like a record number (six digits or more and at most four letters).
    Each character is looked at once.
    """
    counts: Counter[str] = Counter()
    for text in ids:
        if len(text) < 6 and text.isdecimal():  # nothing of all that, and what most tools give
            continue
        digits = sum(map(str.isdecimal, text))
        if any(map(str.isspace, text)):
            counts["with blanks"] += 1
        elif digits >= 6 and sum(map(str.isalpha, text)) <= 4:
            counts["like record numbers"] += 1
        elif not digits:
            words = "".join(each if each.isalpha() else " " for each in text).split()
            if all(word[0].isupper() for word in words) and any(len(word) > 2 for word in words):
                counts["like names"] += 1
    if not counts:
        return ""
    told = ", ".join(f"{count:,} {what}" for what, count in sorted(counts.items()))
    return f"ids of cases may tell who a patient is ({told}): use codes."


def shortened(text: str) -> str:
    """Return at most ``MAX_QUOTED`` printable characters of a text from a file."""
    text = printable(text[: MAX_QUOTED + 1])
    return text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1]}…"


def quoted(value: object) -> str:
    """Return text from a file, shortened and in quotation marks."""
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "an object"
    return f'"{shortened(value if isinstance(value, str) else repr(value))}"'


def quoted_names(names: list[str], limit: int = 12) -> str:
    """Return quoted names in a row, with the number of those beyond the limit."""
    unique = list(dict.fromkeys(names))
    more = f" and {len(unique) - limit} more" if len(unique) > limit else ""
    return ", ".join(quoted(name) for name in unique[:limit]) + more


def counted_were(n: int, what: str) -> str:
    """Return "1 row was" or "12 rows were"."""
    return f"1 {what} was" if n == 1 else f"{n:,} {what}s were"


def opened_upload(name: str, data: bytes) -> Upload:
    """Return the upload, or refuse one that is too large, empty, binary or a web page.

    Its text is UTF-8, UTF-16 with its mark, or, where it is not JSON, Windows-1252.
    """
    upload = Upload(_shown(name), hashlib.sha256(data).hexdigest()[:8])
    if len(data) > MAX_BYTES:
        raise upload.fault(f"it is larger than {MAX_BYTES // 10**6} MB")
    if not data.strip(_BLANK + b"\0"):
        raise upload.fault("it is empty")
    for start, what in _BINARY.items():
        if data.startswith(start):
            raise upload.fault(f"it is {what}")
    encoding = _UTF_16.get(data[:2], "utf-8-sig")
    try:
        text = data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        place = f"row {data.count(10, 0, error.start) + 1}"
        if encoding != "utf-8-sig" or data.lstrip(_BLANK)[:1] in (b"{", b"["):
            kind = "UTF-8" if encoding == "utf-8-sig" else "UTF-16"
            raise upload.fault(f"it is not {kind} text: save it as UTF-8", place) from None
        try:
            text, encoding = data.decode("cp1252"), "Windows-1252"
        except UnicodeDecodeError:
            raise upload.fault("it is not UTF-8 text: save it as CSV UTF-8", place) from None
    if "\0" in text:
        place = f"row {text.count(chr(10), 0, text.index(chr(0))) + 1}"
        raise upload.fault("it is not a text file, or not UTF-8: save it as UTF-8", place)
    if text.lstrip()[:1] == "<":
        raise upload.fault("it is a web page or XML, not data: download the raw file")
    return replace(upload, text=text, encoding=encoding.removesuffix("-sig"))


def _shown(name: str) -> str:
    return shortened(parted(name)[-1].strip()) or "The file"


@dataclass(frozen=True, slots=True)
class Source:
    """One file under the name it came with, which may have folders."""

    name: str
    content: Content
    upload: Upload
    """What faults are raised by."""
    start: bytes = b""
    """Its first bytes, for telling its format."""

    def open(self) -> BinaryIO:
        """Return the bytes from their start."""
        if not isinstance(self.content, Path):
            return io.BytesIO(self.content)
        try:
            return self.content.open("rb")
        except OSError as error:
            raise self.upload.fault(f"it cannot be read ({error.strerror})") from None

    @property
    def is_utf_16(self) -> bool:
        """Whether the file has the mark of UTF-16."""
        return self.start[:2] in _UTF_16

    @property
    def opening(self) -> str:
        """The first character of the text, whatever mark and spaces are before it."""
        start = self.start.decode("utf-16" if self.is_utf_16 else "utf-8", "ignore")
        return start.lstrip("\ufeff \t\r\n")[:1]

    def text(self) -> TextIO:
        """Return the text, which is UTF-8, with its line ends as they are."""
        return io.TextIOWrapper(self.open(), encoding="utf-8-sig", newline="\n")

    def lines(self) -> Iterator[tuple[str, bytes]]:
        """Yield each line that is not empty, with its place; one that is too long is cut off."""
        n = 0
        with self.open() as stream:
            while piece := stream.read(_PIECE):
                piece += stream.readline(MOST_CHARACTERS + 1)
                for line in piece.removesuffix(b"\n").split(b"\n"):
                    n += 1
                    if n > MOST_RECORDS:
                        raise self.upload.fault(TOO_MANY)
                    if line and not line.isspace():
                        yield f"row {n}", line.removeprefix(codecs.BOM_UTF8) if n == 1 else line

    def table(self) -> Upload:
        """Return the whole of a small text file, such as a CSV."""
        with self.open() as stream:
            return opened_upload(self.name, stream.read(MAX_BYTES + 1))


def source_of(name: str, content: Content) -> Source:
    """Return one given file, or refuse one that is too large, not there or empty."""
    source = Source(name, content, Upload(_shown(name)))
    if isinstance(content, Path) and content.is_dir():
        raise source.upload.fault("it is a folder: give its files, or a ZIP archive of it")
    with source.open() as stream:
        start = stream.read(4096)
        size = stream.seek(0, io.SEEK_END)
    if not start.strip(_BLANK + b"\0"):
        raise source.upload.fault("it is empty")
    if size > MOST_BYTES:
        raise source.upload.fault(f"it is larger than {MOST_BYTES // 10**6} MB")
    return replace(source, start=start)


class Archive:
    """The parts of a ZIP archive, none of which is ever written to disk.

    Stored, deflate and Zstandard, since only these are unpacked a piece at a time. What comes out
    is counted over all parts: headers may lie.
    """

    def __init__(self, upload: Upload, archive: zipfile.ZipFile) -> None:
        self.upload, self._archive = upload, archive
        parts = archive.infolist()
        self.names = dict.fromkeys(part.filename for part in parts if not part.is_dir())
        self._left = MOST_UNPACKED

    def part(self, name: str, most: int, place: str = "") -> str:
        """Return the text of one part of at most this many characters.

        A fault names the part, or its ``place`` where the name holds the id of a case.
        """
        place = place or shortened(name)
        with self.text(name, place) as text:
            found = text.read(most + 1)
        if len(found) > most:
            raise self.upload.fault(f"it is longer than {most // 10**6} MB", place)
        return found

    @contextmanager
    def text(self, name: str, place: str = "") -> Iterator[TextIO]:
        """Give one part a piece at a time, as UTF-8."""
        with _sound(self.upload, place or shortened(name)):
            info = self._archive.getinfo(name)
            with self._opened(info) as stream:
                counted = io.BufferedReader(_Counted(self, info, stream), _PIECE)
                yield io.TextIOWrapper(counted, encoding="utf-8-sig", newline="\n")

    def count(self, n_bytes: int) -> None:
        """Refuse what unpacks to too much over all parts."""
        self._left -= n_bytes
        if self._left < 0:
            raise self.upload.fault(_TOO_MUCH)

    def _opened(self, info: zipfile.ZipInfo) -> IO[bytes]:
        if info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            return self._archive.open(info)
        if info.compress_type != _ZSTANDARD:
            raise NotImplementedError
        # What today's Inspect packs. Python unpacks it from 3.14 on, but with any window.
        packed = copy(info)
        packed.compress_type, packed.file_size = zipfile.ZIP_STORED, info.compress_size
        del packed.CRC
        unpacker = zstandard.ZstdDecompressor(max_window_size=_MOST_WINDOW)
        return unpacker.stream_reader(self._archive.open(packed), read_across_frames=True)


class _Counted(io.RawIOBase):
    """What a part unpacks to, counted; at its end its headers must have said the same."""

    def __init__(self, archive: Archive, info: zipfile.ZipInfo, stream: IO[bytes]) -> None:
        self._archive, self._info, self._stream = archive, info, stream
        self._size = self._check = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self._stream.read(len(buffer))
        n = len(piece)
        self._archive.count(n)
        buffer[:n] = piece
        self._size, self._check = self._size + n, zlib.crc32(piece, self._check)
        if not n and (self._size, self._check) != (self._info.file_size, self._info.CRC):
            raise zipfile.BadZipFile
        return n


@contextmanager
def archive(source: Source) -> Iterator[Archive]:
    """Give an archive's parts, or refuse one that unpacks to too much or leads out of itself."""
    upload = source.upload
    with source.open() as stream:
        _check_directory(upload, stream)
        with _sound(upload):
            opened_archive = zipfile.ZipFile(stream)
        with opened_archive:
            parts = opened_archive.infolist()
            if sum(part.file_size for part in parts) > MOST_UNPACKED:
                raise upload.fault(_TOO_MUCH)
            names = [part.filename for part in parts]
            if any(".." in parted(name) or name[:1] in "/\\" for name in names):
                raise upload.fault("a part of it has a name that leads out of the archive")
            if len(set(names)) < len(names):
                raise upload.fault("two parts of it have one name")
            yield Archive(upload, opened_archive)


def _check_directory(upload: Upload, stream: BinaryIO) -> None:
    """Refuse an archive whose list of parts is missing, or so long that it would fill memory."""
    size = stream.seek(0, io.SEEK_END)
    stream.seek(max(size - 66_000, 0))
    tail = stream.read()
    begins = tail.rfind(_END)
    if begins < 0 or len(tail) < begins + 22:
        raise upload.fault("it is a ZIP archive that is cut off or damaged")
    length = int.from_bytes(tail[begins + 12 : begins + 16], "little")
    is_large = tail[max(begins - 20, 0) : begins].startswith(_END_OF_LARGE)
    stream.seek(max(size - len(tail) + begins - length, 0))
    if is_large or length > _MOST_DIRECTORY or stream.read(length).count(_PART) > _MOST_PARTS:
        raise upload.fault("it has more parts than can be read, which is some 65,000")
    stream.seek(0)


@contextmanager
def _sound(upload: Upload, place: str = "") -> Iterator[None]:
    """Say in a sentence that an archive, or a part of it, cannot be unpacked."""
    try:
        yield
    except UnicodeDecodeError:
        raise upload.fault("it is not UTF-8 text", place) from None
    except _BROKEN as error:
        what = "the archive is cut off or damaged"
        if isinstance(error, NotImplementedError) or "too much memory" in str(error):
            what = "it is compressed in a way that cannot be read here: unpack it and pack it again"
        elif "password" in str(error):
            what = "the archive is locked with a password"
        raise upload.fault(what, place) from None


Json = dict[str, "Json"] | list["Json"] | str | float | bool | None
_MOST_VALUES, _MOST_CONTAINERS = 1_000_000, 200_000
"""In a whole document; a MedHELM release has about 10,000 objects and lists."""
MOST_CHARACTERS = 16_000_000
"""Of one value, such as one sample with all its messages."""
_MOST_HELD = 2 * MOST_CHARACTERS
"""Bytes of its text in memory, where one emoji makes each character take four."""
_MOST_COMMAS_IN_ONE, _MOST_CONTAINERS_IN_ONE = 300_000, 100_000
"""In one value, since small ones take many times the memory of their text."""
_MOST_KEYS = 10_000
"""Of an object that is walked, such as the document itself."""
_LARGE = 1 << 20
_TOO_LONG = (
    f"it is not readable JSON, or one piece of it is longer than {MOST_CHARACTERS // 10**6} MB"
)
_UNREADABLE = "it is not readable JSON, or it is cut off"
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_quickly = quick_json.Decoder().decode
_ENDS = {"{": "}", "[": "]"}
_WANTED = {"{": "an object is expected here", "[": "a list is expected here"}


def parsed(upload: Upload, text: str) -> Json:
    """Return the document, or fail at the first thing that JSON does not allow."""
    if text.count(",") > _MOST_VALUES:
        raise upload.fault(f"it holds more than {_MOST_VALUES:,} values")
    if text.count("[") + text.count("{") > _MOST_CONTAINERS:
        raise upload.fault(f"it holds more than {_MOST_CONTAINERS:,} lists and objects")

    def pairs(found: list[tuple[str, Json]]) -> dict[str, Json]:
        result = dict(found)
        if len(result) != len(found):
            twice = Counter(key for key, _ in found).most_common(1)[0][0]
            raise upload.fault(f"the key {quoted(twice)} comes twice in one object")
        return result

    def real(digits: str) -> float:
        value = float(digits)
        if not math.isfinite(value):
            what = "NaN, Infinity or a number too large; leave a gap as null"
            raise upload.fault(f"{quoted(digits)} is {what}")
        return value

    try:
        document: Json = json.loads(
            text, object_pairs_hook=pairs, parse_float=real, parse_constant=real
        )
        return document
    except json.JSONDecodeError as error:
        place = f"row {error.lineno}, column {error.colno}"
        raise upload.fault(f"it is not readable JSON ({error.msg})", place) from None
    except (RecursionError, ValueError) as error:
        raise upload.fault(_why(error)) from None


def decoded(upload: Upload, data: bytes | str, place: str) -> object:
    """Return one whole value, such as a line; too large a one is a fault."""
    try:
        if len(data) <= _LARGE:
            return _quickly(data)
    except (MsgspecError, RecursionError, UnicodeDecodeError):
        pass  # Python's reader takes more: NaN, a number beyond all bounds, half a surrogate.
    try:
        text = data if isinstance(data, str) else data.decode()
        _refuse_many(upload, text, place)
        return _DECODER.decode(text)
    except UnicodeDecodeError:
        raise upload.fault("it is not UTF-8 text: save it as UTF-8", place) from None
    except (RecursionError, ValueError) as error:
        raise upload.fault(_why(error), place) from None


def mapping(upload: Upload, value: Json, *steps: Step) -> dict[str, Json]:
    """Return a value that must be an object."""
    if not isinstance(value, dict):
        raise upload.fault(_WANTED["{"], steps)
    return value


def sequence(upload: Upload, value: Json, *steps: Step) -> list[Json]:
    """Return a value that must be a list."""
    if not isinstance(value, list):
        raise upload.fault(_WANTED["["], steps)
    return value


def as_list(value: object) -> list[Any]:
    """Return a list as it is, and nothing in place of anything else."""
    return value if isinstance(value, list) else []


def inside(value: object, *keys: str) -> dict[str, Any]:
    """Return the object that lies behind these keys; an empty one where none does."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _why(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "its JSON is nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return _UNREADABLE
    return "its JSON has a number of too many digits"


class JsonStream:
    """A document that is read from its start to its end, once.

    The consumer takes each value in turn, as a whole (``value``) or in parts (``members``,
    ``elements``).
    """

    def __init__(self, upload: Upload, text: TextIO) -> None:
        self.upload, self._text = upload, text
        self._held, self._at, self._ended = "", 0, False
        self._steps: list[Step] = []

    @property
    def place(self) -> str:
        """The path of the value that is read, such as ``samples[3]``."""
        return path_in_document(*self._steps)

    def fault(self, what: str) -> Exception:
        """Return the error that names the file and the place."""
        return self.upload.fault(what, self.place)

    def kind(self) -> str:
        """Return the first character of the next value; empty at the end."""
        if self._at < len(self._held) and (found := self._held[self._at]) > " ":
            return found  # No space before it, as nearly always.
        while True:
            self._at = _SPACE.match(self._held, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._more():
                return ""

    def members(self) -> Iterator[str]:
        """Yield each key of an object, after which its value must be taken."""
        for n in self._inside("{"):
            if n >= _MOST_KEYS:
                raise self.fault(f"it has more than {_MOST_KEYS:,} keys in one object")
            key = self.value() if self.kind() == '"' else None
            if not isinstance(key, str):
                raise self.fault(_UNREADABLE)
            self._take(":")
            self._steps.append(key)
            yield key
            self._steps.pop()

    def elements(self) -> Iterator[tuple[str, object]]:
        """Yield the place and the value of each element of a list."""
        around = _path(self._steps)
        for i in self._inside("["):
            if i >= MOST_RECORDS:
                raise self.fault(TOO_MANY)
            self._steps.append(i)
            yield shortened(f"{around}[{i}]"), self.value()
            self._steps.pop()

    def value(self) -> object:
        """Take the next value as a whole; more text is fetched until it is."""
        if not self.kind():
            raise self.fault("it is cut off")
        while True:
            try:
                value, end = _DECODER.raw_decode(self._held, self._at)
            except (RecursionError, ValueError) as error:
                if self._ended or not isinstance(error, json.JSONDecodeError):
                    raise self.fault(_why(error)) from None
            else:
                # A number may go on in what is not yet there, as by ".5" or "e-9".
                if end + 2 < len(self._held) or self._ended:
                    self._at = end
                    return value
                value = None
            self._more()

    def end(self) -> None:
        """Make sure that nothing follows."""
        if self.kind():
            raise self.upload.fault("more follows after the end of its JSON")

    def _inside(self, opening: str) -> Iterator[int]:
        """Yield a number for each member between the brackets of an object or a list."""
        self._take(opening)
        n = 0
        while self.kind() != _ENDS[opening]:
            if n:
                self._take(",")
            yield n
            n += 1
        self._at += 1

    def _take(self, character: str) -> None:
        if (found := self.kind()) != character:
            why = _WANTED.get(character, "it is not readable JSON") if found else "it is cut off"
            raise self.fault(why)
        self._at += 1

    def _more(self) -> bool:
        """Hold as much again of the text, at least a piece; say whether there was any."""
        if self._ended:
            return False
        self._held, self._at = self._held[self._at :], 0
        rest = self._held
        if len(rest) >= MOST_CHARACTERS:
            raise self.fault(_TOO_LONG)
        _refuse_many(self.upload, rest, self.place)
        try:
            found = self._text.read(max(_LARGE, len(rest)))
        except UnicodeDecodeError:
            raise self.fault("it is not UTF-8 text: save it as UTF-8") from None
        self._held, self._ended = rest + found, not found
        return bool(found)


def _refuse_many(upload: Upload, text: str, place: str) -> None:
    if len(text) <= _LARGE:
        return
    if len(text) > MOST_CHARACTERS or sys.getsizeof(text) > _MOST_HELD:
        raise upload.fault(_TOO_LONG, place)
    containers = text.count("[") + text.count("{")
    if text.count(",") > _MOST_COMMAS_IN_ONE or containers > _MOST_CONTAINERS_IN_ONE:
        raise upload.fault("it holds too many values in one piece", place)

"""Files from strangers: opened a piece at a time, and archives within limits."""

from __future__ import annotations

import codecs
import io
import lzma
import re
import struct
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from core.evidence.imports.upload import MAX_BYTES, Upload, opened, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

Content = Path | bytes | bytearray | memoryview
MOST_BYTES = 200_000_000
"""Of one file as it comes."""
MOST_UNPACKED = 500_000_000
"""Of all parts of an archive together."""
_MOST_DIRECTORY = 8_000_000
"""Bytes of an archive's list of parts, which Python reads as a whole."""
_END, _END_OF_LARGE = b"PK\x05\x06", b"PK\x06\x07"
_ZSTANDARD = 93
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError),
    *(ValueError, OverflowError, RuntimeError),
)
"""What Python raises on damaged or encrypted archives."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file under the name it came with, which may have folders."""

    name: str
    content: Content
    upload: Upload
    """What faults are raised by."""
    start: bytes
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
    def opening(self) -> str:
        """The first sign of the text, whatever mark and spaces are before it."""
        start = self.start.decode("utf-16" if self.is_utf_16 else "utf-8", "ignore")
        return start.lstrip("\ufeff \t\r\n")[:1]

    @property
    def is_utf_16(self) -> bool:
        """Whether the file has the mark of UTF-16."""
        return self.start.startswith(_UTF_16)

    @contextmanager
    def text(self) -> Iterator[TextIO]:
        """Give the text, which is UTF-8, a piece at a time with its line ends as they are."""
        with (
            self.open() as stream,
            io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n") as text,
        ):
            yield text

    def lines(self, most: int) -> Iterator[tuple[str, str]]:
        """Yield each line that is not empty, with its place; what is beyond ``most`` is cut off."""
        with self.open() as stream:
            n = 0
            while line := stream.readline(most + 1):
                n += 1
                try:
                    text = line.decode("utf-8-sig" if n == 1 else "utf-8")
                except UnicodeDecodeError:
                    what = "it is not UTF-8 text: save it as UTF-8"
                    raise self.upload.fault(what, f"row {n}") from None
                if text.strip():
                    yield f"row {n}", text

    def table(self) -> Upload:
        """Return the whole of a small text file, such as a CSV."""
        with self.open() as stream:
            return opened(self.name, stream.read(MAX_BYTES + 1))


def source_of(name: str, content: Content) -> Source:
    """Return one given file, or refuse one that is too large, not there or empty."""
    upload = Upload(shortened(re.split(r"[/\\]", name)[-1].strip()) or "The file", "")
    source = Source(name, content, upload, b"")
    if isinstance(content, Path) and content.is_dir():
        raise upload.fault("it is a folder: give its files, or a ZIP archive of it")
    with source.open() as stream:
        start = stream.read(4096)
        size = stream.seek(0, io.SEEK_END)
    if not start.strip(b"\xef\xbb\xbf \t\r\n\0"):
        raise upload.fault("it is empty")
    if size > MOST_BYTES:
        raise upload.fault(f"it is larger than {MOST_BYTES // 10**6} MB")
    return Source(name, content, upload, start)


class Archive:
    """The parts of a ZIP archive, of which none is ever written to disk."""

    def __init__(self, upload: Upload, archive: zipfile.ZipFile, stream: BinaryIO) -> None:
        self.upload, self._archive, self._stream = upload, archive, stream
        self.names = [part.filename for part in archive.infolist() if not part.is_dir()]

    def part(self, name: str, most: int) -> str:
        """Return the text of one part of at most so many bytes."""
        info, place = self._archive.getinfo(name), shortened(name)
        if info.file_size > most:
            raise self.upload.fault(f"it is longer than {most // 10**6} MB", place)
        with _sound(self.upload, place):
            if info.compress_type == _ZSTANDARD:
                data = self._zstandard(info)
            else:
                data = self._archive.read(info)
            return data.decode("utf-8-sig")

    def _zstandard(self, info: zipfile.ZipInfo) -> bytes:
        """Unpack what today's Inspect packs, which Python cannot before 3.14."""
        import pyarrow  # type: ignore[import-untyped]  # noqa: PLC0415

        self._stream.seek(info.header_offset)
        head = self._stream.read(30)
        names = int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        self._stream.seek(names, io.SEEK_CUR)
        packed = pyarrow.BufferReader(self._stream.read(info.compress_size))
        with pyarrow.CompressedInputStream(packed, "zstd") as unpacked:
            data: bytes = unpacked.read(info.file_size)
        if zlib.crc32(data) != info.CRC:
            raise zipfile.BadZipFile
        return data

    @contextmanager
    def text(self, name: str) -> Iterator[TextIO]:
        """Give one part a piece at a time, as UTF-8."""
        with _sound(self.upload, shortened(name)), self._archive.open(name) as stream:
            yield io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n")


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
                raise upload.fault(f"it unpacks to more than {MOST_UNPACKED // 10**6} MB")
            names = [part.filename for part in parts]
            if any(".." in re.split(r"[/\\]", name) or name[:1] in "/\\" for name in names):
                raise upload.fault("a part of it has a name that leads out of the archive")
            if len(set(names)) < len(names):
                raise upload.fault("two parts of it have one name")
            yield Archive(upload, opened_archive, stream)


def _check_directory(upload: Upload, stream: BinaryIO) -> None:
    """Refuse an archive whose list of parts is missing, or so long that it would fill memory."""
    size = stream.seek(0, io.SEEK_END)
    stream.seek(max(size - 66_000, 0))
    tail = stream.read()
    begins = tail.rfind(_END)
    if begins < 0 or len(tail) < begins + 22:
        raise upload.fault("it is a ZIP archive that is cut off or damaged")
    length = int.from_bytes(tail[begins + 12 : begins + 16], "little")
    if length > _MOST_DIRECTORY or tail[max(begins - 20, 0) : begins].startswith(_END_OF_LARGE):
        raise upload.fault("it has more parts than can be read, which is some 65,000")
    stream.seek(0)


@contextmanager
def _sound(upload: Upload, place: str = "") -> Iterator[None]:
    """Say in a sentence that an archive, or a part of it, cannot be unpacked."""
    try:
        yield
    except NotImplementedError:
        raise upload.fault(
            "it is compressed in a way that cannot be read here: unpack it and pack it anew",
            place,
        ) from None
    except UnicodeDecodeError:
        raise upload.fault("it is not UTF-8 text", place) from None
    except _BROKEN as error:
        locked = isinstance(error, RuntimeError) and "password" in str(error)
        what = "is locked with a password" if locked else "is cut off or damaged"
        raise upload.fault(f"the archive {what}", place) from None

"""JSON of any length, read value by value: what is not asked for never lies in memory as a whole.

Python's own scanner reads each value; this only walks the objects and lists around them. A value
is held no longer than its reader holds it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from core.evidence.imports.strict_json import at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from core.evidence.imports.strict_json import Step
    from core.evidence.imports.upload import Upload

MOST_SIGNS = 16_000_000
"""Of one value, such as one sample with all its messages."""
_MOST_COMMAS, _MOST_CONTAINERS = 1_000_000, 200_000
"""In one value, since small ones take many times the memory of their text."""
_LARGE = 1 << 20
_TOO_LONG = f"it is not readable JSON, or one piece of it is longer than {MOST_SIGNS // 10**6} MB"
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_ENDS = {"{": "}", "[": "]"}


def decoded(upload: Upload, text: str, place: str) -> object:
    """Return one whole value, such as a line; too large a one is a fault."""
    _refuse_many(upload, text, place)
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise upload.fault("its JSON is nested too deeply", place) from None
    except json.JSONDecodeError:
        raise upload.fault("it is not readable JSON, or it is cut off", place) from None
    except ValueError:
        raise upload.fault("its JSON has a number of too many digits", place) from None


class JsonStream:
    """A document that is read from its start to its end, once.

    The consumer takes each value in turn, as a whole (``value``) or in parts (``members``,
    ``elements``), or passes it over (``skip``).
    """

    def __init__(self, upload: Upload, text: TextIO) -> None:
        self.upload, self._text = upload, text
        self._held, self._at, self._ended = "", 0, False
        self._steps: list[Step] = []

    @property
    def place(self) -> str:
        """The path of the value that is read, such as ``samples[3]``."""
        return at(*self._steps)

    def fault(self, what: str) -> Exception:
        """Return the error that names the file and the place."""
        return self.upload.fault(what, self.place)

    def kind(self) -> str:
        """Return the first sign of the next value; empty at the end."""
        while True:
            self._at = _SPACE.match(self._held, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._more():
                return ""

    def members(self) -> Iterator[str]:
        """Yield each key of an object, after which its value must be taken."""
        for _ in self._inside("{"):
            key = self._whole() if self.kind() == '"' else None
            if not isinstance(key, str):
                raise self.fault("it is not readable JSON, or it is cut off")
            self._take(":")
            self._steps.append(key)
            yield key
            self._steps.pop()

    def elements(self) -> Iterator[tuple[str, object]]:
        """Yield the place and the value of each element of a list."""
        for i in self._inside("["):
            self._steps.append(i)
            yield self.place, self.value()
            self._steps.pop()

    def value(self) -> object:
        """Take the next value."""
        if not self.kind():
            raise self.fault("it is cut off")
        return self._whole()

    def skip(self, depth: int = 3) -> None:
        """Pass over the next value, in parts down to a depth, so that it may be of any length."""
        kind = self.kind()
        if not depth or kind not in _ENDS:
            self.value()
        elif kind == "{":
            for _ in self.members():
                self.skip(depth - 1)
        else:
            for _ in self._inside("["):
                self.skip(depth - 1)

    def end(self) -> None:
        """Make sure that nothing follows."""
        if self.kind():
            raise self.upload.fault("more follows after the end of its JSON")

    def _inside(self, opening: str) -> Iterator[int]:
        """Yield a number for each member between the signs of an object or a list."""
        self._take(opening)
        closing = _ENDS[opening]
        if self.kind() == closing:
            self._at += 1
            return
        n = 0
        while True:
            yield n
            n += 1
            if self.kind() == closing:
                self._at += 1
                return
            self._take(",")

    def _take(self, sign: str) -> None:
        found = self.kind()
        if found != sign:
            names = {"{": "an object is expected here", "[": "a list is expected here"}
            why = "it is cut off" if not found else names.get(sign, "it is not readable JSON")
            raise self.fault(why)
        self._at += 1

    def _whole(self) -> object:
        """Decode the value that begins here; more text is fetched until it is whole."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self._held, self._at)
            except RecursionError:
                raise self.fault("its JSON is nested too deeply") from None
            except json.JSONDecodeError:
                if self._ended:
                    raise self.fault("it is not readable JSON, or it is cut off") from None
            except ValueError:
                raise self.fault("its JSON has a number of too many digits") from None
            else:
                # A number may go on in what is not yet there, as by ".5" or "e-9".
                if end + 2 < len(self._held) or self._ended:
                    self._at = end
                    return value
                value = None
            self._more()

    def _more(self) -> bool:
        """Hold as much again of the text, at least a piece; say whether there was any."""
        if self._ended:
            return False
        rest = self._held[self._at :]
        if len(rest) >= MOST_SIGNS:
            raise self.fault(_TOO_LONG)
        if len(rest) > _LARGE:
            _refuse_many(self.upload, rest, self.place)
        try:
            found = self._text.read(max(_LARGE, len(rest)))
        except UnicodeDecodeError:
            raise self.fault("it is not UTF-8 text: save it as UTF-8") from None
        self._held, self._at, self._ended = rest + found, 0, not found
        return bool(found)


def _refuse_many(upload: Upload, text: str, place: str) -> None:
    if len(text) > MOST_SIGNS:
        raise upload.fault(_TOO_LONG, place)
    if len(text) > _LARGE and (
        text.count(",") > _MOST_COMMAS or text.count("[") + text.count("{") > _MOST_CONTAINERS
    ):
        raise upload.fault("it holds too many values in one piece", place)

"""JSON from strangers: a whole document, strictly, or one of any length, value by value.

Python's own scanner reads each value; the stream only walks the objects and lists around them. A
value is held no longer than its reader holds it.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from core.results.files import MOST_RECORDS, TOO_MANY, at, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from core.results.files import Step, Upload

Json = dict[str, "Json"] | list["Json"] | str | float | bool | None
_MOST_VALUES, _MOST_CONTAINERS = 1_000_000, 200_000
"""In a whole document; a MedHELM release has about 10,000 objects and lists."""
MOST_SIGNS = 16_000_000
"""Of one value, such as one sample with all its messages."""
_MOST_HELD = 2 * MOST_SIGNS
"""Bytes of its text in memory, where one emoji makes each sign take four."""
_MOST_COMMAS_IN_ONE, _MOST_CONTAINERS_IN_ONE = 300_000, 100_000
"""In one value, since small ones take many times the memory of their text."""
_MOST_KEYS = 10_000
"""Of an object that is walked, such as the document itself."""
_LARGE = 1 << 20
_TOO_LONG = f"it is not readable JSON, or one piece of it is longer than {MOST_SIGNS // 10**6} MB"
_UNREADABLE = "it is not readable JSON, or it is cut off"
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_ENDS = {"{": "}", "[": "]"}
_OPENING, _CLOSING = [ord(sign) for sign in "{["], [ord(sign) for sign in "}]"]
_AT_ONCE, _DEEPEST = 1 << 17, 1000
"""Signs that are passed over at once, and the depth that Python's own scanner stops at."""


def parsed(upload: Upload, text: str) -> Json:
    """Return the document, or fail at the first thing that JSON does not allow."""
    if text.count(",") > _MOST_VALUES:
        raise upload.fault(f"it holds more than {_MOST_VALUES:,} values")
    if text.count("[") + text.count("{") > _MOST_CONTAINERS:
        raise upload.fault(f"it holds more than {_MOST_CONTAINERS:,} lists and objects")
    doubled: list[tuple[object, str]] = []
    infinite: list[float] = []

    def pairs(found: list[tuple[str, Json]]) -> dict[str, Json]:
        result = dict(found)
        if len(result) != len(found) and not doubled:
            doubled.append((result, Counter(key for key, _ in found).most_common(1)[0][0]))
        return result

    def real(digits: str) -> float:
        value = float(digits)
        if not math.isfinite(value):
            infinite.append(value)
        return value

    try:
        document: Json = json.loads(
            text, object_pairs_hook=pairs, parse_float=real, parse_constant=real
        )
    except json.JSONDecodeError as error:
        place = f"row {error.lineno}, column {error.colno}"
        raise upload.fault(f"it is not readable JSON ({error.msg})", place) from None
    except (RecursionError, ValueError) as error:
        raise upload.fault(_why(error)) from None
    if doubled:
        what = f"the key {quoted(doubled[0][1])} comes twice in one object"
        raise upload.fault(what, _place_of(document, doubled[0][0]))
    if infinite:
        what = "NaN, Infinity or a number too large; leave a gap as null"
        raise upload.fault(what, _place_of(document, infinite[0]))
    return document


def decoded(upload: Upload, text: str, place: str) -> object:
    """Return one whole value, such as a line; too large a one is a fault."""
    _refuse_many(upload, text, place)
    try:
        return _DECODER.decode(text)
    except (RecursionError, ValueError) as error:
        raise upload.fault(_why(error), place) from None


def mapping(upload: Upload, value: Json, *steps: Step) -> dict[str, Json]:
    """Return a value that must be an object."""
    if not isinstance(value, dict):
        raise upload.fault("an object is expected here", steps)
    return value


def sequence(upload: Upload, value: Json, *steps: Step) -> list[Json]:
    """Return a value that must be a list."""
    if not isinstance(value, list):
        raise upload.fault("a list is expected here", steps)
    return value


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


def _place_of(document: Json, wanted: object) -> tuple[Step, ...]:
    """Find where one very object lies, without recursion."""
    todo: list[tuple[Json, tuple[Any, Step] | None]] = [(document, None)]
    while todo:
        value, trail = todo.pop()
        if value is wanted:
            steps: list[Step] = []
            while trail is not None:
                trail, step = trail
                steps.append(step)
            return tuple(reversed(steps[-12:]))
        if isinstance(value, dict):
            todo.extend((inner, (trail, key)) for key, inner in value.items())
        elif isinstance(value, list):
            todo.extend((inner, (trail, i)) for i, inner in enumerate(value))
    return ()


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
        for n in self._inside("{"):
            if n >= _MOST_KEYS:
                raise self.fault(f"it has more than {_MOST_KEYS:,} keys in one object")
            key = self._whole() if self.kind() == '"' else None
            if not isinstance(key, str):
                raise self.fault(_UNREADABLE)
            self._take(":")
            self._steps.append(key)
            yield key
            self._steps.pop()

    def elements(self) -> Iterator[tuple[str, object]]:
        """Yield the place and the value of each element of a list."""
        for i in self._inside("["):
            if i >= MOST_RECORDS:
                raise self.fault(TOO_MANY)
            self._steps.append(i)
            yield self.place, self.value()
            self._steps.pop()

    def value(self) -> object:
        """Take the next value."""
        if not self.kind():
            raise self.fault("it is cut off")
        return self._whole()

    def skip(self) -> None:
        """Pass over the next value, of any length: it is not built, only its end is found.

        Arrays of signs tell it, so that time goes by length, whatever the number of values.
        """
        if self.kind() not in _ENDS and self.kind() != '"':
            self.value()
            return
        depth, quotes, size = 0, 0, 1 << 10
        while True:
            text = self._held[self._at : self._at + size]
            if (len(text) - len(text.rstrip("\\"))) % 2:
                text = text[:-1]  # the sign that it escapes is not here
            if not text:
                if not self._more():
                    raise self.fault(_UNREADABLE)
                continue
            plain = text.replace("\\\\", "  ").replace('\\"', "  ")
            signs = np.frombuffer(plain.encode("utf-32-le", "surrogatepass"), "<u4")
            is_text = (quotes + np.cumsum(signs == ord('"'), dtype=np.int32)) % 2
            steps = np.isin(signs, _OPENING).astype(np.int32) - np.isin(signs, _CLOSING)
            depths = depth + np.cumsum(np.where(is_text, 0, steps), dtype=np.int32)
            ends = np.flatnonzero((depths <= 0) & (is_text == 0))
            if depths.max() > _DEEPEST:
                raise self.fault("its JSON is nested too deeply")
            if len(ends):
                self._at += int(ends[0]) + 1
                return
            depth, quotes, size = int(depths[-1]), int(is_text[-1]), min(2 * size, _AT_ONCE)
            self._at += len(text)

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

    def _more(self) -> bool:
        """Hold as much again of the text, at least a piece; say whether there was any."""
        if self._ended:
            return False
        self._held, self._at = self._held[self._at :], 0
        rest = self._held
        if len(rest) >= MOST_SIGNS:
            raise self.fault(_TOO_LONG)
        _refuse_many(self.upload, rest, self.place)
        try:
            found = self._text.read(max(_LARGE, len(rest)))
        except UnicodeDecodeError:
            raise self.fault("it is not UTF-8 text: save it as UTF-8") from None
        self._held, self._ended = rest + found, not found
        return bool(found)


def _refuse_many(upload: Upload, text: str, place: str) -> None:
    if len(text) > MOST_SIGNS or sys.getsizeof(text) > _MOST_HELD:
        raise upload.fault(_TOO_LONG, place)
    if len(text) > _LARGE and (
        text.count(",") > _MOST_COMMAS_IN_ONE
        or text.count("[") + text.count("{") > _MOST_CONTAINERS_IN_ONE
    ):
        raise upload.fault("it holds too many values in one piece", place)

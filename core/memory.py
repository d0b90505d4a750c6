"""How results are remembered, and long work given up when nobody waits for it any more.

``@remembered(maxsize=64)`` goes where ``functools.lru_cache`` would. What it does as well: results
belong to the store of the first argument and end with it; whoever asks for what is being computed
waits for that. What takes long and depends on the evidence alone is also written next to the store,
for the next process. Whoever starts long work may say how to find out whether it is wanted; the
work asks between its blocks.
"""

import hashlib
import inspect
import os
import re
import shutil
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial, wraps
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast

import msgspec

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_ASK: ContextVar[Callable[[], None]] = ContextVar("still_wanted", default=lambda: None)
_LOOK_SECONDS = 0.1
"""Seconds between two checks, by a waiting caller, that it is still wanted."""


def still_wanted() -> None:
    """Go on where somebody waits for this work; else raise what its starter has chosen.

    Costs next to nothing: call it between blocks of some milliseconds.
    """
    _ASK.get()()


@contextmanager
def asking(ask: Callable[[], None]) -> Iterator[None]:
    """Let the work in this block ask so whether it is still wanted.

    Parameters
    ----------
    ask
        Raises where it is not.
    """
    before = _ASK.set(ask)
    try:
        yield
    finally:
        _ASK.reset(before)


@dataclass
class _Flight:
    """A computation under way, and how many wait for it besides the caller that computes."""

    by: int = field(default_factory=threading.get_ident)
    waiting: int = 0
    done: threading.Event = field(default_factory=threading.Event)
    result: tuple[Any, ...] = ()


class Memory:
    """Remembers results by kind and key; of each kind the last used ones.

    A caller that asks for a result under computation waits for it. A computation is given up only
    when neither the one who began it nor anybody else waits.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kinds: dict[str, OrderedDict[Hashable, Any]] = {}
        self._flights: dict[tuple[str, Hashable], _Flight] = {}

    def recall(self, kind: str, key: Hashable, most: int, compute: Callable[[], R]) -> R:
        """Return the result of a kind with a key, computing it where it is not there.

        Of a kind the last ``most`` results are held.
        """
        while True:
            with self._lock:
                held = self._kinds.setdefault(kind, OrderedDict())
                if key in held:
                    held.move_to_end(key)
                    found: R = held[key]
                    return found
                under_way = self._flights.get((kind, key))
                if under_way is None:
                    flight = self._flights[kind, key] = _Flight()
                    break
                under_way.waiting += 1
            self._wait(under_way)
            if under_way.result:
                result: R = under_way.result[0]
                return result
        wanted = _ASK.get()
        before = _ASK.set(lambda: None if flight.waiting else wanted())
        try:
            result = compute()
            with self._lock:
                held = self._kinds.setdefault(kind, OrderedDict())
                held[key] = result
                while len(held) > most:
                    held.popitem(last=False)
            flight.result = (result,)
            return result
        finally:
            _ASK.reset(before)
            with self._lock:
                self._flights.pop((kind, key), None)
            flight.done.set()

    def _wait(self, flight: _Flight) -> None:
        try:
            if flight.by == threading.get_ident():
                raise RuntimeError("A result asks for itself.")
            while not flight.done.wait(_LOOK_SECONDS):
                still_wanted()
        finally:
            with self._lock:
                flight.waiting -= 1

    def forget(self) -> None:
        """Discard all results; they are computed again when asked for."""
        with self._lock:
            self._kinds.clear()

    def held(self, kind: str) -> int:
        """Return how many results of a kind are held."""
        with self._lock:
            return len(self._kinds.get(kind, ()))


class ResultFiles:
    """Results of earlier processes, a file each; one that cannot be read or written is not there.

    Parameters
    ----------
    folder
        Holds a folder for each version; only the last is kept.
    version
        64 hexadecimal digits, others where the evidence or the program is another.
    """

    def __init__(self, folder: Path, version: str) -> None:
        self._folder, self._own = folder, folder / version

    def read(self, kind: str, key: Hashable, of: object) -> Any | None:  # noqa: ANN401 - as its kind
        """Return a result of a type, checked against that type; ``None`` where there is none."""
        try:
            return msgspec.msgpack.decode(self._file(kind, key).read_bytes(), type=of)
        except (OSError, msgspec.MsgspecError):
            return None

    def write(self, kind: str, key: Hashable, result: object) -> None:
        """Write a result, whole or not at all."""
        path = self._file(kind, key)
        draft = path.with_name(f".{os.getpid()}.{os.urandom(4).hex()}")
        with suppress(OSError):
            if not self._own.exists():
                for old in self._folder.glob("*"):
                    if re.fullmatch("[0-9a-f]{64}", old.name):
                        shutil.rmtree(old, ignore_errors=True)
                self._own.mkdir(parents=True, exist_ok=True)
            try:
                draft.write_bytes(msgspec.msgpack.encode(result))
                draft.replace(path)
            finally:
                draft.unlink(missing_ok=True)

    def _file(self, kind: str, key: Hashable) -> Path:
        return self._own / hashlib.sha256(repr((kind, key)).encode()).hexdigest()


class Holder(Protocol):
    """What results belong to: a store, or a question at one."""

    @property
    def memory(self) -> Memory:
        """The memory of its store."""

    @property
    def key(self) -> Hashable:
        """What tells it apart from others with the same memory."""

    @property
    def files(self) -> ResultFiles | None:
        """The results of earlier processes; none where a visitor's own results are in them."""


class Same(Generic[T]):
    """An argument that is equal to itself only, where to compare what it holds would take long."""

    __slots__ = ("it",)

    def __init__(self, it: T) -> None:
        self.it = it

    def __hash__(self) -> int:
        return id(self.it)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.it is self.it


def remembered(
    *, maxsize: int, on_disk: object = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Remember the results of a function of a store or question, the last few of each store.

    What a result depends on is what the function takes. A ``dict`` is handed out read-only, since
    many hold the same one.

    Parameters
    ----------
    maxsize
        So many results of a store are held.
    on_disk
        The type of the results, where they are also written next to the store. They depend on its
        scores, its catalogue and the program alone, and their arguments are few.
    """

    def around(function: Callable[P, R]) -> Callable[P, R]:
        kind = f"{function.__module__}.{function.__qualname__}"
        first, *others = inspect.signature(function).parameters.values()
        if first.name not in ("store", "asked"):
            raise TypeError(f"{kind} has neither a store nor a question as its first parameter.")
        names = [parameter.name for parameter in others]
        defaults = {p.name: p.default for p in others if p.default is not p.empty}

        @wraps(function)
        def ask(*args: P.args, **kwargs: P.kwargs) -> R:
            holder = cast("Holder", args[0])
            # Written out in one way: in place, by name and by default are one question.
            given = {**defaults, **dict(zip(names, args[1:], strict=False)), **kwargs}
            if len(given) != len(names) or len(args) > 1 + len(names):
                return function(*args, **kwargs)  # which says what is wrong
            key = (holder.key, *[given[name] for name in names])
            compute = partial(function, *args, **kwargs)
            if on_disk is not None and holder.files is not None:
                compute = partial(_from_file, holder.files, kind, key, on_disk, compute)
            result = holder.memory.recall(kind, key, maxsize, compute)
            held: Any = MappingProxyType(result) if isinstance(result, dict) else result
            return cast("R", held)

        return ask

    return around


def _from_file(
    files: ResultFiles,
    kind: str,
    key: Hashable,
    of: object,
    compute: Callable[[], R],
) -> R:
    found: R | None = files.read(kind, key, of)
    if found is None:
        found = compute()
        files.write(kind, key, found)
    return found

"""Results that are remembered as long as the evidence they were computed from.

Each opened store has one memory. What was computed with a visitor's own results is in the memory
of that visitor's store, and goes when the store goes.
"""

from __future__ import annotations

import threading
import weakref
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Any, TypeVar

from core.domain.patience import asked_by_now, asking, still_wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

Result = TypeVar("Result")
_LOOK_SECONDS = 0.1
"""Who waits for another's computation looks so often whether they themselves are still there."""
_ALL: weakref.WeakSet[Memory] = weakref.WeakSet()
_FOUND: Counter[str] = Counter()
_COMPUTED: Counter[str] = Counter()


class _Flight:
    """A computation under way, and how many wait for it beside who computes."""

    def __init__(self) -> None:
        self.by = threading.get_ident()
        self.waiting = 0
        self.done = threading.Event()
        self.result: tuple[Any, ...] = ()


class Memory:
    """Remembers results by kind and key; of each kind the last used ones.

    Who asks for a result that another is computing waits for it. A computation is given up only
    when neither the one who began it nor anybody else waits.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kinds: dict[str, OrderedDict[Hashable, Any]] = {}
        self._flights: dict[tuple[str, Hashable], _Flight] = {}
        _ALL.add(self)

    def recall(self, kind: str, key: Hashable, most: int, compute: Callable[[], Result]) -> Result:
        """Return the result of a kind with a key, computing it where it is not there.

        Parameters
        ----------
        most
            So many results of this kind are held; beyond that the one unused longest goes.
        """
        flight = _Flight()
        while True:
            with self._lock:
                held = self._kinds.setdefault(kind, OrderedDict())
                if key in held:
                    held.move_to_end(key)
                    _FOUND[kind] += 1
                    found: Result = held[key]
                    return found
                under_way = self._flights.setdefault((kind, key), flight)
                if under_way is not flight:
                    under_way.waiting += 1
            if under_way is flight:
                return self._compute(flight, kind, key, most, compute)
            self._wait(under_way)
            if under_way.result:
                _FOUND[kind] += 1
                result: Result = under_way.result[0]
                return result

    def _compute(
        self,
        flight: _Flight,
        kind: str,
        key: Hashable,
        most: int,
        compute: Callable[[], Result],
    ) -> Result:
        wanted = asked_by_now()

        def ask() -> None:
            if not flight.waiting:
                wanted()

        try:
            with asking(ask):
                result = compute()
            with self._lock:
                held = self._kinds.setdefault(kind, OrderedDict())
                held[key] = result
                _COMPUTED[kind] += 1
                while len(held) > most:
                    held.popitem(last=False)
            flight.result = (result,)
            return result
        finally:
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

    def forget(self, kind: str = "") -> None:
        """Let go of all results, or those of a kind; they are computed anew when asked for."""
        with self._lock:
            if kind:
                self._kinds.pop(kind, None)
            else:
                self._kinds.clear()

    def held(self, kind: str) -> int:
        """Return how many results of a kind are held."""
        with self._lock:
            return len(self._kinds.get(kind, ()))


def forget(kind: str) -> None:
    """Let go of all results of a kind, whichever store they came from."""
    for memory in list(_ALL):
        memory.forget(kind)


def counted(kind: str) -> tuple[int, int, int]:
    """Return how many results of a kind are held now, were found, and were computed."""
    return sum(memory.held(kind) for memory in list(_ALL)), _FOUND[kind], _COMPUTED[kind]

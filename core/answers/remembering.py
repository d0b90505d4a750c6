"""The one way in which results are remembered: by the store that they were computed from.

``@remembered(maxsize=64)`` stands where ``functools.lru_cache`` would. What it does beside:
results belong to the store, which is the first argument, and end with it; equal questions are one
key, however they are written; who asks for what is being computed waits for that.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast

from core.domain import Requirements, Selection

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.evidence.store import Store

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Question = TypeVar("Question", Requirements, Selection)


class Same(Generic[T]):
    """An argument that is equal to itself only, where to compare what it holds would take long."""

    __slots__ = ("it",)

    def __init__(self, it: T) -> None:
        self.it = it

    def __hash__(self) -> int:
        return id(self.it)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.it is self.it


def remembered(*, maxsize: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Remember the results of a function of a store, the last ``maxsize`` of each store.

    A ``dict`` is handed out read-only, since many hold the same one.
    """

    def around(function: Callable[P, R]) -> Callable[P, R]:
        kind = f"{function.__module__}.{function.__qualname__}"
        first, *others = inspect.signature(function).parameters.values()
        if first.name != "store":
            raise TypeError(f"{kind} has no store as its first parameter.")
        names = [parameter.name for parameter in others]
        defaults = {p.name: p.default for p in others if p.default is not p.empty}
        by_keyword = {p.name for p in others if p.kind is p.KEYWORD_ONLY}

        @wraps(function)
        def ask(*args: P.args, **kwargs: P.kwargs) -> R:
            store = cast("Store", args[0])
            # Written out in one way: in place, by name and by default are one question.
            given = {**defaults, **dict(zip(names, args[1:], strict=False)), **kwargs}
            if len(given) != len(names) or len(args) > 1 + len(names):
                return function(*args, **kwargs)  # which says what is wrong
            asked = {name: _canonical(store, given[name]) for name in names}

            def compute() -> R:
                positional = [value for name, value in asked.items() if name not in by_keyword]
                named = {name: asked[name] for name in by_keyword}
                result: Any = cast("Callable[..., R]", function)(store, *positional, **named)
                return cast("R", MappingProxyType(result) if type(result) is dict else result)

            return store.memory.recall(kind, tuple(asked.values()), maxsize, compute)

        return ask

    return around


def canonical(store: Store, question: Question) -> Question:
    """Return a question with its snapshot named, and a protocol only where it is not the default.

    Without a snapshot the newest is meant: both are one question. Where the suite has none, the
    question stays as it is, and who answers it says so.
    """
    suite = store.catalogue.suites.get(question.suite)
    revision = question.revision or store.newest.get(question.suite, "")
    usual = suite is not None and question.protocol in suite.protocols[:1]
    protocol = "" if usual else question.protocol
    if (revision, protocol) == (question.revision, question.protocol):
        return question
    return replace(question, revision=revision, protocol=protocol)


def _canonical(store: Store, value: object) -> object:
    if isinstance(value, Requirements):
        return canonical(store, value)
    return canonical(store, value) if isinstance(value, Selection) else value

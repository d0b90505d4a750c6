"""What is known of a model's architecture: its own row, that of its base, or its size class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from core.domain import Architecture, Model

SIZE_CLASSES_B = (4.0, 16.0, 50.0, 150.0, math.inf)
"""Upper ends of the size classes, billions of parameters."""
_SAME_SIZE = 0.05
"""A fine-tune has the size of its base; a merge that adds layers has another architecture."""
_MOST_STEPS = 5


class _About(Protocol):
    @property
    def model(self) -> str: ...
    @property
    def also(self) -> tuple[str, ...]: ...


_Row = TypeVar("_Row", bound=_About)


@dataclass(frozen=True, slots=True)
class CacheSize:
    """Bytes of cache that one token takes at 16 bits, and where the figure comes from."""

    low: float
    likely: float
    high: float
    estimated: bool
    basis: str
    architecture: Architecture | None


def found_for(
    model: Model, rows: Sequence[_Row], models: Mapping[str, Model]
) -> tuple[list[_Row], str]:
    """Return the rows about a model or, without any, about the model it was made from.

    Parameters
    ----------
    model : Model
        The model; its aliases and the model that it mirrors count as itself.
    rows : sequence
        Rows with ``model`` and ``also``.
    models : mapping of str to Model
        The catalogue, to follow base models.

    Returns
    -------
    tuple of list and str
        The rows, empty where there are none, and the base model that they are about, empty
        where they are about the model itself. A base of another size (more than 5 % apart)
        or a merge of several is no base here.
    """
    for step, (base, names) in enumerate(_ancestry(model, models)):
        rows_of = [row for row in rows if names & {row.model, *row.also}]
        if rows_of:
            return rows_of, base if step else ""
    return [], ""


def cache_size(
    model: Model, architectures: Sequence[Architecture], models: Mapping[str, Model]
) -> CacheSize | None:
    """Return the cache that a token takes in a model, known or estimated.

    Parameters
    ----------
    model : Model
        Its size must be known for an estimate.
    architectures : sequence of Architecture
        The known ones.
    models : mapping of str to Model
        The catalogue, to follow base models.

    Returns
    -------
    CacheSize or None
        Bytes per token at 16 bits. Where the architecture is unknown: the lowest, the median
        and the highest of the known architectures in its size class, marked as an estimate.
        ``None`` where the size is unknown, or no architecture of its class is known.
    """
    known, base = found_for(model, architectures, models)
    if known:
        size = known[0].kv_bytes_per_token
        basis = f"its base model {base}" if base else "its own architecture"
        return CacheSize(size, size, size, estimated=False, basis=basis, architecture=known[0])
    if model.params_b is None:
        return None
    above = next(end for end in SIZE_CLASSES_B if model.params_b <= end)
    below = max((end for end in SIZE_CLASSES_B if end < above), default=0.0)
    sizes = [a.kv_bytes_per_token for a in architectures if below < a.params_b <= above]
    if not sizes:
        return None
    span = f"over {below:g}" if math.isinf(above) else f"{below:g} to {above:g}"
    return CacheSize(
        low=min(sizes),
        likely=median(sizes),
        high=max(sizes),
        estimated=True,
        basis=f"an estimate from {len(sizes)} known architectures of {span} billion parameters",
        architecture=None,
    )


def _ancestry(model: Model, models: Mapping[str, Model]) -> Iterator[tuple[str, set[str]]]:
    """Yield the model, then the models it was made from, each with its names."""
    names = {model.id, *model.aliases} | ({model.mirror_of} if model.mirror_of else set())
    yield model.id, names
    it = model
    for _ in range(_MOST_STEPS):
        base = it.base_model
        if not base:
            return
        parent = models.get(base)
        if parent is None:
            yield base, {base}
            return
        if (
            model.params_b is not None
            and parent.params_b is not None
            and not math.isclose(model.params_b, parent.params_b, rel_tol=_SAME_SIZE)
        ):
            return
        yield base, {base, *parent.aliases}
        it = parent

"""How many parameters a model has, as its own files declare."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from core.evidence.hub.errors import RemoteError
from core.evidence.hub.repositories import repository_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.evidence.hub.asking import Door


def declared_params_b(door: Door, model_id: str) -> float | None:
    """Return the parameters of a model in billions, as its safetensors files declare them.

    ``None`` where the model is missing, closed or gated, has no such files, or packs
    several parameters into one number, as quantised models do.

    Raises
    ------
    RemoteError
        When the Hub cannot be asked.
    """
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", model_id, re.ASCII):
        return None
    try:
        info = door.ask(
            repository_name(model_id, "model"),
            lambda api: api.model_info(model_id, timeout=door.timeout_s, expand=["safetensors"]),
        )
    except RemoteError as error:
        if error.kind in ("missing", "gated", "refused", "unexpected"):
            return None
        raise
    declared = getattr(info, "safetensors", None)
    counts: Mapping[str, int] = getattr(declared, "parameters", None) or {}
    n_float = sum(n for kind, n in counts.items() if kind.startswith(("F", "BF")))
    # A few integers are positions and masks; many are packed weights, which do not count.
    if not n_float or n_float < 0.99 * sum(counts.values()):
        return None
    return n_float / 1e9

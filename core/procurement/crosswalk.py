"""The same model in several suites, by the product that its maker sells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import CrosswalkEntry

Kind = Literal["same version", "version not stated"]


def products_of(model_id: str, entries: Sequence[CrosswalkEntry]) -> tuple[str, ...]:
    """Return the products that a model is or may be, in the order of the entries.

    Several where the id states no version; empty for a model that the crosswalk does not have.
    """
    return tuple(entry.product for entry in entries if entry.model == model_id)


def matched(
    one: Sequence[str], other: Sequence[str], entries: Sequence[CrosswalkEntry]
) -> tuple[tuple[str, str, Kind], ...]:
    """Match the models of two suites, each at most once.

    The closest go first: the same version; then the same id where the crosswalk does not know the
    model, for which a suite prints no more than the other; then *version not stated*, of these
    the same name but for spaces and signs, and else in the order given. So where a model has
    several counterparts, one stands for it, and no other model takes that one too.

    Parameters
    ----------
    one, other : sequences of str
        Ids of the catalogue.

    Returns
    -------
    tuple of (id of one, id of other, kind)
        In the order of ``one``.
    """
    place = {model: i for i, model in enumerate(other)}
    found: list[tuple[int, int, int, Kind]] = []
    for i, model in enumerate(one):
        ways = counterparts(model, entries)
        if model in place:
            known = {entry.kind for entry in entries if entry.model == model}
            same = not known or "same version" in known
            ways[model] = "same version" if same else "version not stated"
        for name, kind in ways.items():
            if name in place:
                loose = kind != "same version"
                rank = loose * (1 if _bare(name) == _bare(model) else 2)
                found.append((rank, i, place[name], kind))
    taken: dict[int, tuple[int, Kind]] = {}
    for _, i, j, kind in sorted(found):
        if i not in taken and j not in {match for match, _ in taken.values()}:
            taken[i] = j, kind
    return tuple((one[i], other[j], kind) for i, (j, kind) in sorted(taken.items()))


def _bare(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def counterparts(model_id: str, entries: Sequence[CrosswalkEntry]) -> dict[str, Kind]:
    """Return the other model ids that share a product with a model, in the entries' order.

    Parameters
    ----------
    model_id
        An id of the catalogue. A hospital's own result counts as its model: the caller takes
        ``core.evidence.catalogue.OWN_RESULT`` off the end first.
    entries
        The crosswalk.

    Returns
    -------
    dict
        Other id to *same version*, only where both say so of one product, or *version not
        stated*. Empty for a model that the crosswalk does not have. A model that two suites
        hold under one id is not its own counterpart: whether they mean the same version, its
        own entries say.
    """
    own = {entry.product: entry.kind for entry in entries if entry.model == model_id}
    found: dict[str, Kind] = {}
    for entry in entries:
        if entry.model == model_id or entry.product not in own:
            continue
        both = {entry.kind, own[entry.product]} == {"same version"}
        if both or entry.model not in found:
            found[entry.model] = "same version" if both else "version not stated"
    return found

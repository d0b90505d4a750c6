"""Two trees of the same models face to face, with a line from each model to itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import altair as alt

from core.charts.intervals import MUTED, WARN, Picture
from core.charts.tree_links import BETWEEN, INK, family_colours, family_under, links

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.statistics.agreement import Agreement

_ROOT, _LEAVES, _NAME, _LINE = 0.0, 0.17, 0.18, 0.42
"""Where things stand from the left edge, as shares of the width; the right side mirrors it."""
_STEP = 18
"""Pixels a model."""
_KINDS = ("same side", "changes side")
MOST_MODELS = 150
"""More lines than this cannot be followed by eye."""


def tanglegram(
    found: Agreement, names: Mapping[str, str], titles: tuple[str, str], *, family_names: bool
) -> Picture:
    """Draw both trees lying on their sides, their leaves towards each other.

    Parameters
    ----------
    found : Agreement
    names : mapping
        Label of each model.
    titles : pair of str
        What each tree is made from.
    family_names : bool
        Whether the same letters mean the same in both, so that a model can change side.
    """
    n = len(found.models)
    colours = family_colours(max(len(found.names_a), len(found.names_b)))
    sides = (
        (found.tree_a, found.order_a, found.labels_a),
        (found.tree_b, found.order_b, found.labels_b),
    )
    place_b = {leaf: place for place, leaf in enumerate(found.order_b)}
    pairs = [(leaf, found.labels_a[leaf], found.labels_b[leaf]) for leaf in found.order_a]
    return _layers(n, colours) | {
        "datasets": {
            "trees": [
                {"link": f"{side} {number}", "step": step, "x": _across(height / top, side), "y": y}
                | {"family": family_under([labels[leaf] for leaf in order[link.start : link.stop]])}
                for side, (tree, order, labels) in enumerate(sides)
                for top in [float(tree[:, 2].max()) or 1.0]
                for number, link in enumerate(links(tree, order))
                for step, (y, height) in enumerate(link.corners())
            ],
            "lines": [
                {"x": _LINE, "x2": 1 - _LINE, "y": place, "y2": place_b[leaf]}
                | {"model": names[found.models[leaf]], "first": a, "second": b}
                | {"kind": _KINDS[family_names and a != b]}
                for place, (leaf, a, b) in enumerate(pairs)
            ],
            "names": [
                {"side": side, "y": place, "x": 1 - _NAME if side else _NAME}
                | {"name": f"{names[found.models[leaf]]} ({labels[leaf]})"}
                for side, (_, order, labels) in enumerate(sides)
                for place, leaf in enumerate(order)
            ],
            "heads": [
                {"x": float(side), "y": -1.2, "name": title, "side": side}
                for side, title in enumerate(titles)
            ],
        }
    }


def _across(share: float, side: int) -> float:
    """Return where a merge stands: the root at the outer edge, the leaves inside."""
    x = _LEAVES - share * (_LEAVES - _ROOT)
    return 1 - x if side else x


def _layers(n: int, colours: dict[str, str]) -> Picture:
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=None)
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(domain=[-1.6, n - 0.4], reverse=True, nice=False, zero=False),
        axis=None,
    )
    trees = (
        alt.Chart(alt.NamedData("trees"))
        .mark_line(interpolate="linear", strokeWidth=1.4)
        .encode(
            x=x,
            y=y,
            detail=alt.Detail("link:N"),
            order=alt.Order("step:Q"),
            color=alt.Color(
                "family:N",
                scale=alt.Scale(domain=[*colours, BETWEEN], range=[*colours.values(), MUTED]),
                legend=None,
            ),
        )
    )
    between = (
        alt.Chart(alt.NamedData("lines"))
        .mark_rule()
        .encode(
            x=x,
            x2=alt.X2("x2:Q"),
            y=y,
            y2=alt.Y2("y2:Q"),
            stroke=_by_kind(alt.Stroke, (MUTED, WARN)),
            strokeDash=_by_kind(alt.StrokeDash, ([1, 0], [6, 3])),
            strokeWidth=_by_kind(alt.StrokeWidth, (1, 2.2)),
            tooltip=[
                alt.Tooltip("model:N", title="Model"),
                alt.Tooltip("first:N", title="Family on the left"),
                alt.Tooltip("second:N", title="Family on the right"),
            ],
        )
    )
    layers = [trees, between, *_texts(x, y, 0, "left"), *_texts(x, y, 1, "right")]
    picture: Picture = alt.LayerChart(layer=layers, height=_STEP * (n + 2)).to_dict(validate=False)
    return picture


def _by_kind(
    channel: type[alt.Stroke | alt.StrokeDash | alt.StrokeWidth], values: Sequence[Any]
) -> alt.Stroke | alt.StrokeDash | alt.StrokeWidth:
    return channel("kind:N", scale=alt.Scale(domain=list(_KINDS), range=list(values)), legend=None)


def _texts(x: alt.X, y: alt.Y, side: int, align: Literal["left", "right"]) -> list[alt.Chart]:
    """Return the models' names and the title of one side."""
    names = (
        alt.Chart(alt.NamedData("names"))
        .transform_filter(f"datum.side === {side}")
        .mark_text(
            align=align,
            fontSize=11,
            color=INK,
            limit=alt.ExprRef(f"width * {_LINE - _NAME - 0.01:.2f}"),
        )
        .encode(x=x, y=y, text=alt.Text("name:N"), tooltip=alt.Tooltip("name:N", title="Model"))
    )
    head = (
        alt.Chart(alt.NamedData("heads"))
        .transform_filter(f"datum.side === {side}")
        .mark_text(
            align=align,
            fontSize=12,
            fontWeight="bold",
            color=INK,
            limit=alt.ExprRef("width * 0.48"),
        )
        .encode(x=x, y=y, text=alt.Text("name:N"))
    )
    return [names, head]

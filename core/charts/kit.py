"""What pictures share: colours, labels, axes, marks by kind, the finish, and how they are filed."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal, TypeVar

import altair as alt

from core.domain import Model

Picture = dict[str, Any]
ChartRow = dict[str, str | float | None]
ByKind = TypeVar(
    "ByKind", alt.Color, alt.Fill, alt.Shape, alt.Stroke, alt.StrokeDash, alt.StrokeWidth
)

Axis = TypeVar("Axis", alt.X, alt.Y)

ACCENT, MUTED, WARN = "#1B8A8F", "#8A979B", "#C4621B"
INK = "#6E7D83"
"""For words within a picture: to be read on a white and on a dark ground."""
QUIET: dict[str, Any] = {"labelOverlap": False, "ticks": False, "domain": False}
"""An axis on which every name is written, and no line is drawn."""
NAMES: dict[str, Any] = QUIET | {"labelFlush": False}
COLOUR_BAR: dict[str, Any] = {"titleLimit": 400, "orient": "bottom", "gradientLength": 160}


def labels(models: Sequence[Model]) -> dict[str, str]:
    """Return a label per model: its name, or its id where two share a name."""
    names = Counter(model.name for model in models)
    return {m.id: m.name if names[m.name] == 1 else m.id for m in models}


def chart_rows(data: str) -> alt.Chart:
    """Return a layer over a named data set, to be given its mark."""
    layer: alt.Chart = alt.Chart(alt.NamedData(data))
    return layer


def tips(*fields: str) -> list[alt.Tooltip]:
    """Return what pointing at a mark says.

    Each of the fields reads ``name Title``, and that of a number ``name:format Title``. Without
    a title the value is alone.
    """
    found = []
    for field in fields:
        coded, _, title = field.partition(" ")
        name, number, form = coded.partition(":")
        kind = "Q" if number else "N"
        own = alt.Tooltip(f"{name}:{kind}", title=title or " ", format=form or alt.Undefined)
        found.append(own)
    return found


def of_models(marks: alt.Chart, *fields: str) -> alt.Chart:
    """Return marks that are models: pointed at they say these ``tips``, pressed they are chosen.

    The choice is called model, as is the column of the rows that says which.
    """
    chosen = alt.selection_point(name="model", fields=["model"])
    leading: alt.Chart = marks.encode(tooltip=tips(*fields)).add_params(chosen)
    return leading


def scaled(
    channel: type[Axis], field: str, title: str | None, scale: dict[str, Any], **axis: object
) -> Axis:
    """Return a channel with its scale and its axis."""
    own: Any = axis
    drawn_axis = alt.Axis(**own) if axis else alt.Undefined
    return channel(field, title=title, scale=alt.Scale(**scale), axis=drawn_axis)


def words(layer: alt.Chart, text: str | alt.Text, **mark: object) -> alt.Chart:
    """Return a layer that writes a field, small and quiet unless told otherwise."""
    own: Any = {"fontSize": 11, "color": MUTED} | mark
    written: alt.Chart = layer.mark_text(**own).encode(
        text=alt.Text(text) if isinstance(text, str) else text
    )
    return written


def drawn(layers: Sequence[alt.Chart], height: float | alt.Step, **datasets: object) -> Picture:
    """Put layers over each other, with the rows of the data sets that they name.

    What the typed classes of Altair built needs no second check against the schema, which takes
    ten times as long as all else. Nor is its class for layers asked, which copies each of them
    twice.
    """
    under: dict[str, Any] = {"top_level": False}
    parts: list[Picture] = [layer.to_dict(validate=False, context=under) for layer in layers]
    tall = height if isinstance(height, float | int) else height.to_dict(validate=False)
    picture: Picture = {**_frame(), "height": tall, "layer": parts, "datasets": datasets}
    if all(part["data"] == parts[0]["data"] for part in parts):
        picture["data"] = parts[0]["data"]
        for part in parts:
            del part["data"]
    return picture


@cache
def _frame() -> Picture:
    """Return what every picture has: the schema it follows and the size without a container."""
    whole: Picture = alt.LayerChart(layer=[]).to_dict(validate=False)
    return {name: whole[name] for name in ("$schema", "config")}


def by_kind(
    channel: type[ByKind],
    field: str,
    kinds: Sequence[str],
    values: Sequence[object],
    legend: alt.Legend | None = None,
) -> ByKind:
    """Return a channel with one value for each kind, without a legend unless one is given."""
    scale: Any = alt.Scale(domain=list(kinds), range=list(values))  # type: ignore[arg-type]
    return channel(f"{field}:N", scale=scale, legend=legend)


WIDTH = 900
_CONFIG = {
    "background": "white",
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"},
    "title": {"anchor": "start", "fontSize": 15, "subtitleFontSize": 11, "offset": 12},
}


def image(picture: Picture, kind: Literal["png", "svg"], *, title: str, source: str) -> bytes:
    """Draw a picture with its title and source as PNG, at twice the size, or as SVG.

    The picture has no width of its own; its parts share ``WIDTH``. Title and source are above
    it, so that it still says what it is on a slide.
    """
    import vl_convert  # noqa: PLC0415 - only a reader who wants a file needs the renderer

    # A list of lines: a text alone would break where it holds a newline.
    width = {"width": WIDTH}
    sized = width | picture
    if "vconcat" in picture:
        sized = picture | {"vconcat": [width | part for part in picture["vconcat"]]}
    titled = sized | {"title": {"text": [title], "subtitle": [source]}}
    if kind == "svg":
        return vl_convert.vegalite_to_svg(titled, config=_CONFIG).encode("utf-8")
    return vl_convert.vegalite_to_png(titled, config=_CONFIG, scale=2)

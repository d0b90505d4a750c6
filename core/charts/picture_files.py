"""A picture as a file for slides and reports, drawn without a browser or a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from core.charts.blocks import Picture

WIDTH = 900
"""Width of a picture in pixels at scale 1."""
_SCALE = 2
_CONFIG = {
    "background": "white",
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"},
    "title": {"anchor": "start", "fontSize": 15, "subtitleFontSize": 11, "offset": 12},
}


def image(picture: Picture, kind: Literal["png", "svg"], *, title: str, source: str) -> bytes:
    """Draw a picture with its title and source as PNG, at twice the size, or as SVG.

    The picture has no width of its own; its parts share ``WIDTH``. Title and source stand above
    it, so that it still says what it is on a slide.
    """
    import vl_convert  # noqa: PLC0415 - only a reader who wants a file needs the renderer

    # A list of lines: a text alone would break where it holds a newline.
    titled = _with_width(picture) | {"title": {"text": [title], "subtitle": [source]}}
    if kind == "svg":
        return vl_convert.vegalite_to_svg(titled, config=_CONFIG).encode("utf-8")
    return vl_convert.vegalite_to_png(titled, config=_CONFIG, scale=_SCALE)


def _with_width(picture: dict[str, Any]) -> dict[str, Any]:
    for parts in ("vconcat", "hconcat"):
        if parts in picture:
            share = WIDTH if parts == "vconcat" else WIDTH // len(picture[parts])
            return picture | {
                parts: [{"width": share} | _without_container(part) for part in picture[parts]]
            }
    if "facet" in picture or "repeat" in picture:
        return picture
    return {"width": WIDTH} | _without_container(picture)


def _without_container(part: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in part.items() if (key, value) != ("width", "container")}

"""What a browser may fetch while it starts: the parts of Streamlit that every page needs.

Streamlit's page asks for a part when the first element of its kind arrives, and only then learns
what that part needs itself. Over a network each step costs a way to the server and back. Named in
a header of the page, the parts come while the browser reads the first ones.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_PARTS = (
    *("Selectbox", "Radio", "Slider", "NumberInput", "Multiselect", "Checkbox", "Button", "Html"),
    *("ArrowVegaLiteChart", "vega-interpreter", "embed", "DataFrame", "DownloadButton"),
)
"""The elements of the side bar, and chart and table, as Streamlit names their files."""
_IMPORT = re.compile(r'(?:from|import)\s*"\./([\w.-]+\.js)"')
_LEAST_BYTES = 10_000
"""Smaller files come fast enough, and a proxy takes headers of some 4 kB only."""


def links(static: Path, page: str) -> str:
    """Return the header ``Link`` for the page that Streamlit serves.

    Parameters
    ----------
    static
        The folder of Streamlit with its page; its scripts are in ``static/js`` below it.
    page
        The HTML of that page. What it names itself is left out.

    Returns
    -------
    str
        Modules to preload, those first that were named first; empty where another version of
        Streamlit has its files elsewhere: the page is then only slower.
    """
    scripts = static / "static/js"
    waiting = [path for part in _PARTS for path in sorted(scripts.glob(f"{part}.*.js"))]
    found: dict[str, int] = {}
    while waiting:
        path = waiting.pop(0)
        if path.name in found or path.name in page or not path.is_file():
            continue
        found[path.name] = path.stat().st_size
        waiting += [scripts / name for name in _IMPORT.findall(path.read_text("utf-8"))]
    return ", ".join(
        f"<./static/js/{name}>; rel=modulepreload; crossorigin"
        for name, size in found.items()
        if size >= _LEAST_BYTES
    )

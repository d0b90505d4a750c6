"""What a hostile link holds, for the tests of pages and for those in a browser."""

from core.sharing import link
from core.sharing.controls import BY_KEY

SCRIPT = "<img src=x onerror=window.ran=1><b class=ran>b</b>"
ADDRESSES = "https://evil.example/in www.evil.example a@evil.example"
ICONS = ":material/lock: :material_lock: :smile: :+1: :red[x]"
"""Each is short enough to be quoted whole."""
NUMBERS = (
    *("max_params", "budget", "requests", "tokens_in", "tokens_out", "margin"),
    *("retention", "window", "tokens_reasoning", "cached"),
    *("owned", "context", "at_once", "load", "spares"),
)
_EVERY = (*link.QUESTION, *BY_KEY, *link.PAGES, "w_summarization", "v_discharge_letter")
KEYS = tuple(dict.fromkeys(key for key in _EVERY if not key.endswith("_tab")))
"""Each parameter that a link may hold, less those that name the open tab."""

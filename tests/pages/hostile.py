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
    *("owned", "context", "at_once", "load", "spares", "v_discharge_summaries"),
)
_EVERY = (*link.QUESTION, *BY_KEY, *link.PAGES, "w_summarization", "v_discharge_summaries")
KEYS = tuple(it for it in dict.fromkeys(_EVERY) if not it.endswith("_tab") and it != "volumes")
"""Each parameter that a link may hold, less those that name the open tab."""
TEXTS = (
    *("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</td><b>", "&lt;b&gt;"),
    *("[a](javascript:alert(1))", "![a](http://evil/x.png)", "$x$", ":red[x]", "**x**", "`x`"),
    *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", '"', "'", ";", ",", "\n", "\0"),
    *("\u202e", "\u2028", "\ud800", "\ufeff", "\x1b[31m", "e\u0301", "١٢", "NaN", "Infinity"),
    *("-Infinity", "1e999", "9" * 400, "-0", "1_000", "0x10", "1,5", "50%", "null", "true"),
    *("2026-11-21", "2026-02-30", "0001-01-01", "20261121", "2026-W01-1"),
)
"""Markup, formulas, characters that are none, and numbers and days that are none or nearly."""
WORDS = (
    *("MedHELM", "BRIDGE", "Own weights", "Our own servers only", "70 B", "No limit", "100"),
    *("0", "5", "12.5", "true", "OpenAI API;baa;yes;30;2026-11-01;letter;ok", "true"),
    *("gpt-4o;1.25;10;2026-10-01;offer 7", "portal-messages;812.5;", "gpt-4o", "Research"),
    *("All evidence", "all (00000000)", "Patient data, US", "healthbench-hard", "open", "GPT-5.2"),
    *("With a few examples", "Step by step", "2025-01-01", "x" * 5000, "1e308", "-0", "1_0"),
    *("Clinical Note Generation", "6 months", "Not asked", ";;;;;;", "m;1;2;2026-11-21;s"),
)
"""What a link, a form or a file may say, and some that is too long or too large."""

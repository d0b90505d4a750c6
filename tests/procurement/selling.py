"""A sale for the tests of choosing and of words."""

from core.domain import OnSale, Sale


def sold(standing, state="", until="", platform="Vendor", *, successor="", conflict="", kept=False):
    """How one platform sells a model, read in November 2026; nobody without a state."""
    lasts = {"gone": False, "not known": None, "ends": standing == "passes"}.get(state, True)
    source = "https://vendor.example"
    sale = Sale(platform, state, until, "2026-11-01", source, lasts, False, conflict)
    return OnSale(standing, (sale,) if state else (), successor, frozenset(), kept=kept)

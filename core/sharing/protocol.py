"""The frozen protocol of a local test as a document for the committee: HTML, and PDF of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.procurement.reasons import dollars
from core.sharing.memo import memo_pdf, template
from core.sharing.wording import counted

if TYPE_CHECKING:
    from core.local_test.plan import Plan, Protocol

_PAGES = 2


def protocol_html(agreed: Protocol, found: Plan | None = None) -> str:
    """Write the protocol as one HTML document that needs nothing else and asks nobody.

    With the plan it was made from, it says what the test takes in hours and dollars too; these are
    estimates and not part of what is frozen.
    """
    return template("protocol.html.j2").render(agreed=agreed, takes=_takes(found) if found else ())


def protocol_pdf(html: str) -> bytes:
    """Print it as PDF of at most two pages; errors as for ``memo_pdf``."""
    return memo_pdf(html, _PAGES)


def _takes(found: Plan) -> tuple[tuple[str, str], ...]:
    """Say what the test takes of people and of money."""
    said = [("Raters' time", "none: a program judges")]
    if found.raters:
        each = f"each {found.minutes_per_case:g} minutes for a case with the answers of all models"
        said = [
            ("Raters' time", f"{found.hours:,.0f} hours: {counted(found.raters, 'rater')}, {each}")
        ]
    for model, usd in zip(found.models, found.bills, strict=True):
        said.append((model.name, "cost not known" if usd is None else dollars(usd)))
    return tuple(said)

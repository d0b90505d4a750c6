"""A calendar file of days on which something is due (iCalendar, RFC 5545)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

_OCTETS = 75


def calendar(days: Iterable[tuple[str, str]], made: datetime) -> str:
    """Write whole days, each an ISO day and what is due, as one calendar.

    The same day with the same words has the same id, so that a program that reads the file anew
    keeps one entry.
    """
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//LLM Formulary//watch//EN"]
    for day, words in days:
        digest = hashlib.sha256(f"{day} {words}".encode()).hexdigest()[:32]
        lines += [
            *("BEGIN:VEVENT", f"UID:{digest}@llm-formulary", f"DTSTAMP:{made:%Y%m%dT%H%M%SZ}"),
            *(f"DTSTART;VALUE=DATE:{day.replace('-', '')}", f"SUMMARY:{_text(words)}"),
            "END:VEVENT",
        ]
    return "".join(
        f"{folded}\r\n" for line in [*lines, "END:VCALENDAR"] for folded in _folded(line)
    )


def _text(words: str) -> str:
    """Escape what the format means something by, and take line breaks for blanks."""
    escaped = " ".join(words.split()).replace("\\", "\\\\")
    return escaped.replace(";", "\\;").replace(",", "\\,")


def _folded(line: str) -> list[str]:
    """Break a line after 75 octets at most, never within a letter; what follows begins blank."""
    rows = [""]
    for letter in line:
        if len((rows[-1] + letter).encode()) > _OCTETS:
            rows.append(" ")
        rows[-1] += letter
    return rows

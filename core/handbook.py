"""The document on methods as a page shows it: one section for each of its headings."""

import re
from dataclasses import dataclass
from pathlib import Path

from core.domain import BadDataError

METHODS = Path(__file__).parents[1] / "docs" / "methods.md"


@dataclass(frozen=True, slots=True)
class Section:
    """The text under one heading."""

    title: str
    anchor: str
    """Small letters, digits and hyphens, to name the section in a link."""
    text: str
    """Markdown with formulas; links within the project are plain text."""


def sections(path: Path = METHODS, heading: str = "##") -> tuple[Section, ...]:
    """Return the sections of a Markdown document, without its comments and what goes before them.

    ``heading``, as a pattern, begins a section. A missing document, or one without sections, is a
    ``BadDataError``.
    """
    try:
        text = re.sub(r"(?s)<!--.*?-->\n?", "", path.read_text("utf-8"))
    except OSError:
        raise BadDataError(f"The document {path.name} is missing.") from None
    parts = re.split(rf"(?m)^{heading} (.+)$", text)
    if len(parts) < 3:
        raise BadDataError(f"The document {path.name} has no sections.")
    return tuple(
        Section(
            title.strip(),
            re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-"),
            re.sub(r"\[([^\]]+)\]\((?!https?:)[^)\s]+\)", r"`\1`", text).strip(),
        )
        for title, text in zip(parts[1::2], parts[2::2], strict=True)
    )


def section(title: str) -> Section:
    """Return one section of the methods, of any level, without the ones below it."""
    for each in sections(METHODS, "##+"):
        if each.title == title:
            return each
    raise BadDataError(f"The document {METHODS.name} has no section “{title}”.")

"""What the tests of evidence share: a table of the catalogue with one fault in it."""

from __future__ import annotations

import pytest


@pytest.fixture
def change(data):
    """Change the first place with a text in a table of the own catalogue."""

    def change(table, old, new):
        path = data / "catalogue" / table
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")

    return change

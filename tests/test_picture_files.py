"""Pictures as files: they have the size, the words and the marks of the picture."""

import struct

import pytest

from core.charts import intervals
from core.charts.kit import WIDTH, image


@pytest.fixture
def picture():
    rows = [
        {"model": "first <b>", "group": "others", "value": 61.0, "low": 50, "high": 70, "end": 70},
        {"model": "second", "group": "others", "value": 42.0, "low": 40, "high": 44, "end": 44},
    ]
    return intervals._SCORES | {"datasets": {"rows": rows}}


def drawn(picture, kind="svg"):
    return image(picture, kind, title="How sure is it?", source="Suite r1, as of 2026")


def test_an_svg_says_what_it_shows_and_where_it_is_from(picture):
    text = drawn(picture).decode("utf-8")
    for words in ("How sure is it?", "Suite r1, as of 2026", "first &lt;b&gt;", "second", "61.0"):
        assert words in text
    assert "<b>" not in text


def test_a_png_has_twice_the_width_of_the_drawing_and_its_words(picture):
    png = drawn(picture, "png")
    assert png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", png[16:24])
    assert width > 2 * WIDTH
    assert height > 2 * 2 * 24
    # Without a font on the machine, words would leave no trace.
    unnamed = image(picture, "png", title=" ", source=" ")
    assert len(png) > len(unnamed) + 1000

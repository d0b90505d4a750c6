"""What comes from data or a link is never read as Markdown: not in a label or a help text either.

A browser test looks at what becomes a link or an icon on some tabs as they open. This one reads
all that is sent for every tab, also what shows only under the mouse.
"""

import json
import re

import pytest
from reading import TABS, turn_to

from core.evidence.catalogue import load
from tests.pages.hostile import ADDRESSES, ICONS, KEYS, NUMBERS, SCRIPT

SUITE = "open-medical-llm"
# Without a slash, since only what is behind the last one is shown.
NAMES = [f":material_lock: www.evil{i}.example a@evil{i}.example" for i in range(5)]
# Those that name models outside of tables and pictures.
NAMING = {
    *("recommend/answer", "recommend/how_sure", "replace/side_by_side"),
    *("cost/combinations", "evidence/clusters", "evidence/win_rates"),
}
# Text here is not read as Markdown: options of select boxes, what a picture is called, and code.
AS_TEXT = {"selectbox", "multiselect", "text", "code"}
READ = {"label", "help", "body", "content", "tooltip", "caption", "header", "value", "element"}
UNBROKEN = re.compile(
    r":(material_|smile:|\+1:|red\[)|www\\?\.evil|@evil|https?\\?:\\?/\\?/evil|(?<!\\)<(img|b )"
)


def read_as_markdown(message, kind=""):
    """Give each text of a message that the browser reads as Markdown."""
    for field, value in message.ListFields():
        of = kind or field.name
        several = value if field.is_repeated else [value]
        if field.message_type is not None:
            for one in several if not hasattr(several, "keys") else several.values():
                if hasattr(one, "ListFields"):
                    yield from read_as_markdown(one, of)
        elif field.name == "columns" and isinstance(value, str):
            for column in json.loads(value or "{}").values():
                yield of, "help", column.get("help") or ""
        elif field.type == field.TYPE_STRING and (
            field.name in READ or (field.name == "options" and of not in AS_TEXT)
        ):
            for text in several:
                yield of, field.name, text


def elements(block):
    if (proto := getattr(block, "proto", None)) is not None:
        yield block.type, proto
    for child in getattr(block, "children", {}).values():
        yield from elements(child)


@pytest.fixture
def lured(data, write_snapshot):
    benchmarks = sorted(load(data / "catalogue").scales()[SUITE])
    write_snapshot(
        data,
        SUITE,
        [
            (name, benchmark, 0.3 + 0.1 * i + 0.01 * ((i + j) % 3))
            for i, name in enumerate(NAMES)
            for j, benchmark in enumerate(benchmarks)
        ],
    )


def read(at):
    """Give each text of a page that the browser reads as Markdown."""
    sent = [found for root in (at.main, at.sidebar) for found in elements(root)]
    return [text for kind, proto in sent for text in read_as_markdown(proto, kind)]


def test_no_name_of_a_model_is_read_as_markdown(visit, lured):
    at = visit(evidence="Open Medical-LLM", sale="Not asked", compare=NAMES[:3])
    for place in TABS:
        texts = read(turn_to(at, place))
        assert not at.exception, place
        assert any("evil" in text for *_, text in texts) or place not in NAMING, place
        assert [found for found in texts if UNBROKEN.search(found[2])] == [], place


@pytest.mark.parametrize("place", TABS)
def test_nothing_in_a_link_is_read_as_markdown(place, visit):
    lures = {key: (SCRIPT, ADDRESSES, ICONS)[i % 3] for i, key in enumerate((*KEYS, SCRIPT))}
    at = visit(place, **lures)
    assert not at.error
    notes = " ".join(note.value for note in at.warning).replace("\\", "").replace("\u200b", "")
    assert "Part of this link could not be used." in notes
    assert all(f"“{lure}”" in notes for lure in (SCRIPT, ADDRESSES, ICONS))
    assert notes.count(" is not a number and was left out.") == len(NUMBERS)
    assert [found for found in read(at) if UNBROKEN.search(found[2])] == []
    assert at.selectbox(key="evidence").value == "MedHELM"

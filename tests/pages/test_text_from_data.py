"""What comes from data is never read as Markdown: not in a label, an option or a help text either.

A browser test looks at what becomes a link or an icon on each page as it opens. This one reads all
that is sent, also what shows only under the mouse.
"""

import json
import re

import pytest

from core.evidence.catalogue import load

SUITE = "open-medical-llm"
# Without a slash, since only what is behind the last one is shown.
NAMES = [f":material_lock: www.evil{i}.example a@evil{i}.example" for i in range(5)]
# Those that name models outside of tables and pictures.
PLACES = [
    *("recommend/answer", "recommend/how_sure", "replace/candidates", "replace/side_by_side"),
    *("cost/bill", "cost/combinations", "evidence/clusters", "evidence/win_rates"),
]
# Text here is not read as Markdown: options of select boxes, what a picture is called, and code.
AS_TEXT = {"selectbox", "multiselect", "text", "code"}
READ = {"label", "help", "body", "content", "tooltip", "caption", "header", "value", "element"}
UNBROKEN = re.compile(r":material_lock|www\\?\.evil|@evil")


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
    """Give the message of each element and each block."""
    if (proto := getattr(block, "proto", None)) is not None:
        yield block.type, proto
    for child in getattr(block, "children", {}).values():
        yield from elements(child)


@pytest.fixture
def lured(data, write_snapshot):
    """A suite of which every model has such a name."""
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


@pytest.mark.parametrize("place", PLACES)
def test_no_name_of_a_model_is_read_as_markdown(place, visit, lured):
    more = {"compare": NAMES[:3]} if place.endswith("side_by_side") else {}
    at = visit(place, evidence="Open Medical-LLM", sale="Not asked", **more)
    sent = [found for root in (at.main, at.sidebar) for found in elements(root)]
    texts = [text for kind, proto in sent for text in read_as_markdown(proto, kind)]
    # On the bill each name stands in a table only, which reads no Markdown.
    assert any("evil" in text for *_, text in texts) or place == "cost/bill"
    assert [found for found in texts if UNBROKEN.search(found[2])] == []

"""All words that a first visit to each tab shows, and the first row of each table, in a file a tab.

Where words were changed on purpose, run this file with ``RENEW_WORDING=1``: it writes the files
again, and what has changed is then seen in the difference of the commit.
"""

import json
import os
import re
from datetime import date
from pathlib import Path

import pytest
import streamlit as st
from reading import TABS, turn_to
from streamlit.testing.v1 import AppTest

from pages.components import evidence

ROOT = Path(__file__).parents[2]
FILES = Path(__file__).with_name("wording")
SIDE_BAR, ANSWER = "side bar", "recommend/answer"
FIELDS = ("label", "body", "alt", "placeholder", "help")
# It names the versions of the software too.
RECEIPT = re.compile(r"(?<=Receipt )[0-9a-f]{4}( [0-9a-f]{4})+")


@pytest.fixture(scope="module")
def words(own_store_file, tmp_path_factory):
    """Open a tab for the first time, on one day of all days; return its words line by line."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence, "this_day", lambda: date(2026, 11, 22))
        kept = tmp_path_factory.mktemp("kept") / "kept.sqlite"
        patch.setenv("FORMULARY_DATABASE_URL", f"sqlite:///{kept}")
        patch.setenv("FORMULARY_LOCAL_RUN", "")
        st.cache_resource.clear()

        def found(place):
            at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
            if place == ANSWER:
                at.run()  # its links name the question once the address does
            turn_to(at, ANSWER if place == SIDE_BAR else place)
            assert not at.exception, at.exception
            return list(lines(at.sidebar if place == SIDE_BAR else at.main))

        yield found
    st.cache_resource.clear()


def lines(block):
    for child in getattr(block, "children", {}).values():
        proto = getattr(child, "proto", None)
        inner = [getattr(proto, kind, None) for kind in ("expandable", "popover", "tab")]
        for one in filter(None, [proto, *inner]):
            for field in FIELDS:
                text = getattr(one, field, "")
                if isinstance(text, str) and text.strip() and child.type != "html":
                    yield f"{child.type} {field}: {RECEIPT.sub('…', ' '.join(text.split()))}"
        for option in getattr(proto, "options", ()) if child.type == "button_group" else ():
            yield f"{child.type} option: {option.content}"
        if child.type == "dataframe":
            yield f"columns: {' | '.join(map(str, child.value.columns))}"
            for row in child.value.head(1).itertuples(index=False):
                cells = (f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in row)
                yield f"first row: {' | '.join(cells)}"
            for name, column in json.loads(proto.columns or "{}").items():
                said = [column[key] for key in ("label", "help") if column.get(key)]
                if said:
                    yield f"column {name}: {' '.join(said)}"
        yield from lines(child)


@pytest.mark.parametrize("place", [SIDE_BAR, *TABS])
def test_the_words_of_a_first_visit(place, words):
    path = FILES / f"{place.replace('/', '-').replace(' ', '_')}.txt"
    found = words(place)
    if os.environ.get("RENEW_WORDING"):
        path.write_text("\n".join(found) + "\n", "utf-8")
    held = path.read_text("utf-8").splitlines()
    for number, (before, now) in enumerate(zip(held, found, strict=False), 1):
        assert now == before, f"{path.name}, line {number}; RENEW_WORDING=1 writes the file again"
    assert len(found) == len(held), f"{path.name} ends elsewhere; RENEW_WORDING=1 writes it again"


def test_each_file_is_of_a_tab():
    names = {path.stem for path in FILES.glob("*.txt")}
    assert names == {place.replace("/", "-").replace(" ", "_") for place in (SIDE_BAR, *TABS)}

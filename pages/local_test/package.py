"""What do we hand to those who run and rate the test? One file, without any patient data."""

from __future__ import annotations

import streamlit as st

from core.local_test.package import build, of_protocol
from core.local_test.plan import protocol
from core.words.figures import listed
from pages.components import entries, evidence
from pages.components.blocks import how_made
from pages.components.downloads import button
from pages.components.notices import plain
from pages.local_test import asked

_INSIDE = (
    ("README.md", "the steps, with each command as it is to be typed"),
    ("cases.csv", "a template for your cases: an id, the input, the reference, subgroups"),
    ("de-identification.md", "what to remove before a case leaves the house, and who checks it"),
    ("inspect, medhelm, promptfoo", "the same cases for three tools: use the one you know"),
    ("ratings", "blinded sheets for two raters: cases in random order, models as letters"),
    ("key", "which letter is which model; keep it from the raters"),
)


def draw() -> None:
    """Draw the tab."""
    planned = asked.folded()
    made = protocol(planned, evidence.today())
    names = listed([each.name for each in planned.models])
    st.markdown(
        plain(
            f"One file for {planned.n_cases:,} cases with {names}, without any patient data: who "
            "runs it puts your own cases in, where they are allowed to be."
        )
    )
    button(
        "Package (ZIP)",
        data=lambda: build(of_protocol(made)),
        name=f"local-test-{made.sha256[:8]}",
        kind="zip",
        mime="application/zip",
        type="primary",
        help="The same plan gives the same file, with the same order of cases and letters.",
    )
    st.markdown("\n".join(f"- **{name}**: {what}" for name, what in _INSIDE))
    st.caption(
        "The commands were tried as they are printed, with Inspect, MedHELM and promptfoo. Take "
        "the protocol first: the package carries its number."
    )
    entries.link("local_test", "Results", label="Hand in the results", icon="upload_file")
    how_made("Local test", key="local_package")

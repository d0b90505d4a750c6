"""How is each number made, and do the numbers of the papers come out?"""

from collections import Counter

import pandas as pd
import streamlit as st

from core import figures, handbook
from core.answers import studies
from core.answers.asked import Asked
from core.answers.studies import Reproduced
from core.domain import FormularyError
from pages.components.blocks import table
from pages.components.notices import plain

_STUDIES = "Reproduced studies"


def _shown(value: str | float | None) -> str:
    if value is None:
        return "not computed"
    return value if isinstance(value, str) else f"{value:.4g}"


def _studies(claims: tuple[Reproduced, ...]) -> None:
    number = Counter(claim.agrees for claim in claims)
    parts = [f"**{number[True]} of {len(claims)} published numbers come out here.**"]
    if number[False]:
        verb = "differs" if number[False] == 1 else "differ"
        parts.append(f"{figures.counted(number[False], 'number')} {verb}.")
    if number[None]:
        lacking = f"{figures.counted(number[None], 'number')} cannot be computed"
        parts.append(f"{lacking}, for lack of scores.")
    st.markdown(" ".join(parts))
    agreement = {True: "agrees", False: "differs", None: "not computed"}
    frame = pd.DataFrame(
        {
            "What": [claim.claim for claim in claims],
            "Published": [_shown(claim.published) for claim in claims],
            "Computed here": [_shown(claim.computed) for claim in claims],
            "Agreement": [agreement[claim.agrees] for claim in claims],
            "Note": [claim.note for claim in claims],
            "Study": [claim.study for claim in claims],
        }
    )
    table(
        frame,
        "reproduced-studies",
        _STUDIES,
        alt=f"{len(claims)} published numbers next to the computed ones",
    )


def draw(asked: Asked) -> None:
    """Draw the tab."""
    st.subheader(_STUDIES)
    try:
        found = studies.reproduced(asked.store)
    except FormularyError as fault:
        st.info(
            f"The studies cannot be recomputed here. {plain(str(fault))}", icon=":material/info:"
        )
    else:
        _studies(found)
    st.subheader("Definitions")
    st.caption("Open a section; the address bar then holds a link to it.")
    for section in handbook.sections():
        if section.title == _STUDIES:
            continue
        fold = st.expander(
            section.title,
            key=f"about-{section.anchor}",
            on_change="rerun",
            bind="query-params",
        )
        if fold.open:
            with fold:
                st.markdown(section.text)

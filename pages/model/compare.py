"""Is one model above another? Suite by suite, wherever both stand; never in sum."""

import pandas as pd
import streamlit as st

from core.answers import model as answers
from core.domain import TooFewError
from core.words import figures
from core.words import model as words
from core.words.recommendation import safety_in_words
from pages.components import controls, evidence
from pages.components.blocks import how_made, numbers, table
from pages.components.notices import plain
from pages.model.known import choose, month


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    asked = controls.question(store).requirements
    left, right = st.columns(2)
    with left:
        a = choose(store, "Which model?", key="model")
    with right:
        b = choose(store, "Held against", key="beside")
    if a is None or b is None:
        raise TooFewError("Choose two models.")
    if a == b:
        raise TooFewError(f"Both are {a.name}: choose a second model.")
    with st.spinner("Comparing the two…"):
        found = answers.compare(store, a, b, evidence.today())
    st.markdown(f"**{plain(words.compared(found.verdict, a.name, b.name, *found.sides))}**")
    met = (*found.suites, *found.apart)
    if met:
        frame = pd.DataFrame(
            {
                "Suite": [each.a.name for each in met],
                "The first is": [
                    each.standing if each.a.ranks else f"{each.standing}, apart" for each in met
                ],
                **{
                    f"Place of {one.name}": [
                        f"{figures.ordinal(side.rank or 0)} of {side.n}"
                        for side in ((each.a, each.b)[i] for each in met)
                    ]
                    for i, one in enumerate((a, b))
                },
                "Difference, % of the scale": numbers([each.difference for each in met], times=100),
                "By": [each.a.metric for each in met],
                "As of": [each.a.as_of for each in met],
            }
        )
        table(frame, "model-compare", f"{a.name} and {b.name} in every suite with both")
    for one in (found.a, found.b):
        said = [month(store, one.named, asked), safety_in_words(one.safety)]
        st.markdown(f"**{plain(one.named.name)}** · {plain(' '.join(filter(None, said)))}")
    how_made("One model, all that is known", key="model_compare")

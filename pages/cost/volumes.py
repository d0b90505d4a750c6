"""A hospital's own figures: volumes filled in from its size, tokens of a request, and its price."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from core.answers import bills
from core.answers.asked import Asked
from core.charts.kit import labels
from core.domain import Model, Snapshot, WorkloadLine
from core.evidence.catalogue import OWN_RESULT
from core.evidence.store import Store
from core.sharing import own_figures as written
from core.sharing.controls import MOST_REQUESTS, platforms
from core.sharing.inputs import volume_key
from pages.components import blocks
from pages.components.controls import own_entry

_EMPTY: dict[str, Any] = {"value": None, "format": "%g", "placeholder": "Not given"}
_SIZES = {
    "beds": ("Staffed beds", "staffed bed"),
    "physicians": ("Physicians", "physician"),
    "clinicians": ("Primary care clinicians", "primary care clinician"),
}


def draw(asked: Asked, snapshot: Snapshot | None) -> None:
    """Show requests and tokens of each kind of work, with the forms to change them."""
    kinds = asked.store.catalogue.requests
    if not asked.question.workload.volumes and (
        lines := bills.workload_of(asked.store, asked.question.demand)
    ):
        st.caption("No volumes are given: one number is spread over the task categories.")
        _lines("Task category", lines, name="workload-categories", snapshot=snapshot)
    else:
        mine = dict(asked.question.workload.volumes)
        # One request of each kind gives the tokens of every kind, whether asked for or not.
        one_each = asked.having(volumes=tuple((kind.id, 1.0) for kind in kinds)).question.demand
        answered = tuple(
            replace(line, requests_per_month=mine.get(kind.id, 0.0))
            for kind, line in zip(kinds, bills.workload_of(asked.store, one_each), strict=True)
        )
        _lines("Kind of request", answered, name="workload", snapshot=snapshot)
    with st.expander("Fill in from the size of the hospital"):
        _fill_in(asked.store)
        _sources(asked, snapshot)
    with st.expander("Change the tokens of a request"):
        _tokens_form(asked.store)


def _fill_in(store: Store) -> None:
    def fill() -> None:
        for kind, _, requests in bills.suggested_volumes(store, _sizes()):
            if requests is not None:
                st.session_state[volume_key(kind.id)] = min(requests, MOST_REQUESTS)

    with st.form("hospital_size", border=False):
        st.caption(
            "The sources count what other hospitals do for each bed, physician or clinician. "
            "Your size times their number is a starting point: put your own numbers in the side "
            "bar. "
            "Kinds without a source, or whose size you leave empty, stay as they are."
        )
        for column, (key, (label, _)) in zip(st.columns(len(_SIZES)), _SIZES.items(), strict=True):
            column.number_input(label, 0.0, 1e6, step=10.0, key=key, bind="query-params", **_EMPTY)
        st.form_submit_button("Fill in the side bar", icon=":material/edit_note:", on_click=fill)


def _sizes() -> tuple[tuple[str, float], ...]:
    return tuple(
        (per, float(size))
        for key, (_, per) in _SIZES.items()
        if (size := st.session_state.get(key)) is not None
    )


def _sources(asked: Asked, snapshot: Snapshot | None) -> None:
    mine = dict(asked.question.workload.volumes)
    found = bills.suggested_volumes(asked.store, _sizes())
    volumes = [volume for _, volume, _ in found]
    frame = pd.DataFrame(
        {
            "Kind of request": [kind.name for kind, _, _ in found],
            "Yours a month": pd.Series([mine.get(kind.id, 0.0) for kind, _, _ in found]),
            "Estimated a month": blocks.numbers([requests for _, _, requests in found]),
            "Source says": [
                f"{v.value:,g} {v.unit} ({v.name})" if v else "no source: your own number"
                for v in volumes
            ],
            "For one": [v.per if v else "" for v in volumes],
            "Per month": blocks.numbers(v.per_month if v else None for v in volumes),
            "How": [v.derivation if v else "" for v in volumes],
            "Where": [v.context if v else "" for v in volumes],
            "As of": [v.as_of if v else "" for v in volumes],
            "Note": [v.note if v else "" for v in volumes],
            "Source": [v.source_url if v else None for v in volumes],
        }
    )
    blocks.table(frame, "workload-sources", "Sources", snapshot, placeholder="not given")


def _lines(
    what: str, lines: Sequence[WorkloadLine], *, name: str, snapshot: Snapshot | None
) -> None:
    profiles = [line.profile for line in lines]
    frame = pd.DataFrame(
        {
            what: [line.category for line in lines],
            "Requests a month": [line.requests_per_month for line in lines],
            "Read": [profile.input_tokens for profile in profiles],
            "Written": [profile.output_tokens for profile in profiles],
            "Basis": [profile.basis for profile in profiles],
        }
    )
    blocks.table(
        frame.round({"Requests a month": 0, "Read": 0, "Written": 0}),
        name,
        "Workload",
        snapshot,
        placeholder="yours",
        alt=f"Requests and tokens a month of each {what.lower()}",
        file=frame,
    )


def _tokens_form(store: Store) -> None:
    names = {kind.id: kind.name for kind in store.catalogue.requests}
    st.caption(
        "MedHELM's counts apply where you leave a figure empty. Yours are used for the kinds of "
        "request that have a monthly number."
    )

    def draw() -> None:
        left, middle, right = st.columns(3)
        left.selectbox(
            "Kind of request", list(names), format_func=names.__getitem__, key="own_tokens_kind"
        )
        tokens: dict[str, Any] = {
            "min_value": 1.0,
            "max_value": written.MOST_TOKENS,
            "step": 100.0,
            **_EMPTY,
        }
        middle.number_input("Tokens it reads", key="own_tokens_input_tokens", **tokens)
        right.number_input("Tokens it writes", key="own_tokens_output_tokens", **tokens)

    own_entry(store, "own_tokens", "Use these tokens", draw)


def draw_price(store: Store, models: Sequence[Model]) -> None:
    """Draw the form for what one of the models was offered at."""
    names = {model.removesuffix(OWN_RESULT): name for model, name in labels(models).items()}
    st.caption(
        "The price you were offered replaces the public prices, here and on every page, and it is "
        "part of the link. Note in the source whether taxes are included."
    )

    def draw() -> None:
        left, right = st.columns(2)
        left.selectbox("Model", list(names), format_func=names.__getitem__, key="own_price_model")
        named = ["", *platforms(store.catalogue)]
        right.selectbox("Platform", named, key="own_price_platform")
        for column, part, field in zip(
            st.columns(3),
            ("read", "written", "cached, where given"),
            ("input_usd_per_mtok", "output_usd_per_mtok", "cached_usd_per_mtok"),
            strict=True,
        ):
            usd, most = f"US dollars per million tokens {part}", written.MOST_USD_PER_MTOK
            column.number_input(usd, 0.0, most, step=0.1, key=f"own_price_{field}", **_EMPTY)

    own_entry(store, "own_price", "Use this price", draw)

"""A hospital's own figures: its volumes, tokens of a request, and its price."""

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
from core.sharing.own_figures import platforms
from pages.components import blocks
from pages.components.controls import own_entry

_EMPTY: dict[str, Any] = {"value": None, "format": "%g", "placeholder": "Not given"}


def draw(asked: Asked, snapshot: Snapshot | None) -> None:
    """Show requests and tokens of each kind of work, with the forms to change them."""
    kinds = asked.store.catalogue.requests
    if not asked.question.workload.volumes and (
        lines := bills.workload_of(asked.store, asked.question.demand)
    ):
        st.caption("No volumes are given: one number is spread over the task categories.")
        _lines("Task category", lines, name="workload-categories", snapshot=snapshot)
    elif bills.by_the_task(asked.store, asked.question.demand):
        st.caption(
            "A request is a whole task, with the mean tokens that each model's own run took. Enter "
            "volumes in the side bar to count single calls."
        )
        _tasks(asked, snapshot)
    else:
        mine = dict(asked.question.workload.volumes)
        # One request of each kind gives the tokens of every kind, whether asked for or not.
        one_each = asked.having(volumes=tuple((kind.id, 1.0) for kind in kinds)).question.demand
        answered = tuple(
            replace(line, requests_per_month=mine.get(kind.id, 0.0))
            for kind, line in zip(kinds, bills.workload_of(asked.store, one_each), strict=True)
        )
        _lines("Kind of request", answered, name="workload", snapshot=snapshot)
    with st.expander("Change the tokens of a request"):
        _tokens_form(asked.store)


def _tasks(asked: Asked, snapshot: Snapshot | None) -> None:
    suite, known = asked.question.evidence.suite, asked.store.catalogue
    tests = {test.id: test.name for test in known.benchmarks[suite]}
    took = [of for (there, _), of in known.agent_tokens.items() if there == suite]
    runs = [it for of in took for it in of.values()]
    frame = {
        "Model": [known.model(it.run).name for it in runs],
        "Task": [tests[it.benchmark] for it in runs],
        "Read": [it.input_tokens for it in runs],
        "From a cache, %": [it.cached_tokens / it.input_tokens * 100 for it in runs],
        "Written": [it.output_tokens for it in runs],
        "Trials counted": [f"{it.n_counted} of {it.n_trials}" for it in runs],
    }
    formats = {"From a cache, %": "%.0f"}
    blocks.table(frame, "workload-tasks", "Tokens of a task", snapshot, columns=formats)


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
        alt=f"Requests a month, and tokens per request, of each {what.lower()}",
        file=frame,
    )


def _tokens_form(store: Store) -> None:
    names = {kind.id: kind.name for kind in store.catalogue.requests}
    st.caption(
        "MedHELM's counts apply where you leave a figure empty. Yours are used for kinds of "
        "request with a monthly volume."
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
        "The price you were offered replaces the public price at its platform, here and on every "
        "page. It is part of the link; note in the source whether taxes are included."
    )

    def draw() -> None:
        left, right = st.columns(2)
        left.selectbox(
            *("Model", list(names), None),
            format_func=names.__getitem__,
            key="own_price_model",
            placeholder="Choose a model",
        )
        right.selectbox(
            "Platform",
            ["", *platforms(store.catalogue)],
            key="own_price_platform",
            help="Without a platform the price replaces all public prices, but does not count if "
            "you require conditions.",
        )
        for column, part, field in zip(
            st.columns(3),
            ("read", "written", "cached, where given"),
            ("input_usd_per_mtok", "output_usd_per_mtok", "cached_usd_per_mtok"),
            strict=True,
        ):
            usd, most = f"US dollars per million tokens {part}", written.MOST_USD_PER_MTOK
            column.number_input(usd, 0.0, most, step=0.1, key=f"own_price_{field}", **_EMPTY)

    own_entry(store, "own_price", "Use this price", draw)

"""Conditions of purchase in words and tables: models, ways to get them, questions, answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import pandas as pd
import streamlit as st

from core.answers.conditions import BEST_FIRST, Changes, Conditions, KnownAnswer
from core.domain import GateAnswer, GateKind, Model, Requirements, RouteVerdict
from core.evidence.store import Store
from core.procurement.gates import within_sentence
from pages.components import wording
from pages.components.notices import plain

STATUS = {
    "passes": "meets",
    "conditional": "on a condition",
    "open": "open questions",
    "fails": "fails",
}
SOURCES = {
    "vendor": "vendor's own page",
    "vendor_forum": "vendor's forum",
    "third_party": "third party",
    "catalogue": "catalogue of models",
    "own": "your own",
}
_MOST_ASKED, _MOST_QUESTIONS = 12, 6

WAYS_COLUMNS = {
    "Answer": st.column_config.TextColumn(width="large"),
    "Source": st.column_config.TextColumn(width="medium"),
    "As of": st.column_config.TextColumn(
        help="The date of the source. Undated: it does not say; confirm before you sign."
    ),
}


def asked(requirements: Requirements, kinds: Mapping[str, GateKind]) -> str:
    """Write the conditions that are set, in one line of plain text."""
    names = [
        f"no {within_sentence(kinds[gate].name)}"
        if kinds[gate].wanted == "no"
        else within_sentence(kinds[gate].name)
        for gate in requirements.gates
    ]
    if requirements.max_retention_days is not None:
        kept = wording.counted(requirements.max_retention_days, "day")
        names.append(f"data kept for at most {kept}")
    if requirements.min_context_tokens is not None:
        names.append(f"at least {requirements.min_context_tokens:,} tokens read at once")
    return "; ".join(names)


def answer(found: Conditions) -> str:
    """Say how many models meet the conditions."""
    n = len(found.rows)
    between = found.n("conditional", "open")
    return (
        f"**Of {wording.counted(n, 'model')}, {found.n('passes')} "
        f"{'meets' if found.n('passes') == 1 else 'meet'} your conditions as far as is known, "
        f"{between} on a condition or with open questions, {found.n('fails')} "
        f"{'fails' if found.n('fails') == 1 else 'fail'}.**"
    )


def evidence_count(found: Conditions) -> str:
    """Say on how many answers the verdicts rest."""
    unknown = found.n_needed - found.n_known
    rest = (
        "all are known."
        if not unknown
        else f"{found.n_known} are known, {unknown} are not. What is not known is a question, "
        "never a no."
    )
    return (
        f"Each model stands here with the best way to get it. The conditions need "
        f"{wording.counted(found.n_needed, 'answer')} of platforms and about models: {rest}"
    )


def models(found: Conditions) -> pd.DataFrame:
    """Return one row a model, with the way that stands best."""
    rows = found.rows
    said = [[w for status in BEST_FIRST[:0:-1] for w in r.best.words(status)] for r in rows]
    return pd.DataFrame(
        {
            "Model": [row.model.name for row in rows],
            "Best way": [row.best.platform for row in rows],
            "Stands": [STATUS[row.best.status] for row in rows],
            "Reasons, questions and conditions": [
                " ".join((*words, row.best.note)).strip()
                for words, row in zip(said, rows, strict=True)
            ],
            "Questions open": [len(row.best.words("open")) for row in rows],
            "Ways": [len(row.ways) for row in rows],
            "Ways that fail": [sum(w.status == "fails" for w in row.ways) for row in rows],
            "Billed at": [
                row.bill.price.provider_name if row.bill else "no public price" for row in rows
            ],
        }
    )


MODEL_COLUMNS = {
    "Reasons, questions and conditions": st.column_config.TextColumn(width="large"),
    "Questions open": st.column_config.NumberColumn(
        help="Conditions to which nobody publishes an answer, on the best way."
    ),
    "Ways": st.column_config.NumberColumn(
        help="Platforms of the price list that sell it, and own servers where its weights are open."
    ),
    "Billed at": st.column_config.TextColumn(
        help="The cheapest way that does not fail. It need not be the one that stands best."
    ),
}


def ways(verdicts: Sequence[RouteVerdict]) -> pd.DataFrame:
    """Return one row per way to get a model and condition, with the source of the answer."""
    checks = [(verdict, check) for verdict in verdicts for check in verdict.checks]
    return pd.DataFrame(
        {
            "Platform": [verdict.platform for verdict, _ in checks],
            "Condition": [check.name for _, check in checks],
            "Stands": [STATUS[check.status] for _, check in checks],
            "Answer": [
                " ".join(filter(None, (check.words, verdict.note))) for verdict, check in checks
            ],
            "Source": [check.source_url for _, check in checks],
            "Kind of source": [source_kind(check.source_kind) for _, check in checks],
            "As of": [check.as_of for _, check in checks],
        }
    )


def source_kind(kind: str) -> str:
    """Write the kind of a source in words."""
    return SOURCES.get(kind, kind)


def questions(found: Conditions) -> pd.DataFrame:
    """Return one row a question, by whom it goes to."""
    return pd.DataFrame(
        {
            "Whom": [one.whom for one in found.inquiries],
            "Condition": [one.condition for one in found.inquiries],
            "Question": [one.question for one in found.inquiries],
            "Best way of": [", ".join(one.models) for one in found.inquiries],
            "Other way of": [", ".join(one.others) for one in found.inquiries],
        }
    )


def to_ask(found: Conditions) -> str:
    """List the questions on the best ways, by whom they go to; empty where there are none."""
    waiting = [one for one in found.inquiries if one.models]
    groups = [(whom, list(of)) for whom, of in groupby(waiting, lambda one: one.whom)]
    lines = []
    for whom, of in groups[:_MOST_ASKED]:
        lines.append(f"- **{plain(whom)}**")
        for one in of[:_MOST_QUESTIONS]:
            names = wording.list_of(list(one.models[:4]))
            more = f" and {len(one.models) - 4} more" if len(one.models) > 4 else ""
            lines.append(f"  - {plain(one.question)} For {plain(names)}{more}.")
        if len(of) > _MOST_QUESTIONS:
            lines.append(f"  - And {len(of) - _MOST_QUESTIONS} more in the table.")
    if len(groups) > _MOST_ASKED:
        lines.append(f"- And {len(groups) - _MOST_ASKED} more vendors in the table.")
    return "\n".join(lines)


def known(found: Sequence[KnownAnswer]) -> pd.DataFrame:
    """Return one row an answer, with its source."""
    return pd.DataFrame(
        {
            "About": [one.about for one in found],
            "Condition": [one.kind.name for one in found],
            "Answer": [one.answer.answer for one in found],
            "Stands": [one.standing for one in found],
            "Days": pd.array([one.answer.days for one in found], dtype="Int64"),
            "Detail": [one.answer.detail for one in found],
            "Source": [one.answer.source_url for one in found],
            "As of": [one.answer.as_of for one in found],
            "Kind of source": [source_kind(one.answer.source_kind) for one in found],
        }
    )


KNOWN_COLUMNS = {
    "Stands": st.column_config.TextColumn(
        help="As wanted: the answer that a buyer hopes for. A condition is met under what the "
        "detail says. Not known is a question, never a no."
    ),
    "Days": st.column_config.NumberColumn(help="Days that data are kept, where a source says so."),
    "Detail": st.column_config.TextColumn(width="large"),
    "Source": st.column_config.TextColumn(width="medium"),
    "As of": WAYS_COLUMNS["As of"],
    "Kind of source": st.column_config.TextColumn(
        help="The vendor's own page, a third party who writes about the vendor, or you."
    ),
}


def cells(found: Sequence[KnownAnswer]) -> list[tuple[str, str, str, str, str]]:
    """Return the cells of the picture; your own answers carry a star."""
    return [
        (
            one.about,
            one.kind.name,
            one.short + ("*" if one.answer.source_kind == "own" else ""),
            one.standing,
            one.answer.detail or "no statement found",
        )
        for one in found
    ]


def told(answer: GateAnswer, kinds: Mapping[str, GateKind], model: Model | None) -> str:
    """Write one answer in a line of plain text; ``model`` is what it is about, if one."""
    about = answer.platform if model is None else model.name
    days = "" if answer.days is None else f", {wording.counted(answer.days, 'day')}"
    source = ", ".join(filter(None, (answer.source_url, answer.as_of)))
    name = within_sentence(kinds[answer.gate].name)
    return f"{about}, {name}: {answer.answer}{days}" + (f" ({source})" if source else "")


def changes(store: Store, found: Changes) -> pd.DataFrame:
    """Return one row per answer that a file would change."""
    catalogue = store.catalogue
    every = [("becomes your own", one) for one in found.new]
    every += [("is taken back", one) for one in found.back]
    models = [catalogue.models.get(one.platform) for _, one in every]
    return pd.DataFrame(
        {
            "About": [
                one.platform if model is None else model.name
                for (_, one), model in zip(every, models, strict=True)
            ],
            "Condition": [catalogue.procurement.gate_kinds[one.gate].name for _, one in every],
            "Answer": [one.answer for _, one in every],
            "Change": [what for what, _ in every],
            "Days": pd.array([one.days for _, one in every], dtype="Int64"),
            "Detail": [one.detail for _, one in every],
            "Source": [one.source_url for _, one in every],
            "As of": [one.as_of for _, one in every],
        }
    )

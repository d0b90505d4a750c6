"""What has changed since a shortlist was saved, in words and as a table."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.answers import documents
from core.saved.changes import Differences, Moved
from core.saved.kept import Saved
from core.sharing import wording
from pages.components.blocks import table
from pages.components.notices import plain


def in_short(found: documents.Since) -> str:
    """Say in a few words what has changed, for a table."""
    parts = [part.removesuffix(" changed") for part in _parts(found.today)]
    newer = ["newer evidence"] if found.newer_evidence else []
    return ", ".join([*newer, *parts]) or "nothing"


def draw(saved: Saved, found: documents.Since) -> None:
    """Draw what has changed since a shortlist was saved, with where it comes from."""
    changed = found.today.changed
    what = ", ".join(_parts(found.today))
    lead = f"**{what[:1].upper()}{what[1:]}**" if what else "**Nothing has changed**"
    st.markdown(f"{lead} since {saved.saved_at:%d %B %Y}. {_causes(found)}")
    if found.notes:
        st.warning(
            f"Part of the saved question could not be used. {plain(' '.join(found.notes))}",
            icon=":material/link_off:",
        )
    if found.again.changed or found.again.order_changed:
        st.warning(
            "Asked again on the same evidence and at the prices of the same day, the list does "
            f"not come out as it was saved: {', '.join(_parts(found.again))}. So the program, its "
            "catalogue of models and prices, or your own results have changed since.",
            icon=":material/difference:",
        )
    if not changed:
        return
    table(
        _frame(changed),
        f"changed-since-{saved.id[:8]}",
        f"What has changed since {saved.name} was saved",
        alt="What changed: " + "; ".join(f"{row.name} {row.what}" for row in changed[:20]),
        placeholder="none",
    )


def _frame(rows: Sequence[Moved]) -> pd.DataFrame:
    """Return models with both standings side by side, scores in points."""
    columns: dict[str, object] = {
        "Model": [row.name for row in rows],
        "What": [row.what for row in rows],
    }
    sides = {"saved": [row.before for row in rows], "today": [row.after for row in rows]}
    for name, kind, figure in (
        ("Rank {}", "Int64", lambda at: at.rank),
        ("Score {}", "float64", lambda at: None if at.score is None else at.score * 100),
        ("Benchmarks {}", "Int64", lambda at: at.n_benchmarks),
        ("Bill {}, $ a month", "float64", lambda at: at.monthly_usd),
    ):
        for side, standings in sides.items():
            values = [None if at is None else figure(at) for at in standings]
            columns[name.format(side)] = pd.Series(values, dtype=kind)
    return pd.DataFrame(columns)


def _parts(found: Differences) -> list[str]:
    both = [row for row in found.rows if row.before and row.after]
    counts = ((len(found.new), "new model"), (len(found.gone), "gone model"))
    parts = [wording.counted(n, noun) for n, noun in counts if n]
    for field, noun in (("rank", "rank"), ("score", "score"), ("bill", "bill")):
        n = sum(getattr(row, field) for row in both)
        if n:
            parts.append(f"{wording.counted(n, noun)} changed")
    return parts


def _causes(found: documents.Since) -> str:
    evidence = (
        f"Newer evidence is here: {plain(found.revision_today)} in place of "
        f"{plain(found.revision_then)}."
        if found.newer_evidence
        else f"The evidence is the same, version {plain(found.revision_then)}."
    )
    prices = (
        f"Prices are those of {found.priced_today:%d %B %Y} in place of "
        f"{found.priced_then:%d %B %Y}."
        if found.priced_today != found.priced_then
        else f"Prices are of the same day, {found.priced_then:%d %B %Y}."
    )
    return f"{evidence} {prices}"

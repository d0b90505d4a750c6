"""What has changed since a shortlist was saved, in words and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.answers import documents
from core.saved.changes import Differences, Moved, Standing
from core.saved.kept import Saved
from core.sharing import wording
from pages.components.blocks import table
from pages.components.notices import plain

NOT_RECORDED = "not recorded"
_MOST_NAMED = 3


def in_short(found: documents.Since) -> str:
    """Say in a few words what has changed, for a table."""
    parts = [part.removesuffix(" changed") for part in _all_parts(found)]
    newer = ["newer evidence"] if found.newer_evidence else []
    return ", ".join([*newer, *parts]) or "nothing"


def draw(saved: Saved, found: documents.Since) -> None:
    """Draw what has changed since a shortlist was saved, with where it comes from."""
    changed = found.today.changed
    what = ", ".join(_all_parts(found))
    lead = f"**{what[:1].upper()}{what[1:]}**" if what else "**Nothing has changed**"
    st.markdown(f"{lead} since {saved.saved_at:%d %B %Y}. {_causes(found)}")
    st.markdown(f"{_take(found)}  \n{_sale(found)}")
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
    sale = {one.model: one for one in found.sale}
    rows = [row for row in found.today.rows if row in changed or row.model in sale]
    if not rows:
        return
    table(
        _frame(rows, sale),
        f"changed-since-{saved.id[:8]}",
        f"What has changed since {saved.name} was saved",
        of="changed-since",
        alt="What changed: " + "; ".join(f"{row.name} {_what(row)}" for row in rows[:20]),
        placeholder="none",
    )


def _take(found: documents.Since) -> str:
    """Say which model was to take at which price, and how both are today."""
    rows = {row.model: row for row in found.today.rows}
    then, now = found.take_then, found.take_today
    parts = []
    if then is None:
        parts.append(f"{NOT_RECORDED} when it was kept.")
    elif then == "":
        parts.append("no model then.")
    else:
        was, bill = rows[then], _bill(rows[then].before)
        today = _bill(was.after) if was.after else ""
        prices = f"{bill} then and now" if today == bill else f"{bill} then"
        later = "" if today == bill else f", {today} now" if today else "; no longer in the list"
        parts.append(f"{was.name}, {prices}{later}.")
    if now and now != then:
        parts.append(f"Now {rows[now].name}, {_bill(rows[now].after)}.")
    elif now != then:
        parts.append("Now no model.")
    return f"**To take:** {plain(' '.join(parts))}"


def _bill(standing: Standing | None) -> str:
    if standing is None or standing.monthly_usd is None:
        return "price not known"
    return f"${standing.monthly_usd:,.2f} a month"


def _sale(found: documents.Since) -> str:
    """Say which models have ended or will, the one to take first; the table says it of then."""
    before = "" if found.sale_recorded else f"{NOT_RECORDED} when it was kept. Today: "
    ending = sorted(found.sale, key=lambda one: one.model != found.take_then)
    named: dict[str, list[str]] = {}
    for one in ending[:_MOST_NAMED]:
        named.setdefault(one.now, []).append(one.name)
    said = [f"{wording.list_of(names)} {words}" for words, names in named.items()]
    if len(ending) > _MOST_NAMED:
        said.append(f"{len(ending) - _MOST_NAMED:,} more in the table")
    now = "; ".join(said) or ("as it was" if found.sale_recorded else "no end is announced")
    return f"**Sale:** {plain(f'{before}{now}.')}"


def _frame(rows: Sequence[Moved], sale: Mapping[str, documents.SaleSince]) -> pd.DataFrame:
    """Return models with both standings side by side, scores in points; sale where it changed."""
    columns: dict[str, object] = {
        "Model": [row.name for row in rows],
        "What": [_what(row) for row in rows],
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
    if sale:
        found = [sale.get(row.model) for row in rows]
        columns["Sale saved"] = [one and (one.before or NOT_RECORDED) for one in found]
        columns["Sale today"] = [one and one.now for one in found]
    return pd.DataFrame(columns)


def _what(row: Moved) -> str:
    return "sale" if row.what == "same" else row.what


def _all_parts(found: documents.Since) -> list[str]:
    """Say what has changed, sale too where it was recorded."""
    n = sum(one.before is not None for one in found.sale)
    return [*_parts(found.today), *([f"sale of {wording.counted(n, 'model')} changed"] * (n > 0))]


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

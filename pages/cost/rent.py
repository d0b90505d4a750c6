"""The rent of own servers for one model, held against paying by the token."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.answers import cost
from core.answers.cost import Case, OwnServers
from core.charts import costs as charts
from core.domain import Snapshot
from core.procurement.hosting import BreakEven
from core.procurement.reasons import dollars
from core.sharing import wording
from pages.components import blocks
from pages.components.notices import plain
from pages.cost.amounts import ASK, usd_format


def answer(found: OwnServers, volume: float, load: float) -> None:
    """Say which of the two costs less, what the model needs, and from which volume that turns."""
    if said := _verdict(found, volume):
        st.markdown(f"**{plain(said)}**")
    st.markdown(plain(f"{_need(found)} {_from_when(found, load)}"))
    if found.cases and not found.bills:
        likely = found.cases[1]
        least = about(cost.own_usd(likely, volume) / volume)
        floor = "at least " if likely.requests is None else ""
        st.markdown(
            plain(
                f"With your {volume:,.0f} requests a month, a request on own servers comes to "
                f"{floor}about {least} at the likely rent. Below that, the token is cheaper."
            )
        )
    if found.output_tokens is None:
        st.info(
            "This evidence base has no task categories, so there is no workload to price.",
            icon=":material/search_off:",
        )


def by_volume(
    name: str, found: OwnServers, volume: float, load: float, snapshot: Snapshot | None
) -> None:
    """Draw both costs over the volume."""
    if found.curves is None or found.cases is None:
        return
    likely, meets = found.cases[1], None
    if likely.break_even is not None and likely.break_even.requests is not None:
        number = likely.break_even.requests
        meets = (number, f"even at {rounded(number)}")
    elif likely.break_even is not None and likely.requests is None:
        number = likely.break_even.at_least
        meets = (number, f"not before {rounded(number)}")
    band = len({case.requests is not None for case in found.cases}) == 1
    title = f"{name}: cost a month on own servers and by the token"
    blocks.figure(
        charts.costs_by_volume(found.curves, volume=volume, meets=meets, band=band),
        "own-servers",
        title,
        f"{title}. {_need(found)} {_from_when(found, load)}",
        snapshot,
    )
    token = " Dashed: by the token at the cheapest provider." if found.bills else ""
    steps = (
        "Each step is one more set of GPUs."
        if likely.requests is not None
        else "Past what one set serves, which nobody published, the line would rise."
    )
    st.caption(f"Solid: own servers, lowest to highest published rent.{token} {steps}")


def parts(name: str, found: OwnServers, volume: float, snapshot: Snapshot | None) -> None:
    """List memory, GPUs, rent and volumes, each with its basis."""
    st.subheader("What it takes", help=plain(" ".join(found.hosting.notes)) or None)
    blocks.table(
        _parts(found, volume),
        "own-servers-parts",
        f"{name} on own servers",
        snapshot,
        alt=f"Memory, GPUs and rent of {name}: {_need(found)}",
    )


def sellers(name: str, found: OwnServers, volume: float, snapshot: Snapshot | None) -> None:
    """List the bill at each provider; one row of words where nobody sells it."""
    st.subheader("What the token costs")
    frame = _sellers(found, volume)
    blocks.table(
        frame,
        "own-servers-token",
        f"{name} by the token",
        snapshot,
        alt=f"Bill of {name} a month at each provider, cheapest first",
        columns={"Bill": usd_format(frame[["Bill"]].astype("float64"))},
    )


def about(usd: float) -> str:
    """Write an amount with three digits that count, cents below ten dollars."""
    return dollars(usd) if usd < 1000 else f"${rounded(usd)}"


def rounded(number: float) -> str:
    """Write a large number with three digits that count."""
    return f"{float(f'{number:.3g}'):,.0f}"


def _need(found: OwnServers) -> str:
    hosted, bits = found.hosting, found.hosting.setup.bits
    if hosted.memory is None:
        return hosted.reason
    start = f"{found.model.name} at {bits} bits needs about {hosted.memory.total_gb:,.0f} GB"
    if hosted.gpus is None or hosted.monthly_usd is None:
        return f"{start}. {hosted.reason} It is not free: ask the vendor."
    low, likely, high = hosted.gpus
    span = f" ({low} to {high})" if low != high else ""
    usd = hosted.monthly_usd
    return (
        f"{start}: {likely} × {hosted.setup.gpu}{span}, about {about(usd.likely)} a month "
        f"(low {about(usd.low)}, high {about(usd.high)})."
    )


def _verdict(found: OwnServers, volume: float) -> str:
    """Say which of the two costs less at the reader's volume; empty where nobody can tell."""
    if found.cases is None or not found.bills:
        return ""
    api, (low, likely, high) = found.bills[0].monthly_usd, found.cases
    seller = found.bills[0].price.provider_name
    floor, case = ("at least ", low) if likely.requests is None else ("", likely)
    both = (
        f"at {volume:,.0f} requests a month, own servers cost {floor}about "
        f"{about(cost.own_usd(case, volume))} and paying by the token {about(api)} "
        f"({seller})."
    )
    if api < cost.own_usd(low, volume):
        return f"Own servers do not pay: {both}"
    if any(case.requests is None for case in found.cases):
        return (
            "Nobody can tell whether own servers pay: whether one set of GPUs serves "
            f"{volume:,.0f} requests is not known."
        )
    if api > cost.own_usd(high, volume):
        return f"Own servers pay: {both}"
    return f"Whether own servers pay depends on the rent: {both}"


def _from_when(found: OwnServers, load: float) -> str:
    """Say from which volume on own servers cost less, as far as that is known."""
    if found.cases is None:
        return ""
    low, likely, high = found.cases
    if low.break_even is None or likely.break_even is None or high.break_even is None:
        return f"By the token: {ASK}, so there is nothing to hold the rent against."
    if likely.break_even.requests is not None:
        return (
            "Own servers cost less only from about "
            f"{rounded(likely.break_even.requests)} requests a month on "
            f"(lowest rent {_meets(low)}, highest rent {_meets(high)}).{_later(likely.break_even)}"
        )
    if likely.requests is not None:
        best = low.break_even.requests
        exception = (
            f" At the lowest rent they do, from about {rounded(best)} requests a month on."
            if best is not None
            else " The same holds at the lowest rent."
            if low.requests is not None
            else ""
        )
        return (
            f"At {load:g} % utilisation own servers never cost less at the likely rent: one set of "
            f"GPUs serves about {rounded(likely.requests)} requests a month, and it would take "
            f"about {rounded(likely.break_even.at_least)} to pay for it.{exception}"
        )
    return (
        f"Below about {rounded(low.break_even.at_least)} requests a month the token is cheaper "
        f"for certain, even at the lowest rent (likely rent: "
        f"{rounded(likely.break_even.at_least)}, highest: {rounded(high.break_even.at_least)}). "
        f"Whether own servers ever cost less cannot be said. {likely.capacity.reason}"
    )


def _parts(found: OwnServers, volume: float) -> pd.DataFrame:
    hosted = found.hosting
    rows: list[tuple[str, str, float | None, float | None, float | None, str]] = []
    if memory := hosted.memory:
        share = 1 + hosted.setup.overhead
        cache = [gb / share - memory.weights_gb for gb in (memory.low_gb, memory.high_gb)]
        extra = [gb - gb / share for gb in (memory.low_gb, memory.high_gb)]
        basis = memory.basis if memory.estimated else f"from {memory.basis}"
        weights = f"all parameters at {hosted.setup.bits} bits; size from: "
        weights += found.model.params_source or wording.UNKNOWN
        rows += [
            ("Weights", "GB", *[memory.weights_gb] * 3, weights),
            ("Cache", "GB", cache[0], memory.cache_gb, cache[1], basis),
            (
                "Overhead",
                "GB",
                extra[0],
                memory.overhead_gb,
                extra[1],
                f"assumed: {hosted.setup.overhead:.0%} of weights and cache",
            ),
            ("Memory", "GB", memory.low_gb, memory.total_gb, memory.high_gb, "sum of the three"),
        ]
    if hosted.gpus:
        rows.append((hosted.setup.gpu, "GPUs", *hosted.gpus, "memory over that of one, rounded up"))
    if price := hosted.hourly:
        basis = rent_basis(found)
        rows.append(("Rent of one GPU", "$ an hour", price.low, price.likely, price.high, basis))
    else:
        rows.append(("Rent of one GPU", "$ an hour", None, None, None, ASK))
    if usd := hosted.monthly_usd:
        basis = f"{hosted.setup.hours:g} hours a month; staff, network and storage not included"
        rows.append(("Rent, one set", "$ a month", usd.low, usd.likely, usd.high, basis))
    if found.cases:
        likely = found.cases[1]
        served = [case.requests for case in found.cases]
        meets = [case.break_even.at_least if case.break_even else None for case in found.cases]
        own = [
            None if case.requests is None else cost.own_usd(case, volume) for case in found.cases
        ]
        rows += [
            ("One set serves", "requests a month", *_three(served), likely.capacity.reason),
            (f"Rent for {volume:,.0f} requests", "$ a month", *_three(own), "whole sets of GPUs"),
            (
                "Volume that pays for one set",
                "requests a month",
                *_three(meets),
                likely.break_even.reason if likely.break_even else ASK,
            ),
        ]
    columns = ["What", "Unit", "Low", "Likely", "High", "Basis"]
    frame = pd.DataFrame(rows, columns=columns)
    for column in columns[2:5]:
        frame[column] = frame[column].astype("float64").map(_digits)
    return frame


def _sellers(found: OwnServers, volume: float) -> pd.DataFrame:
    """Return the bill at each provider as a table; one row of words where nobody sells it."""
    if not found.bills:
        return pd.DataFrame({"Provider": [wording.UNKNOWN], "Bill": [None], "Basis": [ASK]})
    rent = found.hosting.monthly_usd
    below = [
        None if rent is None or bill.monthly_usd <= 0 else volume * rent.likely / bill.monthly_usd
        for bill in found.bills
    ]
    return pd.DataFrame(
        {
            "Provider": [bill.price.provider_name for bill in found.bills],
            "Bill": [bill.monthly_usd for bill in found.bills],
            "Read": [bill.price.input_usd_per_mtok for bill in found.bills],
            "Written": [bill.price.output_usd_per_mtok for bill in found.bills],
            "Cheaper below": pd.Series(below, dtype="float64").round(-2),
            "Prices of": [bill.price.as_of for bill in found.bills],
            "Basis": [bill.price.source for bill in found.bills],
        }
    )


def rent_basis(found: OwnServers) -> str:
    """Say how many prices of a GPU there are, of how many providers, and how old."""
    price = found.hosting.hourly
    if price is None:
        return ASK
    span = (
        f"dated {price.newest}"
        if price.oldest == price.newest
        else f"dated {price.oldest} to {price.newest}"
    )
    if price.newest == "undated":
        span = "undated"
    return (
        f"{wording.counted(price.n_offers, 'on-demand price')} of "
        f"{wording.counted(price.n_providers, 'provider')}, {span}"
    )


def _meets(case: Case) -> str:
    if case.break_even is None or case.requests is None:
        return wording.UNKNOWN
    return "never" if case.break_even.requests is None else rounded(case.break_even.requests)


def _later(meets: BreakEven) -> str:
    if meets.for_good is None:
        return " Each further set of GPUs makes the token cheaper again for a while."
    if meets.requests is None or meets.for_good <= meets.requests:
        return ""
    return (
        " Each further set of GPUs makes the token cheaper again for a while, until about "
        f"{rounded(meets.for_good)}."
    )


def _three(values: list[float | None]) -> tuple[float | None, float | None, float | None]:
    low, likely, high = values
    return low, likely, high


def _digits(value: float) -> float:
    return value if pd.isna(value) else round(value, 2 if abs(value) < 100 else 0)

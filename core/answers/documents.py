"""What a committee takes away from a shortlist and keeps: link, receipt, memo, workbook."""

import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from core.answers import market
from core.answers.asked import Asked, ask, shortlist_link
from core.answers.bills import sales
from core.answers.data import matrix
from core.answers.local_test import worth_of
from core.answers.recommend import recommendation, shortlist
from core.domain import (
    Altered,
    BadRequestError,
    InUse,
    LeftOut,
    Market,
    Overdue,
    Taken,
)
from core.evidence.store import Store
from core.memory import remembered
from core.saved.kept import Kept, KeptRow
from core.sharing import export, link
from core.sharing import market as market_file
from core.sharing import memo as memo_module
from core.sheets import Cell, Records, to_csv
from core.statistics.score_matrix import normalised
from core.words.recommendation import worth_in_words
from core.words.shortlist import of_another_day, sale_at, sale_of

_PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas")
"""What the figures depend on, apart from the app."""
_MOST_IN_PICTURE = 10
_SOURCE = ("revision", "as_of", "retrieved_at", "licence", "source_url")
_DECIDED = ("take", "choose first", "test first", "test")
_DOCUMENTS = 4
"""So many files of a kind are held: whoever asks for one again, or at the same time, gets it."""


@lru_cache(maxsize=1)
def software() -> tuple[tuple[str, str], ...]:
    """Return the version of the app and of the packages that its figures depend on."""
    project = Path(__file__).parents[2] / "pyproject.toml"
    app = tomllib.loads(project.read_text("utf-8"))["project"]
    return ((app["name"], app["version"]), *((name, version(name)) for name in _PACKAGES))


@lru_cache(maxsize=1)
def without_pdf() -> str:
    """Say why this server makes no PDF; empty where it does."""
    return "" if memo_module.pdf_can_be_made() else memo_module.NO_PDF


@remembered(maxsize=4)
def catalogue_fingerprint(store: Store) -> str:
    """Return the SHA-256 over all curated tables, names and contents, and the lists of facts."""
    folder = store.data / "catalogue"
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.csv")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    for about in store.lists:
        digest.update(f"{about.list} {about.revision} {about.sha256}\n".encode())
    return digest.hexdigest()


@remembered(maxsize=64)
def receipt(asked: Asked, *, made_on: date, address: str = "") -> link.Receipt:
    """Return the receipt of the shortlist for the question at the prices of a day.

    Of the ``address``, the link as the page writes it, the receipt keeps what comes before the
    ``?``; the question behind is written again, without the choices of other pages.
    """
    return link.make_receipt(
        recommendation(asked),
        link=shortlist_link(asked, address),
        made_on=made_on,
        prices_on=asked.day,
        catalogue=asked.store.catalogue,
        fingerprint=catalogue_fingerprint(asked.store.shared),
        versions=dict(software()),
        rows=link.rows_fingerprint(shortlist(asked).rows),
    )


def shortlist_records(asked: Asked, address: str = "") -> list[dict[str, Cell]]:
    """Return the records that CSV, workbook and memo share; ``address`` is their link."""
    shown = address or link.bounded(shortlist_link(asked)).url
    return export.records(recommendation(asked), shown)


def evidence_records(asked: Asked) -> list[dict[str, Cell]]:
    """Return the full evidence behind a shortlist, one record per model and benchmark."""
    found = shortlist(asked)
    selection = asked.selection()
    # A cohort may have some of the suite's benchmarks only.
    counted = {b.id for b in matrix(asked.store, selection).benchmarks}
    known = asked.store.catalogue.benchmarks[asked.question.evidence.suite]
    every = tuple(b.id for b in known if b.id in counted or not b.scored)
    scores = matrix(asked.store, replace(selection, benchmarks=every))
    return export.score_records(found, scores, *normalised(scores))


@remembered(maxsize=_DOCUMENTS)
def evidence_csv(asked: Asked) -> bytes:
    """Return the full evidence behind a shortlist as CSV."""
    return to_csv(evidence_records(asked), tuple(export.EVIDENCE))


@remembered(maxsize=_DOCUMENTS)
def workbook(asked: Asked, *, made_on: date, address: str = "") -> bytes:
    """Return the shortlist with all that it rests on as an Excel workbook."""
    return export.shortlist_workbook(
        recommendation(asked),
        receipt(asked, made_on=made_on, address=address),
        shortlist=shortlist_records(asked, address),
        evidence=evidence_records(asked),
    )


@remembered(maxsize=_DOCUMENTS)
def memo_html(
    asked: Asked, *, made_on: date, address: str = "", own_cases: tuple[str, ...] = ()
) -> str:
    """Return the decision memo as HTML; ``own_cases`` as for `memo.memo_html`."""
    from core.charts import intervals, kit  # noqa: PLC0415 - a quarter of a second to import

    found = shortlist(asked)
    shown = found.rows[:_MOST_IN_PICTURE]
    picture = (
        kit.image(
            intervals.score_chart(shown),
            "png",
            title=f"The first {len(shown)} of {len(found.rows)} that fit",
            source=export.source_line(found.snapshots[0] if found.snapshots else None),
        )
        if shown
        else b""
    )
    decided = recommendation(asked)
    worth = worth_of(asked.store, decided, asked.day)
    return memo_module.write_memo(
        decided,
        receipt(asked, made_on=made_on, address=address),
        asked.day,
        catalogue=asked.store.catalogue,
        picture=picture,
        worth=worth_in_words(worth) if worth else "",
        own_cases=own_cases,
        of_day=said_of_day(asked, made_on),
    )


@remembered(maxsize=_DOCUMENTS)
def memo_pdf(store: Store, html: str, most_pages: int = 3) -> bytes:
    """Return the decision memo as PDF, printed from its HTML; errors as for `memo.print_pdf`."""
    return memo_module.print_pdf(html, most_pages)


def market_records(asked: Asked, address: str) -> Records:
    """Return the records of a question over all evidence; ``address`` is their link."""
    judges = {suite.id: suite.judged_by for suite in asked.store.catalogue.suites.values()}
    found, (lines, n_tasks) = market.market(asked), market.volume(asked)
    n = sum(line.requests_per_month for line in lines) or n_tasks
    requests = int(n) if n.is_integer() else n
    return market_file.product_records(found, judges, requests, asked.day.isoformat(), address)


def _sources(store: Store, found: Market) -> Records:
    """Return the snapshots and public lists behind a market, with where each comes from."""
    rows: Records = []
    for suite, *_ in found.columns:
        it = store.of_suite(suite)[0]
        rows.append(export.picked(it, *_SOURCE) | {"source": suite, "kind": "scores"})
    for about in store.lists:
        said = {"source": about.list, "kind": "list", "as_of": about.said_on}
        rows.append(export.picked(about, *_SOURCE) | said)
    return [row | {"address": row["source_url"]} for row in rows]


@remembered(maxsize=_DOCUMENTS)
def market_workbook(asked: Asked, address: str) -> bytes:
    """Return what can be bought, and what it rests on, as an Excel workbook."""
    found, (lines, n_tasks) = market.market(asked), market.volume(asked)
    rows = market_records(asked, address)
    return market_file.workbook_of_market(
        found,
        asked.question,
        asked.store.catalogue,
        rows,
        _sources(asked.store, found),
        lines=lines,
        n_tasks=n_tasks,
        on=asked.day,
    )


@remembered(maxsize=_DOCUMENTS)
def market_memo(
    asked: Asked,
    finalists: tuple[str, ...],
    *,
    made_on: date,
    address: str,
    own_cases: tuple[str, ...] = (),
    in_use: InUse | None = None,
) -> str:
    """Return the memo of a market as HTML, with the finalists in full; see `memo_pdf`.

    It answers what takes the place of the model ``in_use``, where one is given.
    """
    found, (lines, n_tasks) = market.market(asked), market.volume(asked)
    return market_file.market_memo_html(
        found,
        asked.question,
        asked.store.catalogue,
        finalists=finalists,
        lines=lines,
        n_tasks=n_tasks,
        sources=_sources(asked.store, found),
        made_on=made_on,
        link=address,
        own_cases=own_cases,
        in_use=in_use,
        relaxed=market.nearest(asked),
        of_day=said_of_day(asked, made_on),
    )


def to_keep(asked: Asked, evidence: str, receipt: str = "") -> Kept:
    """Return what is saved of a question and its shortlist at the public prices of a day.

    Until when each model is sold is saved also where the question does not ask for it. Over all
    evidence what is named comes first. ``evidence`` is the name of what was asked.
    ``BadRequestError`` where no page shows the question.
    """
    address = shortlist_link(asked)
    if not address:
        raise BadRequestError("No page shows this question, so it cannot be kept.")
    rows = _kept_of_suite if asked.question.evidence.suite else _kept_of_market
    return Kept(
        query=address.removeprefix("?"),
        evidence=evidence,
        priced_on=asked.day.isoformat(),
        receipt=receipt,
        records=rows(asked, address),
    )


def _kept_of_suite(asked: Asked, address: str) -> Records:
    records, found = shortlist_records(asked, address), recommendation(asked)
    sold = sales(asked, tuple(row.model.id for row in found.shortlist.rows))
    for row, record in zip(found.shortlist.rows, records, strict=True):
        each = replace(found.dossier(row), sale=sold[row.model.id])
        record["on_sale"] = sale_of(each)
        for column in ("on_sale_until", "on_sale_read_on"):
            record[column] = export.at(each, export.SHORTLIST[column])
    return records


def _kept_of_market(asked: Asked, address: str) -> Records:
    found = market.market(asked)
    rows = market_records(asked, address)
    for each, row in zip((*found.buyable, *found.ask), rows, strict=True):
        sale = each.best_offer.sale
        row["on_sale"] = sale_at(sale) if sale else None
        row["on_sale_until"] = row["sale_until"]
        row["snapshot"] = link.label_of_all(asked.store.snapshots)
    return sorted(rows, key=lambda row: _DECIDED.index(str(row["decision"] or _DECIDED[-1])))


def as_recorded(store: Store, records: Sequence[KeptRow]) -> Taken:
    """Return what a kept list took, by the names of today; what it did not record is empty."""
    of = {word: [row for row in records if row.get("decision") == word] for word in _DECIDED}
    takes = [*of["take"], *of["choose first"]]
    row = next(iter([*takes, *of["test first"], *of["test"]]), {})
    known = store.catalogue.models

    def named(it: KeptRow) -> str:
        model = known.get(str(it.get("model")))
        return model.name if model else str(it.get("name") or "")

    tests = tuple(map(named, (*of["test first"], *of["test"])))
    usd = row.get("monthly_cost_usd")
    keys = ("on_sale", "on_sale_until", "conditions_status")
    sale, until, terms = (str(row.get(key) or "") for key in keys)
    name = named(row) if takes else ""
    return Taken(
        name,
        usd if isinstance(usd, float) else None,
        sale,
        until,
        terms,
        evidence=str(records[0].get("snapshot") or "") if records else "",
        test_these=() if name else tests,
    )


def ends_of_kept(records: Sequence[KeptRow]) -> list[tuple[Overdue, str, str, str]]:
    """Return what ends, with day, name and sale, of all that a kept list takes or tests.

    Where no end was known, the day is that up to which the sale was assured.
    """
    named = [row for row in records if row.get("decision") in _DECIDED and row.get("on_sale_until")]
    keys = ("on_sale_until", "name", "on_sale")
    ends = (tuple(str(row.get(key) or "") for key in keys) for row in named)
    return [
        ("assurance ends" if "assured until" in sale else "sale ends", day, name, sale)
        for day, name, sale in ends
    ]


def closing_of_kept(records: Sequence[KeptRow]) -> list[tuple[str, str, str]]:
    """Return day, name and platform where what a kept list names refuses new customers from a day.

    A list over all evidence says so alone.
    """
    named = [row for row in records if row.get("decision") in _DECIDED and row.get("closes_on")]
    return [(str(row["closes_on"]), str(row["name"]), str(row["platform"])) for row in named]


def take_today(store: Store, query: str, day: date, then: str = "") -> Taken:
    """Return what a kept question takes on the newest evidence, at the public prices of a day.

    ``then`` names what it took, or tested first, before. ``BadRequestError`` or ``BadDataError``
    where the question cannot be asked any more.
    """
    opened = link.from_query(link.parse_url(f"?{query}"), store.catalogue, store.snapshots)
    return taken(of_today(ask(store, opened.question, day), day), then, opened.notes)


def of_today(asked: Asked, day: date) -> Asked:
    """Put a question from another day today; a day of sale to begin on that has passed is today."""
    begins = asked.question.sale.on_sale_on
    begins = begins if begins > day.isoformat() else ""
    return asked.on(day).having(revision="", prices_on="", on_sale_on=begins)


def is_of_another_day(asked: Asked, day: date) -> bool:
    """Say whether a question holds a day of prices before this one, or evidence before the newest.

    What it asks otherwise is what it asks today.
    """
    return not asked.is_of_newest or "" < asked.question.prices_on < day.isoformat()


def said_of_day(asked: Asked, today: date) -> str:
    """Say of which day an answer is that is not today's; empty where it is."""
    if not is_of_another_day(asked, today):
        return ""
    of, tests = asked.question.evidence, ""
    if not asked.is_of_newest:
        about = asked.store.snapshot(of.suite, of.revision)
        tests = about.as_of or about.retrieved_at
    return of_another_day("" if asked.day == today else asked.day.isoformat(), tests)


def taken(asked: Asked, then: str = "", notes: tuple[str, ...] = ()) -> Taken:
    """Return what a question takes on a day; ``then`` names what it took or tested first before."""
    if not asked.question.evidence.suite:
        return _taken_of_market(asked, then, notes)
    found = recommendation(asked)
    take, rows = found.take, found.shortlist
    out = next((it for it in rows.left_out if then and it.name == then), None)
    snapshots = "; ".join(f"{it.revision} {it.sha256[:12]}" for it in rows.snapshots)
    tests = () if take else tuple(it.model.name for it in found.test_these)
    none = Taken("", evidence=snapshots, notes=notes, test_these=tests, not_taken=out)
    first = take or next(iter(found.test_these), None)
    if first is None:
        return none
    sold = replace(first, sale=sales(asked, (first.model.id,))[first.model.id])
    return replace(
        none,
        name=take.model.name if take else "",
        monthly_usd=first.cost.likely,
        sale=sale_of(sold),
        until=sold.sold.until if sold.sold else "",
        terms=first.terms[0].status if first.terms else "",
    )


def _taken_of_market(asked: Asked, then: str, notes: tuple[str, ...]) -> Taken:
    found = market.market(asked)
    named = tuple(each.model.name for each in found.named())
    takes = found.choice.strength == "take"
    out = [it for it in found.left_out if then and it.name == then]
    # What is to be asked about first, since a platform no longer sells it for long enough.
    out += [
        LeftOut(it.model.id, "sale", name=then, sale=replace(it.sale, kept=False))
        for it in found.ask
        if it.model.name == then and it.sale and it.sale.failing_platforms
    ]
    none = Taken(
        named[0] if takes else "",
        evidence=link.label_of_all(asked.store.snapshots),
        notes=notes,
        test_these=() if takes else named,
        not_taken=next(iter(out), None),
    )
    if not named:
        return none
    first = found.named()[0]
    sale, terms = first.best_offer.sale, first.best_offer.terms
    return replace(
        none,
        monthly_usd=first.cost.likely,
        sale=sale_at(sale) if sale else "",
        until=sale.until if sale else "",
        terms=terms.status if terms else "",
    )


def changes_between(then: Taken, now: Taken) -> tuple[Altered, ...]:
    """Return what is another than then: the model to take, or what is known of it; the evidence.

    Costs within 1 % are equal, and so are the same models to test in another order.
    """
    same = then.name == now.name and {*then.test_these} == {*now.test_these}
    usd = (then.monthly_usd, now.monthly_usd)
    known = [amount for amount in usd if amount is not None]
    alike = usd[0] == usd[1] or (len(known) == 2 and abs(known[1] - known[0]) <= 0.01 * known[0])
    differs: dict[Altered, bool] = {
        "take": not same,
        "price": same and not alike,
        "sale": same and then.until != now.until,
        "terms": same and then.terms != now.terms,
        "evidence": bool(then.evidence) and then.evidence != now.evidence,
    }
    return tuple(what for what, it_does in differs.items() if it_does)

"""The market as JSON and as flat records for CSV: what can be bought, its grades and lines."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.domain import ByToken
from core.figures import UNKNOWN, can, dollars, written
from core.sharing.controls import CONTROLS, LIMITS
from core.sharing.export import LEFT_OUT_COLUMNS, PATHS, left_out_records, picked, read_at
from core.sheets import Cell, Records, book_of
from core.words import candidate, replacing
from core.words import market as words
from core.words.conditions import said_of
from core.words.recommendation import none_unattended
from core.words.shortlist import by_rule
from core.words.tiles import CONDITIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from core.domain import (
        Candidate,
        InUse,
        Market,
        Offer,
        Placed,
        Question,
        Relaxed,
        WorkloadLine,
    )
    from core.evidence.catalogue import Catalogue

LINES = (
    *("model", "name", "grade", "suite", "suite_name", "kind", "place", "n", "third"),
    *("metric", "value", "ci_low", "ci_high", "as_of", "tested_as", "link", "why_near"),
    *("scale_worst", "scale_best", "run_by", "judged_by"),
)
OFFERS = (
    *("model", "name", "platform", "standing", "region", "monthly_cost_usd", "sale"),
    *("sale_until", "closes_on", "sale_read_on", "conditions_status", "conditions"),
)
ANSWER = (
    *("Decision", "Grade", "Model", "Places in tests", "Cost, $ a month", "At", "Conditions"),
    *("Sold to", "Severe harm, %", "Why, and what to ask"),
)
SOURCE_COLUMNS = ("source", "kind", "revision", "as_of", "retrieved_at", "licence", "address")
_MOST_ROWS = 6
MARKET_COLUMNS = (
    *("standing", "decision", "grade", "grade_means", "model", "name", "developer"),
    *("released_on", "access", "licence", "commercial_use", "params_b", "platform", "region"),
    *("monthly_cost_usd", "monthly_cost_low", "monthly_cost_high", "price_source", "sale"),
    *("sale_until", "closes_on", "sale_read_on", "conditions_status", "conditions", "to_ask"),
    *("severe_harm_share", "harm_marked", "n_direct_lines", "lines", "other_platforms"),
    *("work", "requests_per_month", "as_of", "link"),
)
"""The columns of a market in their order; the link is in the first row only."""
_DIFFERENCE = ("difference", "ci_low", "ci_high", "basis")


def own_figures(question: Question, catalogue: Catalogue) -> dict[str, str]:
    """Return the hospital's own figures in an answer: the label of each kind, and all of them.

    Tokens of a kind of request without a monthly volume are in no bill.
    """
    volumes = {kind for kind, _ in question.workload.volumes}
    in_bill = any(it.kind in volumes for it in question.workload.own_tokens)
    own = [it for it in CONTROLS if it.fold == "own" and question.value(it.field)]
    own = [it for it in own if it.field != "own_tokens" or in_bill]
    return {it.label: it.says(question, catalogue) for it in own}


def decisions(found: Market) -> dict[str, str]:
    """Return what is decided on each product that is named, in a word or two."""
    if found.choice.strength == "take":
        return dict.fromkeys(found.choice.names, "take")
    first, *others = found.choice.names or ("",)
    return {first: "test first"} | dict.fromkeys(others, "test")


def product_records(
    found: Market, judges: Mapping[str, str], requests: float, on: str, link: str
) -> Records:
    """Return one flat record a product: what can be bought, best first, then what to ask about.

    ``judges`` says who judged each suite, by id, and ``requests`` how many a month the costs are
    for: requests, or tasks of an agent. Money is US dollars a month, shares are 0 to 1; ``None`` is
    not known.
    """
    decided = decisions(found)
    rows: Records = []
    for each in (*found.buyable, *found.ask):
        row: dict[str, Cell] = {
            **_offer_record(each.best_offer) | read_at(each, PATHS["product"] | PATHS["cost"]),
            "decision": decided.get(each.model.id),
            "grade_means": candidate.grade_means(each.grade, each.lines),
            "standing": "can be bought" if each.is_buyable else "ask first",
            "to_ask": None if each.is_buyable else candidate.to_ask(each),
            "harm_marked": ("yes" if each.harm.marked else "no") if each.harm else None,
            "n_direct_lines": len(each.of("direct")),
            "lines": "; ".join(_line_in_words(line, judges) for line in each.lines) or None,
            "other_platforms": "; ".join(it.platform for it in each.offers[1:]) or None,
            "work": found.work,
            "requests_per_month": requests,
            "as_of": on,
            "link": None if rows else link,
        }
        rows.append(row)
    return rows


def _line_in_words(line: Placed, judges: Mapping[str, str]) -> str:
    about = candidate.about_line(line, judges.get(line.tested.suite, ""))
    return f"{line.tested.name} ({line.kind}): {line.place} of {line.tested.n}, {about}"


def workbook_of_market(
    found: Market,
    question: Question,
    catalogue: Catalogue,
    rows: Records,
    sources: Records,
    *,
    lines: Sequence[WorkloadLine],
    n_tasks: float,
    on: date,
) -> bytes:
    """Write the market as an Excel workbook, the answer first; ``rows`` are those of the CSV.

    ``lines`` and ``n_tasks`` as for `market_memo_html`; ``on`` is the day of the prices.
    """
    from core.sharing.memo import workload_section  # noqa: PLC0415 - as in market_memo_html

    work, suites = catalogue.tasks[question.work.task].name.lower(), catalogue.suites
    headline = words.in_one(words.market_headline(found, work))
    to_know = words.to_know_first(found, on, 0, question.limits.monthly_budget_usd).every
    required = [catalogue.condition_kinds[it].required for it in question.conditions.required]
    told = [("asked", words.asked_in_words(question, work, n_tasks)), ("as of", written(f"{on}"))]
    told += [("a month", it) for it in workload_section(lines)]
    told += [("conditions", "; ".join(required))] if required else []
    told += [("to know", f"{of}: {it}" if of else it) for of, it in to_know]
    told += [("your own", f"{of}: {it}") for of, it in own_figures(question, catalogue).items()]
    every = (*found.buyable, *found.ask)
    of_lines: Records = [
        picked(each, "grade")
        | picked(line.tested, "metric", "ci_low", "ci_high", "tested_as")
        | picked(suites[line.tested.suite], "run_by", "judged_by")
        | {"model": each.model.id, "name": each.model.name, "suite_name": line.tested.name}
        | dict(zip(("scale_worst", "scale_best"), line.tested.scale, strict=True))
        | read_at(line, PATHS["line"])
        for each in every
        for line in each.lines
    ]
    of_offers: Records = [
        {"model": each.model.id, "name": each.model.name, **_offer_record(offer)}
        for each in every
        for offer in each.offers
    ]
    sheets = (
        ("Answer", ANSWER, _answer_rows(found, [("in short", headline), *told])),
        ("What you can buy", MARKET_COLUMNS, rows),
        ("Lines", LINES, of_lines),
        ("Offers", OFFERS, of_offers),
        ("Left out", LEFT_OUT_COLUMNS, left_out_records(found.left_out, question)),
        ("Sources", SOURCE_COLUMNS, sources),
    )
    return book_of(sheets, "LLM Formulary: what you can buy", found.work)


def _answer_rows(found: Market, told: Sequence[tuple[str, str]]) -> Records:
    """Return the answer for people: what is ``told`` first, then a row a product."""
    decided = decisions(found)
    rows: Records = [
        dict.fromkeys(ANSWER) | {"Decision": about, "Why, and what to ask": said}
        for about, said in told
    ]
    rows[0]["Places in tests"] = f"{candidate.MARKS}. {candidate.UNSTATED}"
    for each in (*found.buyable, *found.ask):
        offer, harm = each.best_offer, each.harm
        ask = (
            candidate.product_for_and_against(each)
            if each.is_buyable
            else (candidate.to_ask(each),)
        )
        decision = decided.get(each.model.id) if each.is_buyable else "ask first"
        cells: tuple[Cell, ...] = (
            *(
                decision,
                each.grade,
                each.model.name,
                candidate.places_of(each),
                each.cost.likely,
            ),
            candidate.platform_name(offer.platform),
            CONDITIONS[offer.terms.status] if offer.terms else None,
            *(
                candidate.sale_short(offer),
                harm.share * 100 if harm else None,
                " ".join(ask) or None,
            ),
        )
        rows.append(dict(zip(ANSWER, cells, strict=True)))
    return rows


def _offer_record(offer: Offer) -> dict[str, Cell]:
    said = said_of(offer.terms, "conditional") if offer.terms else ()
    return read_at(offer, PATHS["offer row"]) | {"conditions": " ".join(said) or None}


def market_memo_html(
    found: Market,
    question: Question,
    catalogue: Catalogue,
    *,
    finalists: Sequence[str],
    lines: Sequence[WorkloadLine],
    n_tasks: float,
    sources: Records,
    made_on: date,
    link: str,
    own_cases: Sequence[str] = (),
    in_use: InUse | None = None,
    relaxed: Sequence[Relaxed] = (),
    of_day: str = "",
) -> str:
    """Write the memo of a market for a committee as one HTML document.

    Parameters
    ----------
    finalists
        Ids of the products that it shows in full, all of them in the market.
    lines
        The workload behind the costs.
    n_tasks
        Tasks a month, where a request is a whole task of an agent; else 0.
    sources
        Snapshots and lists behind it, with the columns ``SOURCES``.
    own_cases, of_day
        As for `core.sharing.memo.write_memo`.
    in_use
        The model whose place is to be taken, if that is the question.
    relaxed
        Where nothing can be bought, what to drop for that.
    """
    from core.sharing.memo import (  # noqa: PLC0415 - slow to import
        html_template,
        of_link,
        workload_section,
    )

    task, suites = catalogue.tasks[question.work.task], catalogue.suites
    every = {each.model.id: each for each in (*found.buyable, *found.ask)}
    chosen = [every[name] for name in finalists]
    could = [*chosen, *(each for each in found.buyable if each not in chosen)]
    first = could[: max(_MOST_ROWS, len(chosen))]
    rows = [each for each in every.values() if each in first]
    used = dict.fromkeys(line.tested.suite for each in rows for line in each.lines)
    of = {str(it["source"]): it for it in sources}
    rests_on = [
        (suites[suite], of[suite], candidate.KINDS[kind], kind)
        for suite, _, kind, _ in found.columns
        if suite in used
    ]
    days = [it.as_of for each in chosen if (it := each.cost.price) and not it.offered]
    bases = [each.cost.basis for each in chosen]
    taken = [it.tokens for it in bases if isinstance(it, ByToken)]
    return html_template("market.html.j2").render(
        found=found,
        asked=question,
        task=task,
        in_use=in_use,
        said=replacing.in_its_place(in_use, len(found.buyable))
        if in_use
        else words.market_headline(found, task.name.lower()),
        told=words.asked_in_words(question, task.name.lower(), n_tasks),
        about=[("", words.old_of(chosen, made_on))]
        if in_use
        else words.to_know_of_all(found, chosen, made_on).every,
        verb=can(sum(each.is_own for each in could), len(could)),
        made_on=made_on,
        of_day=of_day,
        list_day=max(days, default=""),
        own_cases=own_cases,
        own_figures=own_figures(question, catalogue),
        volume=workload_section(lines),
        agent_task=next((it.source for it in taken if it and it.many_calls), ""),
        finalists=chosen,
        required=[catalogue.condition_kinds[it].required for it in question.conditions.required],
        way_out=[words.nearest_in_words(it, catalogue.condition_kinds, LIMITS) for it in relaxed],
        conditions=[
            (each.model.name, offer) for each in chosen if (offer := each.best_offer.terms)
        ],
        rows=rows,
        n_rows=len(could),
        ask=[
            each
            for each in found.ask
            if each not in chosen and not (in_use and each.model.id == in_use.model.id)
        ],
        of_this_work=[it[:3] for it in rests_on if it[3] == "direct"],
        of_other_work=[it[:3] for it in rests_on if it[3] != "direct"],
        left_out=by_rule(found.left_out),
        sources=sources,
        number="",
        **of_link(link),
    )


def listing(found: Market) -> Records:
    """Return a short row for each product, what can be bought first, for a terminal."""
    decided = decisions(found)
    return [
        {
            "decision": decided.get(each.model.id, "") if each.is_buyable else "ask first",
            "grade": each.grade,
            "model": each.model.name,
            "tests": ", ".join(f"{it.tested.suite} {it.place}/{it.tested.n}" for it in each.lines),
            "usd_month": candidate.cost_short(each.cost),
            "at": candidate.platform_name(each.best_offer.platform),
            "sale_to": candidate.sale_short(each.best_offer),
        }
        for each in (*found.buyable, *found.ask)
    ]


def in_place_listing(used: InUse) -> Records:
    """Return a short row for each product that could take the place of one in use."""
    return [
        {
            "grade": each.candidate.grade,
            "model": each.candidate.model.name,
            "in_common": replacing.in_common(each),
            "usd_month": candidate.cost_short(each.candidate.cost),
            "saves": dollars(each.saves.likely) if each.saves else UNKNOWN,
            "sale_to": candidate.sale_short(each.candidate.best_offer),
        }
        for each in used.places
    ]


def market_document(
    found: Market,
    question: Question,
    catalogue: Catalogue,
    lists: Sequence[str],
    *,
    volume: tuple[Sequence[WorkloadLine], float],
    on: str,
    link: str,
    relaxed: Sequence[Relaxed] = (),
) -> dict[str, Any]:
    """Return the answer over all evidence as plain data; what is not known is ``None``.

    It has the keys of an answer within one suite where these have a meaning. ``lists`` are the
    public lists behind prices and sale, ``volume`` is what the costs count: requests, or tasks
    where no tokens are known. ``on`` is the day of the answer, ``link`` asks again, and
    ``relaxed`` says what to drop where nothing can be bought.
    """
    choice, task = found.choice, catalogue.tasks[question.work.task]
    by_name = {each.model.id: each for each in found.buyable}
    named = [entry(by_name[name]) for name in choice.names]
    lines, n_tasks = volume
    return {
        "evidence": "all",
        "work": found.work,
        "as_of": on,
        "link": link,
        **_answer(
            words.market_headline(found, task.name.lower()), named, choice.strength == "take"
        ),
        "cheapest": choice.cheapest or None,
        "filled_from_lower_grades": list(choice.filled_from),
        "few_tested": choice.few_tested,
        "none_tested": choice.none_tested,
        "unattended": none_unattended(found.unattended) if found.unattended else None,
        "newest_untested": words.newest_untested(found) or None,
        "market": {
            "n_buyable": len(found.buyable),
            "n_ask": len(found.ask),
            "n_tested": found.n_tested,
            "by_grade": words.counts(found),
        },
        "candidates": [entry(each) for each in found.buyable],
        "ask_first": [entry(each) | {"to_ask": candidate.to_ask(each)} for each in found.ask],
        "left_out": [
            {column: out[column] for column in LEFT_OUT_COLUMNS}
            for out in left_out_records(found.left_out, question)
        ],
        "without": [asdict(it) for it in relaxed],
        "margin": question.margin,
        "conditions": list(question.conditions.required),
        "own_figures": own_figures(question, catalogue),
        "requests": [
            picked(line, "category", "requests_per_month")
            | picked(line.profile, "input_tokens", "output_tokens", "cached_share")
            for line in lines
        ],
        "tasks_per_month": n_tasks or None,
        "lists": list(lists),
    }


def entry(each: Candidate) -> dict[str, Any]:
    """Return one product of a market as plain data."""
    return read_at(each, PATHS["product"]) | {
        "grade_means": candidate.grade_means(each.grade, each.lines),
        "lines": [read_at(line, PATHS["line"]) for line in each.lines],
        "offers": [read_at(offer, PATHS["offer"]) for offer in each.offers],
        "monthly_cost_usd": picked(each.cost, "low", "likely", "high"),
        "safety": asdict(each.harm) if each.harm else None,
        "reasons": list(candidate.product_for_and_against(each)),
    }


def in_use_document(used: InUse, n_buyable: int) -> dict[str, Any]:
    """Return a model in use, what to take or compare with it, and what has at least its grade.

    Its answer replaces that of the market: keys and meanings are the same.
    """
    named = [entry(it.candidate) for it in used.named]
    rows = [
        entry(each.candidate)
        | {
            "saves_usd": asdict(each.saves) if each.saves else None,
            "in_common": [
                {"suite": suite, "tier": it.tier} | picked(it.difference, *_DIFFERENCE)
                for suite, it in each.judged
            ],
        }
        for each in used.places
    ]
    return {
        **_answer(replacing.in_its_place(used, n_buyable), named, used.replaced_by is not None),
        "cheapest": None,
        "filled_from_lower_grades": [],
        "in_use": {
            "model": used.model.id,
            "name": used.model.name,
            "grade": used.grade,
            "grade_means": candidate.grade_means(used.grade, used.lines),
            "lines": [read_at(line, PATHS["line"]) for line in used.lines],
            "has_ended": used.has_ended,
            "sale": {
                one.platform: {"state": one.state, "until": one.until or None}
                for one in used.sale.at
            },
            "monthly_cost_usd": used.cost.likely,
            "successor": used.successor or None,
            "successor_grade": used.successor_grade,
            "to_know": [
                {"name": of or None, "said": said} for of, said in replacing.to_know_of_move(used)
            ],
        },
        "at_least_its_grade": [] if used.grade_below else rows,
        "of_the_grade_below": rows if used.grade_below else [],
    }


def _answer(said: words.MarketHeadline, named: list[dict[str, Any]], takes: bool) -> dict[str, Any]:
    return {
        "headline": said.title,
        "before": said.before or None,
        "after": said.after or None,
        "strength": "take" if takes else "shortlist",
        "take": named[0] if takes else None,
        "test_these": [] if takes else named,
    }

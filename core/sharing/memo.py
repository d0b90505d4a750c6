"""The decision memo: one to three pages for a committee, as HTML and as PDF from that HTML."""

from __future__ import annotations

import base64
import ctypes
from collections import Counter
from contextlib import suppress
from datetime import date
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from core import figures
from core.domain import Dossier, FormularyError, Shortlist, Suite
from core.figures import capitalised, counted, points, size
from core.words import (
    candidate,
    conditions,
    cost,
    local_test,
    market,
    model,
    recommendation,
    replacing,
    shortlist,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Template

    from core.domain import WorkloadLine
    from core.evidence.catalogue import Catalogue
    from core.local_test.plan import Plan, Protocol
    from core.procurement.recommendation import Recommendation
    from core.sharing.link import Receipt

_MODELS = 3
"""Models that the memo shows in full at least: those that it names, then the best by score."""
_PANGO = ("libpango-1.0.so.0", "libpango-1.0.dylib", "libpango-1.0-0.dll", "libpango-1.0-0")
_SIZES = (9, 8.3, 7.8, 7.4, 7)
"""Letters in points, tried in turn until the memo has no more than its pages."""
_TOLD = ("Weights of the task categories", "Hidden reasoning for a request")
"""Assumptions that the memo states where it says how it was made."""
_ASKS_NOTHING = ("none", "none given", "no limit", "not asked", "all models")
_WORDS = {
    "conditions": conditions,
    "cost": cost,
    "local_test": local_test,
    "candidate": candidate,
    "market": market,
    "model": model,
    "recommendation": recommendation,
    "replacing": replacing,
    "shortlist": shortlist,
}
"""What a template may call for its sentences."""
_LONGEST = 300
"""Letters of a text that comes from data."""
NO_PDF = (
    "This server lacks the libraries that make a PDF (Pango): take the memo as HTML and print it "
    "from the browser instead."
)


def write_memo(
    decided: Recommendation,
    receipt: Receipt,
    day: date,
    *,
    catalogue: Catalogue,
    picture: bytes,
    worth: str = "",
    own_cases: tuple[str, ...] = (),
    of_day: str = "",
) -> str:
    """Write the memo as one HTML document that needs nothing else and asks nobody for anything.

    Parameters
    ----------
    day
        Of the public prices.
    picture
        The scores with their intervals as PNG; empty for none.
    worth
        What a test of the models that are named would bring, in a sentence; empty for none.
    own_cases
        What a hospital's own cases say of the models, each as a sentence.
    of_day
        Of which day the answer is, where it is not that on which this is written.
    """
    found, asked = decided.shortlist, decided.question
    suite = catalogue.suites[asked.evidence.suite]
    # As the side bar names it; by its suite where it is not offered there.
    base = shortlist.evidence_name(asked, catalogue) or suite.name
    take = next((each for _, each in decided.decisions()), None)
    # What is named first, all of it, then the best by score.
    named = [each.model.id for each in decided.named]
    shown = sorted(found.rows, key=lambda row: (*named, row.model.id).index(row.model.id))
    shown = shown[: max(_MODELS, len(named))]
    placed = [out for out in found.left_out if out.place is not None] if found.rows else []
    encoded = base64.b64encode(picture).decode("ascii")
    return html_template("memo.html.j2").render(
        decided=decided,
        found=found,
        asked=asked,
        task=catalogue.tasks[asked.work.task],
        base=base,
        answer=f"{_answer(decided, base, catalogue, day)} {worth}".strip(),
        take=take,
        own_cases=own_cases,
        of_day=of_day,
        could_stand_in=_others(decided),
        models=shown,
        conditions=[(row.model.name, row.terms[0]) for row in shown if row.terms],
        why=partial(_why, decided),
        picture=f"data:image/png;base64,{encoded}" if picture else "",
        left_out=shortlist.by_rule(found.left_out),
        n_open=sum(row.cost.where_open is not None for row in found.rows),
        considered=sorted(placed, key=attrgetter("place", "name"))[:6],
        card=_card(shown[0], found, suite) if shown else {},
        fields=catalogue.model_card,
        receipt=receipt,
        others=_left_as_it_was(receipt),
        workload=workload_section(found.workload),
        number=receipt.in_groups(),
        list_day=max(
            (it.bill.price.as_of for it in found.rows if it.bill and not it.bill.price.offered),
            default="",
        ),
        **of_link(receipt.link),
    )


def of_link(link: str) -> dict[str, object]:
    """Return what a document says of its link, and the address of the pages of models there."""
    page = ""
    with suppress(ValueError):
        address = urlsplit(urljoin(link, "model"))
        if address.scheme in ("http", "https") and address.netloc:
            page = address.geturl()
    is_local = urlsplit(page).hostname in ("127.0.0.1", "localhost", "::1")
    return {"link": link, "model_page": page, "is_local": is_local}


def html_template(name: str) -> Template:
    """Return a template of a document; every text in it is escaped.

    It asks the modules of ``core.words`` and ``core.figures`` for the words of what it is given.
    """
    import jinja2  # noqa: PLC0415 - only a reader who wants a document needs the templates

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["cut"] = _cut
    environment.globals |= {"figures": figures, "words": _WORDS}
    return environment.get_template(name)


def print_pdf(html: str, most_pages: int = 3) -> bytes:
    """Print a document as PDF, in smaller letters where it would have too many pages.

    Nothing is fetched: only what the document holds itself is drawn. Where the system lacks the
    libraries that draw the pages, a ``FormularyError`` says so.
    """
    try:
        # Here since it is slow to import, and needs libraries of the system.
        from weasyprint import CSS, HTML  # noqa: PLC0415
        from weasyprint.urls import URLFetcher  # noqa: PLC0415
    except (ImportError, OSError) as error:
        raise FormularyError(NO_PDF) from error
    fetcher = URLFetcher(allowed_protocols=("data",), allow_redirects=False)
    document = HTML(string=html, url_fetcher=fetcher)
    for letters in _SIZES:
        smaller = [CSS(string=f"body {{ font-size: {letters}pt !important }}")]
        pages = document.render(stylesheets=smaller)
        if len(pages.pages) <= most_pages:
            break
    printed: bytes = pages.write_pdf()
    return printed


def pdf_can_be_made() -> bool:
    """Say whether this system has the library that sets the letters of a PDF."""
    for name in _PANGO:
        with suppress(OSError):
            ctypes.CDLL(name)
            return True
    return False


def _answer(decided: Recommendation, base: str, catalogue: Catalogue, day: date) -> str:
    found, asked = decided.shortlist, decided.question
    if not found.weights:
        return shortlist.no_test(asked, catalogue)
    if not found.rows:
        rules = shortlist.by_rule(found.left_out)
        most = max(rules, key=lambda rule: len(rules[rule]), default=None)
        why = (
            f" The rule that leaves out most is “{shortlist.rule_name(most, asked)}”: "
            f"{counted(len(rules[most]), 'model')} of {found.n_compared} compared."
            if most
            else ""
        )
        return (
            f"{shortlist.question_in_words(asked, found)}: no model of {base} fits all of it.{why}"
        )
    stand = f": {conditions.met_in_words(decided.met)}" if decided.met else ""
    said = " ".join((recommendation.headline(decided), *recommendation.alerts(decided, day)))
    return (
        f"{said} {shortlist.question_in_words(asked, found)}, the evidence of {base} has scores of "
        f"{counted(found.n_all, 'model')}; {found.n_fit} of them "
        f"{'fits' if found.n_fit == 1 else 'fit'}{stand}."
    )


def _others(decided: Recommendation) -> list[dict[str, object]]:
    leader = decided.leader.model.name if decided.leader else ""
    seen: Counter[str] = Counter()
    told = []
    for decision, each in decided.decisions()[1:]:
        seen[decision] += 1
        if seen[decision] > _MODELS:
            continue
        judged, tier = each.judged, "The highest score that fits."
        said = [recommendation.saving_in_words(each.saves)]
        if judged:
            tier = recommendation.tier_in_words(judged, leader, decided.question.margin)
            said = [*map(recommendation.objection, judged.vetoes), *said]
        more = capitalised("; ".join(filter(None, said)))
        told.append(
            {"words": capitalised(decision), "model": each.model, "tier": tier, "more": more}
        )
    return told


def _why(decided: Recommendation, row: Dossier) -> list[str]:
    """Say how a model compares with the leader and what harm it did; nothing of what is taken."""
    if decided.choice.take == row.model.id:
        return []
    if row.rank is None:
        return [*shortlist.reasons(row)[:1]]
    judged, leader = decided.choice.judged.get(row.model.id), decided.leader
    said = [recommendation.safety_in_words(row.safety)]
    if judged is not None and leader is not None:
        said.insert(
            0, recommendation.tier_in_words(judged, leader.model.name, decided.question.margin)
        )
    return said


def _left_as_it_was(receipt: Receipt) -> list[str]:
    """Say what nobody set, but for what "How it was made" says; what asks nothing in one line."""
    told = [
        it
        for it in receipt.assumptions
        if it.basis in ("default", "fixed by the link") and it.label not in _TOLD
    ]
    empty = [conditions.within_sentence(it.label) for it in told if it.value in _ASKS_NOTHING]
    said = [f"{it.label}: {_cut(it.value, 100)}" for it in told if it.value not in _ASKS_NOTHING]
    return [*said, *([f"None or no limit: {'; '.join(empty)}"] if empty else [])]


def workload_section(lines: Sequence[WorkloadLine]) -> list[str]:
    """Say what is asked a month; kinds of work whose requests are alike go together."""
    alike: dict[str, list[str]] = {}
    for line in lines:
        read, written = line.profile.input_tokens, line.profile.output_tokens
        cached = line.profile.cached_share
        part = f", {cached * 100:g} % of them from a cache," if cached else ""
        each = f"requests of {read:,.0f} tokens read{part} and {written:,.0f} written"
        alike.setdefault(each, []).append(f"{line.category} {line.requests_per_month:,.0f}")
    return [f"{', '.join(kinds)} {each}" for each, kinds in alike.items()]


def _cut(text: str, most: int = _LONGEST) -> str:
    """Shorten a text from data; the workbook has it in full."""
    if len(text) <= most:
        return text
    cut, blank, _ = text[: most + 1].rpartition(" ")
    return f"{(cut if blank else text[:most]).rstrip()} … (in full in the workbook)"


_GOAL = "KeyMetrics/UsefulnessUsabilityEfficacy"
_FACTS = "TrustIngredients/AISystemFacts"


def _card(row: Dossier, found: Shortlist, suite: Suite) -> dict[str, str]:
    """Return what is known for the model card, by section and field; an empty text is a blank."""
    known = row.model
    categories = ", ".join(name for name, _ in found.weights)
    tests = f"{counted(row.n_benchmarks, 'benchmark')} of {suite.name}"
    scored = [(share, name) for name, share in row.category_scores if share is not None]
    lowest = min(scored) if len(scored) > 1 else None
    stage = {
        "open": "Open release: the weights can be downloaded",
        "closed": "Offered as a service",
    }
    checks = row.terms[0].checks[:4] if row.terms else ()
    return {
        "BasicInfo/ModelName": known.name + f" ({known.id})" * (known.id != known.name),
        "BasicInfo/ModelDeveloper": known.developer,
        "ReleaseInfo/ReleaseStage": stage.get(known.access, ""),
        "ReleaseInfo/ReleaseDate": known.released_on if len(known.released_on) == 10 else "",
        "ReleaseInfo/ReleaseVersion": f"Run that was scored: {row.run}",
        "ModelSummary/Summary": shortlist.reasons(row)[0],
        "ModelSummary/Keywords/Keyword": categories,
        "UsesAndDirections/CautionedOutOfScopeSettings": (
            f"Never tested here on: {', '.join(row.missing[:5])}"
            + (" and others" if len(row.missing) > 5 else "")
            if row.missing
            else ""
        ),
        "Warnings/KnownRisksAndLimitations": (
            f"Lowest of its task categories: {lowest[1]}, {points(lowest[0])} points"
            if lowest
            else ""
        ),
        f"{_FACTS}/ModelType": f"Generative language model, {size(known.params_b)}",
        f"{_FACTS}/FoundationModels": known.base_model,
        f"{_FACTS}/Security": " ".join(map(conditions.check_in_words, checks)),
        "TrustIngredients/TransparencyInformation/ThirdPartyInformation": (
            f"Price found at {row.bill.price.provider_name}" if row.bill else ""
        ),
        f"{_GOAL}/MetricGoal": f"How well it does on {tests}",
        f"{_GOAL}/Results/MetricResult/Label": "Weighted mean of the benchmark scores",
        f"{_GOAL}/Results/MetricResult/ValueJson": f"{points(row.score)} points out of 100",
        f"{_GOAL}/TestType": "External: public benchmarks; neither local nor prospective",
        f"{_GOAL}/TestingDataDescription": f"{tests}; each is listed in the workbook",
        f"{_GOAL}/ValidationProcessAndJustification": suite.description,
        "Resources/EvaluationReferences": suite.url,
        "Resources/PeerReviewedPublications": suite.citation,
    }


def protocol_html(agreed: Protocol, found: Plan | None = None) -> str:
    """Write the protocol as one HTML document that needs nothing else and asks nobody.

    With the plan it was made from, it says what the test takes in hours and dollars too; these are
    estimates and not part of what is frozen.
    """
    return html_template("protocol.html.j2").render(
        agreed=agreed, plan=found, bills=found and zip(found.models, found.bills, strict=True)
    )

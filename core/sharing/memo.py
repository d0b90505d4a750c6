"""The decision memo: one to three pages for a committee, as HTML and as PDF from that HTML."""

from __future__ import annotations

import base64
import ctypes
from collections import Counter
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from core.domain import Dossier, FormularyError, LeftOut, OfferTerms, Shortlist, Suite
from core.figures import (
    capitalised,
    counted,
    day_in_words,
    dollars,
    interval,
    ordinal,
    points,
    size,
)
from core.words.cost import basis
from core.words.local_test import protocol_in_words
from core.words.market import platform_name
from core.words.model import TERMS
from core.words.recommendation import (
    alerts,
    for_and_against,
    headline,
    objection,
    safety_in_words,
    saving_in_words,
    tier_in_words,
)
from core.words.shortlist import (
    by_rule,
    check_in_words,
    cost_in_words,
    evidence_name,
    met_in_words,
    no_test,
    place,
    possible_ranks,
    question_in_words,
    questions,
    reasons,
    rule_asks,
    rule_name,
    said_of,
    why_left_out,
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
"""Models that the memo shows in full."""
_PANGO = ("libpango-1.0.so.0", "libpango-1.0.dylib", "libpango-1.0-0.dll", "libpango-1.0-0")
_SIZES = (9, 8.3, 7.6, 7)
"""Letters in points, tried in turn until the memo has no more than its pages."""
_TOLD = ("Weights of the task categories", "Hidden reasoning for a request")
"""Assumptions that the memo states where it says how it was made."""
_ASKS_NOTHING = ("none", "none given", "no limit", "not asked", "all models")
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
) -> str:
    """Write the memo as one HTML document that needs nothing else and asks nobody for anything.

    Parameters
    ----------
    on
        Day of the public prices.
    picture
        The scores with their intervals as PNG; empty for none.
    worth
        What a test of the models that are named would bring, in a sentence; empty for none.
    own_cases
        What a hospital's own cases say of the models, each as a sentence.
    """
    found, asked = decided.shortlist, decided.question
    suite = catalogue.suites[asked.evidence.suite]
    # As the side bar names it; by its suite where it is not offered there.
    base = evidence_name(asked, catalogue) or suite.name
    named = [each for _, each in decided.decisions()[:1]]
    # What is named first, then the best by score.
    leading = [each.model.id for each in named]
    shown = sorted(found.rows, key=lambda row: row.model.id not in leading)[:_MODELS]
    first = shown[0] if shown else None
    card = _card(first, found, suite) if first else {}
    encoded = base64.b64encode(picture).decode("ascii")
    return html_template("memo.html.j2").render(
        task=catalogue.tasks[asked.work.task],
        base=base,
        answer=f"{_answer(decided, base, catalogue, day)} {worth}".strip(),
        take=named[0] if named else None,
        own_cases=own_cases,
        take_reasons=for_and_against(decided, named[0]) if named else (),
        could_stand_in=_others(decided),
        models=[_model(row, decided) for row in shown],
        conditions=[asked_for(row.model.name, row.terms[0]) for row in shown if row.terms],
        n_more=len(found.rows) - len(shown),
        picture=f"data:image/png;base64,{encoded}" if picture else "",
        margin=f"{asked.margin * 100:g}",
        left_out=[
            (rule_name(rule, asked), rule_asks(rule, asked), counted(len(out), "model"), out)
            for rule, out in by_rule(found.left_out).items()
        ],
        considered=_considered(found) if found.rows else (),
        caveats=_caveats(found),
        found=found,
        weights=[(name, f"{share:.0%}") for name, share in found.weights],
        card=card,
        fields=catalogue.model_card,
        receipt=receipt,
        chosen=[it for it in receipt.assumptions if it.basis == "set by you"],
        others=_left_as_it_was(receipt),
        workload=workload_section(found.workload),
        number=receipt.in_groups(),
        list_day=max((row.bill.price.as_of for row in found.rows if row.bill), default=day),
        **of_link(receipt.link),
    )


def asked_for(name: str, offer: OfferTerms) -> tuple[str, str, list[tuple[str, str]]]:
    """Return a model's name, where it is bought, and each condition asked with its answer."""
    return (
        name,
        platform_name(offer.platform),
        [
            (check.kind.required, f"{TERMS[check.status]}, {day_in_words(check.read_on)}")
            for check in offer.checks
        ],
    )


def of_link(link: str) -> dict[str, object]:
    """Return what a document says of its link, and the address of the pages of models there."""
    page = _model_page(link)
    is_local = urlsplit(page).hostname in ("127.0.0.1", "localhost", "::1")
    return {"link": link, "model_page": page, "is_local": is_local}


def _model_page(link: str) -> str:
    """Return the address of the page of any model next to that of a link; empty without one."""
    with suppress(ValueError):
        page = urlsplit(urljoin(link, "model"))
        if page.scheme in ("http", "https") and page.netloc:
            return page.geturl()
    return ""


def html_template(name: str) -> Template:
    """Return a template of a document; every text in it is escaped."""
    import jinja2  # noqa: PLC0415 - only a reader who wants a document needs the templates

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["cut"] = _cut
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
        return no_test(asked, catalogue)
    if not found.rows:
        rules = by_rule(found.left_out)
        most = max(rules, key=lambda rule: len(rules[rule]), default=None)
        why = (
            f" The rule that leaves out most is “{rule_name(most, asked)}”: "
            f"{counted(len(rules[most]), 'model')} of {found.n_compared} compared."
            if most
            else ""
        )
        return f"{question_in_words(asked, found)}: no model of {base} fits all of it.{why}"
    stand = f": {met_in_words(decided.met)}" if decided.met else ""
    said = " ".join((headline(decided), *alerts(decided, day)))
    return (
        f"{said} {question_in_words(asked, found)}, the evidence of {base} has scores of "
        f"{counted(found.n_all, 'model')}; {found.n_fit} of them "
        f"{'fits' if found.n_fit == 1 else 'fit'}{stand}."
    )


def _others(decided: Recommendation) -> list[dict[str, object]]:
    leader = decided.leader.model.name if decided.leader else ""
    seen: Counter[str] = Counter()
    told = []
    for words, each in decided.decisions()[1:]:
        seen[words] += 1
        if seen[words] > _MODELS:
            continue
        judged, tier = each.judged, "The highest score that fits."
        said = [saving_in_words(each.saves)]
        if judged:
            tier = tier_in_words(judged, leader, decided.question.margin)
            said = [*map(objection, judged.vetoes), *said]
        more = capitalised("; ".join(filter(None, said)))
        told.append({"words": capitalised(words), "model": each.model, "tier": tier, "more": more})
    return told


def _model(row: Dossier, decided: Recommendation) -> dict[str, Any]:
    judged, leader = decided.choice.judged.get(row.model.id), decided.leader
    said = [safety_in_words(row.safety)] if row.rank is not None else [*reasons(row)[:1]]
    if row.rank is not None and judged is not None and leader is not None:
        said.insert(0, tier_in_words(judged, leader.model.name, decided.question.margin))
    return {
        "row": row,
        "place": place(row),
        "ranks": possible_ranks(row),
        "score": points(row.score),
        "interval": interval(row.ci_low, row.ci_high),
        "bill": cost_in_words(row) if row.cost.low is not None else capitalised(basis(row.cost)),
        "reasons": () if decided.choice.take == row.model.id else tuple(said),
        "questions": questions(row, decided.question),
        "conditions": said_of(row.terms[0], "conditional") if row.terms else (),
    }


def _left_as_it_was(receipt: Receipt) -> list[str]:
    """Say what nobody set, but for what "How it was made" says; what asks nothing in one line."""
    told = [
        it
        for it in receipt.assumptions
        if it.basis in ("default", "fixed by the link") and it.label not in _TOLD
    ]
    empty = [it.label for it in told if it.value in _ASKS_NOTHING]
    said = [f"{it.label}: {_cut(it.value, 100)}" for it in told if it.value not in _ASKS_NOTHING]
    return [*said, *([f"None or no limit: {', '.join(empty).lower()}"] if empty else [])]


def workload_section(lines: Sequence[WorkloadLine]) -> list[str]:
    """Say what is asked a month; kinds of work whose requests are alike go together."""
    alike: dict[str, list[str]] = {}
    for line in lines:
        read, written = line.profile.input_tokens, line.profile.output_tokens
        each = f"requests of {read:,.0f} tokens read and {written:,.0f} written"
        alike.setdefault(each, []).append(f"{line.category} {line.requests_per_month:,.0f}")
    return [f"{', '.join(kinds)} {each}" for each, kinds in alike.items()]


def _considered(found: Shortlist) -> list[tuple[str, LeftOut, str]]:
    placed = sorted((out.place, out.name, out) for out in found.left_out if out.place is not None)
    return [
        (f"{ordinal(place)} of {found.n_all}", out, capitalised(why_left_out(out)))
        for place, _, out in placed[:6]
    ]


def _caveats(found: Shortlist) -> list[str]:
    said = [
        "Public benchmarks do not replace a local validation: try the models you choose on your "
        "own notes, with your own clinicians, before you buy.",
        "A benchmark that a model was trained on flatters it, and nobody can rule that out.",
    ]
    if any(row.bill for row in found.rows):
        said.append(
            "Bills are upper bounds where MedHELM's token counts are used: it publishes the most "
            "that a model may write, not what it wrote. Hidden reasoning is an estimate from other "
            "medical questions. Taxes, discounts and staff are left out."
        )
    if found.n_unpriced:
        said.append(
            "Without a public price, which does not mean free, so that no budget could be "
            f"applied: {counted(found.n_unpriced, 'model')} of this shortlist."
        )
    if unranked := sum(row.rank is None for row in found.rows):
        said.append(
            "Not ranked, because some tests are missing and scores over different tests do not "
            f"compare: {counted(unranked, 'model')} of this shortlist."
        )
    if any(row.terms for row in found.rows):
        said.append(
            "Answers on the conditions of purchase come from public pages, on the day shown with "
            "them. Only the contract binds; an answer that is not known stays a question."
        )
    if any(row.model.id.endswith(" (own result)") for row in found.rows):
        said.append("Your own results are part of this shortlist; the link does not carry them.")
    return said


def _cut(text: str, most: int = _LONGEST) -> str:
    """Shorten a text from data; the workbook has it in full."""
    return text if len(text) <= most else f"{text[:most].rstrip()} … (in full in the workbook)"


_GOAL = "KeyMetrics/UsefulnessUsabilityEfficacy"
_FACTS = "TrustIngredients/AISystemFacts"


def _card(row: Dossier, found: Shortlist, suite: Suite) -> dict[str, str]:
    """Return what is known for the model card, by section and field; an empty text is a blank."""
    model = row.model
    categories = ", ".join(name for name, _ in found.weights)
    tests = f"{counted(row.n_benchmarks, 'benchmark')} of {suite.name}"
    scored = [(share, name) for name, share in row.category_scores if share is not None]
    lowest = min(scored) if len(scored) > 1 else None
    stage = {
        "open": "Open release: the weights can be downloaded",
        "closed": "Offered as a service",
    }
    conditions = [check_in_words(it) for it in (row.terms[0].checks if row.terms else ())]
    return {
        "BasicInfo/ModelName": f"{model.name} ({model.id})",
        "BasicInfo/ModelDeveloper": model.developer,
        "ReleaseInfo/ReleaseStage": stage.get(model.access, ""),
        "ReleaseInfo/ReleaseDate": model.released_on,
        "ReleaseInfo/ReleaseVersion": f"Run that was scored: {row.run}",
        "ModelSummary/Summary": reasons(row)[0],
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
        f"{_FACTS}/ModelType": f"Generative language model, {size(model.params_b)}",
        f"{_FACTS}/FoundationModels": model.base_model,
        f"{_FACTS}/Security": " ".join(conditions[:4]),
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
    takes = []
    if found:
        time = "none: a program judges"
        if found.raters:
            time = (
                f"{found.hours:,.0f} hours: {counted(found.raters, 'rater')}, each "
                f"{found.minutes_per_case:g} minutes for a case with the answers of all models"
            )
        takes.append(("Raters' time", time))
        for model, usd in zip(found.models, found.bills, strict=True):
            takes.append((model.name, "cost not known" if usd is None else dollars(usd)))
    return html_template("protocol.html.j2").render(
        agreed=agreed, lines=protocol_in_words(agreed), takes=takes
    )


def protocol_pdf(html: str) -> bytes:
    """Print it as PDF of at most two pages; errors as for ``print_pdf``."""
    return print_pdf(html, 2)

"""Memo and protocol: figures are the CSV's, texts are escaped, nothing is fetched, few pages."""

import csv
import html
import io
import re
import sys
from dataclasses import replace
from datetime import date

import pypdf
import pytest

from core.answers import documents, recommend
from core.answers.asked import ask
from core.domain import (
    ConditionCheck,
    ConditionKind,
    FormularyError,
    LeftOut,
    Loss,
    OfferTerms,
    OwnPrice,
    Question,
)
from core.evidence import catalogue
from core.figures import at_least, dollars, interval, points, signed, signed_interval
from core.local_test.plan import Basis, TestedModel, plan, protocol
from core.sharing import export, memo
from core.sharing.memo import protocol_html
from core.sheets import to_csv
from core.words.recommendation import alerts, for_and_against, headline
from core.words.shortlist import by_rule, rule_asks, rule_name

pytestmark = pytest.mark.documents

DAY = date(2026, 11, 21)
REQUIRED = ("baa", "zero_data_retention", "soc2", "hitrust", "data_residency")
QUESTIONS = {
    "medhelm in January": Question.of(on_sale_on="2026-01-31"),
    "bridge with limits": Question.of(suite="bridge", max_params_b=33.0, access="open"),
    "own servers": Question.of(suite="bridge", max_params_b=40.0, access="own"),
    "gaps and no price": Question.of(suite="benchhealth"),
    "gates": Question.of(
        on_sale_months=None,
        required=REQUIRED,
        volumes=(("visit-notes", 1800.0),),
        monthly_budget_usd=300,
    ),
    "another margin": Question.of(suite="bridge", margin=0.005),
}
EMPTY = Question.of(max_params_b=0.1)
FIRST = ("take", "choose first", "test first")
"""What is decided on the model that is named first, by the strength of the answer."""


def as_text(document):
    body = re.sub(r"<style>.*?</style>", "", document, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.fixture(scope="module", params=QUESTIONS)
def written(request, bundled):
    asked = QUESTIONS[request.param]
    records = documents.shortlist_records(ask(bundled, asked, DAY))
    raw = to_csv(records, export.SHORTLIST_COLUMNS).decode("utf-8-sig")
    lines = list(csv.DictReader(io.StringIO(raw, newline="")))
    decided = recommend.recommendation(ask(bundled, asked, DAY))
    return asked, decided, documents.memo_html(ask(bundled, asked, DAY), made_on=DAY), lines


def memo_of(store, asked):
    return as_text(documents.memo_html(ask(store, asked, DAY), made_on=DAY))


def number(cell):
    return float(cell) if cell else None


def test_who_else_was_considered_and_why_not(bundled):
    """BRIDGE's best score by its table is of a model whose last platform ends in March."""
    said = memo_of(bundled, Question.of(suite="bridge"))
    heading = "Who else was considered, and why not"
    first = "1st of 98: gemini-2.5-flash . For existing customers only, until 31 March"
    assert f"{heading} {first}" in said
    assert heading in memo_of(bundled, EMPTY)


@pytest.mark.parametrize(
    ("asked", "statements", "question_of"),
    [
        (
            {"suite": "bridge", "access": "open"},
            ["Cost under your conditions not known: $"],
            "Ask Hugging Face (Novita): is there a business associate agreement?",
        ),
        (
            {"suite": "healthbench-psych"},
            ["No interval can be given", "Number of parameters not"],
            "no open question.",
        ),
    ],
)
def test_what_nobody_can_be_asked_is_no_question(bundled, asked, statements, question_of):
    question = Question.of(on_sale_months=None, required=("baa",), **asked)
    said = memo_of(bundled, question).partition("Questions to the vendors")[2]
    questions, _, rest = said.partition(" Not known ")
    unknown = rest.partition("How sure is the order?")[0]
    assert question_of in questions
    assert [said for said in statements if said in questions] == []
    assert [said for said in statements if said in unknown] == statements


def test_each_figure_is_the_rounding_of_the_csv(written):
    """The models in figures: all that are named, then the best by score, three at least."""
    _, _, document, lines = written
    table = re.search(r"<h2>[^<]*in figures.*?</table>", document, re.DOTALL)[0]
    shown = re.findall(r'<tr class="model[^"]*">(.*?)</tr>', table, re.DOTALL)
    words = (*FIRST, "choose", "test")
    named = sorted(
        (line for line in lines if line["decision"] in words),
        key=lambda line: line["decision"] not in FIRST,
    )
    lines = [*named, *(line for line in lines if line not in named)][: max(3, len(named))]
    assert len(shown) == len(lines) > 0
    for cells, line in zip(shown, lines, strict=True):
        told = [as_text(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", cells, re.DOTALL)]
        name, place, score, between, n_benchmarks, cost = told
        assert name.startswith(line["name"])
        assert numbers(place) >= {int(line[k]) for k in ("rank", "rank_all") if line[k]} - {1}
        first, last = line["rank_band_first"], line["rank_band_last"]
        if first and "any place" not in place and "only model" not in place:
            assert {int(first), int(last)} <= numbers(place)
        assert score == points(number(line["score"]))
        assert between == interval(number(line["ci_low"]), number(line["ci_high"]))
        missing = f", {line['n_missing']} missing" if line["n_missing"] != "0" else ""
        assert n_benchmarks == line["n_benchmarks"] + missing
        if line["monthly_cost_usd"]:
            likely = float(line["monthly_cost_usd"])
            assert f"{dollars(likely)} a month" in cost
            assert line["cost_from"] in cost
            if float(line["monthly_cost_low"]) < likely < float(line["monthly_cost_high"]):
                ends = [dollars(float(line[f"monthly_cost_{end}"])) for end in ("low", "high")]
                assert f"({ends[0]} to {ends[1]})" in cost
            assert (line["cost_is"] == "own servers") == ("on own servers" in cost)
        elif line["monthly_cost_low"]:
            least = at_least(float(line["monthly_cost_low"]))
            assert cost.startswith(f"{least[:1].upper()}{least[1:]} a month")
            assert cost.endswith(f"on {line['cost_from']}")
        else:
            assert not re.search(r"\$|\d", cost)
            assert line["cost_is"] == "unknown"


def numbers(text):
    return {int(found) for found in re.findall(r"\b(\d+)(?:st|nd|rd|th)?\b", text)}


def test_the_memo_names_the_csv_s_first_and_gives_reasons(written):
    _, decided, document, lines = written
    document = as_text(document)
    assert " ".join((headline(decided), *alerts(decided, DAY))) in document
    (line,) = [line for line in lines if line["decision"] in FIRST]
    first = decided.take or decided.test_these[0]
    assert (line["model"], f"Why {line['name']}" in document) == (first.model.id, True)
    assert all(" ".join(reason.split()) in document for reason in for_and_against(decided, first))
    if line["severe_harm_share"]:
        assert f"{float(line['severe_harm_share']) * 100:.1f} % of 100 cases" in document


def test_a_possible_replacement_always_has_its_difference_tier_and_margin(written):
    """Each proposal with the figures of the CSV; the leader has nothing to be compared with."""
    asked, _, document, lines = written
    document = as_text(document)
    listed = [line for line in lines if line["decision"] not in ("", *FIRST)]
    assert ("What could take its place" in document) == bool(listed)
    if not listed:
        return
    part = document.split("What could take its place")[1].split(" in figures")[0]
    n_shown = 0
    for line in listed:
        said = re.search(
            rf"{line['decision'].capitalize()}: {re.escape(line['name'])} \.(.*)", part
        )
        if said is None:
            continue
        n_shown += 1
        if not line["compared_with"]:
            assert "highest score that fits" in said[1]
            continue
        ends = (number(line["difference_ci_low"]), number(line["difference_ci_high"]))
        gap = f"{signed(number(line['difference']))} points, {signed_interval(*ends)}"
        assert gap in said[1]
        words = "Worse than" if line["tier"] == "worse" else line["tier"]
        sentence = said[1].split(gap)[0]
        assert words in sentence
        assert f"{asked.margin * 100:g} points" in sentence or "Better than" in sentence
    kinds = ("choose", "test", "as good", "worth a test", "step down")
    counts = [sum(line["decision"] == kind for line in listed) for kind in kinds]
    assert n_shown == sum(min(count, 3) for count in counts)


def test_the_memo_says_what_was_left_out_and_points_to_the_rest(bundled):
    asked = QUESTIONS["bridge with limits"]
    document = memo_of(bundled, asked)
    for rule, out in by_rule(recommend.shortlist(ask(bundled, asked, DAY)).left_out).items():
        name, detail = rule_name(rule, asked), rule_asks(rule, asked)
        assert f"{name} {detail} {len(out)} model" in document
        if len(out) > 6:
            assert f"and {len(out) - 6} more; all in the workbook" in document
    document = memo_of(bundled, EMPTY)
    assert "no model of MedHELM fits all of it" in document
    # Today all but DeepSeek R1, Llama 3.3 and GPT-5 mini leave sale within six months.
    assert "leaves out most is “Not on sale for long enough”: 10 models of 13" in document
    assert "Model Card" not in document
    assert documents.receipt(ask(bundled, EMPTY, DAY), made_on=DAY).in_groups() in document


def test_no_evidence_for_the_task(bundled):
    document = memo_of(bundled, Question.of(suite="open-medical-llm", task="documentation"))
    assert "That is a gap in the evidence, not a verdict on any model." in document


def test_the_card_fills_in_what_is_known_and_asks_for_the_rest(bundled):
    asked = Question()
    document = memo_of(bundled, asked)
    first = recommend.shortlist(ask(bundled, asked, DAY)).rows[0]
    assert f"Name of the model or solution. {first.model.name}" in document
    assert f"{points(first.score)} points out of 100" in document
    assert f"({first.model.name})" not in document
    assert "US dollars; " in document
    assert "your own rents of GPUs" in document
    blanks = document.split("To be filled in by the vendor.")[1]
    assert "Where to ask questions or report problems." in blanks
    assert "(Trials of the solution.)" in blanks
    # Words for a committee, no paths of an XML schema and no JSON.
    assert not re.search(r"BasicInfo|[a-z]/[A-Z]|ValueJson|\{\"", document)


def test_conditions_and_lines_to_sign_are_on_page_one(bundled):
    asked = Question.of(required=("baa", "trains_on_customer_data_by_default"))
    document = documents.memo_html(
        ask(bundled, asked, DAY), made_on=DAY, address="http://localhost/"
    )
    first, *others = (page.extract_text() for page in pages(memo.print_pdf(document)))
    assert "Business associate" in first
    assert all(word in first for word in ("Signature", "Date", "Review by"))
    assert "open only on the computer that made it" in others[-1]
    away = documents.memo_html(ask(bundled, asked, DAY), made_on=DAY, address="https://f.example/")
    assert "only on the computer" not in away


def test_the_memo_names_one_day_of_prices(bundled):
    """Those who signed saw "public prices of 21 November" over bills of the list of the 20th."""
    document = memo_of(bundled, Question.of(required=("baa",)))
    lead, figures = document.split("Receipt", maxsplit=1)
    written = r"(\d+ \w+ \d{4})"
    days = set(re.findall(f"at the price of {written}", figures.split("How it was made")[0]))
    assert days == {re.search(f"price list of {written}", lead)[1]}


HOSTILE = '<img src=x onerror="alert(1)"></td><script>alert(2)</script>&{{ 7*7 }}'


@pytest.fixture(scope="module")
def hostile(bundled):
    """A memo in which every text that comes from data tries to be markup."""
    asked = Question.of(on_sale_on="2026-01-31")
    decided = recommend.recommendation(ask(bundled, asked, DAY))

    def bad(of, *texts, **more):
        return replace(of, **dict.fromkeys(texts, HOSTILE), **more)

    def bad_basis(cost):
        if cost.bill is None:
            return bad(cost.basis, "suite")
        bill = replace(cost.bill, price=bad(cost.price, "provider_name", "source"))
        return replace(cost.basis, bill=bill)

    def bad_dossier(each):
        loss = Loss(HOSTILE, -0.1, -0.2, -0.05)
        kind = ConditionKind("baa", HOSTILE, HOSTILE, "platform", "yes", HOSTILE, HOSTILE, "")
        check = ConditionCheck(kind, "open", *[HOSTILE] * 5, "", "vendor")
        return bad(
            each,
            *("run", "label"),
            model=bad(each.model, "name", "developer", "base_model", "released_on"),
            # The day of the price is read from a table of ours, as a day.
            cost=bad(each.cost, "platform", basis=bad_basis(each.cost)),
            judged=each.judged and replace(each.judged, vetoes=(loss,), warnings=(loss,)),
            sale=each.sale
            and bad(
                each.sale,
                "successor",
                at=tuple(bad(sale, "platform", "source", "conflict") for sale in each.sale.at),
            ),
            terms=(OfferTerms(each.model.id, HOSTILE, "open", (check,), HOSTILE),),
        )

    found = replace(
        decided.shortlist,
        rows=tuple(map(bad_dossier, decided.shortlist.rows)),
        left_out=(LeftOut("m", "condition", name=HOSTILE, detail=HOSTILE),),
    )
    bad_decided = replace(
        decided,
        suite=HOSTILE,
        shortlist=found,
        dossiers={name: bad_dossier(each) for name, each in decided.dossiers.items()},
    )
    made = documents.receipt(
        ask(bundled, asked, DAY), made_on=DAY, address='https://x/"><script>/?'
    )
    return memo.write_memo(
        *(bad_decided, made, DAY),
        catalogue=bundled.catalogue,
        picture=b"",
    )


def test_text_from_data_is_never_markup(hostile):
    assert "<script" not in hostile
    assert "<img" not in hostile
    assert hostile.count("&lt;img src=x") >= 10
    assert "{{ 7*7 }}" in html.unescape(hostile)


def test_the_page_needs_nothing_from_elsewhere(written):
    _, _, document, _ = written
    for outside in ("<script", "url(", "@import", "<link"):
        assert outside not in document
    (source,) = re.findall(r'(?:src|href)="([^"]{0,30})', document)
    assert source.startswith("data:image/png;base64,")
    assert "default-src 'none'" in document


def links(bundled, address):
    document = documents.memo_html(ask(bundled, Question(), DAY), made_on=DAY, address=address)
    return document, re.findall('<a href="([^"]*)">([^<]*)</a>', document)


def test_names_link_to_their_model_where_the_address_is_known(bundled):
    document, found = links(bundled, "https://f.example/app/recommend?x=1")
    assert document.count("<a ") == len(found)
    page = "https://f.example/app/model"
    assert dict(found)[f"{page}?model=o4-mini+%282025-04-16%29"] == "o4-mini (2025-04-16)"
    assert {address.partition("?")[0] for address, _ in found} == {page}
    local = links(bundled, "http://127.0.0.1:8501/")[1][0][0]
    assert local.startswith("http://127.0.0.1:8501/model?model=")
    # Without an address of the web nothing is a link.
    none = ["", "javascript:alert(1)//", "ftp://f.example/", "https:///recommend", "http://[x/"]
    for address in none:
        assert "<a " not in links(bundled, address)[0], address


def pages(raw):
    return pypdf.PdfReader(io.BytesIO(raw)).pages


def test_the_longest_memos_of_all_evidence_fit_on_three_pages(bundled):
    asked = (
        Question.of(suite=base.suite, cohort=base.cohort)
        for base in bundled.catalogue.evidence.values()
        if bundled.of_suite(base.suite)
    )
    memos = [documents.memo_html(ask(bundled, one, DAY), made_on=DAY) for one in asked]
    for document in sorted(memos, key=lambda it: len(re.sub("<svg.*?</svg>", "", it)))[-3:]:
        assert 1 <= len(pages(memo.print_pdf(document))) <= 3


def test_the_answer_is_never_cut_and_other_texts_at_a_word(bundled):
    gates = ("baa", "trains_on_customer_data_by_default")
    asked = ask(bundled, Question.of(suite="chi-bench", required=gates), DAY)
    document = documents.memo_html(asked, made_on=DAY)
    answer = as_text(document.partition('<p class="answer">')[2].partition("</p>")[0])
    assert len(answer) > 900
    assert "in full in the workbook" not in answer
    assert memo._cut("How far they may go", 14) == "How far they … (in full in the workbook)"
    assert memo._cut("x" * 9, 4) == "xxxx … (in full in the workbook)"


def test_a_question_with_everything_set_fits_on_three_pages(bundled):
    every = recommend.shortlist(ask(bundled, Question.of(on_sale_months=None), DAY)).rows
    names = [row.model.id for row in every]
    told = ("2026-11-01", "offer " + "x" * 80)
    facts = bundled.catalogue
    asked = Question.of(
        required=tuple(
            kind.id for kind in facts.condition_kinds.values() if kind.wanted != "limit"
        ),
        volumes=tuple((kind.id, 1000.0) for kind in facts.requests),
        only=tuple(names),
        own_prices=tuple(OwnPrice(name, 1.0, 2.0, *told) for name in names),
        **{"max_retention_days": 30, "min_context_tokens": 8_000, "on_sale_months": None},
        **{"monthly_budget_usd": 900.0, "margin": 0.05},
    )
    assert recommend.shortlist(ask(bundled, asked, DAY)).rows
    assert (
        len(pages(memo.print_pdf(documents.memo_html(ask(bundled, asked, DAY), made_on=DAY)))) <= 3
    )


def test_the_pdf_says_what_the_page_says(bundled):
    printed = pages(memo.print_pdf(documents.memo_html(ask(bundled, EMPTY, DAY), made_on=DAY)))
    assert len(printed) <= 2
    text = " ".join(" ".join(page.extract_text() for page in printed).split())
    assert "no model of MedHELM fits all of it" in text
    assert documents.receipt(ask(bundled, EMPTY, DAY), made_on=DAY).in_groups() in text
    assert f"Page 1 of {len(printed)}" in text
    assert [round(float(x)) for x in printed[0].mediabox[2:]] == [595, 842]  # A4 in points


def test_the_printer_reads_no_file_and_asks_no_server(tmp_path):
    """A text file drawn as a picture's alternative would show; a file's own picture would too."""
    drawing = tmp_path / "secret.svg"
    drawing.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40">'
        '<text x="0" y="20">SECRET</text></svg>'
    )
    raw = memo.print_pdf(
        f'<p>before</p><img alt="" src="{drawing.as_uri()}">'
        '<img alt="" src="http://127.0.0.1:9/x.png"><p>after</p>'
    )
    text = pages(raw)[0].extract_text()
    assert "before" in text
    assert "after" in text
    assert "SECRET" not in text


def test_without_the_libraries_the_reader_is_told_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(FormularyError, match="take the memo as HTML and print it"):
        memo.print_pdf("<p>x</p>")
    assert memo.pdf_can_be_made()
    monkeypatch.setattr(memo, "_PANGO", ("no-such-library.so",))
    assert not memo.pdf_can_be_made()


CARD = """section,field,description,filled_by,why,required,schema_version,source_url,as_of
A,B,What it is.,vendor,,required,v0.1,https://example.org,2025-10-28
"""


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("vendor", "nobody", "filled_by"),
        ("required,v", "maybe,v", "required or optional"),
        ("2025-10-28", "October", "ISO date"),
        ("What it is.", "", '"description" is empty'),
        ("28\n", "28\nA,B,It.,vendor,,required,v,https://x.org,2025-10-28", "row 3: .*twice"),
    ],
)
def test_the_card_is_read_strictly(tmp_path, old, new, fault):
    (tmp_path / "model_card.csv").write_text(CARD.replace(old, new), "utf-8")
    with pytest.raises(FormularyError, match=fault):
        catalogue.model_card(tmp_path)


def test_the_card_has_every_field_of_the_schema(bundled):
    """Fields of v0.1 and v0.2; those that a card fills in must be among them, by the same name."""
    fields = bundled.catalogue.model_card
    assert len(fields) == 60
    found = recommend.shortlist(ask(bundled, Question.of(suite="bridge", required=REQUIRED), DAY))
    row = found.rows[0]
    suite = bundled.catalogue.suites["bridge"]
    everything = replace(
        row, missing=("x",), model=replace(row.model, base_model="b", released_on="2025")
    )
    values = memo._card(everything, found, suite)
    assert set(values) <= {field.path for field in fields}
    vendor = {field.path for field in fields if field.filled_by == "vendor"}
    assert vendor.isdisjoint(values)


def planned(name="GPT-5 mini", work="visit notes", n=1):
    long = [TestedModel(f"{name} {i}", f"id-{i}-{name}", False, 0.0015) for i in range(n)]
    return plan(
        work,
        [TestedModel("GPT-5", "gpt-5-x", reference=True), *long],
        judged="right/wrong",
        margin=0.05,
        bases=[Basis("measured", 0.2, where="MedQA", n_items=1273)],
    )


@pytest.mark.slow
def test_it_says_what_was_agreed_and_what_it_takes():
    found = planned()
    frozen = protocol(found, date(2026, 11, 23))
    printed = pages(memo.print_pdf(protocol_html(frozen, found), 2))
    text = " ".join(" ".join(page.extract_text().split()) for page in printed)
    assert len(printed) == 1
    for said in (
        "Frozen on 2026-11-23, before any result is seen.",
        "Is GPT-5 mini 0 as good as GPT-5 within 5 points on visit notes?",
        "630, each answered by every model",
        "Measured on MedQA, 1,273 items",
        "105 hours: 2 raters, each 5 minutes",
        "$0.95",  # 630 · (2,000 · 0.25 + 500 · 2)/10⁶
        "cost not known",
        "Signature",
        frozen.sha256[:40],
    ):
        assert said in text
    assert "What it takes" not in protocol_html(frozen)


@pytest.mark.slow
def test_texts_are_escaped_and_the_longest_fit_two_pages():
    found = planned("<b>" + "W" * 180, "<script>" + "w" * 190, n=3)
    html = protocol_html(protocol(found, date(2026, 11, 23)), found)
    assert "<b>" not in html
    assert "<script>" not in html
    assert len(pages(memo.print_pdf(html, 2))) <= 2

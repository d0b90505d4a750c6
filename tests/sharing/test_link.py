"""A choice as a link and back, and its receipt; whatever a link holds is untrusted."""

import ast
import hashlib
from dataclasses import replace
from datetime import date
from operator import attrgetter
from pathlib import Path
from urllib.parse import urlencode

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.answers import data as data_answers
from core.answers import documents, market, recommend
from core.answers.asked import ask, shortlist_link
from core.domain import (
    FIELDS,
    BadRequestError,
    ConditionAnswer,
    OwnPrice,
    OwnRent,
    OwnSale,
    OwnTokens,
    Question,
)
from core.evidence.store import open_store
from core.figures import squeezed
from core.procurement.shortlist import all_categories
from core.sharing import link
from core.sharing.controls import ACCESS, BY_KEY, CONTROLS, MOST_REQUESTS
from core.sharing.inputs import MOST_OWN, Reader, in_link, weight_key
from core.sharing.link import (
    LONGEST_LINK,
    bases_of,
    bounded,
    data_label,
    from_query,
    label_of_all,
    make_receipt,
    parse_url,
    rows_fingerprint,
    to_query,
    to_url,
)
from core.sharing.own_figures import ANSWERS, OWN_RENT
from core.words.candidate import SHORT_NAMES
from tests.sharing.conftest import EMPTY, NOTHING

TODAY = date(2026, 11, 21)
PAGE = "https://formulary.example.org/shortlist"


@pytest.fixture(scope="module")
def opened(bundled):
    def opened(url):
        return from_query(parse_url(url), bundled.catalogue, bundled.snapshots)

    return opened


@pytest.fixture(scope="module")
def url_of(bundled):
    def url_of(requirements, page=PAGE):
        snapshot = bundled.snapshot(requirements.evidence.suite, requirements.evidence.revision)
        return to_url(page, to_query(requirements, bundled.catalogue, data_label(snapshot)))

    return url_of


def limits(key):
    return BY_KEY[key].kind.low, BY_KEY[key].kind.high


TEXT = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=40)
# A short name, such as Google, is read as the platform that it means.
_SHORT = {squeezed(short) for short in SHORT_NAMES.values()}
PLATFORM = TEXT.filter(lambda text: squeezed(text) not in _SHORT)
DAY = st.dates(date(2023, 1, 1), date(2030, 1, 1)).map(date.isoformat)
USD = st.floats(0, 10_000)


@st.composite
def own_answer(draw, kinds):
    answer = draw(st.sampled_from(ANSWERS))
    unknown = answer == "unknown"
    source = draw(TEXT | st.just("")) if unknown else draw(TEXT)
    day = draw(DAY | st.sampled_from(["", "undated"])) if unknown else draw(DAY)
    condition, detail = draw(st.sampled_from(list(kinds))), draw(TEXT | st.just(""))
    days = draw(st.none() | st.integers(0, 99_999))
    return ConditionAnswer(
        draw(PLATFORM), condition, answer, detail, source, day, days, source_kind="own"
    )


def some(values, *by):
    return st.lists(values, max_size=MOST_OWN, unique_by=attrgetter(*by)).map(tuple)


@st.composite
def purchase(draw, facts):
    kinds = [kind.id for kind in facts.requests]
    volumes = draw(st.dictionaries(st.sampled_from(kinds), st.floats(0.001, MOST_REQUESTS)))
    tokens = st.none() | st.floats(1, 1_000_000)
    conditions = [it.id for it in facts.condition_kinds.values() if it.wanted != "limit"]
    chosen = draw(st.sets(st.sampled_from(conditions)))
    there, gpus = PLATFORM | st.just(""), st.sampled_from(list(facts.gpu_kinds))
    paid = USD.filter(bool)
    prices = st.builds(OwnPrice, TEXT, paid, paid, DAY, TEXT, there, st.none() | USD)
    sales = st.builds(OwnSale, TEXT, PLATFORM, DAY | st.just(""), DAY, TEXT)
    rents = st.builds(OwnRent, gpus, USD.filter(bool), DAY, TEXT)
    own_tokens = st.builds(OwnTokens, st.sampled_from(kinds), tokens, tokens)
    return {
        "volumes": tuple((kind, volumes[kind]) for kind in kinds if kind in volumes),
        "own_tokens": draw(some(own_tokens, "kind")),
        "required": tuple(it for it in conditions if it in chosen),
        "max_retention_days": draw(st.none() | st.integers(0, 99_999)),
        "min_context_tokens": draw(st.none() | st.integers(1, 100_000_000)),
        "own_answers": draw(some(own_answer(facts.condition_kinds), "platform", "condition")),
        "own_prices": draw(some(prices, "model")),
        "own_sales": draw(some(sales, "model", "platform")),
        "own_rents": draw(some(rents, "gpu")),
        "gpus_owned": draw(st.none() | st.integers(1, 10_000)),
        "bits": draw(st.sampled_from([16, 8, 4])),
        "context_tokens": draw(st.integers(1, 2_000_000)),
        "concurrent": draw(st.integers(1, 10_000)),
        "utilisation": draw(st.integers(1, 100)) / 100,
        "spares": draw(st.integers(0, 100)),
        "cached_share": draw(st.integers(0, 100)) / 100,
        "prices_on": draw(DAY | st.just("")),
        "on_sale_months": draw(st.none() | st.integers(0, 60)),
        "on_sale_on": draw(DAY | st.just("")),
    }


@st.composite
def valid_requirements(draw, catalogue, loaded):
    base = draw(st.sampled_from(bases_of(catalogue, loaded)))
    protocols = catalogue.suites[base.suite].protocols
    tests = catalogue.benchmarks[base.suite]
    task = draw(st.sampled_from(list(catalogue.tasks)))
    weights = ()
    if task == "own":
        known = all_categories(tests)
        chosen = draw(st.sets(st.sampled_from(known)))
        weight = st.floats(0.001, 100) | st.just(1.0)
        weights = tuple((name, draw(weight)) for name in known if name in chosen)

    gpus = sorted({offer.gpu for offer in catalogue.gpus})

    def whole(key):
        return st.integers(*(int(end) for end in limits(key)))

    return Question.of(
        suite=base.suite,
        cohort=base.cohort,
        protocol=draw(st.sampled_from(["", *protocols[1:]])),
        task=task,
        weights=weights,
        language=draw(st.sampled_from(sorted({"", *(b.language for b in tests)}))),
        access=draw(st.sampled_from(sorted(ACCESS))),
        max_params_b=draw(st.none() | st.floats(0.1, 2_000)),
        monthly_budget_usd=draw(st.none() | st.floats(*limits("budget")) | whole("budget")),
        requests_per_month=draw(whole("requests")),
        input_tokens_per_request=draw(st.none() | whole("tokens_in")),
        output_tokens_per_request=draw(st.none() | whole("tokens_out")),
        reasoning_tokens_per_request=draw(st.none() | whole("tokens_reasoning")),
        gpu=draw(st.sampled_from(["", *gpus])),
        margin=draw(st.integers(0, 2000)) / 100 / 100,  # hundredths of a point
        only=tuple(draw(st.lists(st.sampled_from(sorted(catalogue.models)), unique=True))),
        include_flagged=draw(st.booleans()),
        overlap_once=draw(st.booleans()),
        **draw(purchase(catalogue)),
    )


@pytest.mark.slow
def test_flagged_runs_come_in_whatever_the_case(opened):
    said = {"true": True, "TRUE": True, "False": False, "yes": False, "": False}
    for value, expected in said.items():
        found = opened(f"?flagged={value}")
        assert found.question.evidence.include_flagged is expected
        assert len(found.notes) == (value == "yes")


@pytest.mark.slow
@given(choices=st.data())
@settings(max_examples=200, deadline=None)
def test_a_link_gives_back_the_same_requirements(bundled, opened, url_of, choices):
    requirements = choices.draw(
        valid_requirements(bundled.catalogue, {s.suite for s in bundled.snapshots})
    )
    found = opened(url_of(requirements))
    cautions = "No platform “", "A price that names no platform"
    assert all(note.startswith(cautions) for note in found.notes)
    revision = bundled.snapshot(requirements.evidence.suite).revision
    assert found.question == requirements.having(revision=revision)
    assert url_of(found.question) == url_of(requirements)


def test_the_defaults_write_nothing_but_the_evidence_they_used(bundled, url_of):
    label = data_label(bundled.snapshot("medhelm"))
    assert url_of(Question()) == f"{PAGE}?{urlencode([('data', label)])}"
    assert len(label.split("(")[1]) == 9
    # A link replaces the parameters of its address.
    for base in ("", PAGE, f"{PAGE}?old=1", f"{PAGE}?a?b"):
        url = url_of(Question.of(access="own"), base)
        assert url.count("?") == 1
        assert url.startswith(base.split("?")[0])
        assert parse_url(url)["access"] == ["Our own servers only"]


@pytest.mark.parametrize("control", CONTROLS, ids=lambda it: it.key)
def test_what_a_control_holds_unset_reads_as_the_default(bundled, control):
    held = control.unset(bundled.catalogue)
    reader = Reader({key: in_link(value) for key, value in held.items()}, strict=True)
    assert control.read(reader, bundled.catalogue) == Question().value(control.field)
    assert control.write(Question(), bundled.catalogue) == []


def test_a_whole_address_and_its_query_alone_are_read_alike(opened):
    query = "access=Our+own+servers+only&budget=12"
    for start in (f"{PAGE}?", "?", "", "http://[::1?"):
        for end in ("", "#top") if start else ("",):
            found = opened(f"{start}{query}{end}")
            expected = Question.of(access="own", monthly_budget_usd=12)
            assert (found.question, found.notes) == (expected, ())


def test_own_weights_keep_the_catalogue_s_order_and_leave_out_1(bundled, opened):
    known = all_categories(bundled.catalogue.benchmarks["medhelm"])
    query = [("task", "Own weights"), ("category", known[3]), ("category", known[0])]
    url = to_url(PAGE, [*query, (weight_key(known[3]), "2.5")])
    assert opened(url).question.work.weights == ((known[0], 1.0), (known[3], 2.5))


def test_what_noharm_no_longer_scores_is_said_to_weigh_as_safety(opened, url_of):
    """An old link: severe harm 2, safety 1 by default, completeness 3."""
    own = f"{PAGE}?task=Own+weights&category=Severe+harm"
    old = f"{own}&evidence=NOHARM%2C+safety"
    found = opened(f"{old}&category=Safety&category=Completeness&w_severe_harm=2&w_completeness=3")
    assert found.question.work.weights == (("Safety", 3.0), ("Completeness", 3.0))
    note = "Severe harm is shown but no longer scored; its weight went to Safety."
    assert found.notes == (note,)
    again = opened(url_of(found.question))
    assert (again.question.work.weights, again.notes) == (found.question.work.weights, ())
    assert opened(old).question.work.weights == (("Safety", 1.0),)
    most = opened(f"{old}&category=Safety&w_severe_harm=60&w_safety=60")
    assert most.question.work.weights == (("Safety", 100.0),)  # the most that a weight can be
    elsewhere = opened(own)
    assert elsewhere.question.work.weights == ()
    assert "is not known" in elsewhere.notes[0]
    # Weights without the own task do not count.
    url = "?task=Research&category=Clinical+Note+Generation"
    assert opened(url).question == Question.of(task="research")


WORDS = {
    "sale": {
        **{"Not asked": None, "On the day": 0, "1 month": 1, "3 months": 3, "6 months": 6},
        **{"17 months": 17, "60 months": 60},
    },
    "access": {
        **{"Anywhere": "any", "Open weights, anywhere": "open", "A vendor's service": "vendor"},
        **{"Our own servers only": "own"},
    },
    # 0.07 times 100 is a little more than 7 for a machine.
    "margin": {"7": 0.07, "14": 0.14, "2": 0.02},
}


@pytest.mark.parametrize(
    ("key", "field"), [("sale", "on_sale_months"), ("access", "access"), ("margin", "margin")]
)
def test_each_choice_has_its_words_and_the_usual_one_leaves_no_key(opened, url_of, key, field):
    for words, value in WORDS[key].items():
        asked = Question.of(**{field: value})
        found = opened(to_url(PAGE, [(key, words)]))
        assert (found.question, found.notes) == (asked, ()), words
        usual = asked == Question()
        assert parse_url(url_of(asked)).get(key) == (None if usual else [words])


def test_months_of_sale_are_read_without_their_unit_too(opened):
    found = opened("?sale=36")
    assert (found.question, found.notes) == (Question.of(on_sale_months=36), ())


def test_what_no_page_shows_is_said(bundled, opened):
    found = opened("?data=v0.0.1+%2812345678%29")
    assert found.question.evidence.revision == ""
    (note,) = found.notes
    assert "v0.0.1 (12345678)" in note
    assert "the newest is shown" in note
    requirements = Question.of(suite="medhelm", cohort="elsewhere")
    with pytest.raises(BadRequestError, match="No page shows medhelm for the cohort elsewhere"):
        to_query(requirements, bundled.catalogue, "v4.0.0 (12345678)")
    assert shortlist_link(ask(bundled, requirements, TODAY)) == ""


def test_a_link_over_all_evidence_says_that_it_has_changed_since(opened):
    (note,) = opened("?evidence=All+evidence&data=all+%28deadbeef%29").notes
    assert note.startswith("Its evidence has changed since")


def test_a_link_over_all_evidence_says_so_and_reads_back(bundled, opened):
    required = ("baa", "trains_on_customer_data_by_default")
    asked = Question.of(
        suite="", task="documentation", required=required, platforms=("AWS Bedrock",)
    )
    link = shortlist_link(ask(bundled, asked, TODAY), PAGE)
    assert parse_url(link)["evidence"] == ["All evidence"]
    assert parse_url(link)["data"] == [label_of_all(bundled.snapshots)]
    found = opened(link)
    assert (found.question, found.notes) == (
        asked.having(prices_on=TODAY.isoformat()),
        (),
    )


def test_a_link_from_before_without_evidence_or_conditions_keeps_its_meaning(opened):
    found = opened("?task=Documentation").question
    assert (found.evidence.suite, found.conditions.required, found.work.task) == (
        "medhelm",
        (),
        "documentation",
    )


def test_own_weights_over_all_evidence_fall_to_one_suite_with_a_note(opened):
    found = opened("?evidence=All+evidence&task=Own+weights&category=Clinical+Note+Generation")
    assert found.question.evidence.suite == "medhelm"
    assert found.notes == ("Own weights are of one suite: MedHELM is used.",)


LONG = "A" * 10_000
HTML = '<script>alert("x")</script><img src=x onerror=alert(1)>'
CATEGORY = "Clinical Note Generation"


WHOLE = ("requests", "tokens_in", "tokens_out", "tokens_reasoning")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(
            (key, value)
            for value in ("some/unknown-model", LONG, HTML, "\x00", "\x1b[2J", "’ OR 1=1")
            for key in (
                *("evidence", "data", "protocol", "task", "access", "max_params"),
                *("gpu", "sale", "sale_on", "prices"),
            )
        ),
        *(("sale", f"{n} months") for n in ("61", "0", "-3")),
        *(("sale", words) for words in ("1 months", "6.5", "none")),
        *(
            (key, value)
            for key in (*WHOLE, "max_params", "budget", "margin", "weight")
            for value in (
                *("many", "nan", "inf", "-inf", "1e999", "-1", "1,000", "0x10", LONG, "9" * 10_000),
                *(HTML, "\x00"),
            )
        ),
        *((key, "1.5") for key in WHOLE),  # a fraction of a request or token
    ],
)
def test_a_value_that_is_not_usable_gives_the_default_and_one_note(opened, key, value):
    of, expected = {
        "evidence": ([], Question.of(suite="")),
        "protocol": ([("evidence", "BRIDGE")], Question.of(suite="bridge")),
        "weight": (
            [("task", "Own weights"), ("category", CATEGORY)],
            Question.of(task="own", weights=((CATEGORY, 1.0),)),
        ),
    }.get(key, ([], Question()))
    found = opened(to_url(PAGE, [*of, (weight_key(CATEGORY) if key == "weight" else key, value)]))
    assert found.question == expected
    (note,) = found.notes
    assert len(note) <= 200
    assert note.isprintable()


@pytest.mark.parametrize(
    "url",
    [
        *("", PAGE, "?", "#", f"{PAGE}#access=Our+own+servers+only"),
        "?model=some/unknown-model&foo=bar&__proto__=1",  # nothing that the question has
        "?task=&evidence=&protocol=&access=&max_params=&budget=&data=&margin=",
        "?category=Clinical+Note+Generation&w_clinical_note_generation=many",
        "?max_params=No+limit",
        "?sale=&sale_on=&gpu=&tokens_reasoning=",
        "?sale=6+months&gpu=The+cheapest+that+holds+the+model",
        f"?{'&' * 10_000}",
        "?%zz%",
    ],
)
def test_empty_and_foreign_parameters_are_passed_over(opened, url):
    found = opened(url)
    assert (found.question, found.notes) == (Question(), ())


def test_of_repeated_keys_the_last_counts_and_many_make_one_note(opened):
    assert opened("?budget=1&budget=2").question.limits.monthly_budget_usd == 2
    found = opened("?access=Anywhere&access=nowhere")
    assert (found.question.access, len(found.notes)) == ("any", 1)
    query = [("task", "Own weights"), *(("category", f"c{i}") for i in range(1000))]
    found = opened(to_url(PAGE, [*query, ("category", CATEGORY), ("category", CATEGORY)]))
    assert found.question.work.weights == ((CATEGORY, 1.0),)
    (note,) = found.notes
    assert "“c0”" in note
    assert " 999 " in note
    assert len(note) <= 200


def test_chosen_models_keep_their_order_without_repeats_or_strangers(
    opened,
):
    query = [("only", m) for m in ("b/two", "a/one", "b/two", "", "x" * 151, "tab\there", "c")]
    found = opened(to_url(PAGE, query))
    assert found.question.limits.only == ("b/two", "a/one", "c")
    (note,) = found.notes
    assert "“xxx" in note
    many = opened(to_url(PAGE, [("only", f"m{i}") for i in range(300)]))
    assert len(many.question.limits.only) == 200
    assert many.notes == ("Only these models: only the first 200 of this link are used.",)


@pytest.mark.slow
@pytest.mark.parametrize(
    "url",
    [
        f"?evidence={HTML}&task={HTML}&budget=nan&max_params=1e999&margin={LONG}",
        "?evidence=%00&data=%00&task=%00&requests=0&tokens_in=-5",
        "?task=Own+weights&category=x",
        "?evidence=BenchHealth&protocol=Step+by+step&task=Patient+messages",
        LONG,
    ],
)
def test_a_hostile_link_still_comes_to_an_answer(bundled, opened, url):
    asked = ask(bundled, opened(url).question, TODAY)
    answered = recommend.shortlist if asked.question.evidence.suite else market.market
    answered(asked)


def test_a_link_that_fits_is_left_as_it_is():
    exact = f"{PAGE}?only={'x' * (LONGEST_LINK - len(PAGE) - 6)}"
    assert len(exact) == LONGEST_LINK
    assert (bounded(exact).url, bounded(exact).left_out, bounded(exact).note) == (exact, (), "")
    assert bounded(f"{exact}x").left_out == ("only",)
    for page in ("", PAGE):
        assert bounded(page).url == page
        assert bounded(f"{page}?a=1", {"b": ["2", "3"]}).url == f"{page}?a=1&b=2&b=3"


def test_what_does_not_fit_goes_whole_longest_first_and_is_said_twice(opened):
    """By hand: 200 models of 148 characters are 31 kB, 60 of 9 CJK letters (81 each) 5.3 kB."""
    models = [("only", f"lab/{i:03}{'m' * 140}") for i in range(200)]
    compared = [("compare", "\u6f22" * 9) for _ in range(60)]
    made = bounded(to_url(PAGE, [("margin", "1.5"), *models, *compared]))
    assert made.left_out == ("only",)
    assert len(made.url) <= LONGEST_LINK
    assert made.note.endswith("this one leaves out: the models to choose among.")
    found = opened(made.url)
    assert found.notes == (made.note,)
    assert (found.question.margin, found.question.limits.only) == (0.015, ())
    assert len(parse_url(made.url)["compare"]) == 60


@given(st.lists(st.tuples(st.sampled_from(["only", "compare", "own_price"]), st.text())))
@example([("only", "\u6f22" * 3_000)])
@example([("only", "x"), ("compare", "\u6f22" * 1_000)])
def test_no_link_is_longer_than_the_limit(query):
    for page in (PAGE, "x" * 20_000):
        made = bounded(to_url(page, query))
        assert len(made.url) <= LONGEST_LINK
        kept = parse_url(to_url(PAGE, query))
        told = kept.keys() - parse_url(made.url).keys()
        assert told == set(made.left_out)


def test_what_a_link_left_out_is_said_in_our_own_words(opened):
    query = [("left_out", "only,<b>evil</b>,https://evil.example")]
    (note,) = opened(to_url(PAGE, query)).notes
    assert note.endswith("leaves out: the models to choose among.")
    assert opened(to_url(PAGE, [("left_out", "evil")])).notes == ()


def test_every_control_bound_to_the_address_has_its_key_in_the_list():
    """Read from the program text, so that a control that a test never draws is found as well."""
    found = set()
    for path in (Path(link.__file__).parents[2] / "pages").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            named = {k.arg: k.value for k in node.keywords}
            drawn_by = ast.unparse(node.func).split(".")[-1]
            if "bind" not in named and drawn_by not in ("choice", "picked"):
                continue
            if None in named:  # hands on what its caller names
                continue
            if isinstance(named["key"], ast.Constant):
                found.add(named["key"].value)
    assert {"compare", "in_use", "proof", "hosted", "evidence"} < found
    assert not {k for k in found if k not in link.QUESTION and not link.of_a_page(k)}
    assert not {*link.QUESTION, *BY_KEY} & set(link.PAGES)
    assert link.of_a_page("about-the-numbers")
    assert not link.of_a_page("about-<b>")


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("gates=x", "conditions: “x” is not known, so it does not count."),
        ("gates=x&gates=y", "conditions: “x” is not known (and 1 more), so they do not count."),
        ("gpu=x", "servers: “x” is not known; in its place “The cheapest that holds the model”."),
    ],
)
def test_a_note_of_a_link_is_a_sentence(opened, query, says):
    (note,) = opened(f"?{query}").notes
    assert note.endswith(says)


def test_a_language_without_tests_is_one_sentence(opened):
    for language, says in (
        ("Klingon", "Language of the work: “Klingon” is not known; in its place “All languages”."),
        ("Spanish", "MedHELM has no test in Spanish; all languages are used."),
    ):
        found = opened(f"?language={language}")
        assert (found.question.work.language, found.notes) == ("", (says,))


(MEDHELM,) = EMPTY.snapshots


@pytest.fixture
def written(bundled):
    def write(found=EMPTY, decided=NOTHING, **other):
        given = {
            "link": "https://a.example/?data=r1&budget=5",
            "made_on": TODAY,
            "prices_on": TODAY,
            "catalogue": bundled.catalogue,
            "fingerprint": "cd" * 32,
            "versions": {"numpy": "2.4.6", "app": "1"},
        }
        return make_receipt(replace(decided, shortlist=found), **(given | other))

    return write


def test_the_number_by_hand(written):
    """The canonical text written out: keys by name, no blanks, and no address or day of making."""
    canonical = (
        '{"catalogue":"' + "cd" * 32 + '","decided":["shortlist",null,null,null,'
        '[],[],[],[],[]],"left_out":[],'
        '"prices_on":"2026-11-21","question":[["budget","5"],["data","r1"]],'
        '"rows":"' + hashlib.sha256(b"[]").hexdigest() + '",'
        '"snapshots":[["medhelm","r1","' + "ab" * 32 + '",""]],'
        '"versions":[["app","1"],["numpy","2.4.6"]]}'
    )
    made = written()
    assert made.number == hashlib.sha256(canonical.encode()).hexdigest()[:12]
    assert made.in_groups().replace(" ", "") == made.number
    assert dict(made.lines())["Number"] == made.in_groups()


def test_the_fingerprint_of_a_row_by_hand(bundled):
    """Model, rank, band, score with its interval, benchmarks and cost; figures of nine digits."""
    row = recommend.shortlist(ask(bundled, Question(), TODAY)).rows[0]
    row = replace(row, score=2 / 3, ci_low=0.6, ci_high=None, rank=1, rank_band=(1, 2))
    told = f'[["{row.model.id}",1,[1,2],"0.666666667","0.6",null,{row.n_benchmarks},%s]]'
    for cost, figure in ((None, "null"), (1000 / 3, '"333.333333"')):
        for ends in ((None, cost), (cost, None)):
            one = replace(row, cost=replace(row.cost, low=ends[0], likely=ends[1]))
            assert rows_fingerprint([one]) == hashlib.sha256((told % figure).encode()).hexdigest()
    assert rows_fingerprint([row, row]) != rows_fingerprint([row])


def test_another_answer_gives_another_number(bundled, written):
    """How strong it is, what is taken, what leads, each list and each tier."""
    asked = Question.of(on_sale_on="2026-01-31")
    decided = recommend.recommendation(ask(bundled, asked, TODAY))
    one = decided.choice.take
    judged = decided.choice.judged[one]
    lists = ("choose", "test_these", "as_good", "worth_testing")
    chosen = [
        {},
        *({name: one} for name in ("take", "leader", "step_down")),
        *({"strength": strength} for strength in ("take", "choose", "keep")),
        *({name: (one,)} for name in lists),
        *(
            {"judged": {one: replace(judged, tier=tier)}}
            for tier in ("shown", "likely", "open", "worse")
        ),
    ]
    answers_ = [
        replace(NOTHING, choice=replace(NOTHING.choice, **fields), dossiers=decided.dossiers)
        for fields in chosen
    ]
    assert len({written(decided=each).number for each in answers_}) == len(answers_) == 15


def test_address_day_and_order_do_not_matter_and_everything_else_does(written):
    made = written()
    for same in (
        *({"link": "https://b.example:1/x/?budget=5&data=r1"}, {"link": "?data=r1&budget=5"}),
        {"versions": {"app": "1", "numpy": "2.4.6"}},
    ):
        assert written(**same).number == made.number
    later = written(made_on=date(2027, 1, 1))
    assert (later.number, later.made_on) == (made.number, "2027-01-01")
    others = [
        *({"link": "?data=r1&budget=6"}, {"link": "?data=r1"}, {"fingerprint": "ce" * 32}),
        {"prices_on": date(2026, 11, 20)},
        {"versions": {"numpy": "2.4.7", "app": "1"}},
        {"found": replace(EMPTY, snapshots=(replace(MEDHELM, sha256="ac" * 32),))},
        {"found": replace(EMPTY, snapshots=(replace(MEDHELM, facts_sha256="ac" * 32),))},
    ]
    assert len({made.number, *(written(**other).number for other in others)}) == 8


R1, BEDROCK, ON = "DeepSeek R1", "AWS Bedrock", "2026-11-01"
OTHER = {
    "suite": ("bridge", "BRIDGE"),
    "cohort": ("other", None),
    "protocol": ("few-shot", "With a few examples"),
    "include_flagged": (True, "yes"),
    "task": ("own", None),
    "weights": ((("Clinical Note Generation", 1.0),), None),
    "language": ("English", "English"),
    "access": ("own", "Our own servers only"),
    "max_params_b": (33.0, "33 B parameters"),
    "monthly_budget_usd": (1234.5, "$1,234.50 a month"),
    "requests_per_month": (20000, "20,000"),
    "input_tokens_per_request": (1500, "1,500"),
    "output_tokens_per_request": (250, "250"),
    "reasoning_tokens_per_request": (1700, "1,700 tokens"),
    "gpu": ("L40S", "L40S"),
    "margin": (0.035, "3.5 points out of 100"),
    "only": (("GPT-5 (2025-08-07)",), "GPT-5 (2025-08-07)"),
    "overlap_once": (True, "yes, they share one vote"),
    "volumes": ((("portal-messages", 2500.0),), "Portal messages answered: 2,500 a month"),
    "own_tokens": (
        (OwnTokens("portal-messages", 900.0),),
        "Portal messages answered: 900 read, as in MedHELM written",
    ),
    "platforms": (("AWS Bedrock", "OpenAI API"), "AWS Bedrock; OpenAI API"),
    "required": (("baa",), None),
    "max_retention_days": (30, "30 days"),
    "min_context_tokens": (32000, "32,000 tokens"),
    "own_answers": ((ConditionAnswer(BEDROCK, "baa", "yes", "signed", "", ON, None, "own"),), None),
    "own_sales": (
        (OwnSale(R1, BEDROCK, "2027-03-30", ON, "letter"),),
        "DeepSeek R1 at AWS Bedrock: sold until 30 March 2027 (letter, 1 November 2026)",
    ),
    "own_prices": (
        (OwnPrice(R1, 0.1, 0.3, ON, "offer 17"),),
        "DeepSeek R1: $0.1 read and $0.3 written per million tokens (offer 17, 1 November 2026)",
    ),
    "own_rents": (
        (OwnRent("L4", 0.5, ON, "offer 8"),),
        "L4: $0.5 an hour (offer 8, 1 November 2026)",
    ),
    "gpus_owned": (2, "not used: no kind of GPU is chosen"),
    "bits": (4, "4 bits"),
    "context_tokens": (16_000, "16,000"),
    "concurrent": (3, "3"),
    "utilisation": (0.5, "50 %, on average over day and night"),
    "spares": (1, "1"),
    "cached_share": (0.25, "25 %"),
    "on_sale_months": (12, "12 months"),
    "on_sale_on": ("2026-01-31", "2026-01-31"),
}
"""Another value of each field, and the words for it where they are held here."""


@pytest.mark.parametrize("written_as", ["H100 80GB", "H100 80 GB", "h100-80gb"])
def test_a_rent_names_its_gpu_however_it_is_spelt(bundled, written_as):
    read = OWN_RENT.read(f"{written_as};2.5;2026-11-01;offer 8", bundled.catalogue)
    assert read == OwnRent("H100 80GB", 2.5, "2026-11-01", "offer 8")


def test_every_requirement_is_an_assumption(written):
    made = written().assumptions
    assert len(made) == len({it.label for it in made}) == len(FIELDS)
    fixed = {"revision": "fixed by the link", "prices_on": "fixed by the link"}
    assert [it.basis for it in made] == [fixed.get(name, "default") for name in FIELDS]
    assert all(it.value for it in made)
    # No field was forgotten here.
    assert set(OTHER) | set(fixed) == set(FIELDS)


@pytest.mark.parametrize("name", OTHER)
def test_what_the_buyer_sets_says_so_in_words(written, name):
    value, said = OTHER[name]
    asked = Question.of(**{name: value})
    set_one = written(replace(EMPTY, question=asked))
    before = dict(zip(FIELDS, written().assumptions, strict=True))
    after = dict(zip(FIELDS, set_one.assumptions, strict=True))
    assert after[name].basis == "set by you"
    if name != "weights":  # the weights are those that were used, which this shortlist lacks
        assert after[name].value != before[name].value
    assert said in (None, after[name].value)
    assert {n for n in FIELDS if after[n].basis != before[n].basis} == {name}


@pytest.mark.parametrize("pinned", [False, True])
def test_whoever_opens_the_link_gets_the_same_receipt(bundled, pinned):
    """Opened elsewhere and later: only the day on which it was written differs."""
    asked = Question.of(
        suite="bridge",
        revision=bundled.snapshot("bridge").revision if pinned else "",
        max_params_b=33.0,
        volumes=(("portal-messages", 2500.0),),
        required=("baa",),
    )
    made = documents.receipt(
        ask(bundled, asked, TODAY), made_on=TODAY, address="https://a.example/?x=1"
    )
    opened = from_query(parse_url(made.link), bundled.catalogue, bundled.snapshots).question
    later = {"made_on": date(2026, 12, 24), "address": "http://localhost:8501/"}
    prices_on = data_answers.day_of_prices(opened, later["made_on"])
    again = documents.receipt(ask(bundled, opened, prices_on), **later)
    assert made.link.startswith("https://a.example/?evidence=BRIDGE")
    assert (again.number, again.assumptions) == (made.number, made.assumptions)
    assert (again.prices_on, again.made_on) == ("2026-11-21", "2026-12-24")


def test_another_curated_table_is_another_receipt(data, bundled_snapshot):
    bundled_snapshot("medhelm")
    before = documents.receipt(ask(open_store(data), Question(), TODAY), made_on=TODAY)
    path = data / "catalogue" / "conditions.csv"
    path.write_bytes(path.read_bytes().replace(b"yes", b"no", 1))
    after = documents.receipt(ask(open_store(data), Question(), TODAY), made_on=TODAY)
    assert after.number != before.number

"""The receipt: one number for one question on one evidence, whoever asks, wherever and whenever."""

import hashlib
from dataclasses import fields, replace
from datetime import date

import pytest

from core.answers import data as data_answers
from core.answers import documents, recommend
from core.domain import GateAnswer, OwnPrice, OwnRent, OwnSale, OwnTokens, Requirements
from core.evidence.store import open_store
from core.sharing.link import from_query, parse_url, receipt, rows_fingerprint
from tests.sharing.conftest import EMPTY

DAY = date(2026, 11, 21)
(MEDHELM,) = EMPTY.snapshots


@pytest.fixture
def written(bundled, nothing):
    def write(found=EMPTY, decided=nothing, **other):
        given = {
            "link": "https://a.example/?data=r1&budget=5",
            "made_on": DAY,
            "prices_on": DAY,
            "catalogue": bundled.catalogue,
            "fingerprint": "cd" * 32,
            "versions": {"numpy": "2.4.6", "app": "1"},
        }
        return receipt(replace(decided, shortlist=found), **(given | other))

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
    row = recommend.shortlist(bundled, Requirements(), DAY).rows[0]
    row = replace(row, score=2 / 3, ci_low=0.6, ci_high=None, rank=1, rank_band=(1, 2))
    told = f'[["{row.model.id}",1,[1,2],"0.666666667","0.6",null,{row.n_benchmarks},%s]]'
    for cost, figure in ((None, "null"), (1000 / 3, '"333.333333"')):
        for ends in ((None, cost), (cost, None)):
            one = replace(row, cost=replace(row.cost, low=ends[0], likely=ends[1]))
            assert rows_fingerprint([one]) == hashlib.sha256((told % figure).encode()).hexdigest()
    assert rows_fingerprint([row, row]) != rows_fingerprint([row])


def test_another_answer_gives_another_number(bundled, written, nothing):
    """How strong it is, what is taken, what leads, each list and each tier."""
    asked = Requirements(on_sale_on="2026-01-31")
    decided = recommend.recommendation(bundled, asked, DAY)
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
        replace(nothing, choice=replace(nothing.choice, **fields), dossiers=decided.dossiers)
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
    "gates": (("baa",), None),
    "max_retention_days": (30, "30 days"),
    "min_context_tokens": (32000, "32,000 tokens"),
    "own_answers": ((GateAnswer(BEDROCK, "baa", "yes", "signed", "", ON, None, "own"),), None),
    "own_sales": (
        (OwnSale(R1, BEDROCK, "2027-03-30", ON, "letter"),),
        "DeepSeek R1 at AWS Bedrock: on sale until 2027-03-30 (letter, 2026-11-01)",
    ),
    "own_prices": (
        (OwnPrice(R1, 0.1, 0.3, ON, "offer 17"),),
        "DeepSeek R1: $0.1 read and $0.3 written per million tokens (offer 17, 2026-11-01)",
    ),
    "own_rents": ((OwnRent("L4", 0.5, ON, "offer 8"),), "L4: $0.5 an hour (offer 8, 2026-11-01)"),
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
FIELDS = [field.name for field in fields(Requirements)]


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
    asked = replace(Requirements(), **{name: value})
    set_one = written(replace(EMPTY, requirements=asked))
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
    asked = Requirements(
        suite="bridge",
        revision=bundled.snapshot("bridge").revision if pinned else "",
        max_params_b=33.0,
        volumes=(("portal-messages", 2500.0),),
        gates=("baa",),
    )
    made = documents.receipt(bundled, asked, DAY, made_on=DAY, address="https://a.example/?x=1")
    opened = from_query(parse_url(made.link), bundled.catalogue, bundled.snapshots).requirements
    later = {"made_on": date(2026, 12, 24), "address": "http://localhost:8501/"}
    prices_on = data_answers.day_of_prices(opened, later["made_on"])
    again = documents.receipt(bundled, opened, prices_on, **later)
    assert made.link.startswith("https://a.example/?evidence=BRIDGE")
    assert (again.number, again.assumptions) == (made.number, made.assumptions)
    assert (again.prices_on, again.made_on) == ("2026-11-21", "2026-12-24")


def test_another_curated_table_is_another_receipt(data, bundled_snapshot):
    bundled_snapshot("medhelm")
    before = documents.receipt(open_store(data), Requirements(), DAY, made_on=DAY)
    path = data / "catalogue" / "gates.csv"
    path.write_bytes(path.read_bytes().replace(b"yes", b"no", 1))
    after = documents.receipt(open_store(data), Requirements(), DAY, made_on=DAY)
    assert after.number != before.number

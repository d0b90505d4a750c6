"""The tab Own servers: its figures, and what it does not know."""

import pytest
from reading import number, said, table, tables

PAGE = "cost/own_servers"
LLAMA = "Llama 3.3 Instruct (70B)"
LOADED = {"hosted": LLAMA, "load": "80", "gpu": "H100 80GB", "sale": "Not asked"}
BAA = {"gates": "Business associate agreement"}


def parts(at):
    return table(at, "Likely").set_index("What")


def test_where_throughput_is_published_the_page_says_when_own_servers_pay(visit):
    # At the cheapest provider, $11.86 for 10,000 requests, two H100 could never be filled; at the
    # cheapest that signs a business associate agreement a request costs 3.7 times as much.
    serves = number(r"one set of GPUs serves about ([\d,]+)", visit(PAGE, **LOADED))
    at = visit(PAGE, **LOADED, **BAA)
    # 8,078 tokens in and 239 out: closest by far is 5,000 / 500.
    measured = parts(at).loc["One set serves", "Basis"]
    assert "5,000 tokens in and 500 out; scaled to 8,077 in and 239 out" in measured
    # 70.554 GB of weights at 8 bits; the cache of 8 x 8,192 tokens at 327,680 bytes; 20 % more.
    assert number(r"needs about (\d+) GB: (\d) × H100 80GB, about \$([\d,]+) a", at) == [
        *(110, 2, 5830),
    ]
    least = number(r"cost less only from about ([\d,]+) requests", at)
    assert 10_000 < least[0] < serves[0]
    full = parts(at)
    assert full["Likely"][["Memory", "H100 80GB"]].to_list() == [110, 2]
    hour = full.loc["Rent of one GPU", "Likely"]
    assert full.loc["Rent, one set", "Likely"] == pytest.approx(2 * hour * 730, abs=1)
    bills = table(at, "Bill")
    assert bills["Bill"].is_monotonic_increasing
    assert len(bills) > 1
    # Twice the utilisation serves twice as much; the memory stays.
    at.number_input(key="load").set_value(40.0).run()
    half = parts(at)
    set_of = "One set serves"
    assert half.loc[set_of, "Likely"] == pytest.approx(full.loc[set_of, "Likely"] / 2, abs=1)
    assert half.loc["Memory", "Likely"] == 110


def test_an_unpublished_throughput_is_not_made_up(visit):
    at = visit(PAGE, evidence="MedHELM", hosted="DeepSeek R1")
    # Five MI300X at the lowest rent of $1.50, 5 x 1.5 x 730 = $5,475, over $0.032118 a request.
    assert number(r"Below about ([\d,]+) requests a month the token is cheaper", at) == [170_000]
    assert number(r"own servers cost at least about \$([\d,]+)", at) == [5_480]
    for row in ("One set serves", "Rent for 10,000 requests"):
        assert parts(at).loc[row, ["Low", "Likely", "High"]].isna().all()
    at = visit(PAGE, hosted="DeepSeek R1", requests="5000000")
    assert "whether one set of GPUs serves 5,000,000 requests" in said(at)


def test_without_a_price_the_vendor_is_asked(visit):
    ask = "no public price: ask the vendor"
    at = visit(PAGE, evidence="Open Medical-LLM")
    assert list(table(at, "Bill")["Basis"]) == [ask]
    cache = parts(at).loc["Cache"]
    assert cache["Low"] < cache["Likely"] < cache["High"]
    assert "estimate" in cache["Basis"]
    at = visit(PAGE, gpu="RTX 6000 Ada")
    assert not at.error
    assert parts(at).loc["Rent of one GPU", "Basis"] == ask
    assert "Rent, one set" not in parts(at).index


def test_where_own_servers_are_asked_for_no_list_shows_a_price_per_token(visit):
    own = {"access": "Our own servers only", "hosted": LLAMA}
    at = visit(PAGE, **own)
    assert not tables(at, "Bill")
    assert parts(at).loc["Rent, one set", "Likely"] > 1000
    at = visit("cost/quality", **own, cost="Price per million tokens")
    assert at.selectbox(key="cost").value == "Your monthly bill"
    assert "“Price per million tokens” is not known here" in at.warning[0].value
    assert at.dataframe[0].value["Basis"].str.contains("rent of").all()


def test_without_a_model_that_can_be_hosted_the_page_says_what_each_lacks(exams, visit):
    exams(0.3, 0.4)
    at = visit(PAGE, evidence="Open Medical-LLM")
    assert len(at.info) == 1
    assert len(table(at, "What is missing")) == 2

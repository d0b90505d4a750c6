"""The tab Own servers: its figures, and what it does not know."""

from reading import number, said

PAGE = "cost/own_servers"
LLAMA = "Llama 3.3 Instruct (70B)"
LOADED = {"hosted": LLAMA, "load": "80", "gpu": "H100 80GB", "sale": "Not asked"}
BAA = {"gates": "Business associate agreement (BAA)"}


def test_where_throughput_is_published_the_page_says_when_own_servers_pay(visit):
    # At the cheapest provider, $11.86 for 10,000 requests, two H100 could never be filled; at the
    # cheapest that signs a business associate agreement a request costs 3.7 times as much.
    serves = number(r"one set of GPUs serves about ([\d,]+)", visit(PAGE, **LOADED))
    at = visit(PAGE, **LOADED, **BAA)
    # 8,078 tokens in and 239 out: closest by far is 5,000 / 500.
    assert "5,000 tokens in and 500 out; scaled to 8,077 in and 239 out" in said(at)
    # 70.554 GB of weights at 8 bits; the cache of 8 x 8,192 tokens at 327,680 bytes; 20 % more.
    assert number(r"needs about (\d+) GB: (\d) × H100 80GB, about \$([\d,]+) a", at) == [
        *(110, 2, 5830),
    ]
    least = number(r"cost less only from about ([\d,]+) requests", at)
    assert 10_000 < least[0] < serves[0]


def test_without_a_model_that_can_be_hosted_the_page_says_what_they_lack(exams, visit):
    exams(0.3, 0.4)
    at = visit(PAGE, evidence="Open Medical-LLM")
    assert len(at.info) == 1

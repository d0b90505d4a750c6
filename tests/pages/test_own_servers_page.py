"""The page on own servers in this process: its answers in words, and what it does not know."""

import pytest

PAGE = "cost/own_servers"
EXAMS = {"evidence": "Open Medical-LLM"}
BENCHMARKS = (
    *("medmcqa", "medqa", "mmlu_anatomy", "mmlu_clinical_knowledge", "mmlu_college_biology"),
    *("mmlu_college_medicine", "mmlu_medical_genetics", "mmlu_professional_medicine", "pubmedqa"),
)
LLAMA = "Llama 3.3 Instruct (70B)"


def text(at):
    marks = [*at.markdown, *at.caption]
    return "\n".join(f"{mark.value} {mark.proto.help}" for mark in marks).replace("\\", "")


def table(at, column):
    return next(frame.value for frame in at.dataframe if column in frame.value)


def test_where_throughput_is_published_the_page_says_when_own_servers_pay(visit):
    # At the cheapest provider, $11.86 for 10,000 requests, two H100 could never be filled.
    at = visit(PAGE, hosted=LLAMA, load="80", gpu="H100 80GB")
    assert "At 80 % utilisation own servers never cost less at the likely rent" in text(at)
    # At the cheapest that signs a business associate agreement a request costs 3.7 times as much.
    dear = {"gates": "Business associate agreement"}
    at = visit(PAGE, hosted=LLAMA, load="80", gpu="H100 80GB", **dear)
    said = text(at)
    assert "GPU: H100 80GB, as you chose." in said
    # 8,078 tokens in and 239 out: closest by far is 5,000 / 500.
    assert "with 5,000 tokens in and 500 out; scaled to 8,077 in and 239 out" in said
    # 70.554 GB of weights at 8 bits; the cache of 8 x 8,192 tokens at 327,680 bytes; 20 % more.
    assert "needs about 110 GB: 2 × H100 80GB, about $5,830 a month" in said
    assert "Own servers do not pay: at 10,000 requests a month, own servers cost about $5,8" in said
    assert "Own servers cost less only from about" in said
    parts = table(at, "Likely").set_index("What")
    assert parts.loc["Memory", "Likely"] == 110
    assert parts.loc["H100 80GB", "Likely"] == 2
    hour = parts.loc["Rent of one GPU", "Likely"]
    assert parts.loc["Rent, one set", "Likely"] == pytest.approx(2 * hour * 730, abs=1)
    bills = table(at, "Bill")
    assert bills["Bill"].is_monotonic_increasing
    assert len(bills) > 1
    # Twice the utilisation serves twice as much; the memory stays.
    at.number_input(key="load").set_value(40.0).run()
    half = table(at, "Likely").set_index("What")
    served = "One set serves"
    assert half.loc[served, "Likely"] == pytest.approx(parts.loc[served, "Likely"] / 2, abs=1)
    assert half.loc["Memory", "Likely"] == 110
    at.number_input(key="load").set_value(10.0).run()
    assert "At 10 % utilisation own servers never cost less" in text(at)


def test_an_unpublished_throughput_is_not_made_up(visit):
    at = visit(PAGE, hosted="DeepSeek R1")
    said = text(at)
    # Five MI300X at the lowest rent of $1.50, 5 x 1.5 x 730 = $5,475, over $0.016988 a request.
    assert "GPU: MI300X, the cheapest that holds the model." in said
    assert "Below about 322,000 requests a month the token is cheaper for certain" in said
    assert "888 of the written tokens are hidden reasoning: measured on medical questions" in said
    assert "Whether own servers ever cost less cannot be said." in said
    parts = table(at, "Likely").set_index("What")
    for row in ("One set serves", "Rent for 10,000 requests"):
        assert parts.loc[row, ["Low", "Likely", "High"]].isna().all()
    assert len(at.main.get("vega_lite_chart")) == 1  # nothing by utilisation
    at = visit(PAGE, hosted="DeepSeek R1", requests="5000000")
    assert "whether one set of GPUs serves 5,000,000 requests" in text(at)


def test_without_a_price_the_vendor_is_asked(visit):
    at = visit(PAGE, **EXAMS)
    said = text(at)
    assert "no public price: ask the vendor" in said
    assert list(table(at, "Bill")["Basis"]) == ["no public price: ask the vendor"]
    parts = table(at, "Likely").set_index("What")
    assert parts.loc["Cache", "Low"] < parts.loc["Cache", "Likely"] < parts.loc["Cache", "High"]
    assert "estimate" in parts.loc["Cache", "Basis"]
    at = visit(PAGE, gpu="RTX 6000 Ada")
    assert "No on-demand price of RTX 6000 Ada is known. It is not free" in text(at)
    assert not at.error
    parts = table(at, "Likely").set_index("What")
    assert parts.loc["Rent of one GPU", "Basis"] == "no public price: ask the vendor"
    assert "Rent, one set" not in parts.index


def test_where_own_servers_are_asked_for_no_list_shows_a_price_per_token(visit):
    own = {"access": "Our own servers only", "hosted": LLAMA}
    at = visit(PAGE, **own)
    assert not any("Bill" in frame.value for frame in at.dataframe)
    assert table(at, "Likely").set_index("What").loc["Rent, one set", "Likely"] > 1000
    at = visit("cost/quality", **own, cost="Price per million tokens")
    assert at.selectbox(key="cost").value == "Your monthly bill"
    assert "Price per million tokens" not in at.selectbox(key="cost").options
    assert any("Price per million tokens" in note.value for note in at.warning)
    assert at.dataframe[0].value["Basis"].str.contains("rent of").all()


def test_values_of_a_link_that_are_not_known_are_named(visit):
    at = visit(PAGE, hosted="GPT-4o", gpu="Abacus", bits="3 bits", load="nan", context="1e999")
    notes = " ".join(note.value for note in at.warning)
    for part in ("GPT\\-4o", "Abacus", "3 bits"):
        assert part in notes
    assert not at.error
    assert at.selectbox(key="hosted").value == "DeepSeek R1"


@pytest.mark.parametrize("n_models", [1, 2])
def test_without_a_model_that_can_be_hosted_the_page_says_what_each_lacks(
    n_models, data, write_snapshot, visit
):
    records = [(f"m{i}", name, 0.3 + i / 9) for i in range(n_models) for name in BENCHMARKS]
    write_snapshot(data, "open-medical-llm", records)
    at = visit(PAGE, **EXAMS)
    assert not at.error
    assert any("none can be priced on own servers" in note.value for note in at.info)
    assert len(table(at, "What is missing")) == n_models
    assert any("do not replace a local validation" in caption.value for caption in at.caption)

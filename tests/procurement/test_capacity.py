"""Published throughput, what it serves a month, and where own servers pay, worked by hand."""

import re
from collections import defaultdict
from statistics import median

import numpy as np
import pytest
from scipy.optimize import nnls

from core.domain import BadRequestError
from core.procurement.hosting import (
    break_even,
    capacity,
    fitted_rates,
    requests_a_month,
    scaled,
)


@pytest.fixture
def ask(bundled):
    def of(model, **changes):
        setup = {"gpu": "H100 80GB", "gpus": 2, "bits": 8, "input_tokens": 1000}
        return capacity(
            bundled.catalogue.model(model),
            bundled.catalogue.procurement.throughput,
            bundled.catalogue.models,
            **setup | {"output_tokens": 1000} | changes,
        )

    return of


LLAMA = "Llama 3.3 Instruct (70B)"


def test_requests_a_month():
    """0.1 requests/s x 3,600 x 730 x 0.5 = 131,400 requests."""
    assert requests_a_month(0.1, utilisation=0.5) == pytest.approx(131_400)
    assert requests_a_month(0.1, utilisation=0.5, hours=73) == pytest.approx(13_140)


def test_a_measurement_of_the_same_setup(ask):
    found = ask(LLAMA)
    assert found.requests_per_second == pytest.approx(4.205)
    assert found.reason == (
        "Measured at maximum load on 2 x H100 80GB, FP8, with 1,000 tokens in and 1,000 out."
    )
    two = ask(LLAMA, gpus=4)
    assert two.requests_per_second == pytest.approx(8.41)  # two independent copies
    alias = ask("Llama-3.3-70B-Instruct")
    assert alias.requests_per_second == pytest.approx(4.205)  # the same under another name


@pytest.fixture
def published(bundled):
    """All published lengths of each model on each set of GPUs."""
    found = defaultdict(list)
    for row in bundled.catalogue.procurement.throughput:
        found[row.model, row.gpu, row.gpus, row.bits].append(row)
    return found


def test_the_length_of_a_request_changes_what_a_set_serves(ask):
    """The set reads as well as writes: twice the length of both serves less than half as many."""
    short, double = ask(LLAMA), ask(LLAMA, input_tokens=2000, output_tokens=2000)
    assert double.requests_per_second < short.requests_per_second / 2
    # Few tokens written do not make reading free: 762 / 128 = 5.95 requests of 2,048 / 128 are
    # published; at 2,048 / 64 there are more than that, and fewer than twice as many.
    measured = ask(LLAMA, input_tokens=2048, output_tokens=128).requests_per_second
    assert measured == pytest.approx(762 / 128)
    assert measured < ask(LLAMA, input_tokens=2048, output_tokens=64).requests_per_second
    assert ask(LLAMA, input_tokens=2048, output_tokens=64).requests_per_second < 1.2 * measured
    # Closest is 2,048 / 128. To divide its 762 tokens a second by 130 would promise 5.9 requests
    # a second though each reads almost four times as much: 1 / 3.89 of 5.95 at the least, 1.53.
    mine = ask(LLAMA, input_tokens=7974, output_tokens=130)
    assert 762 / 128 / 3.89 / 1.02 < mine.requests_per_second < 762 / 128 / 3
    assert mine.reason.endswith(
        "with 2,048 tokens in and 128 out; scaled to 7,974 in and 130 out by what reading and "
        "writing take, fitted to 6 published lengths."
    )


def test_published_lengths_are_what_was_published(published):
    for rows in published.values():
        for row in rows:
            found = scaled(rows, row, row.input_tokens, row.output_tokens)
            assert found == pytest.approx(row.tokens_per_second / row.output_tokens, rel=1e-9)


def held_out(published, fewest=4):
    """Predict each length from the others of its set: predicted over published requests."""
    for rows in published.values():
        for row in rows:
            others = [other for other in rows if other is not row]
            if len(others) >= fewest:
                near = min(
                    others,
                    key=lambda it: (
                        abs(np.log(it.input_tokens / row.input_tokens))
                        + abs(np.log(it.output_tokens / row.output_tokens))
                    ),
                )
                true = row.tokens_per_second / row.output_tokens
                found = scaled(others, near, row.input_tokens, row.output_tokens)
                yield found / true, near.tokens_per_second / row.output_tokens / true, row


def test_held_out_lengths_are_predicted(published):
    """Each of 54 published lengths from the five others of its set; printed in the methods."""
    found = list(held_out(published))
    ratios = np.array([ratio for ratio, _, _ in found])
    by_output_alone = np.array([old for _, old, _ in found])
    assert len(ratios) == 54
    print(f"held out: median {median(ratios):.2f}, {ratios.min():.2f} to {ratios.max():.2f}")
    assert 0.95 < median(ratios) < 1.10
    assert np.quantile(abs(np.log(ratios)), 0.5) < np.log(1.10)
    assert np.exp(np.sqrt(np.mean(np.log(ratios) ** 2))) < 1.17
    assert (ratios.min(), ratios.max()) == (
        pytest.approx(0.80, abs=0.01),
        pytest.approx(1.67, 0.01),
    )
    # Beyond a quarter too many only requests of 128 / 128, shorter than all others.
    too_many = {(row.input_tokens, row.output_tokens) for r, _, row in found if r > 1.35}
    assert too_many == {(128, 128)}
    # To divide the output rate of the closest length by the output of another was far worse.
    assert by_output_alone.max() > 8


def test_few_lengths_give_the_least_that_they_allow(published):
    """One length of 1,000 in and 1,000 out at 1 request a second.

    Reading twice as much takes at most twice as long; writing 1,000 tokens after 2,000 looks back
    at 1,000 x 2,500 pairs in place of 1,000 x 1,500, and a half as many tokens in and out take at
    most half as long.
    """
    row = next(r for r in published[LLAMA, "H100 80GB", 2, 8] if r.input_tokens == 1000)
    second = row.output_tokens / row.tokens_per_second
    assert scaled([row], row, 2000, 1000) == pytest.approx(1 / second / 2)
    assert scaled([row], row, 500, 500) == pytest.approx(1 / second * 2)
    assert scaled([row], row, 1000, 2000) == pytest.approx(1 / second / (4000 / 1500))
    # No length is promised more than was published for it.
    for rows in published.values():
        for one in rows:
            for other in rows:
                if one.input_tokens <= other.input_tokens:
                    found = scaled([one], one, other.input_tokens, other.output_tokens)
                    published_there = other.tokens_per_second / other.output_tokens
                    assert found < 1.05 * published_there


def test_the_rates_are_the_non_negative_least_squares_ones():
    """scipy's nnls on the same relative errors, and rates that are known by construction."""
    rng = np.random.default_rng(3)
    lengths = rng.uniform(100, 5000, size=(6, 3))
    exact = np.array([2.0, 0.0, 0.5])
    assert fitted_rates(lengths, lengths @ exact) == pytest.approx(exact, abs=1e-9)
    for _ in range(50):
        seconds = rng.uniform(0.1, 10, size=6)
        expected, _ = nnls(lengths / seconds[:, None], np.ones(6))
        assert fitted_rates(lengths, seconds) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(
    ("model", "changes", "reason"),
    [
        (LLAMA, {"gpus": 3}, "Nobody published how fast .* is on 3 x H100 80GB at 8 bits; known"),
        (LLAMA, {"bits": 16}, "on 2 x H100 80GB at 16 bits; known are 2 x H100 80GB at 8 bits"),
        (LLAMA, {"gpu": "L4"}, "on 2 x L4 at 8 bits"),
        (LLAMA, {"input_tokens": 80_100, "output_tokens": 2000}, "far from those that were meas"),
        (LLAMA, {"input_tokens": 500, "output_tokens": 1}, "far from those that were measured"),
        ("DeepSeek R1", {}, "Nobody published how fast DeepSeek R1 is on any GPU"),
    ],
)
def test_what_nobody_measured_is_unknown(ask, model, changes, reason):
    found = ask(model, **changes)
    assert found.requests_per_second is None
    assert re.search(reason, found.reason)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: requests_a_month(1, utilisation=0), "Utilisation must be above 0 .* 1, not 0"),
        (lambda: requests_a_month(1, utilisation=1.1), "Utilisation must be above 0 and at most 1"),
        (lambda: requests_a_month(1, utilisation=np.nan), "Utilisation must be above 0"),
        (lambda: requests_a_month(0, utilisation=1), "Requests per second must be above 0"),
        (lambda: break_even(0, 1, 1), "The price of a request must be above 0, not 0"),
        (lambda: break_even(1, 0, 1), "The cost of a set of GPUs must be above 0, not 0"),
        (lambda: break_even(1, 1, 0), "The capacity must be above 0, not 0"),
        (lambda: break_even(1, np.inf, None), "The cost of a set of GPUs must be above 0, not inf"),
    ],
)
def test_figures_out_of_range_are_refused(call, message):
    with pytest.raises(BadRequestError, match=message):
        call()


def test_requests_without_tokens_are_refused(ask):
    with pytest.raises(BadRequestError, match="Output tokens per request must be above 0, not 0"):
        ask(LLAMA, output_tokens=0)


# Where the price per token and the cost of own servers meet


def test_within_the_capacity_of_one_set():
    """0.01 USD a request and 1,000 USD a set: 100,000 requests. A set serves 250,000, so the
    second set costs as much as 200,000 requests, which is reached before it is needed."""
    found = break_even(0.01, 1_000, 250_000)
    assert found.requests == pytest.approx(100_000)
    assert found.at_least == found.requests
    assert found.for_good == pytest.approx(100_000)
    assert found.reason == "From 100,000 requests a month on, own servers cost no more."


def test_a_further_set_can_make_the_price_per_token_cheaper_again():
    """A set serves 150,000. From 150,000 on two sets cost 2,000 USD, which 200,000 requests pay;
    from 300,000 on three cost 3,000, which 300,000 pay. So from 200,000 on it is for good."""
    found = break_even(0.01, 1_000, 150_000)
    assert (found.requests, found.for_good) == (pytest.approx(100_000), pytest.approx(200_000))
    assert found.reason.endswith("can make the price per token cheaper for a while.")
    volumes = np.linspace(0, 2_000_000, 201)
    own_usd = np.ceil(volumes / 150_000).clip(min=1) * 1_000
    dearer = volumes[own_usd > volumes * 0.01 + 1e-9]
    assert dearer.max() < 200_000
    assert ((dearer > 150_000) & (dearer < 200_000)).any()


def test_never_where_a_full_set_costs_more_than_its_requests():
    found = break_even(0.01, 1_000, 99_999)
    assert (found.requests, found.for_good) == (None, None)
    assert found.reason == (
        "Never: one set of GPUs serves 99,999 requests a month, and it would take 100,000 to pay "
        "for it."
    )
    exactly = break_even(0.01, 1_000, 100_000)
    assert (exactly.requests, exactly.for_good) == (100_000, None)


def test_an_unknown_capacity_gives_no_volume_but_a_bound():
    found = break_even(0.01, 1_000, None)
    assert (found.requests, found.for_good) == (None, None)
    assert found.at_least == pytest.approx(100_000)
    assert "not known" in found.reason

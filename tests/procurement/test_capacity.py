"""Published throughput and what a token costs by it, worked by hand."""

import re

import pytest

from core.domain import BadRequestError
from core.procurement.capacity import (
    capacity,
    load_share,
    requests_a_month,
    usd_per_million,
    utilisation_effect,
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


def test_cost_per_million_of_two_h100_at_full_load_and_at_a_tenth():
    """6.88 x 2 / (4,205 x 3,600) x 10^6 = 0.9090 USD; at a tenth of the load ten times as much."""
    assert usd_per_million(6.88, 2, 4205, 1.0) == pytest.approx(0.91, abs=0.005)
    assert usd_per_million(6.88, 2, 4205, 0.1) == pytest.approx(9.09, abs=0.005)


def test_the_effect_of_utilisation():
    found = utilisation_effect(6.88, 2, 4205, (0.1, 0.5, 1.0))
    assert found.utilisation.tolist() == [0.1, 0.5, 1.0]
    assert found.usd_per_million.tolist() == pytest.approx([9.0897, 1.8179, 0.9090], abs=1e-4)
    with pytest.raises(ValueError, match="read-only"):
        found.usd_per_million[0] = 0


def test_requests_a_month_and_the_load_they_make():
    """10 tokens/s x 3,600 x 730 x 0.5 / 100 = 131,400 requests."""
    assert requests_a_month(10, 100, utilisation=0.5) == pytest.approx(131_400)
    assert load_share(131_400, 10, 100) == pytest.approx(0.5)
    assert requests_a_month(10, 100, utilisation=0.5, hours=73) == pytest.approx(13_140)


def test_a_measurement_of_the_same_setup(ask):
    found = ask(LLAMA)
    assert (found.tokens_per_second, found.sets) == (4205, 1)
    assert found.reason == (
        "Measured at maximum load on 2 x H100 80GB, FP8, with 1,000 tokens in and 1,000 out."
    )
    assert ask(LLAMA, gpus=4).tokens_per_second == 8410  # two independent copies
    assert ask("Llama-3.3-70B-Instruct").tokens_per_second == 4205  # the same under another name


def test_the_closest_length_of_request_counts(ask):
    assert ask(LLAMA, input_tokens=3000, output_tokens=100).tokens_per_second == 762
    assert ask(LLAMA, input_tokens=4000, output_tokens=600).tokens_per_second == 898
    assert ask(LLAMA, input_tokens=80_000, output_tokens=2000).tokens_per_second == 437


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
    assert (found.tokens_per_second, found.measured, found.sets) == (None, None, 0)
    assert re.search(reason, found.reason)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: usd_per_million(1, 1, 1, 0), "Utilisation must be above 0 and at most 1, not 0"),
        (lambda: usd_per_million(1, 1, 1, 1.1), "Utilisation must be above 0 and at most 1"),
        (lambda: usd_per_million(1, 1, 1, float("nan")), "Utilisation must be above 0"),
        (lambda: usd_per_million(0, 1, 1, 1), "usd per gpu hour must be above 0"),
        (lambda: usd_per_million(1, 0, 1, 1), "GPUs must be 1 or more"),
        (lambda: usd_per_million(1, 1, 0, 1), "tokens per second must be above 0"),
        (lambda: requests_a_month(1, 0, utilisation=1), "output tokens must be above 0"),
    ],
)
def test_figures_out_of_range_are_refused(call, message):
    with pytest.raises(BadRequestError, match=message):
        call()


def test_requests_without_tokens_are_refused(ask):
    with pytest.raises(BadRequestError, match="Output tokens per request must be above 0, not 0"):
        ask(LLAMA, output_tokens=0)

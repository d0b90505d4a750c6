"""Memory, GPUs and bills of own servers, worked by hand."""

from dataclasses import replace

import pytest

from core.domain import Architecture, BadRequestError, GpuOffer
from core.procurement.hosting import Setup, cache_size, found_for, hosting, hourly_price

H100 = Setup("H100 80GB")
OFFERS = [
    GpuOffer("G", 80, usd, kind, provider, "o", n, "", "s", as_of, "")
    for usd, kind, provider, n, as_of in [
        (2.0, "on-demand", "A", 1, "2026-05-01"),
        (4.0, "on-demand", "A", 8, "2026-06-01"),
        (5.0, "on-demand", "B", 1, "undated"),
        (9.0, "on-demand", "C", 8, "2026-11-01"),
        (0.5, "marketplace, starting at", "D", 1, "2026-12-01"),
    ]
]


def architecture(model, params_b, kv_bytes, also=()):
    return Architecture(
        model, also, params_b, 1, 1, 1, 4_096, "MHA", kv_bytes, "s", "2026-11-21", ""
    )


@pytest.fixture
def host(bundled):
    """Ask with the bundled facts."""
    facts = bundled.catalogue.procurement

    def ask(model, setup):
        return hosting(
            model,
            setup,
            offers=facts.gpus,
            architectures=facts.architectures,
            models=bundled.catalogue.models,
        )

    return ask


# Memory


def test_a_dense_model_by_hand(bundled, host):
    """Llama 3.3 70B: 80 layers, 8 KV heads of 128, so 2 x 80 x 8 x 128 x 2 = 327,680 bytes a token.

    Weights 70.554 x 2 = 141.108 GB; cache 327,680 x 8,192 x 8 = 21.475 GB; with 20 %, 195.10 GB:
    three GPUs of 80 GB. 3 x 3.99 x 730 = 8,738.10 USD.
    """
    found = host(bundled.catalogue.model("Llama 3.3 Instruct (70B)"), H100)
    assert found.memory.weights_gb == pytest.approx(141.108)
    assert found.memory.cache_gb == pytest.approx(21.47483648)
    assert found.memory.overhead_gb == pytest.approx(32.5165673)
    assert found.memory.total_gb == pytest.approx(195.0994, abs=1e-4)
    assert not found.memory.estimated
    assert found.gpus == (3, 3, 3)
    assert (found.hourly.low, found.hourly.likely, found.hourly.high) == (2.69, 3.99, 12.29)
    assert found.monthly_usd.low == pytest.approx(5_891.10)
    assert found.monthly_usd.likely == pytest.approx(8_738.10)
    assert found.monthly_usd.high == pytest.approx(26_915.10)
    assert found.reason == ""


def test_a_mixture_of_experts_loads_all_its_parameters(make_model, host):
    """Mixtral 8x7B: 46.703 x 2 = 93.406 GB, cache 131,072 x 8,192 x 8 = 8.590 GB, with 20 %
    122.395 GB: two GPUs. By its 12.9 active billions it would be one."""
    mixtral = make_model(
        "mistralai/Mixtral-8x7B-v0.1", params_b=46.703, params_active_b=12.9, access="open"
    )
    found = host(mixtral, H100)
    assert found.memory.total_gb == pytest.approx(122.3951, abs=1e-4)
    assert found.gpus == (2, 2, 2)
    assert "All 46.703 billion parameters are loaded, though 12.9 work on a token." in found.notes


@pytest.mark.parametrize(
    ("changes", "total_gb"),
    [
        ({"bits": 8}, 110.4346),  # (70.554 + 21.4748) x 1.2
        ({"bits": 4}, 72.3354),  # (38.8047 + 21.4748) x 1.2
        ({"bits": 8, "cache_bits": 8}, 97.5497),  # (70.554 + 10.7374) x 1.2
        ({"bits": 8, "overhead": 0.0}, 92.0288),
        ({"bits": 8, "context_tokens": 16_384, "concurrent": 4}, 110.4346),
        ({"bits": 8, "concurrent": 1}, 87.8860),  # (70.554 + 2.6844) x 1.2
    ],
)
def test_precision_context_and_requests_at_once(bundled, host, changes, total_gb):
    found = host(bundled.catalogue.model("Llama 3.3 Instruct (70B)"), replace(H100, **changes))
    assert found.memory.total_gb == pytest.approx(total_gb, abs=1e-4)


def test_mla_keeps_less_than_heads_and_layers_say(bundled, host):
    found = host(bundled.catalogue.model("DeepSeek R1"), replace(H100, bits=8))
    assert found.memory.cache_gb == pytest.approx(70_272 * 8_192 * 8 / 1e9)


def test_memory_that_just_fits_takes_no_further_gpu(make_model):
    """40 x 2 = 80 GB and a cache of nothing but one byte."""
    rows = [architecture("m", 40, 1)]
    model = make_model("m", params_b=40.0, access="open")
    setup = Setup("G", context_tokens=1, concurrent=1, overhead=0.0)
    ask = {"offers": OFFERS, "architectures": rows, "models": {}}
    assert hosting(model, setup, **ask).gpus == (2, 2, 2)  # one byte too much
    smaller = replace(model, params_b=39.999)
    assert hosting(smaller, setup, **ask).gpus == (1, 1, 1)


# Estimates


def test_an_unknown_architecture_is_estimated_from_its_size_class(make_model):
    rows = [architecture(f"a{n}", 10, n) for n in (100, 300, 200)] + [architecture("z", 20, 9_000)]
    found = cache_size(make_model("m", params_b=16.0), rows, {})
    assert (found.low, found.likely, found.high) == (100, 200, 300)
    assert found.estimated
    assert found.basis == "an estimate from 3 known architectures of 4 to 16 billion parameters"
    assert cache_size(make_model("m", params_b=16.1), rows, {}).likely == 9_000
    assert cache_size(make_model("m", params_b=200.0), rows, {}) is None
    assert cache_size(make_model("m"), rows, {}) is None


def test_an_estimate_widens_memory_and_bill(make_model):
    """Weights 32 GB; caches 10, 20 and 40 GB: 42, 52 and 72 GB with no overhead."""
    rows = [architecture(str(gb), 16, gb * 1_000_000_000) for gb in (10, 20, 40)]
    setup = Setup("G", context_tokens=1, concurrent=1, overhead=0.0)
    model = make_model("m", params_b=16.0, access="open")
    found = hosting(model, setup, offers=OFFERS, architectures=rows, models={})
    assert (found.memory.low_gb, found.memory.total_gb, found.memory.high_gb) == (42, 52, 72)
    assert found.memory.estimated
    wide = hosting(
        model, replace(setup, overhead=0.5), offers=OFFERS, architectures=rows, models={}
    )
    assert wide.gpus == (1, 1, 2)  # 63, 78 and 108 GB
    assert wide.monthly_usd.high == pytest.approx(2 * 9.0 * 730)


def test_a_fine_tune_has_the_architecture_of_its_base(make_model):
    rows = [architecture("base", 8.0, 77)]
    models = {
        "base": make_model("base", params_b=8.03, aliases=("base-hf",)),
        "chat": make_model("chat", params_b=8.03, base_model="base"),
    }
    tuned = make_model("tuned", params_b=8.0, base_model="chat")
    found = cache_size(tuned, rows, models)
    assert (found.likely, found.estimated) == (77, False)
    assert found.basis == "its base model base"
    deeper = replace(tuned, params_b=10.7)  # more layers: another architecture
    assert cache_size(deeper, rows, models).estimated
    ring = {"a": make_model("a", base_model="b"), "b": make_model("b", base_model="a")}
    assert found_for(ring["a"], rows, ring) == ([], "")
    # Aliases and mirrors are the model itself.
    rows = [architecture("x", 8.0, 77, also=("y",))]
    for model in (make_model("y"), make_model("z", aliases=("x",)), make_model("z", mirror_of="y")):
        assert cache_size(model, rows, {}).basis == "its own architecture"


# Prices


def test_the_range_of_hourly_prices_counts_each_provider_once():
    """Medians: A 3, B 5, C 9; theirs is 5. The market place is left out."""
    found = hourly_price("G", OFFERS)
    assert (found.low, found.likely, found.high) == (2.0, 5.0, 9.0)
    assert (found.n_offers, found.n_providers) == (4, 3)
    assert (found.oldest, found.newest) == ("2026-05-01", "2026-11-01")
    assert hourly_price("G", OFFERS[-1:]) is None


# Unknown


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"access": "closed"}, "The weights of m are closed: it cannot be run on own servers."),
        ({"access": "open"}, "The size of m is not disclosed, so its memory is unknown."),
        ({"params_b": 8.0}, "Whether the weights of m can be downloaded is not known."),
        ({"access": "open", "is_reference": True}, "m is a line to compare with, no product."),
    ],
)
def test_what_cannot_be_run_has_no_bill_and_a_reason(make_model, host, fields, reason):
    found = host(make_model("m", **fields), H100)
    assert (found.memory, found.gpus, found.monthly_usd) == (None, None, None)
    assert found.reason == reason


def test_a_gpu_without_an_on_demand_price_has_gpus_and_no_bill(bundled, host):
    found = host(bundled.catalogue.model("Llama 3.3 Instruct (70B)"), Setup("RTX 6000 Ada"))
    assert found.gpus == (5, 5, 5)
    assert found.monthly_usd is None
    assert found.reason == "No on-demand price of RTX 6000 Ada is known."


def test_own_number_of_gpus(bundled, host):
    llama = bundled.catalogue.model("Llama 3.3 Instruct (70B)")
    assert host(llama, replace(H100, gpus=4)).monthly_usd.likely == pytest.approx(4 * 3.99 * 730)
    few = host(llama, replace(H100, gpus=2))
    assert few.monthly_usd is None
    assert few.reason == "It needs 3 GPUs of 80 GB; 2 are too few."


def test_a_longer_request_than_it_reads_and_whole_machines_are_said(make_model):
    model = make_model("m", params_b=8.0, access="open")
    ask = {"offers": OFFERS, "architectures": [architecture("m", 8, 77)], "models": {}}
    notes = hosting(model, Setup("G"), **ask).notes
    assert "It reads at most 4,096 tokens; you ask for 8,192." in notes
    assert "2 of 4 offers rent 8 GPUs at a time; the bill counts those that are needed." in notes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gpu": "H900"}, 'There is no GPU "H900"; known are T4, A10G'),
        ({"bits": 3}, "Bits per weight must be 16, 8 or 4, not 3"),
        ({"cache_bits": 4}, "Bits of the cache must be 16 or 8, not 4"),
        ({"context_tokens": 0}, "Tokens of a request must be 1 or more, not 0"),
        ({"concurrent": 0}, "Requests at once must be 1 or more, not 0"),
        ({"gpus": 0}, "GPUs must be 1 or more, not 0"),
        ({"overhead": -0.1}, "The overhead must be 0 or more, not -0.1"),
        ({"overhead": float("nan")}, "The overhead must be 0 or more, not nan"),
        ({"hours": 745}, "Hours a month must be above 0 and at most 744, not 745"),
    ],
)
def test_assumptions_out_of_range_are_refused(bundled, host, changes, message):
    with pytest.raises(BadRequestError, match=message):
        host(bundled.catalogue.model("DeepSeek R1"), replace(H100, **changes))

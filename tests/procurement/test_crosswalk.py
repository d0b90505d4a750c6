"""One model under several names: what is the same, what may be, and what is another."""

from __future__ import annotations

import pytest

from core.domain import CrosswalkEntry
from core.procurement.products import counterparts, matched, products_of

SAME, OPEN, HARNESS = "same version", "version not stated", "another harness"
ENTRIES = (
    CrosswalkEntry("X (May)", "x-0513", SAME, "-"),
    CrosswalkEntry("X (May)", "x", OPEN, "-"),
    CrosswalkEntry("X (August)", "x", OPEN, "-"),
    CrosswalkEntry("X (August)", "x-0806", SAME, "-"),
    CrosswalkEntry("X (August)", "lab/x-0806", SAME, "-"),
)


def test_the_same_version_only_where_both_say_so():
    assert counterparts("x-0806", ENTRIES) == {"x": OPEN, "lab/x-0806": SAME}
    assert counterparts("x-0513", ENTRIES) == {"x": OPEN}
    assert counterparts("x", ENTRIES) == {"x-0513": OPEN, "x-0806": OPEN, "lab/x-0806": OPEN}


def test_two_versions_never_meet_through_a_name_without_one():
    assert "x-0806" not in counterparts("x-0513", ENTRIES)


def test_one_run_stands_for_a_model_under_several_harnesses():
    """The others find their model in other suites, and are found from none."""
    entries = (
        *ENTRIES,
        CrosswalkEntry("X (August)", "x-0806 (own)", SAME, "-"),
        CrosswalkEntry("X (August)", "x-0806 (open)", HARNESS, "-"),
    )
    own = {"x": OPEN, "x-0806": SAME, "lab/x-0806": SAME}
    assert counterparts("x-0806 (own)", entries) == own
    assert counterparts("x-0806 (open)", entries) == own | {"x-0806 (own)": SAME}
    assert counterparts("x-0806", entries) == {
        **{"x": OPEN, "lab/x-0806": SAME, "x-0806 (own)": SAME},
    }
    assert matched(["x-0806"], ["x-0806 (open)", "x-0806 (own)"], entries) == (
        ("x-0806", "x-0806 (own)", SAME),
    )


def test_one_product_that_both_state_is_enough():
    """The kind does not depend on which shared product stands first."""
    entries = [
        CrosswalkEntry("A", "m", OPEN, "-"),
        CrosswalkEntry("A", "n", OPEN, "-"),
        CrosswalkEntry("B", "m", SAME, "-"),
        CrosswalkEntry("B", "n", SAME, "-"),
    ]
    assert counterparts("m", entries) == {"n": SAME}
    assert counterparts("m", entries[::-1]) == {"n": SAME}


def test_products_come_in_their_order_and_an_unknown_model_has_none():
    assert products_of("x", ENTRIES) == ("X (May)", "X (August)")
    assert products_of("y", ENTRIES) == ()
    assert counterparts("y", ENTRIES) == {}


@pytest.fixture(scope="module")
def others(bundled):
    return lambda model: counterparts(model, bundled.catalogue.crosswalk)


@pytest.mark.parametrize(
    ("model", "found"),
    [
        (
            "GPT-4o (2024-05-13)",
            {"GPT-4o": OPEN, "gpt-4o": OPEN, "gpt-4o-2024-05-13": SAME},
        ),
        (
            "GPT-4o",
            {
                **{"GPT-4o (2024-05-13)": OPEN, "gpt-4o-0806": OPEN, "gpt-4o": OPEN},
                **{"gpt-4o-2024-05-13": OPEN, "gpt-4o-2024-08-06": OPEN},
                "openai/gpt-4o-2024-08-06": OPEN,
            },
        ),
        (
            "GPT-5 mini (2025-08-07)",
            {
                **{"GPT-5 mini": OPEN, "gpt-5-mini-high": OPEN},
                "openai/gpt-5-mini-2025-08-07": SAME,
            },
        ),
        ("Gemini 1.5 Pro (001)", {"gemini-1.5-pro-001": SAME}),  # BRIDGE has version 002
        ("Gemini 2.5 Pro (05-06 preview)", {}),  # NOHARM has the later stable model
        ("gemini-2.5-flash", {"Gemini 2.5 Flash": OPEN, "google/gemini-2.5-flash": SAME}),
        (
            "DeepSeek R1",
            {"DeepSeek-R1": OPEN, "deepseek-r1": OPEN, "deepseek-ai/DeepSeek-R1": OPEN},
        ),
        (
            "Llama 3.3 Instruct (70B)",
            {
                **{"Llama-3.3-70B-Instruct": SAME, "Llama 3.3 70b": SAME},
                **{"llama-3.3-70b-instruct": SAME, "Llama-3.3-70B-Instruct-Turbo": OPEN},
                "meta-llama/Llama-3.3-70B-Instruct-Turbo": OPEN,
            },
        ),
        (
            "Mistral Large 2.1",
            {
                **{"Mistral-Large-Instruct-2411": SAME, "mistral-large-2411": SAME},
                "mistralai/mistral-large-2411": SAME,
            },
        ),
        (
            "Qwen3 32B",
            {
                **{"Qwen3-32B-Thinking": OPEN, "Qwen3-32B-Non-Thinking": OPEN},
                **{"qwen3-32b": OPEN, "qwen/qwen3-32b": OPEN},
            },
        ),
        ("Qwen3-32B-Thinking", dict.fromkeys(["Qwen3 32B", "qwen3-32b", "qwen/qwen3-32b"], OPEN)),
        ("Qwen3-4B-Thinking-2507", {}),
        (
            "Llama 4 Scout",
            {
                **{"Llama-4-Scout-17B-16E-Instruct": OPEN, "llama-4-scout-17b-16e-instruct": OPEN},
                "meta-llama/Llama-4-Scout-17B-16E-Instruct": OPEN,
            },
        ),
        ("LLaMA-2-7B", {"Llama-2-7b-chat": OPEN, "llama-2-7b-chat": OPEN}),
        ("meta-llama/Meta-Llama-3-8B", {}),  # neither its instruct model nor Llama 3.1
        ("BioMistral-7B", {"BioMistral/BioMistral-7B": SAME}),
        ("BioMistral/BioMistral-7B-BnB.8", {}),  # 8-bit weights are others
        ("meditron-70b", {"epfl-llm/meditron-70b": SAME}),
        ("meditron-7b", {}),
        ("MedAlpaca-7B", {"medalpaca/medalpaca-7b": SAME}),
        ("QWQ-32B", {"qwq-32b": SAME}),  # the preview is another
        ("anthropic/claude-opus-5 (claude-code)", {}),  # nobody else has it yet
        (
            "openai/gpt-5.4 (codex)",
            {"openai/gpt-5.4-2026-03-05": OPEN},
        ),
        (
            "google/gemini-3-pro-preview (gemini-cli)",
            {
                **{"Gemini 3 Pro": OPEN, "gemini-3-pro": OPEN},
                "google/gemini-3-pro-preview": SAME,
            },
        ),
    ],
)
def test_a_model_has_these_counterparts(others, model, found):
    assert others(model) == found


def test_a_pair_is_a_pair_from_both_sides(bundled, others):
    for entry in bundled.catalogue.crosswalk:
        if entry.kind == HARNESS:
            continue
        for other, kind in others(entry.model).items():
            assert others(other)[entry.model] == kind


def test_what_is_the_same_version_has_the_same_size_access_and_developer(bundled, others):
    """Sizes rounded by a leaderboard may differ by 5 %; an empty one says nothing."""
    models = bundled.catalogue.models
    for entry in bundled.catalogue.crosswalk:
        own = models[entry.model]
        for other in (models[name] for name in others(entry.model)):
            assert own.access == other.access, (own.id, other.id)
            if own.params_b and other.params_b:
                assert own.params_b == pytest.approx(other.params_b, rel=0.05), (own.id, other.id)


def test_models_are_matched_once_the_same_version_first():
    assert matched(["x", "x-0806"], ["lab/x-0806", "x-0513"], ENTRIES) == (
        ("x", "x-0513", OPEN),
        ("x-0806", "lab/x-0806", SAME),
    )
    # Both may be x; the first in order is, and the other is nobody then.
    assert matched(["x-0513", "x-0806"], ["x"], ENTRIES) == (("x-0513", "x", OPEN),)
    assert matched(["x-0806", "x-0513"], ["x"], ENTRIES) == (("x-0806", "x", OPEN),)


def test_of_models_without_a_version_the_same_name_goes_first():
    entries = [
        CrosswalkEntry("Y", "y-mini", SAME, "-"),
        CrosswalkEntry("Y", "y large", OPEN, "-"),
        CrosswalkEntry("Y", "Y Mini", OPEN, "-"),
    ]
    assert matched(["y-mini"], ["y large", "Y Mini"], entries) == (("y-mini", "Y Mini", OPEN),)


def test_one_id_in_two_suites_is_one_model():
    """The same version where the crosswalk does not know it or states one, else not stated."""
    assert matched(["z", "x", "x-0806"], ["x-0806", "x", "z"], ENTRIES) == (
        ("z", "z", SAME),
        ("x", "x", OPEN),
        ("x-0806", "x-0806", SAME),
    )
    assert matched(["a"], ["b"], ENTRIES) == ()

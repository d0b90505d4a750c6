"""The orders of two suites side by side: which models meet, and the checks of the definition."""

import numpy as np
import pytest

from core.answers import other_suites
from core.answers.other_suites import _orders
from core.evidence.store import open_store
from core.statistics.ranks import order_agreement
from tests.conftest import DATA


def pair(store, a, b):
    return next(one for one in other_suites.across_suites(store) if (one.a, one.b) == (a, b))


def test_the_checks_of_the_definition_come_out_with_its_eleven_models(bundled):
    """−0.44, +0.11, +0.81 and +0.19 hold a preview for the model, as the crosswalk does not."""
    medhelm, noharm = _orders(bundled, "medhelm"), _orders(bundled, "noharm")
    shared = [(a, b) for a, b, _ in pair(bundled, "medhelm:balanced", "noharm:safety").models]
    shared.append(("Gemini 2.5 Pro (05-06 preview)", "Gemini 2.5 Pro"))
    x = np.array([medhelm["balanced"][a] for a, _ in shared])
    found = {
        metric: order_agreement(x, np.array([scores[b] for _, b in shared])).rho
        for metric, scores in noharm.items()
    }
    assert found["completeness"] == pytest.approx(-0.44, abs=0.005)
    assert found["safety"] == pytest.approx(0.11, abs=0.005)
    assert found["restraint"] == pytest.approx(0.81, abs=0.005)
    assert found["three dimensions"] == pytest.approx(0.19, abs=0.005)


def test_restraint_goes_with_the_balanced_order_and_a_model_counts_once(bundled):
    found = pair(bundled, "medhelm:balanced", "noharm:restraint").agreement
    # The squared differences of places add up to 30.
    assert (found.n_models, found.says) == (10, "agree")
    assert found.rho == pytest.approx(1 - 6 * 30 / 990)
    for one in other_suites.across_suites(bundled):
        first, second, _ = zip(*one.models, strict=True)
        assert len(set(first)) == len(set(second)) == len(first) == one.agreement.n_models
        assert one.agreement.n_models >= 3
    every = other_suites.across_suites(bundled)
    assert not any(name == "Physicians" for one in every for row in one.models for name in row)
    assert "Task-specific SOTA" not in _orders(bundled, "benchhealth")["balanced"]
    assert len(_orders(bundled, "benchhealth")["balanced"]) == 15
    harms = _orders(bundled, "noharm")["severe harm share"]
    assert max(harms, key=harms.__getitem__) in (
        "DeepSeek R1",
        "AMBOSS LiSA 1.0",
        "Gemini 2.5 Flash",
    )
    assert harms["o4 mini"] == pytest.approx(1 - 0.209)
    three = _orders(bundled, "noharm")["three dimensions"]
    one = {
        m: _orders(bundled, "noharm")[m]["o4 mini"] for m in ("safety", "completeness", "restraint")
    }
    assert three["o4 mini"] == pytest.approx(sum(one.values()) / 3)


@pytest.mark.slow
def test_suites_with_fewer_than_three_models_in_common_are_left_out(data, write_snapshot):
    known = open_store(DATA).catalogue.benchmarks
    for suite in ("open-medical-llm", "open-llm-v2"):
        rows = [
            (f"org/{model}", b.id, (0.31, 0.47, 0.62)[i] + j / 100)
            for i, model in enumerate(("a", "b", f"own-{suite}"))
            for j, b in enumerate(known[suite])
        ]
        write_snapshot(data, suite, rows)
    assert other_suites.across_suites(open_store(data)) == ()

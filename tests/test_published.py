"""Every published number that the product checks, on the bundled data."""

from collections import Counter
from dataclasses import replace

import pytest

from core.answers.studies import reproduced
from core.domain import BadDataError
from core.evidence.store import open_store


@pytest.fixture(scope="module")
def claims(bundled):
    return reproduced(bundled)


def those(claims, *words):
    return [claim for claim in claims if all(word in claim.claim for word in words)]


def test_all_105_claims_are_there_once_and_each_agrees_or_says_why_not(claims):
    assert len({claim.claim for claim in claims}) == len(claims) == 105
    studies = Counter(claim.study.split(",")[0] for claim in claims)
    assert studies == {
        "Taxonomy of language models in medicine": 67,
        **{"MedHELM": 36, "χ-Bench": 1, "MedAgentsBench": 1},
    }
    others = {claim.claim.split()[-1]: claim for claim in claims if not claim.agrees}
    assert set(others) == {
        *("google/recurrentgemma-2b", "stabilityai/stablelm-2-1_6b"),
        *("upstage/SOLAR-10.7B-Instruct-v1.0", "VAGOsolutions/SauerkrautLM-Gemma-7b"),
    }
    for claim in others.values():
        assert (claim.computed, claim.agrees) == (None, None)
        assert "domain-specific cluster of " in claim.claim
        assert claim.note.startswith("left out: no ")
    (rates,) = those(claims, "pass rates of 46 submissions")
    assert (rates.published, rates.computed) == (182, 182)
    (counts,) = those(claims, "right only by o3-mini")
    assert counts.computed == "49 to 40, p = 0.40"
    (smaller,) = those(claims, "smaller equivalent of abacusai/Liberated-Qwen1.5-14B")
    assert smaller.published == smaller.computed == "01-ai/Yi-1.5-9B-32K"
    for side, clusters in (
        ("domain-non-specific", {"H": 20, "L": 13}),
        ("domain-specific", {"H": 20, "L": 9, None: 4}),
    ):
        found = those(claims, f"{side} cluster of ")
        assert Counter(claim.computed for claim in found) == clusters
        assert {claim.computed == claim.published for claim in found if claim.agrees} == {True}
    found = [claim for claim in claims if claim.study.startswith("MedHELM")]
    kinds = ("win rate", "win rate SD", "macro-average", "macro-average SD")
    assert Counter(claim.claim.split(" of ")[0] for claim in found) == dict.fromkeys(kinds, 9)
    for claim in found:
        assert f"{claim.computed:.2f}" == f"{claim.published:.2f}", claim


@pytest.fixture
def altered(data, bundled_snapshot):
    """Reproduce on a copy of the bundled data in which a file of the catalogue was altered."""
    for suite in ("medhelm", "open-llm-v2", "open-medical-llm"):
        bundled_snapshot(suite)

    def altered(file, old, new):
        path = data / "catalogue" / file
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")
        try:
            return reproduced(open_store())
        finally:
            path.write_text(text, "utf-8")

    return altered


def test_a_cell_that_does_not_agree_is_said_not_to(altered, claims):
    found = altered("published/medhelm-table1.csv", "DeepSeek R1,0.66", "DeepSeek R1,0.67")
    (wrong,) = [claim for claim in found if claim.agrees is False]
    assert (wrong.claim, wrong.published) == ("win rate of DeepSeek R1", 0.67)
    (right,) = [claim for claim in claims if claim.claim == wrong.claim]
    assert right == replace(wrong, published=0.66, agrees=True)


@pytest.mark.slow
def test_what_is_not_here_is_not_computed_and_a_fault_names_its_row(altered):
    found = altered("published/medhelm-table1.csv", "DeepSeek R1,", "DeepSeek R9,")
    gone = those(found, "DeepSeek R9")
    assert [(c.computed, c.agrees, c.note) for c in gone] == [(None, None, "not computed")] * 4
    with pytest.raises(BadDataError, match=r"published/medhelm-table1\.csv, row 2: .*win_rate"):
        altered("published/medhelm-table1.csv", "DeepSeek R1,0.66", "DeepSeek R1,")

"""What papers print comes out here, from the bundled scores; the printed tables are next to it."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from core.answers import evidence, replacing
from core.domain import Question, Selection

PUBLISHED = Path(__file__).parents[1] / "published"
PORTRAITS = "taxonomy-portraits"
SIDES = ("open-medical-llm", "open-llm-v2")


def printed(name):
    with (PUBLISHED / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("suite", "clusters", "incomplete"),
    [
        ("open-llm-v2", {"H": 20, "L": 13}, set()),
        (
            "open-medical-llm",
            {"H": 20, "L": 9},
            {
                *("google/recurrentgemma-2b", "stabilityai/stablelm-2-1_6b"),
                *("upstage/SOLAR-10.7B-Instruct-v1.0", "VAGOsolutions/SauerkrautLM-Gemma-7b"),
            },
        ),
    ],
)
def test_the_clusters_of_the_taxonomy_paper_or_the_reason(bundled, suite, clusters, incomplete):
    """Membership of 33 models on each side, doi 10.2196/72918."""
    paper = {row["model"]: row["cluster"] for row in printed(PORTRAITS) if row["suite"] == suite}
    assert set(paper) == set(bundled.catalogue.cohorts[PORTRAITS, suite].models)
    assert (len(paper), set(paper.values())) == (33, {"H", "L"})
    tree = evidence.taxonomy(bundled, Selection(suite, PORTRAITS))
    found = dict(zip(tree.models, tree.labels, strict=True))
    assert set(paper) - set(found) == incomplete
    assert found == {model: paper[model] for model in found}
    assert Counter(found.values()) == clusters
    reasons = {each.model: each.reason for each in tree.excluded}
    assert all(reasons.get(model, "no run").startswith("no ") for model in incomplete)


def test_the_replacement_that_the_taxonomy_paper_recommends(bundled):
    selections = [Selection(suite, PORTRAITS) for suite in SIDES]
    replaced = "abacusai/Liberated-Qwen1.5-14B"
    found = replacing.equivalents(bundled, replaced, selections, Question().margin)
    closest = next(candidate for candidate in found if candidate.same_cluster)
    assert closest.model == "01-ai/Yi-1.5-9B-32K"


def test_every_cell_of_medhelms_table_1(bundled):
    """Nine models, four figures each, at the two decimals printed, arXiv:2505.23802."""
    found = evidence.suite_win_rates(bundled, Selection("medhelm", "medhelm-paper"))
    computed = {row.model: row for row in found.rows}
    paper = printed("medhelm-table1")
    assert {row["model"] for row in paper} == set(computed)
    assert len(paper) == 9
    for row in paper:
        for column in ("win_rate", "win_sd", "macro_avg", "sd"):
            value = getattr(computed[row["model"]], column)
            assert f"{value:.2f}" == f"{float(row[column]):.2f}", (row["model"], column)


def test_every_pass_rate_of_chi_bench_from_its_single_trials(bundled):
    """182 rates of 46 submissions, arXiv:2605.16679; overall, every task weighs alike."""
    rates = {}
    for run, own in bundled.item_counts(bundled.snapshot("chi-bench")).groupby("run"):
        n = own["n_items"]
        rates[run, "overall"] = (own["mean"] * n).sum() / n.sum()
        rates |= {
            (run, domain): mean for domain, mean in zip(own["benchmark"], own["mean"], strict=True)
        }
    paper = {(row["run"], row["domain"]): float(row["pass_rate"]) for row in printed("chi-bench")}
    assert (len(paper), len({run for run, _ in paper})) == (182, 46)
    # Printed with at least six decimals.
    assert {key: rates[key] for key in paper} == pytest.approx(paper, abs=5e-7, rel=0)


def test_the_medqa_questions_that_only_one_of_two_models_has_right(bundled):
    """MedAgentsBench, arXiv:2503.07459, from its answers to each question."""
    found = replacing.pair(bundled, "medagentsbench", "medqa", "o3-mini", "DeepSeek-R1")
    assert (found.only_a, found.only_b) == (49, 40)
    assert found.mcnemar_p == pytest.approx(0.40, abs=0.005)

"""What papers print next to what comes out here.

The published values are in the catalogue, each with its source; nothing computed is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.answers.evidence import suite_win_rates, taxonomy
from core.answers.replacing import equivalents, pair
from core.domain import Question, Selection
from core.evidence.tables import rows
from core.memory import remembered

if TYPE_CHECKING:
    from core.evidence.store import Store

_TAXONOMY_STUDY = "Taxonomy of language models in medicine, doi 10.2196/72918"
_MEDHELM_STUDY = "MedHELM, arXiv:2505.23802, Table 1"
_COHORT = "taxonomy-portraits"
_SIDES = {"open-medical-llm": "domain-specific", "open-llm-v2": "domain-non-specific"}
_COLUMNS = {
    "win_rate": "win rate",
    "win_sd": "win rate SD",
    "macro_avg": "macro-average",
    "sd": "macro-average SD",
}
_LONG_TASKS, _QUESTIONS = "chi-bench", "medagentsbench"
_ALIKE = 5e-7
"""Printed rates have at least six decimals."""
_REPLACED, _REPLACEMENT = "abacusai/Liberated-Qwen1.5-14B", "01-ai/Yi-1.5-9B-32K"


@dataclass(frozen=True, slots=True)
class Reproduced:
    """One published claim and what comes out here."""

    study: str
    claim: str
    published: str | float
    computed: str | float | None
    """``None`` where the evidence does not hold what the computation needs."""
    agrees: bool | None
    note: str


@remembered(maxsize=4)
def reproduced(store: Store) -> tuple[Reproduced, ...]:
    """Recompute every published number that this product checks.

    A ``BadDataError`` too where the published table is at fault.
    """
    return (
        *(claim for suite in _SIDES for claim in _membership(store, suite)),
        _recommendation(store),
        *_table_1(store),
        _pass_rates(store),
        _discordant(store),
    )


def _membership(store: Store, suite: str) -> list[Reproduced]:
    tree = taxonomy(store, Selection(suite, _COHORT))
    labels = dict(zip(tree.models, tree.labels, strict=True))
    reasons = {left_out.model: left_out.reason for left_out in tree.excluded}
    return [
        Reproduced(
            _TAXONOMY_STUDY,
            f"{_SIDES[suite]} cluster of {model}",
            published,
            labels.get(model),
            labels[model] == published if model in labels else None,
            f"left out: {reasons.get(model, 'no run in this suite')}"
            if model not in labels
            else "",
        )
        for model, published in store.catalogue.published_clusters[_COHORT, suite].items()
    ]


def _recommendation(store: Store) -> Reproduced:
    selections = [Selection(suite, cohort=_COHORT) for suite in _SIDES]
    found = equivalents(store, _REPLACED, selections, Question().margin)
    closest = next((candidate for candidate in found if candidate.same_cluster), None)
    return Reproduced(
        _TAXONOMY_STUDY,
        f"smaller equivalent of {_REPLACED} over both taxonomies",
        _REPLACEMENT,
        closest.model if closest else None,
        closest is not None and closest.model == _REPLACEMENT,
        "closest smaller model of the same clusters",
    )


def _pass_rates(store: Store) -> Reproduced:
    """Work out each printed pass rate from the single trials; overall, every task weighs alike."""
    path = store.data / "catalogue" / "published" / "chi-bench.csv"
    printed = [
        (row.text("run"), row.text("domain"), row.number_or_fail("pass_rate"))
        for row in rows(path, ("run", "domain", "pass_rate", "source"))
    ]
    found: dict[tuple[str, str], float] = {}
    if store.of_suite(_LONG_TASKS):
        counts = store.item_counts(store.snapshot(_LONG_TASKS))
        for name, own in counts.groupby("run"):
            run, n = str(name), own["n_items"]
            found[run, "overall"] = float((own["mean"] * n).sum() / n.sum())
            found |= {
                (run, str(domain)): float(mean)
                for domain, mean in zip(own["benchmark"], own["mean"], strict=True)
            }
    right = [
        (run, domain) in found and abs(found[run, domain] - rate) < _ALIKE
        for run, domain, rate in printed
    ]
    n_runs = len({run for run, _, _ in printed})
    return Reproduced(
        "χ-Bench, arXiv:2605.16679, results of its submissions",
        f"pass rates of {n_runs} submissions from their trials, overall and by domain",
        float(len(printed)),
        float(sum(right)) if found else None,
        all(right) if found else None,
        "how many of the printed rates come out" if found else "not computed",
    )


def _discordant(store: Store) -> Reproduced:
    """Count on how many questions one of two models was right and the other wrong."""
    found = None
    if store.of_suite(_QUESTIONS):
        found = pair(store, _QUESTIONS, "medqa", "o3-mini", "DeepSeek-R1")
    said = f"{found.only_a} to {found.only_b}, p = {found.mcnemar_p:.2f}" if found else None
    return Reproduced(
        "MedAgentsBench, arXiv:2503.07459, answers to each question",
        "MedQA, right only by o3-mini and only by DeepSeek-R1",
        "49 to 40, p = 0.40",
        said,
        said == "49 to 40, p = 0.40" if said else None,
        "McNemar's exact test" if said else "not computed",
    )


def _table_1(store: Store) -> list[Reproduced]:
    found = suite_win_rates(store, Selection("medhelm", "medhelm-paper"))
    computed = {row.model: row for row in found.rows}
    claims = []
    path = store.data / "catalogue" / "published" / "medhelm-table1.csv"
    for row in rows(path, ("model", *_COLUMNS, "source")):
        model = row.text("model")
        for column, name in _COLUMNS.items():
            published = row.number_or_fail(column)
            value = getattr(computed[model], column) if model in computed else None
            claims.append(
                Reproduced(
                    _MEDHELM_STUDY,
                    f"{name} of {model}",
                    published,
                    None if value is None else round(value, 6),
                    None if value is None else round(value, 2) == published,
                    "agrees at the two decimals printed" if value is not None else "not computed",
                )
            )
    return claims

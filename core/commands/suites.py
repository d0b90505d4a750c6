"""The commands on one suite: which models are alike, which tests tell the same, who wins."""

from dataclasses import asdict
from itertools import zip_longest

from core.answers import data, evidence, other_suites
from core.commands.question import add_selection
from core.commands.told import Add, Arguments, Told, manifests, opened_store
from core.domain import (
    BadRequestError,
    ClusterTests,
    Redundancy,
    ScoreMatrix,
    Selection,
    Taxonomy,
    WinRates,
)
from core.sharing import export
from core.sharing.export import picked
from core.words.evidence import separated


def add_commands(add: Add) -> None:
    """Add the commands to the command line."""
    sub = add("taxonomy", _taxonomy, "which models are alike")
    add_selection(sub)
    sub.add_argument("--k", type=int, default=2, metavar="N", help="number of clusters")
    sub = add("redundancy", _redundancy, "which benchmarks repeat one another")
    add_selection(sub, required=False, help="required without --across")
    sub.add_argument(
        "--across", action="store_true", help="how the orders of models agree from suite to suite"
    )
    sub = add("win-rates", _win_rates, "who wins, and by how much")
    add_selection(sub)
    sub.add_argument("--category", metavar="NAME")
    add(
        "benchhealth",
        _benchhealth,
        "BenchHealth: which models do well everywhere, and evenly",
    )


def _selection(arguments: Arguments) -> Selection:
    return Selection(arguments.suite, arguments.cohort or data.ALL_MODELS, arguments.protocol or "")


def _origin(found: Taxonomy | Redundancy | WinRates | ScoreMatrix) -> dict[str, object]:
    """Return the models that a result leaves out, and the snapshot that it was made from."""
    return {
        "excluded": [asdict(left_out) for left_out in found.excluded],
        "snapshots": manifests(found.snapshot),
    }


def _taxonomy(arguments: Arguments) -> Told:
    store, selection = opened_store(arguments), _selection(arguments)
    tree = evidence.taxonomy(store, selection, n_clusters=arguments.k)
    described = evidence.cluster_tests(store, selection) if arguments.k == 2 else None
    fair = described and len(tree.benchmarks) > 1
    shown = evidence.left_one_out(store, selection) if fair else None
    separated = _separated(tree, shown) if shown else None
    ordered = [tree.models[i] for i in tree.leaf_order]
    label = dict(zip(tree.models, tree.labels, strict=True))
    document = picked(tree, "suite", "cohort") | {
        "models": ordered,
        "benchmarks": [benchmark.id for benchmark in tree.benchmarks],
        "clusters": {
            name: [model for model in ordered if label[model] == name]
            for name in dict.fromkeys(label[model] for model in ordered)
        },
        "cophenetic_correlation": tree.cophenetic_correlation,
        "alpha": described.alpha if described else None,
        "separated": separated,
        "tests": _both_kinds(described, shown) if described else [],
        **_origin(tree),
    }
    rows = [{"cluster": label[model], "model": model} for model in ordered]
    return document, rows, [str(separated["said"])] if separated else []


def _separated(tree: Taxonomy, shown: ClusterTests) -> dict[str, object]:
    """Return the headline, which only tests of benchmarks that formed no cluster count in."""
    sizes = {name: tree.labels.count(name) for name in ("H", "L")}
    return {
        "n_significant": sum(test.significant for test in shown.tests),
        "n_tests": len(shown.tests),
        "n_within_reach": shown.n_within_reach,
        "said": " ".join(filter(None, separated(shown, sizes))),
    }


def _both_kinds(found: ClusterTests, shown: ClusterTests | None) -> list[dict[str, object]]:
    figures = ("p_value", "significant", "effect_size")
    return [
        asdict(test)
        | {"kind": "descriptive", "significant": None}
        | {"leave_one_out": other and picked(other, *figures)}
        for test, other in zip_longest(found.tests, shown.tests if shown else ())
    ]


def _redundancy(arguments: Arguments) -> Told:
    if arguments.across:
        if {arguments.suite, arguments.cohort, arguments.protocol} != {None}:
            raise BadRequestError("--across compares all suites with each other; give it alone.")
        rows = [
            {"a": pair.a, "b": pair.b} | picked(pair.agreement, *export.AGREEMENT)
            for pair in other_suites.across_suites(opened_store(arguments))
        ]
        return rows, rows
    if arguments.suite is None:
        raise BadRequestError("Give --suite, or --across to compare suites with each other.")
    found = evidence.redundancy(opened_store(arguments), _selection(arguments))
    pairs = [asdict(pair) for pair in found.pairs]
    return picked(found, "suite", "cohort", "alpha") | {"pairs": pairs} | _origin(found), pairs


def _win_rates(arguments: Arguments) -> Told:
    found = evidence.suite_win_rates(
        opened_store(arguments), _selection(arguments), arguments.category
    )
    rows = [asdict(row) for row in found.rows]
    document = picked(found, "suite", "cohort", "category") | {
        "models": rows,
        "categories": {name: dict(scores) for name, scores in found.categories},
        "skipped": list(found.skipped),
        **_origin(found),
    }
    return document, rows


def _benchhealth(arguments: Arguments) -> Told:
    found = evidence.benchhealth(opened_store(arguments))
    columns = ("model", "generalisability", "robustness", "n_datasets")
    best = sorted(found.rows, key=lambda row: (-(row.generalisability or 0), row.model))
    rows = [picked(row, *columns) for row in best]
    return {"models": rows} | _origin(found.scores), rows

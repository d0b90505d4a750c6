"""One local server of the Hub's and one of files, which stand in for every live source."""

import json
from contextlib import contextmanager

from core.sources.lists import SOURCES
from tests.evidence import hub_server
from tests.evidence.hub_server import Repo, parquet, result_file, v2_row
from tests.results.test_scores import helm_release

PLACE = "/crfm-helm-public/medhelm/benchmark_output/releases/v9.0.0"
RELEASES = {"prefixes": ["medhelm/benchmark_output/releases/v9.0.0/"]}


def repositories(n_models):
    names = [f"lab/m{i}" for i in range(n_models)]
    arena = {"model_name": names, "rating": [1000.0] * n_models}
    arena["category"] = ["industry_medicine_and_healthcare"] * n_models
    tasks = {"ADE-Identification": [50.0] * n_models}
    results = {f"{name}/r.json": result_file({"medmcqa": 0.5}) for name in names}
    return {
        ("dataset", "openlifescienceai/results"): Repo(results),
        ("dataset", "open-llm-leaderboard/contents"): hub_server.open_llm_v2(
            [v2_row(name) for name in names]
        ),
        ("space", "YLab-Open/BRIDGE-Medical-Leaderboard"): hub_server.bridge(
            [{"name": name} for name in names], tasks
        ),
        ("dataset", "lmarena-ai/leaderboard-dataset"): Repo(
            {"text_style_control/latest-00000-of-00001.parquet": parquet(arena)}
        ),
        ("dataset", "mindbench-ai/healthbench-psych"): Repo(
            {hub_server.GRADES: hub_server.grades(*((name, _half) for name in names[:12]))}
        ),
    }


def _half(*_):
    return 0.5


def lists(n_entries):
    rates = {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}
    entry = {"mode": "chat", "litellm_provider": "bedrock", **rates}
    models = [
        {"id": f"m{i}", "prices": {"input_mtok": 1, "output_mtok": 2}} for i in range(n_entries)
    ]
    return {
        "litellm": {f"lab/m{i}": entry for i in range(n_entries)},
        "genai-prices": [{"id": "vendor", "name": "Vendor", "models": models}],
    }


@contextmanager
def standing_in(bundled, *, n_models=5, n_entries=5):
    """Yield both servers, and the variables under which the program finds them."""
    frame = bundled.scores(bundled.snapshot("medhelm"), "")
    release = helm_release(frame, bundled.catalogue.benchmarks["medhelm"])
    with hub_server.serving() as hub, hub_server.serving(hub_server.Files) as files:
        for (kind, name), repo in repositories(n_models).items():
            hub.put(kind, name, repo)
        documents = {
            "/storage/v1/b/crfm-helm-public/o": RELEASES,
            f"{PLACE}/groups/medhelm_scenarios.json": release,
            f"{PLACE}/summary.json": {"date": "2026-10-02"},
            **{f"/{name}.json": document for name, document in lists(n_entries).items()},
        }
        files.files = {path: json.dumps(document).encode() for path, document in documents.items()}
        variables = {it.variable: f"{files.url}/{name}.json" for name, it in SOURCES.items()}
        yield hub, files, variables | {"HF_ENDPOINT": hub.url, "FORMULARY_HELM": files.url}

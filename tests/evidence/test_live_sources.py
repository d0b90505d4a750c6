"""Each live source from a local Hub to its table: runs, gaps, facts, and what it refuses."""

import json
import shutil

import pytest

from core.answers import replacing
from core.answers.data import matrix
from core.domain import BadDataError, FormularyError, Selection
from core.evidence import snapshots
from core.evidence.store import open_store
from core.sources.hub import STAYS, Hub, RemoteError
from core.sources.live import LIVE
from core.sources.refresh import refresh
from tests.conftest import DATA
from tests.evidence import conftest, hub_server
from tests.evidence.conftest import one_sentence, refused, some
from tests.evidence.hub_server import GRADES, JUDGES, Repo, grades, parquet, result_file, v2_row
from tests.results.test_scores import helm_release

V2 = "data/train-00000-of-00001.parquet"
ARENA = "text_style_control/latest-00000-of-00001.parquet"
MEDICAL = "industry_medicine_and_healthcare"
ROOT = "/crfm-helm-public/medhelm/benchmark_output/releases"
LIST = "/storage/v1/b/crfm-helm-public/o"


REPOS = {
    "open-medical-llm": ("dataset", "openlifescienceai/results"),
    "open-llm-v2": ("dataset", "open-llm-leaderboard/contents"),
    "bridge": ("space", "YLab-Open/BRIDGE-Medical-Leaderboard"),
    "lmarena-medicine": ("dataset", "lmarena-ai/leaderboard-dataset"),
    "healthbench-psych": ("dataset", "mindbench-ai/healthbench-psych"),
}


@pytest.fixture
def pull(server):
    def pull(suite, repo, report=lambda *_: None):
        source, hub = LIVE[suite], Hub(server.url, token="", timeout_s=2)
        sha = server.put(*REPOS[suite], repo)
        commit = source.newest(hub)
        assert commit.revision == sha
        pulled = source.pull(hub, commit, report, DATA / "catalogue")
        conftest.records(pulled.table, suite)
        assert not pulled.table.frame.duplicated(["run", "protocol", "benchmark"]).any()
        return pulled

    return pull


def records(pulled):
    return conftest.records(pulled.table, pulled.table.suite)


def facts(pulled, model):
    return {(f.field, f.value) for f in pulled.table.facts if f.model == model}


def test_a_result_file_becomes_a_run(pull):
    name = "lab/m/results_2024-05-16 07:57:23.098609.json"
    about = {"model_name": "lab/m", "model_args": "pretrained=lab/m,dtype=float16"}
    about |= {"model_dtype": "torch.float16", "model_sha": "abc"}
    tasks = {"medqa_4options": 0.55, "pubmedqa": 0.7}
    content = result_file(tasks, **about, model_num_parameters=8_829_407_232)
    pulled = pull("open-medical-llm", Repo({name: content, "README.md": b"x", "x.json": b"{}"}))
    first, second = records(pulled)
    some(
        first,
        **{"model": "lab/m", "run": f"lab/m@{name.rpartition('/')[2]}", "benchmark": "medqa"},
        **{"run_at": "2024-05-16T07:57:23Z", "precision": "float16", "model_revision": "abc"},
        **{"score": 0.55, "standard_error": 0.01},
    )
    assert first["source_url"].startswith("https://huggingface.co/datasets/openlifescienceai/")
    assert first["source_url"].endswith("/lab/m/results_2024-05-16%2007%3A57%3A23.098609.json")
    assert second["benchmark"] == "pubmedqa"
    assert facts(pulled, "lab/m") == {("params_b", "8.82941"), ("precision", "float16")}
    assert (pulled.as_of, pulled.licence) == ("2025-03-20", "Apache-2.0")


def test_files_by_hand_bare_accuracies_and_checkpoints(pull):
    gpt = "results_GPT-4_2024-25-14_04-32-21.json"
    files = {
        f"GPT-4 (5-shot)/{gpt}": {"medqa_4options": {"acc": 0.8}, "pubmedqa": {"acc": None}},
        "lab/m/results_1.json": {"medmcqa": {"acc,none": "0.5", "acc_stderr,none": "N/A"}},
        "lab/m/results_2.json": {"medmcqa": {"acc": 0.5}, "gsm8k": {"em": 1}},
    }
    told = {name: {"results": results} for name, results in files.items()}
    told["lab/m/results_2.json"]["date"] = 1.7e9
    broken = ("lab/m/.ipynb_checkpoints/results_1.json", "lab/m/results_1-checkpoint.json")
    written = {name: json.dumps(document).encode() for name, document in told.items()}
    pulled = pull("open-medical-llm", Repo(written | dict.fromkeys(broken, b"broken")))
    found = {(r["run"], r["benchmark"]): r for r in records(pulled)}
    days = {"standard_error": None, "run_at": "2024-25-14T04:32:21Z"}
    some(found[f"GPT-4 (5-shot)@{gpt}", "medqa"], score=0.8, **days)
    some(found["lab/m@results_1.json", "medmcqa"], score=0.5, standard_error=None, run_at="")
    some(found["lab/m@results_2.json", "medmcqa"], run_at="2023-11-14T22:13:20Z")
    assert len(found) == 3  # a gap is not a score
    assert "broken" not in pulled.note


@pytest.mark.parametrize(
    ("config", "names"),
    [
        ({"model_name": "lab/other"}, {"lab/other"}),
        ({"model_name": "LAB/m", "model_args": "pretrained=lab/M"}, set()),
        ({"model_args": {"pretrained": "lab/third", "dtype": "x"}}, {"lab/third"}),
        ({"model_name": "a/b", "model_args": "dtype=x,pretrained=a/b"}, {"a/b"}),
        ({"model_name": None, "model_args": 3}, set()),
    ],
)
def test_another_name_in_the_config_is_kept_as_a_fact(pull, config, names):
    pulled = pull(
        "open-medical-llm", Repo({"lab/m/r.json": result_file({"medmcqa": 0.5}, **config)})
    )
    assert set(pulled.table.frame["model"]) == {"lab/m"}
    said = [fact for fact in pulled.table.facts if fact.field == "config_name"]
    assert {fact.value for fact in said} == names
    assert {fact.source for fact in said} <= set(pulled.table.frame["source_url"])


BROKEN = {
    "cut": b'{"results": {"medqa',
    "list": b"[]",
    "no results": b'{"config": {}}',
    "no accuracy": b'{"results": {"medqa": {"f1": 1}}}',
    "task": b'{"results": {"medqa": 1}}',
    "word": b'{"results": {"medqa": {"acc": "high"}}}',
    "bool": b'{"results": {"medqa": {"acc": true}}}',
    "infinite": b'{"results": {"medqa": {"acc": Infinity}}}',
    "not text": b"\xff\xfe\x00",
    "deep": b"[" * 100_000,
    "long": b'{"results": {"medqa": {"acc": ' + b"9" * 5000 + b"}}}",
    "empty": b"",
}


def test_one_broken_file_in_twenty_is_passed_over(server, pull):
    good = {f"lab/m{i}/r.json": result_file({"medmcqa": 0.5}) for i in range(20)}
    pulled = pull("open-medical-llm", Repo(good | {"lab/x/r.json": BROKEN["cut"]}))
    assert pulled.table.frame["model"].nunique() == 20
    assert pulled.note.startswith("1 broken result file is skipped: lab/x/r.json, row 1, col")
    two = {"lab/x/r.json": BROKEN["cut"], "lab/y/r.json": b""}
    for files, said in (
        (good | two, r"2 of 22 result files .* first: lab/[xy]/r\.json"),
        ({"README.md": b"x"}, "holds no result files"),
    ):
        refused(BadDataError, said, pull, "open-medical-llm", Repo(files))


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_result_file_is_named(pull, what):
    repo = Repo({"lab/m/r.json": BROKEN[what]})
    refused(BadDataError, r"lab/m/r\.json", pull, "open-medical-llm", repo)


def test_a_row_becomes_six_raw_scores(pull):
    row = v2_row("lab/m", base_model="lab/base", moe=True, flagged=True)
    given = {"ifeval": 0.1, "bbh": None, "mmlu_pro": 0.6}
    pulled = pull("open-llm-v2", hub_server.open_llm_v2([row | given]))
    found = {r["benchmark"]: r for r in records(pulled)}
    expected = dict.fromkeys(hub_server.V2_RAW, 0.5) | given
    assert {b: r["score"] for b, r in found.items()} == expected
    some(
        found["ifeval"],
        **{"model": "lab/m", "run": "lab/m@bfloat16@0123456789ab", "run_at": "2024-06-12"},
        **{"precision": "bfloat16", "model_revision": row["model_sha"], "standard_error": None},
    )
    assert facts(pulled, "lab/m") == {
        *(("params_b", "7.242"), ("licence", "apache-2.0"), ("precision", "bfloat16")),
        *(("base_model", "lab/base"), ("moe", "true"), ("flagged", "true")),
    }


def test_every_row_of_a_model_is_a_run_of_its_own(pull):
    given = [{}, {"precision": "float16", "params_b": -1}, {}, {"model_sha": None}]
    given += [{"model_sha": None, "submitted_on": None}]
    rows = [v2_row("lab/m", **more) for more in given]
    pulled = pull("open-llm-v2", hub_server.open_llm_v2(rows))
    assert list(dict.fromkeys(pulled.table.frame["run"])) == [
        "lab/m@bfloat16@0123456789ab",
        "lab/m@float16@0123456789ab",
        "lab/m@bfloat16@0123456789ab#2",
        "lab/m@bfloat16@2024-06-12",
        "lab/m@bfloat16@",
    ]
    assert len(pulled.table.frame) == 30
    pulled = pull("open-llm-v2", hub_server.open_llm_v2(rows[:1], with_sha=False))
    assert set(pulled.table.frame["run"]) == {"lab/m@bfloat16@2024-06-12"}


def test_a_live_run_is_named_as_the_bundled_one_is(bundled, pull):
    snapshot = bundled.snapshot("open-llm-v2", "2025-02")
    kept = bundled.scores(snapshot, "").drop_duplicates("run")
    rows = [
        v2_row(r.model, model_sha=r.model_revision, precision=r.precision, submitted_on=r.run_at)
        for r in kept.itertuples()
    ]
    frame = pull("open-llm-v2", hub_server.open_llm_v2(rows)).table.frame
    assert set(frame["run"]) == set(kept["run"])


def test_bridge_is_read_under_three_protocols(pull):
    closed = {"name": "gpt", "licence": "Proprietary", "access": "Proprietary"}
    tasks = {"ADE-Identification": [76.8, "13.42"], "CAS evidence": [0.0, None]}
    pulled = pull("bridge", hub_server.bridge([{"name": "a", "size": 1.5}, closed], tasks))
    found = {(r["run"], r["benchmark"]): r["score"] for r in records(pulled)}
    assert len(found) == 12
    assert found["a@zero-shot", "ADE-Identification"] == 76.8
    assert found["gpt@chain-of-thought", "ADE-Identification"] == 13.42
    assert found["gpt@few-shot", "CAS evidence"] is None
    assert set(pulled.table.frame["protocol"]) == {"zero-shot", "few-shot", "chain-of-thought"}
    assert facts(pulled, "a") == {("params_b", "1.5"), ("licence", "MIT"), ("access", "open")}
    assert facts(pulled, "gpt") == {("licence", "Proprietary"), ("access", "closed")}
    assert pulled.licence == "MIT"


def arena(**columns):
    n = len(columns["model_name"])
    return Repo({ARENA: parquet({"category": [MEDICAL] * n, **columns})})


def test_the_arena_gives_ratings_with_errors_from_their_bounds(pull):
    pulled = pull(
        "lmarena-medicine",
        arena(
            **{"model_name": ["a", "b", "a"], "category": [MEDICAL, MEDICAL, "overall"]},
            **{"rating": [1400.5, 1300.0, 1.0], "rating_lower": [1390.7, None, 1.0]},
            **{"rating_upper": [1410.3, None, 1.0], "organization": ["Lab", None, "Lab"]},
            **{"license": ["Proprietary", "MIT", "x"], "vote_count": [1234, None, 9]},
            leaderboard_publish_date=["2026-10-01"] * 3,
        ),
    )
    first, second = records(pulled)
    some(first, model="a", run="a@2026-10-01", run_at="2026-10-01", benchmark="rating")
    some(first, score=1400.5, standard_error=pytest.approx(5.0))
    some(second, score=1300.0, standard_error=None)
    assert facts(pulled, "a") == {
        *(("developer", "Lab"), ("licence", "Proprietary"), ("votes", "1234")),
    }
    assert facts(pulled, "b") == {("licence", "MIT")}
    assert pulled.as_of == "2026-10-01"
    assert "Crowd preference" in pulled.note


def test_the_newest_publication_of_the_arena_counts_and_dates_may_be_missing(pull):
    dates = {"leaderboard_publish_date": ["2026-09-01", "2026-10-01"]}
    pulled = pull("lmarena-medicine", arena(model_name=["a", "a"], rating=[1.0, 2.0], **dates))
    assert [r["score"] for r in records(pulled)] == [2.0]
    pulled = pull("lmarena-medicine", arena(model_name=["a", "a"], rating=[1, 2]))
    assert [r["run"] for r in records(pulled)] == ["a@", "a@#2"]
    assert pulled.as_of == "2025-03-20"


GOOD = ("good", lambda i, j: 0.9 - 0.3 * j)


def test_healthbench_psych_is_the_mean_of_its_judges_item_by_item(pull):
    """By hand: one conversation at −1.1; a mean below 0; a grade that is null."""
    models = (
        GOOD,
        ("mixed", lambda i, j: -1.1 if i == 0 else 0.8),
        ("poor", lambda i, j: -0.5 if j == 0 else 0.25),
        ("partly", lambda i, j: None if (i, j) == (7, 2) else 0.5),
    )
    answers = b"this is never read: no JSON"
    repo = Repo({GRADES: grades(*models), "data/responses/train.jsonl": answers})
    pulled = pull("healthbench-psych", repo)
    main = {r["model"]: r["score"] for r in records(pulled) if r["benchmark"] == JUDGED_AS}
    mixed = (610 * 0.8 - 1.1) / 611
    assert main == pytest.approx({"good": 0.6, "mixed": mixed, "poor": 0.5 / 3, "partly": 0.5})
    each = {(r["model"], r["benchmark"]): r["score"] for r in records(pulled)}
    assert each["good", f"{JUDGED_AS}:gemini-2.5-flash"] == pytest.approx(0.6)
    assert each["poor", f"{JUDGED_AS}:{JUDGES[0]}"] == 0
    items = pulled.table.items.groupby("run")["score"]
    # Where a mean was cut off at 0, or a grade is missing, single scores would make another one.
    assert [run.partition("@")[0] for run in items.groups] == ["good", "mixed"]
    assert items.min().tolist() == pytest.approx([0.6, -1.1])
    assert items.size().tolist() == [611, 611]
    assert "hard conversations" in pulled.note


JUDGED_AS, LATE = "healthbench-psych-v2", "2026-10-03T10:00:00.000Z"


def test_a_release_of_healthbench_psych_becomes_a_snapshot_with_items(data, server, bundled):
    folder = data / "snapshots" / "healthbench-psych"
    shutil.copytree(DATA / "snapshots" / "healthbench-psych", folder)
    low = ("low", lambda i, j: -0.4 if i < 2 else 0.7)
    models = [(f"m{i}", lambda i, j: 0.5) for i in range(12)]
    server.put(
        *REPOS["healthbench-psych"], Repo({GRADES: grades(GOOD, low, *models)}, changed=LATE)
    )
    hub = Hub(server.url, token="", timeout_s=2)
    known = bundled.catalogue.scales()
    found = refresh(data, "healthbench-psych", hub, known_benchmarks=known).snapshot
    assert (found.n_models, found.n_item_rows) == (14, 14 * 611)
    store = open_store(data)
    assert store.snapshot("healthbench-psych").revision == found.revision
    pair = replacing.pair(store, "healthbench-psych", JUDGED_AS, "good", "low")
    assert pair.difference == pytest.approx(0.6 - (609 * 0.7 - 2 * 0.4) / 611)


LINE = '{"model": "m", "judge": "gpt-4.1-2025-04-14", "prompt_id": "c1", "score": %s}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "0 conversations graded by nobody"),
        (grades(GOOD, n=610), "611 graded by .*, and this file has 610 conversations"),
        (grades(GOOD, judges=(*JUDGES, "gpt-6")), "graded by .*gpt-4.1-2025-04-14, gpt-6"),
        (grades(GOOD, GOOD), 'the model "good" has two grades by claude-haiku-4-5'),
        (grades(lines=["{"]), "train.jsonl, line 1, row 1, column"),
        (grades(lines=["", "[1]"]), "line 2: an object is expected"),
        (grades(lines=['{"model": "m", "judge": 3, "score": 1}']), "its model, judge or prompt_id"),
        (grades(lines=[LINE % '"high"']), "the score is not a number"),
        (grades(lines=[LINE % "true"]), "the score is not a number"),
        (grades(lines=[LINE % "NaN"]), "the score is not a number"),
        (grades(lines=[LINE.replace(', "score": %s', "")]), "the score is not a number"),
        (b"\xff\xfe", "not readable JSON"),
    ],
)
def test_grades_of_another_layout_are_refused_in_a_sentence(pull, content, message):
    refused(BadDataError, message, pull, "healthbench-psych", Repo({GRADES: content}))


def v2_file(*rows):
    return hub_server.open_llm_v2([v2_row("lab/m", **row) for row in rows]).files[V2]


def arena_file(**columns):
    return arena(**{"model_name": ["a"], "rating": [1], **columns}).files[ARENA]


WHOLE, INFINITE = v2_file({}), v2_file({"ifeval": float("inf")})
TEXT = v2_file({"ifeval": "0.5"}, {"ifeval": "high"})
FEW_SHOT = "leaderboards/Few-Shot_leaderboard.json"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "file", "content", "message"),
    [
        ("open-llm-v2", V2, b"", "not a whole Parquet file"),
        ("open-llm-v2", V2, WHOLE[: len(WHOLE) // 2], "not a whole Parquet file"),
        ("open-llm-v2", V2, WHOLE[:4] + b"\xff" * 396 + WHOLE[400:], "not a whole Parquet file"),
        ("open-llm-v2", V2, parquet({"fullname": ["m"]}), 'column "IFEval Raw", .* is missing'),
        ("open-llm-v2", V2, TEXT, 'row 2: "high" in the column "IFEval Raw" is no'),
        ("open-llm-v2", V2, INFINITE, 'row 1: "inf" in the column "IFEval Raw" is not a number'),
        ("open-llm-v2", V2, v2_file({}, {"model_id": ""}), 'row 2: the column "fullname" is empty'),
        ("open-llm-v2", V2, v2_file(), "has no rows"),
        ("bridge", FEW_SHOT, b'{"Model": {"0":', "row 1, column"),
        ("bridge", FEW_SHOT, b"[1]", "one entry a column"),
        ("bridge", FEW_SHOT, b'{"Model": 3}', '"Model": an object with one entry a row'),
        ("bridge", FEW_SHOT, b'{"T": {"0": 1}}', 'the column "Model" is missing'),
        ("bridge", FEW_SHOT, b'{"Model": {"0": ""}}', 'row 1: the column "Model" is empty'),
        ("bridge", FEW_SHOT, b'{"Model": {"0": "a"}}', "no column of scores"),
        ("bridge", FEW_SHOT, b'{"Model": {"0": "a"}, "X": {"0": "?"}}', 'row 1: "." in the column'),
        ("lmarena-medicine", ARENA, arena_file(category=["x"]), "no row has the category"),
        ("lmarena-medicine", ARENA, parquet({"model_name": ["a"]}), ', "rating" is missing'),
        ("lmarena-medicine", ARENA, arena_file(rating=["x"]), 'row 1: "x" in the column "rating"'),
        ("lmarena-medicine", ARENA, arena_file(model_name=[None]), '1: the column "model_name"'),
    ],
)
def test_a_file_that_is_broken_or_of_another_shape(pull, suite, file, content, message):
    repo = hub_server.bridge([{"name": "a"}], {"T1": [1]}) if suite == "bridge" else Repo()
    repo.files[file] = content
    assert refused(BadDataError, message, pull, suite, repo).startswith(file)


def test_a_table_of_bridge_that_is_gone(pull):
    repo = hub_server.bridge([{"name": "a"}], {"T1": [1]})
    del repo.files["leaderboards/CoT_leaderboard.json"]
    refused(RemoteError, r"CoT_leaderboard\.json .* does not exist", pull, "bridge", repo)


@pytest.fixture
def release(bundled):
    frame = bundled.scores(bundled.snapshot("medhelm"), "")
    document = helm_release(frame, bundled.catalogue.benchmarks["medhelm"])
    return json.dumps(document).encode()


@pytest.fixture
def run(data, monkeypatch, bundled):
    def run(files):
        with hub_server.serving(hub_server.Files) as server:
            server.files.update(files)
            monkeypatch.setenv("FORMULARY_HELM", server.url)
            hub = Hub("http://127.0.0.1:9", token="", timeout_s=1)
            known = bundled.catalogue.scales()
            return refresh(data, "medhelm", hub, known_benchmarks=known)

    return run


def groups(version):
    return f"{ROOT}/{version}/groups/medhelm_scenarios.json"


def listing(*versions):
    prefixes = [f"medhelm/benchmark_output/releases/{version}/" for version in versions]
    return json.dumps({"kind": "storage#objects", "prefixes": prefixes}).encode()


def test_the_newest_release_that_is_listed_becomes_a_snapshot(run, data, release, bundled):
    files = {
        LIST: listing("v4.0.0", "v10.0.0", "v9.1.0", "latest"),
        groups("v10.0.0"): release,
        f"{ROOT}/v10.0.0/summary.json": b'{"release": "v10.0.0", "date": "2026-10-02"}',
    }
    done = run(files)
    assert (done.snapshot.revision, done.snapshot.as_of) == ("v10.0.0", "2026-10-02")
    assert (done.snapshot.n_models, done.snapshot.n_rows) == (13, 13 * 37)
    known = bundled.catalogue.scales()
    table = snapshots.read_scores(data / "snapshots" / "medhelm" / "v10.0.0", known)
    old = bundled.scores(bundled.snapshot("medhelm"), "")
    new = {(r.model, r.benchmark): r.score for r in table.frame.itertuples()}
    assert new == {(r.model, r.benchmark): r.score for r in old.itertuples()}
    assert "GPT-5 (2025-08-07)@v10.0.0" in set(table.frame["run"])
    again = run(files)
    assert again.snapshot is None
    assert "already current: v10.0.0 of 2026-10-02" in again.message


@pytest.mark.slow
def test_a_release_without_a_date_says_so(run, release):
    done = run({LIST: listing("v5.0.1"), groups("v5.0.1"): release})
    assert (done.snapshot.revision, done.snapshot.as_of) == ("v5.0.1", "")
    assert done.snapshot.note == (
        "The release gives no date. Who ran which model is not stated. One of two places was not "
        "read: 127.0.0.1 answered with status 404: nothing was read."
    )
    assert "v5.0.1 of no date" in done.message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "answered with status 404: nothing was read"),
        ({LIST: listing("latest")}, "lists none of the releases of MedHELM"),
        ({LIST: listing("v5.0.0")}, "status 404"),
        ({LIST: listing("v5.0.0"), groups("v5.0.0"): b"[{"}, "medhelm_scenarios.json"),
        ({LIST: listing("v5.0.0"), groups("v5.0.0"): b"[]"}, "not one of the formats"),
    ],
)
def test_a_storage_that_has_nothing_to_read_changes_nothing(run, data, files, message):
    before = sorted((data / "snapshots").rglob("*"))
    assert STAYS in one_sentence(refused(BadDataError, message, run, files))
    assert sorted((data / "snapshots").rglob("*")) == before


NEWER = "/benchmark_output/releases/v5.0.0"


def fifth_release(bundled, n_models=11):
    """A release as its new keeper has it: 31 data sets, one of which the catalogue lacks."""
    medhelm = bundled.catalogue.benchmarks["medhelm"][:30]
    frame = bundled.scores(bundled.snapshot("medhelm"), "")
    models = [f"Model {i}" for i in range(n_models)]
    old = frame["model"].unique()[:n_models]
    frame = frame[frame["model"].isin(old)].replace({"model": dict(zip(old, models, strict=True))})
    document = helm_release(frame, medhelm)
    title = {"metric": "Exact match", "run_group": "Oncology <b>notes</b>"}
    document[0]["header"].append({"value": "Oncology - EM", "metadata": title})
    for row in document[0]["rows"]:
        row.append({"value": 0.25})
    return {
        "/project_metadata.json": b'[{"id": "medhelm", "releases": ["v5.0.0", "v4.0.0"]}]',
        f"{NEWER}/groups/medhelm_scenarios.json": json.dumps(document).encode(),
        f"{NEWER}/summary.json": b'{"release": "v5.0.0", "date": "2026-05-20"}',
    }


def test_the_higher_of_two_places_is_taken_with_what_it_leaves_out(run, data, release, bundled):
    shutil.copytree(bundled.data / "snapshots" / "medhelm-v5", data / "snapshots" / "medhelm-v5")
    first = run({LIST: listing("v4.0.0"), groups("v4.0.0"): release})
    assert first.snapshot.revision == "v4.0.0"
    assert open_store(data).of_suite("medhelm-v5")
    files = {LIST: listing("v4.0.0"), groups("v4.0.0"): release, **fifth_release(bundled)}
    done = run(files)
    new = done.snapshot
    assert (new.revision, new.as_of) == ("v5.0.0", "2026-05-20")
    assert (new.n_models, new.n_benchmarks) == (11, 30)
    assert new.source_url == "https://leaderboard.medhelm.org/"
    assert new.note == (
        "Left out, since the catalogue does not have them so: Oncology <b>notes</b>. Who ran "
        "which model is not stated."
    )
    store = open_store(data)
    assert store.snapshot("medhelm").revision == "v5.0.0"
    # The printed win rates have done their service; the pool of v4 stays apart.
    assert not store.of_suite("medhelm-v5")
    assert {s.revision for s in store.of_suite("medhelm")} == {"v4.0.0", "v5.0.0"}
    assert set(matrix(store, Selection("medhelm")).models) == {f"Model {i}" for i in range(11)}


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({}, "v5.0.0 of 2026-05-20"),
        ({f"{NEWER}/summary.json": b"[]"}, "v5.0.0 of no date"),
        ({"/project_metadata.json": None, "/config.js": b'window.RELEASE = "v5.0.0";'}, "v5.0.0"),
    ],
)
def test_what_a_release_may_lack(run, bundled, broken, message):
    """The place before it is gone: then the note says which was not read."""
    done = run(fifth_release(bundled) | broken)
    assert message in done.message
    assert "One of two places was not read: 127.0.0.1 answered with status 404" in done.message


def test_a_broken_release_is_named_and_no_older_one_replaces_it(run, bundled, release):
    files = {LIST: listing("v4.0.0"), groups("v4.0.0"): release, **fifth_release(bundled)}
    broken = {f"{NEWER}/groups/medhelm_scenarios.json": b"[{"}
    refused(BadDataError, r"medhelm_scenarios\.json, row 1, column 3", run, files | broken)


def test_a_storage_that_cannot_be_reached_is_said_in_a_sentence(data, monkeypatch, bundled):
    monkeypatch.setenv("FORMULARY_HELM", "http://127.0.0.1:9")
    said, hub = f"127.0.0.1 could not be read: .*; {STAYS}", Hub(token="")
    refused(FormularyError, said, refresh, data, "medhelm", hub, known_benchmarks={})

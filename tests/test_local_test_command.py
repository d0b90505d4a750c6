"""The commands of a local test: numbers as JSON and as a sentence; faults in one line."""

import json
import zipfile

import pytest

from core.__main__ import main


def ran(capsys, *words):
    try:
        status = main([str(word) for word in words])
    except SystemExit as stop:
        status = stop.code
    return status, *capsys.readouterr()


def asked(capsys, words):
    return ran(capsys, "plan", *words.split())


@pytest.fixture
def answers(tmp_path):
    """Ten cases of two models: A is right alone on two of them, B on one, neither on one."""
    right = {"A": "1110110111", "B": "1010111101"}
    rows = [f"{name},c{i},{sign}" for name in right for i, sign in enumerate(right[name])]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(["model,item,score", *rows]))
    return path


@pytest.fixture
def helm(tmp_path):
    """A folder of two HELM runs, each in a folder of its own, with the files that pass by."""
    for model, right in (("lab/one", (1, 0)), ("lab/two", (1, 1))):
        folder = tmp_path / "runs" / f"work:model={model.replace('/', '_')}"
        folder.mkdir(parents=True)
        spec = {"name": "work", "adapter_spec": {"model": model}, "metric_specs": []}
        (folder / "run_spec.json").write_text(json.dumps(spec))
        stats = [
            {
                "instance_id": f"id{i}",
                "stats": [{"name": {"name": "exact_match", "split": "test"}, "mean": found}],
            }
            for i, found in enumerate(right)
        ]
        (folder / "per_instance_stats.json").write_text(json.dumps(stats))
        (folder / "scenario_state.json").write_text('{"request_states": []}')
    return tmp_path / "runs"


def test_the_document(capsys):
    words = "--margin 0.05 --difference 0 --discordance 0.2 --power 0.9 --json"
    status, out, error = asked(capsys, words)
    assert (status, error) == (0, "")
    assert json.loads(out) == {
        "n_cases": 843,  # 10.507 · 0.2/0.0025 = 840.6, and Student's t
        "alpha": 0.025,
        "power": 0.9,
        "margin": 0.05,
        "basis": "assumed: discordance 0.2, true difference 0; Student's t; the normal formula "
        "gives 841",
    }


def test_the_sentence(capsys):
    assert asked(capsys, "--margin 0.05 --sd 0.2 --difference -0.01")[1] == (
        "199 cases tell whether a candidate is within 5 points, with a power of 80 % (assumed: "
        "standard deviation 0.2, true difference -0.01; Student's t; the normal formula gives "
        "197).\n"
    )


def test_few_that_differ_are_counted_by_the_score_test(capsys):
    out = asked(capsys, "--margin 0.05 --discordance 0.04 --json")[1]
    found = json.loads(out)
    assert found["basis"].endswith(
        "score test, since few cases differ; the normal formula gives 126"
    )
    assert found["n_cases"] > 126


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--margin 5 --sd 0.2", "'5' is above 1: 0.02 is two points of 100"),
        ("--margin 0.05", "one of the arguments --discordance --sd is required"),
        ("--margin 0.05 --sd 0.2 --discordance 0.1", "not allowed with argument"),
        ("--margin 0.05 --sd 0.2 --power 0.85", "invalid choice: 0.85"),
        ("--margin 0.05 --sd 0.2 --difference -0.05", "truly is 5 points worse is never shown"),
        ("--margin 0.05 --discordance nan", "must be above 0 and at most 1; it is nan"),
        ("--sd 0.2", "required: --margin"),
    ],
)
def test_a_fault_is_one_line(capsys, words, said):
    status, out, error = asked(capsys, words)
    assert (status, out) == (2, "")
    assert said in error
    assert error.count("\n") == 1


def test_results_are_read_and_what_one_model_lacks_is_listed(capsys, answers):
    with answers.open("a") as file:
        file.write("\nA,only here,1")
    status, out, _ = ran(capsys, "read-results", answers, "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["format"], found["models"], found["n_items"]) == ("item CSV", ["A", "B"], 11)
    assert len(found["scores"]) == 21
    assert {"model": "B", "item": "c1", "score": 0.0} in found["scores"]
    assert found["passed_over"] == []


def test_a_folder_of_helm_runs_is_read_and_a_run_finds_its_spec(capsys, helm):
    status, out, error = ran(capsys, "read-results", helm, "--json")
    assert (status, error) == (0, "")
    found = json.loads(out)
    assert (found["format"], found["models"]) == ("HELM run", ["lab/one", "lab/two"])
    assert [row["score"] for row in found["scores"]] == [1, 0, 1, 1]
    stats = helm / "work:model=lab_two" / "per_instance_stats.json"
    for files in ([stats], [stats, stats.with_name("run_spec.json")]):
        found = json.loads(ran(capsys, "read-results", *files, "--json")[1])
        assert [tuple(row.values()) for row in found["scores"]] == [
            ("lab/two", "id0", 1),
            ("lab/two", "id1", 1),
        ]
    (helm / "work:model=lab_two" / "run_spec.json").unlink()
    status, out, error = ran(capsys, "read-results", stats)
    assert (status, out) == (3, "")
    assert "its run_spec.json is missing" in error


def test_the_verdict_is_worked_out_case_by_case(capsys, answers):
    words = ("verdict", answers, "--a", "A", "--b", "B", "--margin")
    found = json.loads(ran(capsys, *words, 0.05, "--json")[1])
    # Differences of 1, 1 and -1 in ten: mean 0.1, variance (3 - 0.1)/9, Student's t of 9 is 2.2622.
    assert (found["mean_a"], found["mean_b"]) == (0.8, 0.7)
    assert found["difference"] == pytest.approx(0.1)
    assert found["standard_error"] == pytest.approx((2.9 / 9 / 10) ** 0.5)
    assert found["ci_low"] == pytest.approx(0.1 - 2.2622 * 0.179505, abs=1e-4)
    assert found["ci_high"] == pytest.approx(0.1 + 2.2622 * 0.179505, abs=1e-4)
    of_table = [found[key] for key in ("both", "only_a", "only_b", "neither", "mcnemar_p")]
    assert of_table == [6, 2, 1, 1, 1.0]
    assert (found["n_items"], found["n_attempts_a"], found["n_attempts_b"]) == (10, 10, 10)
    assert found["tier"] == "open"
    assert json.loads(ran(capsys, *words, 0.4, "--json")[1])["tier"] == "shown"


def test_the_package_of_named_models(capsys, tmp_path):
    out = tmp_path / "package.zip"
    words = ("package", "--model", "One=lab/one-1", "--model", "Two", "--cases", 20, "--out", out)
    assert ran(capsys, *words)[0] == 0
    with zipfile.ZipFile(out) as package:
        cases = package.read("cases.csv").decode().splitlines()
        assert "lab/one-1" in package.read("README.md").decode()
    assert sum(line.startswith("case-") for line in cases) == 20


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("read-results nothing.csv", 2, "nothing.csv is not there."),
        ("read-results {folder}", 3, "it is a folder: give its files, or a ZIP archive of it"),
        ("verdict {answers} --a A --b C --margin 0.05", 2, 'no result of "C"; there are: A, B.'),
        ("package --model One --out {folder}/p.zip", 2, "for two to four models, not 1."),
        ("package --protocol {answers} --out {folder}/p.zip", 3, "not the JSON that was frozen"),
        ("package --model A --model B --out {folder}/no/p.zip", 2, "p.zip cannot be written"),
    ],
)
def test_what_cannot_be_done_is_one_line(capsys, answers, words, status, said):
    given = words.format(answers=answers, folder=answers.parent).split()
    found, out, error = ran(capsys, *given)
    assert (found, out) == (status, "")
    assert said in error
    assert error.count("\n") == 1

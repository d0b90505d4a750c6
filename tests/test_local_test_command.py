"""The commands of a local test: numbers as JSON and as a sentence; faults in one line."""

import json
import math
import zipfile
from datetime import date

import pytest

from core.local_test.plan import Basis, TestedModel, plan, protocol
from tests.results.samples_of_items import helm_parts
from tests.test_recommend_command import shares


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
    stats, spec = helm_parts()
    for model in ("lab/one", "lab/two"):
        folder = tmp_path / "runs" / f"work:model={model.replace('/', '_')}"
        folder.mkdir(parents=True)
        spec["adapter_spec"]["model"] = model
        (folder / "run_spec.json").write_text(json.dumps(spec))
        (folder / "per_instance_stats.json").write_text(json.dumps(stats))
        (folder / "scenario_state.json").write_text('{"request_states": []}')
    return tmp_path / "runs"


@pytest.fixture
def agreed(tmp_path):
    models = (TestedModel("A", "lab/one-1", reference=True), TestedModel("B", "B"))
    found = plan("notes", models, judged="rubric", margin=0.3, bases=[Basis("assumed", 0.2)])
    made, path = protocol(found, date.today()), tmp_path / "protocol.json"
    path.write_text(made.as_json())
    return made, path


def test_the_document_and_the_sentence_of_a_plan(cli):
    words = "--margin 0.05 --difference 0 --discordance 0.2 --power 0.9 --json"
    status, out, error = cli("plan", *words.split())
    assert (status, error) == (0, "")
    assert json.loads(out) == {
        "n_cases": 843,  # 10.507 · 0.2/0.0025 = 840.6, and Student's t
        "n_cases_shown": 843,
        "alpha": 0.025,
        "power": 0.9,
        "margin": 0.05,
        "basis": "assumed: discordance 0.2, true difference 0; Student's t; the normal formula "
        "gives 841",
    }
    assert cli("plan", *["--margin", "0.05", "--sd", "0.2", "--difference", "-0.01"])[1] == (
        "You need 199 cases to find out whether it is likely within 5 points, with a power of 80 % "
        "(assumed: standard deviation 0.2, true difference -0.01; Student's t; the normal "
        "formula gives 197). To show it takes 201, since graded answers can hide losses that are "
        "rare.\n"
    )


def test_what_a_test_of_two_is_worth_by_hand(cli, ask):
    """NOHARM has three dimensions, so that 3 points are assumed; a fifth of the cases differs."""
    models = ["Gemini 3 Pro", "Claude Haiku 4.5"]
    given = ("--worth", "--suite", "noharm", "--models", ",".join(models))
    found = ask("plan", *given)
    assert list(found) == [
        *("models", "n_cases", "loss_without", "loss_with", "p_wrong_without", "p_wrong_with"),
        *("cost_usd", "rater_hours"),
    ]
    assert (found["models"], found["n_cases"]) == (models, 75)
    assert found["loss_without"] == pytest.approx(0.0169257, abs=1e-7)  # 0.03/√π
    # v = 0.2/150 = 0.00133333; s/√(s² + v) = 0.03/0.0472582 = 0.634811
    assert found["loss_with"] == pytest.approx(0.0061811, abs=1e-7)
    assert found["p_wrong_without"] == pytest.approx(0.3187, abs=0.013)  # 1 − Φ(2/(3√2))
    assert 0.1 < found["p_wrong_with"] <= 0.125
    assert found["rater_hours"] == 12.5  # 2 raters · 5 minutes · 75
    # 75 of the 10,000 requests of a month.
    rows = ask("shortlist", "--suite", "noharm")["rows"]
    usd = [row["monthly_cost_usd"] for row in rows if row["model"] in models]
    assert found["cost_usd"] == pytest.approx(75 * sum(usd) / 10_000)
    said = cli("plan", *given)[1]
    assert said.startswith(
        "75 cases for each of these 2 models lower the chance of choosing a model more than 2 "
    )


def test_the_public_tests_say_how_far_models_may_differ(ask):
    """s² = s_d²(1 + 1/J)/2 of the benchmarks, weighed as the suite's five categories alike."""
    a, b = "GPT-5 (2025-08-07)", "o4-mini (2025-04-16)"
    found = ask("plan", "--worth", "--suite", "medhelm", "--models", f"{a},{b}", "--margin", 0.05)
    share, _, weight = shares()
    gap, tests = share[a] - share[b], 1 / (weight**2).sum()
    spread = (weight**2 * (gap - (weight * gap).sum()) ** 2).sum() / (1 - 1 / tests) * tests
    sd = math.sqrt(spread * (1 + 1 / tests) / 2)
    assert found["loss_without"] == pytest.approx(sd / math.sqrt(math.pi))


def test_results_of_a_file_and_of_a_folder_of_runs_are_read(cli, answers, helm):
    with answers.open("a") as file:
        file.write("\nA,only-here,1")
    status, out, _ = cli("read-results", answers, "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["format"], found["models"], found["n_items"]) == ("item CSV", ["A", "B"], 11)
    assert len(found["scores"]) == 21
    assert {"model": "B", "item": "c1", "score": 0.0} in found["scores"]
    assert found["passed_over"] == []
    status, out, error = cli("read-results", helm, "--json")
    assert (status, error) == (0, "")
    found = json.loads(out)
    assert (found["format"], found["models"]) == ("HELM run", ["lab/one", "lab/two"])
    stats = helm / "work:model=lab_two" / "per_instance_stats.json"
    found = json.loads(cli("read-results", stats, "--json")[1])
    assert found["models"] == ["lab/two"]
    (helm / "work:model=lab_two" / "run_spec.json").unlink()
    status, out, error = cli("read-results", stats)
    assert (status, out) == (3, "")
    assert "its run_spec.json is missing" in error


def test_the_verdict_is_worked_out_case_by_case(cli, answers, tmp_path):
    words = ("verdict", answers, "--a", "A", "--b", "B", "--margin")
    found = json.loads(cli(*words, 0.05, "--json")[1])
    # Differences of 1, 1 and -1 in ten: mean 0.1, variance (3 - 0.1)/9, Student's t of 9 is 2.2622.
    # The score interval, -0.28 to 0.45, lies inside.
    assert (found["mean_a"], found["mean_b"]) == (0.8, 0.7)
    assert found["ci_low"] == pytest.approx(0.1 - 2.2622 * 0.179505, abs=1e-4)
    assert found["ci_high"] == pytest.approx(0.1 + 2.2622 * 0.179505, abs=1e-4)
    of_table = [found[key] for key in ("both", "only_a", "only_b", "neither", "mcnemar_p")]
    assert of_table == [6, 2, 1, 1, 1.0]
    assert (found["n_items"], found["n_attempts_a"], found["n_attempts_b"]) == (10, 10, 10)
    assert found["tier"] == "open"
    assert found["planned"] is None
    for planned, tier in ((10, "shown"), (11, "open")):
        given = (*words, 0.5, "--planned", planned, "--json")
        found = json.loads(cli(*given)[1])
        assert (found["tier"], found["planned"]) == (tier, planned)
    status, out, said = cli(*words, 0.5)
    assert (status, "open" in out) == (0, True)
    assert "warning: The tier stays open: --planned says how many were planned.\n" in said
    assert "fill in the column patient" in said
    cases = tmp_path / "cases.csv"
    cases.write_text("\n".join(["case,patient,input", *(f"c{i},p{i // 5},x" for i in range(10))]))
    words = ("verdict", answers, "--a", "A", "--b", "B", "--margin", 0.5, "--cases", cases)
    _, out, said = cli(*words, "--json")
    # A less B sums to 1 in the first patient and to 0 in the second: residuals of 0.5 and −0.5.
    assert json.loads(out)["standard_error"] == pytest.approx(math.sqrt(2 * 0.5 / 100))
    assert "10 cases come from 2 patients; the cases of one patient count together." in said


def test_the_planned_number_is_that_of_the_protocol_or_of_the_key(cli, answers, agreed, tmp_path):
    key, sheet = tmp_path / "key.csv", tmp_path / "sheet.csv"
    pairs = [(f"c{i}", *one) for i in range(4) for one in (("A", "One"), ("B", "Two"))]
    key.write_text("\n".join(["case,letter,model", *(",".join(row) for row in pairs)]))
    rated = [f"r1,{case},{letter},1" for case, letter, _ in pairs if case != "c3"]
    sheet.write_text("\n".join(["rater,case,letter,right", *rated]))
    words = ("verdict", sheet, key, "--a", "One", "--b", "Two", "--margin", 0.99, "--json")
    found = json.loads(cli(*words)[1])
    assert (found["planned"], found["n_items"], found["tier"]) == (4, 3, "open")
    assert json.loads(cli(*words, "--planned", 3)[1])["tier"] == "shown"
    words = ("verdict", answers, "--a", "B", "--b", "A", "--json")
    found = json.loads(cli(*words, "--protocol", agreed[1])[1])
    assert (found["planned"], found["margin"]) == (agreed[0].n_cases, agreed[0].margin)
    status, _, error = cli(*words, "--protocol", agreed[1], "--margin", 0.5)
    assert (status, error.count("\n")) == (2, 1)
    assert f"The protocol has a margin of {agreed[0].margin:g}: leave out --margin." in error
    assert "Give --margin, or the --protocol that has it." in cli(*words)[2]
    # Held the other way round the tier would be of the reverse question, so it is refused.
    turned = ("verdict", answers, "--a", "A", "--b", "B", "--protocol", agreed[1])
    assert cli(*turned) == (
        2,
        "",
        "error: By the protocol A is what the others are compared with: give it as --b.\n",
    )


def test_the_package_goes_by_the_protocol(cli, agreed, tmp_path):
    made, path = agreed
    out = tmp_path / "package.zip"
    assert cli("package", "--protocol", path, "--out", out)[0] == 0
    with zipfile.ZipFile(out) as package:
        cases = package.read("cases.csv").decode().splitlines()
        assert "lab/one-1" in package.read("README.md").decode()
    assert sum(line.startswith("case-") for line in cases) == made.n_cases
    status, _, error = cli("package", "--protocol", path, "--out", tmp_path / "no" / "p.zip")
    assert (status, error.count("\n")) == (2, 1)
    assert "p.zip cannot be written" in error
    gone = tmp_path / "gone.json"
    status, _, error = cli("package", "--protocol", gone, "--out", out)
    assert (status, error) == (2, f"error: {gone} is not there.\n")


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        *(
            (f"plan {words}", 2, said)
            for words, said in (
                ("--margin 5 --sd 0.2", "a share from 0 to 1, so 0.05 is 5 of 100"),
                ("--margin 0.05", "one of the arguments --discordance --sd --worth is required"),
                ("--margin 0.05 --sd 0.2 --difference -0.05", "is 5 points worse is never shown"),
                ("--margin 0.05 --discordance nan", "must be above 0 and at most 1; it is nan"),
                ("--sd 0.2", "required: --margin"),
                ("--worth --models a,b", "--worth, --models and --suite are given together"),
                ("--worth --power 0.9 --models a,b --suite noharm", "--difference nor --power"),
                ("--worth --models a,b --suite medhelm", "no model a among those of suite medhelm"),
                ("--worth --models a,b --suite nowhere", 'no suite "nowhere"; there are medhelm'),
                ("--worth --models gpt-4o-0806 --suite bridge", "2 to 4 models; --models has 1"),
            )
        ),
        ("read-results nothing.csv", 2, "nothing.csv is not there."),
        ("read-results {folder}", 3, "it is a folder: give its files, or a ZIP archive of it"),
        ("verdict {answers} --a A --b C --margin 0.05", 2, 'no result for "C"; there are: A, B.'),
        ("package --protocol {answers} --out {folder}/p.zip", 3, "not the JSON that was frozen"),
    ],
)
def test_what_cannot_be_done_is_one_line(cli, answers, words, status, said):
    given = words.format(answers=answers, folder=answers.parent).split()
    found, out, error = cli(*given)
    assert (found, out) == (status, "")
    assert said in error
    assert error.count("\n") == 1

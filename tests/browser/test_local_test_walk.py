"""A local test from the recommendation to the formulary, with a real tool in between."""

import csv
import io
import json
import os
import re
import subprocess
import zipfile

import pytest
from driving import parsed, start

pytestmark = pytest.mark.tools
QUESTION = "evidence=MedHELM&task=Documentation"
R1, LLAMA = "DeepSeek R1", "Llama 3.3 Instruct (70B)"
PROPOSED = f"2 of 13 models fit, and {R1} scores higher", "Test it on your own cases."


@pytest.fixture
def local(tmp_path, browser):
    """A server for the person in front of it, who may keep things."""
    running = start(tmp_path / "local", FORMULARY_LOCAL_RUN="1")
    yield running
    running.stop()


def test_from_the_recommendation_to_the_formulary(local, reader, inspect, tmp_path):
    mine = reader(local)
    mine.open(query=QUESTION)
    mine.says(*PROPOSED)
    mine.main.get_by_role("link", name="Plan a local test").click()
    mine.at("Plan")
    mine.says("cases tell whether")
    mine.fill("Loss that you would accept, points", 15)
    mine.says("within 15 points")
    protocol = json.loads(saved(mine, "Protocol (JSON)"))
    assert [model["name"] for model in protocol["models"]] == [R1, LLAMA]

    package = saved(mine, "Package (ZIP)")
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        archive.extractall(tmp_path)
    cases = list(csv.DictReader((tmp_path / "cases.csv").open(encoding="utf-8-sig")))
    assert len(cases) == protocol["n_cases"]

    logs = run_inspect(tmp_path, *inspect)

    mine.go("Results")
    upload = mine.main.locator("[data-testid=stFileUploaderDropzoneInput]")
    upload.first.set_input_files(logs)
    mine.says("Case by case")
    mine.unfold("Protocol and case file")
    (tmp_path / "protocol.json").write_text(json.dumps(protocol))
    upload.nth(1).set_input_files(tmp_path / "protocol.json")
    for number, name in ((1, R1), (2, LLAMA)):
        # Signs that nobody sees break up what could become a link.
        box = mine.main.get_by_role("combobox", name=re.compile(rf"model\W*{number} is"))
        box.click()
        mine.page.get_by_role("option", name=name, exact=True).click()
        mine.idle()
    # The tool's model answers all cases alike, so nothing differs.
    verdict = f"On your {len(cases)} cases {LLAMA} is as good within 15 points: shown (+0.0, −"
    mine.says(verdict, "Public evidence said", "do not tell which version answered")

    mine.go("Answer")
    mine.says(verdict)
    memo = mine.export("Decision memo (HTML)").decode()
    assert "On your own cases:" in memo
    mine.unfold("Keep this shortlist")
    mine.keep("After our own test")
    mine.go("Kept lists")
    mine.says("Local test:", "On your")
    mine.unfold("Decide, rename or share")
    mine.choose("Status", "adopted")
    mine.main.get_by_role("button", name="Save changes").click()
    mine.says("After our own test was changed.")

    # A colleague sees the same question, and nothing of the test.
    mine.go("Answer")
    theirs = reader(local)
    theirs.open(mine.page.url)
    theirs.says(*PROPOSED)
    assert "On your" not in theirs.main.inner_text()
    assert len(parsed(theirs.download())) == len(parsed(mine.download()))


def saved(one, label):
    """Press a button for a file, and return its bytes."""
    return one.take(one.main.get_by_role("button", name=label, exact=True))[1]


def run_inspect(folder, path, vocabulary):
    """Type what the package's README prints, with the tool's model that answers by itself."""
    readme = (folder / "README.md").read_text("utf-8")
    runs = [line for line in readme.splitlines() if line.startswith("inspect eval")]
    assert len(runs) == 2
    for number, line in enumerate(runs, 1):
        environment = os.environ | {
            "PATH": f"{path}:{os.environ['PATH']}",
            f"INSPECT_MODEL_{number}": f"mockllm/model-{number}",
            "TIKTOKEN_CACHE_DIR": vocabulary,
        }
        subprocess.run(["bash", "-c", line], cwd=folder, env=environment, check=True)
    logs = sorted((folder / "results/inspect").iterdir())
    assert len(logs) == 2
    return logs

"""The tabs of a local test, and what they bring to the other pages."""

import json
import math
import re

import numpy as np
import pytest
from reading import number, press, said, table, tables, turn_to

from core.answers import local_test
from core.answers.asked import ask
from core.domain import Question
from core.local_test.plan import Basis, Protocol, plan, protocol
from core.words.local_test import OTHER_MODELS
from core.words.market import usual_test
from pages.components import evidence
from pages.recommend import documents
from tests.local_test.test_ours import LOGS
from tests.pages.conftest import ROOT

PLAN, RESULTS = "local_test/plan", "local_test/results"
R1, LLAMA = "DeepSeek R1", "Llama 3.3 Instruct (70B)"
OWN_CASES = {"evidence": "MedHELM", "cases": "Our own"}
PAIR = {**OWN_CASES, "test_against": R1, "test_models": LLAMA}
# (z of 97.5 % + z of 80 % or 90 %) squared, from a printed table of the normal distribution.
Z = {"80 %": (1.95996 + 0.84162) ** 2, "90 %": (1.95996 + 1.28155) ** 2}


def cases(at):
    return number(r"to show [\d.]+ points.*? you need ([\d,]+)", at)[0]


def test_the_spread_of_a_judges_rubric_is_in_its_points(visit):
    asked = {"evidence": "MedHELM", "test_against": R1, "test_models": LLAMA, "test_spread": "50"}
    at = visit(PLAN, **asked, cases="Open cases, no patient data", case_set="HealthBench hard")
    spread = at.number_input(key="test_spread")
    assert (spread.label, spread.placeholder, spread.value) == (
        *("Standard deviation of the differences, points", "25 points", 50),
    )
    assert cases(at) == pytest.approx(Z["80 %"] * 0.5**2 / 0.05**2, rel=0.02)
    at = visit(PLAN, **PAIR, judged="Marks of 1 to 5")
    spread = at.number_input(key="test_spread_marks")
    assert (spread.label[-5:], spread.placeholder, spread.max) == ("marks", "1 mark", 4)


@pytest.mark.parametrize("evidence_name", ["All evidence", "MedHELM"])
def test_notes_are_judged_by_marks_unless_the_link_says_otherwise(visit, evidence_name):
    own = {"evidence": evidence_name, "cases": "Our own"}
    for asked, expected in (
        ({"task": "Documentation"}, "Marks of 1 to 5"),
        ({"task": "Patient messages"}, "Marks of 1 to 5"),
        ({"task": "Decision support"}, "Right or wrong"),
        ({"task": "Documentation", "judged": "Right or wrong"}, "Right or wrong"),
    ):
        judged = visit(PLAN, **own, **asked).segmented_control(key="judged")
        assert judged.value == expected


@pytest.mark.parametrize(("n", "which"), [("5", "Our own"), ("0", "Our own"), ("5000", "Open")])
def test_too_few_or_too_many_cases_are_said_and_answer_nothing(visit, n, which):
    which = "Open cases, no patient data" if which == "Open" else which
    asked = {**PAIR, "cases": which, "case_set": "HealthBench hard", "test_cases": n}
    at = visit(PLAN, **asked)
    most = "1,000" if n == "5000" else "100,000"
    told = f"A test here takes 10 to {most} cases; these are {int(n):,}."
    assert told in "".join(one.value for one in (*at.error, *at.info)).replace("\\", "")
    assert "With 100 cases" not in said(at)
    assert at.number_input(key="test_cases").value == int(n)
    at.number_input(key="test_cases").set_value(50).run()
    assert "With 50 cases" in said(at)


def test_the_cases_follow_from_public_items_or_from_what_is_set(visit, bundled):
    at = visit(PLAN, **PAIR)
    # MedAgentsBench, which has both: 19.3 % of 6,978 questions, as `pair` counts them.
    (share,) = number(r"the other wrong on ([\d.]+) % of the cases", at)
    assert share == pytest.approx(19.3, abs=0.05)
    assert "Measured on MedAgentsBench, 6,978 items" in said(at)
    assert cases(at) == pytest.approx(Z["80 %"] * 0.19347 / 0.05**2, abs=4)
    # What 100 cases show, from the same formula.
    shown = number(r"no more than ([\d.]+) points worse", at)[0]
    assert shown == pytest.approx(100 * math.sqrt(Z["80 %"] * 0.19347 / 100), abs=0.05)
    at.multiselect(key="test_models").set_value([]).run()
    assert [one.value.replace("\\", "") for one in at.info] == [
        f"Choose a model to compare with {R1}."
    ]
    at = visit(PLAN, **OWN_CASES, test_against="GPT-4o (2024-05-13)")
    assert at.multiselect(key="test_models").value[0] == "GPT-5 mini (2025-08-07)"
    assert "worse than GPT-4o (2024-05-13) on" in said(at)
    for asked, expected in [
        (
            {"test_spread": "20", "power": "90 %", "test_difference": "-2"},
            Z["90 %"] * (0.20 - 0.02**2) / 0.03**2,
        ),
        # 1 mark of 1 to 5 is a quarter of the scale.
        ({"judged": "Marks of 1 to 5", "test_spread_marks": "2"}, Z["80 %"] * 0.5**2 / 0.05**2),
    ]:
        at = visit(PLAN, **PAIR, **asked)
        assert cases(at) == pytest.approx(expected, rel=0.02, abs=4)
        assert "Assumed" in said(at)
    at = visit(PLAN, **OWN_CASES, test_against=R1, test_models="GPT-6.1 sol")
    # OpenAI asks $2 and $10 per million tokens; right or wrong on 20 % of cases is assumed.
    assert "GPT-6.1 sol is no more than 12.5 points worse than DeepSeek R1" in said(at)
    assert "20 % of the cases" in said(at)
    found = table(at, "Version").set_index("Model")
    assert found.loc["GPT-6.1 sol", "Version"] == "openai:gpt-6.1-sol"
    at = visit(PLAN, **OWN_CASES, test_against="GPT-6.1 sol", test_models=R1)
    assert "DeepSeek R1 is no more than 12.5 points worse than GPT-6.1 sol" in said(at)


def items(scores_a, scores_b, a=LLAMA, b=R1):
    lines = ["model,item,score,cost"]
    for i, (x, y) in enumerate(zip(scores_a, scores_b, strict=True)):
        lines += [f"{a},c{i},{x},0.5", f"{b},c{i},{y},"]
    return "\n".join(lines).encode()


@pytest.fixture
def handed_in(visit):
    def run(*files, planned=None, **asked):
        at = visit(RESULTS, **PAIR | asked)
        at.number_input(key="planned_cases").set_value(planned)
        at.file_uploader(key="result_files").set_value(list(files)).run()
        assert not at.exception, at.exception
        return at

    return run


# 60 cases: both right on 40, only the candidate on 6, only the other on 4, neither on 10.
OURS = [1] * 46 + [0] * 14
THEIRS = [1] * 40 + [0] * 6 + [1] * 4 + [0] * 10
OWN = ("own.csv", items(OURS, THEIRS), "text/csv")


def test_the_verdict_by_hand_and_what_cannot_be_judged_is_one_sentence(handed_in):
    at = handed_in(OWN, test_margin="20", test_difference="0", planned=60)
    # 2/60; few differ, so it is the score interval: a test of either end has p = 2.5 %. Student's
    # t, −7.3 to +13.9, is narrower.
    found = number(
        r"On your ([\d,]+) cases .*?\(\+?([\d.]+) points, .* −([\d.]+) to \+([\d.]+)\)", at
    )
    assert found == [60, 3.3, 7.9, 14.9]
    assert "shown" in said(at)
    counts = r"Right both ([\d,]+), only the candidate (\d+), only the other (\d+), neither (\d+)"
    assert number(counts, at) == [40, 6, 4, 10]
    shown = table(at, "Answers").set_index("Model")
    assert shown["Points"][LLAMA] == pytest.approx(100 * 46 / 60)
    assert shown["Cost per case, $"][LLAMA] == 0.5
    assert math.isnan(shown["Cost per case, $"][R1])
    assert "Without the protocol" in said(at)
    at = handed_in(("own.csv", b"model,item,score\nx,1,1\n", "text/csv"))
    (told,) = (*at.error, *at.info)
    assert "results of one model only" in told.value


def test_below_the_planned_cases_it_stays_open(handed_in):
    at = handed_in(OWN, planned=100)
    assert number(r"60 of (\d+) planned cases: until the rest are in", at) == [100]
    assert "The cases name no patient" in said(at)
    whose = b"case,patient\n" + b"\n".join(b"c%d,p%d" % (i, i // 2) for i in range(60))
    at.file_uploader(key="case_file").set_value(("c.csv", whose, "text/csv")).run()
    assert "60 cases come from 30 patients" in said(at)


def test_without_a_protocol_the_margin_is_the_loss_that_is_accepted(handed_in):
    # 120 cases: 83 both right, 5 only the candidate, 11 only the other: (5 − 11)/120 = −5 points,
    # which neither 5 points nor the 13.8 that 120 planned cases would show may call as good.
    content = items([1] * 88 + [0] * 32, [1] * 83 + [0] * 5 + [1] * 11 + [0] * 21)
    at = handed_in(("own.csv", content, "text/csv"), test_cases="40")
    assert "On your 120 cases it is open whether" in said(at)
    assert "within 5 points: you have not said how many cases were planned (−5.0 points," in said(
        at
    )
    assert "Margin of 5 points: the loss that you would accept" in said(at)
    assert "Upload it, or enter how many cases were planned, above." in said(at)
    assert "planned cases:" not in said(at)


def test_the_verdict_follows_products_over_all_evidence(visit, monkeypatch):
    pair = {"test_against": "GPT-5.2", "test_models": "DeepSeek V3.2"}
    asked = {"evidence": "All evidence", "task": "Documentation", "cases": OWN_CASES["cases"]}
    at = visit(RESULTS, **asked, **pair, test_margin="20")
    at.number_input(key="planned_cases").set_value(60)
    own = ("own.csv", items(OURS, THEIRS, "DeepSeek V3.2", "GPT-5.2"), "text/csv")
    at.file_uploader(key="result_files").set_value([own]).run()
    told = re.search(r"On your 60 cases .*?: shown", said(at))[0].replace("*", "")
    assert "DeepSeek V3.2 is as good as GPT-5.2 within 20 points" in told
    assert told in said(turn_to(at, "recommend/answer"))
    at.query_params["model"] = "GPT-5.2"
    assert told in said(turn_to(at, "replace/candidates"))
    made = {}
    monkeypatch.setattr(
        documents, "button", lambda label, **file: made.update({label: file["data"]})
    )
    at.session_state["export"] = True
    turn_to(at, "recommend/answer")
    assert told in made["Decision memo (HTML)"]().decode()
    # The box is empty when its tab is opened again; the results are there to be removed.
    at.session_state["export"] = False
    assert told in said(turn_to(at, "local_test/results"))
    assert len(table(at, "Answers")) == 2
    assert at.number_input(key="planned_cases").value == 60
    assert "These results are held for this session." in said(at)
    press(at, "Remove")
    assert not tables(at, "Answers")
    assert told not in said(at)
    assert told not in said(turn_to(at, "recommend/answer"))


def test_results_stay_until_their_file_is_taken_out_of_the_box(handed_in):
    at = handed_in(OWN, planned=60)
    at = turn_to(turn_to(at, "local_test/plan"), "local_test/results")
    assert "On your 60 cases" in said(at)
    others = ("own.csv", items(OURS[:30], THEIRS[:30]), "text/csv")
    at.file_uploader(key="result_files").set_value([others]).run()
    assert "30 of 60 planned cases" in said(at)
    at.file_uploader(key="result_files").set_value([]).run()
    assert not tables(at, "Answers")
    assert not tables(turn_to(turn_to(at, "local_test/plan"), "local_test/results"), "Answers")


def test_the_verdict_is_with_the_public_one_and_no_list_keeps_it(
    handed_in, visit, monkeypatch, tmp_path
):
    """Files of a tool name the models otherwise than the plan does."""
    monkeypatch.setenv("FORMULARY_LOCAL_RUN", "1")
    monkeypatch.setenv("FORMULARY_DATABASE_URL", f"sqlite:///{tmp_path / 'kept.sqlite'}")
    content = items(OURS, THEIRS, "mock/model-2", "mock/model-1")
    at = handed_in(("own.csv", content, "text/csv"), test_margin="20", planned=60)
    assert "Public evidence said" not in said(at)
    for n, name in ((1, R1), (2, LLAMA)):
        at.selectbox(key=f"meant_mock/model-{n}").select(name).run()
    assert "Public evidence said: worse" in said(at)
    said_there = re.search(r"(On your 60 cases .*?): shown", said(at))[1].replace("*", "")
    assert said_there.startswith(
        f"On your 60 cases {LLAMA} is as good as DeepSeek R1 within 20 points"
    )
    at.query_params["model"] = R1  # in use
    assert said_there in said(turn_to(at, "replace/candidates"))
    assert said_there in said(turn_to(at, "recommend/answer"))
    made = {}
    monkeypatch.setattr(
        documents, "button", lambda label, **file: made.update({label: file["data"]})
    )
    at.session_state["export"] = at.session_state["keep_fold"] = True
    at.run()
    memo = made["Decision memo (HTML)"]().decode()
    assert f"<strong>{said_there}" in memo
    next(box for box in at.text_input if box.label == "Name").set_value("After our own test")
    press(at, "Keep")
    kept = said(turn_to(at, "recommend/kept"))
    assert "After our own test" in kept
    assert "your 60 cases" not in kept
    assert b"your 60 cases" not in (tmp_path / "kept.sqlite").read_bytes()
    # A colleague sees the same question, and nothing of the test.
    assert "On your 60 cases" not in said(visit("recommend/answer", evidence="MedHELM"))


def test_deviations_from_the_protocol_are_said(visit, handed_in, bundled):
    tested = local_test.tested_models(ask(bundled, Question(), evidence.this_day()), R1, (LLAMA,))
    planned = plan("notes", tested, judged="right/wrong", margin=0.1, bases=[Basis("assumed", 0.2)])
    agreed = protocol(planned, evidence.this_day())
    at = handed_in(OWN)
    content = agreed.as_json().encode()
    at.file_uploader(key="protocol_file").set_value(("p.json", content, "application/json")).run()
    assert f"{agreed.n_cases:,} were planned" in said(at)
    # The margin is that of the protocol, whatever the tab asks.
    assert "within 10 points" in said(at)
    # It may come with the results, and the box says where its margin is from.
    protocol_file = ("protocol-1.json", content, "application/json")
    together = handed_in(OWN, protocol_file)
    assert f"Margin of 10 points: as agreed in protocol {agreed.sha256[:12]}" in said(together)
    assert f"{agreed.n_cases:,} were planned" in said(together)
    assert "protocol-1.json was read as the protocol." in said(together)
    assert OTHER_MODELS not in [it.value for it in together.warning]
    others = handed_in(("o.csv", items(OURS, THEIRS, "big", "small"), "text/csv"), protocol_file)
    assert OTHER_MODELS in [it.value for it in others.warning]
    changed = json.loads(content) | {"margin": 0.2}
    content = json.dumps(changed).encode()
    at.file_uploader(key="protocol_file").set_value(("p.json", content, "application/json")).run()
    assert "The protocol cannot be read" in at.error[0].value


def test_a_missing_third_model_takes_no_case_from_a_pair(handed_in):
    models = ((R1, "r1"), (LLAMA, "llama"), ("Third", "third"))
    rest = (Basis("assumed", 0.2), 0, 5.0, "analysis", "stopping", evidence.this_day())
    agreed = Protocol("notes", models, "right/wrong", 0.2, 0.0, 0.8, 50, *rest)
    at = handed_in(OWN)
    content = agreed.as_json().encode()
    at.file_uploader(key="protocol_file").set_value(("p.json", content, "application/json")).run()
    # The pair has 60 cases of the 50 planned, whatever a third model has.
    assert "is as good as DeepSeek R1 within 20 points: shown" in said(at)
    assert "60 cases have a result of both models; 50 were planned, 10 too many." in said(at)
    assert "Third (third) was to be tested and has no result." in said(at)


@pytest.mark.parametrize(
    ("planned", "against"),
    [(R1, LLAMA), (LLAMA, R1), (R1, "GPT-4o (2024-05-13)")],
    ids=["as agreed", "the other way round", "another"],
)
def test_models_are_compared_in_the_order_of_their_protocol(handed_in, planned, against):
    """In the file the second candidate is first, as by the alphabet; a session may plan another."""
    models = ((R1, "r1"), (LLAMA, "llama"), ("Another", "another"))
    rest = (Basis("assumed", 0.2), 0, 5.0, "analysis", "stopping", evidence.this_day())
    agreed = Protocol("notes", models, "right/wrong", 0.2, 0.0, 0.8, 50, *rest)
    third = [f"Another,c{i},{score}," for i, score in enumerate(THEIRS)]
    head, *others = OWN[1].decode().split("\n")
    shuffled = ("own.csv", "\n".join([head, *third, *others]).encode(), "text/csv")
    protocol_file = ("p.json", agreed.as_json().encode(), "application/json")
    at = handed_in(shuffled, protocol_file, test_against=planned, test_models=against)
    boxes = {box.label: box.value for box in at.main.selectbox}
    assert not any(label.endswith(" is") for label in boxes)
    assert (boxes["Candidate"], boxes["Compared with"]) == (LLAMA, R1)


JURY = "local_test/jury"


def csv_of(*raters):
    """Write ratings of (name, role, scores by instance); ``None`` for a gap."""
    lines = ["rater,role,instance,score"]
    for name, role, scores in raters:
        lines += [f"{name},{role},n{i},{s}" for i, s in enumerate(scores) if s is not None]
    return "\n".join(lines).encode()


A = [1, 2, 3, 4, 5, 2, 3, 4, 1, 5, 3, 2]
B = [1, 3, 3, 4, 4, 2, 2, 5, 1, 4, 3, 2]


@pytest.fixture
def upload(visit):
    def run(content):
        at = visit(JURY)
        at.file_uploader(key="ratings_file").set_value(("own.csv", content, "text/csv")).run()
        assert not at.exception, at.exception
        return at

    return run


def test_the_answer_is_in_words_and_table(upload):
    at = upload(csv_of(("A", "clinician", A), ("B", "clinician", B), ("J", "jury", B[:10])))
    table = at.dataframe[0].value
    assert list(table["Compared"][:7]) == [
        "Your jury and the mean of your clinicians",
        "Two of your clinicians, average over pairs",
        "Your jury and the clinicians without A",
        "A and the clinicians without A",
        "Your jury and the clinicians without B",
        "B and the clinicians without B",
        "A and B",
    ]
    r = np.corrcoef(A, B)[0, 1]
    assert table["Agreement"][6] == pytest.approx(2 * r / (1 + r))
    published = table[table["Compared"].str.startswith("MedHELM")]
    assert list(published["Agreement"]) == [0.474, 0.426, 0.305, 0.458, 0.625, 0.52]
    assert list(table["Instances"][:3].astype(object).fillna(0)) == [10, 0, 10]
    assert f"{table['Agreement'][0]:.2f} (" in said(at)
    assert "n10: not scored" in said(at)


def test_the_finding_follows_the_interval_and_too_few_is_a_calm_sentence(upload):
    for jury, finding in [
        ([5 - s for s in A], "less than one of them agrees with the others"),
        (A, "Your jury agrees with your clinicians"),
    ]:
        others = [s + (i % 3 == 0) for i, s in enumerate(A)]
        at = upload(csv_of(("A", "clinician", A), ("B", "clinician", others), ("J", "jury", jury)))
        assert finding in said(at)
    for kind, content, words in [
        ("info", csv_of(("A", "clinician", A[:2]), ("J", "jury", B[:2])), "at least 3 instances"),
        ("error", csv_of(("A", "nurse", A)), 'own.csv, row 2: the role "nurse" is neither'),
    ]:
        at = upload(content)
        assert (len(at.info), len(at.error)) == ((1, 0) if kind == "info" else (0, 1))
        assert words in getattr(at, kind)[0].value.replace("\\", "")
    at = upload(
        csv_of(("A", "clinician", [*A, 1]), ("J", "jury", B), ("**B**", "clinician", [3])),
    )
    (shown,) = (caption.value for caption in at.caption if "one instance only" in caption.value)
    assert shown.startswith("\\*\\*B\\*\\*")


@pytest.mark.parametrize(
    ("link", "planned"),
    [
        pytest.param({"test_cases": "60"}, 60, id="the link's number"),
        pytest.param({}, None, id="nobody said"),
    ],
)
def test_the_planned_cases_start_from_those_of_the_link(visit, link, planned):
    at = visit(RESULTS, **PAIR, **link)
    assert at.number_input(key="planned_cases").value == planned
    at.number_input(key="planned_cases").set_value(80).run()
    assert at.number_input(key="planned_cases").value == 80


def test_over_all_evidence_a_plan_starts_from_what_the_market_names(visit):
    at = visit(PLAN, evidence="All evidence", task="Documentation")
    named = [at.selectbox(key="test_against").value, *at.multiselect(key="test_models").value]
    title = said(visit(evidence="All evidence", task="Documentation"))
    (said_first,) = re.findall(r"Start with (.*)", title)
    assert re.split(r", | and ", said_first) == named
    # The link to it says what the plan takes as it opens.
    at = visit(PLAN, evidence="All evidence", task="Documentation", cases="Our own")
    hours = number(r"raters need (\d+) hours in all", at)[0]
    n_cases = at.number_input(key="test_cases").value
    assert usual_test() == f"{n_cases:g} cases, {hours:g} hours of rating"
    # A model of no suite, and one that has ended; both as a link from Replace names them.
    asked = {"test_against": "GPT-4o (2024-11-20)", "test_models": ["GPT-5.2", "GPT-6.1 sol"]}
    at = visit(PLAN, evidence="All evidence", **asked)
    assert not at.warning
    assert list(table(at, "Version")["Model"]) == [asked["test_against"], *asked["test_models"]]
    assert not visit(RESULTS, evidence="All evidence").error


def test_a_kept_test_on_open_cases_has_a_column_of_its_own(visit, monkeypatch, tmp_path):
    monkeypatch.setenv("FORMULARY_LOCAL_RUN", "1")
    for name in ("catalogue", "facts", "snapshots"):
        (tmp_path / name).symlink_to(ROOT / "data" / name)
    monkeypatch.setenv("FORMULARY_DATA", str(tmp_path))
    asked = {"evidence": "All evidence", "task": "Documentation", "test_models": "DeepSeek V3.2"}
    at = visit(RESULTS, **asked, test_against="GPT-5.2")
    assert "Ours" not in said(visit("recommend/answer", **asked))
    at.file_uploader(key="result_files").set_value([(*it, "application/json") for it in LOGS]).run()
    assert not at.exception, at.exception
    assert "Open cases: ACI-Bench, public since June 2023. Judged by Kimi K2.5." in said(at)
    assert not any("who a patient is" in one.value for one in at.markdown)
    press(at, "Keep on this server")
    assert "Kept on this server" in said(at)
    shown = said(visit("recommend/answer", **asked))
    assert "Ours: ACI-Bench" in shown
    assert "count towards any grade" in shown
    (row,) = re.findall(r"\| B \| \[GPT-5\.2\].*", shown.replace("\\", ""))
    assert "| 1 of 2, 2 cases |" in row
    place = "Your own test: GPT-5.2 was 1st of 2 on ACI-Bench. Run by you, kept on"
    assert place in said(visit("model/known", model="GPT-5.2"))
    assert place in said(visit("replace/candidates", evidence="All evidence", in_use="GPT-5.2"))
    assert "Your own test" not in said(visit("model/known", model="GPT-5.5"))
    at = visit("data/own_results", **asked)
    press(at, "Remove")
    assert "Ours" not in said(visit("recommend/answer", **asked))

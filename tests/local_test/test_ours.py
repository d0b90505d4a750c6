"""A hospital's own tests on open cases: kept, shown next to the published lines, and discarded."""

import json
from dataclasses import asdict, replace
from datetime import date

import pytest

from core.answers import open_cases
from core.domain import BadDataError
from core.local_test import ours
from core.local_test.ours import OwnTest
from core.local_test.verdict import verdict
from core.results import take, together
from core.words import local_test as words

DAY = date(2026, 11, 27)


def log(model, name, scores, **package):
    """Write an Inspect log as the package of open cases leaves it."""
    about = {"case_set": "aci-bench", "judge": "Kimi K2.5", "models": {model: name}} | package
    samples = [
        {"id": case, "epoch": 1, "scores": {"facts_kept": {"value": score}}}
        if score is not None
        else {"id": case, "epoch": 1, "error": {"message": "503"}}
        for case, score in scores.items()
    ]
    whole = {
        "version": 2,
        "status": "success",
        "eval": {"model": model, "task": "notes", "metadata": about},
        "results": {"scores": [{"name": "facts_kept", "scorer": "facts_kept"}]},
        "samples": samples,
    }
    return f"{name}.json", json.dumps(whole).encode()


LOGS = (
    log("openai/azure/gpt-5.2", "GPT-5.2", {"D1": 0.5, "D2": 0.75, "D3": 1.0}),
    log("openai-api/azure/x", "DeepSeek V3.2", {"D1": 0.75, "D2": 0.5, "D3": None}),
)
KNOWN = {"GPT-5.2": "GPT-5.2", "DeepSeek V3.2": "DeepSeek V3.2"}


def test_a_test_is_the_mean_over_the_cases_that_all_answered(bundled):
    results = together(take(LOGS))
    # A failed case is missing and not wrong, and that is said.
    assert any("1 answer was skipped: the run failed there" in it for it in results.passed_over)
    test = open_cases.own_test(bundled, results, KNOWN, DAY)
    assert test == OwnTest(
        *("aci-bench", "2026-11-27", 2, ("Kimi K2.5",)),
        (("DeepSeek V3.2", 0.625), ("GPT-5.2", 0.625)),
    )
    # Equal means share the better place; of another model nothing is known.
    assert [test.place(name) for name in (*KNOWN, "o3")] == [1, 1, None]
    other = together(take([log("a", "GPT-5.2", {"D1": 1.0}, case_set="of nobody")]))
    assert open_cases.own_test(bundled, other, KNOWN, DAY) is None
    of_one_maker = open_cases.of_one_maker(bundled, "GPT-5.5", ("GPT-5.2", "DeepSeek V3.2", "x"))
    assert of_one_maker == ("GPT-5.2",)


def test_where_persons_rated_theirs_alone_are_kept_as_in_a_verdict(bundled):
    """Rater 1 rated both, 0.25 and 0.5 against 0.75 and 1.0; rater 2 rated GPT-5.2 alone."""
    rows = [("GPT-5.2", "D1", 0.25, "r1"), ("GPT-5.2", "D2", 0.5, "r1")]
    rows += [("DeepSeek V3.2", "D1", 0.75, "r1"), ("DeepSeek V3.2", "D2", 1.0, "r1")]
    rows += [("GPT-5.2", "D1", 0.0, "r2"), ("GPT-5.2", "D2", 0.0, "r2")]
    sheet = "\n".join(["model,item,score,rater", *(",".join(map(str, row)) for row in rows)])
    results = together(take([*LOGS, ("rated.csv", sheet.encode())]))
    test = open_cases.own_test(bundled, results, KNOWN, DAY)
    assert (test.judges, test.n_cases) == ((), 2)
    assert test.scores == (("DeepSeek V3.2", 0.875), ("GPT-5.2", 0.375))
    found = verdict(results, "GPT-5.2", "DeepSeek V3.2", 0.1, planned=2, candidates=())
    assert found.difference.difference == pytest.approx(0.375 - 0.875, abs=1e-12)


@pytest.mark.parametrize(
    ("logs", "known"),
    [
        (LOGS, {}),
        # No case that both answered.
        ((LOGS[0], log("openai-api/azure/x", "DeepSeek V3.2", {"D1": None, "D9": 1.0})), KNOWN),
    ],
)
def test_without_a_known_model_or_a_shared_case_there_is_no_test(bundled, logs, known):
    assert open_cases.own_test(bundled, together(take(logs)), known, DAY) is None


def test_of_a_work_the_newest_test_of_each_set_is_shown(bundled, data):
    store = replace(bundled, data=data)
    of_work = {it.id for it in open_cases.sets_for(store, "documentation")}
    other = next(it.id for it in open_cases.case_sets(store) if it.id not in of_work)
    for case_set, day in (("aci-bench", "11-27"), ("aci-bench", "12-01"), (other, "12-02")):
        ours.keep(data, OwnTest(case_set, f"2026-{day}", 2, (), (("GPT-5.2", 0.625),)))
    found = [(it.case_set, it.as_of) for it in open_cases.own_tests(store, "documentation")]
    assert found == [("aci-bench", "2026-12-01")]
    every = open_cases.own_places(store, "GPT-5.2")
    assert {it.id: test.as_of[5:] for it, test in every} == {"aci-bench": "12-01", other: "12-02"}
    assert not open_cases.own_places(store, "GPT-5.5")


def test_of_two_tests_of_one_day_the_later_is_the_newest(tmp_path):
    test = OwnTest("aci-bench", "2026-11-27", 2, (), (("GPT-5.2", 0.625),))
    every = [replace(test, n_cases=n) for n in range(2, 9)]
    ours.keep(tmp_path, every[0])
    (path,) = (tmp_path / "ours").iterdir()
    # As an earlier version named it.
    path.rename(path.with_name(f"2026-11-27-{path.name.rpartition('-')[2]}"))
    for each in every:
        ours.keep(tmp_path, each)
    assert [it for _, it in ours.kept(tmp_path)] == every[::-1]


def test_kept_tests_are_read_back_and_a_damaged_file_is_none(tmp_path):
    test = OwnTest("aci-bench", "2026-11-27", 2, ("Kimi K2.5",), (("GPT-5.2", 0.625),))
    newer = OwnTest("aci-bench", "2026-12-01", 9, (), (("GPT-5.2", 0.7),))
    for each in (test, newer, test):
        ours.keep(tmp_path, each)
    assert [it for _, it in ours.kept(tmp_path)] == [newer, test]
    contents = ["", "[]", '{"case_set": 1}', '{"scores": [["a"]]}', "[" * 100_000]
    # Of these a page could not write the day, the number, or send the text.
    for change in (
        *({"as_of": "yesterday"}, {"n_cases": float("inf")}, {"judges": ["\ud800"]}),
        *({"scores": [["m", float("nan")]]}, {"scores": [["m", 1e308]]}),
    ):
        contents.append(json.dumps(asdict(test) | change))
    for number, content in enumerate(contents):
        (tmp_path / "ours" / f"{number}.json").write_text(content, "utf-8")
    assert [it for _, it in ours.kept(tmp_path)] == [newer, test]
    ours.let_go(tmp_path, "../somewhere.json")
    ours.let_go(tmp_path, ours.kept(tmp_path)[0][0])
    assert [it for _, it in ours.kept(tmp_path)] == [test]
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(BadDataError, match="cannot be kept in the folder of the data"):
        ours.keep(blocked, test)


def test_open_cases_are_named_and_an_interval_stays_within_possible_scores(bundled):
    results = together(take(LOGS))
    found = verdict(results, "DeepSeek V3.2", "GPT-5.2", 0.1, planned=2, candidates=())
    # Of two cases Student's t has one degree of freedom: 12.7 times the standard error.
    assert (found.difference.ci_low, found.difference.ci_high) == (-1.0, 1.0)
    said = words.verdict_in_words(found, "A", "B", is_open=True)
    assert said.startswith("On 2 open cases it is open whether A is as good as B within 10 points")
    assert "−100.0 to +100.0" in said
    assert not any("patient" in it for it in words.not_counted(found, is_open=True))
    assert words.raters_and_strays(found) == ("1 case of GPT-5.2 alone does not count: D3.",)

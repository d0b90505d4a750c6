"""A model by any name, two of them, and two runs: worked out from the snapshots by plain means."""

from dataclasses import replace

import pandas as pd
import pytest

from core.answers import replacing
from core.domain import BadRequestError
from core.evidence.store import open_store
from tests.conftest import keep_table, score_table

PLACES = {
    # Means of MedHELM's five kinds of work, BRIDGE's 87 tasks, NOHARM's three dimensions, χ-Bench's
    # three domains and MedAgentsBench's seven sets; LMArena's rating; Vectara's share.
    "Claude Opus 5": {"chi-bench": (1, 41, 0.3733)},
    "Gemini 3.1 Pro": {"vectara-hhem": (53, 96, 10.4)},
    "DeepSeek R1": {
        "medhelm": (5, 13, 0.7498),
        "bridge": (2, 98, 0.4425),
        "noharm": (8, 32, 0.5887),
        "lmarena-medicine": (64, 254, 1416.449),
        "medagentsbench": (2, 10, 0.8035),
        "vectara-hhem": (65, 96, 11.3),
    },
    "Llama 3.3 70B": {
        "medhelm": (12, 13, 0.6863),
        "bridge": (21, 98, 0.3986),
        "noharm": (24, 32, 0.5163),
        "lmarena-medicine": (118, 254, 1352.198),
        "medagentsbench": (5, 10, 0.7501),
        "vectara-hhem": (4, 96, 4.1),
    },
    "gpt-oss-120b": {
        "bridge": (38, 98, 0.3724),
        "lmarena-medicine": (97, 254, 1373.4699),
        "vectara-hhem": (78, 96, 14.2),
    },
}
SUITES = {
    *("medhelm", "bridge", "noharm", "lmarena-medicine", "chi-bench", "medagentsbench"),
    *("open-medical-llm", "open-llm-v2", "benchhealth", "vectara-hhem"),
}


@pytest.mark.parametrize(("name", "places"), PLACES.items())
def test_a_model_has_its_place_in_every_suite_that_has_it(ask, name, places):
    found = [row for row in ask("model", name)["evidence"] if row["suite"] in SUITES]
    first = {row["suite"]: row for row in reversed(found) if row["rank"]}
    assert {s: (r["rank"], r["n"], round(r["value"], 4)) for s, r in first.items()} == places
    # Another run of the same model beside it has no place: its own team made it.
    others = {
        (row["tested_as"], row["kind"], row["run_by"][:15]) for row in found if not row["rank"]
    }
    erius = ("anthropic/claude-opus-5 (erius)", "another harness", "run and reporte")
    assert others == ({erius} if name == "Claude Opus 5" else set())


def test_every_spelling_leads_to_the_model_and_a_name_of_several_says_which_there_are(ask, cli):
    for asked, meant in [
        ("claude-opus-4-6", "Claude Opus 4.6"),  # an id of the price list
        ("anthropic.claude-opus-4-8", "Claude Opus 4.8"),  # of a platform
        ("LLAMA 3.3 70b", "Llama 3.3 70B Instruct"),  # folded, as NOHARM spells it
        ("gpt 5 mini", "GPT-5 mini (2025-08-07)"),
        ("unsloth/gemma-7b", "Gemma 7B"),  # a mirror
        ("gpt-6-rosalind", "gpt-6-rosalind"),  # the price list alone has it
    ]:
        assert ask("model", asked)["model"] == meant
    for asked, said in [
        ("GPT-5.6", "may be one of several: GPT-5.6 luna, GPT-5.6 sol, GPT-5.6 terra. Which"),
        ("GPT-4o", "GPT-4o (2024-05-13), GPT-4o (2024-08-06), GPT-4o (2024-11-20). Which one"),
        ("Gemni 3 Pro", 'No model is called "Gemni 3 Pro". The nearest: Gemini 3 Pro (preview), '),
        ("  ", 'No model is called "". The nearest: '),
        ("=cmd|' /C'!A0", "No model is called"),
    ]:
        status, _, error = cli("model", asked)
        assert status == 2
        assert said in error
        if "nearest" in said:
            assert error.rpartition("nearest: ")[2].count(",") == 3  # five names


def test_one_that_nobody_tested_is_an_answer(ask, cli):
    found = ask("model", "GPT-6.1 sol")
    # OpenAI's prices of November 2026 and Azure's last day; the one that OpenAI ends for it.
    price = found["prices"][0]
    assert (price["platform"], price["input_usd_per_mtok"], price["output_usd_per_mtok"]) == (
        *("OpenAI API", 2.0),
        10.0,
    )
    assert {one["platform"]: one["until"] for one in found["sale"]}[
        "Azure OpenAI / Azure AI Foundry"
    ] == "2028-03-11"
    assert not [row for row in found["evidence"] if row["suite"] in SUITES]
    before = found["predecessor"]
    assert (before["name"], before["named_by"]) == ("GPT-5 (2025-08-07)", "OpenAI API")
    assert {row["suite"]: row["rank"] for row in before["evidence"]}["medhelm"] == 2
    assert "No public medical evidence as of " in cli("model", "GPT-6.1 sol")[1]


def test_two_models_stand_by_the_tables_of_every_suite_with_both(ask, cli):
    for a, b, verdict, signs in [
        (
            *("Claude Opus 4.6", "GPT-5.4", "one suite"),
            {"chi-bench": 0.28 - 0.16, "vectara-hhem": (7.0 - 12.2) / 100},
        ),
        (
            *("DeepSeek R1", "o4-mini", "the suites part"),
            {
                "medhelm": 0.7498 - 0.7780,
                "noharm": 0.5887 - 0.5103,
                "lmarena-medicine": (1416.449 - 1427.2157) / 2000,
                "vectara-hhem": (18.6 - 11.3) / 100,
            },
        ),
        ("GPT-6.1 sol", "GPT-5", "nowhere", {}),
    ]:
        found = ask("compare", a, b)
        rows = [row for row in (*found["suites"], *found["apart"]) if row["suite"] in SUITES]
        assert {r["suite"]: r["difference"] for r in rows} == pytest.approx(signs, abs=1e-4)
        assert [row["suite"] for row in found["apart"] if row["suite"] in SUITES] == (
            ["vectara-hhem"] if signs else []
        )
        if {row["suite"] for row in found["suites"]} <= SUITES:
            assert found["verdict"] == verdict
        turned = ask("compare", b, a)
        assert (found["above"], found["below"]) == (turned["below"], turned["above"])
    found = ask("compare", "DeepSeek R1", "Llama 3.3 70B")
    assert (found["verdict"], found["below"], len(found["above"]) > 3) == ("above", [], True)
    status, _, error = cli("compare", "DeepSeek R1", "deepseek-r1")
    assert (status, "Both are DeepSeek R1 (2025-01-20)" in error) == (2, True)


SUITE = "open-medical-llm"
SCORES = {
    "google/gemma-2b": {"medqa": [1, 1, 0, 1], "pubmedqa": [1, 0]},
    "google/gemma-7b": {"medqa": [1, 0, 0, 0], "pubmedqa": [0, 1]},
    "EleutherAI/gpt-j-6b": {"medqa": [0, 0, 0, 1], "pubmedqa": [1, 1]},
}
KEYS = [
    *("a", "b", "benchmark", "n_items", "n_attempts_a", "n_attempts_b", "mean_a", "mean_b"),
    *("difference", "standard_error", "ci_low", "ci_high"),
    *("both", "only_a", "only_b", "neither", "mcnemar_p"),
]


@pytest.fixture
def store(data):
    cells = [(m, b, values) for m, of in SCORES.items() for b, values in of.items()]
    records = [
        {"model": m, "run": f"{m}@run", "benchmark": b, "score": sum(v) / len(v)}
        for m, b, v in cells
    ] + [{"model": "openai-community/gpt2", "run": "old", "benchmark": "medqa", "score": 0.3}]
    rows = [
        {"run": f"{m}@run", "benchmark": b, "item": f"q{i}", "attempt": k, "score": float(score)}
        for m, b, values in cells
        for i, score in enumerate(values)
        for k in range(1, 3 if m.startswith("Eleuther") else 2)
    ]
    made = score_table(SUITE, records)
    keep_table(data, replace(made, items=pd.DataFrame(rows)))
    return open_store(data)


def words(**arguments):
    given = {"suite": SUITE, "benchmark": "all", "a": "google/gemma-2b", "b": "google/gemma-7b"}
    return ["pair", *(f"--{key}={value}" for key, value in (given | arguments).items())]


@pytest.mark.slow
def test_one_benchmark_and_all_of_them_which_weigh_alike(store, ask):
    found = ask(*words(benchmark="medqa", b="google/gemma-7b@run"))
    assert list(found) == KEYS
    assert (found["a"], found["b"]) == ("google/gemma-2b@run", "google/gemma-7b@run")
    assert (found["n_items"], found["mean_a"], found["difference"]) == (4, 0.75, 0.5)
    assert [found[key] for key in KEYS[12:]] == [1, 2, 0, 1, 0.5]
    found = ask(*words(b="EleutherAI/gpt-j-6b"))
    assert (found["n_items"], found["n_attempts_a"], found["n_attempts_b"]) == (6, 6, 12)
    assert (found["mean_a"], found["mean_b"]) == (0.625, 0.625)
    assert [found[key] for key in KEYS[12:]] == [None] * 5


def test_a_suite_that_weighs_by_item_does_so_here(store, monkeypatch):
    monkeypatch.setattr(replacing, "_BY_ITEM", (SUITE,))
    found = replacing.pair(store, SUITE, "all", "google/gemma-2b", "google/gemma-7b")
    assert (found.mean_a, found.mean_b) == (pytest.approx(4 / 6), pytest.approx(2 / 6))


@pytest.mark.slow
def test_what_is_not_there_is_one_sentence(store, cli):
    for given, said in [
        ({"suite": "nosuch"}, 'There is no suite "nosuch"'),
        ({"benchmark": "nosuch"}, 'has no items of "nosuch"; it has medqa, pubmedqa, all.'),
        ({"a": "nosuch"}, 'open-medical-llm has no run or model "nosuch" with scores.'),
        ({"a": "openai-community/gpt2"}, 'gpt2" has no item results in open-medical-llm.'),
        ({"a": "google/gemma-7b"}, 'Both are the run "google/gemma-7b@run": give two different'),
    ]:
        status, _, error = cli(*words(**given))
        assert status == 2
        assert said in error
        assert error.count("\n") == 1


@pytest.mark.slow
def test_a_suite_without_items_says_so(data, write_snapshot):
    write_snapshot(data, SUITE, [("a", "medqa", 0.5)])
    with pytest.raises(BadRequestError, match="has no item results, so its runs cannot be comp"):
        replacing.pair(open_store(data), SUITE, "all", "a", "b")

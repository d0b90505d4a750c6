"""Any model by any name, and two of them: places worked out from the snapshots by plain means."""

import pytest

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

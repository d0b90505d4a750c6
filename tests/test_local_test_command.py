"""The command ``plan``: the number of cases, as JSON and as a sentence; faults in one line."""

import json

import pytest

from core.__main__ import main


def asked(capsys, words):
    try:
        status = main(["plan", *words.split()])
    except SystemExit as stop:
        status = stop.code
    return status, *capsys.readouterr()


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

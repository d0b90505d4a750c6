"""The coverage tab: gaps by kind of work, and one model."""

from reading import number, said

PAGE = "evidence/coverage"


def test_one_model_and_what_it_was_never_tested_on(visit):
    at = visit(PAGE, untested="GPT-4")
    assert not at.warning
    never, every = number(r"GPT-4 was never tested on (\d+) of (\d+)", at)
    listed = [line for line in said(at).splitlines() if line.startswith("- ")]
    assert (every, len(listed)) == (22, never)
    assert "- Scheduling Resources and Staff (Administration and Workflow)" in listed
    assert not any(line.startswith("- Conducting Literature Research") for line in listed)
    at.selectbox(key="untested").set_value("o3-mini (2025-01-31)").run()
    assert number(r"was tested on all (\d+) kinds of work", at) == [22]

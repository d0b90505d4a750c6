"""On a new visit the evidence follows the question, until somebody chooses one."""

from places import turn_to
from reading import press


def evidence(at):
    return at.selectbox(key="evidence").value


def ask(at, task, access="Anywhere", largest="No limit"):
    at.selectbox(key="task").select(task)
    at.selectbox(key="access").select(access)
    at.select_slider(key="max_params").set_value(largest)
    return at.run()


def test_a_new_visit_follows_the_question_until_somebody_chooses(visit):
    at = visit()
    # Two of MedHELM's models can still be bought, which is no choice.
    assert evidence(at) == "BRIDGE"
    assert "Of MedHELM only 2 fit." in " ".join(one.help or "" for one in at.sidebar.caption)
    ask(at, "Prior authorisation")
    assert evidence(at) == "χ-Bench, agents"
    (why,) = (one.value for one in at.sidebar.caption if one.value.startswith("Chosen for"))
    assert "MedHELM" not in why
    assert at.query_params["evidence"] == "χ-Bench, agents"
    ask(at, "All kinds of work", "Our own servers only", "33 B")
    assert evidence(at) == "BRIDGE"
    turn_to(at, "evidence/clusters")
    assert evidence(at) == "BRIDGE"
    # What somebody chose stays.
    at.selectbox(key="evidence").select("BenchHealth").run()
    ask(at, "Prior authorisation")
    assert evidence(at) == "BenchHealth"
    press(at, "Reset")
    assert evidence(at) == "BRIDGE"
    ask(at, "Prior authorisation")
    assert evidence(at) == "χ-Bench, agents"

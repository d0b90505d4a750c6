"""The log: one line an event, JSON where asked, and no word that a person typed."""

import json
import logging

import pytest

from core import logs


@pytest.fixture
def written(monkeypatch, capsys):
    monkeypatch.setattr(logs.LOGGER, "handlers", [])
    monkeypatch.setattr(logs.LOGGER, "propagate", True)
    level = logs.LOGGER.level

    def run(act, **settings):
        for key in ("FORMULARY_LOG_FORMAT", "FORMULARY_LOG_LEVEL"):
            monkeypatch.delenv(key, raising=False)
        for key, value in settings.items():
            monkeypatch.setenv(f"FORMULARY_LOG_{key}", value)
        logs.LOGGER.handlers.clear()
        logs.set_up()
        act()
        return capsys.readouterr().err.splitlines()

    yield run
    logs.LOGGER.setLevel(level)


def fail(text="typed by ana@hospital.example"):
    def act():
        try:
            raise KeyError(text)
        except KeyError as error:
            return logs.fault(error, "Shortlist")

    return act


def test_an_event_is_one_line_for_people_and_one_object_where_json_is_asked(written):
    (line,) = written(lambda: logs.event("store", "The evidence\nwas opened", snapshots=6))
    assert line.endswith("INFO    The evidence was opened (snapshots 6)")

    def act():
        logs.event("store", "The evidence\nwas opened", snapshots=6, path=logs._ROOT)

    (line,) = written(act, FORMAT="json")
    found = json.loads(line)
    assert found.pop("time").endswith("+00:00")
    assert found == {
        "level": "info",
        "event": "store",
        "logger": "llm_formulary",
        "message": "The evidence\nwas opened",
        "snapshots": 6,
        "path": str(logs._ROOT),
    }
    assert "ana@" in "".join(written(fail(), LEVEL="debug"))


def test_a_fault_says_kind_place_and_reference_and_the_level_is_a_setting(written):
    for format_ in ["json", "text"]:
        references = []
        (line,) = written(lambda told=references: told.append(fail()()), FORMAT=format_)
        for part in ("KeyError", "Shortlist", *references, "tests/test_logs.py:", " act"):
            assert part in line
        assert "ana@" not in line
        assert "Traceback" not in line
    for level, lines in [("", 2), ("info", 2), ("debug", 3), ("error", 1), ("loud", 2)]:

        def act():
            for number in (logging.DEBUG, logging.INFO, logging.ERROR):
                logs.event("x", "x", level=number)

        assert len(written(act, LEVEL=level)) == lines


def test_the_lines_of_other_loggers_become_json_too_without_their_messages_of_faults(written):
    other = logging.getLogger("a_library_of_this_test")
    other.propagate = False
    other.addHandler(logging.StreamHandler())

    def act():
        try:
            raise ValueError("typed by ana@hospital.example")
        except ValueError:
            other.warning("It %s", "broke", exc_info=True)

    (line,) = written(act, FORMAT="json")
    found = json.loads(line)
    assert found["message"].startswith("It broke (ValueError at tests/test_logs.py:")
    assert (found["kind"], found["level"]) == ("ValueError", "warning")
    assert "ana@" not in line
    (line,) = written(act)
    assert "ana@" not in line
    other.handlers.clear()

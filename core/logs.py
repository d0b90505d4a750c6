"""What the server writes about itself: one line an event, and nothing about persons.

Events go to the logger ``llm_formulary`` with a name and a few facts. They are lines for people,
or lines of JSON where ``FORMULARY_LOG_FORMAT=json``. A fault is written with its kind and its
place in the program, not with its message, which may repeat what somebody typed; with
``FORMULARY_LOG_LEVEL=debug`` the message is written as well. No line holds an e-mail address, a
link or the address of a computer.
"""

import json
import logging
import os
import secrets
import traceback
from datetime import UTC, datetime
from pathlib import Path

LOGGER = logging.getLogger("llm_formulary")
_LEVELS = ("debug", "info", "warning", "error")
_ROOT = Path(__file__).parents[1]


class LogFormatter(logging.Formatter):
    """One line a record: time, level, event, sentence, facts; for people, or a JSON object."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self.as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        """Return one record as one line."""
        at = datetime.fromtimestamp(record.created, UTC)
        facts = getattr(record, "facts", {})
        if not self.as_json:
            told = ", ".join(f"{key} {value}" for key, value in facts.items())
            text = f"{at:%Y-%m-%d %H:%M:%S} {record.levelname:7} {record.getMessage()}"
            return " ".join((f"{text} ({told})" if told else text).split("\n"))
        line = {
            "time": at.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": getattr(record, "event", "message"),
            "logger": record.name,
            "message": record.getMessage(),
            **facts,
        }
        return json.dumps(line, ensure_ascii=False, default=str)


def without_message(record: logging.LogRecord) -> bool:
    """Put kind and place of an exception in the place of its message and its trace; a filter."""
    if record.exc_info and (error := record.exc_info[1]) is not None:
        kind, where = type(error).__name__, place_of_error(error)
        vars(record)["facts"] = {"kind": kind, "place": where}
        record.msg = f"{record.getMessage()} ({kind} at {where})"
        record.args, record.exc_info, record.exc_text = (), None, None
    return True


def set_up() -> None:
    """Write the events to standard error; a second call takes in what was imported meanwhile.

    Other loggers that have a handler of their own by now are held to the same: no message of an
    exception but for debugging, and with JSON each line is JSON.
    """
    as_json = os.environ.get("FORMULARY_LOG_FORMAT", "").lower() == "json"
    formatter = LogFormatter(as_json=as_json)
    if not LOGGER.handlers:
        LOGGER.addHandler(logging.StreamHandler())
        LOGGER.propagate = False
    level = os.environ.get("FORMULARY_LOG_LEVEL", "info").lower()
    LOGGER.setLevel((level if level in _LEVELS else "info").upper())
    for handler in LOGGER.handlers:
        handler.setFormatter(formatter)
    for name in list(logging.root.manager.loggerDict):
        for handler in logging.getLogger(name).handlers:
            if not isinstance(handler, logging.StreamHandler):
                continue
            if as_json:
                handler.setFormatter(formatter)
            if not LOGGER.isEnabledFor(logging.DEBUG) and without_message not in handler.filters:
                handler.addFilter(without_message)


def event(name: str, sentence: str, *, level: int = logging.INFO, **facts: object) -> None:
    """Write one event: a word that a search can look for, and what happened in fixed words.

    ``facts`` are counts, names of files and versions; never what a person typed or is called.
    """
    LOGGER.log(level, sentence, extra={"event": name, "facts": facts})


def fault(error: BaseException, page: str) -> str:
    """Write a fault; return the reference that the person is shown.

    ``page`` is the title of the page, or what else was being done.
    """
    facts = {"kind": type(error).__name__, "page": page, "reference": secrets.token_hex(4)}
    event("fault", "A page failed", level=logging.ERROR, **facts, place=place_of_error(error))
    if LOGGER.isEnabledFor(logging.DEBUG):
        told = "".join(traceback.format_exception(error))
        event("fault_in_full", told, level=logging.DEBUG, reference=facts["reference"])
    return facts["reference"]


def place_of_error(error: BaseException) -> str:
    """Return where an error arose: the last lines of this program, and where it ended."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if _is_ours(frame.filename)][-3:]
    if frames and frames[-1] not in ours:
        ours.append(frames[-1])
    return " > ".join(
        f"{Path(file).relative_to(_ROOT).as_posix() if _is_ours(file) else Path(file).name}"
        f":{frame.lineno} {frame.name}"
        for frame in ours
        for file in (frame.filename,)
    )


def _is_ours(file: str) -> bool:
    return Path(file).is_relative_to(_ROOT) and "site-packages" not in file

"""The command line: ``python -m core COMMAND``, for scripts, schedulers and checks.

Exit status 0; 1 from ``watch`` where something is due; 2 for wrong usage; 3 for bad data. A fault
is one line on standard error.
"""

import argparse
import logging
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from core.commands.told import BAD_DATA, Command, Told, print_document
from core.domain import BadRequestError, FormularyError
from core.figures import printable

_COMMANDS = {
    "suites": ("taxonomy", "redundancy", "win-rates", "benchhealth"),
    "models": ("model", "compare", "equivalents", "pair"),
    "one_suite": ("shortlist",),
    "market": ("recommend", "market"),
    "own_tests": ("plan", "package", "read-results", "verdict"),
    "upkeep": ("watch", "snapshots", "import", "refresh", "keys", "check", "diff"),
}
"""The commands by the module of ``core.commands`` that has them; only what is asked is imported."""
_USAGE = 2
_LONGEST = 300
"""Letters of a fault in the usage."""


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    given = sys.argv[1:] if argv is None else argv
    # Python prints what nobody listens to; here a fault is one line, the one below.
    logging.getLogger("llm_formulary").addHandler(logging.NullHandler())
    if spoilt := next((it for it in given if _is_spoilt(it)), None):
        print(f"error: {_one_line(spoilt)[:80]} is not text in UTF-8", file=sys.stderr)
        return _USAGE
    arguments = _parser(given[:1]).parse_args(given)
    arguments.warnings, arguments.status = [], 0
    try:
        if arguments.json and getattr(arguments, "csv", False):
            raise BadRequestError("--csv and --json are two forms of one answer: give one of them.")
        told: Told = arguments.command(arguments)
        if told is not None:
            print_document(*told, as_json=arguments.json)
    except FormularyError as error:
        print(f"error: {_one_line(str(error))}", file=sys.stderr)
        return _USAGE if isinstance(error, BadRequestError) else BAD_DATA
    except BrokenPipeError:
        # The reader of the output closed it early, as `head` does.
        sys.stderr.close()
        return 0
    for warning in arguments.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    return int(arguments.status)


def _is_spoilt(argument: str) -> bool:
    """Say whether bytes of an argument are not text, which Python keeps as lone surrogates."""
    return any("\ud800" <= sign <= "\udfff" for sign in argument)


def _one_line(message: str) -> str:
    """Return a message in one line; what a terminal would obey or cannot show becomes a blank."""
    return " ".join(printable(message).split())


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; the usage is a ``--help`` away."""

    def error(self, message: str) -> NoReturn:
        said = _one_line(message)
        short = f"{said[:_LONGEST]} …" if len(said) > _LONGEST else said
        self.exit(_USAGE, f"error: {short}; see {self.prog} --help\n")


def _parser(asked: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser of the command that is asked, or of all where none of them is."""
    parser = _Parser(prog="python -m core", description=__doc__)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def add(name: str, command: Command, about: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=about, description=about)
        sub.set_defaults(command=command)
        sub.add_argument("--json", action="store_true", help="one JSON document")
        return sub

    known = [module for module, names in _COMMANDS.items() if {*asked} & {*names}]
    for module in known or _COMMANDS:
        import_module(f"core.commands.{module}").add_commands(add)
    return parser


if __name__ == "__main__":
    sys.exit(main())

"""Errors that a person can mend, each in one sentence."""

from __future__ import annotations


class FormularyError(Exception):
    """Something a person can mend; the message is one sentence that says what and where."""


class BadRequestError(FormularyError):
    """The question is wrong: an unknown suite, model or category, a value out of range."""


class TooFewError(BadRequestError):
    """Too few models or benchmarks to answer; no fault, but a limit of the evidence."""


class BadDataError(FormularyError):
    """The data is wrong: a file that is missing, altered or malformed."""

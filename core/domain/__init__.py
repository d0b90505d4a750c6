"""The nouns of LLM Formulary: frozen types that carry evidence, results and question.

No logic lives here. A missing number is ``None`` in a scalar field and ``nan`` in an array: never
0. Identifiers of models are Hugging Face ids, or the names that MedHELM, BenchHealth and BRIDGE
print. The errors are those that a person can mend.
"""

# A noun is named once, where it is defined.
from core.domain.choice import *  # noqa: F403
from core.domain.conditions import *  # noqa: F403
from core.domain.evidence import *  # noqa: F403
from core.domain.market import *  # noqa: F403
from core.domain.procurement import *  # noqa: F403
from core.domain.question import *  # noqa: F403
from core.domain.statistics import *  # noqa: F403


class FormularyError(Exception):
    """Something a person can mend; the message is one sentence that says what and where."""


class BadRequestError(FormularyError):
    """The question is wrong: an unknown suite, model or category, a value out of range."""


class TooFewError(BadRequestError):
    """Too few models or benchmarks to answer; no fault, but a limit of the evidence."""


class BadDataError(FormularyError):
    """The data is wrong: a file that is missing, altered or malformed."""

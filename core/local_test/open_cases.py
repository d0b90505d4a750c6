"""A test on open cases: public case sets, how a tool calls the models, and the package to run it.

The package holds no case: the tool fetches them where it runs. What depends on the question lies
in ``test.json``; the programs next to it are the same in every package, and no command has a name.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from core.figures import counted
from core.local_test.package import VERSIONS, packed, plain_line
from core.local_test.plan import JudgedAs, Protocol, TestedModel

_CONNECTIONS, _TOKENS_A_SECOND = 10, 50
"""What the tool asks at once, and about what a model writes: for the estimate of time only."""
JUDGED_TOKENS = 100
"""About what a judge writes to a question."""


@dataclass(frozen=True, slots=True)
class CaseSet:
    """Cases that anybody may use; their texts are not shipped."""

    id: str
    name: str
    works: tuple[str, ...]
    """Kinds of work for which they are offered."""
    general: bool
    """Whether they ask about medicine in general, and test none of these kinds of work."""
    licence: str
    source_url: str
    files: tuple[str, ...]
    """Addresses at one commit, where the package reads them itself; else the tool's task does."""
    public_since: str
    """Year and month. What is public may be in what models were trained on."""
    n_cases: int
    scored: JudgedAs
    language: str
    caution: str
    task: str
    """Module and function of the tool's task."""
    task_args: str
    """Its arguments as JSON."""
    input_tokens: float
    output_tokens: float
    """Of one case, likely, without hidden reasoning."""
    judge_calls: float
    judge_tokens: float
    """Questions to the judge a case, and tokens of each; 0 where no judge is asked."""
    tokens_from: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """How the tool calls the models of one provider."""

    provider: str
    """As price lists have it; empty for any address that speaks OpenAI's protocol."""
    begins: str
    """How the provider's ids begin for which this counts; empty for any."""
    call: str
    """What comes before the id."""
    keys: tuple[str, ...]
    """Variables of the environment that must be set."""
    package: str
    note: str


@dataclass(frozen=True, slots=True)
class Called:
    """A model or judge, and how the tool calls it."""

    name: str
    served: str
    """The provider's own id, without prefixes of price lists."""
    how: ToolCall
    known: bool
    """Whether the id is one that its provider serves; else the buyer must fill it in."""
    usd_per_mtok: tuple[float, float] | None = None
    """Price of tokens read and written; ``None`` where not known."""

    @property
    def call(self) -> str:
        """The whole name; empty where it must be filled in."""
        return f"{self.how.call}{self.served}" if self.known else ""


@dataclass(frozen=True, slots=True)
class OpenTest:
    """A protocol on open cases, and with what it is run."""

    agreed: Protocol
    cases: CaseSet
    models: tuple[Called, ...]
    judge: Called | None
    """``None`` where answers are right or wrong."""
    usd: float | None
    """Likely, of all models and the judge; ``None`` where a price is not known."""

    @property
    def minutes(self) -> float:
        """Likely minutes of the run, models one after the other."""
        written = self.cases.output_tokens * len(self.models) * self.agreed.n_cases
        judged = self.cases.judge_calls * JUDGED_TOKENS * len(self.models) * self.agreed.n_cases
        return (written + judged) / _TOKENS_A_SECOND / _CONNECTIONS / 60


def call_of(
    model: TestedModel,
    calls: Sequence[ToolCall],
    usd_per_mtok: tuple[float, float] | None = None,
) -> Called:
    """Return how the tool calls a model, by the provider in its id.

    The first call of the provider that fits counts. A model without provider is one on an address
    of the buyer's.
    """
    provider, _, served = model.id.partition(":")
    bare = _bare(served)
    for it in calls:
        begins = served.startswith(it.begins) or bare.startswith(it.begins)
        if it.provider and it.provider == provider and begins:
            return Called(model.name, bare, it, known=True, usd_per_mtok=usd_per_mtok)
    own = next(it for it in calls if not it.provider)
    return Called(model.name, bare or model.id, own, known=False)


_PREFIXES = (
    *("azure/", "azure_ai/", "global-standard/", "global/", "vertex_ai/", "gemini/", "mistral/"),
    *("moonshot/", "deepseek/", "groq/", "fireworks_ai/", "bedrock_mantle/"),
)


def _bare(served: str) -> str:
    """Take off what price lists write before a provider's own id."""
    while prefix := next((it for it in _PREFIXES if served.startswith(it)), ""):
        served = served.removeprefix(prefix)
    return served


def build_open(test: OpenTest) -> bytes:
    """Return the zip that runs a protocol on open cases; equal tests give equal bytes."""
    of_tool = test.cases.task.startswith("inspect_evals")
    return packed(
        test.agreed,
        test.models,
        test.judge,
        readme="open.md.j2",
        words={
            "test": test,
            "cases": test.cases,
            "minutes": counted(max(1, round(test.minutes)), "minute"),
            "raters": counted(test.agreed.raters, "rater"),
            "question": plain_line(test.agreed.question),
        },
        about={
            "case_set": test.cases.id,
            "files": test.cases.files,
            "task": test.cases.task,
            "task_args": json.loads(test.cases.task_args),
        },
        files=["notes.py.txt"] if test.cases.files else [],
        packages=[f"inspect-evals=={VERSIONS['inspect_evals']}"] if of_tool else [],
    )

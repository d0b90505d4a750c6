"""A test on open cases: which sets test a kind of work, who judges, what the run costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from core.answers.asked import Asked
from core.answers.bills import monthly_costs
from core.answers.data import model, models
from core.answers.local_test import tested_models
from core.answers.market import basis_of_cost, market, over_all_evidence
from core.domain import NOT_ASKED
from core.evidence.store import Store
from core.evidence.tables import read_table
from core.local_test.open_cases import (
    JUDGED_TOKENS,
    Called,
    CaseSet,
    OpenTest,
    ToolCall,
    call_of,
)
from core.local_test.ours import OwnTest, kept
from core.local_test.plan import Protocol, TestedModel
from core.local_test.verdict import within_raters
from core.memory import remembered
from core.results.collected import Results


@remembered(maxsize=1)
def case_sets(store: Store) -> tuple[CaseSet, ...]:
    """Return every open case set, in the order of its table."""
    path, ids = store.data / "catalogue" / "case_sets.csv", {"tasks.csv": store.catalogue.tasks}
    return read_table(path, CaseSet, ids=ids)


@remembered(maxsize=1)
def tool_calls(store: Store) -> tuple[ToolCall, ...]:
    """Return how the tool calls the models of each provider, the closest fit first."""
    return read_table(store.data / "catalogue" / "tool_calls.csv", ToolCall)


def calls_of(store: Store, agreed: Protocol) -> tuple[Called, ...]:
    """Return how the tool calls each model of a protocol, by the provider in its id."""
    known = tool_calls(store)
    return tuple(call_of(TestedModel(name, id_), known) for name, id_ in agreed.models)


def sets_for(store: Store, work: str) -> tuple[CaseSet, ...]:
    """Return the sets that test a kind of work, the first one to be proposed first."""
    return tuple(it for it in case_sets(store) if work in it.works)


def own_tests(store: Store, work: str) -> tuple[OwnTest, ...]:
    """Return the hospital's own tests on open cases of a kind of work, the newest of each set."""
    of_work = {it.id for it in sets_for(store, work)}
    newest: dict[str, OwnTest] = {}
    for _, test in kept(store.data):
        if test.case_set in of_work:
            newest.setdefault(test.case_set, test)
    return tuple(newest.values())


def own_places(store: Store, product: str) -> list[tuple[CaseSet, OwnTest]]:
    """Return the hospital's own tests on open cases that have a product, the newest of each set."""
    tests = (test for _, test in reversed(kept(store.data)) if test.place(product))
    newest = {test.case_set: test for test in tests}
    return [(it, newest[it.id]) for it in case_sets(store) if it.id in newest]


def own_test(store: Store, results: Results, names: Mapping[str, str], day: date) -> OwnTest | None:
    """Return results on one set of open cases as a test to keep; ``None`` where they are none.

    ``names`` has the product of each model of the results that is known. A model counts by its mean
    over the cases that all of them answered; where persons rated, by the marks of those who rated
    all of them alone, as in a verdict.
    """
    known = [(it.id,) for it in case_sets(store)]
    if results.case_sets not in known:
        return None
    frame = results.frame[results.frame["model"].isin(list(names))]
    by_persons = frame[frame["rater"] != ""]
    counted = frame if by_persons.empty else by_persons
    shared = within_raters(counted, *names)
    if shared.empty:
        return None
    means = shared.mean().sort_values(ascending=False, kind="stable")
    return OwnTest(
        case_set=results.case_sets[0],
        as_of=day.isoformat(),
        n_cases=len(shared),
        judges=results.judges if by_persons.empty else (),
        scores=tuple((names[str(name)], round(float(mean), 6)) for name, mean in means.items()),
    )


def judges(asked: Asked, names: Sequence[str]) -> tuple[str, ...]:
    """Return who may judge, by id: what can be bought, makers of none of the models first.

    In the market's order, the best graded first: a judge may favour its own maker's models.
    """
    makers = {model(asked.store, name).developer for name in names}
    bought = market(over_all_evidence(asked)).buyable
    able = [it for it in bought if it.model.id not in names]
    ordered = sorted(able, key=lambda it: it.model.developer in makers)
    return tuple(it.model.id for it in ordered)


def of_one_maker(store: Store, judge: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the models, by name, whose maker is the judge's; those that nobody knows are not."""
    by_name = {it.name: it.developer for it in store.catalogue.models.values()}
    products = models(store, (entry.product for entry in store.catalogue.crosswalk))
    by_name |= {name: it.developer for name, it in products.items()}
    maker = by_name.get(judge, "")
    return tuple(name for name in names if maker and by_name.get(name) == maker)


def open_test(
    asked: Asked, agreed: Protocol, cases: CaseSet, names: Sequence[str], judge: str = ""
) -> OpenTest:
    """Return a protocol on open cases with how each model is called and what the run costs.

    ``names`` are ids, the one that the others are compared with first.
    """
    calls = tool_calls(asked.store)
    sized = _of_size(asked, cases.input_tokens, cases.output_tokens)
    tested = tested_models(sized, names[0], names[1:])
    usd = [it.usd_per_case for it in tested]
    by_judge = None
    if judge:
        once = _of_size(asked, cases.judge_tokens, JUDGED_TOKENS)
        (by_judge,) = tested_models(once, judge, ())
        each = by_judge.usd_per_case
        usd.append(None if each is None else each * cases.judge_calls * len(tested))
    known = [it for it in usd if it is not None]
    whole = sum(known) * agreed.n_cases if len(known) == len(usd) else None
    prices = _prices(asked, [*names, *([judge] if judge else [])])

    return OpenTest(
        agreed=agreed,
        cases=cases,
        models=tuple(
            call_of(it, calls, prices.get(n)) for it, n in zip(tested, names, strict=True)
        ),
        judge=call_of(by_judge, calls, prices.get(judge)) if by_judge else None,
        usd=whole,
    )


def _of_size(asked: Asked, read: float, written: float) -> Asked:
    return asked.having(
        volumes=(),
        input_tokens_per_request=round(read),
        output_tokens_per_request=round(written),
    )


def _prices(asked: Asked, names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return the prices of tokens read and written by which each model would be bought now."""
    basis = asked if asked.question.evidence.suite else basis_of_cost(asked)
    costs = monthly_costs(basis.having(sale=NOT_ASKED), tuple(names))
    return {
        name: (price.input_usd_per_mtok, price.output_usd_per_mtok)
        for name, cost in costs.items()
        if (price := cost.price)
    }

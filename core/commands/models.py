"""The commands on models: what is known of one, two side by side, what does the same job."""

from dataclasses import asdict, replace
from typing import Any

from core.answers import model as one_model
from core.answers import recommend, replacing
from core.answers.asked import ask
from core.answers.data import ALL_MODELS, matrix
from core.answers.other_suites import tested_as
from core.commands.question import add_selection
from core.commands.told import Add, Arguments, Told, in_lines, manifests, opened_store, today
from core.domain import BadRequestError, MonthlyCost, Question, Selection, Tested
from core.evidence.store import Store
from core.figures import from_whom
from core.sharing.export import picked
from core.sharing.inputs import share
from core.words import model as words
from core.words.recommendation import safety_in_words


def add_commands(add: Add) -> None:
    """Add the commands to the command line."""
    sub = add("model", _model, "all that is known of any model: sale, price, terms, evidence")
    sub.add_argument("name", metavar="NAME", help="as any suite, price list or maker names it")
    sub = add("compare", _compare, "two models in every suite that has both")
    sub.add_argument("a", metavar="A")
    sub.add_argument("b", metavar="B")
    sub = add("equivalents", _equivalents, "smaller models that do the same job")
    sub.add_argument("--model", required=True, metavar="NAME", help="as any suite or maker has it")
    add_selection(sub, action="append")
    sub.set_defaults(cohort=ALL_MODELS, protocol="")
    said = "0 to 1; 0.02 is 2 points"
    sub.add_argument("--margin", type=share, default=Question().margin, metavar="M", help=said)
    sub = add("pair", _pair, "two runs compared item by item")
    sub.add_argument("--suite", required=True, metavar="S")
    sub.add_argument(
        "--benchmark", default=replacing.ALL_BENCHMARKS, metavar="B", help="one, or all"
    )
    for which in ("--a", "--b"):
        sub.add_argument(which, required=True, metavar="RUN_OR_MODEL")


def _model(arguments: Arguments) -> Told:
    store, on = opened_store(arguments), today()
    found = one_model.known(store, one_model.called(store, arguments.name), on)
    asked = words.questions_on_model(
        found.model.name, found.sale, found.prices, found.terms, found.safety, found.evidence
    )
    asked += words.licence_question(found.model, found.licence)
    lines = [
        found.named.name,
        words.on_sale_line(found.sale, found.prices),
        *words.elsewhere(found.sale),
        words.price_line(found.prices, found.sale),
        words.known_line(found.evidence, found.safety, on),
        *([safety_in_words(found.safety)] if found.safety else []),
        *(f"Ask: {question}" for question in asked),
    ]
    rows = _evidence(found.evidence)
    servers = one_model.costs(ask(store, Question(), on), found.named).get("own servers")
    document = {
        "model": found.named.name,
        "product": next(iter(found.named.products), None),
        "maker": found.model.developer or None,
        "released": found.model.released_on or None,
        "reasoning": found.model.reasoning if found.named.models else None,
        **picked(found.model, "access", "params_b", "context_window_tokens"),
        "sale": [asdict(one) for one in found.sale.at],
        "prices": [{"platform": at} | asdict(price) for at, price in found.prices],
        "terms": [
            {"platform": offer.platform, "term": check.condition, "answer": check.status}
            | picked(check, "detail", "as_of", "source_url")
            for offer in found.terms
            for check in offer.checks
        ],
        "runs_on": [_amounts(servers)] if servers else [],
        "safety": found.safety and asdict(found.safety),
        "evidence": rows,
        "predecessor": _neighbour(found.predecessor),
        "successor": _neighbour(found.successor),
        "questions": asked,
    }
    shown = ("suite", "rank", "n", "value", "ci_low", "ci_high", "kind", "as_of", "tested_as")
    table = [{key: row[key] for key in shown} for row in rows]
    return document, table or None, lines


def _evidence(found: tuple[Tested, ...]) -> list[dict[str, Any]]:
    rows = [asdict(each) | {"run_by": each.run_by or "the suite"} for each in found]
    return [{key: value for key, value in row.items() if key != "agreement"} for row in rows]


def _amounts(cost: MonthlyCost) -> dict[str, object]:
    return {"from_whom": from_whom(cost)} | picked(cost, "low", "likely", "high")


def _neighbour(found: one_model.Neighbour | None) -> dict[str, object] | None:
    if found is None:
        return None
    return picked(found, "name", "named_by") | {"evidence": _evidence(found.evidence)}


def _compare(arguments: Arguments) -> Told:
    store, on = opened_store(arguments), today()
    a, b = (one_model.called(store, name) for name in (arguments.a, arguments.b))
    if a == b:
        raise BadRequestError(f"Both are {a.name}: give two different models.")
    found = one_model.compare_models(store, a, b, on)
    rows = [_met(each) for each in (*found.suites, *found.apart)]
    document = {
        "a": a.name,
        "b": b.name,
        "verdict": found.verdict,
        "suites": rows[: len(found.suites)],
        **dict(zip(("above", "below", "level", "shown"), found.sides, strict=True)),
        "costs": {
            named.name: {
                offer: _amounts(cost) | {"as_of": cost.as_of}
                for offer, cost in one_model.costs(ask(store, Question(), on), named).items()
            }
            for named in (a, b)
        },
        "harm": {one.named.name: one.safety and asdict(one.safety) for one in (found.a, found.b)},
        "apart": rows[len(found.suites) :],
        "one_row": found.one_row,
    }
    said = words.compared_in_words(
        found.verdict, a.name, b.name, *found.sides, found.places_apart, found.one_row
    )
    return document, rows, [said, *filter(None, [words.order_turns(found.turned)])]


def _met(found: one_model.Meeting) -> dict[str, object]:
    sides = {
        f"{key}_{side}": getattr(one, key)
        for side, one in (("a", found.a), ("b", found.b))
        for key in ("rank", "value", "kind", "tested_as")
    }
    same = picked(found.a, "suite", "metric", "n", "as_of")
    ends = dict(zip(("ci_low", "ci_high"), found.ends, strict=True))
    return same | picked(found, "standing", "difference") | ends | sides


def _as_tested(store: Store, selection: Selection, name: str) -> str:
    """Return the id under which a suite has a model of any name."""
    model = recommend.known_as(store, selection, name)
    scores = matrix(store, selection)
    if model in scores.models or any(it.model == model for it in scores.excluded):
        return model
    known = one_model.called(store, name)
    if found := tested_as(store, known.id, scores.models)[0]:
        return found
    raise BadRequestError(f"{known.name} has no scores in {selection.suite}.")


def _equivalents(arguments: Arguments) -> Told:
    store = opened_store(arguments)
    suites = tuple(dict.fromkeys(arguments.suite))
    selections = [Selection(suite, cohort=arguments.cohort) for suite in suites]
    selections[0] = replace(selections[0], protocol=arguments.protocol)
    model = _as_tested(store, selections[0], arguments.model)
    found = replacing.equivalents(store, model, selections, arguments.margin)
    candidates = [
        picked(candidate, "model", "params_b", "distance", "same_cluster")
        | picked(candidate.difference, "difference", "ci_low", "ci_high")
        | picked(candidate, "verdict", "saving_share")
        for candidate in found
    ]
    document = {
        "model": model,
        "margin": arguments.margin,
        "candidates": candidates,
        "snapshots": manifests(*(store.snapshot(suite) for suite in suites)),
    }
    if not candidates and store.catalogue.model(model).params_b is None:
        said = f"The size of {model} is not published, so no model is known to be smaller."
        return document, None, [said]
    return document, candidates


def _pair(arguments: Arguments) -> Told:
    asked = (arguments.suite, arguments.benchmark, arguments.a, arguments.b)
    found = asdict(replacing.pair(opened_store(arguments), *asked))
    return found, in_lines(found)

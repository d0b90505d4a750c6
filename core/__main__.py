"""The command line: ``python -m core COMMAND``, for scripts, schedulers and checks.

Exit status 0; 1 from ``watch`` where something is due; 2 for wrong usage; 3 for bad data. A fault
is one line on standard error.
"""

import argparse
import sys
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any, NoReturn

from core import own_tests, upkeep
from core.answers import data, documents, evidence, market, other_suites, recommend, replacing
from core.answers import model as one_model
from core.answers.asked import Asked, ask
from core.answers.local_test import worth_of
from core.domain import (
    BadRequestError,
    ClusterTests,
    FormularyError,
    InUse,
    Market,
    MonthlyCost,
    Question,
    Redundancy,
    ScoreMatrix,
    Selection,
    Taxonomy,
    Tested,
    WinRates,
)
from core.evidence.store import Store
from core.figures import cost_from, from_whom, sentence
from core.question import add_question, margin, named_in_link, question_of
from core.results.files import printable
from core.sharing import export, link
from core.sharing import market as market_file
from core.sharing.export import calendar, picked
from core.sheets import to_csv
from core.upkeep import (
    BAD_DATA,
    Arguments,
    Command,
    Told,
    in_lines,
    manifests,
    opened_store,
    print_document,
    today,
    write_file,
)
from core.words import market as market_words
from core.words import model as words
from core.words import shortlist as said
from core.words.recommendation import alerts, due_in_words, headline, worth_in_words

_USAGE = 2
_LONGEST = 300
"""Letters of a fault in the usage."""
_MOST_DAYS = 3660


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    given = sys.argv[1:] if argv is None else argv
    if spoilt := next((it for it in given if _is_spoilt(it)), None):
        print(f"error: {_one_line(spoilt)[:80]} is not text in UTF-8", file=sys.stderr)
        return _USAGE
    arguments = _parser().parse_args(given)
    arguments.warnings, arguments.status = [], 0
    try:
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
    """Say whether bytes of an argument are no text, which Python keeps as lone surrogates."""
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


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m core", description=__doc__)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def add(name: str, command: Command, about: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=about, description=about)
        sub.set_defaults(command=command)
        sub.add_argument("--json", action="store_true", help="one JSON document")
        return sub

    def compared(sub: argparse.ArgumentParser, **suite: Any) -> None:  # noqa: ANN401 - argparse's
        sub.add_argument("--suite", metavar="S", **{"required": True} | suite)
        sub.add_argument("--cohort", default=data.ALL_MODELS, metavar="C")
        sub.add_argument("--protocol", default="", metavar="P", help="for BRIDGE")

    sub = add("taxonomy", _taxonomy, "which models are alike")
    compared(sub)
    sub.add_argument("--k", type=int, default=2, metavar="N", help="number of clusters")
    sub = add("redundancy", _redundancy, "which benchmarks tell the same")
    compared(sub, required=False, help="required without --across")
    sub.set_defaults(cohort=None, protocol=None)
    sub.add_argument(
        "--across", action="store_true", help="how the orders of models agree from suite to suite"
    )
    sub = add("win-rates", _win_rates, "who wins, and by how much")
    compared(sub)
    sub.add_argument("--category", metavar="NAME")
    sub = add("model", _model, "all that is known of any model: sale, price, terms, evidence")
    sub.add_argument("name", metavar="NAME", help="as any suite, price list or maker names it")
    sub = add("compare", _compare, "two models in every suite that has both")
    sub.add_argument("a", metavar="A")
    sub.add_argument("b", metavar="B")
    sub = add("equivalents", _equivalents, "smaller models that do the same job")
    sub.add_argument("--model", required=True, metavar="ID")
    compared(sub, action="append")
    sub.add_argument("--margin", type=margin, default=Question().margin, metavar="M")
    sub = add("pair", _pair, "two runs compared item by item")
    sub.add_argument("--suite", required=True, metavar="S")
    sub.add_argument(
        "--benchmark", default=replacing.ALL_BENCHMARKS, metavar="B", help="one, or all"
    )
    for which in ("--a", "--b"):
        sub.add_argument(which, required=True, metavar="RUN_OR_MODEL")
    sub = add("shortlist", _shortlist, "the models that fit the question")
    sub.add_argument("--csv", action="store_true", help="the rows as CSV")
    add_question(sub)
    sub = add("recommend", _recommend, "the one model to take, and what could replace it")
    sub.add_argument("--in-place-of", metavar="MODEL", help="the model in use")
    add_question(sub)
    sub = add("market", _market, "what you can buy for the work, and who tested it")
    add_question(sub)
    sub.add_argument("--csv", action="store_true", help="the table as CSV, for a spreadsheet")
    sub = add("watch", _watch, "what is due on kept lists; status 1 where anything is")
    sub.add_argument("--due-days", type=int, default=30, metavar="N", help="within N days; 30")
    sub.add_argument("--ics", type=Path, metavar="FILE", help="the days as a calendar file")
    add("benchhealth", _benchhealth, "BenchHealth: who is good over all data sets, and even")
    own_tests.add_commands(add)
    upkeep.add_commands(add)
    return parser


def _selection(arguments: Arguments) -> Selection:
    return Selection(arguments.suite, arguments.cohort or data.ALL_MODELS, arguments.protocol or "")


def _origin(found: Taxonomy | Redundancy | WinRates | ScoreMatrix) -> dict[str, object]:
    """Return the models that a result leaves out, and the snapshot that it was made from."""
    return {
        "excluded": [asdict(left_out) for left_out in found.excluded],
        "snapshots": manifests(found.snapshot),
    }


def _taxonomy(arguments: Arguments) -> Told:
    store, selection = opened_store(arguments), _selection(arguments)
    tree = evidence.taxonomy(store, selection, n_clusters=arguments.k)
    described = evidence.cluster_tests(store, selection) if arguments.k == 2 else None
    fair = described and len(tree.benchmarks) > 1
    shown = evidence.leave_one_out_tests(store, selection) if fair else None
    separated = _separated(tree, shown) if shown else None
    ordered = [tree.models[i] for i in tree.leaf_order]
    label = dict(zip(tree.models, tree.labels, strict=True))
    document = picked(tree, "suite", "cohort") | {
        "models": ordered,
        "benchmarks": [benchmark.id for benchmark in tree.benchmarks],
        "clusters": {
            name: [model for model in ordered if label[model] == name]
            for name in dict.fromkeys(label[model] for model in ordered)
        },
        "cophenetic_correlation": tree.cophenetic_correlation,
        "alpha": described.alpha if described else None,
        "separated": separated,
        "tests": _both_kinds(described, shown) if described else [],
        **_origin(tree),
    }
    rows = [{"cluster": label[model], "model": model} for model in ordered]
    return document, rows, [str(separated["said"])] if separated else []


def _separated(tree: Taxonomy, shown: ClusterTests) -> dict[str, object]:
    """Return the headline, which only tests of benchmarks that formed no cluster count in."""
    sizes = {name: tree.labels.count(name) for name in ("H", "L")}
    return {
        "n_significant": sum(test.significant for test in shown.tests),
        "n_tests": len(shown.tests),
        "n_within_reach": shown.n_within_reach,
        "said": " ".join(filter(None, evidence.separated(shown, sizes))),
    }


def _both_kinds(found: ClusterTests, shown: ClusterTests | None) -> list[dict[str, object]]:
    figures = ("p_value", "significant", "effect_size")
    return [
        asdict(test)
        | {"kind": "descriptive", "significant": None}
        | {"leave_one_out": other and picked(other, *figures)}
        for test, other in zip_longest(found.tests, shown.tests if shown else ())
    ]


def _redundancy(arguments: Arguments) -> Told:
    if arguments.across:
        if {arguments.suite, arguments.cohort, arguments.protocol} != {None}:
            raise BadRequestError("--across compares all suites with each other; give it alone.")
        rows = [
            {"a": pair.a, "b": pair.b} | picked(pair.agreement, *export.AGREEMENT)
            for pair in other_suites.across_suites(opened_store(arguments))
        ]
        return rows, rows
    if arguments.suite is None:
        raise BadRequestError("Give --suite, or --across to compare suites with each other.")
    found = evidence.redundancy(opened_store(arguments), _selection(arguments))
    pairs = [asdict(pair) for pair in found.pairs]
    return picked(found, "suite", "cohort", "alpha") | {"pairs": pairs} | _origin(found), pairs


def _win_rates(arguments: Arguments) -> Told:
    found = evidence.win_rates(opened_store(arguments), _selection(arguments), arguments.category)
    rows = [asdict(row) for row in found.rows]
    document = picked(found, "suite", "cohort", "category") | {
        "models": rows,
        "categories": {name: dict(scores) for name, scores in found.categories},
        "skipped": list(found.skipped),
        **_origin(found),
    }
    return document, rows


def _watch(arguments: Arguments) -> Told:
    from core.answers.watch import watch  # noqa: PLC0415 - the database is slow to import

    if not 0 <= arguments.due_days <= _MOST_DAYS:
        raise BadRequestError(f"--due-days is a number from 0 to {_MOST_DAYS:,}.")
    due = watch(opened_store(arguments), today(), arguments.due_days)
    if arguments.ics:
        days = [(each.day, due_in_words(each)) for each in due if each.day]
        write_file(arguments.ics, calendar(days, datetime.now(UTC)).encode())
    arguments.status = int(bool(due))
    rows = [
        {"list": each.name, "due": each.day or "now", "what": due_in_words(each)} for each in due
    ]
    return {"due_days": arguments.due_days, "due": [asdict(each) for each in due]}, rows


def _benchhealth(arguments: Arguments) -> Told:
    found = evidence.benchhealth(opened_store(arguments))
    columns = ("model", "generalisability", "robustness", "n_datasets")
    best = sorted(found.rows, key=lambda row: (-(row.generalisability or 0), row.model))
    rows = [picked(row, *columns) for row in best]
    return {"models": rows} | _origin(found.scores), rows


def _model(arguments: Arguments) -> Told:
    store, on = opened_store(arguments), today()
    found = one_model.known(store, one_model.called(store, arguments.name), on)
    asked = words.questions(found.sale, found.prices, found.terms, found.safety, found.evidence)
    lines = [
        found.named.name,
        words.on_sale_line(found.sale, found.prices),
        *words.elsewhere(found.sale),
        words.price_line(found.prices),
        words.known_line(found.evidence, found.safety, on),
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
            {"platform": way.platform, "term": check.gate, "answer": check.status}
            | picked(check, "detail", "as_of", "source_url")
            for way in found.terms
            for check in way.checks
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
    found = one_model.compare(store, a, b, on)
    rows = [_met(each) for each in (*found.suites, *found.apart)]
    document = {
        "a": a.name,
        "b": b.name,
        "verdict": found.verdict,
        "suites": rows[: len(found.suites)],
        **dict(zip(("above", "below", "level"), found.sides, strict=True)),
        "costs": {
            named.name: {
                way: _amounts(cost) | {"as_of": cost.as_of}
                for way, cost in one_model.costs(ask(store, Question(), on), named).items()
            }
            for named in (a, b)
        },
        "harm": {one.named.name: one.safety and asdict(one.safety) for one in (found.a, found.b)},
        "apart": rows[len(found.suites) :],
    }
    said = words.compared_in_words(found.verdict, a.name, b.name, *found.sides, found.places_apart)
    return document, rows, [said]


def _met(found: one_model.Meeting) -> dict[str, object]:
    sides = {
        f"{key}_{side}": getattr(one, key)
        for side, one in (("a", found.a), ("b", found.b))
        for key in ("rank", "value", "kind", "tested_as")
    }
    same = picked(found.a, "suite", "metric", "n", "as_of")
    return same | picked(found, "standing", "difference") | sides


def _equivalents(arguments: Arguments) -> Told:
    store = opened_store(arguments)
    suites = tuple(dict.fromkeys(arguments.suite))
    selections = [Selection(suite, cohort=arguments.cohort) for suite in suites]
    selections[0] = replace(selections[0], protocol=arguments.protocol)
    model = recommend.known_as(store, selections[0], arguments.model)
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
    return document, candidates


def _pair(arguments: Arguments) -> Told:
    asked = (arguments.suite, arguments.benchmark, arguments.a, arguments.b)
    found = asdict(replacing.pair(opened_store(arguments), *asked))
    return found, in_lines(found)


def _asked(arguments: Arguments, store: Store) -> Asked:
    question = question_of(arguments, store)
    return ask(store, question, data.day_of_prices(question, today()))


def _shortlist(arguments: Arguments) -> Told:
    store = opened_store(arguments)
    asked = _asked(arguments, store)
    if not asked.question.evidence.suite:
        asked = recommend.in_one_suite(asked)
        name = said.evidence_name(asked.question, store.catalogue)
        print(f"Based on {name} alone: a shortlist needs one suite.", file=sys.stderr)
    question, found = asked.question, recommend.shortlist(asked)
    page, mark, _ = (arguments.link or "").partition("?")
    address = page if mark or "://" in page else ""
    made = link.bounded(documents.shortlist_link(asked, address))
    if made.note:
        print(made.note, file=sys.stderr)
    rows = documents.shortlist_records(asked, made.url)
    if arguments.csv:
        sys.stdout.buffer.write(to_csv(rows, export.SHORTLIST_COLUMNS))
        return None
    document = {
        "question": question.as_fields(),
        "weights": dict(found.weights),
        "rows": rows,
        "left_out": [
            {
                "rule": said.rule_name(out.rule, question),
                "detail": said.rule_asks(out.rule, question),
                "model": out.model,
                "reason": said.why_left_out(out),
            }
            for out in found.left_out
        ],
        "workload": [asdict(line) for line in found.workload],
        "reasoning_workload": [asdict(line) for line in found.reasoning_workload],
        "n_unpriced": found.n_unpriced,
        "link": made.url,
        "snapshots": manifests(*found.snapshots),
    }
    # Under their earlier names as well, for one release more.
    document |= {"requirements": document["question"], "excluded": document["left_out"]}
    shown = ("rank", "name", "score", "n_benchmarks", "n_missing", "params_b", "monthly_cost_usd")
    return document, [{key: row[key] for key in shown} for row in rows]


def _recommend(arguments: Arguments) -> Told:
    store = opened_store(arguments)
    asked = _asked(arguments, store)
    question, on = asked.question, asked.day
    used = arguments.in_place_of or named_in_link(arguments.link or "", asked)
    if not question.evidence.suite:
        place = replacing.in_use(asked, used) if used else None
        return _over_all_evidence(asked, market.market(asked), place)
    found = recommend.recommendation(asked, used)
    rows = [
        {
            "decision": words,
            "model": each.model.name,
            "score": each.score,
            "difference": each.judged.difference.difference if each.judged else None,
            "tier": each.judged.tier if each.judged else None,
            "monthly_cost_usd": each.cost.likely,
            "from": cost_from(each.cost),
        }
        for words, each in found.decisions()
    ]
    worth = worth_of(store, found, on)
    led = _of_another_day(asked) if not used else ""
    begun = (
        sentence(said.question_in_words(question, found.shortlist))
        if question.work.language
        else ""
    )
    if not found.shortlist.weights:
        begun = said.no_test(question, store.catalogue)
    met = sentence(said.met_in_words(found.met)) if found.met else ""
    known = worth_in_words(worth) if worth else ""
    lines = led, begun, headline(found), met, *alerts(found, on), known
    return export.document(found, worth, on), rows, [*filter(None, lines)]


def _market(arguments: Arguments) -> Told:
    store = opened_store(arguments)
    asked = _asked(arguments, store)
    if asked.question.evidence.suite:
        raise BadRequestError("The market is over all evidence: leave out --suite.")
    found = market.market(asked)
    if arguments.csv:
        address = link.bounded(documents.shortlist_link(asked)).url
        rows = documents.market_records(asked, address)
        sys.stdout.buffer.write(to_csv(rows, market_file.MARKET_COLUMNS))
        return None
    return _over_all_evidence(asked, found)


def _over_all_evidence(asked: Asked, found: Market, used: InUse | None = None) -> Told:
    task = asked.store.catalogue.tasks[asked.question.work.task]
    first = market_words.headline(found, task.name.lower())
    lists = [f"{it.list} {it.revision} of {it.said_on}" for it in asked.store.lists]
    document = market_file.document(found, asked.question, task, lists)
    if used:
        n = len(found.buyable)
        rows = market_file.in_place_listing(used)
        return document | market_file.in_use(used, n), rows, market_words.in_its_place(used, n)
    lines = (*first, market_words.newest_untested(found))
    return document, market_file.listing(found), [*filter(None, lines)]


def _of_another_day(asked: Asked) -> str:
    """Say what a question from another day took and takes today; empty for one of today."""
    if not documents.is_of_another_day(asked, today()):
        return ""
    then = documents.taken(asked)
    now = documents.taken(documents.of_today(asked, today()), then.first)
    return said.then_and_today(
        asked.day.isoformat(), then, now, documents.changes_between(then, now)
    )


if __name__ == "__main__":
    sys.exit(main())

"""The commands on the evidence of one suite, and the tables for a spreadsheet."""

import sys
from dataclasses import asdict

from core.answers import documents, recommend
from core.answers.asked import Asked, shortlist_link
from core.answers.local_test import worth_of
from core.commands.market import asked_at
from core.commands.question import add_question
from core.commands.told import Add, Arguments, Told, manifests, opened_store, today
from core.figures import cost_from, sentence
from core.sharing import export, link
from core.sharing.market import MARKET_COLUMNS
from core.sheets import to_csv
from core.words import shortlist as said
from core.words.conditions import met_in_words
from core.words.recommendation import alerts, asked_first, headline, worth_in_words


def add_commands(add: Add) -> None:
    """Add the commands to the command line."""
    sub = add("shortlist", _shortlist, "the models that fit the question")
    sub.add_argument("--csv", action="store_true", help="the rows as CSV")
    add_question(sub)


def _shortlist(arguments: Arguments) -> Told:
    store = opened_store(arguments)
    asked = asked_at(arguments, store)
    if not asked.question.evidence.suite:
        asked = recommend.in_one_suite(asked)
        name = said.evidence_name(asked.question, store.catalogue)
        print(f"Based on {name} alone: a shortlist needs one suite.", file=sys.stderr)
    question, found = asked.question, recommend.shortlist(asked)
    page, mark, _ = (arguments.link or "").partition("?")
    address = page if mark or "://" in page else ""
    made = link.bounded(shortlist_link(asked, address))
    if made.note:
        print(made.note, file=sys.stderr)
    rows = documents.shortlist_records(asked, made.url)
    if arguments.csv:
        sys.stdout.buffer.write(to_csv(rows, export.SHORTLIST_COLUMNS))
        return None
    # What has another name now is there under the earlier one as well, for one release more.
    asks = question.as_fields() | {"gates": question.conditions.required}
    document = {
        "question": asks,
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
    document |= {"requirements": asks, "excluded": document["left_out"]}
    shown = ("rank", "name", "score", "n_benchmarks", "n_missing", "params_b", "monthly_cost_usd")
    return document, [{key: row[key] for key in shown} for row in rows]


def recommended(asked: Asked, used: str) -> Told:
    """Return what one suite recommends, in place of a model in use where one is named."""
    store, question, on = asked.store, asked.question, asked.day
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
    led = of_another_day(asked, used)
    begun = (
        sentence(said.question_in_words(question, found.shortlist))
        if question.work.language
        else ""
    )
    if not found.shortlist.weights:
        begun = said.no_test(question, store.catalogue)
    met = sentence(met_in_words(found.met)) if found.met else ""
    known = worth_in_words(worth) if worth else ""
    ask = asked_first(found) if found.strength == "shortlist" else ()
    lines = led, begun, headline(found), met, *alerts(found, on), *ask, known
    return export.document(found, worth, on), rows, [*filter(None, lines)]


def of_another_day(asked: Asked, used: str) -> str:
    """Say what a question from another day took and takes today; empty for one of today.

    Where a model in use is to be replaced, only that the answer is of that day.
    """
    if used or not documents.is_of_another_day(asked, today()):
        return documents.said_of_day(asked, today())
    then = documents.taken(asked)
    now = documents.taken(documents.of_today(asked, today()), then.first)
    changed = documents.changes_between(then, now)
    # Over all evidence there are no older tests.
    tests = "" if asked.question.evidence.suite else " Both use the tests loaded now."
    return said.then_and_today(asked.day.isoformat(), then, now, changed) + tests


def print_market(asked: Asked) -> None:
    """Print the market as CSV."""
    address = link.bounded(shortlist_link(asked)).url
    rows = documents.market_records(asked, address)
    sys.stdout.buffer.write(to_csv(rows, MARKET_COLUMNS))

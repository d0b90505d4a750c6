"""The commands over all evidence: what can be bought for the work, and what to start with."""

from core.answers.asked import Asked, ask, shortlist_link
from core.answers.bills import task_of
from core.answers.data import day_of_prices
from core.answers.market import market, nearest, volume
from core.commands.question import add_question, named_in_link, question_of
from core.commands.told import Add, Arguments, Told, opened_store, today
from core.domain import BadRequestError
from core.evidence.store import Store
from core.sharing import link
from core.sharing import market as market_file
from core.sharing.controls import LIMITS
from core.words import market as words
from core.words.cost import prices_to_come


def add_commands(add: Add) -> None:
    """Add the commands to the command line."""
    sub = add("recommend", _recommend, "the one model to take, and what could replace it")
    sub.add_argument("--in-place-of", metavar="MODEL", help="the model in use")
    add_question(sub)
    sub = add("market", _market, "what you can buy for the work, and who tested it")
    add_question(sub)
    sub.add_argument("--csv", action="store_true", help="the table as CSV, for a spreadsheet")


def asked_at(arguments: Arguments, store: Store) -> Asked:
    """Return the question of the options at a store, on the day of its prices."""
    question = question_of(arguments, store)
    arguments.warnings += filter(None, [prices_to_come(question.prices_on, today())])
    return ask(store, question, day_of_prices(question, today()))


def _recommend(arguments: Arguments) -> Told:
    asked = asked_at(arguments, opened_store(arguments))
    used = arguments.in_place_of or named_in_link(arguments.link or "", asked)
    if asked.question.evidence.suite:
        from core.commands.one_suite import recommended  # noqa: PLC0415 - slow to import

        return recommended(asked, used)
    return _over_all_evidence(asked, used)


def _market(arguments: Arguments) -> Told:
    asked = asked_at(arguments, opened_store(arguments))
    if asked.question.evidence.suite:
        raise BadRequestError("The market is over all evidence: leave out --suite, or its link.")
    task_of(asked.store, asked.question.work.task)
    if arguments.csv:
        from core.commands.one_suite import print_market  # noqa: PLC0415 - slow to import

        print_market(asked)
        return None
    return _over_all_evidence(asked)


def _over_all_evidence(asked: Asked, used: str = "") -> Told:
    found, task = market(asked), asked.store.catalogue.tasks[asked.question.work.task]
    relaxed = nearest(asked)
    first = words.market_headline(found, task.name.lower())
    lists = [f"{it.list} {it.revision} of {it.said_on}" for it in asked.store.lists]
    document = market_file.market_document(
        *(found, asked.question, asked.store.catalogue, lists),
        volume=volume(asked),
        on=asked.day.isoformat(),
        link=link.bounded(shortlist_link(asked)).url,
        relaxed=relaxed,
    )
    budget = asked.question.limits.monthly_budget_usd
    told = words.to_know_first(found, asked.day, 0, budget).every
    rows = market_file.listing(found)
    if used:
        from core.answers.replacing import in_use  # noqa: PLC0415 - slow to import
        from core.words import replacing  # noqa: PLC0415 - as above

        taken, n = in_use(asked, used), len(found.buyable)
        rows = market_file.in_place_listing(taken)
        document |= market_file.in_use_document(taken, n)
        first, told = replacing.in_its_place(taken, n), replacing.to_know_of_move(taken)
    kinds = asked.store.catalogue.condition_kinds
    told = [*told, *(("", words.nearest_in_words(it, kinds, LIMITS)) for it in relaxed)]
    lines = (*filter(None, first), *(f"{of}: {it}" if of else it for of, it in told))
    if asked.day != today():
        from core.commands.one_suite import of_another_day  # noqa: PLC0415 - slow to import

        lines = (*filter(None, [of_another_day(asked, used)]), *lines)
    return document, rows, [*lines]

"""The market as a table: a row a model, a column a line, each place with what it rests on."""

from collections.abc import Callable
from functools import partial

from core.answers import open_cases
from core.domain import Candidate, Market, Placed
from core.domain.market import Directness
from core.evidence.store import Store
from core.local_test.ours import OwnTest
from core.memory import Same, remembered
from core.words import candidate
from pages.components import entries
from pages.components.notices import plain

Address = Callable[..., str]
"""Where a page lies, with what goes along."""
_SIDES = {"Grade": ":-:", "$ a month": "--:"}
"""To which side the words of a column go, where that is not the left."""


@remembered(maxsize=32)
def market_matrix(
    store: Store,
    found: Same[Market],
    asked: tuple[tuple[str, tuple[str, ...]], ...],
    *,
    ours: tuple[OwnTest, ...],
    by_harm: bool,
    most: int | None,
) -> str:
    """Write rows as a Markdown table: a line a column, and with each place what it rests on.

    The first ``most`` that can be bought and those that the answer names, or without a number all
    that must be asked about. A hospital's own tests have columns of their own.
    """
    asking = most is None
    every = found.it.ask if asking else found.it.buyable
    every = candidate.by_harm(every) if by_harm else every
    told = found.it.choice.names
    rows = [
        it for place, it in enumerate(every) if most is None or place < most or it.model.id in told
    ]
    columns = [it for it in found.it.columns if any(_of(row, it[0]) for row in rows)]
    here = partial(entries.address_of, question=asked)
    ask = ["Ask"] if asking else []
    heads = ["Grade", "Model", *ask, "$ a month", "Severe harm", "Sale to", "Where"]
    heads += [_head(store, here, *column) for column in columns]
    named = {it.id: it.name for it in open_cases.case_sets(store)} if ours else {}
    own_results = "local_test?local_test_tab=Results"
    for it in ours:
        about = candidate.about_ours(it.as_of, it.n_cases, it.judges)
        heads.append(_link(plain(f"Ours: {named[it.case_set]}"), own_results, about))
    lines = [heads, [_SIDES.get(it, ":--") for it in heads]]
    first: dict[str, str] = {}
    for row in rows:
        short, name = [], row.model.name
        if asking:  # A question is said once, and then of which model it was.
            of = first.setdefault(question := candidate.to_ask(row), name)
            short = [question if of == name else f"As for {of}"]
        short += [candidate.cost_short(row.cost), candidate.harm_short(row)]
        short += [candidate.sale_short(row.best_offer), candidate.where(row)]
        cells = [row.grade, _linked(row, here), *map(plain, short)]
        cells += [_cell(store, here, _of(row, suite)) for suite, *_ in columns]
        cells += [candidate.cell_of_ours(it, row.model.id) for it in ours]
        lines.append(cells)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _of(row: Candidate, suite: str) -> Placed | None:
    return next((line for line in row.lines if line.tested.suite == suite), None)


def _head(store: Store, here: Address, suite: str, name: str, kind: Directness, as_of: str) -> str:
    about = f"{candidate.KINDS[kind]}; {store.catalogue.suites[suite].description}"
    short = f"{name.partition(',')[0]} {as_of[:4]}".strip()
    where = here("data", suite=name, data_tab="Suites")
    of_kind = "" if kind == "direct" else f" · {kind}"
    return f"{_link(plain(short), where, about)}{of_kind}"


def _linked(row: Candidate, here: Address) -> str:
    about = " ".join(candidate.product_for_and_against(row)) or candidate.grade_means(
        row.grade, row.lines
    )
    return _link(plain(row.model.name), here("model", model=row.model.id), about)


def _cell(store: Store, here: Address, line: Placed | None) -> str:
    if line is None:
        return "·"
    about = candidate.about_line(line, store.catalogue.suites[line.tested.suite].judged_by)
    return _link(candidate.cell(line), here("model", model=line.tested.tested_as), about)


def _link(text: str, where: str, about: str) -> str:
    """Write a link with words that are shown on hover and read to a screen reader."""
    bare = " ".join(about.replace('"', "'").replace("\\", "").replace("|", "/").split())
    return f'[{text}]({where} "{bare}")'

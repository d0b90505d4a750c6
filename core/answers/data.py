"""What is loaded: the scores that a question is about, their models, flags, prices and dates.

Also what a newer snapshot changed, of scores and of the public lists of prices and ends of sale.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.answers.asked import resolved
from core.domain import (
    BadRequestError,
    Change,
    Changes,
    Exclusion,
    FactList,
    Flag,
    ListRow,
    Model,
    ModelFact,
    Price,
    PriceReference,
    Provenance,
    Question,
    ScoreMatrix,
    Selection,
)
from core.evidence.catalogue import OWN_RESULT
from core.evidence.fact_lists import GENAI_PRICES, LITELLM, newest, read_list
from core.evidence.items import of_benchmarks
from core.evidence.model_facts import completed, conflicts
from core.evidence.snapshots import too_old
from core.evidence.store import Store
from core.evidence.tables import is_over_a_year_ago
from core.memory import remembered
from core.procurement.bill import joined_prices, price_changes, public_prices
from core.procurement.conditions import OLD
from core.statistics.difference import cluster_changes, rank_changes, score_changes
from core.statistics.items import item_errors
from core.statistics.score_matrix import build_matrix, is_run, select

if TYPE_CHECKING:
    from pathlib import Path

    from core.domain import FloatArray

_LIST_OLD = timedelta(days=14)
ALL_MODELS = "all"
"""The cohort of every model of a suite."""


@remembered(maxsize=4)
def _facts(store: Store) -> dict[str, tuple[ModelFact, ...]]:
    found: dict[str, list[ModelFact]] = {}
    for suite in store.catalogue.suites:
        for release in store.of_suite(suite)[:1]:
            for fact in store.derived(ModelFact, release):
                found.setdefault(fact.model, []).append(fact)
    return {name: tuple(facts) for name, facts in found.items()}


def models(store: Store, ids: Iterable[str]) -> dict[str, Model]:
    """Return models as the catalogue has them, their gaps filled from the leaderboards."""
    facts, known = _facts(store.shared), {name: store.catalogue.model(name) for name in ids}
    return {
        name: completed(it, facts.get(name.removesuffix(OWN_RESULT), ()))
        for name, it in known.items()
    }


def model(store: Store, model_id: str) -> Model:
    """Return one model as ``models`` does."""
    return models(store, (model_id,))[model_id]


def conflicts_on(store: Store, model_id: str) -> tuple[str, ...]:
    """Return where the sources disagree on a model, in sentences."""
    facts = _facts(store.shared).get(model_id.removesuffix(OWN_RESULT), ())
    return conflicts(store.catalogue.model(model_id), facts)


def matrix(store: Store, selection: Selection) -> ScoreMatrix:
    """Return the selected scores of a suite, by default those of its newest snapshot.

    Benchmarks that a suite shows and does not score are there only where the selection names
    them. A hospital's own results join the snapshot's as models of their own. Runs that are
    flagged as implausible, or that their own team made, stay out unless asked for; a model without
    another run is then left out with that as its reason.
    """
    return _matrix(store, resolved(store, selection))


@remembered(maxsize=64)
def _matrix(store: Store, selection: Selection) -> ScoreMatrix:
    if store.session and selection.suite not in {table.suite for table in store.session}:
        return matrix(store.shared, selection)
    found = _everything(store, replace(selection, models=(), benchmarks=(), language=""))
    if selection.models:
        found = select(found, selection.models)
    asked = selection.language
    scored = [b for b in found.benchmarks if b.scored and asked in ("", b.language)]
    named = selection.benchmarks or tuple(benchmark.id for benchmark in scored)
    return found if len(named) == len(found.benchmarks) else select(found, benchmarks=named)


def flags(store: Store) -> list[Flag]:
    """Return the flags on the runs of each snapshot, in each way in which its suite asked."""
    return [
        flag
        for snapshot in store.snapshots
        for protocol in store.catalogue.suites[snapshot.suite].protocols or ("",)
        for flag in store.derived(Flag, snapshot, protocol)
    ]


@remembered(maxsize=64)
def _everything(store: Store, selection: Selection) -> ScoreMatrix:
    """Return the scores of all models and benchmarks of a suite, as for ``matrix``."""
    import pandas as pd  # noqa: PLC0415 - a third of a second to import

    suite, cohort, protocol = selection.suite, selection.cohort, selection.protocol
    snapshot = store.snapshot(suite, selection.revision)
    protocols = store.catalogue.suites[suite].protocols
    if protocol and protocol not in protocols:
        listed = ", ".join(protocols) or "one protocol only"
        raise BadRequestError(f'{suite} has no protocol "{protocol[:80]}"; it has {listed}.')
    members = store.catalogue.cohorts.get((cohort, suite))
    if members is None and cohort != ALL_MODELS:
        known = [name for name, of in store.catalogue.cohorts if of == suite]
        listed = ", ".join([ALL_MODELS, *known])
        raise BadRequestError(f'{suite} has no cohort "{cohort[:80]}"; it has {listed}.')
    protocol = protocol or next(iter(protocols), "")
    frame = store.scores(snapshot, protocol)
    lost: dict[str, Exclusion] = {}
    if not selection.include_flagged:
        flagged = {
            flag.run: flag.rule for flag in reversed(store.derived(Flag, snapshot, protocol))
        }
        out = frame["run"].isin(list(flagged))
        runs = dict(zip(frame.loc[out, "model"], frame.loc[out, "run"], strict=True))
        frame = frame[~out]
        others = set(frame["model"])
        lost = {
            m: Exclusion(m, f"flagged: {flagged[run]}", "flagged")
            for m, run in runs.items()
            if m not in others
        }
        made = store.catalogue.other_protocols
        own_team = [m for m in sorted(others) if (suite, m) in made and made[suite, m].own_team]
        by_team = "run and reported by its own team"
        lost |= {m: Exclusion(m, by_team, "own team") for m in own_team}
        frame = frame[~frame["model"].isin(own_team)]
    found = build_matrix(
        pd.concat([frame, store.own_results(suite, protocol)], ignore_index=True),
        store.catalogue.benchmarks[suite],
        suite=suite,
        cohort=members,
        snapshot=snapshot,
    )
    named = {left_out.model for left_out in found.excluded}
    excluded = [lost.get(left_out.model, left_out) for left_out in found.excluded]
    if members is None:
        excluded += [left_out for m, left_out in lost.items() if m not in named]
    return with_items(store, replace(found, excluded=tuple(excluded)))


@remembered(maxsize=64)
def provenance(store: Store, selection: Selection) -> dict[str, str]:
    """Return how a model's run was made, by model, where not as the others of its suite were.

    It is about the run that ``matrix`` chose for the model. A labelled run is shown, and stays
    out of rank bands and first places. A hospital's own results have no label.
    """
    scores = matrix(store, selection)
    protocols = store.catalogue.suites[selection.suite].protocols
    protocol = selection.protocol or next(iter(protocols), "")
    snapshot = store.snapshot(selection.suite, selection.revision)
    labelled = store.derived(Provenance, snapshot, protocol)
    return {
        model: made.label
        for model, chosen in zip(scores.models, scores.runs, strict=True)
        for made in labelled
        if is_run(chosen, made.run)
    }


@remembered(maxsize=64)
def products(store: Store, selection: Selection) -> ScoreMatrix:
    """Return the selected scores without lines to compare with, such as physicians."""
    scores = matrix(store, selection)
    lines = [name for name, one in models(store, scores.models).items() if one.is_reference]
    if not lines:
        return scores
    kept = select(scores, [model for model in scores.models if model not in lines])
    out = tuple(
        Exclusion(model, "a line to compare with, not a product", "reference") for model in lines
    )
    return replace(kept, excluded=(*kept.excluded, *out))


@remembered(maxsize=32)
def prices_on(
    store: Store, day: date, regions: tuple[str, ...] = ()
) -> dict[str, tuple[Price, ...]]:
    """Return the public prices of each priced model on a day; none before a model came out.

    Two lists join: of one platform that of `product_prices` comes last and counts, since it is
    that of the region where one is asked for. It is known of models that are one product.
    """
    catalogue = store.catalogue
    known, out = catalogue.models, day.isoformat()
    asked = [it for it in catalogue.prices if known[it.model].released_on <= out]
    found, joined = priced_at(store, asked, day), product_prices(store, day, regions)
    for model, sold_as in catalogue.sold_as.items():
        if len(sold_as) == 1 and sold_as[0] in joined and known[model].released_on <= out:
            also = (replace(price, model=model) for price in joined[sold_as[0]])
            found[model] = (*found.get(model, ()), *also)
    return found


@remembered(maxsize=32)
def product_prices(
    store: Store, day: date, regions: tuple[str, ...] = ()
) -> dict[str, tuple[Price, ...]]:
    """Return the prices of products by the list of ends and prices in force on a day, if any.

    Only at platforms of whose sale something is known: a list keeps entries of what is not sold.
    Of two offers of one product there, that which ends first has no price: its end is not told.
    """
    about = newest(store.lists, LITELLM, day)
    if about is None or about.as_of > day.isoformat():  # It has no history.
        return {}
    providers = {it.platform: it.provider for it in store.catalogue.platforms}
    sold: dict[tuple[str, str], dict[str, str]] = {}
    for row in store.catalogue.lifecycle:
        ends = sold.setdefault((row.product, row.platform), {})
        ends[row.provider_model.casefold()] = row.shutdown_on or "no end"
    keys = [
        key
        for key in store.catalogue.list_keys
        if (there := sold.get((key.product, key.platform)))
        if there.get(key.key.rpartition("/")[2].casefold(), last := max(there.values())) == last
    ]
    return joined_prices(keys, about, _joined_rows(store.shared, about), day, providers, regions)


def priced_at(
    store: Store, references: Sequence[PriceReference], day: date
) -> dict[str, tuple[Price, ...]]:
    """Return the prices of entries by the list of public prices that was in force on a day."""
    if (about := newest(store.lists, GENAI_PRICES, day)) is None:
        return {}
    platforms = {it.provider: it.platform for it in store.catalogue.platforms}
    return public_prices(references, about, rows_of_list(store.shared, about), day, platforms)


def listed_at(store: Store, name: str) -> tuple[tuple[str, str], ...]:
    """Return the providers that list a model by its exact id, behind a maker's or a region's name.

    By the newest list of public prices, each with its own id of the model.
    """
    about = newest(store.lists, GENAI_PRICES)
    keys = rows_of_list(store.shared, about) if about and name else ()
    found = (key.partition("/")[::2] for key in keys)
    return tuple(it for it in found if name in (it[1], it[1].rpartition("/")[2]))


@remembered(maxsize=4)
def rows_of_list(store: Store, about: FactList) -> Mapping[str, tuple[ListRow, ...]]:
    """Return all rows of a snapshot of a public list, by key."""
    return read_list(_folder(store, about))


@remembered(maxsize=4)
def _joined_rows(store: Store, about: FactList) -> Mapping[str, tuple[ListRow, ...]]:
    """Return the rows whose keys the catalogue joins, a quarter of the whole list."""
    joined = {key.key for key in store.catalogue.list_keys if key.list == about.list}
    return read_list(_folder(store, about), joined)


def _folder(store: Store, about: FactList) -> Path:
    return store.data / "facts" / about.list / about.revision


CLOUDS = ("Azure OpenAI / Azure AI Foundry", "AWS Bedrock", "Google Vertex AI")


def unjoined(store: Store, day: date) -> list[dict[str, str]]:
    """Return what three clouds sell on a day without an entry of the newest list, and what is gone.

    *No key*: a product at a platform, under its name there. *Gone*: a key that the list lost.
    """
    about, catalogue = newest(store.lists, LITELLM), store.catalogue
    entries = rows_of_list(store.shared, about) if about else {}
    gone = [it for it in catalogue.list_keys if it.key not in entries]
    joined = {(it.product, it.platform) for it in catalogue.list_keys if it.key in entries}
    found = [
        ("no key", it.product, it.platform, it.provider_model)
        for it in catalogue.lifecycle
        if it.platform in CLOUDS and (it.product, it.platform) not in joined
        if it.status in ("on sale", "deprecated")
        if not it.shutdown_on or it.shutdown_on > day.isoformat()
    ]
    found += [("gone", it.product, it.platform, it.key) for it in gone]
    names = ("what", "product", "platform", "key")
    return [dict(zip(names, each, strict=True)) for each in found]


def lists_on(store: Store, day: date) -> tuple[FactList, ...]:
    """Return the snapshots of public lists that are asked for the prices of a day."""
    return tuple(
        about for name in (GENAI_PRICES, LITELLM) if (about := newest(store.lists, name, day))
    )


def listed_on(store: Store, day: date) -> tuple[str, ...]:
    """Return the ISO days of the lists of public prices that are asked for those of a day."""
    days = {min(about.said_on, day.isoformat()) for about in lists_on(store, day)}
    return tuple(sorted(days)) or (day.isoformat(),)


def day_of_prices(question: Question, day: date) -> date:
    """Return the day on which public prices are asked: the chosen one, at the latest today."""
    chosen = question.prices_on
    return min(date.fromisoformat(chosen), day) if chosen else day


@dataclass(frozen=True, slots=True)
class Aged:
    """The dates of what has grown old; ``""`` and ``None`` where it has not."""

    scores: str
    prices: date | None


def aged(store: Store, question: Question, day: date) -> Aged:
    """Say whether the scores of a question are over a year old, and the prices over 90 days.

    Over all evidence each line says its own age.
    Prices count as old only where the question asks for those of today.
    """
    suite = question.evidence.suite
    return Aged(
        scores=too_old(store.snapshot(suite, question.evidence.revision), day) if suite else "",
        prices=None if question.prices_on else old_prices(store, day),
    )


def grown_old(test: str, lists: Iterable[str], today: date) -> tuple[bool, str]:
    """Say whether the newest test of a work is over a year old, by its ISO day, month or year.

    Also the day of the oldest public list, where that is over two weeks ago, else "".
    """
    old = [it for it in lists if today - date.fromisoformat(it) > _LIST_OLD]
    return is_over_a_year_ago(test, today), min(old, default="")


def old_prices(store: Store, day: date) -> date | None:
    """Return the day of the older list of public prices, where that is over 90 days ago."""
    listed = date.fromisoformat(listed_on(store, day)[0])
    return listed if day - listed > OLD else None


def old_suites(store: Store, day: date) -> list[tuple[str, str]]:
    """Return the suites whose newest scores are over a year old, each with its date."""
    return [
        (suite.name, written)
        for suite in store.catalogue.suites.values()
        for newest in store.of_suite(suite.id)[:1]
        if (written := too_old(newest, day))
    ]


@remembered(maxsize=16)
def changes(store: Store, suite: str, before: str, after: str) -> Changes:
    """Return what changed from one revision of a suite to another, flagged runs included.

    Facts are those that the suite's own source gives; prices are those of the days on which
    the two snapshots were retrieved.
    """
    releases = [store.snapshot(suite, revision) for revision in (before, after)]
    old, new = (
        matrix(store, Selection(suite, revision=r, include_flagged=True)) for r in (before, after)
    )
    facts = [{(f.model, f.field): f.value for f in store.derived(ModelFact, s)} for s in releases]
    both = [model for model in new.models if model in set(old.models)]
    days = [date.fromisoformat(snapshot.retrieved_at) for snapshot in releases]
    prices = [prices_on(store.shared, day) for day in days]
    return Changes(
        suite=suite,
        before=releases[0],
        after=releases[1],
        new_models=tuple(m for m in new.models if m not in set(old.models)),
        gone_models=tuple(m for m in old.models if m not in set(new.models)),
        changes=(
            *score_changes(old, new),
            *rank_changes(old, new),
            *cluster_changes(old, new),
            *(
                Change(model, field, "", facts[0].get((model, field)), value)
                for (model, field), value in facts[1].items()
                if model in both and facts[0].get((model, field)) != value
            ),
            *price_changes(both, *prices),
        ),
    )


_MOST_CELLS = 5_000_000
"""Models by items of a benchmark, or thrice the pairs of models by benchmarks, looked at in 40 MB.
Beyond, items serve the comparison of two runs only."""


def with_items(store: Store, matrix: ScoreMatrix) -> ScoreMatrix:
    """Return a matrix with the errors of its scores as items have them, where there are items."""
    runs = runs_of(store, matrix)
    n = len(matrix.models)
    if not runs or 3 * n * n * len(matrix.benchmarks) > _MOST_CELLS or matrix.snapshot is None:
        return matrix
    counts = store.item_counts(matrix.snapshot)
    most = counts.groupby("benchmark")["n_items"].max()
    position = {run: matrix.models.index(model) for model, run in runs.items()}
    path = store.item_file(matrix.snapshot)
    per_benchmark: list[tuple[NDArray[np.intp], FloatArray, NDArray[np.intp] | None] | None] = []
    read = [
        b.id
        for b in matrix.benchmarks
        if b.id in most and len(runs) * int(most[b.id]) <= _MOST_CELLS
    ]
    found = of_benchmarks(path, list(position), read) if read else {}
    for benchmark in matrix.benchmarks:
        if (rows := found.get(benchmark.id)) is None:
            per_benchmark.append(None)
            continue
        names, run = np.unique(rows["run"].to_numpy(dtype=str), return_inverse=True)
        _, first, item = np.unique(
            rows["item"].to_numpy(dtype=str), return_index=True, return_inverse=True
        )
        scores: FloatArray = np.full((len(names), len(first)), np.nan)
        scores[run, item] = rows["score"].to_numpy(dtype=float)
        task = rows["task"].to_numpy(dtype=str)[first]
        if benchmark.lower_is_better:
            scores = 1 - scores
        clusters = np.unique(task, return_inverse=True)[1] if (task != "").all() else None
        placed: NDArray[np.intp] = np.array([position[name] for name in names.tolist()], np.intp)
        per_benchmark.append((placed, scores, clusters) if len(placed) else None)
    return replace(matrix, items=item_errors(n, per_benchmark))


def runs_of(store: Store, matrix: ScoreMatrix) -> dict[str, str]:
    """Return, by model, the run that stands for it in a matrix, where that run has items."""
    if matrix.snapshot is None or not matrix.snapshot.items_sha256:
        return {}
    known = set(store.item_counts(matrix.snapshot)["run"])
    found = {}
    for model, label in zip(matrix.models, matrix.runs, strict=True):
        # A label may name the mirror before the run, and the precision behind it.
        bare = label.rpartition(" (")[0]
        names = (label, bare, label.partition(": ")[2], bare.partition(": ")[2])
        run = next((name for name in names if name in known), None)
        if run is not None:
            found[model] = run
    return found


def of_list(store: Store, name: str) -> list[FactList]:
    """Return the usable snapshots of a list, the newest first."""
    return [about for about in reversed(store.lists) if about.list == name]


@remembered(maxsize=8)
def list_changes(store: Store, name: str, before: str, after: str) -> Changes:
    """Compare two revisions of a list by its entries, which take the place of models.

    A price is that in force on the day of its snapshot for a request of ordinary length, as "input
    / output" in US dollars a million tokens. The item is what the catalogue knows the entry as, or
    empty. Known entries come first, then by name.
    """
    known_as = {about.revision: about for about in of_list(store, name)}
    for revision in (before, after):
        if revision not in known_as:
            raise BadRequestError(
                f'{name} has no snapshot "{revision[:80]}"; it has {", ".join(known_as)}.'
            )
    abouts = [known_as[revision] for revision in (before, after)]
    old, new = (rows_of_list(store.shared, about) for about in abouts)
    known = {f"{it.provider}/{it.provider_model}": it.model for it in store.catalogue.prices}
    if name == LITELLM:
        known = {it.key: f"{it.product}, {it.platform}" for it in store.catalogue.list_keys}
    found = []
    for key in sorted(old.keys() & new.keys(), key=lambda key: (key not in known, key)):
        rows = old[key], new[key]
        prices = [_price(row, about) for row, about in zip(rows, abouts, strict=True)]
        ends = [row[0].ends_on or None for row in rows]
        for what, (was, now) in (("price", prices), ("sale end", ends)):
            if was != now:
                found.append(Change(key, what, known.get(key, ""), was, now))
    return Changes(
        suite=name,
        before=abouts[0],
        after=abouts[1],
        new_models=tuple(key for key in new if key not in old),
        gone_models=tuple(key for key in old if key not in new),
        changes=tuple(found),
    )


def _price(rows: Sequence[ListRow], about: FactList) -> str | None:
    for it in reversed(rows):
        if not it.above_tokens and it.from_day <= about.as_of:
            rates = it.input_usd_per_mtok, it.output_usd_per_mtok
            return " / ".join("" if usd is None else f"{usd:g}" for usd in rates)
    return None

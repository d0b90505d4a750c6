"""The side bar: the question that all pages share, each control bound to the address bar.

The controls hold the words that the link carries, so the one reader of links turns them into
question: what the page shows and what a link gives are the same by construction.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from datetime import date
from types import SimpleNamespace
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from core.answers import bills, data, market, model
from core.answers.asked import Asked, ask, shortlist_link
from core.domain import ALL_EVIDENCE, BadRequestError, EvidenceBase, Question, SalePeriod
from core.evidence.store import Store
from core.figures import capitalised, counted
from core.memory import remembered
from core.procurement.shortlist import all_categories
from core.sharing import inputs, link, own_figures
from core.sharing.controls import ACCESS, ALL_LANGUAGES, BY_KEY, CONTROLS
from core.sharing.inputs import MOST_OWN, OLDEST_PRICES, Control, OwnLines, sale_label, size_label
from core.words.candidate import platform_name
from core.words.cost import prices_to_come
from core.words.market import asked_in_words
from core.words.shortlist import evidence_name
from pages.components import evidence
from pages.components.notices import plain, status


def draw(store: Store) -> None:
    """Draw the shared question; `question` reads it."""
    first_run = "link_notes" not in st.session_state
    was_reset = st.session_state.pop("was_reset", False)
    # A link without evidence means the first suite, and none of its conditions; an address that
    # asks nothing asks the market, under the conditions that patient data need. The first suite is
    # the one evidence that an address need not name.
    state, begins = st.session_state, st.session_state.pop("begins", False)
    named = first_run or state.get("evidence") != _bases(store)[0].name
    is_empty = named and _asks_nothing(store)
    if begins:
        state.update(_first_visit(store))
    elif state.get("was_empty"):
        # Setting it again writes it into the address, along with the first thing that is changed.
        state.update({key: state[key] for key in _first_visit(store)})
    came_back = is_empty and not (state.get("was_empty") or was_reset or begins)
    state["was_empty"] = is_empty or begins
    if first_run:
        _take_over(store)
    # The evidence decides what the controls above it offer, so it is drawn before them.
    above = st.container()
    _evidence(store, keep_version=not (first_run or was_reset))
    with above:
        _task(store)
        for key in ("access", "platform", "budget", "max_params"):
            _control(store, BY_KEY[key])
        _control(store, BY_KEY["gates"])
    # Or has just come. In a second run, since in the first one the address goes before anything
    # that the session holds.
    if came_back:
        st.session_state["begins"] = True
        st.rerun()
    _fold(store, "Further conditions", "conditions")
    _fold(store, "Workload behind the bill", "workload")
    _fold(store, "Own servers", "servers")
    with above:  # Volumes in that fold go before it.
        _control(store, BY_KEY["requests"])
    _own_figures(store)
    _fold(store, "Other settings", "more")
    st.button(
        "Reset", icon=":material/restart_alt:", width="stretch", on_click=_reset, args=(store,)
    )


def _take_over(store: Store) -> None:
    """Write in the address what a link says in another way than the controls, and note its faults.

    The controls read the address, and would take out of it what none of their options says.
    """
    state = st.session_state
    asked = {key: st.query_params.get_all(key) for key in st.query_params}
    opened = link.from_query(asked, store.catalogue, store.snapshots)
    state["link_notes"] = (*opened.notes, *link.unread(asked, store.catalogue))
    # A size between the stops of the control must be among its options to survive.
    size = opened.question.limits.max_params_b
    state["linked_max_params"] = size
    said = {} if size is None else {"max_params": [size_label(size)]}
    if asked.get("evidence"):
        said["evidence"] = [opened.evidence.name]
    in_words = (inputs.OneOf, inputs.Months)
    for control in (it for it in CONTROLS if type(it.kind) in in_words and asked.get(it.key)):
        said |= {key: [it] for key, it in control.write(opened.question, store.catalogue)}
    state["linked_sale"] = opened.question.sale.on_sale_months
    # Nor does a category survive that the control no longer offers and whose weight moved.
    weights = dict(opened.question.work.weights)
    if weights and not set(asked.get("category", ())) <= set(weights):
        said["category"] = list(weights)
        said |= {inputs.weight_key(name): inputs.in_link(w) for name, w in weights.items()}
    if later := prices_to_come(opened.question.prices_on, evidence.this_day()):
        # The control takes no later day than today, and would drop it without a word.
        state["link_notes"] += (later,)
    if any(asked.get(key) != words for key, words in said.items()):
        st.query_params.update(said)
        st.rerun()


def _asks_nothing(store: Store) -> bool:
    asked = set(st.query_params)
    of_pages = {key for key in asked if link.of_a_page(key) and not key.endswith("_tab")}
    return not (link.keys(store.catalogue) | of_pages) & asked


def _first_visit(store: Store) -> dict[str, Any]:
    """Return what the controls hold where nobody has asked anything yet."""
    profile = next(iter(store.catalogue.profiles.values()))
    return {
        "evidence": ALL_EVIDENCE.name,
        "gates": BY_KEY["gates"].shown(profile.conditions, store.catalogue),
    }


def without(store: Store, dropped: Collection[str]) -> dict[str, Any]:
    """Return what the controls hold once some conditions and limits are dropped."""
    found: dict[str, Any] = {}
    required = opened(store).question.conditions.required
    if (kept := tuple(it for it in required if it not in dropped)) != required:
        found["gates"] = BY_KEY["gates"].shown(kept, store.catalogue)
    for control in CONTROLS:
        if control.field in dropped:
            free = market.NO_LIMITS.value(control.field)
            found |= control.kind.held(control, free, store.catalogue)
    return found


def _fold(store: Store, title: str, name: str) -> None:
    """Draw the controls that few questions need; half of the time of a rerun is theirs."""
    inside = [control for control in CONTROLS if control.fold == name]
    fold = st.expander(title, key=f"{name}_fold", on_change="rerun")
    if not (keep_in_address(_unset(store, inside)) or fold.open):
        return
    with fold:
        for control in inside:
            _control(store, control)


def keep_in_address(defaults: Mapping[str, Any]) -> bool:
    """Write into the address what these controls hold, and say whether they must be drawn.

    A control that is not drawn has no place in the address and forgets its value, so it goes
    undrawn only while it is at its default.

    Parameters
    ----------
    defaults
        The value of each control, by its key, as long as nobody has set it.
    """
    held = {
        key: value
        for key, default in defaults.items()
        if (value := st.session_state.get(key)) not in (None, [], default)
    }
    for key, value in held.items():
        # A control that was drawn writes the address itself, and forbids that others do.
        with suppress(StreamlitAPIException):
            st.query_params[key] = inputs.in_link(value)
    return bool(held) or any(key in st.query_params for key in defaults)


def _unset(store: Store, controls: Iterable[Control]) -> dict[str, Any]:
    return {key: v for it in controls for key, v in it.unset(store.catalogue).items()}


def _control(store: Store, control: Control) -> None:
    label, known = control.label, store.catalogue
    unset: Any = control.unset(known).get(control.key)
    bound: dict[str, Any] = {"key": control.key, "bind": "query-params", "help": control.help}
    match control.kind:
        case inputs.Number() as kind:
            # Volumes by kind of request count in place of these.
            given = sum(st.session_state.get(it) or 0 for it in BY_KEY["volumes"].unset(known))
            replaced = control.key in ("requests", "tokens_in", "tokens_out") and bool(given)
            if replaced and control.key == "requests":
                keep_in_address(control.unset(known))
                label, said = f"{label}, by your volumes", f"{given:,.12g}"
                st.text_input(label, said, disabled=True, help=control.help)
                return
            _number(label, kind, unset, disabled=replaced, **bound)
        case inputs.Volumes(each):
            for request in known.requests:
                bound["key"] = inputs.volume_key(request.id)
                _number(request.name, each, 0.0, **bound)
        case inputs.Several(options, empty=empty):
            named = list(options(known))
            st.multiselect(label, named, placeholder=empty, select_all=False, **bound)
        case inputs.OneOf(options):
            st.selectbox(label, list(options(known)), **bound)
        case inputs.Size(stops):
            named = _stops(control, stops, size_label)
            st.select_slider(label, [*named, unset], value=unset, **bound)
        case inputs.Months(stops):
            named = [sale_label(None), *_stops(control, stops, sale_label)]
            st.selectbox(label, named, index=named.index(unset), **bound)
        case inputs.Day():
            latest = evidence.this_day() if control.key == "prices" else None
            st.date_input(label, value=None, min_value=OLDEST_PRICES, max_value=latest, **bound)
        case inputs.Switch():
            st.toggle(label, **bound)
        case inputs.Models():
            models = known_models(store)
            chosen = st.session_state.get("only") or st.query_params.get_all("only")
            # A list of thousands would be sent to the browser with every click.
            offered = sorted(models, key=str.lower) if len(models) <= inputs.MOST_IN_A_LINK else []
            offered += [model for model in dict.fromkeys(chosen) if model not in offered]
            st.multiselect(label, offered, placeholder="All models", select_all=False, **bound)


def _stops(control: Control, stops: tuple[Any, ...], words: Callable[[Any], str]) -> list[str]:
    """Name the stops of a control, and what a link says between them."""
    linked = st.session_state.get(f"linked_{control.key}")
    return [words(stop) for stop in sorted({*stops, linked} - {None})]


def _number(label: str, kind: inputs.Number, usual: float | None, **bound: Any) -> None:  # noqa: ANN401 - as of Streamlit
    st.number_input(
        label,
        float(kind.low),
        float(kind.high),
        value=usual,
        step=float(kind.step),
        format="%g" if kind.step >= 1 else "%0.1f",
        placeholder=kind.empty,
        **bound,
    )


def opened(store: Store) -> link.Opened:
    """Return what the controls ask."""
    # Taken out at once: asking the session for each of fifty keys takes ten times as long.
    state = st.session_state.to_dict()
    categories = inputs.in_link(state.get("category"))
    keys = (*link.QUESTION, *_unset(store, CONTROLS), *map(inputs.weight_key, categories))
    asked = ((key, tuple(inputs.in_link(state[key]))) for key in keys if state.get(key) is not None)
    return _read(store, tuple(asked))


@remembered(maxsize=128)
def _read(store: Store, asked: tuple[tuple[str, tuple[str, ...]], ...]) -> link.Opened:
    return link.from_query(dict(asked), store.catalogue, store.snapshots)


def _bases(store: Store) -> list[EvidenceBase]:
    releases = {s.suite for s in store.snapshots if s.kind == "release"}
    return link.bases_of(store.catalogue, releases)


def _evidence(store: Store, *, keep_version: bool) -> None:
    suites = _bases(store)
    bases = {base.name: base for base in (ALL_EVIDENCE, *suites)}
    name = st.selectbox(
        "Evidence",
        list(bases),
        # A link without evidence means the first suite, so that stays out of the address.
        index=list(bases).index(suites[0].name),
        key="evidence",
        bind="query-params",
        help="All evidence: what you can buy, graded by every suite that tests this work. Or one "
        "leaderboard or study, whose scores then rank its models. Scores of two suites are never "
        "mixed, because each runs its tests in its own way.",
    )
    base = bases[name]
    if base is ALL_EVIDENCE:
        return
    suite = store.catalogue.suites[base.suite]
    snapshots = store.of_suite(base.suite)
    if snapshots:
        labels = [link.data_label(snapshot) for snapshot in snapshots]
        # So that no address of a suite is empty: the first suite itself stays out of it.
        if keep_version and st.session_state.get("data") not in labels:
            st.session_state["data"] = labels[0]
        newest = snapshots[0]
        as_of = f"as of {newest.as_of or f'release {newest.revision}'}."
        about = [base.description, *(f"{it.capitalize()}." for it in suite.cautions)]
        st.caption(f"{' '.join(about)} {capitalised(as_of)}", help=suite.description)
        with st.expander("Version"):
            st.selectbox(
                "Snapshot",
                labels,
                index=None,
                placeholder=f"Newest: {labels[0]}",
                key="data",
                bind="query-params",
                help="Every copy of the scores is kept. A link remembers the one it was made "
                "with, so that a colleague sees the same figures.",
            )
    if suite.protocols:
        st.selectbox(
            "Prompting",
            [link.PROTOCOLS[protocol] for protocol in suite.protocols],
            key="protocol",
            bind="query-params",
            help="How the question was put to the model. Results under different prompting are "
            "kept apart.",
        )


def _task(store: Store) -> None:
    tasks, state = store.catalogue.tasks, st.session_state
    offered = [task.name for task in tasks.values()]
    if state.get("evidence") == ALL_EVIDENCE.name:  # Weights are of the categories of one suite.
        offered.remove(own := tasks[link.OWN_TASK].name)
        if state.get("task") == own:
            state["task"] = tasks[Question().work.task].name
    what = "; ".join(f"{task.name}: {task.description}" for task in [*tasks.values()][1:-1])
    name = st.selectbox(
        "Work",
        offered,
        key="task",
        bind="query-params",
        help=f"What the model is for. {what}. Each uses the tests of its own categories; for all "
        "kinds of work a suite's own weights are used. To set weights of your own, choose one "
        "suite under Evidence first.",
    )
    chosen = state.evidence
    base = next((b for b in store.catalogue.evidence.values() if b.name == chosen), ALL_EVIDENCE)
    tests = store.catalogue.benchmarks
    of = [base.suite] if base.suite else {line.suite for line in store.catalogue.lines}
    spoken = {test.language for suite in of for test in tests[suite]}
    if len(spoken) > 1:
        _control(store, BY_KEY["language"])
    if name != tasks[link.OWN_TASK].name or not base.suite:
        return
    chosen = st.multiselect(
        "Task categories",
        all_categories(store.catalogue.benchmarks[base.suite]),
        key="category",
        bind="query-params",
        placeholder="All categories alike",
        select_all=False,
    )
    for category in chosen:
        st.number_input(
            f"Weight of {category.lower()}",
            0.0,
            link.MOST_WEIGHT,
            value=1.0,
            step=0.5,
            format="%g",
            key=inputs.weight_key(category),
            bind="query-params",
        )


def copy_link(store: Store) -> None:
    """Draw the link to this page."""
    menu = st.popover("Copy link", key="share", on_change="rerun")
    if not menu.open:
        return
    with menu.container(key="link"):
        status()
        made = address(store)
        st.code(made.url, language=None, wrap_lines=True)
        if made.note:
            st.warning(made.note, icon=":material/link_off:")


def asked_of(store: Store) -> Asked:
    """Return what the controls ask, put to a store on the day of its prices."""
    question = opened(store).question
    return ask(store, question, evidence.priced_on(question))


def address(store: Store) -> link.Link:
    """Return the link to this page with every choice in it that the app knows."""
    shared = shortlist_link(asked_of(store), st.context.url or "")
    own = {key: st.query_params.get_all(key) for key in st.query_params if link.of_a_page(key)}
    return link.bounded(shared, own)


def _reset(store: Store) -> None:
    st.session_state.update(
        data=None,
        protocol=next(iter(link.PROTOCOLS.values())),
        task=store.catalogue.tasks[Question().work.task].name,
        category=[],
        **_unset(store, CONTROLS) | _first_visit(store),
        link_notes=(),
        own_notes={},
        was_reset=True,
    )


def known_models(store: Store) -> list[str]:
    """Return the models that a question may choose among; over all evidence, the products."""
    asked = asked_of(store)
    if not asked.question.evidence.suite:
        return [*model.products(store)]
    return list(data.products(store, asked.selection()).models)


_OWN = {control.key: control for control in CONTROLS if control.fold == "own"}
_LINES = {key: control.kind for key, control in _OWN.items() if isinstance(control.kind, OwnLines)}


def _own_figures(store: Store) -> None:
    """Draw what of this the question holds, so that the link keeps it and each can be removed."""
    kept = keep_in_address(dict.fromkeys(_OWN))
    found = {key: own_lines(store, key) for key in _OWN} if kept else {}
    if not any(found.values()):
        for key in _OWN:  # What is empty would go before the address, once Back brings one.
            st.session_state.pop(key, None)
        return
    with st.expander("Your own figures"):
        for key, control in _OWN.items():
            if found[key]:
                st.multiselect(
                    control.label, found[key], key=key, bind="query-params", help=control.help
                )


def own_lines(store: Store, key: str) -> list[str]:
    """Return the usable lines that the question holds, of several about the same the last."""
    chosen = st.session_state.get(key)
    if chosen is None:
        chosen = st.query_params.get_all(key)
    # What is at fault with the others, the notes of the link say.
    return list(_LINES[key].usable(inputs.Reader({key: chosen}), key, store.catalogue))


def own_entry(
    store: Store,
    key: str,
    button: str,
    draw: Callable[[], None],
    *,
    without_day: str = "",
    wrong: Callable[[Mapping[str, Any]], str] = lambda _: "",
    **fixed: str,
) -> None:
    """Draw the form for one line of own figures, which is then in the side bar and the link.

    Parameters
    ----------
    key
        Of the control of the question.
    draw
        Draws the controls of the parts, each under the key and the field of the part; date and
        source follow.
    without_day
        What a date that is left empty means.
    wrong
        Says what is wrong with the parts, apart from what the reader of lines finds.
    fixed
        Parts that have no control.
    """
    kind, state, known = _LINES[key], st.session_state, store.catalogue
    source = next((field for field in ("source", "source_url") if field in kind.parts), "")

    def keep() -> None:
        said: dict[str, Any] = {}
        for field in kind.parts:
            value = fixed.get(field, state.get(f"{key}_{field}"))
            value = value.isoformat() if isinstance(value, date) else value
            said[field] = value.strip() if isinstance(value, str) else value
        if source:
            said["as_of"] = said["as_of"] or without_day
        try:
            if fault := wrong(said):
                raise BadRequestError(fault)
            line = kind.write(SimpleNamespace(**said))
            about = kind.subject(own := kind.read(line, known))
            # It takes the place of any about the same.
            others = [
                it for it in own_lines(store, key) if kind.subject(kind.read(it, known)) != about
            ]
            if len(others) >= MOST_OWN:
                raise BadRequestError(
                    f"A question carries at most {MOST_OWN} of your own entries: remove one first."
                )
            state[key] = [*others, line]
            state[f"{key}_fault"] = kind.caution(own, known)
            state[f"{key}_kept"] = True
        except BadRequestError as error:
            state[f"{key}_fault"] = str(error)

    if text := state.pop(f"{key}_fault", ""):
        st.warning(plain(text), icon=":material/edit_off:")
    if state.pop(f"{key}_kept", False):
        st.success(
            "Saved, and part of the link. You can remove it in the side bar, under “Your own "
            "figures”.",
            icon=":material/check:",
        )
    with st.form(f"{key}_form", border=False, enter_to_submit=False):
        draw()
        if source:
            left, right = st.columns(2)
            left.date_input("Date", value=None, max_value=evidence.this_day(), key=f"{key}_as_of")
            right.text_input(
                "Source",
                max_chars=own_figures.LONGEST_TEXT,
                placeholder="A contract, a letter, the number of an offer",
                key=f"{key}_{source}",
            )
        st.form_submit_button(button, on_click=keep)


_N_FIT = "n_fit"


def asked(store: Store) -> None:
    """Draw the question in one line, which opens the side bar; on paper, in full."""
    state, question = st.session_state, opened(store).question
    with st.container(key="asked_on_paper"):
        work = bills.task_of(store, question.work.task).name.lower()
        kinds, of = store.catalogue.condition_kinds, evidence_name(question, store.catalogue)
        named = "; ".join(kinds[it].required for it in question.conditions.required)
        told = f"{asked_in_words(question, work, 0)} Evidence: {of}."
        st.caption(plain(f"{told} Conditions: {named}." if named else told))
    parts = [state.get(key) for key in ("task", "language", "access")]
    parts = [it for it in parts if it not in (ALL_LANGUAGES, ACCESS["any"])]
    parts.append(", ".join(map(platform_name, state.get("platform", ()))))
    if state.get("max_params") not in (None, size_label(None)):
        parts.append(f"up to {state['max_params']}")
    if state.get("budget") is not None:
        parts.append(f"${state['budget']:,.0f} a month")
    if state.get("gates"):
        parts.append(counted(len(state["gates"]), "condition"))
    if (months := question.sale.on_sale_months) != SalePeriod().on_sale_months:
        parts.append(f"on sale: {sale_label(months).lower()}")
    owned = question.hardware
    if question.access == "own" and owned.gpu:
        parts.append(f"{owned.gpus_owned or ''} × {owned.gpu}".removeprefix(" × "))
    st.button(
        f"{plain(' · '.join(str(part) for part in parts if part))} · change",
        key="asked",
        type="tertiary",
        icon=":material/tune:",
        width="stretch",
    )


def n_fit(number: int) -> None:
    """Record how many models fit, for the button that shows them."""
    st.session_state[_N_FIT] = number


def show_answer() -> None:
    """Draw the button that closes the side bar, with the number of models where any fit."""
    number = st.session_state.pop(_N_FIT, None)
    label = f"Show {counted(number, 'model')}" if number else "Show the answer"
    with st.sidebar:
        st.button(label, key="show_answer", type="primary", width="stretch")

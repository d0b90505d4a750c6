"""What do our own cases say? Results of any tool are read back, without their text."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

import streamlit as st

from core.answers import data, local_test, model, open_cases
from core.answers.asked import Asked
from core.domain import BadRequestError, FormularyError, TooFewError
from core.evidence.store import Store
from core.figures import counted, listed
from core.local_test import ours
from core.local_test.plan import (
    MOST_MODELS,
    Plan,
    Protocol,
    TestedModel,
    as_planned,
    departures,
)
from core.local_test.verdict import TestVerdict, verdict
from core.results import read_patients, take, together
from core.results.collected import Results
from core.words import local_test as words
from pages.components import evidence, files, saving, visitor
from pages.components.blocks import how_made, numbers, table
from pages.components.notices import faults_as_sentences, plain
from pages.local_test import asking

_HELD = "results_held"


def draw(asked: Asked) -> None:
    """Draw the tab."""
    # The boxes are empty when the tab is opened again; what was read is there until it is removed.
    *held, n_held, _ = st.session_state.get(_HELD, ([], None, None, None, ()))
    with st.expander("The test these results are from"):
        planned = asking.planned(asked, st.container())
    # A number in the link was planned; one that nobody set was not.
    begun = st.session_state["test_cases"] if "test_cases" in st.query_params else None
    if (n_held or begun) and "planned_cases" not in st.session_state:
        st.session_state["planned_cases"] = n_held or begun
    handed_in = st.file_uploader(
        f"Results, at most {files.LARGEST_MB} MB a file",
        accept_multiple_files=True,
        max_upload_size=files.LARGEST_MB,
        key="result_files",
        on_change=lambda: st.session_state.pop(_HELD, None),
        help="Recognised by their contents: logs of Inspect, run folders of HELM as ZIP, samples "
        "of lm-evaluation-harness, results of promptfoo, the rating sheets with their key, or a "
        "CSV with the columns model, item and score. Upload the files of all models together, with "
        "the protocol (JSON).",
    )
    with st.expander("Protocol and case file, if you have them"):
        agreed_file = st.file_uploader(
            "Protocol (JSON)",
            type="json",
            max_upload_size=1,
            key="protocol_file",
            help="The file from the tab Plan, here or with the results. Whatever was done "
            "differently is then listed.",
        )
        n_cases = st.number_input(
            "Cases that were planned",
            min_value=2.0,
            value=None,
            step=10.0,
            format="%g",
            key="planned_cases",
            placeholder="As in the protocol",
            help="Without a protocol: the number agreed before anyone saw a result. The verdict "
            "stays open until it is reached, or if no number is given.",
        )
        case_file = st.file_uploader(
            "Case file (CSV)",
            type="csv",
            max_upload_size=files.LARGEST_MB,
            key="case_file",
            help="Only case ids, and the patient to whom each case belongs, are read.",
        )
    # All are read, and discarded, whatever is wrong with one of them.
    taken = files.each("result_files", handed_in, take)
    agreed = files.one("protocol_file", agreed_file, lambda _, raw: Protocol.read(raw))
    patients = files.one("case_file", case_file, read_patients)
    if not handed_in and held[0]:
        taken, agreed, patients = held[0], agreed or held[1], patients or held[2]
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("These results are held for this session.")
            st.button("Remove", on_click=_forget)
    if not taken:
        st.markdown(
            "**Upload what your tool wrote, or the completed rating sheets.** Files are discarded "
            "as soon as they have been read. In memory this session holds ids, scores, tokens, "
            "seconds, cost, settings, and the names of models, raters and files, but no text of a "
            "case or an answer, unless an id contains it. Nothing is kept on the server unless you "
            "choose so."
        )
        _held()
    else:
        with faults_as_sentences("Results"):
            results, protocol = together(taken), files.sound(agreed)
            if protocol is None and (own := next(filter(None, (it.protocol for it in taken)), b"")):
                protocol = Protocol.read(own)
            margin = protocol.margin if protocol else planned.accepted
            n_planned = protocol.n_cases if protocol else n_cases and int(n_cases)
            names, candidate, other = _compared(planned.plan, results, protocol)
            called = {one.name if one else name for name, one in names.items()}
            st.session_state[_HELD] = (taken, agreed, patients, n_cases, called)
            found = verdict(
                results,
                candidate,
                other,
                margin,
                planned=n_planned or results.planned,
                candidates=[name for name in names if name != other],
                n_agreed=len(protocol.models) - 1 if protocol else 0,
                patients=files.sound(patients),
            )
            is_open = bool(results.case_sets)
            margin_from = words.margin_of_verdict(found, protocol)
            agreed_on = {it for both in protocol.models for it in both} if protocol else set()
            meant = {it for name, one in names.items() for it in (name, one and one.name)}
            if protocol and not agreed_on & meant:
                st.warning(words.OTHER_MODELS, icon=":material/rule:")
            _answer(asked, found, names, margin_from, is_open=is_open)
            _of_open_cases(asked.store, results, names)
            _keep_button(asked.store, results, names)
            _case_by_case(found)
            _measured(found)
            _beside(found, as_planned(results, names), protocol)
    how_made("Local test", key="local_results")


def _forget() -> None:
    """Remove the results that are held, and what they say of pairs of their models."""
    *_, called = st.session_state.pop(_HELD)
    for each in saving.own_verdicts():
        if called.issuperset(each.names):
            saving.forget(each)


def _held() -> None:
    """Draw the verdicts of files that are no longer in the box, each with a way to remove it."""
    for number, each in enumerate(saving.own_verdicts()):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(plain(f"Held for this session: {each.sentence}"))
            st.button("Remove", key=f"forget_{number}", on_click=saving.forget, args=(each,))


def _compared(
    planned: Plan, results: Results, agreed: Protocol | None
) -> tuple[dict[str, TestedModel | None], str, str]:
    """Draw the choice of two models; return what each name means, the candidate, and the other.

    Models of a protocol come in its order, in which the first is what the others are compared with.
    """
    in_order = [it for both in agreed.models for it in both] if agreed else []
    there = sorted(
        dict.fromkeys(results.frame["model"]),
        key=lambda name: in_order.index(name) if name in in_order else len(in_order),
    )
    if len(there) < 2:
        raise TooFewError(
            f"The files have results of one model only, {there[0]}: upload the other model's "
            "together with them."
        )
    names = _meant(planned, there, in_order)
    # What was agreed comes before what this session plans.
    reference = next((n for n in there if (one := names[n]) and one.reference), there[-1])
    if agreed and there[0] in agreed.models[0]:
        reference = there[0]
    left, right = st.columns(2)
    other = right.selectbox("Compared with", there, index=there.index(reference))
    candidate = left.selectbox("Candidate", [name for name in there if name != other])
    return names, candidate, other


def _measured(found: TestVerdict) -> None:
    means = {found.a: found.difference.mean_a, found.b: found.difference.mean_b}
    frame = {
        "Model": [each.model for each in found.measured],
        "Points": numbers([means[each.model] for each in found.measured], times=100),
        "Answers": [each.n_answers for each in found.measured],
        "Cost per case, $": numbers([each.usd for each in found.measured]),
        "Seconds per case": numbers([each.seconds for each in found.measured]),
        "Tokens per case": numbers([each.tokens for each in found.measured]),
    }
    table(frame, "local-test-result", "Local test: scores and what was measured")


def _meant(
    planned: Plan, there: Sequence[str], agreed: Sequence[str]
) -> dict[str, TestedModel | None]:
    """Return the model of the plan that each name means; ask where that cannot be told."""
    found = {name: planned.meant(name) for name in there[:MOST_MODELS]}
    taken = {known.id for known in found.values() if known}
    free = {each.name: each for each in planned.models if each.id not in taken}
    unknown = [name for name in found if found[name] is None and name not in agreed]
    unknown = unknown if free else []
    for column, name in zip(st.columns(len(unknown) or 1), unknown, strict=False):
        said = column.selectbox(
            f"{plain(name)} is",
            ["another model", *free],
            key=f"meant_{name}",
            help="The results name it differently from the plan. Say which one it is, so that "
            "the verdict is shown with what public evidence says about it.",
        )
        found[name] = free.get(said)
    return found | dict.fromkeys(there[MOST_MODELS:])


def _answer(
    asked: Asked,
    found: TestVerdict,
    names: Mapping[str, TestedModel | None],
    margin_from: str,
    *,
    is_open: bool,
) -> None:
    """Draw the verdict in a sentence, and hold it for the other pages."""
    said = {name: known.name if known else name for name, known in names.items()}
    if asked.question.evidence.suite:
        products = data.products(asked.store, asked.selection()).models
        ids = {data.model(asked.store, name).name: name for name in products}
    else:
        ids = _products(asked.store, said.values())
    candidate, reference = (ids.get(said[name], "") for name in (found.a, found.b))
    public = None
    if candidate and reference:
        public = local_test.public_tier(asked, reference, candidate)
    told = words.verdict_in_words(found, said[found.a], said[found.b], public, is_open=is_open)
    st.markdown(f"**{plain(told)}** {plain(margin_from)}")
    gap = found.difference
    # Next to public evidence is what the hospital's own cases say.
    if gap.ci_low is not None and gap.ci_high is not None and not is_open:
        pair = said[found.a], said[found.b]
        sentence = words.verdict_in_words(found, *pair)
        saving.hold(saving.OwnVerdict(sentence, pair, (candidate, reference)))


def _products(store: Store, names: Iterable[str]) -> dict[str, str]:
    """Return the ids of products by their names; a name that nobody here knows has none."""
    known = {}
    for name in names:
        with suppress(BadRequestError):
            known[name] = model.called(store, name).id
    return known


def _of_open_cases(store: Store, results: Results, names: Mapping[str, TestedModel | None]) -> None:
    """Say which open cases these are, and whether the judge's maker made a model that it judged."""
    known = {it.id: it for it in open_cases.case_sets(store)}
    there = [known[name] for name in results.case_sets if name in known]
    tested = [known.name if known else name for name, known in names.items()]
    if said := words.of_open_cases(there, results.judges):
        st.caption(plain(" ".join(said)))
    for name in results.judges:
        if own := open_cases.of_one_maker(store, name, tested):
            st.warning(plain(words.judged_its_own(name, own)), icon=":material/balance:")


def _keep_button(store: Store, results: Results, names: Mapping[str, TestedModel | None]) -> None:
    """Draw the way to keep a test on open cases, for whoever runs this server."""
    if not visitor.is_administrator():
        return
    said = {name: meant.name if meant else name for name, meant in names.items()}
    ids = _products(store, said.values())
    known = {name: ids[one] for name, one in said.items() if one in ids}
    if (test := open_cases.own_test(store, results, known, evidence.this_day())) is None:
        return

    def write() -> None:
        try:
            ours.keep(store.data, test)
        except FormularyError as error:
            st.session_state["ours_fault"] = str(error)

    if test in {it for _, it in ours.kept(store.data)}:
        st.caption(
            "Kept on this server: under Recommend in a column of its own, and under Data, Own "
            "results, where they can be removed."
        )
    else:
        st.button("Keep on this server", on_click=write, help=_KEPT)
    if fault := st.session_state.pop("ours_fault", ""):
        st.error(plain(fault), icon=":material/save:")


_KEPT = (
    "Means of these models are listed under Recommend as yours, for everyone who uses this server. "
    "No link or export contains them, and they do not count towards any grade."
)


def _case_by_case(found: TestVerdict) -> None:
    up, down = (int((found.scores_a * sign > found.scores_b * sign).sum()) for sign in (1, -1))
    same = len(found.items) - up - down
    told = f"Better on {counted(up, 'case')}, the same on {same:,}, worse on {down:,}."
    st.subheader("Case by case")
    if found.table is not None:
        both = found.table
        told += (
            f" Right both {both.both:,}, only the candidate {both.only_a:,}, only the other "
            f"{both.only_b:,}, neither {both.neither:,}; McNemar's exact p "
            f"{both.mcnemar_p:.2g}."
        )
    st.caption(plain(told))
    if found.apart:
        st.caption(
            plain(f"They differ most on {listed(found.apart)}: look at these answers yourself.")
        )


def _beside(found: TestVerdict, results: Results, agreed: Protocol | None) -> None:
    said = list(words.raters_and_strays(found))
    if agreed is None:
        told = "Without the protocol it cannot be checked whether the test followed its plan."
        if found.planned is None:
            told += " Upload it, or enter how many cases were planned, above."
        said.append(told)
    else:
        differs = departures(agreed, results, found.margin, len(found.items), (found.a, found.b))
        apart = words.departures_in_words(agreed, differs)
        said += apart or (f"As agreed in protocol {agreed.sha256[:12]}.",)
    settings = [f"{model}: {name} {value}" for model, name, value in results.settings]
    if settings:
        said.append(f"Settings recorded: {'; '.join(settings[:12])}.")
    said += words.not_counted(found, is_open=bool(results.case_sets))
    st.markdown("\n".join(f"- {plain(one)}" for one in (*said, *results.passed_over)))
    st.caption(plain(f"Read as: {results.format}."))

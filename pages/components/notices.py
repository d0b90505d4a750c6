"""What the reader is told next to the answer: limits, faults and unusable links."""

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from core import logs
from core.domain import FormularyError, TooFewError
from core.evidence.store import Store
from core.sharing.inputs import quoted_from_link

# Where an address begins or a mail address has its @, and a colon that may begin an icon.
_LURES = re.compile(r"https?(?=://)|www(?=\.)|@(?=[-\w])|:(?=[\w+/-]+:)", re.IGNORECASE)
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")


def plain(text: str) -> str:
    """Return text that Markdown shows as it is: no markup, link, formula, icon or directive.

    The browser looks for addresses, icons and emoji once more after Markdown was read, so a
    backslash does not stop it. A space without width does: nobody sees it, and the page can be
    searched as before.
    """
    one_line = " ".join(text.split())
    return _MARKDOWN.sub(r"\\\1", _LURES.sub(lambda found: f"{found.group()}\u200b", one_line))


def about_each(said: Iterable[tuple[str, str]]) -> list[str]:
    """Return sentences in Markdown, each after the model that it is about, if about one."""
    return [f"**{plain(of)}:** {plain(it)}" if of else plain(it) for of, it in said]


_HERE = Path(__file__).parent
_STYLE, _DARK = (  # Sent at every first visit, so without comments.
    re.sub(r"/\*.*?\*/\s*", "", (_HERE / name).read_text("utf-8"), flags=re.DOTALL)
    for name in ("page.css", "dark.css")
)


def style() -> None:
    """Put on the page what no setting of Streamlit gives: phones, tables and dark letters."""
    dark = _DARK if st.context.theme.type == "dark" else ""
    st.html(f"<style>{_STYLE}{dark}</style>")
    st.logo(_NAME.format("#6CC9C4" if dark else "#0B6E72"))


def status() -> None:
    """Draw the line over the link; the script writes into it that the link was copied."""
    more = ""
    if any(st.session_state.get(key) for key in ("own_tables", "own_cases")):
        more = " Your own results are not in the link."
    said = f"Opens with the same choices, and says if the evidence has changed.{more}"
    st.html(f'<span role="status"></span>{said}')


_NAME = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="24"><text y="18" fill="{}" '
    'font-family="sans-serif" font-size="19" font-weight="700">LLM Formulary</text></svg>'
)


def standing(aged: str) -> None:
    """Remind the reader of what public benchmarks cannot say, and of what has grown old."""
    st.caption(
        f"{aged} Public benchmarks do not replace a local validation: try the models you choose on "
        "your own notes, with your own clinicians, before you buy.",
        help="A benchmark measures a model on someone else's texts and questions. Your "
        "documents, your patients and your systems differ.",
    )


def link_notes() -> None:
    """Say which values of the opened link could not be used."""
    if notes := st.session_state.get("link_notes"):
        st.warning(
            "About this link: " + plain(" ".join(notes)),
            icon=":material/link_off:",
        )


def own_choice(key: str, what: str, known: Collection[str], used: str) -> None:
    """Say that a page's own part of the link is not known; call it before its control."""
    notes = st.session_state.setdefault("own_notes", {})
    every = st.query_params.get_all(key)
    asked = next((value for value in every if value not in known), "")
    if every and not asked:
        notes.pop(key, None)
    elif asked:
        notes[key] = f"{what} {quoted_from_link(asked)} is not known here; {used} is used."
    if key in notes:
        st.warning(plain(notes[key]), icon=":material/link_off:")


def snapshot_faults(store: Store) -> None:
    """Say which snapshots were left out, and what is wrong; the rest keeps working."""
    if store.faults:
        messages = " ".join(fault.message for fault in store.faults)
        rest = "Everything else works as usual."
        if any(fault.suite for fault in store.faults):
            messages = f"Some evidence was left out. {messages}"
            rest = "What is said of grades, places and severe harm lacks its tests."
        st.error(f"{plain(messages)} {rest}", icon=":material/database_off:")


@contextmanager
def faults_as_sentences(page: str) -> Iterator[None]:
    """Show a fault as one sentence in place of the page; the log has the rest."""
    try:
        yield
    except TooFewError as error:
        st.info(plain(str(error)), icon=":material/search_off:")
    except FormularyError as error:
        st.error(plain(str(error)), icon=":material/error:")
    except Exception as error:
        failed(error, page)


def failed(error: Exception, page: str = "") -> bool:
    """Write a fault of ours to the log, and say so with the reference to find it there."""
    st.error(
        "Something went wrong on our side. Your choices are still in the address bar: "
        "reload the page, or undo the last change. Give your administrator the reference "
        f"{logs.fault(error, page or 'a click')}.",
        icon=":material/error:",
    )
    return True

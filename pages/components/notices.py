"""What the reader is told next to the answer: limits, faults and unusable links."""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

import streamlit as st

from core import logs
from core.domain import FormularyError, TooFewError
from core.evidence.store import Store

_LONGEST_QUOTE = 60
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


# The button that opens the side bar is there only while it is closed; two arrows alone do not say
# that the seven entries are behind it. The button in a table's corner writes CSV without taking
# formulas out; Streamlit has no setting for it, and a table that may go out has one of the app.
_STYLE = """
@media (max-width: 767px) {
  body:not(:has([data-testid=stExpandSidebarButton])) [data-testid=stSidebar] {
    width: 100vw !important; min-width: 100vw; max-width: 100vw;
  }
  .st-key-show_answer {position: sticky; bottom: 0; z-index: 1;}
  .st-key-heading [data-testid=stCaptionContainer] {display: none}
  .st-key-heading h1 {font-size: 1.5rem; padding: 0}
  .st-key-heading, .st-key-heading [data-testid=stHorizontalBlock] {gap: 0.5rem}
  .st-key-which_model {flex: 0 0 8.5rem !important}
  .st-key-chips {gap: 0.25rem}
  [data-testid=stMainBlockContainer] {padding-top: 3.75rem}
  .st-key-which_model, .st-key-which_model > div {width: 8.5rem !important}
  [data-testid=stExpandSidebarButton] {width: auto; padding: 0 0.5rem;}
  [data-testid=stExpandSidebarButton]::after {content: "Menu"; font-size: 0.875rem;}
  div:has(> [data-testid=stVerticalBlock] > div > [data-testid=stSpinner]) {position: absolute}
  [data-testid=stSpinner] {position: absolute; left: 11rem; top: -2.75rem; width: max-content}
}
@media not all and (max-width: 767px) {.st-key-asked, .st-key-show_answer {display: none}}
.st-key-renewal :is([data-testid=stMarkdownContainer], p) {margin: 0}
button[aria-label^='Download as CSV'] {display: none}
[data-testid=stTopNavLink]:focus-visible {outline: 2px solid currentColor; outline-offset: 1px}
[data-testid=stVegaLiteChart] :is(.role-axis-label, .role-axis-title, .role-legend-label) text,
.st-key-room .mark-text text {
  fill: currentColor;
}
@media (min-width: 768px) {
  [data-testid=stMainBlockContainer] {padding-left: 2rem; padding-right: 2rem}
}
"""
# The answer is one list in Markdown: a model a row, and of each its figures. Here it becomes
# tiles; where the bars end, `recommendation.answer` says.
_TILES = """
[class*=st-key-answer_] h4 {padding: 0 0 0.25rem; font-size: 1.35rem}
[class*=st-key-answer_] :is(ol, ul) {margin: 0; padding: 0; list-style: none}
[class*=st-key-answer_] li {margin: 0; padding: 0}
[class*=st-key-answer_] p {margin: 0.25rem 0 0}
[class*=st-key-answer_] p + div > h4 {margin-top: 0.75rem}
[class*=st-key-answer_] ul ul, [class*=st-key-answer_] ol ul {
  display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 0.75rem;
}
[class*=st-key-answer_] li li {
  border-top: 2px solid color-mix(in srgb, currentColor 18%, transparent);
  padding: 0.35rem 0; font-size: 0.8125rem; line-height: 1.3;
}
[class*=st-key-answer_] li em {display: block; font-style: normal}
[class*=st-key-answer_] li li strong {
  display: block; font-size: 1.25rem; font-weight: 650; font-variant-numeric: tabular-nums;
}
[class*=st-key-answer_] li li::after {
  content: ""; display: var(--bar, none); height: 6px; border-radius: 3px; margin-top: 0.35rem;
  background:
    linear-gradient(to right, transparent calc(var(--x) - 2px), #1B8A8F calc(var(--x) - 2px)
      calc(var(--x) + 2px), transparent 0),
    linear-gradient(to right, transparent calc(var(--t, -9px) - 1px), currentColor
      calc(var(--t, -9px) - 1px) calc(var(--t, -9px) + 1px), transparent 0),
    linear-gradient(to right, transparent var(--a, 0%), #1B8A8F99 var(--a, 0%) var(--b, 0%),
      transparent 0),
    linear-gradient(to right, transparent var(--c, 0%), #1B8A8F55 var(--c, 0%) var(--d, 0%),
      transparent 0),
    color-mix(in srgb, currentColor 12%, transparent);
}
.st-key-answer_shortlist ol > li {
  display: grid; grid-template-columns: 10rem minmax(0, 1fr); counter-increment: model;
}
.st-key-answer_shortlist ol > li > strong::before {content: counter(model) ". "}
.st-key-answer_choose div > ul {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 1.5rem;
}
.st-key-answer_choose li > ul {grid-template-columns: minmax(0, 1fr); gap: 0.25rem}
.st-key-lists :is(ul, li) {margin: 0; padding: 0; list-style: none}
.st-key-lists div > ul {
  display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 1.5rem;
}
@media (max-width: 767px) {
  [class*=st-key-answer_] li > ul {grid-template-columns: minmax(0, 1fr) !important; gap: 0.5rem}
  [class*=st-key-answer_] li li {padding: 0.85rem 0}
  [class*=st-key-answer_] li li strong {font-size: 1.5rem}
  .st-key-answer_shortlist ol > li, .st-key-lists div > ul {display: block}
}
@media not all and (max-width: 767px) {
  .st-key-answer_shortlist ol > li + li em {position: absolute; clip-path: inset(50%)}
}
"""
# The matrix is a table in Markdown, so that it prints and is read aloud as one.
_MATRIX = """
.st-key-matrix table {font-size: 0.8125rem; font-variant-numeric: tabular-nums}
.st-key-matrix [data-testid=stMarkdownContainer] {overflow-x: auto}
.st-key-matrix :is(th, td) {padding: 0.2rem 0.5rem; white-space: nowrap; border-width: 0 0 1px}
.st-key-matrix th {white-space: normal; vertical-align: bottom; line-height: 1.2}
.st-key-matrix a {color: inherit; text-decoration: none}
.st-key-matrix :is(a:hover, a:focus-visible) {text-decoration: underline}
.st-key-matrix_switches {flex-wrap: wrap}
@media print {
  [data-testid=stSidebar], [data-testid=stHeader] {display: none !important}
  .st-key-matrix table {font-size: 0.5rem}
  .st-key-matrix :is(th, td) {padding: 0.1rem 0.15rem; white-space: normal}
}
"""
# Streamlit writes them in white on the accent colour, and the accent colour itself on the ground:
# no colour has enough contrast for both on a dark ground.
_DARK = """
[data-testid=stMultiSelect] span[title], [data-testid=stMultiSelect] span[title] ~ button,
button[kind^=primary], button[kind^=primary] p {color: #10191C}
"""


def style() -> None:
    """Put on the page what no setting of Streamlit gives: phones, tables and dark letters."""
    dark = _DARK if st.context.theme.type == "dark" else ""
    st.html(f"<style>{_STYLE}{_TILES}{_MATRIX}{dark}</style>")
    st.logo(_NAME.format("#6CC9C4" if dark else "#0B6E72"))


def bars(ends: Mapping[tuple[int, int], Mapping[str, float]]) -> None:
    """Draw bars under figures: of each model and tile, where its parts are, as shares of its width.

    Numbers alone are written, so nothing of a leaderboard can be here.
    """
    rules = []
    for (model, tile), parts in ends.items():
        said = "".join(f"--{part}:{at:.1%};" for part, at in parts.items())
        where = f"li:nth-child({model:d})>ul>li:nth-child({tile:d})"
        rules.append(f"[class*=st-key-answer_] {where}{{--bar:block;{said}}}")
    st.html(f"<style>{''.join(rules)}</style>")


def status() -> None:
    """Draw the line over the link; the script writes into it that the link was copied."""
    st.html('<span role="status"></span>Opens with the same choices and the same evidence.')


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
            "Part of this link could not be used. " + plain(" ".join(notes)),
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
        short = asked if len(asked) <= _LONGEST_QUOTE else f"{asked[:_LONGEST_QUOTE]}…"
        notes[key] = f"{what} “{short}” is not known here; {used} is used."
    if key in notes:
        st.warning(plain(notes[key]), icon=":material/link_off:")


def snapshot_faults(store: Store) -> None:
    """Say which snapshots were left out; the rest keeps working."""
    if store.faults:
        messages = " ".join(fault.message for fault in store.faults)
        st.error(
            f"Some evidence was left out. {plain(messages)} Everything else works as usual.",
            icon=":material/database_off:",
        )


@contextmanager
def faults_as_sentences(page: str = "") -> Iterator[None]:
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

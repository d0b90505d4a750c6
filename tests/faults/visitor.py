"""A person at the app without a browser: opens pages, presses, types, uploads, and reads.

It speaks Streamlit's own protocol over a websocket. What it reads is the text that the server
sent for the page: a browser draws exactly this. Controls are found by their key or their label,
parts of a page by their key, so that no sentence of a page is needed to find anything.
"""

from __future__ import annotations

import re
import urllib.request
from dataclasses import dataclass
from http.cookiejar import CookieJar
from typing import TYPE_CHECKING
from uuid import uuid4

import pyarrow as pa
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

if TYPE_CHECKING:
    from streamlit.proto.Block_pb2 import Block
    from streamlit.proto.Element_pb2 import Element
    from streamlit.proto.WidgetStates_pb2 import WidgetState

_PATIENCE_SECONDS = 60
_TEXTS = ("alert", "markdown", "heading", "text", "code", "html", "download_button", "button")
OWN_RESULTS = "data?data_tab=Own+results"
KEPT_LISTS = "?recommend_tab=Kept+lists"
TEST_RESULTS = "local_test?local_test_tab=Results"
WIN_RATES = "evidence?evidence_tab=Win+rates"


@dataclass(frozen=True, slots=True)
class Shown:
    """One page as it was sent."""

    elements: tuple[Element, ...] = ()
    blocks: tuple[Block, ...] = ()

    @property
    def folds(self) -> dict[str, str]:
        """Return the id of each fold and menu that sends its content when opened, by its key."""
        of = [it.popover if it.popover.label else it.expandable for it in self.blocks]
        return {_key(fold.id): fold.id for fold in of if fold.id}

    @property
    def parts(self) -> list:
        """Return what each element is."""
        return [getattr(e, e.WhichOneof("type")) for e in self.elements]

    @property
    def controls(self) -> set[str]:
        """Return the keys of all controls."""
        return {_key(getattr(part, "id", "")) for part in self.parts}

    @property
    def text(self) -> str:
        """Return all text in its order, a line for each element, but no style sheet."""
        labels = (_plain(it.expandable.label) for it in self.blocks)
        return "\n".join(filter(None, (*labels, *map(_text, self.elements))))

    @property
    def alerts(self) -> list[str]:
        """Return the notices: errors, warnings, hints and confirmations."""
        return [_plain(e.alert.body) for e in self.elements if e.WhichOneof("type") == "alert"]

    @property
    def exceptions(self) -> list[str]:
        """Return what Streamlit shows where a script failed."""
        return [e.exception.type for e in self.elements if e.WhichOneof("type") == "exception"]

    @property
    def answers(self) -> bool:
        """Say whether an answer is there: only then its files are offered."""
        return "export" in self.folds

    @property
    def markup(self) -> list[str]:
        """Return what of other people's text a browser would run or load."""
        found = []
        for part in self.parts:
            body = getattr(part, "body", "")
            # What the title of a link holds is text.
            raw = re.sub(r'\(\S+ "[^"]*"\)', "", body).replace("\\<", "")
            found += [raw] * (
                "<img" in raw or ("onerror" in raw and part.DESCRIPTOR.name == "Html")
            )
        return found


def _text(element: Element) -> str:
    kind = element.WhichOneof("type")
    if kind == "dataframe" and element.dataframe.arrow_data.data:
        columns = pa.ipc.open_stream(element.dataframe.arrow_data.data).read_all().to_pydict()
        return " ".join(str(cell) for cells in columns.values() for cell in cells)
    part = getattr(element, kind) if kind in _TEXTS else None
    found = (
        getattr(part, "body", "") or getattr(part, "label", "") or getattr(part, "code_text", "")
    )
    return "" if kind == "html" else _plain(str(found))


def _key(widget_id: str) -> str:
    return re.sub(r"^\$\$ID-\w+-", "", widget_id)


def _plain(markdown: str) -> str:
    """Take away the characters by which text from data is kept from being markup."""
    return markdown.replace("\\", "").replace("\u200b", "")


def _drawn(it, state: WidgetState) -> None:
    """Take over the value with which a control was drawn, as a browser does, and sends it."""
    kind = it.DESCRIPTOR.name
    if kind in ("Selectbox", "Radio"):
        state.string_value = it.raw_value if it.set_value else it.options[it.default]
    elif kind in ("MultiSelect", "ButtonGroup"):
        of = [getattr(option, "content", option) for option in it.options]
        values = it.raw_values if it.set_value else [of[i] for i in it.default]
        state.string_array_value.data[:] = values
    elif kind == "NumberInput" and (it.set_value or it.HasField("default")):
        state.double_value = it.value if it.set_value else it.default
    elif kind == "Checkbox":
        state.bool_value = it.value if it.set_value else it.default
    elif kind in ("TextInput", "TextArea"):
        state.string_value = it.value if it.set_value else it.default
    elif kind == "Slider" and it.options:
        values = it.raw_value if it.set_value else [it.options[int(i)] for i in it.default]
        state.string_array_value.data[:] = values


class Visitor:
    """One person with one browser."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.query = self.page = self.session = ""
        self._state: dict[str, WidgetState] = {}
        cookies = CookieJar()
        self._http = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
        self._http.open(f"{url}/_stcore/health", timeout=10).read()
        self._xsrf = next((c.value for c in cookies if c.name == "_streamlit_xsrf"), "") or ""
        self._connect()
        self.shown = Shown()
        self.heard: list[str] = []
        """All that was shown, page after page."""

    def _connect(self) -> None:
        self._socket = connect(
            f"ws{self.url.removeprefix('http')}/_stcore/stream",
            subprotocols=["streamlit"],
            max_size=None,
            compression=None,
            ping_interval=None,
        )

    def __enter__(self) -> Visitor:
        """Stay until the block ends."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave."""
        self.leave()

    def leave(self) -> None:
        """Close the connection, as a browser does whose tab is closed."""
        self._socket.close()

    def open(self, page: str = "", query: str = "") -> Shown:
        """Type an address, which begins a session."""
        if self.session:
            self.leave()
            self._connect()
        self.query, self._state = query, {}
        return self.go(page)

    def go(self, page: str = "") -> Shown:
        """Follow a link of the menu: the session and the question stay."""
        self.follow(page)
        return self.rerun()

    def follow(self, page: str) -> None:
        """Follow a link of the menu as far as the address; the next that is asked is that page."""
        self.page, _, tab = page.partition("?")
        rest = [part for part in self.query.split("&") if part.partition("=")[0][-4:] != "_tab"]
        self.query = "&".join(filter(None, [tab, *rest]))

    def ask(self) -> None:
        """Send the state of the page, as a browser does at each change, and wait for nothing."""
        message = BackMsg()
        script = message.rerun_script
        script.query_string, script.page_name = self.query, self.page
        script.widget_states.widgets.extend(self._state.values())
        self._send(message)

    def type(self, name: str, text: str) -> None:
        """Type into a box; it is sent with what is pressed next."""
        self._widget(name).string_value = text

    def enter(self, name: str, number: float) -> Shown:
        """Write a number into a box and leave it."""
        self._widget(name).double_value = number
        return self.rerun()

    def press(self, name: str) -> Shown:
        """Press a button."""
        state = self._widget(name)
        state.trigger_value = True
        try:
            return self.rerun()
        finally:
            self._state.pop(state.id, None)

    def unfold(self, key: str) -> Shown:
        """Open a fold or a menu."""
        assert key in self.shown.folds, f"no fold {key} among {[*self.shown.folds]}"
        self._held(self.shown.folds[key]).bool_value = True
        return self.rerun()

    def upload(self, name: str, content: bytes, to: str = "own_file", add: bool = False) -> Shown:
        """Bring a file to a place for one on the page, in place of one before or next to it."""
        message = BackMsg()
        message.file_urls_request.request_id = "1"
        message.file_urls_request.file_names.append(name)
        message.file_urls_request.session_id = self.session
        self._send(message)
        urls = self._answer("file_urls_response").file_urls[0]
        self.put(urls.upload_url, name, content)
        state = self._widget(to)
        if not add:
            state.file_uploader_state_value.Clear()
        info = state.file_uploader_state_value.uploaded_file_info.add()
        info.name, info.size, info.file_id = name, len(content), urls.file_id
        info.file_urls.CopyFrom(urls)
        return self.rerun()

    def put(self, address: str, name: str, content: bytes) -> None:
        """Send a file to an address, whether or not a page has a place for it.

        Raises
        ------
        urllib.error.HTTPError
            When the server does not take it.
        """
        edge = uuid4().hex
        head = (
            f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        request = urllib.request.Request(
            f"{self.url}/{address.lstrip('/')}",
            data=head.encode() + content + f"\r\n--{edge}--\r\n".encode(),
            method="PUT",
            headers={
                "Content-Type": f"multipart/form-data; boundary={edge}",
                "X-Xsrftoken": self._xsrf,
            },
        )
        self._http.open(request, timeout=_PATIENCE_SECONDS).read()

    def put_anywhere(self, content: bytes) -> None:
        """Send a file to this session although nothing on the page asked for one."""
        self.put(f"_stcore/upload_file/{self.session}/{uuid4()}", "a.csv", content)

    def link(self) -> str:
        """Return the text under Copy link."""
        shown = self.unfold("share")
        return next(e.code.code_text for e in shown.elements if e.WhichOneof("type") == "code")

    def ask_for(self, label: str) -> None:
        """Press a download button, and wait for nothing."""
        found = self._control(label)
        message = BackMsg()
        asked = message.backend_operation_request
        asked.request_id, asked.session_id = uuid4().hex, self.session
        asked.deferred_file.file_id = found.deferred_file_id
        self._send(message)

    def file_made(self, seconds: float = _PATIENCE_SECONDS) -> tuple[str, str]:
        """Wait for a file that was asked for; return its address, and why there is none."""
        answer = self._answer("backend_operation_response", seconds)
        return answer.deferred_file.url, answer.error_msg

    def address_of(self, label: str) -> str:
        """Have a file made, of the menu of files where the page has it there; return where."""
        if "export" in self.shown.folds:
            self.unfold("export")
        self.ask_for(label)
        url, why = self.file_made()
        assert url, why
        return url

    def fetch(self, address: str) -> bytes:
        """Return what lies at an address of the server."""
        with self._http.open(f"{self.url}/{address.lstrip('/')}", timeout=600) as answer:
            return bytes(answer.read())

    def send_raw(self, content: bytes) -> None:
        """Send something that is not a message."""
        self._socket.send(content)

    def rerun(self) -> Shown:
        """Ask for the page with its controls as they are; return what came."""
        self.ask()
        found: dict[tuple[int, ...], Element] = {}
        blocks: dict[tuple[int, ...], Block] = {}
        while True:
            got = self._receive()
            kind, place = got.WhichOneof("type"), tuple(got.metadata.delta_path)
            if kind == "new_session":
                self.session = got.new_session.initialize.session_id
                found, blocks = {}, {}
            elif kind == "page_info_changed":
                self.query = got.page_info_changed.query_string
            elif kind == "delta" and got.delta.WhichOneof("type") == "new_element":
                found[place] = got.delta.new_element
            elif kind == "delta" and got.delta.WhichOneof("type") == "add_block":
                blocks[place] = got.delta.add_block
            elif kind == "script_finished" and got.script_finished == got.FINISHED_SUCCESSFULLY:
                break
        self.shown = Shown(tuple(found.values()), tuple(blocks.values()))
        self._take_over()
        self.heard.append("\n".join([self.shown.text, *self.shown.exceptions]))
        return self.shown

    def _take_over(self) -> None:
        """Hold the values of the controls on the page, and of no others."""
        there = {getattr(it, "id", "") for it in self.shown.parts} | {*self.shown.folds.values()}
        self._state = {id_: state for id_, state in self._state.items() if id_ in there}
        for part in self.shown.parts:
            if hasattr(part, "set_value") and (part.set_value or part.id not in self._state):
                _drawn(part, self._held(part.id))

    def _held(self, widget_id: str) -> WidgetState:
        state = BackMsg().rerun_script.widget_states.widgets.add()
        state.id = widget_id
        return self._state.setdefault(widget_id, state)

    def _control(self, name: str):
        """Return the control of a key or a label."""
        for part in self.shown.parts:
            if name in (getattr(part, "label", None), _key(getattr(part, "id", ""))):
                return part
        raise AssertionError(f"There is no {name!r} on the page:\n{self.shown.text[:800]}")

    def _widget(self, name: str) -> WidgetState:
        return self._held(self._control(name).id)

    def _send(self, message: BackMsg) -> None:
        self._socket.send(message.SerializeToString())

    def _receive(self, seconds: float = _PATIENCE_SECONDS) -> ForwardMsg:
        message = ForwardMsg()
        message.ParseFromString(self._socket.recv(timeout=seconds, decode=False))
        return message

    def _answer(self, kind: str, seconds: float = _PATIENCE_SECONDS):
        while (got := self._receive(seconds)).WhichOneof("type") != kind:
            pass
        return getattr(got, kind)

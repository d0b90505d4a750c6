"""A person at the app without a browser: opens pages, presses, types, uploads, and reads.

It speaks Streamlit's own protocol over a websocket. What it reads is the text that the server
sent for the page: a browser draws exactly this.
"""

from __future__ import annotations

import urllib.error
import urllib.request
from dataclasses import dataclass
from http.cookiejar import CookieJar
from typing import TYPE_CHECKING
from uuid import uuid4

import pyarrow as pa
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from pages.components.entries import MOVED

if TYPE_CHECKING:
    from types import TracebackType

    from streamlit.proto.Element_pb2 import Element
    from streamlit.proto.WidgetStates_pb2 import WidgetState

_PATIENCE_SECONDS = 60
_TEXTS = ("alert", "markdown", "heading", "text", "code", "html", "download_button", "button")


@dataclass(frozen=True, slots=True)
class Shown:
    """One page as it was sent."""

    elements: tuple[Element, ...]
    labels: tuple[str, ...]
    folds: tuple[tuple[str, str], ...] = ()
    """Label and id of each fold that sends what it holds when it is opened."""

    @property
    def text(self) -> str:
        """Return all text in its order, a line for each element."""
        return "\n".join([*self.labels, *filter(None, map(_text, self.elements))])

    @property
    def alerts(self) -> list[str]:
        """Return the notices: errors, warnings, hints and confirmations."""
        return [_plain(e.alert.body) for e in self.elements if e.WhichOneof("type") == "alert"]

    @property
    def exceptions(self) -> list[str]:
        """Return what Streamlit shows where a script failed."""
        return [e.exception.type for e in self.elements if e.WhichOneof("type") == "exception"]


def _text(element: Element) -> str:
    kind = element.WhichOneof("type")
    if kind == "dataframe" and element.dataframe.arrow_data.data:
        columns = pa.ipc.open_stream(element.dataframe.arrow_data.data).read_all().to_pydict()
        return " ".join(str(cell) for cells in columns.values() for cell in cells)
    part = getattr(element, kind) if kind in _TEXTS else None
    found = (
        getattr(part, "body", "") or getattr(part, "label", "") or getattr(part, "code_text", "")
    )
    return _plain(str(found))


def _is(element: Element, kind: str, label: str) -> bool:
    return element.WhichOneof("type") == kind and label in (getattr(element, kind).label, "")


def _plain(markdown: str) -> str:
    """Take away the signs by which text from data is kept from being markup."""
    return markdown.replace("\\", "").replace("\u200b", "")


class Visitor:
    """One browser session."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.query = self.page = ""
        self._state: dict[str, WidgetState] = {}
        self.session = ""
        cookies = CookieJar()
        self._http = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
        self._http.open(f"{url}/_stcore/health", timeout=10).read()
        self._xsrf = next((c.value for c in cookies if c.name == "_streamlit_xsrf"), "") or ""
        self._socket = connect(
            f"ws{url.removeprefix('http')}/_stcore/stream",
            subprotocols=["streamlit"],
            max_size=None,
            compression=None,
            ping_interval=None,
        )
        self.shown = Shown((), ())
        self.heard: list[str] = []
        """All that was shown, page after page."""

    def __enter__(self) -> Visitor:
        """Stay until the block ends."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave."""
        self._socket.close()

    def open(self, page: str = "", query: str = "") -> Shown:
        """Open an address of the app; one of before leads to its tab, as the server leads it."""
        place, _, tab = MOVED.get(page, page).partition("?")
        self.page, self.query, self._state = place, "&".join(filter(None, [tab, query])), {}
        return self._run()

    def type(self, label: str, text: str) -> None:
        """Type into the box of this label; it is sent with what is pressed next."""
        kinds = ("text_input", "text_area")
        kind = next((k for k in kinds for e in self.shown.elements if _is(e, k, label)), kinds[0])
        self._widget(kind, label).string_value = text

    def press(self, label: str) -> Shown:
        """Press the button of this label."""
        state = self._widget("button", label)
        state.trigger_value = True
        try:
            return self._run()
        finally:
            del self._state[state.id]

    def rerun(self) -> Shown:
        """Send what was typed, as a browser does when the box is left."""
        return self._run()

    def switch(self, label: str, *, on: bool) -> Shown:
        """Set a switch."""
        self._widget("checkbox", label).bool_value = on
        return self._run()

    def unfold(self, label: str) -> Shown:
        """Open the fold of this label."""
        message = BackMsg()
        state = message.rerun_script.widget_states.widgets.add()
        state.id = next(id_ for name, id_ in self.shown.folds if name == label)
        self._state.setdefault(state.id, state).bool_value = True
        return self._run()

    def choose(self, label: str, options: list[str]) -> Shown:
        """Choose in a box for several choices."""
        self._widget("multiselect", label).string_array_value.data[:] = options
        return self._run()

    def upload(self, name: str, content: bytes) -> Shown:
        """Bring a file to the page's first place for one; the page must be open.

        Raises
        ------
        urllib.error.HTTPError
            When the server does not take it.
        """
        message = BackMsg()
        message.file_urls_request.request_id = "1"
        message.file_urls_request.file_names.append(name)
        message.file_urls_request.session_id = self.session
        self._send(message)
        while (got := self._receive()).WhichOneof("type") != "file_urls_response":
            pass
        urls = got.file_urls_response.file_urls[0]
        self.put(urls.upload_url, name, content)
        state = self._widget("file_uploader", "")
        state.file_uploader_state_value.Clear()
        info = state.file_uploader_state_value.uploaded_file_info.add()
        info.name, info.size, info.file_id = name, len(content), urls.file_id
        info.file_urls.CopyFrom(urls)
        return self._run()

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

    def address_of(self, label: str) -> str:
        """Press a download button and return the address of the file that is made."""
        found = next(
            (e.download_button for e in self.shown.elements if _is(e, "download_button", label)),
            None,
        )
        assert found is not None, f"There is no download {label!r}:\n{self.shown.text[:800]}"
        message = BackMsg()
        asked = message.backend_operation_request
        asked.request_id, asked.session_id = uuid4().hex, self.session
        asked.deferred_file.file_id = found.deferred_file_id
        self._send(message)
        while (got := self._receive()).WhichOneof("type") != "backend_operation_response":
            pass
        answer = got.backend_operation_response
        assert answer.deferred_file.url, answer.error_msg
        return answer.deferred_file.url

    def fetch(self, address: str) -> bytes:
        """Return what lies at an address of the server."""
        with self._http.open(f"{self.url}/{address.lstrip('/')}", timeout=600) as answer:
            return bytes(answer.read())

    def send_raw(self, content: bytes) -> None:
        """Send something that is no message."""
        self._socket.send(content)

    def _widget(self, kind: str, label: str) -> WidgetState:
        for element in self.shown.elements:
            if _is(element, kind, label):
                message = BackMsg()
                state = message.rerun_script.widget_states.widgets.add()
                state.id = getattr(element, kind).id
                return self._state.setdefault(state.id, state)
        raise AssertionError(f"There is no {kind} {label!r} on the page:\n{self.shown.text[:800]}")

    def _run(self) -> Shown:
        message = BackMsg()
        script = message.rerun_script
        script.query_string, script.page_name = self.query, self.page
        script.widget_states.widgets.extend(self._state.values())
        self._send(message)
        found: dict[tuple[int, ...], Element] = {}
        labels: list[str] = []
        folds: list[tuple[str, str]] = []
        while True:
            got = self._receive()
            kind = got.WhichOneof("type")
            if kind == "new_session":
                self.session = got.new_session.initialize.session_id
                found, labels, folds = {}, [], []
            elif kind == "page_info_changed":
                self.query = got.page_info_changed.query_string
            elif kind == "delta" and got.delta.WhichOneof("type") == "new_element":
                found[tuple(got.metadata.delta_path)] = got.delta.new_element
            elif kind == "delta" and got.delta.add_block.expandable.label:
                fold = got.delta.add_block.expandable
                labels.append(_plain(fold.label))
                folds.append((_plain(fold.label), fold.id))
            elif kind == "script_finished" and got.script_finished == got.FINISHED_SUCCESSFULLY:
                break
        self.shown = Shown(tuple(found.values()), tuple(labels), tuple(folds))
        self.heard.append("\n".join([self.shown.text, *self.shown.exceptions]))
        return self.shown

    def _send(self, message: BackMsg) -> None:
        self._socket.send(message.SerializeToString())

    def _receive(self) -> ForwardMsg:
        message = ForwardMsg()
        message.ParseFromString(self._socket.recv(timeout=_PATIENCE_SECONDS, decode=False))
        return message


def reachable(url: str) -> bool:
    """Say whether a server answers."""
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=5) as answer:
            return bool(answer.read() == b"ok")
    except (urllib.error.URLError, ConnectionError, TimeoutError, ConnectionClosed):
        return False

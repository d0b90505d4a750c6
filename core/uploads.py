"""How much visitors may upload, and who may: a layer of the server before Streamlit's own.

Streamlit keeps what is uploaded in memory until a page has read it, or its session ends. It takes
20 MB a file and any number of files, from whoever has a session, whether or not the page asks for
a file. Here each byte is counted when it comes in, before it is held.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from core.serving import say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from core.serving import Application, Message, Receive, Scope, Send

_ADDRESS = re.compile(r"/_stcore/upload_file/([^/]+)/([^/]+)/?$")
MOST_A_SESSION = 40 * 2**20
"""Bytes that one session may hold: the largest file twice."""
MOST_IN_ALL = 200 * 2**20
"""Bytes that all sessions may hold together."""
_LEAST = 4096
"""A file counts at least so much, since even an empty one is kept with its names."""
_MOST_PASSED = 21 * 2**20
"""Bytes of a refused file that are let pass unread: the largest one that a browser sends."""
LOG_IN = "Log in to upload a file."


class _TooMuchError(Exception):
    """More came than may be held; the sentence says so."""


class Uploads:
    """Counts uploaded bytes by session and in all, and refuses those of strangers.

    ``held`` gives the bytes that are still held for a session, by the ids of its files, and
    ``may_upload`` says whether its person may upload.
    """

    def __init__(
        self,
        app: Application,
        held: Callable[[str], Mapping[str, int]],
        may_upload: Callable[[str], bool],
    ) -> None:
        self.app, self._held, self._may_upload = app, held, may_upload
        self._kept: dict[str, dict[str, int]] = {}
        self._coming: defaultdict[str, int] = defaultdict(int)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on but an upload that is too much or not allowed."""
        found = _ADDRESS.search(scope.get("path", "")) if scope["type"] == "http" else None
        if found is None or scope["method"] != "PUT":
            await self.app(scope, receive, send)
            return
        session, file = found.groups()
        if not self._may_upload(session):
            await _refuse(403, LOG_IN, receive, send)
            return
        self._forget_what_is_gone()
        came, status = 0, 0

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            size = len(message.get("body", b""))
            came += size
            self._coming[session] += size
            self._check(session)
            return message

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            self._check(session, max(_announced(scope), _LEAST))
            await self.app(scope, counted, watched)
        except _TooMuchError as error:
            if not status:
                await _refuse(413, str(error), receive, send)
        finally:
            self._coming[session] -= came
            if not self._coming[session]:
                del self._coming[session]
            if 200 <= status < 300:
                self._kept.setdefault(session, {})[file] = max(came, _LEAST)

    def _check(self, session: str, more: int = 0) -> None:
        of_session = sum(self._kept.get(session, {}).values()) + self._coming.get(session, 0)
        if of_session + more > MOST_A_SESSION:
            raise _TooMuchError(
                f"One visit may hold {MOST_A_SESSION // 2**20} MB of files. Take one out, or "
                "close this page and open it anew."
            )
        in_all = sum(sum(files.values()) for files in self._kept.values())
        if in_all + sum(self._coming.values()) + more > MOST_IN_ALL:
            raise _TooMuchError(
                "This server holds as many files of its visitors as it can. Try again later."
            )

    def _forget_what_is_gone(self) -> None:
        for session, files in list(self._kept.items()):
            held = self._held(session)
            self._kept[session] = {file: max(held[file], _LEAST) for file in files if file in held}
            if not self._kept[session]:
                del self._kept[session]


async def _refuse(status: int, text: str, receive: Receive, send: Send) -> None:
    """Answer with one sentence, after the rest has come and gone.

    A browser that is still sending when the connection closes shows no answer at all.
    """
    passed, more = 0, True
    while more and passed < _MOST_PASSED:
        message = await receive()
        passed += len(message.get("body", b""))
        more = message.get("more_body", False)
    await say(status, text, send)


def _announced(scope: Scope) -> int:
    """Return the bytes that are announced, 0 where none or nonsense is."""
    text = dict(scope["headers"]).get(b"content-length", b"")
    return int(text) if text.isdigit() and len(text) < 20 else 0

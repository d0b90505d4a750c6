"""The Hugging Face Hub: files of a pinned commit, bounded in time, in size and in tries.

Only this module knows ``huggingface_hub``. That library retries for long, waits as long as a server
asks and sets no limit of time or size, so it is given a client that reads each answer within the
limits of the call and raises what the library does not know and so leaves alone. What comes is held
in memory, since it is read once: no path from a server becomes one of this machine.
"""

from __future__ import annotations

import math
import os
import re
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urlsplit

from core.domain import BadDataError, FormularyError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType

    import httpx2
    from huggingface_hub import HfApi

T = TypeVar("T")
RepoType = Literal["dataset", "model", "space"]
Trouble = Literal["stalled", "cut off", "too large", "offline", "refused", "led away", "answered"]
STAYS = "the last good snapshot stays in use"
_GONE = "its maintainers moved or renamed it, so a newer version of this program may be needed"
_HUB = "https://huggingface.co"
_SAID = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_TRIES = 3
_PATIENCE = 15
"""A request may last this many timeouts: a server that drips a byte at a time never times out."""
_BACKOFF_S = 0.5
_LONGEST_WAIT_S = 10.0
"""A server that asks for more than this is not waited for: the message says how long."""
_MAX_ANSWER_BYTES = 50_000_000
_MAX_FILES = 200_000
_SILENCE_S = 20.0
_PLAIN = {"Accept-Encoding": "identity"}
"""Compressed, a small answer could become a large one."""
RECEIVED: list[int] = []
"""The bytes that came to this process, piece by piece: to append is safe from any thread."""
FILES_AT = ("huggingface.co", "hf.co")
"""The Hub sends for some files to hosts below these, and nothing follows it elsewhere."""


class RemoteError(FormularyError):
    """The Hub could not give what was asked for; nothing on disk has changed."""

    def __init__(self, said: str) -> None:
        super().__init__(f"{said}; {STAYS}.")


class Hub:
    """Read repositories of the Hub at a pinned commit.

    Every method raises ``RemoteError`` where the Hub does not give what was asked for, or it is
    not what it should be.

    Parameters
    ----------
    endpoint
        Address of the Hub or of a mirror; ``None`` takes ``HF_ENDPOINT``, else huggingface.co.
    token
        Access token; ``None`` takes ``HF_TOKEN``. It goes to the endpoint only.
    timeout_s
        Longest silence of the server in seconds; a request may last fifteen times as long.
    max_bytes
        Of all files that are asked for at once.
    """

    def __init__(
        self,
        endpoint: str | None = None,
        token: str | None = None,
        timeout_s: float = _SILENCE_S,
        max_bytes: int = 200_000_000,
    ) -> None:
        self._endpoint = (endpoint or os.environ.get("HF_ENDPOINT") or _HUB).rstrip("/")
        self._token = (token if token is not None else os.environ.get("HF_TOKEN", "")).strip()
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        if not re.fullmatch(r"[!-~]*", self._token):
            # Such a token cannot be sent in a header, and the error of the client would print it.
            raise RemoteError(
                "The access token holds characters that no token has: set HF_TOKEN again"
            )

    def __repr__(self) -> str:
        """Name the endpoint; the token must never be printed."""
        return f"Hub({_origin(self._endpoint)[1]})"

    def commit(self, repo_id: str, repo_type: RepoType) -> tuple[str, str, str]:
        """Return the newest commit of a repository, the ISO day of its last change, its licence.

        Day and licence are empty where the Hub gives none.
        """
        what = _named(repo_id, repo_type)
        info = self._ask(what, lambda api: api.repo_info(repo_id, repo_type=repo_type))
        if not isinstance(info.sha, str) or not re.fullmatch("[0-9a-f]{40}", info.sha):
            raise _unexpected(what)
        changed, tags = info.last_modified, getattr(info, "tags", None) or ()
        texts = [tag for tag in tags if isinstance(tag, str)]
        licences = [tag.removeprefix("license:") for tag in texts if tag.startswith("license:")]
        day = changed.date().isoformat() if isinstance(changed, datetime) else ""
        return info.sha, day, ", ".join(licences)

    def files(self, repo_id: str, repo_type: RepoType, sha: str, under: str = "") -> dict[str, int]:
        """Return the size of each file of a commit, or of one folder of it, by its path."""
        what = _named(repo_id, repo_type)

        def listing(api: HfApi) -> dict[str, int]:
            found: dict[str, int] = {}
            tree = api.list_repo_tree(
                repo_id, under or None, recursive=True, revision=sha, repo_type=repo_type
            )
            for n, entry in enumerate(tree):
                if n >= _MAX_FILES:
                    raise RemoteError(
                        f"{_opening(what)} lists more than {_MAX_FILES:,} files, which no "
                        "leaderboard has: check the endpoint"
                    )
                if (size := getattr(entry, "size", None)) is None:
                    continue  # a folder
                if not str(entry.path).isprintable() or type(size) is not int:
                    raise _unexpected(what)
                found[entry.path] = size
            return found

        return self._ask(what, listing)

    def fetch(
        self,
        repo_id: str,
        repo_type: RepoType,
        sha: str,
        paths: Sequence[str],
        sizes: Mapping[str, int],
        *,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> dict[str, bytes]:
        """Return files of a commit, several asked for at a time.

        ``sizes`` are those of the commit's listing, which each file must have. ``progress`` is
        called in the caller's thread with the numbers of files done and all.
        """
        repository = _named(repo_id, repo_type)
        for path in paths:
            if path not in sizes:
                raise RemoteError(f"{path} of {repository} does not exist any more: {_GONE}")
        if (total := sum(sizes[path] for path in paths)) > self._max_bytes:
            raise RemoteError(
                f"What is requested from {repository} has {total:,} bytes, more than the limit of "
                f"{self._max_bytes:,}"
            )

        def one(path: str) -> bytes:
            def content(api: HfApi) -> bytes:
                address = _library().hf_hub_url(
                    repo_id, path, repo_type=repo_type, revision=sha, endpoint=self._endpoint
                )
                headers = _library().utils.build_hf_headers(token=api.token)
                found: bytes = _library().get_session().get(address, headers=headers).content
                if len(found) < sizes[path]:
                    raise _TroubleError("cut off", f"{len(found):,} of {sizes[path]:,} bytes")
                return found

            return self._ask(f"{path} of {repository}", content, sizes[path])

        found: dict[str, bytes] = {}
        pool = ThreadPoolExecutor(8, thread_name_prefix="hub")
        try:
            jobs = {pool.submit(one, path): path for path in paths}
            for n_done, job in enumerate(as_completed(jobs), start=1):
                found[jobs[job]] = job.result()
                progress(n_done, len(paths))
        finally:
            pool.shutdown(cancel_futures=True)
        return {path: found[path] for path in paths}

    def _ask(
        self, what: str, action: Callable[[HfApi], T], most_bytes: int = _MAX_ANSWER_BYTES
    ) -> T:
        """Run an action of the library within limits, a bounded number of times."""
        try:
            limits = _Limits(most_bytes, self._timeout_s, _origin(self._endpoint))
        except ValueError:  # no address at all
            raise self._explained(what, _TroubleError("offline")) from None
        # ``False`` keeps the library from sending a token that somebody logged in with.
        api = _library().HfApi(self._endpoint, token=self._token or False)
        for attempt in range(1, _TRIES + 1):
            reset = _LIMITS.set(limits)
            try:
                return action(api)
            except _TroubleError as trouble:
                wait = trouble.wait_s(_BACKOFF_S * 2 ** (attempt - 1))
                if wait is None or attempt == _TRIES:
                    raise self._explained(what, trouble) from None
            except FormularyError:
                raise
            except Exception:
                raise _unexpected(what) from None
            finally:
                _LIMITS.reset(reset)
            time.sleep(wait)
        raise AssertionError("unreachable")

    def _explained(self, what: str, trouble: _TroubleError) -> RemoteError:
        folder, repo_id = what.rpartition("the ")[2].split(" ", 1)
        folder = {"dataset": "datasets/", "Space": "spaces/"}.get(folder, "")
        facts = {
            **vars(trouble),
            "what": what,
            "What": _opening(what),
            "page": f"{_HUB}/{folder}{repo_id}",
            "short": f" ({trouble.detail})" if trouble.detail else "",
            "silence": self._timeout_s,
            "tries": _TRIES,
            "moved": _GONE,
            "wait": math.ceil(trouble.retry_after_s or 60),
            "higher": "" if self._token else ", or set HF_TOKEN for a higher limit",
            "reader": "this token" if self._token else "a reader without a token",
            "asks": "refused the token" if self._token else "asks for a token",
        }
        return RemoteError(_SAID["hub"][trouble.kind].format(**facts))


def _unexpected(what: str) -> RemoteError:
    return RemoteError(
        f"The answer for {what} is not one of the Hub's: check HF_ENDPOINT, and whether a proxy "
        "answers in its place",
    )


def _named(repo_id: str, repo_type: RepoType) -> str:
    kind = {"dataset": "the dataset", "model": "the model", "space": "the Space"}[repo_type]
    return f"{kind} {repo_id}"


@dataclass(eq=False)
class _TroubleError(Exception):
    """The way to the server or back failed, or the server answered with an error."""

    how: Trouble
    detail: str = ""
    """Of an answer the Hub's own code, such as ``GatedRepo``."""
    status: int = 0
    retry_after_s: float | None = None

    @property
    def kind(self) -> str:
        """What it is to the reader: of an answer, what its status and code mean."""
        if self.how != "answered":
            return self.how
        meant = {
            "too often": self.status == 429,
            "its own fault": self.status >= 500 or self.status == 408,
            "gated": self.detail == "GatedRepo",
            "not for all": self.status == 403,
            "no token": self.status == 401 and self.detail != "RepoNotFound",
            "moved": self.detail == "EntryNotFound",
            "gone": self.status in (401, 404, 410),
        }
        return next((kind for kind, holds in meant.items() if holds), self.how)

    def wait_s(self, backoff_s: float) -> float | None:
        """Return how long to wait before the next try, ``None`` where another one is no use."""
        if self.how != "answered":
            # What was slow for all the time that a call may take would be so again.
            final = self.how in ("too large", "refused", "led away") or self.detail == "slow"
            return None if final else backoff_s
        if self.status not in (408, 429) and self.status < 500:
            return None
        wait = backoff_s if self.retry_after_s is None else self.retry_after_s
        return wait if wait <= _LONGEST_WAIT_S else None


@dataclass(frozen=True, slots=True)
class _Limits:
    """What each request of the call that runs in this thread may take."""

    most_bytes: int
    silence_s: float
    origin: tuple[str, str] = ("", "")
    """Where a token may go: the next page of a listing may be anywhere."""


_LIMITS: ContextVar[_Limits] = ContextVar("limits")


@cache
def _library() -> ModuleType:
    """Return the library with a client, for the whole process, that keeps to the limits."""
    import httpx2  # noqa: PLC0415 - heavy, and most runs need none of it
    import huggingface_hub  # noqa: PLC0415 - as above

    class Client(httpx2.Client):
        def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:  # noqa: ANN401
            limits = _LIMITS.get()
            request.extensions["timeout"] = httpx2.Timeout(limits.silence_s).as_dict()
            request.headers.update(_PLAIN)
            if _origin(str(request.url)) != limits.origin:
                request.headers.pop("Authorization", None)
            ask = partial(super().send, request, **{**options, "stream": True})
            found, given = _answered(ask, limits)
            links = {"link": given["link"]} if "link" in given else {}
            return httpx2.Response(200, headers=links, content=found, request=request)

    def stay(request: httpx2.Request) -> None:
        own = urlsplit(f"//{_LIMITS.get().origin[1]}").hostname
        if request.url.host not in ("", own) and not f".{request.url.host}".endswith(allowed):
            raise _TroubleError("led away", request.url.host)

    allowed = tuple(f".{host}" for host in FILES_AT)
    hooks = {"request": [stay]}  # asked at each redirect
    huggingface_hub.set_client_factory(lambda: Client(follow_redirects=True, event_hooks=hooks))
    return huggingface_hub


def _answered(
    ask: Callable[[], httpx2.Response], limits: _Limits
) -> tuple[bytes, Mapping[str, str]]:
    """Return content and headers of the streamed answer, or raise what went wrong."""
    import httpx2  # noqa: PLC0415 - heavy, and most runs need none of it

    ends_at, found = time.monotonic() + _PATIENCE * limits.silence_s, bytearray()
    try:
        with closing(ask()) as answer:
            if answer.status_code != 200:
                code = answer.headers.get("x-error-code", "")
                wait = _retry_after_s(answer.headers)
                raise _TroubleError("answered", code, answer.status_code, wait)
            announced = answer.headers.get("content-length", "")
            size = int(announced) if announced.isdecimal() else 0
            for chunk in chain((b"",), answer.iter_raw()):
                found += chunk
                RECEIVED.append(len(chunk))
                if max(len(found), size) > limits.most_bytes:
                    raise _TroubleError("too large", f"{limits.most_bytes:,}")
                if time.monotonic() > ends_at:
                    raise _TroubleError("stalled", "slow")
            return bytes(found), answer.headers
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        how: Trouble = "offline"
        if isinstance(error, httpx2.ConnectError) and "CERTIFICATE" in str(error):
            how = "refused"
        elif isinstance(error, (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)):
            how = "cut off"
        elif isinstance(error, (httpx2.ReadTimeout, httpx2.WriteTimeout, httpx2.PoolTimeout)):
            how = "stalled"
        raise _TroubleError(how) from None


def fetched(address: str, most_bytes: int) -> tuple[bytes, str]:
    """Return a file that lies at one address elsewhere, and the ISO day of its last change.

    The day is empty where the server gives none. Uncompressed, without redirects, and bounded in
    bytes, in silence and in all; ``BadDataError`` says in a sentence what went wrong.
    """
    import httpx2  # noqa: PLC0415 - slow to import, and rarely needed

    host = urlsplit(address).hostname
    if not host or not address.startswith(("http://", "https://")):
        raise BadDataError(
            f"{address[:80]} is not an address such as https://mirror.example/list.json"
        )
    try:
        with httpx2.Client() as client:
            request = client.build_request("GET", address, headers=_PLAIN, timeout=_SILENCE_S)
            ask = partial(client.send, request, stream=True)
            found, headers = _answered(ask, _Limits(most_bytes, _SILENCE_S))
    except _TroubleError as trouble:
        said: str = _SAID["elsewhere"][trouble.how]
        raise BadDataError(said.format(host=host, **vars(trouble))) from None
    try:
        return found, f"{parsedate_to_datetime(headers.get('last-modified', '')):%Y-%m-%d}"
    except (TypeError, ValueError):
        return found, ""


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Read how long the server wants to be left alone: seconds, a date, or the Hub's own."""
    if value := headers.get("retry-after", "").strip():
        if value.isdecimal():
            return float(value)
        try:
            return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
        except (TypeError, ValueError):
            return None
    spent = re.search(r"\br=0\s*;\s*t=(\d+)", headers.get("ratelimit", ""))
    return float(spent[1]) if spent else None


def _origin(address: str) -> tuple[str, str]:
    """Return scheme and host of an address, without a user's name and password.

    What is not an address is a ``ValueError``.
    """
    parts = urlsplit(address)
    port = f":{parts.port}" if parts.port else ""
    return parts.scheme, f"{parts.hostname or ''}{port}"


def _opening(what: str) -> str:
    """Return words as they open a sentence; a path that comes first stays as it is."""
    return what[:1].upper() + what[1:] if what.startswith("the ") else what

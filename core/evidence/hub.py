"""The Hugging Face Hub: pinned files, bounded in time, in size and in tries.

Only this module knows ``huggingface_hub``. That library retries for long, waits as long as a
server asks it to and sets no time limit on its API calls. Here each call runs in a frame of its
own limits, on a client that ends what takes too long or is too large and turns every fault into
one of two exceptions that the library does not know and so does not retry; it is repeated here,
a bounded number of times.
"""

from __future__ import annotations

import math
import os
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urlsplit

from core.domain import BadDataError, FormularyError
from core.evidence import is_full

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import httpx2
    from huggingface_hub import HfApi

T = TypeVar("T")
RepoType = Literal["dataset", "model", "space"]
Trouble = Literal["stalled", "cut off", "too large", "offline", "refused"]
STAYS = "the last good snapshot stays in use"
_HUB = "https://huggingface.co"
_SHA = re.compile(r"[0-9a-f]{40}")
_N_THREADS = 8
_TRIES = 3
_PATIENCE = 15
"""A call may last this many timeouts: a server that drips one byte at a time never times out."""
_BACKOFF_S = 0.5
_LONGEST_WAIT_S = 10.0
"""A server that asks for more than this is not waited for: the message says how long."""
_MAX_ANSWER_BYTES = 50_000_000
_MAX_FILES = 200_000
_SILENCE_S, _FILE_S = 20.0, 60.0
_INSTALLING = threading.Lock()
_installed: list[bool] = []


class RemoteError(FormularyError):
    """The Hub could not give what was asked for; nothing on disk has changed."""

    def __init__(self, said: str) -> None:
        super().__init__(f"{said}; {STAYS}.")


class Hub:
    """Read repositories of the Hub at a pinned commit.

    Every method raises ``RemoteError`` where the Hub does not give what was asked for, or it is
    not what it should be, and ``BadDataError`` where the download folder cannot be written.

    Parameters
    ----------
    endpoint
        Address of the Hub or of a mirror; ``None`` takes ``HF_ENDPOINT``, else huggingface.co.
    token
        Access token; ``None`` takes ``HF_TOKEN``. Nothing else is looked at, and it goes to
        the endpoint only.
    cache
        Folder for downloads; ``None`` takes the library's own.
    timeout_s
        Longest silence of the server in seconds; a whole call may last fifteen times as long.
    max_bytes
        Largest file that is downloaded.
    """

    def __init__(
        self,
        endpoint: str | None = None,
        token: str | None = None,
        cache: Path | None = None,
        timeout_s: float = 20,
        max_bytes: int = 200_000_000,
    ) -> None:
        self._endpoint = (endpoint or os.environ.get("HF_ENDPOINT") or _HUB).rstrip("/")
        self._token = (token if token is not None else os.environ.get("HF_TOKEN", "")).strip()
        self._cache = cache
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._sizes: dict[tuple[str, str, str], dict[str, int]] = {}
        self._licences: dict[tuple[str, str], str] = {}
        if not re.fullmatch(r"[!-~]*", self._token):
            # Such a token cannot stand in a header, and the error of the client would print it.
            raise RemoteError(
                "The access token holds characters that no token has: set HF_TOKEN anew"
            )

    def __repr__(self) -> str:
        """Name the endpoint; the token must never be printed."""
        return f"Hub({_origin(self._endpoint)[1]})"

    def commit(self, repo_id: str, repo_type: RepoType) -> tuple[str, str]:
        """Return the newest commit of a repository and the ISO date of its last change.

        The date is empty where the Hub gives none.
        """
        what = _named(repo_id, repo_type)
        info = self._ask(
            what,
            lambda api: api.repo_info(repo_id, repo_type=repo_type, timeout=self._timeout_s),
        )
        if not isinstance(info.sha, str) or not _SHA.fullmatch(info.sha):
            raise _unexpected(what)
        tags = [tag for tag in getattr(info, "tags", None) or () if isinstance(tag, str)]
        licences = [tag.removeprefix("license:") for tag in tags if tag.startswith("license:")]
        self._licences[repo_id, repo_type] = ", ".join(licences)
        changed = info.last_modified
        return info.sha, changed.date().isoformat() if isinstance(changed, datetime) else ""

    def licence(self, repo_id: str, repo_type: RepoType) -> str:
        """Return the licence that a repository declares, as ``commit`` saw it, or nothing."""
        return self._licences.get((repo_id, repo_type), "")

    def files(
        self, repo_id: str, repo_type: RepoType, sha: str, under: str = ""
    ) -> list[tuple[str, int]]:
        """List the paths and sizes of all files of a commit, or of those in one folder."""
        what = _named(repo_id, repo_type)
        if under:
            _check_path(under, what)

        def listing(api: HfApi) -> list[tuple[str, int]]:
            found: list[tuple[str, int]] = []
            for entry in api.list_repo_tree(
                repo_id, under or None, recursive=True, revision=sha, repo_type=repo_type
            ):
                size = getattr(entry, "size", None)
                if size is not None:
                    if not isinstance(entry.path, str) or type(size) is not int or size < 0:
                        raise _unexpected(what)
                    _check_path(entry.path, what)
                    found.append((entry.path, size))
                if len(found) > _MAX_FILES:
                    raise RemoteError(
                        f"{what} lists more than {_MAX_FILES:,} files, which no leaderboard has: "
                        "check the endpoint",
                    )
            return found

        found = self._ask(what, listing)
        self._sizes.setdefault((repo_type, repo_id, sha), {}).update(found)
        return found

    def fetch(self, repo_id: str, repo_type: RepoType, sha: str, path: str) -> Path:
        """Download one file of a commit, or find it in the cache, and return where it lies.

        Its size must be the one that the commit's listing gives. A file that was downloaded
        before costs no request once its size is known.
        """
        repository = _named(repo_id, repo_type)
        _check_path(path, repository)
        what = f"{path} of {repository}"
        sizes = self._sizes.setdefault((repo_type, repo_id, sha), {})
        if path not in sizes:
            folder = str(PurePosixPath(path).parent)
            self.files(repo_id, repo_type, sha, "" if folder == "." else folder)
        size = sizes.get(path)
        if size is None:
            raise RemoteError(
                f"{what} does not exist any more: its maintainers moved or renamed it, "
                "so a newer version of this program may be needed",
            )
        if size > self._max_bytes:
            raise RemoteError(
                f"{what} has {size:,} bytes, more than the limit of {self._max_bytes:,}: raise "
                "the limit if that is right",
            )
        force = False

        def attempt(api: HfApi) -> Path:
            nonlocal force
            file = Path(
                api.hf_hub_download(
                    repo_id,
                    path,
                    repo_type=repo_type,
                    revision=sha,
                    cache_dir=self._cache,
                    force_download=force,
                )
            )
            if sha not in file.parts:
                raise _unexpected(what)
            if (found := file.stat().st_size) != size:
                force = True
                raise _BrokenError("cut off", f"{found:,} of {size:,} bytes")
            return file

        return self._ask(what, attempt, max_bytes=size)

    def fetch_many(
        self,
        repo_id: str,
        repo_type: RepoType,
        sha: str,
        paths: Sequence[str],
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> dict[str, Path]:
        """Download several files at a time, and return where each lies.

        ``progress`` is called in the caller's thread with the numbers of files done and all.
        """
        found: dict[str, Path] = {}
        pool = ThreadPoolExecutor(_N_THREADS, thread_name_prefix="hub")
        try:
            jobs = {pool.submit(self.fetch, repo_id, repo_type, sha, path): path for path in paths}
            for n_done, job in enumerate(as_completed(jobs), start=1):
                found[jobs[job]] = job.result()
                if progress:
                    progress(n_done, len(paths))
        finally:
            pool.shutdown(cancel_futures=True)
        return {path: found[path] for path in paths}

    def discard(self, file: Path) -> None:
        """Remove a fetched file whose content is broken, so that the next fetch asks again."""
        blob = file.resolve()
        file.unlink(missing_ok=True)
        blob.unlink(missing_ok=True)

    def _ask(
        self, what: str, action: Callable[[HfApi], T], *, max_bytes: int = _MAX_ANSWER_BYTES
    ) -> T:
        """Run an action of the library within limits, a bounded number of times."""
        _install_client()
        from huggingface_hub import HfApi  # noqa: PLC0415 - heavy, and most runs need none of it

        # ``False`` keeps the library from sending a token that somebody logged in with.
        api = HfApi(self._endpoint, token=self._token or False, library_name="llm-formulary")
        for attempt in range(1, _TRIES + 1):
            ends_at = time.monotonic() + _PATIENCE * self._timeout_s
            limits = _Limits(self._timeout_s, ends_at, max_bytes, _origin(self._endpoint))
            reset = _LIMITS.set(limits)
            try:
                return action(api)
            except (_RefusedError, _BrokenError) as trouble:
                wait = trouble.wait_s(_BACKOFF_S * 2 ** (attempt - 1))
                if wait is None or attempt == _TRIES:
                    raise self._explained(what, trouble) from None
            except FormularyError:
                raise
            except Exception as error:
                raise _translated(what, error) from None
            finally:
                _LIMITS.reset(reset)
            time.sleep(wait)
        raise AssertionError("unreachable")

    def _explained(self, what: str, trouble: _RefusedError | _BrokenError) -> RemoteError:
        if isinstance(trouble, _BrokenError):
            said = {
                "too large": f"{_opening(what)} is larger than the {trouble.detail} bytes that "
                "were announced, so the download was stopped: try again later, and report it if "
                "it stays so",
                "stalled": f"{_opening(what)} stalled, with no full answer while the limit is "
                f"{self._timeout_s:g} seconds: try again later or from a better connection",
                "cut off": f"The connection broke in the middle of {what}"
                f"{' (' + trouble.detail + ')' if trouble.detail else ''}: try again later",
                "offline": f"The Hub could not be reached for {what}: check the network, the "
                "proxy and HF_ENDPOINT, then try again",
                "refused": f"The Hub's certificate could not be verified for {what}: where a "
                "proxy inspects traffic, set SSL_CERT_FILE to its certificates",
            }[trouble.how]
            return RemoteError(said)
        status, code = trouble.status, trouble.code
        folder, repo_id = what.rpartition("the ")[2].split(" ", 1)
        folder = {"dataset": "datasets/", "Space": "spaces/"}.get(folder, "")
        page = f"{_HUB}/{folder}{repo_id}"
        seconds = math.ceil(trouble.retry_after_s or 60)
        higher = "" if self._token else ", or set HF_TOKEN for a higher limit"
        reader = "this token" if self._token else "a reader without a token"
        asks = "refused the token" if self._token else "asks for a token"
        if status == 429:
            said = (
                f"The Hub limits requests and refused {what}: try again in {seconds} seconds"
                f"{higher}"
            )
        elif status >= 500 or status == 408:
            said = (
                f"The Hub answered {_TRIES} times with a fault of its own ({status}) for {what}: "
                "try again later"
            )
        elif code == "GatedRepo":
            said = (
                f"{_opening(what)} is gated: accept its terms at {page} and set HF_TOKEN to a "
                "token of that account"
            )
        elif status == 403:
            said = (
                f"The Hub does not let {reader} have {what}: ask for access at {page} and set "
                "HF_TOKEN to a token that has it"
            )
        elif status == 401 and code != "RepoNotFound":
            said = (
                f"The Hub {asks} for {what}, which may be private, gated or gone: look at {page} "
                "and set HF_TOKEN to a token that may read it"
            )
        elif code == "EntryNotFound":
            said = (
                f"{_opening(what)} does not hold what was asked for any more: its maintainers "
                "moved or renamed it, so a newer version of this program may be needed"
            )
        elif status in (401, 404, 410):
            said = (
                f"{_opening(what)} was not found on the Hub: it was moved, deleted or made "
                f"private, so look at {page}, and set HF_TOKEN if it is private"
            )
        else:
            said = f"The Hub refused {what} ({status}): check HF_ENDPOINT and the proxy"
        return RemoteError(said)


def _translated(what: str, error: Exception) -> FormularyError:
    """Turn what escapes the library into one sentence, without its text: that may tell."""
    from huggingface_hub import constants  # noqa: PLC0415 - as above
    from huggingface_hub.errors import (  # noqa: PLC0415 - as above
        HFValidationError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
    )

    if isinstance(error, (OfflineModeIsEnabled, LocalEntryNotFoundError)):
        astray = isinstance(error, LocalEntryNotFoundError) and not constants.HF_HUB_OFFLINE
        said = (
            f"The Hub, or a proxy before it, sent the download of {what} to an address that "
            "gives no answer: check the network, the proxy and HF_ENDPOINT, then try again"
            if astray
            else f"The Hub may not be asked for {what}: this machine works offline, so unset "
            "HF_HUB_OFFLINE to refresh"
        )
        return RemoteError(said)
    if isinstance(error, HFValidationError):
        return RemoteError(f"{_opening(what)} is no name that the Hub knows: correct it")
    if isinstance(error, OSError) and error.errno is not None:
        if is_full(error):
            return BadDataError(
                f"The disk is full: free some space for the download of {what}; {STAYS}."
            )
        return BadDataError(
            f"The download folder cannot be used ({error.strerror}): set HF_HOME to a folder "
            f"that can be written; {STAYS}."
        )
    if isinstance(error, OSError):
        # The library's own check of the size, which has no error number.
        return RemoteError(f"The connection broke in the middle of {what}: try again")
    return _unexpected(what)


def _unexpected(what: str) -> RemoteError:
    return RemoteError(
        f"The answer for {what} is not one of the Hub's: check HF_ENDPOINT, and whether a proxy "
        "answers in its place",
    )


def _named(repo_id: str, repo_type: RepoType) -> str:
    kind = {"dataset": "the dataset", "model": "the model", "space": "the Space"}[repo_type]
    return f"{kind} {repo_id}"


def _check_path(path: str, what: str) -> None:
    """Refuse a path that could lead out of the folder it is put in."""
    parts = path.split("/")
    if "\\" in path or not path.isprintable() or {"", ".", ".."} & set(parts):
        raise RemoteError(
            f'{_opening(what)} holds the path "{ascii(path)[1:81]}", which could lead out of its '
            f"folder, so nothing was taken: report it to the maintainers of {what}",
        )


@dataclass(frozen=True, slots=True)
class _Limits:
    """What the call that runs in this thread may take."""

    timeout_s: float
    ends_at: float
    max_bytes: int
    origin: tuple[str, str]


_LIMITS: ContextVar[_Limits | None] = ContextVar("limits", default=None)


class _RefusedError(Exception):
    """The server answered with an error."""

    def __init__(self, status: int, code: str, retry_after_s: float | None) -> None:
        super().__init__(status)
        self.status = status
        self.code = code
        self.retry_after_s = retry_after_s

    def wait_s(self, backoff_s: float) -> float | None:
        """Return how long to wait before the next try, ``None`` where another one is no use."""
        if self.status not in (408, 429) and self.status < 500:
            return None
        wait = backoff_s if self.retry_after_s is None else self.retry_after_s
        return wait if wait <= _LONGEST_WAIT_S else None


class _BrokenError(Exception):
    """The way to the server or back failed."""

    def __init__(self, how: Trouble, detail: str = "") -> None:
        super().__init__(how)
        self.how: Trouble = how
        self.detail = detail

    def wait_s(self, backoff_s: float) -> float | None:
        # What was slow for all the time that a call may take would be so again.
        final = self.how in ("too large", "refused") or self.detail == "slow"
        return None if final else backoff_s


def _install_client() -> None:
    """Give the library a client, for the whole process, that keeps to the running call's limits."""
    with _INSTALLING:
        if _installed:
            return
        import httpx2  # noqa: PLC0415 - heavy, and most runs need none of it
        import huggingface_hub  # noqa: PLC0415
        from huggingface_hub import constants  # noqa: PLC0415
        from huggingface_hub.utils.tqdm import disable_progress_bars  # noqa: PLC0415

        class Bounded(httpx2.SyncByteStream):
            """A body that ends where the limits do."""

            def __init__(self, stream: httpx2.SyncByteStream, limits: _Limits) -> None:
                self.stream = stream
                self.limits = limits

            def __iter__(self) -> Iterator[bytes]:
                n_bytes = 0
                try:
                    for chunk in self.stream:
                        n_bytes += len(chunk)
                        if n_bytes > self.limits.max_bytes:
                            raise _BrokenError("too large", f"{self.limits.max_bytes:,}")
                        if time.monotonic() > self.limits.ends_at:
                            raise _BrokenError("stalled", "slow")
                        yield chunk
                except httpx2.TransportError as error:
                    raise _broken(error) from None

            def close(self) -> None:
                self.stream.close()

        def _broken(error: httpx2.TransportError) -> _BrokenError:
            if isinstance(error, httpx2.ConnectError) and "CERTIFICATE" in str(error):
                return _BrokenError("refused")
            if isinstance(error, (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)):
                return _BrokenError("cut off")
            if isinstance(error, (httpx2.ReadTimeout, httpx2.WriteTimeout, httpx2.PoolTimeout)):
                return _BrokenError("stalled")
            return _BrokenError("offline")

        class Client(httpx2.Client):
            """Raises refusals and breaks as exceptions that the library leaves alone."""

            def send(
                self,
                request: httpx2.Request,
                *,
                stream: bool = False,
                **rest: Any,  # noqa: ANN401
            ) -> httpx2.Response:
                limits = _LIMITS.get()
                if limits is None:
                    return super().send(request, stream=stream, **rest)
                if time.monotonic() > limits.ends_at:
                    raise _BrokenError("stalled", "slow")
                try:
                    response = super().send(request, stream=True, **rest)
                except httpx2.TransportError as error:
                    raise _broken(error) from None
                try:
                    if response.status_code >= 400:
                        code = response.headers.get("x-error-code", "")
                        wait = _retry_after_s(response.headers)
                        raise _RefusedError(response.status_code, code, wait)
                    length = response.headers.get("content-length", "")
                    body = response.is_success and request.method != "HEAD"
                    if body and length.isdigit() and int(length) > limits.max_bytes:
                        raise _BrokenError("too large", f"{limits.max_bytes:,}")
                    assert isinstance(response.stream, httpx2.SyncByteStream)
                    response.stream = Bounded(response.stream, limits)
                    if not stream:
                        response.read()
                except BaseException:
                    response.close()
                    raise
                return response

        def keep_to_limits(request: httpx2.Request) -> None:
            limits = _LIMITS.get()
            if limits is None:
                return
            request.extensions["timeout"] = httpx2.Timeout(limits.timeout_s).as_dict()
            # Compressed, the length that the server announces would not be that of the file.
            request.headers["Accept-Encoding"] = "identity"
            if _origin(str(request.url)) != limits.origin:
                # The next page of a listing may be anywhere; the token is for the Hub alone.
                request.headers.pop("Authorization", None)

        kept = huggingface_hub.get_session().event_hooks["request"]

        def make_client() -> httpx2.Client:
            hooks = {"request": [*kept, keep_to_limits]}
            return Client(event_hooks=hooks, follow_redirects=True, timeout=20)

        huggingface_hub.set_client_factory(make_client)
        # The faster transfer has a network stack of its own, without time limits.
        constants.HF_HUB_DISABLE_XET = True
        disable_progress_bars()
        _installed.append(True)


def fetched(address: str, most_bytes: int) -> tuple[bytes, str]:
    """Return a file that lies at one address elsewhere, and the ISO day of its last change.

    The day is empty where the server gives none. Uncompressed, without redirects, and bounded in
    bytes, in silence and in all; ``BadDataError`` says in a sentence what went wrong.
    """
    import httpx2  # noqa: PLC0415 - slow to import, and rarely needed

    host, ends_at, found = urlsplit(address).hostname, time.monotonic() + _FILE_S, bytearray()
    try:
        plain = {"Accept-Encoding": "identity"}
        with httpx2.stream("GET", address, timeout=_SILENCE_S, headers=plain) as answer:
            if answer.status_code != 200:
                raise BadDataError(
                    f"{host} answered with status {answer.status_code}: nothing was read."
                )
            if answer.headers.get("content-encoding", "identity") != "identity":
                raise BadDataError(f"{host} sent the file compressed, which was not asked for.")
            for chunk in answer.iter_raw():
                found += chunk
                if len(found) > most_bytes:
                    raise BadDataError(f"The file at {host} is larger than {most_bytes:,} bytes.")
                if time.monotonic() > ends_at:
                    raise BadDataError(f"{host} took too long to send the file; try again later.")
            changed = answer.headers.get("last-modified", "")
    except httpx2.TimeoutException:
        raise BadDataError(f"{host} did not answer in time; try again later.") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise BadDataError(f"{host} could not be read: {type(error).__name__}.") from None
    try:
        return bytes(found), f"{parsedate_to_datetime(changed):%Y-%m-%d}"
    except (TypeError, ValueError):
        return bytes(found), ""


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Read how long the server wants to be left alone: seconds, a date, or the Hub's own."""
    if value := headers.get("retry-after", "").strip():
        if value.isdigit():
            return float(value)
        try:
            return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
        except (TypeError, ValueError):
            return None
    spent = re.search(r"\br=0\s*;\s*t=(\d+)", headers.get("ratelimit", ""))
    return float(spent[1]) if spent else None


def _origin(address: str) -> tuple[str, str]:
    """Return scheme and host of an address, without a user's name and password."""
    parts = urlsplit(address)
    return parts.scheme, parts.netloc.rpartition("@")[2].lower()


def _opening(what: str) -> str:
    """Return words as they open a sentence; a path that comes first stays as it is."""
    return what[:1].upper() + what[1:] if what.startswith("the ") else what

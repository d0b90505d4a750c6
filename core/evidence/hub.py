"""The Hugging Face Hub: pinned files, bounded in time, in size and in tries.

Only this module and ``bounded_client`` know ``huggingface_hub``. Each call runs in a frame of its
own limits, and is repeated here, a bounded number of times.
"""

from __future__ import annotations

import os
import re
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal, TypeVar

from core.domain import BadDataError, FormularyError
from core.evidence.bounded_client import (
    HUB,
    LIMITS,
    BrokenError,
    Limits,
    RefusedError,
    install_client,
    opening,
    origin,
)
from core.evidence.disk import is_full

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from huggingface_hub import HfApi

    from core.evidence.bounded_client import Kind

T = TypeVar("T")
RepoType = Literal["dataset", "model", "space"]
STAYS = "the last good snapshot stays in use"
_SHA = re.compile(r"[0-9a-f]{40}")
_N_THREADS = 8
_TRIES = 3
_PATIENCE = 15
"""A call may last this many timeouts: a server that drips one byte at a time never times out."""
_BACKOFF_S = 0.5
_MAX_ANSWER_BYTES = 50_000_000
_MAX_FILES = 200_000


class RemoteError(FormularyError):
    """The Hub could not give what was asked for; nothing on disk has changed."""

    def __init__(self, message: str, kind: Kind) -> None:
        super().__init__(message)
        self.kind: Kind = kind


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
        self._endpoint = (endpoint or os.environ.get("HF_ENDPOINT") or HUB).rstrip("/")
        self._token = (token if token is not None else os.environ.get("HF_TOKEN", "")).strip()
        self._cache = cache
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._sizes: dict[tuple[str, str, str], dict[str, int]] = {}
        self._licences: dict[tuple[str, str], str] = {}
        if not re.fullmatch(r"[!-~]*", self._token):
            # Such a token cannot stand in a header, and the error of the client would print it.
            raise RemoteError(
                "The access token holds characters that no token has: set HF_TOKEN anew.", "refused"
            )

    def __repr__(self) -> str:
        """Name the endpoint; the token must never be printed."""
        return f"Hub({origin(self._endpoint)[1]})"

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
                        f"check the endpoint; {STAYS}.",
                        "too large",
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
                f"so a newer version of this program may be needed; {STAYS}.",
                "missing",
            )
        if size > self._max_bytes:
            raise RemoteError(
                f"{what} has {size:,} bytes, more than the limit of {self._max_bytes:,}: raise "
                f"the limit if that is right; {STAYS}.",
                "too large",
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
                raise BrokenError("cut off", f"{found:,} of {size:,} bytes")
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
        pass_over: bool = False,
    ) -> dict[str, Path]:
        """Download several files at a time, and return where each lies.

        Parameters
        ----------
        progress
            Called with the number of files that are done and of all, in the caller's thread.
        pass_over
            Leave out files that do not exist or are too large, instead of giving up.
        """
        found: dict[str, Path] = {}
        pool = ThreadPoolExecutor(_N_THREADS, thread_name_prefix="hub")
        try:
            jobs = {pool.submit(self.fetch, repo_id, repo_type, sha, p): p for p in paths}
            for n_done, job in enumerate(as_completed(jobs), start=1):
                try:
                    found[jobs[job]] = job.result()
                except RemoteError as error:
                    if not pass_over or error.kind not in ("missing", "too large"):
                        raise
                if progress:
                    progress(n_done, len(jobs))
        finally:
            pool.shutdown(cancel_futures=True)
        return {path: found[path] for path in paths if path in found}

    def discard(self, file: Path) -> None:
        """Remove a fetched file whose content is broken, so that the next fetch asks again."""
        blob = file.resolve()
        file.unlink(missing_ok=True)
        blob.unlink(missing_ok=True)

    def params_b(self, model_id: str) -> float | None:
        """Return the parameters of a model in billions, as its safetensors files declare them.

        ``None`` where the model is missing, closed or gated, has no such files, or packs
        several parameters into one number, as quantised models do.
        """
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", model_id, re.ASCII):
            return None
        try:
            info = self._ask(
                _named(model_id, "model"),
                lambda api: api.model_info(
                    model_id, timeout=self._timeout_s, expand=["safetensors"]
                ),
            )
        except RemoteError as error:
            if error.kind in ("missing", "gated", "refused", "unexpected"):
                return None
            raise
        declared = getattr(info, "safetensors", None)
        counts: Mapping[str, int] = getattr(declared, "parameters", None) or {}
        n_float = sum(n for kind, n in counts.items() if kind.startswith(("F", "BF")))
        # A few integers are positions and masks; many are packed weights, which do not count.
        if not n_float or n_float < 0.99 * sum(counts.values()):
            return None
        return n_float / 1e9

    def params_of(self, models: Sequence[str]) -> dict[str, float]:
        """Return the parameters in billions of those models that declare them.

        The first failure of the Hub ends the questions: what is known by then is returned,
        since a count of parameters is not worth a refresh.
        """
        found: dict[str, float] = {}
        pool = ThreadPoolExecutor(_N_THREADS, thread_name_prefix="hub")
        try:
            jobs = {pool.submit(self.params_b, model): model for model in models}
            for job in as_completed(jobs):
                try:
                    count = job.result()
                except RemoteError:
                    break
                if count is not None:
                    found[jobs[job]] = count
        finally:
            pool.shutdown(cancel_futures=True)
        return {model: found[model] for model in models if model in found}

    def _ask(
        self, what: str, action: Callable[[HfApi], T], *, max_bytes: int = _MAX_ANSWER_BYTES
    ) -> T:
        """Run an action of the library within limits, a bounded number of times."""
        install_client()
        from huggingface_hub import HfApi  # noqa: PLC0415 - heavy, and most runs need none of it

        # ``False`` keeps the library from sending a token that somebody logged in with.
        api = HfApi(self._endpoint, token=self._token or False, library_name="llm-formulary")
        for attempt in range(1, _TRIES + 1):
            ends_at = time.monotonic() + _PATIENCE * self._timeout_s
            limits = Limits(self._timeout_s, ends_at, max_bytes, origin(self._endpoint))
            reset = LIMITS.set(limits)
            try:
                return action(api)
            except (RefusedError, BrokenError) as trouble:
                wait = trouble.wait_s(_BACKOFF_S * 2 ** (attempt - 1))
                if wait is None or attempt == _TRIES:
                    said, kind = trouble.explained(
                        what,
                        tries=_TRIES,
                        timeout_s=self._timeout_s,
                        has_token=bool(self._token),
                    )
                    raise RemoteError(f"{said}; {STAYS}.", kind) from None
            except FormularyError:
                raise
            except Exception as error:
                raise _translated(what, error) from None
            finally:
                LIMITS.reset(reset)
            time.sleep(wait)
        raise AssertionError("unreachable")


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
            f"The Hub, or a proxy before it, sent the download of {what} to an address that gives "
            "no answer: check the network, the proxy and HF_ENDPOINT, then try again"
            if astray
            else f"The Hub may not be asked for {what}: this machine works offline, so unset "
            "HF_HUB_OFFLINE to refresh"
        )
        return RemoteError(f"{said}; {STAYS}.", "offline")
    if isinstance(error, HFValidationError):
        return RemoteError(f"{opening(what)} is no name that the Hub knows: correct it.", "missing")
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
        return RemoteError(
            f"The connection broke in the middle of {what}: try again; {STAYS}.", "cut off"
        )
    return _unexpected(what)


def _unexpected(what: str) -> RemoteError:
    """Return the error for an answer that is none of the Hub's."""
    return RemoteError(
        f"The answer for {what} is not one of the Hub's: check HF_ENDPOINT, and whether a proxy "
        f"answers in its place; {STAYS}.",
        "unexpected",
    )


def _named(repo_id: str, repo_type: RepoType) -> str:
    """Return the words that name a repository in a sentence."""
    kind = {"dataset": "the dataset", "model": "the model", "space": "the Space"}[repo_type]
    return f"{kind} {repo_id}"


def _check_path(path: str, what: str) -> None:
    """Refuse a path that could lead out of the folder it is put in."""
    parts = path.split("/")
    if "\\" in path or not path.isprintable() or {"", ".", ".."} & set(parts):
        raise RemoteError(
            f'{opening(what)} holds the path "{ascii(path)[1:81]}", which could lead out of its '
            f"folder, so nothing was taken: report it to the maintainers of {what}; {STAYS}.",
            "unsafe",
        )

"""Read repositories: the one class that the rest of the program uses."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from core.evidence.hub.asking import Door
from core.evidence.hub.downloading import download
from core.evidence.hub.errors import STAYS, RemoteError, unexpected
from core.evidence.hub.explanations import too_large
from core.evidence.hub.listing import list_files
from core.evidence.hub.parameters import declared_params_b
from core.evidence.hub.repositories import check_path, repository_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from core.evidence.hub.repositories import RepoType

_N_THREADS = 8
_SHA = re.compile(r"[0-9a-f]{40}")


class Hub:
    """Read repositories of the Hub at a pinned commit.

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
        self._door = Door(endpoint, token, timeout_s)
        self._cache = cache
        self._max_bytes = max_bytes
        self._sizes: dict[tuple[str, str, str], dict[str, int]] = {}
        self._licences: dict[tuple[str, str], str] = {}

    def __repr__(self) -> str:
        """Name the endpoint; the token must never be printed."""
        return f"Hub({self._door.host})"

    def commit(self, repo_id: str, repo_type: RepoType) -> tuple[str, str]:
        """Return the newest commit of a repository and the ISO date of its last change.

        The date is empty where the Hub gives none.

        Raises
        ------
        RemoteError
            When the Hub cannot be asked, or does not give the repository to this token.
        """
        what = repository_name(repo_id, repo_type)
        info = self._door.ask(
            what,
            lambda api: api.repo_info(repo_id, repo_type=repo_type, timeout=self._door.timeout_s),
        )
        if not isinstance(info.sha, str) or not _SHA.fullmatch(info.sha):
            raise unexpected(what)
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
        """List the paths and sizes of all files of a commit, or of those in one folder.

        Raises
        ------
        RemoteError
            When the listing cannot be had, or names a path that would leave its folder.
        """
        found = list_files(self._door, repo_id, repo_type, sha, under)
        self._sizes.setdefault((repo_type, repo_id, sha), {}).update(found)
        return found

    def fetch(self, repo_id: str, repo_type: RepoType, sha: str, path: str) -> Path:
        """Download one file of a commit, or find it in the cache, and return where it lies.

        Its size must be the one that the commit's listing gives. A file that was downloaded
        before costs no request once its size is known.

        Raises
        ------
        RemoteError
            When it cannot be had whole, or is larger than listed or than the limit.
        BadDataError
            When the cache cannot be written.
        """
        repository = repository_name(repo_id, repo_type)
        check_path(path, repository)
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
            raise too_large(what, size, self._max_bytes)
        return download(self._door, repo_id, repo_type, sha, path, size=size, cache=self._cache)

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

        Raises
        ------
        RemoteError, BadDataError
            As ``fetch``; what was not begun by then is not fetched.
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

        Raises
        ------
        RemoteError
            When the Hub cannot be asked.
        """
        return declared_params_b(self._door, model_id)

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

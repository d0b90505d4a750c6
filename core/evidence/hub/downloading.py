"""One file of a commit, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from core.evidence.hub.errors import BrokenError, unexpected
from core.evidence.hub.repositories import repository_name

if TYPE_CHECKING:
    from huggingface_hub import HfApi

    from core.evidence.hub.asking import Door
    from core.evidence.hub.repositories import RepoType


def download(
    door: Door,
    repo_id: str,
    repo_type: RepoType,
    sha: str,
    path: str,
    *,
    size: int,
    cache: Path | None,
) -> Path:
    """Download a file of the listed size, or find it in the cache, and return where it lies.

    Raises
    ------
    RemoteError
        When it cannot be had whole, or is larger than listed.
    BadDataError
        When the cache cannot be written.
    """
    what = f"{path} of {repository_name(repo_id, repo_type)}"
    force = False

    def attempt(api: HfApi) -> Path:
        nonlocal force
        file = Path(
            api.hf_hub_download(
                repo_id,
                path,
                repo_type=repo_type,
                revision=sha,
                cache_dir=cache,
                force_download=force,
            )
        )
        if sha not in file.parts:
            raise unexpected(what)
        if (found := file.stat().st_size) != size:
            force = True
            raise BrokenError("cut off", f"{found:,} of {size:,} bytes")
        return file

    return door.ask(what, attempt, max_bytes=size)

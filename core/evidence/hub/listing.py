"""Which files a commit holds, and how large they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.evidence.hub.errors import STAYS, RemoteError, unexpected
from core.evidence.hub.repositories import check_path, repository_name

if TYPE_CHECKING:
    from huggingface_hub import HfApi

    from core.evidence.hub.asking import Door
    from core.evidence.hub.repositories import RepoType

_MAX_FILES = 200_000


def list_files(
    door: Door, repo_id: str, repo_type: RepoType, sha: str, under: str = ""
) -> list[tuple[str, int]]:
    """List the paths and sizes of all files of a commit, or of those in one folder.

    Raises
    ------
    RemoteError
        When the listing cannot be had, or names a path that would leave its folder.
    """
    what = repository_name(repo_id, repo_type)
    if under:
        check_path(under, what)

    def listing(api: HfApi) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        for entry in api.list_repo_tree(
            repo_id, under or None, recursive=True, revision=sha, repo_type=repo_type
        ):
            size = getattr(entry, "size", None)
            if size is not None:
                if not isinstance(entry.path, str) or type(size) is not int or size < 0:
                    raise unexpected(what)
                check_path(entry.path, what)
                found.append((entry.path, size))
            if len(found) > _MAX_FILES:
                raise RemoteError(
                    f"{what} lists more than {_MAX_FILES:,} files, which no leaderboard has: "
                    f"check the endpoint; {STAYS}.",
                    "too large",
                )
        return found

    return door.ask(what, listing)

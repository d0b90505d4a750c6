"""Repositories and files of the Hub: in words, as addresses, and as paths that are safe."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from core.evidence.hub.errors import STAYS, RemoteError

RepoType = Literal["dataset", "model", "space"]
HUB = "https://huggingface.co"


def repository_name(repo_id: str, repo_type: RepoType) -> str:
    """Return the words that name a repository in a sentence."""
    kind = {"dataset": "the dataset", "model": "the model", "space": "the Space"}[repo_type]
    return f"{kind} {repo_id}"


def opening(what: str) -> str:
    """Return words as they open a sentence; a path that comes first stays as it is."""
    return what[:1].upper() + what[1:] if what.startswith("the ") else what


def page_of(what: str) -> str:
    """Return the path of a repository's page from the words that name it."""
    kind, repo_id = what.rpartition("the ")[2].split(" ", 1)
    return {"dataset": "datasets/", "Space": "spaces/"}.get(kind, "") + repo_id


def check_path(path: str, what: str) -> None:
    """Refuse a path that could lead out of the folder it is put in."""
    parts = path.split("/")
    if "\\" in path or not path.isprintable() or {"", ".", ".."} & set(parts):
        raise RemoteError(
            f'{opening(what)} holds the path "{ascii(path)[1:81]}", which could lead out of its '
            f"folder, so nothing was taken: report it to the maintainers of {what}; {STAYS}.",
            "unsafe",
        )


def origin(address: str) -> tuple[str, str]:
    """Return scheme and host of an address, without a user's name and password."""
    parts = urlsplit(address)
    return parts.scheme, parts.netloc.rpartition("@")[2].lower()

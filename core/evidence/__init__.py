"""From leaderboards to a store of verified snapshots; here, what all that write ask of the disk."""

from __future__ import annotations

import errno
import getpass
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from core.domain import BadDataError

_FULL = (errno.ENOSPC, errno.EDQUOT)
"""No space on the file system, and none left in what this account may use of it."""


def is_full(error: Exception) -> bool:
    """Say whether a fault is that of a full disk or quota.

    A library that writes by itself, as DuckDB, hands on the system's words without its number.
    """
    number = getattr(error, "errno", None)
    words = str(error).casefold()
    return number in _FULL or any(os.strerror(full).casefold() in words for full in _FULL)


def own_temporary_folder() -> Path:
    """Return a folder of this account's own below the temporary folder, made where it is missing.

    Everybody may write to the temporary folder: under a name that others can guess, another
    account could leave a file there that this program takes for its own.
    """
    account = getpass.getuser() if os.name == "nt" else os.getuid()
    folder = Path(tempfile.gettempdir()) / f"llm-formulary-{account}"
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
    except OSError as error:
        full = ": its disk is full" if is_full(error) else ""
        raise BadDataError(
            f"The temporary folder cannot be written{full}: name another place with "
            "FORMULARY_STORE."
        ) from None
    others = stat.S_IMODE(found.st_mode) & 0o077
    # Windows has no such owner, and its temporary folder is each account's own already.
    foreign = os.name != "nt" and (found.st_uid != os.getuid() or others)
    if not stat.S_ISDIR(found.st_mode) or foreign:
        raise BadDataError(
            f"{folder.name} in the temporary folder is not a folder of this account alone: remove "
            "it, or name another place with FORMULARY_STORE."
        )
    return folder

"""From verified snapshots to a store; here, what all that write ask of the disk."""

import errno
import os

_FULL = (errno.ENOSPC, errno.EDQUOT)
"""No space on the file system, and none left in what this account may use of it."""


def is_full(error: Exception) -> bool:
    """Say whether a fault is that of a full disk or quota.

    A library that writes by itself, as DuckDB, hands on the system's words without its number.
    """
    number = getattr(error, "errno", None)
    words = str(error).casefold()
    return number in _FULL or any(os.strerror(full).casefold() in words for full in _FULL)

"""What happened and what to do, in one sentence for each fault."""

from __future__ import annotations

import errno
import math
from typing import TYPE_CHECKING

from core.domain import BadDataError
from core.evidence.hub.errors import STAYS, RefusedError, RemoteError, unexpected
from core.evidence.hub.limits import TRIES
from core.evidence.hub.repositories import HUB, opening, page_of

if TYPE_CHECKING:
    from core.domain import FormularyError
    from core.evidence.hub.errors import BrokenError, Kind


def explain(
    what: str, trouble: RefusedError | BrokenError, *, timeout_s: float, has_token: bool
) -> RemoteError:
    """Say in one sentence what happened and what to do."""
    if isinstance(trouble, RefusedError):
        said, kind = _refusal(what, trouble, has_token=has_token)
        return RemoteError(f"{said}; {STAYS}.", kind)
    said = {
        "too large": f"{opening(what)} is larger than the {trouble.detail} bytes that were "
        "announced, so the download was stopped: try again later, and report it if it stays so",
        "stalled": f"{opening(what)} stalled, with no full answer while the limit is "
        f"{timeout_s:g} seconds: try again later or from a better connection",
        "cut off": f"The connection broke in the middle of {what}"
        f"{' (' + trouble.detail + ')' if trouble.detail else ''}: try again later",
        "offline": f"The Hub could not be reached for {what}: check the network, the proxy and "
        "HF_ENDPOINT, then try again",
        "refused": f"The Hub's certificate could not be verified for {what}: where a proxy "
        "inspects traffic, set SSL_CERT_FILE to its certificates",
    }[trouble.how]
    return RemoteError(f"{said}; {STAYS}.", trouble.how)


def _refusal(what: str, refusal: RefusedError, *, has_token: bool) -> tuple[str, Kind]:
    page, status = f"{HUB}/{page_of(what)}", refusal.status
    said: str
    kind: Kind
    if status == 429:
        seconds = math.ceil(refusal.retry_after_s or 60)
        higher = "" if has_token else ", or set HF_TOKEN for a higher limit"
        said = f"The Hub limits requests and refused {what}: try again in {seconds} seconds"
        said, kind = said + higher, "rate limited"
    elif status >= 500 or status == 408:
        said, kind = (
            f"The Hub answered {TRIES} times with a fault of its own ({status}) for {what}: "
            "try again later",
            "server fault",
        )
    elif refusal.code == "GatedRepo":
        said, kind = (
            f"{opening(what)} is gated: accept its terms at {page} and set HF_TOKEN to a token of "
            "that account",
            "gated",
        )
    elif status == 403:
        reader = "this token" if has_token else "a reader without a token"
        said, kind = (
            f"The Hub does not let {reader} have {what}: ask for access at {page} and set "
            "HF_TOKEN to a token that has it",
            "gated",
        )
    elif status == 401 and refusal.code != "RepoNotFound":
        asks = "refused the token" if has_token else "asks for a token"
        said, kind = (
            f"The Hub {asks} for {what}, which may be private, gated or gone: look at {page} "
            "and set HF_TOKEN to a token that may read it",
            "gated",
        )
    elif refusal.code == "EntryNotFound":
        said, kind = (
            f"{opening(what)} does not hold what was asked for any more: its maintainers moved or "
            "renamed it, so a newer version of this program may be needed",
            "missing",
        )
    elif status in (401, 404, 410):
        said, kind = (
            f"{opening(what)} was not found on the Hub: it was moved, deleted or made private, so "
            f"look at {page}, and set HF_TOKEN if it is private",
            "missing",
        )
    else:
        said, kind = (
            f"The Hub refused {what} ({status}): check HF_ENDPOINT and the proxy",
            "refused",
        )
    return said, kind


def translate(what: str, error: Exception) -> FormularyError:
    """Turn what escapes the library into one sentence, without its text: that may tell."""
    from huggingface_hub import constants  # noqa: PLC0415 - heavy, as above
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
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
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
    return unexpected(what)


def too_large(what: str, size: int, max_bytes: int) -> RemoteError:
    """Return the error for a file beyond the limit."""
    return RemoteError(
        f"{opening(what)} has {size:,} bytes, more than the limit of {max_bytes:,}: raise "
        f"the limit if that is right; {STAYS}.",
        "too large",
    )

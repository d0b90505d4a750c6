"""Fetch one file of results from an address that a person gives."""

from __future__ import annotations

import socket
import threading
import time
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies

from core.domain import BadDataError, BadRequestError

if TYPE_CHECKING:
    from ipaddress import IPv4Address

    import httpx2

_TIMEOUT_S = 20.0
_TOTAL_S = 60.0
_MOST_REDIRECTS = 5
_LONGEST = 2_000
_NAT64 = IPv6Network("64:ff9b::/96")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def download(url: str, max_bytes: int, total_s: float = _TOTAL_S) -> tuple[str, bytes]:
    """Return the name and the content of the file at an address.

    Only https is followed, and http on this machine where the person asks for it. A redirect
    leads to https and to a public address only, or on at the server that was asked for: who
    answers must not choose where inside the network this server reads.

    After ``total_s`` seconds the whole is given up. ``BadRequestError`` is an address that is
    none, ``BadDataError`` whatever a server does wrong.
    """
    asked = _checked(url, may_be_here=True)
    outcome: list[bytes | Exception] = []

    def fetch() -> None:
        try:
            outcome.append(_fetched(url, asked, max_bytes, time.monotonic() + total_s))
        except Exception as error:  # Raised again where somebody waits for it.
            outcome.append(error)

    # In a thread that can be left alone: a server may send its headers sign by sign, and each
    # would come in time.
    worker = threading.Thread(target=fetch, daemon=True)
    worker.start()
    worker.join(total_s)
    if not outcome:
        raise _too_slow(asked.host)
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return asked.path.rpartition("/")[2] or asked.host, outcome[0]


def _fetched(url: str, asked: _Address, max_bytes: int, deadline: float) -> bytes:
    import httpx2  # noqa: PLC0415 - slow to import, and rarely needed

    def before(request: httpx2.Request) -> None:
        if time.monotonic() > deadline:
            raise _too_slow(asked.host)
        target = str(request.url)
        if target != first:
            _check_redirect(target, asked)

    try:
        first = str(httpx2.URL(url))
        with (
            httpx2.Client(
                timeout=_TIMEOUT_S,
                follow_redirects=True,
                max_redirects=_MOST_REDIRECTS,
                event_hooks={"request": [before]},
            ) as client,
            client.stream("GET", url) as answer,
        ):
            _check_peer(answer, asked)
            if answer.status_code != 200:
                raise BadDataError(
                    f"{asked.host} answered with status {answer.status_code}: nothing was read."
                )
            content = bytearray()
            for chunk in answer.iter_bytes():
                content += chunk
                if len(content) > max_bytes:
                    raise BadDataError(
                        f"The file at {asked.host} is larger than {max_bytes:,} bytes."
                    )
                if time.monotonic() > deadline:
                    raise _too_slow(asked.host)
            return bytes(content)
    except httpx2.TimeoutException:
        raise BadDataError(f"{asked.host} did not answer in time; try again later.") from None
    except httpx2.HTTPError as error:
        raise BadDataError(f"{asked.host} could not be read: {type(error).__name__}.") from None
    except (httpx2.InvalidURL, UnicodeError, ValueError, OverflowError):
        raise _no_address(url) from None


class _Address(NamedTuple):
    """An address that passed."""

    scheme: str
    host: str
    port: int
    path: str


def _checked(url: str, *, may_be_here: bool) -> _Address:
    if len(url) > _LONGEST or not url.isprintable():
        raise _no_address(url)
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        found = _Address(parts.scheme, parts.hostname or "", port, parts.path)
    except ValueError:
        raise _no_address(url) from None
    here = may_be_here and found.scheme == "http" and found.host in _LOOPBACK
    if not found.host or parts.username is not None or not (found.scheme == "https" or here):
        raise _no_address(url)
    return found


def _no_address(url: str) -> BadRequestError:
    shown = "".join(letter if letter.isprintable() else " " for letter in url[:60])
    return BadRequestError(f'"{shown}" is not an address that begins with https://.')


def _too_slow(host: str) -> BadDataError:
    return BadDataError(f"{host} took too long to send the file; try again later.")


def _check_redirect(url: str, asked: _Address) -> None:
    """Check that a redirect stays at the server that was asked for, or is https and public."""
    try:
        if _checked(url, may_be_here=True)[:3] == asked[:3]:
            return
    except BadRequestError:
        pass  # Said below, with the rule for redirects.
    target = _checked(url, may_be_here=False)
    if not all(map(_is_public, _resolved(target))):
        raise BadRequestError(
            f"{asked.host} sent the download on to {target.host}, which lies on this machine or "
            "inside the network: nothing was read."
        )


def _resolved(target: _Address) -> list[str]:
    """Return the addresses behind a name; none where a proxy is to find them out."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        if "https" in getproxies():
            return []
        raise BadDataError(f"{target.host} could not be found.") from None
    return [str(one[4][0]) for one in found]


def _is_public(address: str) -> bool:
    found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        # The ways in which IPv6 carries addresses of IPv4, such as ::ffff:127.0.0.1.
        behind = ip_address(int(found) & 0xFFFFFFFF) if found in _NAT64 else None
        teredo = found.teredo[1] if found.teredo else None
        found = found.ipv4_mapped or found.sixtofour or teredo or behind or found
    return found.is_global and not found.is_multicast


def _check_peer(answer: httpx2.Response, asked: _Address) -> None:
    """Check who has answered: a name may lead elsewhere a moment after it was looked up."""
    answered = str(answer.url)
    stream = answer.extensions.get("network_stream")
    peer = stream.get_extra_info("server_addr") if stream is not None else None
    is_redirect = _checked(answered, may_be_here=True)[:3] != asked[:3]
    if is_redirect and peer and "https" not in getproxies() and not _is_public(str(peer[0])):
        raise BadRequestError(
            f"{asked.host} sent the download on to this machine or inside the network: nothing "
            "was read."
        )

"""MedHELM's releases: the newest in the storage that its leaderboard reads.

The storage is asked which releases it has. Where it does not list them, the versions that could
follow the last known one are tried. A release is read as the same file of a hospital's own run is.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from core.domain import BadDataError
from core.evidence.catalogue import load
from core.evidence.download import download
from core.evidence.sources.table import NOT_STATED, LiveSource, Pulled
from core.results import read_scores
from core.results.files import MAX_BYTES, opened
from core.results.strict_json import parsed

if TYPE_CHECKING:
    from pathlib import Path

    from core.evidence.hub import Hub
    from core.evidence.sources.table import Commit, Progress

_REPO = "crfm-helm-public"
_STORAGE = "https://storage.googleapis.com"
_RELEASES = "medhelm/benchmark_output/releases"
_SCENARIOS = f"{_RELEASES}/{{}}/groups/medhelm_scenarios.json"
_KNOWN = (4, 0, 0)
"""The release that is bundled: a newer one has a higher number."""
_MOST_TRIES = 40
_VERSION = re.compile(r"v(\d{1,3})\.(\d{1,3})\.(\d{1,3})")
_Version = tuple[int, int, int]


def _newest(_: Hub) -> Commit:
    """Return the newest release and its date, which is empty where the release gives none."""
    versions = _listed()
    name = _name(max(versions) if versions else _followed(_KNOWN))
    return name, _date(name)


def _pull(_: Hub, commit: Commit, report: Progress, catalogue: Path) -> Pulled:
    """Read a release; jury scores stay on their scale of 1 to 5."""
    version, as_of = commit
    content = _fetched(_SCENARIOS.format(version), MAX_BYTES)
    report(1, 1)
    table = read_scores("medhelm_scenarios.json", content, load(catalogue), suite="medhelm").table
    label = table.frame["run"].str.removeprefix("local:").str.rpartition("@")[0]
    table.frame["run"] = label + f"@{version}"
    return Pulled(
        table=table,
        as_of=as_of,
        source_url="https://crfm.stanford.edu/helm/medhelm/",
        licence=NOT_STATED,
        note="" if as_of else "The release gives no date.",
    )


MEDHELM = LiveSource("medhelm", _REPO, "dataset", _newest, _pull)


def _storage() -> str:
    """Return the address of the storage: ``FORMULARY_HELM``, as of a mirror, else HELM's own."""
    return (os.environ.get("FORMULARY_HELM") or _STORAGE).rstrip("/")


def _fetched(path: str, max_bytes: int = 5_000_000) -> bytes:
    return download(f"{_storage()}/{_REPO}/{path}", max_bytes)[1]


def _listed() -> list[_Version]:
    """Return the releases that the storage lists; none where it does not list any."""
    query = f"o?prefix={_RELEASES}/&delimiter=/"
    try:
        _, content = download(f"{_storage()}/storage/v1/b/{_REPO}/{query}", 5_000_000)
    except BadDataError:
        return []
    found = re.findall(rf'"{_RELEASES}/{_VERSION.pattern}/"', content.decode("utf-8", "replace"))
    return [(int(major), int(minor), int(patch)) for major, minor, patch in found]


def _followed(last: _Version) -> _Version:
    """Return the newest release that is reached from a known one, step by step of its number.

    Raises
    ------
    BadDataError
        When not even the known one is there.
    """
    _fetched(_SCENARIOS.format(_name(last)), MAX_BYTES)
    for _ in range(_MOST_TRIES):
        major, minor, patch = last
        after = ((major + 1, 0, 0), (major, minor + 1, 0), (major, minor, patch + 1))
        there = next((version for version in after if _is_there(version)), None)
        if there is None:
            break
        last = there
    return last


def _is_there(version: _Version) -> bool:
    try:
        _fetched(_SCENARIOS.format(_name(version)), MAX_BYTES)
    except BadDataError:
        return False
    return True


def _name(version: _Version) -> str:
    return "v" + ".".join(map(str, version))


def _date(version: str) -> str:
    """Return the date of a release as its summary gives it, or nothing."""
    try:
        content = _fetched(f"{_RELEASES}/{version}/summary.json")
        summary = parsed(opened("summary.json", content), content.decode("utf-8", "replace"))
    except BadDataError:
        return ""
    date = summary.get("date") if isinstance(summary, dict) else None
    return date[:10] if isinstance(date, str) and re.match(r"\d{4}-\d\d-\d\d", date) else ""

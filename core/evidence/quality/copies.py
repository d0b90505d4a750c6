"""Which model was measured: the same scores under two names, copied files, names that disagree."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.evidence.quality.scores import NAMES_DISAGREE, SAME_SCORES, SAME_TEMPLATE, Mark, with_more

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from core.domain import Model, ModelFact
    from core.evidence.quality.scores import RunTable

_STAMP = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[ T_](\d\d)[:_-](\d\d)[:_-](\d\d)\.(?!000000)(\d{6})(?!\d)"
)
"""Date and time to the microsecond, as an evaluation harness writes it into a file's name."""
_MIN_SHARED = 3


@dataclass(frozen=True, eq=False)
class Names:
    """Which names mean one model, ignoring case."""

    canonical: dict[str, str]

    @classmethod
    def of(cls, models: Mapping[str, Model]) -> Names:
        """Take the names from the aliases and mirrors of the catalogue."""
        known = {}
        for model in models.values():
            for alias in model.aliases:
                known[alias.casefold()] = model.id.casefold()
            if model.mirror_of:
                known[model.id.casefold()] = model.mirror_of.casefold()
        return cls(known)

    def one(self, name: str) -> str:
        """Return the name that stands for all that mean the same model."""
        plain = name.strip().strip("/").casefold()
        seen = {plain}
        while (following := self.canonical.get(plain)) is not None and following not in seen:
            plain = following
            seen.add(plain)
        return plain

    def agree(self, model: str, written: str) -> bool:
        """Say whether a name in a configuration can mean the model.

        A bare name or a path on a disk does not say whose model it is, so only its last part
        counts.
        """
        if self.one(model) == self.one(written):
            return True
        plain = written.strip().rstrip("/")
        if plain.count("/") == 1 and not plain.startswith(("/", ".", "~")):
            return False
        last = plain.rpartition("/")[2].casefold()
        same = {model.casefold(), self.one(model)}
        same |= {alias for alias in self.canonical if self.one(alias) == self.one(model)}
        return last in {name.rpartition("/")[2] for name in same}


def same_scores(table: RunTable, names: Names) -> list[Mark]:
    """Flag runs all of whose scores are those of a run of another model."""
    scores, present = table.printed, np.isfinite(table.printed)
    twins: list[set[int]] = [set() for _ in scores]
    complete = present.all(axis=1)
    groups: dict[bytes, set[int]] = {}
    for i in np.flatnonzero(complete & (scores.shape[1] >= _MIN_SHARED)).tolist():
        twins[i] = groups.setdefault((scores[i] + 0.0).tobytes(), set())
        twins[i].add(i)
    twins = [set(found) for found in twins]
    for i in np.flatnonzero(~complete).tolist():
        shared = present & present[i]
        differs = ((scores != scores[i]) & shared).any(axis=1)
        for k in np.flatnonzero(~differs & (shared.sum(axis=1) >= _MIN_SHARED)).tolist():
            twins[i].add(k)
            twins[k].add(i)
    owners = [names.one(model) for model, _, _ in table.keys]
    marks = []
    for i, found in enumerate(twins):
        foreign = sorted(k for k in found if owners[k] != owners[i])
        others = list(dict.fromkeys(table.keys[k][0] for k in foreign))
        if others:
            n = max(int((present[k] & present[i]).sum()) for k in foreign)
            detail = (
                f"All {n} shared scores are the same as those of {with_more(others)}; one may be a "
                "copy of the other."
            )
            marks.append(Mark(i, SAME_SCORES, -1, detail))
    return marks


def names_disagree(table: RunTable, facts: Iterable[ModelFact], names: Names) -> list[Mark]:
    """Flag runs whose own configuration names another model."""
    runs: dict[str, list[int]] = {}
    for i, (model, _, _) in enumerate(table.keys):
        runs.setdefault(model, []).append(i)
    marks: dict[int, Mark] = {}
    for fact in facts:
        if fact.field != "config_name" or not fact.value.strip():
            continue
        if names.agree(fact.model, fact.value):
            continue
        own = runs.get(fact.model, [])
        for i in [i for i in own if fact.source in table.urls[i]] or own:
            detail = (
                f"The results are filed under {fact.model}, but their configuration names "
                f"{fact.value.strip()[:100]}; it is open which model was measured."
            )
            marks.setdefault(i, Mark(i, NAMES_DISAGREE, -1, detail))
    return list(marks.values())


def same_template(table: RunTable, names: Names, flagged: Collection[int]) -> list[Mark]:
    """Flag runs whose time stamp has the microseconds of another model's run.

    A clock gives two runs the same microsecond once in a million; whoever copies a file and
    changes date and scores by hand leaves it. The earliest sound run of such a group may be the
    one that was copied, and has no flag: one that prints what a harness prints and that no other
    rule flags. Where there is none, all have.

    Two runs of one model, under whatever name, are no hint. ``flagged`` are the positions of the
    runs that other rules flag. Among n runs two agree by chance in about n²/2,000,000 of all
    leaderboards: 0.8 % for the 127 runs with microseconds of the Open Medical-LLM leaderboard.
    """
    groups: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for i, (_, run, _) in enumerate(table.keys):
        if found := _STAMP.search(run):
            *second, micro = found.groups()
            groups.setdefault(micro, []).append((tuple(second), i))
    marks = []
    for micro, stamped in groups.items():
        runs = [i for _, i in sorted(stamped)]
        owners = {i: names.one(table.keys[i][0]) for i in runs}
        if len(set(owners.values())) < 2:
            continue
        sound = next((i for i in runs if table.harness[i] and i not in flagged), None)
        original = owners[sound] if sound is not None else ""
        for i in (i for i in runs if owners[i] != original):
            others = list(dict.fromkeys(table.keys[k][0] for k in runs if owners[k] != owners[i]))
            detail = (
                f"The time in the file's name ends in .{micro}, to the microsecond as in the file "
                f"of {with_more(others)}; it was probably copied and filled in by hand."
            )
            marks.append(Mark(i, SAME_TEMPLATE, -1, detail))
    return marks

"""Result files that were made by hand from the file of another model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from core.evidence.quality.rules import SAME_TEMPLATE
from core.evidence.quality.run_table import N_NAMED, Mark

if TYPE_CHECKING:
    from collections.abc import Collection

    from core.evidence.quality.identity import Names
    from core.evidence.quality.run_table import RunTable

_STAMP = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[ T_](\d\d)[:_-](\d\d)[:_-](\d\d)\.(?!000000)(\d{6})(?!\d)"
)
"""Date and time to the microsecond, as an evaluation harness writes it into a file's name."""


def same_template(table: RunTable, names: Names, flagged: Collection[int]) -> list[Mark]:
    """Flag runs whose time stamp has the microseconds of another model's run.

    A clock gives two runs the same microsecond once in a million; whoever copies a file and
    changes date and scores by hand leaves it. The earliest sound run of such a group may be the
    one that was copied, and has no flag: one that prints what a harness prints and that no other
    rule flags. Where there is none, all have.

    Parameters
    ----------
    table : RunTable
    names : Names
        Two runs of one model, under whatever name, are no hint.
    flagged : collection of int
        Positions of the runs that other rules flag.

    Notes
    -----
    Among n runs two agree by chance in about n²/2,000,000 of all leaderboards: 0.8 % for the 127
    runs with microseconds of the Open Medical-LLM leaderboard.
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
            more = f" and {len(others) - N_NAMED} more" if len(others) > N_NAMED else ""
            detail = (
                f"The time in the file's name ends in .{micro}, to the microsecond as in the file "
                f"of {', '.join(others[:N_NAMED])}{more}; it was probably copied and filled in "
                "by hand."
            )
            marks.append(Mark(i, SAME_TEMPLATE, -1, detail))
    return marks

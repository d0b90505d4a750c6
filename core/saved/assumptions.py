"""Edited gates and prices on their own: named sets that can be brought into any question.

They belong to one owner each; ``""`` is the person in front of a local run.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, insert, select, update

from core.domain import BadDataError, BadRequestError, GateAnswer, OwnPrice
from core.saved.kept import named, owner_name
from core.saved.tables import ASSUMPTIONS

if TYPE_CHECKING:
    from sqlalchemy import Row

    from core.saved.database import Database

EVERYONE = "*"
"""The owner of the sets that an administrator keeps for everybody; no login has this name."""
MOST_SETS = 200
"""So many sets one owner may keep."""
_CHANGED_MEANWHILE = (
    "This set was changed or deleted in the meantime: look at it as it is now, then try again."
)


@dataclass(frozen=True, slots=True)
class Assumptions:
    """A named set of a hospital's own answers on gates and its own prices."""

    id: str
    name: str
    answers: tuple[GateAnswer, ...]
    prices: tuple[OwnPrice, ...]
    saved_by: str
    saved_at: datetime
    changed_at: datetime
    version: int
    """Counts the changes, from 1."""


def keep(
    database: Database,
    name: str,
    answers: tuple[GateAnswer, ...],
    prices: tuple[OwnPrice, ...],
    *,
    owner: str,
    replaces: int | None = None,
) -> Assumptions:
    """Save a set under a name.

    Parameters
    ----------
    replaces
        The version of the set of this name that is to be replaced; ``None`` for a new name.

    Raises
    ------
    BadRequestError
        When the set is empty, the name is unusable or taken, the set to replace was changed
        meanwhile, or the owner has ``MOST_SETS`` already.
    BadDataError
        When the database cannot be written.
    """
    if not answers and not prices:
        raise BadRequestError("There are no answers and no prices of your own to save.")
    name = named(name, "")["name"]
    owner, now = owner_name(owner), datetime.now(UTC)
    held: dict[str, Any] = {
        "answers": json.dumps([asdict(one) for one in answers], allow_nan=False),
        "prices": json.dumps([asdict(one) for one in prices], allow_nan=False),
        "changed_at": now,
    }
    mine = (ASSUMPTIONS.c.saved_by == owner, ASSUMPTIONS.c.name == name)
    with database.writing(owner) as connection:
        if replaces is not None:
            done = connection.execute(
                update(ASSUMPTIONS)
                .where(*mine, ASSUMPTIONS.c.version == replaces)
                .values(**held, version=replaces + 1)
            )
            if done.rowcount != 1:
                raise BadRequestError(_CHANGED_MEANWHILE)
        else:
            if connection.execute(select(ASSUMPTIONS.c.id).where(*mine)).first():
                raise BadRequestError("You have a set of this name already: choose another name.")
            count = select(func.count()).where(ASSUMPTIONS.c.saved_by == owner)
            if (connection.execute(count).scalar() or 0) >= MOST_SETS:
                raise BadRequestError(f"There are {MOST_SETS} sets already: delete one first.")
            connection.execute(
                insert(ASSUMPTIONS).values(
                    id=uuid.uuid4().hex,
                    name=name,
                    saved_by=owner,
                    saved_at=now,
                    version=1,
                    **held,
                )
            )
        return _read(connection.execute(select(ASSUMPTIONS).where(*mine)).one())


def listed(database: Database, owner: str) -> list[Assumptions]:
    """Return an owner's sets that can be read, by their names; else as ``found``."""
    return found(database, owner)[0]


def found(database: Database, owner: str) -> tuple[list[Assumptions], int]:
    """Return an owner's sets by their names, and how many more are damaged.

    Raises
    ------
    BadDataError
        When the database cannot be read.
    """
    of_owner = ASSUMPTIONS.c.saved_by == owner
    whole, damaged = [], 0
    with database.reading() as connection:
        keys = select(ASSUMPTIONS.c.id).where(of_owner).order_by(ASSUMPTIONS.c.name)
        for key in connection.execute(keys).scalars().all():
            try:
                one = connection.execute(select(ASSUMPTIONS).where(ASSUMPTIONS.c.id == key)).one()
                whole.append(_read(one))
            except (BadDataError, ValueError, TypeError):
                damaged += 1
    return whole, damaged


def remove(database: Database, key: str, version: int, *, owner: str) -> None:
    """Delete a set for good.

    Raises
    ------
    BadRequestError
        When it was changed meanwhile, is gone, or is not the owner's.
    BadDataError
        When the database cannot be written.
    """
    with database.writing() as connection:
        done = connection.execute(
            delete(ASSUMPTIONS).where(
                ASSUMPTIONS.c.id == key,
                ASSUMPTIONS.c.version == version,
                ASSUMPTIONS.c.saved_by == owner,
            )
        )
        if done.rowcount != 1:
            raise BadRequestError(_CHANGED_MEANWHILE)


def _read(row: Row[Any]) -> Assumptions:
    found = dict(row._mapping)
    try:
        found["answers"] = tuple(GateAnswer(**one) for one in json.loads(found["answers"]))
        found["prices"] = tuple(OwnPrice(**one) for one in json.loads(found["prices"]))
    except (TypeError, ValueError):
        raise BadDataError(
            f'The saved answers and prices "{found["name"]}" cannot be read by this version.'
        ) from None
    return Assumptions(**found)

"""Databases of both kinds: a SQLite file, and a PostgreSQL server of its own where there is one."""

import uuid

import pytest
from postgresql import postgres  # noqa: F401 - a fixture

from core.saved import shelf
from core.saved.kept import Kept
from core.saved.shelf import open_database, sqlite_url

ROWS = [
    {"rank": 1, "model": "a", "name": "A – “ü” 模型", "score": 0.1 + 0.2, "monthly_cost_usd": None},
    {"rank": None, "model": "b", "name": "", "score": 1e-17, "monthly_cost_usd": 12.5},
]
KEPT = Kept("task=Research&own_price=a%3B1", "MedHELM", "2026-11-22", "F-1", ROWS)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.tools)])
def url(request, tmp_path):
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "saved.sqlite")
    server = request.getfixturevalue("postgres")
    psycopg = pytest.importorskip("psycopg")
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{server}/{name}"


@pytest.fixture
def database(url):
    opened = open_database(url)
    yield opened
    opened.engine.dispose()


@pytest.fixture(scope="session")
def save():

    def save(database, name="one", *, note="", owner="", shared=False, kept=KEPT):
        return shelf.save(database, kept, name=name, note=note, owner=owner, shared=shared)

    return save


@pytest.fixture(scope="session")
def names():

    def names(database, reader=None):
        return [one.name for one in shelf.found(database, reader)[0]]

    return names

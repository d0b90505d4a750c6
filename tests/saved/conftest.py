"""Databases of both kinds: a SQLite file, and a PostgreSQL server of its own where there is one."""

import uuid

import pytest
from postgresql import postgres  # noqa: F401 - a fixture

from core.saved.database import open_database, sqlite_url


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.tools)])
def url(request, tmp_path):
    """The address of an empty database of each kind."""
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

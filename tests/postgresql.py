"""A PostgreSQL server of its own for the tests, where there is one; the fixture is imported."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest


def _programs():
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("initdb")
    return next((f for f in folders if (f / "initdb").exists()), found and Path(found).parent)


def _unprivileged():
    """Return how to run as somebody else than root, as which PostgreSQL refuses to start."""
    if os.geteuid() != 0:
        return [], None
    try:
        account = pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and there is no account postgres")
    if not shutil.which("runuser"):
        pytest.skip("PostgreSQL does not run as root, and there is no runuser")
    return ["runuser", "-u", "postgres", "--"], account


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server on a free port; return its address without a database's name."""
    pytest.importorskip("psycopg")
    programs = _programs()
    if programs is None:
        pytest.skip("there is no PostgreSQL here")
    prefix, account = _unprivileged()
    # Not in pytest's own folder, which only its owner may enter.
    with tempfile.TemporaryDirectory() as folder:
        if account:
            os.chown(folder, account.pw_uid, account.pw_gid)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        cluster = f"{folder}/cluster"
        make = [*prefix, programs / "initdb", "-D", cluster, "-U", "formulary", "-A", "trust"]
        subprocess.run([*make, "--no-sync"], check=True, capture_output=True, cwd="/")
        run = [*prefix, programs / "postgres", "-D", cluster, "-p", str(port), "-k", folder]
        with (Path(folder) / "log").open("wb") as log:
            server = subprocess.Popen(
                [*run, "-c", "fsync=off", "-c", "listen_addresses=127.0.0.1"],
                stdout=log,
                stderr=log,
                cwd="/",
            )
        ready = [programs / "pg_isready", "-h", "127.0.0.1", "-p", str(port)]
        deadline = time.monotonic() + 180
        while subprocess.run(ready, capture_output=True, check=False).returncode:
            assert server.poll() is None, (Path(folder) / "log").read_text()
            assert time.monotonic() < deadline, "PostgreSQL did not start"
            time.sleep(0.1)
        yield f"postgresql://formulary@127.0.0.1:{port}"
        stop = [*prefix, programs / "pg_ctl", "-D", cluster, "-m", "immediate", "stop"]
        subprocess.run(stop, check=False, capture_output=True, cwd="/")
        server.wait(timeout=30)

"""The real client against a small Hub on 127.0.0.1: what it asks, and what it says of faults."""

import logging
import math
import re
import subprocess
import sys
import time
from functools import partial

import pytest

from core.sources import hub as hub_module
from core.sources.hub import STAYS, Hub, RemoteError
from tests.evidence.conftest import one_sentence
from tests.evidence.hub_server import Repo, serving

DATASET = ("lab/scores", "dataset")
TOKEN = "hf_" + "s3cr3t" * 6
SMALL = Repo({"data/a.csv": b"x,y\n1,2\n" * 500, "data/b.csv": b"z", "README.md": b"hello"})


@pytest.fixture
def make_hub(server):
    def make(**more):
        return Hub(server.url, **{"timeout_s": 1, **more})

    return make


@pytest.fixture
def hub(make_hub):
    return make_hub()


@pytest.fixture
def sha(server):
    return server.put(*reversed(DATASET), SMALL)


def fetch(hub, sha, path):
    return hub.fetch(*DATASET, sha, [path], hub.files(*DATASET, sha))[path]


def all_of_it(hub, sha):
    hub.commit(*DATASET)
    return fetch(hub, sha, "data/a.csv")


def refused(said, action, *arguments):
    with pytest.raises(RemoteError) as caught:
        action(*arguments)
    message = one_sentence(caught.value)
    assert said in message
    return message


def test_a_commit_has_sha_date_and_licence_and_pins_its_files(server, hub):
    sha = server.put("dataset", "lab/scores", Repo(SMALL.files, tags=("license:mit", "x")))
    assert hub.commit(*DATASET) == (sha, "2025-03-20", "mit")
    server.put("dataset", "lab/scores", Repo({"data/a.csv": b"newer"}, changed="", tags=(7, "x")))
    assert hub.commit(*DATASET)[1:] == ("", "")
    assert fetch(hub, sha, "data/a.csv") == SMALL.files["data/a.csv"]
    assert f"/datasets/lab/scores/resolve/{sha}/data/a.csv" in server.paths()


def test_a_listing_is_read_page_by_page(server, hub):
    server.page_size = 7
    files = {f"m{i:03}/results.json": b"{}" for i in range(50)}
    sha = server.put("dataset", "lab/scores", Repo(files))
    assert hub.files(*DATASET, sha) == dict.fromkeys(files, 2)
    assert len(server.paths()) > 10
    assert hub.files(*DATASET, sha, "m007") == {"m007/results.json": 2}


def test_a_listing_without_end_is_not_read_to_its_end(server, hub, monkeypatch):
    monkeypatch.setattr(hub_module, "_MAX_FILES", 9)
    files = {f"m{i}.json": b"{}" for i in range(9)}
    assert len(hub.files(*DATASET, server.put("dataset", "lab/scores", Repo(files)))) == 9
    sha = server.put("dataset", "lab/scores", Repo(files | {"more.json": b""}))
    refused("lists more than 9 files, which no leaderboard has", hub.files, *DATASET, sha)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": " 7 "}, 7.0),
        ({"retry-after": "Fri, 20 Nov 2026 10:00:00 GMT"}, 0.0),  # long ago
        ({"retry-after": "Fri, 20 Nov 2126 10:00:00 GMT"}, math.inf),
        ({"retry-after": "soon", "ratelimit": '"api";r=0;t=30'}, None),
        ({"ratelimit": '"api";r=0;t=30'}, 30.0),
        ({"ratelimit": '"api";r=5;t=30'}, None),
        ({}, None),
    ],
)
def test_how_long_a_server_wants_to_be_left_alone(headers, seconds):
    found = hub_module._retry_after_s(headers)
    if seconds == math.inf:
        assert 60 * 365 * 86_400 < found < 100 * 366 * 86_400
    else:
        assert found == seconds


def test_many_files_come_several_at_a_time_with_progress(server, hub):
    files = {f"m{i}/r.json": str(i).encode() for i in range(40)}
    sha = server.put("space", "lab/board", Repo(files))
    board, seen = ("lab/board", "space", sha), []
    progress = {"progress": lambda *step: seen.append(step)}
    found = hub.fetch(*board, list(files), hub.files(*board), **progress)
    assert list(found.items()) == list(files.items())
    assert seen == [(i, 40) for i in range(1, 41)]


@pytest.mark.slow
@pytest.mark.parametrize("where", ["/api/datasets/lab/scores$", "/tree/", "/resolve/"])
@pytest.mark.parametrize(
    ("status", "code", "token", "what_to_do"),
    [
        (401, "", "", "asks for a token .* look at .* set HF_TOKEN"),
        (401, "", TOKEN, "refused the token .* set HF_TOKEN"),
        (401, "RepoNotFound", "", "look at https://huggingface.co/datasets/lab/scores"),
        (403, "GatedRepo", "", "accept its terms at https://huggingface.co/datasets/lab/"),
        (403, "", TOKEN, "does not let this token .* ask for access"),
        (404, "RepoNotFound", "", "was not found .* look at"),
        (404, "RevisionNotFound", "", "was not found .* look at"),
        (418, "", "", "check HF_ENDPOINT"),
        (500, "", "", "answered 3 times .* try again later"),
        (503, "", "", "answered 3 times .* try again later"),
    ],
)
def test_a_refusal_says_what_to_do(sha, server, make_hub, where, status, code, token, what_to_do):
    hub = make_hub(token=token)
    server.fail(where, "status", status=status, headers={"X-Error-Code": code} if code else {})

    message = refused(STAYS, all_of_it, hub, sha)
    assert re.search(what_to_do, message)
    assert TOKEN not in message


def test_a_missing_repository_and_a_file_that_was_renamed(server, hub):
    refused("The dataset lab/scores was not found", hub.commit, *DATASET)
    sha = server.put("dataset", "lab/scores", SMALL)
    refused("does not exist any more", fetch, hub, sha, "data/c.csv")
    refused("moved or renamed", hub.files, *DATASET, sha, "gone")
    # One lost file ends the others.
    server.fail("b.csv", "status", status=404, headers={"X-Error-Code": "EntryNotFound"})
    names, sizes = ["data/a.csv", "data/b.csv"], hub.files(*DATASET, sha)
    refused("no longer holds what was asked for", hub.fetch, *DATASET, sha, names, sizes)


@pytest.mark.slow
def test_a_short_wait_is_honoured_and_a_long_one_is_said(server, hub):
    server.put("dataset", "lab/scores", SMALL)
    server.fail("scores", "status", status=429, headers={"Retry-After": "1"}, times=1)
    start = time.monotonic()
    hub.commit(*DATASET)
    assert 1 <= time.monotonic() - start < 3
    server.fail("scores", "status", status=429, headers={"Retry-After": "3600"})
    start = time.monotonic()
    refused("try again in 3600 seconds", hub.commit, *DATASET)
    assert time.monotonic() - start < 1
    server.faults.clear()
    server.fail("scores", "status", status=429, headers={"RateLimit": '"api";r=0;t=55'})
    refused("try again in 55 seconds", hub.commit, *DATASET)


@pytest.mark.parametrize("where", ["/api/datasets/lab/scores$", "/tree/", "/resolve/"])
def test_a_fault_that_passes_is_not_noticed(sha, server, hub, where):
    server.fail(where, "status", status=500, times=2)
    assert hub.commit(*DATASET)[0] == sha
    assert fetch(hub, sha, "data/b.csv") == b"z"


def test_a_connection_that_breaks_in_mid_file(sha, server, hub):
    server.fail("/resolve/.*a.csv", "cut", times=1)
    assert fetch(hub, sha, "data/a.csv") == SMALL.files["data/a.csv"]
    server.faults.clear()
    sha = server.put("dataset", "lab/scores", Repo({"c.bin": b"0123456789" * 900}))
    server.fail("/resolve/", "cut")
    start = time.monotonic()
    said = "broke in the middle of c.bin of the dataset lab/scores: try again"
    refused(said, fetch, hub, sha, "c.bin")
    assert time.monotonic() - start < 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "how"),
    [
        ("/api/datasets/lab/scores$", "stall"),
        *((where, how) for where in ("/tree/", "/resolve/") for how in ("stall", "drip")),
    ],
)
def test_a_stalled_server_is_left_after_a_while(sha, server, make_hub, monkeypatch, where, how):
    monkeypatch.setattr(hub_module, "_PATIENCE", 2)
    hub = make_hub(timeout_s=0.2)
    server.fail(where, how)
    start = time.monotonic()

    refused("stalled", all_of_it, hub, sha)
    assert time.monotonic() - start < 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:9", "no address", "http://[::1", "http://a:b"]
)
def test_nobody_listens(address):
    said = "could not be reached for the dataset lab/scores: check the network, the proxy and"
    refused(said, Hub(address).commit, *DATASET)


@pytest.mark.parametrize("body", [b"no", b"[" * 100_000, b"[1]", b'{"sha": 7}', b"\xff"])
def test_an_answer_that_is_not_the_hubs(sha, server, hub, body):
    server.fail("scores", "status", status=200, body=body)
    refused("whether a proxy answers", hub.commit, *DATASET)
    refused("whether a proxy answers", hub.files, *DATASET, sha)
    # Nor is a listing with what is not a file.
    server.faults.clear()
    for entry in ({"path": 7, "size": 1}, {"path": "a\nb", "size": 1}, {"path": "a", "size": "1"}):
        repo = Repo({"a": b"1"}, more_entries=({"type": "file", **entry},))
        sha = server.put("dataset", "lab/scores", repo)
        refused("whether a proxy answers", hub.files, *DATASET, sha)


def test_a_file_larger_than_listed_or_than_the_limit(server, make_hub):
    def held(size, listed=None):
        sizes = {"big.bin": listed} if listed else {}
        repo = Repo({"big.bin": b"0" * size}, listed_sizes=sizes)
        return server.put("dataset", "lab/scores", repo), "big.bin"

    refused("larger than the 10 bytes", fetch, make_hub(), *held(5000, 10))
    honest, said = held(5000), "5,000 bytes, more than the limit of 4,999"
    refused(said, fetch, make_hub(max_bytes=4999), *honest)
    assert "/resolve/" not in server.paths()[-1]
    server.fail("/resolve/", "swell", times=1)
    refused("larger than the 5,000", fetch, make_hub(), *honest)
    refused("(9 of 10 bytes)", fetch, make_hub(), *held(9, 10))


def test_the_token_goes_to_the_hub_and_nowhere_else(
    sha, server, make_hub, monkeypatch, caplog, capfd
):
    caplog.set_level(logging.DEBUG)
    hub = make_hub(token=TOKEN)
    all_of_it(hub, sha)
    assert {h.get("Authorization") for _, h in server.asked} == {f"Bearer {TOKEN}"}
    with serving() as other:
        headers = {"Location": f"{other.url}/api/datasets/lab/scores"}
        server.fail("scores$", "status", status=302, headers=headers, times=1)
        other.put("dataset", "lab/scores", SMALL)
        hub.commit(*DATASET)
        assert other.asked
        assert not [h for _, h in other.asked if "Authorization" in h]
    server.fail("scores", "status", status=500)
    with pytest.raises(RemoteError) as caught:
        hub.commit(*DATASET)
    shown = f"{caught.value!r} {hub!r} {caplog.text} {capfd.readouterr()}"
    assert TOKEN not in shown
    assert "127.0.0.1" in repr(hub)
    monkeypatch.setenv("HF_TOKEN", "hf_other")
    server.faults.clear()
    make_hub().commit(*DATASET)
    assert server.asked[-1][1]["Authorization"] == "Bearer hf_other"
    make_hub(token="").commit(*DATASET)
    assert "Authorization" not in server.asked[-1][1]


def test_a_large_file_and_next_page_come_from_elsewhere_without_the_token(sha, server, make_hub):
    place = f"/datasets/lab/scores/resolve/{sha}/data/b.csv"
    with serving() as other:
        other.put("dataset", "lab/scores", SMALL)
        headers = {"Location": f"{other.url}{place}", "X-Linked-Size": "1"}
        server.fail("/resolve/", "status", status=302, headers=headers)
        assert fetch(make_hub(token=TOKEN), sha, "data/b.csv") == b"z"
        assert other.paths() == [place]
        server.page_size = 1
        hub = make_hub(token=TOKEN)
        server.url = other.url
        assert hub.files(*DATASET, sha)
        assert len(other.asked) > 1
        assert not [h for _, h in other.asked if "Authorization" in h]


@pytest.mark.parametrize("token", ["hf_a\nb", "hf_ü", "a b"])
def test_a_token_that_is_none_is_not_printed(make_hub, token):
    assert token not in refused("set HF_TOKEN again", partial(make_hub, token=token))


@pytest.mark.slow
def test_no_client_is_loaded_before_it_is_needed():
    code = (
        "import sys; from core.sources import refresh, hub; hub.Hub(); "
        "sys.exit(any(m in sys.modules for m in ('httpx2', 'pyarrow.parquet')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

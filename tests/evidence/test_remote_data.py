"""Evidence in a storage: what is copied, what is refused, and what stays in use meanwhile.

The storages are real ones of fsspec: memory, a folder, and an S3 server where one is installed.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Thread

import fsspec
import pytest

from core.__main__ import main
from core.domain import BadDataError, BadRequestError
from core.evidence import remote_data, store

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[2] / "data"
NOHARM = "snapshots/noharm/v1-2025-12-24"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache folder of its own, and a process that has read nothing yet."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("FORMULARY_CACHE", str(folder))
    monkeypatch.setattr(remote_data, "_IN_USE", {})
    monkeypatch.setattr(remote_data, "_FAILED", {})
    return folder


@pytest.fixture
def storage():
    """The bundled evidence in fsspec's storage in memory."""
    files = fsspec.filesystem("memory")
    for folder in ("catalogue", "snapshots"):
        files.put(str(DATA / folder), f"/evidence/{folder}", recursive=True)
    yield files
    files.rm("/evidence", recursive=True)


def files_of(folder):
    found = [*folder.glob("catalogue/**/*.csv"), *folder.glob("snapshots/*/*/*")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def start_again(monkeypatch):
    """Forget what this process holds, as a new one would."""
    monkeypatch.setattr(remote_data, "_IN_USE", {})


def test_the_copy_is_the_data_folder_and_nothing_else(storage):
    storage.pipe("/evidence/notes.txt", b"not ours")
    storage.pipe("/evidence/snapshots/../../outside.csv", b"not ours")
    storage.pipe("/evidence/snapshots/noharm/.draft-1/scores.csv", b"not ours")
    copy = remote_data.update("memory://evidence")
    assert files_of(copy.folder) == files_of(DATA)
    assert copy.notice == ""
    assert copy.n_downloaded == len(files_of(DATA))
    names = {path.name for path in copy.folder.iterdir()}
    assert names == {"catalogue", "snapshots", "copied.json"}


def test_nothing_is_downloaded_where_nothing_has_changed(storage):
    first = remote_data.update("memory://evidence")
    assert remote_data.update("memory://evidence") == remote_data.Copy(first.folder)


def test_only_a_new_snapshot_and_the_catalogue_are_downloaded(storage, tmp_path):
    aside = tmp_path / "aside"
    storage.get("/evidence/" + NOHARM, str(aside), recursive=True)
    storage.rm("/evidence/" + NOHARM, recursive=True)
    first = remote_data.update("memory://evidence")
    assert not (first.folder / NOHARM).exists()
    storage.put(str(aside) + "/", "/evidence/" + NOHARM, recursive=True)
    second = remote_data.update("memory://evidence")
    assert files_of(second.folder) == files_of(DATA)
    n_catalogue = len([*DATA.glob("catalogue/**/*.csv")])
    assert second.n_downloaded == n_catalogue + len([*(DATA / NOHARM).iterdir()])
    # Who reads the one before is not disturbed, and older ones go.
    assert first.folder.exists()
    storage.pipe("/evidence/" + NOHARM + "/facts.csv", b"")
    remote_data.update("memory://evidence")
    assert not first.folder.exists()


@pytest.mark.parametrize("file", ["manifest.toml", "scores.csv"])
def test_a_half_written_snapshot_is_left_out_until_it_is_whole(storage, file):
    whole = storage.cat(f"/evidence/{NOHARM}/{file}")
    storage.pipe(f"/evidence/{NOHARM}/{file}", whole[: len(whole) // 2])
    copy = remote_data.update("memory://evidence")
    assert copy.notice == (
        "In the storage of the evidence this is not whole yet, and was left out: "
        "noharm v1-2025-12-24."
    )
    assert not (copy.folder / NOHARM).exists()
    assert remote_data.update("memory://evidence").notice == copy.notice
    storage.pipe(f"/evidence/{NOHARM}/{file}", whole)
    copy = remote_data.update("memory://evidence")
    assert copy.notice == ""
    assert files_of(copy.folder) == files_of(DATA)


@pytest.mark.parametrize(
    ("file", "content", "why"),
    [
        ("models.csv", None, "catalogue/models.csv is missing."),
        ("models.csv", b"model,na", "is not whole. catalogue/models.csv"),
        ("benchmarks.csv", b"\xff\xfe", "is not whole. catalogue/benchmarks.csv"),
    ],
)
def test_a_catalogue_that_is_not_whole_leaves_the_last_copy_in_use(
    storage, monkeypatch, file, content, why
):
    good = remote_data.update("memory://evidence")
    storage.rm(f"/evidence/catalogue/{file}")
    if content is not None:
        storage.pipe(f"/evidence/catalogue/{file}", content)
    found = remote_data.update("memory://evidence")
    assert found.folder == good.folder
    assert why in found.notice
    assert found.notice.endswith("UTC stays in use.")
    start_again(monkeypatch)
    assert remote_data.in_use("memory://evidence").folder == good.folder


def test_a_storage_that_is_gone_leaves_the_last_copy_in_use(storage, monkeypatch):
    good = remote_data.update("memory://evidence")
    everything = {name: storage.cat(name) for name in storage.find("/evidence")}
    storage.rm("/evidence", recursive=True)
    found = remote_data.update("memory://evidence")
    assert (found.folder, files_of(found.folder)) == (good.folder, files_of(DATA))
    assert "cannot be read at the moment (FileNotFoundError)" in found.notice
    for name, content in everything.items():
        storage.pipe(name, content)
    assert remote_data.update("memory://evidence").notice == ""


def test_what_changes_while_it_is_copied_is_not_taken(storage, monkeypatch):
    good = remote_data.update("memory://evidence")
    storage.pipe(f"/evidence/{NOHARM}/facts.csv", b"")
    download = remote_data._Storage.download

    def meanwhile(self, paths, folder):
        download(self, paths, folder)
        storage.pipe("/evidence/catalogue/models.csv", b"model\n")

    monkeypatch.setattr(remote_data._Storage, "download", meanwhile)
    found = remote_data.update("memory://evidence")
    assert found.folder == good.folder
    assert "is being changed at the moment" in found.notice


def test_a_damaged_copy_is_made_anew(storage):
    first = remote_data.update("memory://evidence")
    scores = first.folder / NOHARM / "scores.csv"
    scores.unlink()
    scores.write_text("model\n")
    second = remote_data.update("memory://evidence")
    assert second.folder != first.folder
    assert files_of(second.folder) == files_of(DATA)


def test_without_any_copy_it_is_one_sentence_without_secrets_or_places(caplog):
    with pytest.raises(BadDataError, match=r"^The evidence in storage cannot be read at the mom"):
        remote_data.in_use("memory://nothing")
    # Where it was looked for, the log says.
    assert caplog.records[-1].facts["address"] == "memory://nothing"
    # The next reader is not kept waiting for the same answer.
    assert "memory://nothing" in remote_data._FAILED
    with pytest.raises(BadRequestError, match="cannot be understood") as raised:
        remote_data.update("gopher://me:secret@host/evidence?signature=secret")
    assert "host" not in str(raised.value)
    assert caplog.records[-1].facts["address"] == "gopher://host/evidence"


def test_a_cache_folder_that_cannot_be_made_is_one_sentence(storage, cache):
    cache.write_text("a file")
    with pytest.raises(BadDataError, match="copy of the evidence cannot be written") as raised:
        remote_data.update("memory://evidence")
    assert str(cache) not in str(raised.value)


def test_two_that_look_at_once_make_one_copy(storage, cache):
    threads = [Thread(target=remote_data.update, args=["memory://evidence"]) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len([*cache.glob("*/copy-*")]) == 1
    assert not [*cache.glob("*/.draft-*")]


def test_the_command_line_reads_a_storage_and_writes_none(tmp_path, monkeypatch, capsys):
    there = tmp_path / "there"
    for folder in ("catalogue", "snapshots"):
        shutil.copytree(DATA / folder, there / folder)
    monkeypatch.setenv("FORMULARY_DATA", there.as_uri())
    monkeypatch.delenv("FORMULARY_STORE")
    assert main(["snapshots", "--json"]) == 0
    said = capsys.readouterr()
    assert len(json.loads(said.out)) == len([*DATA.glob("snapshots/*/*/manifest.toml")])
    assert said.err == ""
    shutil.rmtree(there / "catalogue")
    assert main(["snapshots", "--json"]) == 0
    assert "stays in use" in capsys.readouterr().err
    assert main(["refresh"]) == 2
    assert "a storage that it only reads" in capsys.readouterr().err
    with pytest.raises(BadRequestError):
        store.writable_data_folder()


S3 = """
import json, sys
from moto.server import ThreadedMotoServer
import fsspec, os
from core.evidence import remote_data
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
host, port = server.get_host_and_port()
os.environ["FSSPEC_S3_ENDPOINT_URL"] = f"http://{host}:{port}"
fsspec.config.set_conf_env(fsspec.config.conf)
files = fsspec.filesystem("s3")
files.mkdir("evidence")
for folder in ("catalogue", "snapshots"):
    files.put(f"{sys.argv[1]}/{folder}/", f"evidence/data/{folder}", recursive=True)
found = [remote_data.update("s3://evidence/data") for _ in range(2)]
files.rm("evidence/data/snapshots/noharm/v1-2025-12-24/scores.csv")
found.append(remote_data.update("s3://evidence/data"))
server.stop()
found.append(remote_data.update("s3://evidence/data"))
print(json.dumps([(str(one.folder), one.notice, one.n_downloaded) for one in found]))
"""


def test_a_bucket_of_an_s3_server(cache):
    """In a process of its own, since fsspec keeps its connections for the whole of one."""
    environment = os.environ | {
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "PYTHONPATH": os.pathsep.join(
            filter(None, [str(DATA.parent), os.environ.get("PYTHONPATH")])
        ),
    }
    look = "import moto.server, s3fs"
    command = [sys.executable, "-c"]
    known = subprocess.run([*command, look], env=environment, capture_output=True, check=False)
    if known.returncode:
        pytest.skip("s3fs and an S3 server to test with are not installed")
    done = subprocess.run(
        [*command, S3, str(DATA)], env=environment, capture_output=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr.decode()
    first, second, third, last = json.loads(done.stdout.splitlines()[-1])
    assert first[1:] == ["", len(files_of(DATA))]
    assert second == [first[0], "", 0]
    assert "left out: noharm v1-2025-12-24." in third[1]
    assert last[0] == third[0]
    assert "s3://evidence/data cannot be read at the moment" in last[1]

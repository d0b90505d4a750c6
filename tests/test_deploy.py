"""The container's files: what they promise, and their commands run without a container."""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from http.client import HTTPConnection
from pathlib import Path

import pytest
import yaml

from core.renewal import EVERY
from tests.evidence.every_source import standing_in

ROOT = Path(__file__).parents[1]
DOCKERFILE, COMPOSE = ROOT / "Dockerfile", ROOT / "compose.yaml"
PROGRAM = (
    "app.py",
    "core",
    "pages",
    "data",
    "pyproject.toml",
    "docs/methods.md",
    ".streamlit/config.toml",
)
EVERY_PAGE = """
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash
from pages.components.entries import ENTRIES
for entry in ENTRIES.values():
    for tab in entry.tabs:
        at = AppTest.from_file("app.py", default_timeout=180)
        at.query_params[entry.key] = tab
        at.run()
        at._page_hash = calc_hash(entry.name)
        at.run()
        assert not at.exception, (tab, at.exception)
        assert not at.error, (tab, at.error)
        assert [title.value for title in at.title] == [entry.title], tab
"""
NOBODY = 65534


def instructions():
    lines = [
        line for line in DOCKERFILE.read_text("utf-8").splitlines() if not line.startswith("#")
    ]
    whole = "\n".join(lines).replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in whole.splitlines() if line.strip()]


def stage():
    all_of_them = instructions()
    last = max(i for i, (name, _) in enumerate(all_of_them) if name == "FROM")
    return all_of_them[last:]


def only(name):
    (found,) = [text for kind, text in stage() if kind == name]
    return found


def environment():
    return dict(word.split("=", 1) for word in shlex.split(only("ENV")))


def empty_in_compose():
    return re.findall(r"\$\{(\w+):-\}", COMPOSE.read_text("utf-8").split("database:")[0])


def command(text):
    program, *words = yaml.safe_load(text[text.index("[") :])
    assert program == "python"
    return [sys.executable, *words]


def test_the_image_is_pinned_without_root_secrets_or_what_never_runs():
    (base,) = [text for kind, text in instructions() if kind == "ARG"]
    assert re.fullmatch(r"BASE=python:3\.11\.\d+-slim-\w+@sha256:[0-9a-f]{64}", base)
    stages = [text for kind, text in instructions() if kind == "FROM"]
    assert stages == ["${BASE} AS packages", "${BASE}"]
    kinds = [kind for kind, _ in stage()]
    assert only("USER") == "1000:1000"
    assert kinds.index("USER") > max(i for i, kind in enumerate(kinds) if kind in {"RUN", "COPY"})
    assert "ADD" not in kinds
    assert "pip uninstall --yes" in str(stage())
    assert not re.search(r"build-essential|gcc|git\b|curl", str(stage()))
    assert not re.search("TOKEN|SECRET|PASSWORD", only("ENV"))
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert "*" in ignored
    let_in = {line[1:] for line in ignored if line.startswith("!")}
    assert let_in == {*PROGRAM, "requirements.txt", "packages.txt", "LICENSE"}
    assert all((ROOT / name).exists() for name in let_in)
    # What a server writes next to its data is its own.
    assert {"data/store*", "data/saved.sqlite*", "data/snapshots/*/local-*"} <= set(ignored)


@pytest.mark.tools
def test_the_linter_finds_nothing_in_the_dockerfile():
    linter = shutil.which("hadolint", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if linter is None:
        pytest.skip("there is no hadolint here")
    done = subprocess.run([linter, DOCKERFILE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_compose_file_isolates_the_app_and_pins_other_images():
    found = yaml.safe_load(COMPOSE.read_text("utf-8"))
    app = found["services"]["app"]
    assert app["read_only"] is True
    assert app["cap_drop"] == ["ALL"]
    assert app["ports"] == ["127.0.0.1:8501:8501"]
    written = [volume.split(":")[1] for volume in app["volumes"]]
    assert written == json.loads(only("VOLUME"))
    assert app["environment"]["FORMULARY_DATA"] == written[1]
    assert app["environment"]["FORMULARY_REFRESH"] == "${FORMULARY_REFRESH:-daily}"
    assert app["tmpfs"][0].startswith("/tmp:")
    # Alone, the app needs no setting; the rest is asked for by its profile.
    assert [name for name, one in found["services"].items() if "profiles" not in one] == ["app"]
    named = set(re.findall(r"\$\{(\w+)", COMPOSE.read_text("utf-8")))
    documented = "".join(
        (ROOT / "docs" / f"{n}.md").read_text() for n in ("configuration", "deploy")
    )
    assert all(name in documented for name in named)
    images = [one["image"] for one in found["services"].values() if "build" not in one]
    assert len(images) == 2
    for image in images:
        assert re.fullmatch(r"[a-z]+:\d+\.[\w.-]+@sha256:[0-9a-f]{64}", image), image


def test_the_settings_of_streamlit_are_safe():
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert settings["server"]["enableXsrfProtection"] is True
    assert settings["server"]["enableCORS"] is True
    assert settings["server"]["maxUploadSize"] == 20
    assert settings["client"]["showErrorDetails"] == "none"
    assert settings["browser"]["gatherUsageStats"] is False


def let_in(folder):
    for name in PROGRAM:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(
                source, target, ignore=shutil.ignore_patterns("store.duckdb*", "__pycache__")
            )
        else:
            shutil.copy(source, target)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def without_rights():
    """Return the words before a command, and the options, that take its rights away."""
    if os.getuid() != 0:
        return [], {}
    other = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    try:
        subprocess.run([sys.executable, "-c", ""], check=True, **other)
    except PermissionError:
        # Python lies where only root may go: root then, but with nothing that root may do.
        if shutil.which("setpriv") is None:
            pytest.skip("nobody else may run this Python, and there is no setpriv")
        return ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"], {}
    return [], other


@pytest.fixture
def contained(bundled):
    """Start the image's command as a user without rights over a tree that nobody may change.

    As the Compose file does: with a volume for evidence that is renewed daily, here from servers
    that stand in for every source.
    """
    # Outside pytest's own folder, which only its owner may enter.
    with (
        tempfile.TemporaryDirectory(prefix="formulary-") as name,
        standing_in(bundled, n_models=260, n_entries=3500) as (*_, sources),
    ):
        folder = Path(name)
        folder.chmod(0o755)
        program, temporary, kept, evidence = (
            folder / part for part in ("app", "tmp", "saved", "evidence")
        )
        let_in(program)
        for writable in (temporary, kept, evidence):
            writable.mkdir()
        first, options = without_rights()
        if options:
            for writable in (temporary, kept, evidence):
                os.chown(writable, NOBODY, NOBODY)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        moved = {
            key: value.replace("/var/lib/formulary", str(kept)).replace("/tmp", str(temporary))
            for key, value in environment().items()
            if key != "PATH"
        }
        settings = {"PATH": os.environ["PATH"], "TMPDIR": str(temporary), **moved}
        settings["STREAMLIT_SERVER_PORT"] = port
        settings |= sources | {"FORMULARY_DATA": str(evidence), "FORMULARY_REFRESH": "daily"}
        # The Compose file passes these on empty where nobody has set them.
        settings |= dict.fromkeys(empty_in_compose(), "")
        before = files(program)
        log = (folder / "log.txt").open("wb")
        process = subprocess.Popen(
            [*first, *command(only("CMD"))],
            cwd=program,
            env=settings,
            stdout=log,
            stderr=subprocess.STDOUT,
            **options,
        )

        def is_well():
            words = [*first, *command(only("HEALTHCHECK"))]
            done = subprocess.run(words, cwd=program, env=settings, check=False, **options)
            return done.returncode == 0

        deadline = time.monotonic() + 180
        while not is_well() and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.3)

        def run(code):
            words = [*first, sys.executable, "-c", code]
            subprocess.run(words, cwd=program, env=settings, check=True, **options)

        yield int(port), is_well, process, (folder / "log.txt"), kept, evidence, run
        process.kill()
        process.wait()
        log.close()
        assert files(program) == before
        for path in [folder, *program.rglob("*")]:
            path.chmod(0o755)


@pytest.mark.tools
def test_the_container_s_command_runs_without_rights_and_its_health_check_tells(contained):
    port, is_well, process, log, kept, evidence, run = contained
    assert is_well(), log.read_text("utf-8", "replace")
    deadline = time.monotonic() + 120
    while "source genai-prices" not in log.read_text():
        assert time.monotonic() < deadline, log.read_text("utf-8", "replace")
        time.sleep(1)
    assert "external IP" not in log.read_text()  # Streamlit asks for it where nothing stops it
    assert log.read_text().count("A source was read (source") == len(EVERY)
    assert {path.stem for path in evidence.glob("renewal/*.json")} == set(EVERY)
    assert (evidence / "snapshots/medhelm/v9.0.0").is_dir()
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    connection.close()
    run(EVERY_PAGE)
    # Nobody has logged in, so nothing was kept: not even an empty database.
    assert files(kept) == []
    process.terminate()
    assert process.wait(timeout=60) is not None
    assert not is_well()
    assert "Traceback" not in log.read_text("utf-8", "replace")

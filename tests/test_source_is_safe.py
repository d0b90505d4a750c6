"""What SECURITY.md says of the source: no code from data, no HTML from data, no SQL from text."""

import ast
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted([ROOT / "app.py", *ROOT.glob("core/**/*.py"), *ROOT.glob("pages/**/*.py")])
# Fixed words and numbers only; it was read with this in mind.
WRITES_HTML = {f"pages/components/{name}.py" for name in ("notices", "entries")}
ONE_SCRIPT = "pages/components/entries.py"
# The text is put together from the program's own names of columns, tables and settings.
FORMATS_SQL = {
    *("core/evidence/items.py", "core/evidence/store.py", "core/saved/shelf.py"),
}
UNSAFE_MODULES = {"pickle", "marshal", "shelve", "dill", "joblib", "xml", "subprocess"}
STARTS_ITSELF = ("core/renewal.py", "subprocess")
"""It starts this Python with its own module and the name of a source that the program knows."""
UNSAFE_CALLS = {"eval", "exec", "compile", "__import__", "os.system", "yaml.load", "pd.read_pickle"}


@cache
def trees():
    return [
        (path.relative_to(ROOT).as_posix(), ast.parse(path.read_text("utf-8"))) for path in SOURCES
    ]


@cache
def calls():
    return [
        (file, ast.unparse(node.func), node)
        for file, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    ]


@pytest.mark.slow
def test_nothing_loads_code_from_data_or_starts_a_program():
    imported = {
        (file, name.split(".")[0])
        for file, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in (
            [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module]
        )
    }
    assert len(imported) > 100
    assert {(file, name) for file, name in imported if name in UNSAFE_MODULES} == {STARTS_ITSELF}
    assert {(file, name) for file, name, _ in calls() if name in UNSAFE_CALLS} == set()
    keywords = {(file, k.arg) for file, _, node in calls() for k in node.keywords}
    unsafe = {"allow_pickle", "shell", "unsafe_allow_html", "unsafe_allow_javascript"}
    found = {(file, name) for file, name in keywords if name in unsafe}
    assert found == {(ONE_SCRIPT, "unsafe_allow_javascript")}


def test_html_is_written_only_where_it_was_read_for_that():
    found = {
        file for file, name, _ in calls() if name.endswith((".html", ".iframe", "components.v2"))
    }
    assert found == WRITES_HTML


def test_the_one_script_is_fixed_text():
    (tree,) = [tree for file, tree in trees() if file == ONE_SCRIPT]
    (written,) = [
        node for file, name, node in calls() if file == ONE_SCRIPT and name.endswith(".html")
    ]
    assert ast.unparse(written.args[0]) == "SCRIPT"
    parts = ("SCRIPT", "_WRITTEN", "_COMMENT_LINE")
    values = {
        ast.unparse(node.targets[0]): ast.unparse(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in parts
    }
    # The one file of the program, but for whole lines of comment, between the two tags.
    assert values == {
        "SCRIPT": "f\"<script>\\n{_COMMENT_LINE.sub('', _WRITTEN)}</script>\"",
        "_WRITTEN": "(Path(__file__).parent / 'script.js').read_text('utf-8')",
        "_COMMENT_LINE": "re.compile('^ *//.*\\\\n', re.MULTILINE)",
    }


def test_sql_is_text_of_the_program_with_values_as_parameters():
    executed = ("execute", "executemany", "exec_driver_sql", "sql", "text")
    formatted = {
        file
        for file, name, node in calls()
        if name.split(".")[-1] in executed
        and node.args
        and file.startswith(("core/evidence/", "core/saved/"))
        and isinstance(node.args[0], (ast.JoinedStr, ast.BinOp))
    }
    assert formatted <= FORMATS_SQL


AUDIT = "import sys\nsys.stdout.write({0!r})\nsys.stderr.write({1!r})\nsys.exit(1)\n"


def package(name, *advisories):
    vulns = [{"id": one, "fix_versions": ["2.0"], "aliases": []} for one in advisories]
    return {"name": name, "version": "1.0", "vulns": vulns}


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        ([package("a"), package("b")], 0, "Audited 2 of 2 packages: 0 advisories."),
        ([package("a"), package("b", "CVE-1")], 1, "b 1.0: CVE-1, mended in 2.0"),
        ([package("a"), {"name": "b", "skip_reason": "unknown"}], 0, "does not know them: b"),
        ([{"name": "b", "skip_reason": "unknown"}], 0, "NOT AUDITED"),
        (None, 0, "NOT AUDITED: the advisory service could not be asked (no route to host)."),
    ],
)
def test_the_audit_fails_for_an_advisory_and_not_for_a_missing_network(
    tmp_path, answer, status, said
):
    """With a stand-in for pip-audit, which needs a service."""
    out = "" if answer is None else json.dumps({"dependencies": answer})
    (tmp_path / "pip_audit.py").write_text(AUDIT.format(out, "no route to host\n"))
    done = subprocess.run(
        [sys.executable, ROOT / ".ci" / "audit"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert said in done.stdout

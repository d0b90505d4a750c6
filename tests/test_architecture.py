"""The one direction of imports, read from the source: see the table below; and names of tests."""

import ast
import re
import shutil
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST_WORDS = 12
"""Of a test's name."""
ONLY_IN = {
    "streamlit": ("pages/", "app.py"),
    "alembic": ("core/saved/",),
    "huggingface_hub": ("core/sources/hub.py",),
    "httpx2": ("core/sources/hub.py",),
    "duckdb": ("core/evidence/store.py", "core/evidence/items.py"),  # items are next to the store
    "altair": ("core/charts/",),
    "sqlalchemy": ("core/saved/",),
    "pages": ("pages/", "app.py"),
}
COMPONENTS = ("core", "pages.components")
"""What the parts that pages share may import; the directions within core are contracts of
import-linter in pyproject.toml, which `make check` holds."""
CACHES = {  # what never changes, apart from the results that are remembered by their store
    ("core/sources/hub.py", "_library"),
    ("core/answers/documents.py", "software"),
    ("core/answers/documents.py", "without_pdf"),
    ("core/charts/kit.py", "_frame"),
}


def within(name, prefixes, end="."):
    return any(name == prefix or name.startswith(prefix.rstrip(end) + end) for prefix in prefixes)


def imports(tree):
    """Yield each imported module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            whole = node.module in ("core", "pages")  # `from core import answers`: core.answers
            yield from (f"{node.module}.{it.name}" for it in node.names) if whole else [node.module]


def violations(root):
    found = [f"{path.name} lies in pages/" for path in root.glob("pages/*.py")]
    found = [line for line in found if not line.startswith("__init__")]
    for path in sorted([*root.glob("core/**/*.py"), *root.glob("pages/**/*.py")]):
        file, tree = path.relative_to(root).as_posix(), ast.parse(path.read_text("utf-8"))
        shared = file.startswith("pages/components/")
        for module in imports(tree):
            package = module.split(".")[0]
            upward = shared and package == "pages" and not within(module, COMPONENTS)
            if upward or not file.startswith(ONLY_IN.get(package, "")):
                found.append(f"{file} imports {module}")
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef):
                continue
            for name in (ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list):
                last = name.split(".")[-1]
                if last in ("cache", "lru_cache"):
                    fine = (file, node.name) in CACHES
                elif last == "remembered":
                    fine = file.startswith(("core/answers/", "pages/components/"))
                elif last.startswith("cache_"):
                    fine = file.startswith("pages/components/")
                else:
                    continue
                if not fine:
                    found.append(f"{file} caches {node.name}")
    return found


def written(folder, file, source):
    (folder / file).parent.mkdir(parents=True)
    (folder / file).write_text(source)
    return folder


@pytest.mark.slow
def test_imports_run_one_way():
    assert violations(ROOT) == []


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("core/answers/recommend.py", "import streamlit as st"),
        ("pages/cost/quality.py", "import altair as alt"),
        ("pages/components/files.py", "from pages.cost import quality"),
        ("core/commands/upkeep.py", "from pages.components import blocks"),
        ("pages/shortlist.py", ""),
        ("core/commands/upkeep.py", "from functools import cache\n@cache\ndef f(): ..."),
        ("core/commands/upkeep.py", "@remembered(maxsize=3)\ndef f(store): ..."),
        ("pages/cost/quality.py", "from streamlit import cache_data\n@cache_data()\ndef f(): ..."),
    ],
)
def test_an_offending_file_is_found(tmp_path, file, source):
    (found,) = violations(written(tmp_path, file, source))
    assert Path(file).name in found


@pytest.mark.tools
@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("statistics/ranks.py", "from core import evidence"),
        ("evidence/store.py", "from core.sources.hub import Hub"),
        ("results/files.py", "from core.sources import parsed_json"),
        ("local_test/plan.py", "from core.words.cost import basis"),
        ("answers/data.py", "from core import renewal"),
        ("words/cost.py", "from core.evidence.store import Store"),
        ("results/helm.py", "from core.evidence.store import Store"),
    ],
)
def test_the_contracts_find_an_import_that_runs_up(tmp_path, file, source):
    shutil.copytree(ROOT / "core", tmp_path / "core", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / "core" / file).open("a", encoding="utf-8") as text:
        text.write(f"\n\ndef late():\n    {source}\n")
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert f"core.{file.split('/')[0]}" in told.stdout.split("Broken contracts")[1]


def without_words(root):
    """List the charts and tables of pages that have no words for those who do not see them."""
    return [
        f"{path.relative_to(root)}:{node.lineno}"
        for path in sorted((root / "pages").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).split(".")[-1] in ("dataframe", "data_editor", "vega_lite_chart")
        and not {"alt", None} & {keyword.arg for keyword in node.keywords}
    ]


def test_every_chart_and_table_has_words_for_who_cannot_see_it(tmp_path):
    assert without_words(ROOT) == []
    written(tmp_path, "pages/x.py", "st.dataframe(x)\nfold.dataframe(x, alt='Scores')\n")
    assert without_words(tmp_path) == ["pages/x.py:1"]


def imports_at_once(path, root, known):
    """List the modules that a file imports when it is itself imported, with their packages."""
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    packages = {name.rsplit(".", n)[0] for name in found for n in range(1, name.count(".") + 1)}
    own = ".".join(path.relative_to(root).with_suffix("").parts)
    return {name for name in (found | packages) & known if not f"{own}.".startswith(f"{name}.")}


@pytest.mark.slow
def test_no_module_imports_itself_by_way_of_others():
    files = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for folder in ("core", "pages")
        for path in (ROOT / folder).rglob("*.py")
    }
    graph = {name: imports_at_once(path, ROOT, set(files)) for name, path in files.items()}
    tuple(TopologicalSorter(graph).static_order())  # raises where there is a circle


def long_names(root):
    return [
        f"{path.relative_to(root)}: {name}"
        for path in sorted(root.glob("tests/**/test_*.py"))
        for name in re.findall(r"^ *(?:async )?def test_(\w+)", path.read_text("utf-8"), re.M)
        if len(name.split("_")) > MOST_WORDS
    ]


def test_a_test_says_what_it_holds_in_at_most_twelve_words(tmp_path):
    assert long_names(ROOT) == []
    many = "_".join(["word"] * (MOST_WORDS + 1))
    written(tmp_path, "tests/test_x.py", f"def test_{many[5:]}(): ...\ndef test_{many}(): ...\n")
    assert long_names(tmp_path) == [f"tests/test_x.py: {many}"]

"""The one direction of imports, read from the source: see the table below; and names of tests."""

import ast
import re
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
    "duckdb": ("core/evidence/store.py", "core/evidence/items.py"),  # items lie beside the store
    "altair": ("core/charts/",),
    "sqlalchemy": ("core/saved/",),
    "pages": ("pages/", "app.py"),
}
MAY_IMPORT = {  # from the bottom up; of what is not named here, as app.py, everything
    "core/domain/": ("core.domain",),
    "core/memory.py": (),
    "core/figures.py": ("core.domain",),
    "core/sheets.py": ("core.domain", "core.memory"),
    "core/evidence/": ("core.domain", "core.evidence", "core.memory"),
    # Of the evidence, files of others need the tables.
    "core/results/": (
        *("core.domain", "core.evidence.score_tables", "core.evidence.tables", "core.results"),
    ),
    "core/sources/": ("core.domain", "core.evidence", "core.results", "core.sources"),
    "core/saved/": ("core.domain", "core.saved"),
    "core/statistics/": ("core.domain", "core.memory", "core.statistics"),
    "core/procurement/": ("core.domain", "core.memory", "core.statistics", "core.procurement"),
    "core/charts/": (
        *("core.domain", "core.figures", "core.statistics", "core.procurement", "core.charts"),
    ),
    "core/local_test/": (
        *("core.domain", "core.figures", "core.sheets", "core.statistics", "core.results"),
        "core.local_test",
    ),
    "core/words/": (
        *("core.domain", "core.figures", "core.statistics", "core.procurement"),
        *("core.local_test", "core.words"),
    ),
    "core/sharing/": (
        *("core.domain", "core.figures", "core.memory", "core.procurement", "core.sharing"),
        *("core.sheets", "core.words"),
    ),
    "core/answers/": (
        *("core.domain", "core.figures", "core.sheets", "core.memory", "core.evidence"),
        *("core.results", "core.saved", "core.statistics", "core.procurement", "core.charts"),
        *("core.local_test", "core.words", "core.sharing", "core.answers"),
    ),
    "pages/components/": ("core", "pages.components"),
}
FOR_TYPES = {
    "core/words/": ("core.evidence.catalogue",),
    "core/sharing/": ("core.evidence.catalogue", "core.local_test"),
    "core/results/": ("core.evidence.catalogue",),
}
CACHES = {  # what never changes, beside the results that are remembered by their store
    ("core/sources/hub.py", "_library"),
    ("core/answers/documents.py", "software"),
    ("core/answers/documents.py", "without_pdf"),
    ("core/charts/kit.py", "_frame"),
}


FOR_TYPES_ONLY = "import typing\nif typing.TYPE_CHECKING:\n    from core.evidence import store"


def within(name, prefixes, end="."):
    return any(name == prefix or name.startswith(prefix.rstrip(end) + end) for prefix in prefixes)


def imports(node, *, for_types=False):
    """Yield each imported module and whether it is imported for types only."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, for_types) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        whole = node.module in ("core", "pages")  # `from core import answers` means core.answers
        names = [f"{node.module}.{alias.name}" for alias in node.names] if whole else [node.module]
        yield from ((name, for_types) for name in names)
    types = isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
    for child in ast.iter_child_nodes(node):
        yield from imports(child, for_types=for_types or types)


def violations(root):
    found = [f"{path.name} lies in pages/" for path in root.glob("pages/*.py")]
    found = [line for line in found if not line.startswith("__init__")]
    for path in sorted([*root.glob("core/**/*.py"), *root.glob("pages/**/*.py")]):
        file, tree = path.relative_to(root).as_posix(), ast.parse(path.read_text("utf-8"))
        layer = next((name for name in MAY_IMPORT if file.startswith(name)), None)
        for module, for_types in imports(tree):
            package = module.split(".")[0]
            if not file.startswith(ONLY_IN.get(package, "")):
                found.append(f"{file} imports {module}")
            allowed = (*MAY_IMPORT.get(layer, ()), *(FOR_TYPES.get(layer, ()) if for_types else ()))
            if layer and package in ("core", "pages") and not within(module, allowed):
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
        ("core/statistics/ranks.py", "def f():\n    from core import evidence"),
        ("core/statistics/ranks.py", "from core.domain_of_others import x"),
        ("core/statistics/ranks.py", FOR_TYPES_ONLY),
        ("core/evidence/store.py", "from core.sources.hub import Hub"),
        ("core/results/files.py", "from core.sources import parsed_json"),
        ("core/local_test/plan.py", "from core.words.cost import basis"),
        ("core/answers/data.py", "from core import renewal"),
        ("pages/components/files.py", "from pages.cost import quality"),
        ("core/upkeep.py", "from pages.components import blocks"),
        ("pages/shortlist.py", ""),
        ("core/upkeep.py", "from functools import cache\n@cache\ndef f(): ..."),
        ("core/upkeep.py", "@remembered(maxsize=3)\ndef f(store): ..."),
        ("pages/cost/quality.py", "from streamlit import cache_data\n@cache_data()\ndef f(): ..."),
    ],
)
def test_an_offending_file_is_found(tmp_path, file, source):
    (found,) = violations(written(tmp_path, file, source))
    assert Path(file).name in found


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

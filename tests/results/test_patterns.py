"""No regular expression sees what a stranger brings unless its time goes by length."""

import ast
import html
import importlib
import re
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# The modules that read files of strangers, and what they ask of others.
FOLDERS = ("core/local_test", "core/results")
FILES = ("core/evidence/tables.py", "core/sharing/inputs.py", "core/sharing/own_figures.py")
PATHS = sorted([*(p for f in FOLDERS for p in (ROOT / f).glob("*.py")), *map(ROOT.joinpath, FILES)])
PIECES = (
    *(" ", "\t", "\n", "a", "1", "_", "-", ".", ",", "=", ":", "'", '"', "&", "/", "\\", "<", ">"),
    *("[", "]", "[=", "[x=", "&#1", "&a", " r=", "'=", "1,", ",1", "1.", "-1", "a ", " a", "<a "),
    *("model=", ",model=", ":model_deployment=", "mean", " win rate", "hf", "local-", "2024-01-01"),
    *("samples_", "samples_a_2024-01-01T", "_2024-01-01T1", "results_2024-01-01T", "T01-01-01"),
)
STARTS = (
    *("", "a", "<a", "a[", "1", "+", "[", "'", ",model="),
    *("samples_a_2024-01-01T", "results_2024-01-01T"),
)
N = 4_000
"""Signs; four times as many take a quadratic pattern more than a second."""
BRIEF = 0.02
"""Seconds that are too short for their growth to mean anything, on a busy machine."""


def name_of(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def inline(tree):
    """List the lines where a pattern is used without a name, so that no test could find it."""
    constants = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    named = {inner for node in constants for inner in ast.walk(node)}
    return [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and ast.unparse(node).startswith("re."))
        and not (node in named and node.attr == "compile")
        and node.attr not in ("ASCII", "IGNORECASE", "MULTILINE", "DOTALL", "Pattern", "Match")
    ] + [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.ImportFrom) and node.module in ("re", "regex"))
        or (isinstance(node, ast.Import) and any(a.asname and a.name == "re" for a in node.names))
    ]


def used():
    """Return each pattern of the modules with the methods by which any of them asks it."""
    trees = [ast.parse(path.read_text("utf-8")) for path in PATHS]
    calls = [
        (node.value.id, node.attr)
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    ]
    return {
        f"{name_of(path)}.{name}": (value, {method for known, method in calls if known == name})
        for path in PATHS
        for name, value in vars(importlib.import_module(name_of(path))).items()
        if isinstance(value, re.Pattern)
    }


def seconds(ask, text):
    times = []
    for _ in range(3):
        start = time.process_time()
        ask(text)
        times.append(time.process_time() - start)
        if times[-1] > 1:
            break
    return min(times)


def grows_again(ask, start, piece, n):
    once, four = (seconds(ask, start + piece * (k * n // len(piece)) + "\n!") for k in (1, 4))
    return four > 8 * max(once, BRIEF / 8)


def grows(pattern, method, n=N):
    """Return the first hostile text with which time grows by more than length does."""
    asked = getattr(pattern, method)
    ask = (lambda text: asked("", text)) if method == "sub" else asked
    for start in STARTS:
        for piece in PIECES:
            once, twice, four = (
                seconds(ask, start + piece * (k * n // len(piece)) + "\n!") for k in (1, 2, 4)
            )
            slow = four > BRIEF and (four > 8 * once or four > 4 * twice)
            # Anything may come between a few times: a quadratic pattern grows each time.
            if slow and all(grows_again(ask, start, piece, n) for _ in range(5)):
                return f"{start} and many {piece!r}"
    return ""


@pytest.mark.parametrize("path", PATHS, ids=name_of)
def test_every_pattern_has_a_name(path):
    assert inline(ast.parse(path.read_text("utf-8"))) == []


PATTERNS = used()


@pytest.mark.slow
@pytest.mark.parametrize("name", PATTERNS)
def test_time_of_a_pattern_goes_by_length(name):
    pattern, methods = PATTERNS[name]
    methods &= {"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
    assert methods, "nothing is known of how it is used"
    for method in methods:
        assert grows(pattern, method) == ""


def test_what_python_replaces_signs_by_goes_by_length():
    assert grows(html._charref, "sub") == ""

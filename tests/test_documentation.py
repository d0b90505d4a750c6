"""The documents against the project: commands, links, columns, counts, tree and dependencies."""

import argparse
import ast
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import fields
from importlib.metadata import packages_distributions
from pathlib import Path
from urllib.parse import unquote

import pytest

from core.__main__ import _parser
from core.answers.documents import software
from core.domain import ModelFact, Snapshot
from core.evidence.snapshots import SCORE_COLUMNS
from core.sharing import export, market
from core.sharing.export import SHORTLIST_COLUMNS
from core.sources.live import LIVE
from pages.components.entries import ENTRIES
from tests.evidence.test_live_sources import REPOS

ROOT = Path(__file__).parents[1]
PAGES, DICTIONARY = ROOT / "docs" / "pages.md", ROOT / "docs" / "data-dictionary.md"
ADDING = ROOT / "docs" / "adding-a-suite.md"
EVIDENCE, CONFIGURATION = ROOT / "docs" / "evidence.md", ROOT / "docs" / "configuration.md"
PROMISES = ROOT / "docs" / "promises.md"
DECISIONS = ROOT / "docs" / "decisions"
WHERE = ("*.md", "docs/**/*.md", "benchmarks/*.md", "tests/**/*.md")
DOCUMENTS = [path for where in WHERE for path in ROOT.glob(where)]
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read(path):
    return path.read_text("utf-8")


def blocks(path, kind=""):
    for info, text in FENCE.findall(read(path)):
        if info.startswith(kind):
            yield info, text


def prose(path):
    return FENCE.sub("", read(path))


def section(text, title):
    """Return what is under a heading, down to the next heading of its level or above."""
    found = re.search(rf"^(#+) {re.escape(title)}\n", text, re.MULTILINE)
    assert found, f"there is no heading {title}"
    rest = text[found.end() :]
    end = re.search(rf"^#{{1,{len(found[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def table(text):
    found = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert found, "there is no table"
    rows = found[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def named(rows):
    return [row[0].strip("`") for row in rows]


def commands(*, network=False):
    """List the commands in the code blocks: those that run here, or those that need a network.

    Those of the page on a new suite have a test of their own, since they build on each other.
    """
    found = {}
    for path in DOCUMENTS:
        if path == ADDING:
            continue
        for info, text in blocks(path):
            if ("network" in info.split()) is not network:
                continue
            for line in text.replace("\\\n", " ").splitlines():
                if line.startswith("python -m core"):
                    found.setdefault(" ".join(line.split()), path.name)
    return list(found)


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A folder to run commands in, with the sample tables of the documents."""
    folder = tmp_path_factory.mktemp("documented")
    for path in DOCUMENTS:
        for info, text in blocks(path, "csv "):
            (folder / info.split()[1]).write_text(text, "utf-8")
    return folder


@pytest.fixture
def run(workplace, cli, monkeypatch):
    def run(line, data=None):
        words = shlex.split(line, comments=True)
        target = None
        if ">" in words:
            words, (target,) = words[: words.index(">")], words[words.index(">") + 1 :]
        assert words[:3] == ["python", "-m", "core"]
        monkeypatch.chdir(workplace)
        if data:
            monkeypatch.setenv("FORMULARY_DATA", str(data))
            monkeypatch.setenv("FORMULARY_STORE", str(data / "store.duckdb"))
        status, out, err = cli(*words[3:])
        assert (status, err) == (0, "")
        if target:
            (workplace / target).write_text(out, "utf-8")
        return out

    return run


def is_import(line):
    return line.startswith("python -m core import ")


@pytest.mark.slow
@pytest.mark.parametrize("line", [line for line in commands() if not is_import(line)])
def test_a_documented_command_runs(run, line):
    out = run(line)
    assert out.strip()
    if "--json" in line:
        json.loads(out)
    if "--csv" in line:
        assert out.startswith("\ufeffrank,")


@pytest.mark.parametrize("line", commands(network=True))
def test_a_documented_command_for_a_network_has_arguments_that_parse(line):
    words = shlex.split(line, comments=True)
    parsed = _parser().parse_args(words[3:])
    assert set(getattr(parsed, "suites", ())) <= set(LIVE)


@pytest.mark.parametrize("line", [line for line in commands() if is_import(line)])
def test_a_documented_import_writes_the_manifest_of_the_bundled_snapshot(run, tmp_path, line):
    """With the sample table: what the options say must be what the bundled manifest says."""
    shutil.copytree(ROOT / "data" / "catalogue", tmp_path / "catalogue")
    run(line, tmp_path)
    (written,) = tmp_path.glob("snapshots/*/*/manifest.toml")
    manifest = tomllib.loads(read(written))
    bundled = tomllib.loads(read(ROOT / "data" / written.relative_to(tmp_path)))
    described = ("suite", "revision", "as_of", "source_url", "licence", "note")
    assert {key: manifest[key] for key in described} == {key: bundled[key] for key in described}


def test_a_suite_is_added_as_its_page_says(run, tmp_path, workplace):
    shutil.copytree(ROOT / "data" / "catalogue", tmp_path / "catalogue")
    shutil.copytree(ROOT / "data" / "facts", tmp_path / "facts")
    for info, text in blocks(ADDING, "csv "):
        if (path := tmp_path / "catalogue" / info.split()[1]).exists():
            path.write_text(read(path) + text, "utf-8")
    ((_, block),) = blocks(ADDING, "sh")
    line = block.replace("\\\n", " ").strip()
    assert "triage.csv can be imported." in run(line, tmp_path)
    assert not (tmp_path / "snapshots").exists()
    run(line.replace("--check", "--as-of 2026-11"), tmp_path)
    asked = "python -m core shortlist --suite triage-notes --on-sale-months any --json"
    found = json.loads(run(asked, tmp_path))
    # Of the two tests alike: (0.81 + 0.74) / 2, (0.79 + 0.70) / 2, (0.745 + 0.66) / 2.
    scores = {row["model"]: row["score"] for row in found["rows"] if row["rank"]}
    assert scores == pytest.approx({"GPT-5.2": 0.775, "GPT-5.1": 0.745, "Baichuan-M3": 0.7025})


def test_the_data_dictionary_says_how_each_bundled_snapshot_was_made():
    lines = [shlex.split(line) for line in commands() if is_import(line)]
    imported = {(words[4], words[words.index("--revision") + 1]) for words in lines}
    bundled = {path.parts[-3:-1] for path in ROOT.glob("data/snapshots/*/*/manifest.toml")}
    assert imported == bundled


def test_options_and_environment_variables_are_documented():
    documented = {
        row[0].strip("`"): set(re.findall(r"`(--[a-z-]+)`", row[-1]))
        for row in table(section(prose(ROOT / "docs" / "command-line.md"), "Command line"))
    }
    (choices,) = (
        action.choices
        for action in _parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    common = {"--help", "--json"}
    parsed = {
        name: {o for action in sub._actions for o in action.option_strings if o[:2] == "--"}
        - common
        for name, sub in choices.items()
    }
    assert documented == parsed
    code = ("core/**/*.py", "core/**/*.toml", "pages/**/*.py", "app.py")
    sources = [path for pattern in code for path in ROOT.glob(pattern)]
    variable = re.compile(r"FORMULARY_[A-Z_]+|HF_TOKEN|HF_ENDPOINT")
    used = {name for path in sources for name in variable.findall(read(path))}
    assert set(variable.findall(prose(CONFIGURATION))) == used


def anchors(path):
    titles = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    kept = (re.sub(r"[^\w\- ]", "", title.lower()) for title in titles)
    return {title.replace(" ", "-") for title in kept}


def test_the_log_of_operations_lists_every_event_with_its_levels():
    written = {}
    for path in (*ROOT.glob("core/**/*.py"), *ROOT.glob("pages/**/*.py"), ROOT / "app.py"):
        for call in ast.walk(ast.parse(read(path))):
            if not isinstance(call, ast.Call) or not call.args:
                continue
            options = {option.arg: ast.unparse(option.value) for option in call.keywords}
            if re.fullmatch(r"(logs\.)?event", ast.unparse(call.func)):
                name, levels = ast.literal_eval(call.args[0]), options.get("level", "logging.INFO")
            elif found := re.search(r"'event': '(\w+)'", options.get("extra", "")):
                name, levels = found[1], f"logging.{call.func.attr.upper()}"
            else:
                continue
            written.setdefault(name, set()).update(re.findall(r"logging\.([A-Z]+)", levels))
    rows = table(section(read(ROOT / "docs" / "operations.md"), "The log"))
    listed = {row[0].strip("`"): {it.strip().upper() for it in row[1].split(",")} for row in rows}
    assert listed == written


def test_without_make_the_app_listens_to_this_machine_alone():
    (made,) = re.findall(
        r"FORMULARY_LOCAL_RUN=1.*?(?=--server.port)", read(ROOT / "Makefile"), re.S
    )
    text = section(read(ROOT / "docs" / "command-line.md"), "Without make")
    starts = [line for line in text.splitlines() if "streamlit run" in line]
    assert len(starts) == text.count("FORMULARY_LOCAL_RUN") == 2
    assert "--server.address 127.0.0.1" in made
    assert all(line.endswith("--server.address 127.0.0.1") for line in starts)


def test_relative_links_resolve():
    for path in DOCUMENTS:
        for target in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            file = path.parent / unquote(name) if name else path
            assert file.exists(), target
            assert ROOT in file.resolve().parents, target
            if anchor:
                assert anchor in anchors(file), target


def named_tests():
    """List the functions of every test file, by its path."""
    return {
        path.relative_to(ROOT).as_posix(): set(re.findall(r"(?m)^ *def (test_\w+)\(", read(path)))
        for path in ROOT.glob("tests/**/test_*.py")
    }


def test_decisions_are_numbered_listed_and_name_what_is_there():
    records = sorted(DECISIONS.glob("[0-9]*.md"))
    listed = re.findall(r"\]\(([^)]+)\)", read(DECISIONS / "README.md"))
    assert listed == [path.name for path in records]
    tests = set().union(*named_tests().values())
    for number, path in enumerate(records, start=1):
        text = read(path)
        assert text.startswith(f"# {number}. ")
        assert set(re.findall(r"`(test_\w+)`", text)) <= tests
        for file, names in re.findall(r"`((?:core|pages)/[\w/]+\.py)`(?: \(([^)]*)\))?", text):
            source = read(ROOT / file)
            for name in re.findall(r"`(?:\w+\.)?(\w+)`", names):
                assert re.search(rf"\b{name}\b", source), (path.name, file, name)


def test_every_test_that_holds_a_promise_exists():
    tests = named_tests()
    promises = re.findall(r"^\| .+ \| `([\w/]+\.py)` \| `(\w+)` \|$", read(PROMISES), re.MULTILINE)
    assert len(promises) == len(set(promises)) == read(PROMISES).count("` | `test_") > 40
    assert [(file, test) for file, test in promises if test not in tests[f"tests/{file}"]] == []


def tables_of_the_dictionary():
    return re.findall(r"^### `(data/[^`]+\.csv)`$", read(DICTIONARY), re.MULTILINE)


def test_every_table_is_in_the_data_dictionary_with_its_columns():
    documented = [path for pattern in tables_of_the_dictionary() for path in ROOT.glob(pattern)]
    assert sorted(documented) == sorted(ROOT.glob("data/**/*.csv"))
    for pattern in tables_of_the_dictionary():
        columns = named(table(section(prose(DICTIONARY), f"`{pattern}`")))
        for path in ROOT.glob(pattern):
            header = read(path).splitlines()[0].split(",")
            # Two shipped lists are older than the last three columns, and never change.
            older = path.parent.name in ("1.109.1", "0.2.3")
            assert header == columns[: -3 if older else None], path
    text = prose(DICTIONARY)
    for title, columns in {
        "`data/snapshots/*/*/scores.csv`": SCORE_COLUMNS,
        "`manifest.toml`": [field.name for field in fields(Snapshot)],
        "`data/snapshots/*/*/facts.csv`": [field.name for field in fields(ModelFact)],
        "CSV export": SHORTLIST_COLUMNS,
        "CSV of the market": market.MARKET_COLUMNS,
    }.items():
        assert named(table(section(text, title))) == list(columns), title
    evidence = table(section(text, "Full evidence"))
    several = [name for row in evidence for name in re.findall(r"`(\w+)`", row[0])]
    assert sorted(several) == sorted(export.EVIDENCE)
    for sheet, columns in (("Recommendation", export.DECISION), ("Answer", market.ANSWER)):
        (said,) = re.findall(rf"^\| {sheet} \| (.*) \|$", section(text, "Excel workbook"), re.M)
        assert re.findall(r"`([^`]+)`", said) == list(columns)


def test_the_documents_count_the_bundled_snapshots_and_list_the_tabs():
    documented = {
        (row[0].strip("`"), *row[1:7]) for row in table(section(prose(EVIDENCE), "Suites"))
    }
    bundled = set()
    for path in ROOT.glob("data/snapshots/*/*/manifest.toml"):
        m = tomllib.loads(read(path))
        counts = [str(m[key]) for key in ("n_models", "n_benchmarks", "n_runs", "n_rows")]
        bundled.add((m["suite"], m["revision"], *counts, m["licence"]))
    assert documented == bundled
    rows = table(section(prose(PAGES), "The pages"))
    listed = [tuple(row[:2]) for row in rows]
    assert listed == [
        ("" if i else entry.title, tab)
        for entry in ENTRIES.values()
        for i, tab in enumerate(entry.tabs)
    ]
    live = table(section(prose(EVIDENCE), "Live sources"))
    assert set(named(live)) == set(LIVE)
    documented = {row[0].strip("`"): row[1] for row in live}
    assert all(repository in documented[suite] for suite, (_, repository) in REPOS.items())


def test_what_cannot_be_chosen_alone_says_in_which_grades_it_counts(bundled):
    known = bundled.catalogue
    alone = {base.suite for base in known.evidence.values()}
    rows = table(section(prose(EVIDENCE), "Suites").partition("cannot be chosen as the one")[2])
    documented = {name.strip("`"): [re.findall(r"`(.+?)`", it) for it in on] for name, *on in rows}
    assert documented == {
        suite: [
            [it.work for it in known.lines if (it.suite, it.kind) == (suite, kind)]
            for kind in ("direct", "near", "general")
        ]
        for suite in known.suites
        if suite not in alone
    }
    assert not re.search("ranks? nothing", prose(EVIDENCE) + prose(ADDING))


def test_flagged_runs_are_counted_right(ask):
    flags = ask("check")
    assert set(flags[0]) == {"suite", "model", "run", "rule", "benchmark", "detail"}
    n_runs = len({(flag["suite"], flag["run"]) for flag in flags})
    assert f"{len(flags)} flags on {n_runs} runs" in prose(EVIDENCE)
    assert {flag["suite"] for flag in flags} == {"open-medical-llm", "noharm-ai-diagnoses"}


@pytest.fixture(scope="module")
def project():
    return tomllib.loads(read(ROOT / "pyproject.toml"))


def test_each_dependency_is_documented_with_its_reason(project):
    direct = {line.split("==")[0] for line in project["project"]["dependencies"]}
    text = prose(ROOT / "docs" / "dependencies.md")
    assert set(named(table(text))) == direct
    for name in project["dependency-groups"]["dev"]:
        assert name in text


def test_the_list_of_licences_is_what_the_installed_packages_say():
    done = subprocess.run([sys.executable, ROOT / ".ci" / "licences", "--check"], check=False)
    assert done.returncode == 0, "run .ci/licences"
    text = prose(ROOT / "docs" / "licences.md")
    words, _, listed = text.partition("## All packages")
    every = re.findall(r"(?m)^\| ([\w-]+) \| (.*) \|$", listed)
    # Of no other package has anybody looked what it asks for.
    strict = {name for name, said in every if re.search("GPL|MPL|Mozilla|EUPL|CDDL|EPL", said)}
    assert strict == {"psycopg", "psycopg-binary", "pyphen", "certifi", "tqdm"}
    assert all(name in words for name in strict)


def test_requirements_pin_what_the_project_needs_by_its_files(project):
    pinned = []
    for name in ("requirements.txt", "requirements-dev.txt"):
        text = re.sub(r"\\\n", " ", read(ROOT / name))
        pins = [line for line in text.splitlines() if line[:1].isalnum()]
        assert [pin for pin in pins if not re.search(r"--hash=sha256:[0-9a-f]{64}\b", pin)] == []
        # Where the packages come from is for the machine that installs them to say.
        assert "://" not in text
        assert "index-url" not in text
        pinned.append({pin.split()[0] for pin in pins})
    run, test = pinned
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in test)
    direct = {line.partition(";")[0] for line in project["project"]["dependencies"]}
    assert direct <= run <= test
    assert set(project["dependency-groups"]["dev"]) <= {pin.split("==")[0] for pin in test}


def test_the_program_needs_no_package_that_only_its_tests_have():
    """Whatever it imports, and whatever version it tells, is installed with requirements.txt."""
    run = set(re.findall(r"(?m)^([\w.-]+)==", read(ROOT / "requirements.txt")))
    files = [ROOT / "app.py", *(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    imported = set()
    for node in (node for file in files for node in ast.walk(ast.parse(read(file)))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        imported |= {name.partition(".")[0] for name in names}
    packages = packages_distributions()
    others = imported - sys.stdlib_module_names - {"core", "pages"}
    assert len(others) > 10
    for name in others:
        assert {re.sub(r"[-_.]+", "-", it).lower() for it in packages[name]} & run, name
    assert {name for name, _ in software()[1:]} <= run

"""Results of a local test read back, to Python's own JSON reader on the same files.

Made up with a fixed seed: 20,000 items by 4 models, a file of each model, as Inspect logs (some
100 MB each) or as samples of lm-evaluation-harness. Each format is read whole and its text
discarded, the peer is ``json.load`` of the same files (``json.loads`` line by line).
"""

from __future__ import annotations

import json
import random
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.items import once
from core.results import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.statistics import Sides
    from core.results.files import Content

N_ITEMS, N_MODELS, SEED = 20_000, 4, 20261123
WORDS = ("the", "patient", "was", "seen", "today", "and", "is", "to", "take", "one", "tablet")


def prose(rng: random.Random, n: int) -> str:
    """Return this many words."""
    return " ".join(rng.choices(WORDS, k=n))


def inspect_log(path: Path, model: str, n_items: int, rng: random.Random) -> None:
    """Write an Inspect log whose samples have messages and events as its own have."""
    about = {"task": "local", "model": model, "config": {"epochs": 1}, "packages": {}}
    with path.open("w") as file:
        file.write(json.dumps({"version": 2, "status": "success", "eval": about})[:-1])
        file.write(', "samples": [')
        for i in range(n_items):
            asked, said = prose(rng, 150), prose(rng, 100)
            messages = [{"role": "user", "content": asked}, {"role": "assistant", "content": said}]
            sample = {
                **{"id": f"case-{i}", "epoch": 1, "input": asked, "target": said},
                **{"messages": messages, "output": {"choices": [{"message": messages[1]}]}},
                "scores": {"match": {"value": rng.choice("CI"), "explanation": said}},
                "events": [{"event": "model", "input": [m], "pending": False} for m in messages],
                "model_usage": {model: {"input_tokens": 200, "total_tokens": 330}},
                "total_time": rng.random(),
            }
            file.write((", " if i else "") + json.dumps(sample, indent=1))
        file.write("]}")


def harness_samples(path: Path, model: str, n_items: int, rng: random.Random) -> None:
    """Write samples as lm-evaluation-harness does; the folder names the model."""
    with path.open("w") as file:
        for i in range(n_items):
            asked, said = prose(rng, 80), prose(rng, 60)
            record = {
                **{"doc_id": i, "doc": {"question": asked, "answer": said}, "target": said},
                "arguments": {"gen_args_0": {"arg_0": asked, "arg_1": {"temperature": 0.0}}},
                **{"resps": [[said]], "filtered_resps": [said], "filter": "none"},
                **{"metrics": ["exact_match"], "exact_match": float(rng.random() < 0.7)},
            }
            file.write(json.dumps(record) + "\n")


def parsed(paths: list[Path], *, by_line: bool) -> None:
    """Read the same files with the JSON library alone."""
    for path in paths:
        with path.open() as file:
            if by_line:
                for line in file:
                    json.loads(line)
            else:
                json.load(file)


def read_one(name: str, content: Content) -> int:
    """Read one file and return its number of rows."""
    return len(read([(name, content)]).frame)


def read_held(path: Path) -> int:
    """Read one file that is held in memory, as one that was uploaded."""
    return read_one(path.name, path.read_bytes())


@contextmanager
def read_back(kind: str, n_items: int = N_ITEMS) -> Iterator[Sides]:
    """Read the files of one kind, ``Inspect logs`` or ``harness samples``; the peer is the library.

    The highest memory of reading one Inspect log is printed, from disk and held as an upload is.
    """
    write = {"Inspect logs": inspect_log, "harness samples": harness_samples}[kind]
    by_line = write is harness_samples
    with tempfile.TemporaryDirectory() as folder:
        rng, paths = random.Random(SEED), []
        for model in (f"made-up/model-{i}" for i in range(N_MODELS)):
            path = Path(folder, model.replace("/", "__"))
            path.mkdir(parents=True)
            paths.append(path / f"samples_x_2026-11-23T00-00-00.json{'l' if by_line else ''}")
            write(paths[-1], model, n_items, rng)
        files = [(str(path.relative_to(folder)), path) for path in paths]
        if not by_line:
            # Before this process has grown: a new one begins with the highest memory of this.
            size = paths[0].stat().st_size / 1e6
            once(f"one of {size:.0f} MB, from disk", partial(read_one, "log.json", paths[0]))
            once(f"one of {size:.0f} MB, held", partial(read_held, paths[0]))
        found = read(files).frame
        assert len(found) == n_items * N_MODELS
        assert found["model"].nunique() == N_MODELS
        yield lambda: read(files), lambda: parsed(paths, by_line=by_line)

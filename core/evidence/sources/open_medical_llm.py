"""Open Medical-LLM Leaderboard: one CSV row per run and benchmark, accuracy 0 to 1."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import quote

from core.domain import BadDataError, ModelFact, ScoreTable
from core.evidence.hub import RemoteError
from core.evidence.sources.table import (
    Pulled,
    as_number,
    as_positive,
    read_json,
    score_table,
)
from core.evidence.tables import rows

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from core.evidence.hub import Hub, RepoType
    from core.evidence.sources.table import Progress

    Record = dict[str, str | float | None]

SUITE = "open-medical-llm"
REPO_ID = "openlifescienceai/results"
REPO_TYPE: RepoType = "dataset"
_REQUESTS = "openlifescienceai/requests"
_URL = f"https://huggingface.co/datasets/{REPO_ID}"
_RENAMED = {"medqa_4options": "medqa"}
_LARGEST_BAD_SHARE = 0.05
_RUN_AT = re.compile(r"(\d{4}-\d\d-\d\d)[T _](\d\d)[:-](\d\d)[:-](\d\d)")


def parse(path: Path) -> ScoreTable:
    """Read the table of accuracies and their standard errors; every run is kept.

    A run is named by its model and its results file: one model may have several, and the
    times printed are kept as they are, even where one is no valid date.
    """
    columns = (
        *("model_id", "model_sha", "dtype", "run_at", "results_file"),
        *("benchmark_id", "accuracy", "accuracy_stderr", "source_url"),
    )
    return score_table(
        SUITE,
        (
            {
                "model": row.text("model_id"),
                "run": f"{row.text('model_id')}@{row.text('results_file')}",
                "run_at": row.cells["run_at"],
                "precision": row.cells["dtype"].removeprefix("torch."),
                "model_revision": row.cells["model_sha"],
                "benchmark": row.text("benchmark_id"),
                "score": row.number_or_none("accuracy"),
                "standard_error": row.number_or_none("accuracy_stderr"),
                "source_url": row.cells["source_url"],
            }
            for row in rows(path, columns)
        ),
    )


def newest(hub: Hub) -> tuple[str, str]:
    """Return the newest commit and its date."""
    return hub.commit(REPO_ID, REPO_TYPE)


def pull(
    hub: Hub, *, progress: Progress | None = None, commit: tuple[str, str] | None = None
) -> Pulled:
    """Read all result files of the leaderboard at a commit, and what was said on submission.

    A file is a run. A broken result file is passed over and counted in the note, unless more
    than one in twenty is broken; so is a missing or broken request file.
    """
    sha, as_of = commit or newest(hub)
    names = [name for name, _ in hub.files(REPO_ID, REPO_TYPE, sha) if _is_result(name)]
    if not names:
        raise BadDataError(f"The dataset {REPO_ID} holds no result files.")
    requests_sha, requests, lacking = _requests(hub, {_model(name) for name in names})
    n_all = len(names) + len(requests)
    report = progress or (lambda _done, _all: None)
    paths = hub.fetch_many(
        REPO_ID, REPO_TYPE, sha, names, progress=lambda done, _: report(done, n_all)
    )
    records: list[Record] = []
    facts: dict[ModelFact, None] = {}
    faults: list[str] = []
    for name, path in paths.items():
        try:
            found, said = _run(read_json(path, name), name, sha)
        except BadDataError as error:
            hub.discard(path)
            faults.append(str(error))
            continue
        records += found
        facts |= dict.fromkeys(said)
    if len(faults) > _LARGEST_BAD_SHARE * len(names):
        raise BadDataError(
            f"{len(faults)} of {len(names)} result files of {REPO_ID} are broken, the first: "
            f"{faults[0]}"
        )
    if requests:
        got = hub.fetch_many(
            _REQUESTS,
            "dataset",
            requests_sha,
            requests,
            progress=lambda done, _: report(len(names) + done, n_all),
            pass_over=True,
        )
        n_lost = len(requests) - len(got)
        for name, path in got.items():
            try:
                facts |= dict.fromkeys(_request(read_json(path, name), name))
            except BadDataError:
                hub.discard(path)
                n_lost += 1
        if n_lost:
            lacking = f"{n_lost} request {_files(n_lost)} missing or broken and passed over."
    facts |= dict.fromkeys(_declared(hub, records, facts))
    broken = f"{len(faults)} broken result {_files(len(faults))} passed over: " if faults else ""
    return Pulled(
        table=replace(score_table(SUITE, records), facts=tuple(facts)),
        revision=sha[:12],
        as_of=as_of,
        source_url=_URL,
        licence=hub.licence(REPO_ID, REPO_TYPE) or "Apache-2.0",
        note=f"{broken}{' '.join(faults[:1])} {lacking}".strip(),
    )


def _files(n: int) -> str:
    return "file is" if n == 1 else "files are"


def _is_result(name: str) -> bool:
    path = PurePosixPath(name)
    return (
        path.suffix == ".json"
        and len(path.parts) > 1
        and ".ipynb_checkpoints" not in path.parts
        and not path.stem.endswith("-checkpoint")
    )


def _model(name: str) -> str:
    return str(PurePosixPath(name).parent)


def _run(document: object, name: str, sha: str) -> tuple[list[Record], list[ModelFact]]:
    """Return the scores and the facts of one result file."""
    if not isinstance(document, dict) or not isinstance(document.get("results"), dict):
        raise BadDataError(f'{name}: an object with "results" is expected.')
    config = document.get("config")
    config = config if isinstance(config, dict) else {}
    model = _model(name)
    url = f"{_URL}/blob/{sha}/{quote(name)}"
    run = {
        "model": model,
        "run": f"{model}@{PurePosixPath(name).name}",
        "run_at": _run_at(name, document),
        "precision": _precision(config),
        "model_revision": _text(config.get("model_sha")),
        "source_url": url,
    }
    records: dict[str, Record] = {}
    for task, measured in document["results"].items():
        if not isinstance(measured, dict):
            raise BadDataError(f'{name}, "{task[:60]}": an object with the accuracy is expected.')
        key = next((key for key in ("acc,none", "acc") if key in measured), None)
        if key is None:
            continue
        score = as_number(measured[key])
        if score is None:
            raise BadDataError(
                f'{name}, "{task[:60]}": "{str(measured[key])[:40]}" is not a number.'
            )
        # A file may print a standard error of "N/A": then there is none, and the score stays.
        error = as_number(measured.get(key.replace("acc", "acc_stderr", 1)))
        benchmark = _RENAMED.get(task, task)
        records.setdefault(
            benchmark,
            {
                **run,
                "benchmark": benchmark,
                "score": score,
                "standard_error": math.nan if error is None or error < 0 else error,
            },
        )
    if not records:
        raise BadDataError(f"{name}: there is no accuracy in it.")
    return list(records.values()), _said(model, config, url)


def _said(model: str, config: Mapping[str, object], url: str) -> list[ModelFact]:
    """Return what a result file says of its model, another name of it included."""
    said = [("params_b", _billions(config.get("model_num_parameters")))]
    said.append(("precision", _precision(config)))
    arguments = config.get("model_args")
    if isinstance(arguments, str):
        pairs = (part.partition("=") for part in arguments.split(","))
        arguments = {key.strip(): value.strip() for key, _, value in pairs}
    pretrained = arguments.get("pretrained") if isinstance(arguments, dict) else None
    names = dict.fromkeys((_text(config.get("model_name")), _text(pretrained)))
    # Organisations are spelt in several cases: that is no other model.
    said += [("config_name", name) for name in names if name.casefold() != model.casefold()]
    return [ModelFact(model, field, value, url) for field, value in said if value]


def _run_at(name: str, document: Mapping[str, object]) -> str:
    """Return when the run was made: as the file's name prints it, valid or not, or as it says."""
    if found := _RUN_AT.search(PurePosixPath(name).name):
        return f"{found[1]}T{found[2]}:{found[3]}:{found[4]}Z"
    stamp = document.get("date")
    if isinstance(stamp, (int, float)) and 0 < stamp < 4e9:
        return f"{datetime.fromtimestamp(stamp, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return ""


def _precision(config: Mapping[str, object]) -> str:
    return _text(config.get("model_dtype")).removeprefix("torch.")


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _billions(n_parameters: object) -> str:
    number = as_number(n_parameters)
    return as_positive(number / 1e9) if number is not None else ""


def _requests(hub: Hub, models: set[str]) -> tuple[str, list[str], str]:
    """List the request files of these models; a sentence where the whole dataset is gone."""
    try:
        sha, _ = hub.commit(_REQUESTS, "dataset")
        listed = hub.files(_REQUESTS, "dataset", sha)
    except RemoteError as error:
        if error.kind not in ("missing", "gated"):
            raise
        return "", [], f"The dataset {_REQUESTS} is not to be had, so its facts are not here."
    names = [name for name, _ in listed if _is_result(name) and _requested(name) in models]
    return sha, names, ""


def _requested(name: str) -> str:
    return re.split(r"_eval_request_", name, maxsplit=1)[0]


def _request(document: object, name: str) -> list[ModelFact]:
    if not isinstance(document, dict):
        raise BadDataError(f"{name}: an object is expected.")
    licence = _text(document.get("license"))
    said = (
        ("params_b", as_positive(document.get("params"))),
        ("licence", "" if licence == "?" else licence),
    )
    url = f"https://huggingface.co/datasets/{_REQUESTS}"
    return [ModelFact(_requested(name), field, value, url) for field, value in said if value]


def _declared(hub: Hub, records: list[Record], facts: Mapping[ModelFact, None]) -> list[ModelFact]:
    """Return the parameters that models declare themselves where the leaderboard has none."""
    known = {fact.model for fact in facts if fact.field == "params_b"}
    unknown = sorted({str(record["model"]) for record in records} - known)
    return [
        ModelFact(model, "params_b", f"{count:.6g}", f"https://huggingface.co/{model}")
        for model, count in hub.params_of(unknown).items()
    ]

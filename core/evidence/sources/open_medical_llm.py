"""Open Medical-LLM Leaderboard: a result file of the harness a run, accuracy 0 to 1."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import quote

from core.domain import BadDataError, ModelFact
from core.evidence.hub import RemoteError
from core.evidence.sources.table import (
    LiveSource,
    Pulled,
    as_number,
    as_positive,
    read_json,
    said,
    score_table,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from core.evidence.hub import Hub, RepoType
    from core.evidence.sources.table import Commit, Progress, Record

    Repository = tuple[str, RepoType]

_RESULTS: Repository = ("openlifescienceai/results", "dataset")
_REQUESTS: Repository = ("openlifescienceai/requests", "dataset")
_URL = "https://huggingface.co/datasets"
_RENAMED = {"medqa_4options": "medqa"}
_LARGEST_BAD_SHARE = 0.05
_RUN_AT = re.compile(r"(\d{4}-\d\d-\d\d)[T _](\d\d)[:-](\d\d)[:-](\d\d)")


def _pull(hub: Hub, commit: Commit, report: Progress, _: Path) -> Pulled:
    """Read all result files of the leaderboard at a commit, and what was said on submission.

    A file is a run. A broken result file is passed over and counted in the note, unless more
    than one in twenty is broken; so is a missing or broken request file.
    """
    sha, as_of = commit
    names = [name for name, _ in hub.files(*_RESULTS, sha) if _is_result(name)]
    if not names:
        raise BadDataError(f"The dataset {_RESULTS[0]} holds no result files.")
    models = {str(PurePosixPath(name).parent) for name in names}
    requests_sha, requests, lacking = _requests(hub, models)
    n_all = len(names) + len(requests)
    paths = hub.fetch_many(*_RESULTS, sha, names, progress=lambda done, _: report(done, n_all))
    records: list[Record] = []
    facts: dict[ModelFact, None] = {}
    faults: list[str] = []
    for name, path in paths.items():
        try:
            found, about = _run(read_json(path, name), name, sha)
        except BadDataError as error:
            hub.discard(path)
            faults.append(str(error))
            continue
        records += found
        facts |= dict.fromkeys(about)
    if len(faults) > _LARGEST_BAD_SHARE * len(names):
        raise BadDataError(
            f"{len(faults)} of {len(names)} result files of {_RESULTS[0]} are broken, the first: "
            f"{faults[0]}"
        )
    if requests:
        got = hub.fetch_many(
            *_REQUESTS,
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
    # What models declare themselves, where the leaderboard has nothing.
    known = {fact.model for fact in facts if fact.field == "params_b"}
    unknown = sorted({str(record["model"]) for record in records} - known)
    for model, count in hub.params_of(unknown).items():
        url = f"https://huggingface.co/{model}"
        facts[ModelFact(model, "params_b", f"{count:.6g}", url)] = None
    broken = f"{len(faults)} broken result {_files(len(faults))} passed over: " if faults else ""
    return Pulled(
        table=replace(score_table("open-medical-llm", records), facts=tuple(facts)),
        as_of=as_of,
        source_url=f"{_URL}/{_RESULTS[0]}",
        licence=hub.licence(*_RESULTS) or "Apache-2.0",
        note=f"{broken}{' '.join(faults[:1])} {lacking}".strip(),
    )


OPEN_MEDICAL_LLM = LiveSource(
    "open-medical-llm", *_RESULTS, lambda hub: hub.commit(*_RESULTS), _pull
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


def _run(document: object, name: str, sha: str) -> tuple[list[Record], list[ModelFact]]:
    """Return the scores and the facts of one result file."""
    if not isinstance(document, dict) or not isinstance(document.get("results"), dict):
        raise BadDataError(f'{name}: an object with "results" is expected.')
    config = document.get("config")
    config = config if isinstance(config, dict) else {}
    model = str(PurePosixPath(name).parent)
    url = f"{_URL}/{_RESULTS[0]}/blob/{sha}/{quote(name)}"
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
    return list(records.values()), _about(model, config, url)


def _about(model: str, config: Mapping[str, object], url: str) -> list[ModelFact]:
    """Return what a result file says of its model, other names of it included."""
    arguments = config.get("model_args")
    if isinstance(arguments, str):
        pairs = (part.partition("=") for part in arguments.split(","))
        arguments = {key.strip(): value.strip() for key, _, value in pairs}
    pretrained = arguments.get("pretrained") if isinstance(arguments, dict) else None
    number = as_number(config.get("model_num_parameters"))
    params_b = as_positive(number / 1e9) if number is not None else ""
    # Organisations are spelt in several cases: that is no other model.
    names = dict.fromkeys((_text(config.get("model_name")), _text(pretrained)))
    return [
        *said(model, url, {"params_b": params_b, "precision": _precision(config)}),
        *(
            ModelFact(model, "config_name", name, url)
            for name in names
            if name and name.casefold() != model.casefold()
        ),
    ]


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


def _requests(hub: Hub, models: set[str]) -> tuple[str, list[str], str]:
    """List the request files of these models; a sentence where the whole dataset is gone."""
    try:
        sha, _ = hub.commit(*_REQUESTS)
        listed = hub.files(*_REQUESTS, sha)
    except RemoteError as error:
        if error.kind not in ("missing", "gated"):
            raise
        return "", [], f"The dataset {_REQUESTS[0]} is not to be had, so its facts are not here."
    names = [name for name, _ in listed if _is_result(name) and _requested(name) in models]
    return sha, names, ""


def _requested(name: str) -> str:
    return re.split(r"_eval_request_", name, maxsplit=1)[0]


def _request(document: object, name: str) -> list[ModelFact]:
    if not isinstance(document, dict):
        raise BadDataError(f"{name}: an object is expected.")
    licence = _text(document.get("license"))
    about = {
        "params_b": as_positive(document.get("params")),
        "licence": "" if licence == "?" else licence,
    }
    return said(_requested(name), f"{_URL}/{_REQUESTS[0]}", about)

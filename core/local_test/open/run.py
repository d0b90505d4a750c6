"""Asks every model of ``test.json`` the same open cases, and writes a log of each to ``logs``.

Run it by ``./run`` or ``run.ps1``. It asks each model one word before it starts, and says in a
sentence what is missing. After a break it goes on where it was: a finished case is not paid twice.
"""

import asyncio
import hashlib
import importlib
import json
import os
import re
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
TEST = json.loads((HERE / "test.json").read_text("utf-8"))
LETTERS = "ABCD"
PLAIN = {"AuthenticationError": "the key was refused", "RateLimitError": "too many requests"}
PLAIN |= {"NotFoundError": "there is no model of this name", "APIConnectionError": "no answer"}
PLAIN |= {"PermissionDeniedError": "the key may not use this model"}


def main() -> int:
    """Check, run and report; return what the shell gets."""
    parts = [*TEST["models"], *([TEST["judge"]] if TEST["judge"] else [])]
    names, faults = [], []
    for part in parts:
        name, fault = called(part)
        names.append(name)
        faults += [fault] if fault else []
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 2
    from inspect_ai import eval_set

    os.environ.setdefault("INSPECT_DISPLAY", "plain")
    faults = asyncio.run(checked(parts, names))
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 2
    models, judge = names[: len(TEST["models"])], names[-1]
    module, _, task = TEST["task"].partition(":")
    made = getattr(importlib.import_module(module), task)
    given = TEST["task_args"] | ({"judge_model": judge} if TEST["judge"] else {})
    if mine := os.environ.get("CASES_FILE"):
        given["local_path"] = mine
    done, logs = eval_set(
        made(**given),
        model=models,
        log_dir=str(HERE / "logs"),
        limit=TEST["n_cases"],
        sample_shuffle=TEST["seed"],
        fail_on_error=False,
        retry_on_error=1,
        retry_attempts=2,
        retry_wait=5,
        log_buffer=1,
        max_connections=int(os.environ.get("CONNECTIONS", "10")),
        max_tokens=TEST["most_tokens"],
        cost_limit=TEST["most_usd_per_case"] if priced(models) else None,
        metadata={
            "protocol": TEST["protocol"],
            "case_set": TEST["case_set"],
            "models": {
                name: part["name"] for name, part in zip(models, TEST["models"], strict=True)
            },
            "judge": TEST["judge"] and TEST["judge"]["name"],
        },
    )
    report(logs, dict(zip(models, TEST["models"], strict=True)))
    return 0 if done else 1


def called(part: dict) -> tuple[str, str]:
    """Return how the tool calls a model here, and what is missing for it, if anything is."""
    given = os.environ.get(part["variable"], "").strip()
    through = os.environ.get("ENDPOINT_BASE_URL", "")
    if given:
        return given, ""
    if through and part["served"]:
        return f"openai-api/endpoint/{part['served']}", lacking(part, ["ENDPOINT_API_KEY"])
    if not part["call"]:
        return "", f"{part['name']}: set {part['variable']} to how your endpoint calls it. {HELP}"
    return part["call"], lacking(part, part["keys"])


HELP = "Such as openai-api/endpoint/NAME, with ENDPOINT_BASE_URL and ENDPOINT_API_KEY."


def lacking(part: dict, keys: list[str]) -> str:
    """Say which variables of the environment a model needs and does not find."""
    unset = [key for key in keys if not os.environ.get(key)]
    return f"{part['name']}: set {' and '.join(unset)} in the environment." if unset else ""


async def checked(parts: list[dict], names: list[str]) -> list[str]:
    """Ask each model and the judge one word; say in a sentence what refused."""
    from inspect_ai.model import GenerateConfig, get_model

    faults = []
    for part, name in zip(parts, names, strict=True):
        try:
            config = GenerateConfig(max_tokens=64, max_retries=1)
            await get_model(name, config=config).generate("Answer with one word: yes")
        except Exception as error:
            faults.append(f"{part['name']} ({name}): {said(error)}")
    return faults


def said(error: object) -> str:
    """Write an error in one line, what is common in plain words."""
    kind, text = type(error).__name__, str(error)
    while kind == "RetryError" and getattr(error, "last_attempt", None):
        error = error.last_attempt.exception()
        kind, text = type(error).__name__, str(error)
    plain = next((words for name, words in PLAIN.items() if name in (kind, *text.split("("))), "")
    line = re.sub(r"sk-[\w-]+", "sk-…", " ".join(text.split()))[:200]
    return f"{plain}: {line}" if plain else f"{kind}: {line}"


def priced(models: list[str]) -> bool:
    """Tell the tool the prices by which it counts dollars; return whether every model has one."""
    from inspect_ai.model import ModelCost, ModelInfo, set_model_info

    for name, part in zip(models, TEST["models"], strict=True):
        if price := part["usd_per_mtok"]:
            read, written = price
            cost = ModelCost(
                input=read, output=written, input_cache_write=read, input_cache_read=read
            )
            set_model_info(name, ModelInfo(cost=cost))
    return all(part["usd_per_mtok"] for part in TEST["models"])


def report(logs: list, parts: dict[str, dict]) -> None:
    """Say what came of each model, and write the rating sheets where people rate."""
    from inspect_ai.log import read_eval_log

    answers: dict[str, dict[str, str]] = {}
    ended = {Path(log.location.removeprefix("file://")).name for log in logs}
    for path in (HERE / "logs").glob("*.eval"):
        if path.name not in ended:  # Of a run that was stopped; what it had is in the new log.
            (HERE / "logs" / "unfinished").mkdir(exist_ok=True)
            path.replace(path.parent / "unfinished" / path.name)
    print()
    for log in logs:
        whole = read_eval_log(log.location)
        name, samples = parts[whole.eval.model]["name"], whole.samples or []
        right = [sample for sample in samples if sample.error is None]
        outputs = {str(it.id): answered(it, whole.eval.model) for it in right}
        answers[name] = {case: it.completion for case, it in outputs.items()}
        print(f"{name}: {len(right)} of {TEST['n_cases']} cases answered and scored.")
        failed = Counter(
            " ".join(sample.error.message.split())[:160] for sample in samples if sample.error
        )
        for text, n in failed.most_common(3):
            print(f"  {n} without a result, which count as missing and not as wrong: {text}")
        stops = Counter(it.stop_reason for it in outputs.values())
        if n := stops["content_filter"]:
            print(f"  {n} refused by the provider's filter; they count as answered.")
        if n := stops["max_tokens"]:
            print(f"  {n} cut at {TEST['most_tokens']} tokens; they count as answered.")
    if TEST["raters"]:
        sheets(answers)
    print("\nHand in the files of the folder logs under Local test, Results.")


def answered(sample: object, model: str) -> object:
    """Return what the model answered to a case.

    By its own call: in a log that was recovered after a break, the sample's output is the judge's.
    """
    calls = (event for event in sample.events if event.event == "model" and event.model == model)
    return next((call.output for call in calls), sample.output)


def drawn(*parts: object) -> bytes:
    """Return what a random order sorts by."""
    return hashlib.sha256("|".join(map(str, parts)).encode()).digest()


def sheets(answers: dict[str, dict[str, str]]) -> None:
    """Write blinded sheets for the raters with the answers in them, and the key apart."""
    import csv

    names, seed = list(answers), TEST["seed"]
    cases = sorted(set.intersection(*(set(each) for each in answers.values())))
    letters = {
        case: sorted(names, key=lambda name, case=case: drawn(seed, "letter", case, name))
        for case in cases
    }

    def write(path: Path, head: list[str], rows: list[list[object]]) -> None:
        if path.exists():  # Somebody may have begun to rate.
            return
        path.parent.mkdir(exist_ok=True)
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            csv.writer(file).writerows([head, *rows])

    for rater in range(1, TEST["raters"] + 1):
        order = sorted(cases, key=lambda case: drawn(seed, "order", rater, case))
        pairs = [(case, i, name) for case in order for i, name in enumerate(letters[case])]
        rows = [
            [rater, number, case, LETTERS[i], text(answers[name][case]), "", "", ""]
            for number, (case, i, name) in enumerate(pairs, 1)
        ]
        head = ["rater", "order", "case", "letter", "answer", "rating", "comment", "patient"]
        write(HERE / f"ratings-rater-{rater}.csv", head, rows)
    key = [[case, LETTERS[i], name] for case in cases for i, name in enumerate(letters[case])]
    write(HERE / "key" / "key.csv", ["case", "letter", "model"], key)


def text(answer: str) -> str:
    """Write an answer so that no table program takes it for a formula."""
    return f"'{answer}" if answer[:1] in ("=", "+", "-", "@", "\t", "\r") else answer


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main())

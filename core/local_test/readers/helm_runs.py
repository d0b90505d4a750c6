"""HELM run folders: ``per_instance_stats.json`` beside its ``run_spec.json``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from core.evidence.imports.strict_json import as_number
from core.local_test.readers.collected import Rows, counted, score_of, short_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.evidence.imports.upload import Upload

FORMAT = "HELM run"
STATS, SPEC = "per_instance_stats.json", "run_spec.json"
_JURY_GROUPS = (
    *("aci_bench", "chw_care_plan", "dischargeme", "med_dialog", "medalign", "medi_qa"),
    *("medication_qa", "mental_health", "mimic_bhc", "mimic_rrs", "mtsamples_procedures"),
    *("mtsamples_replicate", "starr_patient_instructions"),
)
"""Groups of MedHELM whose main metric, ``<group>_accuracy``, is a jury's score of 1 to 5."""
_MAIN = {
    **{group: f"{group}_accuracy" for group in (*_JURY_GROUPS, "medcalc_bench")},
    **{"medec": "medec_error_flag_accuracy", "ehr_sql": "ehr_sql_execution_accuracy"},
    **{"mimiciv_billing_code": "mimiciv_billing_code_f1", "gsm": "final_number_exact_match"},
    **{"natural_qa_closedbook": "f1_score", "natural_qa_openbook_longans": "f1_score"},
    **{"narrative_qa": "f1_score", "quac": "f1_score", "wmt_14": "bleu_4"},
    **{"math_chain_of_thought": "math_equiv_chain_of_thought", "math_regular": "math_equiv"},
    **{"summarization_cnndm": "rouge_2", "summarization_xsum": "rouge_2"},
    **dict.fromkeys(
        ("boolq", "imdb", "raft", "civil_comments", "wikifact", "babi_qa", "legalbench", "bbq"),
        "quasi_exact_match",
    ),
    **dict.fromkeys(("mmlu_pro", "gpqa"), "chain_of_thought_correctness"),
    **{"ifeval": "ifeval_strict_accuracy", "omni_math": "omni_math_accuracy"},
}
"""``main_name`` of HELM's schemas (medhelm, lite, classic, capabilities; 0.5.16) by run group,
where it is not ``exact_match``."""
_USUAL = (
    *("exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match"),
    *("exact_match_indicator", "final_number_exact_match", "f1_score", "rouge_2", "rouge_l"),
    *("rouge_1", "bleu_4", "jury_score"),
)
_JURY = "LLMJuryMetric"
_MODEL_IN_NAME = re.compile(r"[,:]model(_deployment)?=[^,]*")


def read(upload: Upload, run_spec: object, instances: Iterable[tuple[str, object]]) -> Rows:
    """Read one run by its main metric, as HELM's tables count it.

    Perturbed instances do not count, nor the split ``valid`` where there is ``test``. Each train
    trial is an attempt. A jury's score of 1 to 5 becomes (score − 1)/4; its 0 means that no jury
    answered. Tokens are those of prompt and output.
    """
    rows = Rows(upload, FORMAT)
    run_spec = run_spec if isinstance(run_spec, dict) else {}
    adapter = run_spec.get("adapter_spec")
    adapter = adapter if isinstance(adapter, dict) else {}
    model = rows.model_of(adapter.get("model"), f"{SPEC}, adapter_spec.model")
    rows.set(model, adapter)
    task = short_id(_MODEL_IN_NAME.sub("", str(run_spec.get("name") or "")[:2000]))
    main, is_jury, perturbed = "", False, 0
    by_split: dict[str, list[tuple[Any, ...]]] = {}
    for place, instance in instances:
        stats, split = _means(upload, instance, place)
        assert isinstance(instance, dict)
        if instance.get("perturbation") is not None:
            perturbed += 1
            continue
        if not main:
            main, is_jury = _main_metric(upload, run_spec, stats, place)
        score = score_of(stats.get(main))
        if is_jury and score is not None:
            if not (score == 0 or 1 <= score <= 5):
                raise upload.fault(f"the jury's score {score:.6g} is outside 1 to 5", place)
            score = (score - 1) / 4 if score else None
        trial = as_number(instance.get("train_trial_index") or 0)
        attempt = rows.attempt_of(None if trial is None else trial + 1, place)
        tokens = [as_number(stats.get(name)) for name in ("num_prompt_tokens", "num_output_tokens")]
        found = (place, instance.get("instance_id"), score, attempt)
        used = None if None in tokens else sum(count or 0.0 for count in tokens)
        by_split.setdefault(split, []).append((*found, used, stats.get("inference_runtime")))
    kept = "test" if "test" in by_split else next(iter(by_split), "")
    for place, item, score, attempt, tokens_used, seconds in by_split.get(kept, ()):
        rows.add(
            *(place, model, item, score),
            **{"task": task, "attempt": attempt, "tokens": tokens_used, "seconds": seconds},
        )
    others = sum(len(found) for split, found in by_split.items() if split != kept)
    if perturbed:
        rows.notes.append(f"{counted(perturbed, 'perturbed instance')} passed over.")
    if others:
        rows.notes.append(f"{counted(others, 'instance')} passed over: not of the split {kept}.")
    if is_jury:
        rows.notes.append("the jury's scores of 1 to 5 were scaled to 0 to 1: (score − 1)/4.")
    return rows


def is_record(record: object) -> bool:
    """Say whether a record is of this format."""
    return isinstance(record, dict) and "instance_id" in record and "stats" in record


def folders(names: Iterable[str]) -> list[str]:
    """Return the run folders among the parts of an archive, each with its last slash or empty."""
    return sorted(
        name.removesuffix(STATS) for name in names if name == STATS or name.endswith(f"/{STATS}")
    )


def spec_of(upload: Upload, name: str, specs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the run spec that lies in the same folder, or the only one that was given."""
    folder = _folder(name)
    beside = [spec for other, spec in specs.items() if _folder(other) == folder]
    found = beside or list(specs.values())
    if len(found) != 1:
        why = "its run_spec.json is missing" if not found else "several run_spec.json were given"
        raise upload.fault(f"{why}: give both files of one run, or a ZIP archive of run folders")
    return found[0]


def _folder(name: str) -> str:
    return name[: max(name.rfind("/"), name.rfind("\\")) + 1]


def _means(upload: Upload, instance: object, place: str) -> tuple[dict[str, Any], str]:
    """Return the mean of each statistic of an instance, and its split."""
    stats = instance.get("stats") if isinstance(instance, dict) else None
    if not isinstance(stats, list):
        raise upload.fault("an instance with its stats is expected here", place)
    found: dict[str, Any] = {}
    split = ""
    for stat in stats:
        name = stat.get("name") if isinstance(stat, dict) else None
        if isinstance(name, dict) and isinstance(name.get("name"), str):
            found[name["name"]] = stat.get("mean")
            split = split or ("test" if name.get("split") == "test" else "valid")
    return found, split


def _main_metric(
    upload: Upload, run_spec: dict[str, Any], stats: dict[str, Any], place: str
) -> tuple[str, bool]:
    """Return the metric that HELM shows for a run, and whether a jury scores it 1 to 5."""
    specs, groups = (
        found if isinstance(found := run_spec.get(name), list) else []
        for name in ("metric_specs", "groups")
    )
    jury = [_jury_metric(spec) for spec in specs]
    named = [_MAIN.get(group, "") for group in groups if isinstance(group, str)]
    wanted = [*jury[:1], *named, *_USUAL]
    main = next((name for name in wanted if name and name in stats), "")
    if not main:
        raise upload.fault("no statistic is one that HELM scores a benchmark by", place)
    juries = {*filter(None, jury), "jury_score", *(f"{group}_accuracy" for group in _JURY_GROUPS)}
    return main, main in juries


def _jury_metric(spec: object) -> str:
    """Return the name of a jury's metric; empty for any other."""
    if not isinstance(spec, dict) or not str(spec.get("class_name")).endswith(_JURY):
        return ""
    args = spec.get("args")
    return str(args.get("metric_name")) if isinstance(args, dict) else ""

"""Plausibility rules: each fires on a hand-made example, and leaves a near miss alone."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from core.answers import data
from core.domain import ModelFact, Selection
from core.evidence import flags as rules
from core.evidence.flags import FROM_ELSEWHERE, flag_runs
from core.evidence.snapshots import SCORE_COLUMNS

SUITE = "suite"
OPEN_MEDICAL = "open-medical-llm"
OUTSIDE_SCALE = "score outside its scale"
NO_WHOLE_ITEMS = "score is not a whole number of items"
STANDARD_ERROR = "standard error does not fit"
SAME_TEMPLATE = "file made from that of another model"
ABOVE_BASE = "far above its base model on some benchmarks"
ABOVE_SIZE = "far above runs of its size on some benchmarks"


def table(runs):
    records = []
    for run, scores in runs.items():
        for benchmark, value in scores.items():
            score, error = value if isinstance(value, tuple) else (value, math.nan)
            row = dict.fromkeys(SCORE_COLUMNS, "")
            row |= {"model": run.partition("@")[0], "run": run, "benchmark": benchmark}
            row |= {"score": score, "standard_error": error, "source_url": f"https://x/{run}"}
            records.append(row)
    return pd.DataFrame(records, columns=SCORE_COLUMNS)


@pytest.fixture
def accuracy(make_benchmark):
    def make(key, n_items=272, **fields):
        given = {"is_accuracy": True, "n_items": n_items, "metric": "Accuracy"}
        return make_benchmark(key, **{**given, **fields})

    return make


@pytest.fixture
def flags(make_model):
    def run(runs, benchmarks, models=None, facts=()):
        known = {key: make_model(key, **fields) for key, fields in (models or {}).items()}
        return flag_runs(table(runs), benchmarks, known, facts, suite=SUITE)

    return run


def seen(found):
    return {(flag.run, flag.rule, flag.benchmark) for flag in found}


def error_of(p, n):
    return math.sqrt(p * (1 - p) / (n - 1))


HONEST = {f"honest{k}": {"b": k / 272} for k in range(150, 160)}
PERCENT = {f"honest{k}": {"b": 100 * k / 272} for k in range(150, 160)}
HONEST_ABC = {f"honest{k}": dict.fromkeys("abc", k / 272) | {"a": 0.5} for k in range(150, 160)}


@pytest.mark.parametrize(
    ("runs", "fields", "odd", "said"),
    [
        ({**HONEST, "odd": {"b": 0.7301}}, {}, "b", "0.7301 × 272 = 198.6 items"),
        # 0.7310 is not a score on 272 items though 0.731 is; the other scores show four decimals.
        (
            {**HONEST_ABC, "odd": {"a": 0.7169, "b": 0.7243, "c": 0.7310}},
            *({}, "c", "0.7310 × 272 = 198.8 items"),
        ),
        (
            {**PERCENT, "odd": {"b": 73.01}, "typed": {"b": 73.16}},
            *({"scale_max": 100}, "b", "73.01 of 100 × 272 = 198.6 items"),
        ),
    ],
)
def test_a_score_that_no_number_of_items_gives(flags, accuracy, runs, fields, odd, said):
    (found,) = flags(runs, [accuracy(key, **fields) for key in "abc"])
    assert (found.run, found.rule, found.benchmark) == ("odd", NO_WHOLE_ITEMS, odd)
    assert (found.suite, said in found.detail) == (SUITE, True)


@pytest.mark.parametrize(
    ("score", "n", "fields"),
    [
        (199 / 272, 272, {}),  # 0.7316176…, all digits
        (0.7316, 272, {}),  # rounded
        (0.732, 272, {}),  # rounded to three decimals
        (0.731, 272, {}),  # cut off after three
        (0.73, 272, {}),  # two decimals cannot be judged over 272 items
        (0.73161766, 272, {}),  # single precision
        (0.3777, 12032, {}),  # four decimals cannot be judged over many items
        # What is not a count is not judged.
        ((0.7301, 0.2), 272, {"metric": "Accuracy, mean over 24 tasks"}),
        ((0.7301, 0.2), 272, {"source": "24 tasks averaged, so the error is an approximation"}),
        ((0.7301, 0.2), 272, {"is_accuracy": False, "metric": "Micro F1"}),
        ((0.7301, 0.2), 272, {"n_items": None}),
    ],
)
def test_honest_values_however_they_were_typed(flags, accuracy, score, n, fields):
    honest = {f"honest{k}": {"b": k / n} for k in range(150, 160)}
    benchmark = accuracy("b", **{"n_items": n, **fields})
    assert flags({**honest, "typed": {"b": score}}, [benchmark]) == ()


FITTING = {f"honest{k}": {"b": (k / 272, error_of(k / 272, 272))} for k in range(180, 190)}


def test_a_copied_standard_error(flags, accuracy):
    copied = {"b": (240 / 272, error_of(185 / 272, 272))}
    (found,) = flags({**FITTING, "copied": copied}, [accuracy("b")])
    assert (found.run, found.rule, found.benchmark) == ("copied", STANDARD_ERROR, "b")
    assert "0.88235 on 272 items has a standard error of 0.0196" in found.detail
    assert "the run gives 0.0283" in found.detail


@pytest.mark.parametrize(
    "runs",
    [
        {"near": {"b": (240 / 272, 0.0196)}},  # rounded
        {"near": {"b": (0.8824, 0.01957)}},
        {"near": {"b": (240 / 272, math.sqrt(240 * 32 / 272**3))}},  # divided by n
        {"near": {"b": (1.0, 0.0)}},
        {"near": {"b": (0.88, 0.0198)}},  # the score is the rounded one
        {"near": {"b": 0.882}},  # none at all
        # Of another kind in all runs.
        {f"honest{k}": {"b": (k / 272, 0.01)} for k in range(180, 190)},
    ],
)
def test_standard_errors_that_fit(flags, accuracy, runs):
    assert flags({**FITTING, **runs}, [accuracy("b")]) == ()


def test_a_score_outside_its_scale(flags, make_benchmark):
    scores = {"inf": math.inf, "above": 1.01, "below": -0.01, "top": 1.0, "bottom": 0}
    found = flags({run: {"b": score} for run, score in scores.items()}, [make_benchmark("b")])
    assert seen(found) == {(run, OUTSIDE_SCALE, "b") for run in ("inf", "above", "below")}


def test_far_below_guessing(flags, accuracy):
    """Guessing on 1,273 questions with four options errs by 0.0121; three and ten count too."""
    runs = {"low": {"medqa": 250 / 1273}, "near": {"medqa": 258 / 1273}}
    (found,) = flags(runs, [accuracy("medqa", 1273)])
    assert (found.run, found.rule, found.benchmark) == ("low", "below chance", "medqa")
    assert "4.4 standard errors below guessing (0.25)" in found.detail
    runs = {"low": {"pubmedqa": 0.2, "mmlu_pro": 0.2, "open_question": 0.0}}
    (found,) = flags(runs, [accuracy(key, 500) for key in runs["low"]])
    assert (found.rule, found.benchmark) == ("below chance", "pubmedqa")


THREE = {"a": 0.5, "b": 0.25, "c": 0.75}


@pytest.fixture
def three(make_benchmark):
    return [make_benchmark(key) for key in "abcd"]


def test_the_same_scores_as_another_model(flags, three):
    full = {**THREE, "d": 0.1}
    found = flags({"m@1": THREE, "n@1": full}, three)
    assert seen(found) == {(run, "same scores as another model", "") for run in ("m@1", "n@1")}
    assert "All 3 shared scores are the same as those of n;" in found[0].detail
    assert "those of m;" in found[1].detail
    found = flags({f"{m}@1": full for m in "mnopq"} | {"z@1": {**full, "d": 0.2}}, three)
    assert len(found) == 5
    assert "those of n, o, p and 1 more;" in found[0].detail


@pytest.mark.parametrize(
    "runs",
    [
        {"m@1": THREE, "n@1": {**THREE, "c": 0.76}},
        {"m@1": {"a": 0.5, "b": 0.25}, "n@1": THREE},  # two are too few
        {"m@1": THREE, "m@2": THREE},  # one model twice
        {"m@1": THREE, "mirror@1": THREE},
        {"m@1": THREE, "other name@1": THREE},
    ],
)
def test_scores_that_may_be_the_same(flags, three, runs):
    models = {"m": {"aliases": ("Other Name",)}, "mirror": {"mirror_of": "m"}}
    assert flags(runs, three, models) == ()


def test_the_name_in_the_configuration(flags, three):
    models = {"org/m-7b": {"aliases": ("old/M-7b-v1",)}}
    own = ("ORG/M-7B", "old/m-7b-v1", "m-7b", "/data/weights/m-7b/", "")
    for written in ("org/another-7b", "someone/m-7b", "another-7b", *own):
        facts = [ModelFact("org/m-7b", "config_name", written, "results")]
        found = flags({"org/m-7b@1": {"a": 0.5}}, three, models, facts)
        fires = {("org/m-7b@1", "names disagree", "")}
        assert seen(found) == (set() if written in own else fires), written
        assert written in own or f"their configuration names {written};" in found[0].detail
    # A mirror may name its original.
    facts = [ModelFact("mirror/m", "config_name", "org/m", "results")]
    runs = {"mirror/m@1": {"a": 0.5}}
    assert flags(runs, three, {"mirror/m": {"mirror_of": "org/m"}}, facts) == ()
    assert len(flags(runs, three, {}, facts)) == 1


N = 997
MMLU = ("anatomy", "college_biology", "college_medicine", "medical_genetics")
KEYS = ("medqa", "medmcqa", *(f"mmlu_{subject}" for subject in MMLU))
MIDDLE = np.array([0.1, 0.0, 0.5, 0.9, 0.4, 0.8])
SLOPE = np.array([0.6, 0.5, 0.5, 0.7, 0.5, 0.6])


def shares(ability):
    items = np.round(N * expit(MIDDLE + SLOPE * ability)).astype(int)
    return dict(zip(KEYS, (items / N).tolist(), strict=True))


@pytest.fixture
def hints(flags, accuracy):
    def run(scores, *, params=7.0, base=None, facts=(), n_ordinary=40, n_runs=1):
        noise = np.random.default_rng(5).normal(0, 0.15, n_ordinary)
        ability = np.linspace(-1.2, 1.2, n_ordinary) + noise
        runs = {f"ordinary{k}@{n}": shares(a) for k, a in enumerate(ability) for n in range(n_runs)}
        models = {f"ordinary{k}": {"params_b": 7.0 + k % 3} for k in range(n_ordinary)}
        models["m"] = {"params_b": params, "base_model": "base" if base else ""}
        runs |= {"m@1": scores} | ({"base@1": base} if base else {})
        found = flags(runs, [accuracy(key, N) for key in KEYS], models, facts)
        return [flag for flag in found if flag.rule in (ABOVE_BASE, ABOVE_SIZE)]

    return run


HIGH = {"mmlu_anatomy": 960 / N, "mmlu_college_biology": 980 / N}


def test_near_the_ceiling_on_two_subjects_only(hints):
    (flag,) = hints({**shares(0.2), **HIGH})
    assert (flag.run, flag.rule, flag.benchmark) == ("m@1", ABOVE_SIZE, "")
    assert "mmlu_anatomy 0.963 (at most 0." in flag.detail
    assert "harness runs of about its size (7 billion parameters, 41 models)" in flag.detail
    assert "a hint, no proof" in flag.detail


@pytest.mark.parametrize(
    "scores",
    [
        shares(0.2),
        shares(1.3),
        shares(4.0),  # far above on all: a better model
        {**shares(0.2), "medqa": 260 / N, "medmcqa": 260 / N},  # weakness does not count
        {**shares(0.2), "mmlu_anatomy": shares(0.2)["mmlu_anatomy"] + 75 / N},
        {**shares(-4.0), "mmlu_anatomy": 480 / N},  # low in all, less low in one
    ],
)
def test_what_is_no_hint(hints, scores):
    assert hints(scores) == []


def test_which_runs_a_size_is_compared_with(hints):
    high = {**shares(0.2), **HIGH}
    assert hints(high, params=70.0) == []  # nobody else has that size
    (flag,) = hints(high, params=None)
    assert "harness runs of any size" in flag.detail
    assert hints({key: round(value, 3) for key, value in high.items()}, params=None) == []
    said = [ModelFact("m", "params_b", "70", "results")]
    assert hints(high, params=None, facts=said) == []
    # Too few, however many runs each has.
    assert hints(high, n_ordinary=15) == hints(high, n_ordinary=15, n_runs=3) == []
    assert len(hints(high, n_ordinary=30)) == 1


def test_far_above_its_base_on_one_benchmark(hints):
    base = shares(0.2)
    child = {**base, "medqa": base["medqa"] + 115 / N}
    (flag,) = hints(child, base=base)
    assert (flag.run, flag.rule) == ("m@1", ABOVE_BASE)
    assert "more than its base model base" in flag.detail
    assert hints(child) == []  # runs of its size reach that much
    low = shares(-4.0)
    assert len(hints({**low, "mmlu_anatomy": 700 / N}, base=low)) == 1


@pytest.mark.parametrize(
    ("base", "child"),
    [
        (0.2, {"medqa": shares(0.2)["medqa"] + 60 / N}),
        (0.2, shares(1.1)),  # better on everything
        (0.2, {"medqa": 400 / N, "medmcqa": 300 / N}),  # only worse
        # It doubles its base's score on one benchmark, and half of all harness runs have more.
        (-4.0, {"mmlu_anatomy": 500 / N}),
    ],
)
def test_an_ordinary_change_from_its_base(hints, base, child):
    assert hints({**shares(base), **child}, base=shares(base)) == []


def test_a_base_that_is_itself_too_high_does_not_hide_its_child(hints):
    both = {**shares(0.2), **HIGH}
    found = [(f.run, f.rule) for f in hints(both, base=both)]
    assert found == [("base@1", ABOVE_SIZE), ("m@1", ABOVE_SIZE)]


def test_the_order_is_settled_no_input_is_changed_and_nothing_flags_nothing(flags, accuracy):
    runs = {**HONEST, "odd": {"b": 0.7301, "a": 1.2}, "even": {"a": -3.0, "b": 0.7301}}
    benchmarks = [accuracy("a"), accuracy("b")]
    found = flags(runs, benchmarks)
    both = (OUTSIDE_SCALE, NO_WHOLE_ITEMS)
    assert [(f.run, f.rule) for f in found] == [(run, it) for run in ("even", "odd") for it in both]
    assert flags(dict(reversed(runs.items())), benchmarks) == found
    frame = table(runs)
    before = frame.copy()
    flag_runs(frame, benchmarks, {}, suite=SUITE)
    pd.testing.assert_frame_equal(frame, before)
    for nothing in ({}, {"r": {"b": math.nan}}, {"r": {"unknown": 7.0}}):
        assert flags(nothing, [accuracy("b")]) == ()
    assert flags({"r": {"b": 7.0}}, []) == ()


SOUND = {"a": 1 / 3, "b": 2 / 7, "c": 5 / 11}
TYPED = {"a": 0.31, "b": 0.42, "c": 0.53}


def stamped(model, time, micro):
    return f"{model}@results_2024-04-{time}.{micro}.json"


def test_microseconds_of_another_model(flags, three):
    """The earliest harness run stays, though a typed one is earlier; the twin of a model too."""
    first, again = stamped("m", "02 00:02:53", "142451"), stamped("m", "05T00-02-53", "142451")
    early, late = stamped("n", "01 00:02:53", "142451"), stamped("o", "26 00:04:53", "142451")
    found = flags({late: TYPED, first: SOUND, again: SOUND, early: TYPED | {"a": 0.33}}, three)
    assert seen(found) == {(early, SAME_TEMPLATE, ""), (late, SAME_TEMPLATE, "")}
    assert ".142451" in found[0].detail
    assert "that of m" not in found[0].detail
    assert "file of m, o;" in found[0].detail


@pytest.mark.parametrize(
    "runs",
    [
        [stamped("m", "01 00:02:53", "142451"), stamped("n", "01 00:02:53", "142452")],
        [stamped("m", "01 00:02:53", "142451"), stamped("m", "26 00:02:53", "142451")],
        [stamped("m", "01 00:02:53", "142451"), stamped("org/m", "26 00:02:53", "142451")],
        # Whole seconds are not microseconds, and what is not a time is none.
        [stamped("m", "01 00:02:53", "000000"), stamped("n", "26 00:02:53", "000000")],
        ["m@results_2024-03-14_04-32-21.json", "n@results_2024-03-14_04-32-21.json"],
        ["m@weights.142451.json", "n@weights.142451.json"],
    ],
)
def test_stamps_that_are_no_hint(flags, three, runs):
    given = {runs[0]: TYPED, runs[1]: TYPED | {"a": 0.33}}
    assert flags(given, three, models={"m": {"aliases": ("org/m",)}}) == ()


def labels(runs, others=None):
    found = rules.labels_of_runs(table(runs), others or {}, suite=SUITE)
    assert all(made.suite == SUITE and made.run.startswith(made.model) for made in found)
    return {made.run: made.label for made in found}


PRINTED = {f"p{k}": {"a": (k / 7, 0.01), "b": (k / 9, math.nan)} for k in range(1, 4)}


def test_figures_from_elsewhere():
    typed = {"t@1": {"a": 0.4148, "b": 0.66}}
    assert labels(PRINTED | typed) == {"t@1": FROM_ELSEWHERE}
    for enough in (0.41485, (0.4148, 0.01)):  # one long score, one standard error
        assert labels(PRINTED | {"t@1": {"a": enough, "b": 0.66}}) == {}
    # Where half print no standard error its absence tells nothing.
    half = {f"t{k}": {"a": 0.4, "b": math.nan} for k in range(3)}
    assert labels(PRINTED | half) == {}
    del half["t0"]
    assert labels(PRINTED | half) == dict.fromkeys(("t1", "t2"), FROM_ELSEWHERE)
    # A row of another protocol is named first and in any suite.
    others = {"t": "best of several prompts"}
    for runs in (typed, PRINTED | typed):
        assert labels(runs, others) == {"t@1": "another protocol: best of several prompts"}
    assert labels({}, others) == {}


@pytest.fixture(scope="session")
def bundled_flags(bundled):
    known = bundled.catalogue
    scores = {
        (suite, protocol): bundled.scores(bundled.snapshot(suite), protocol)
        for suite in ("medhelm", "bridge", OPEN_MEDICAL, "open-llm-v2", "benchhealth")
        for protocol in known.suites[suite].protocols or ("",)
    }
    return {
        key: flag_runs(frame, known.benchmarks[key[0]], known.models, suite=key[0])
        for key, frame in scores.items()
    }


BOTH = {NO_WHOLE_ITEMS, STANDARD_ERROR, SAME_TEMPLATE}
EXPECTED = {
    # Numbers of other evaluations, typed in: 0.5771 × 1273 = 734.6, 0.7266 × 500 = 363.3.
    "GPT-3.5 Turbo 1106@results_GPT-3.5_2024-04-17_04-32-21.json": {NO_WHOLE_ITEMS},
    # Three decimals, among them 0.758 on 100 questions.
    "Gemini-1.0@results_Gemini-1.0_2024-25-14_04-32-21.json": {NO_WHOLE_ITEMS},
    # Three decimals without errors, under the microseconds of Hermes-2-Pro-Mistral-7B.
    "epfl-llm/meditron-70b@results_2024-04-25 00:02:53.142451.json": {SAME_TEMPLATE},
    # Averages with five decimals, and one set of standard errors in both files, which carry the
    # same microseconds again.
    "aaditya/OpenBioLLM-Llama3-70B@results_2024-04-26 00:02:53.142451.json": BOTH,
    "aaditya/OpenBioLLM-Llama3-8B@results_2024-04-26 00:04:53.142451.json": BOTH,
}
HINTED = (
    # 0.875 on professional medicine with 0.437 on MedMCQA and 0.481 on MedQA.
    "IBI-CAAI/MELT-llama-2-7b-chat-v0.1@results_2024-04-22 20:59:23.322751.json",
    # MMLU subjects from 0.86 to 0.97, MedQA and MedMCQA as other models of 8 billion have them.
    "Jayant9928/orpo_med_v5@results_2024-05-13 12:26:10.783989.json",
    "Jayant9928/orpo_med_v6@results_2024-05-13 15:43:44.336216.json",
    "Jayant9928/orpo_med_v7@results_2024-05-14 21:10:36.494036.json",
    "johnsnowlabs/JSL-MedLlama-3-8B-v3.0@results_2024-05-13 09:30:19.168129.json",
    "johnsnowlabs/JSL-MedLlama-3-8B-v4.0@results_2024-05-13 17:50:21.529863.json",
    # College medicine 0.948 where the rest of its own scores suggests 0.80.
    "ProbeMedicalYonseiMAILab/medllama3-v20@results_2024-05-21 23:59:34.193323.json",
    "ProbeMedicalYonseiMAILab/medllama3-v20@results_2024-05-24 13:12:52.395063.json",
    # MMLU subjects from 0.91 to 1.00 with MedMCQA 0.73 to 0.75.
    "bongbongs/NewMes-v10@results_2024-05-26 00:28:16.425984.json",
    "bongbongs/NewMes-v10.1@results_2024-05-26 13:56:08.357488.json",
    "bongbongs/NewMes-v11@results_2024-05-26 02:18:13.089357.json",
    # Anatomy 0.941, MedQA 0.800, and 0.63 to 0.78 on everything else.
    "bongbongs/NewMes-v14@results_2024-05-28 13:29:12.781997.json",
)


def test_the_flagged_runs_of_the_open_medical_llm_leaderboard(bundled_flags):
    flags, found = bundled_flags[OPEN_MEDICAL, ""], {}
    for flag in flags:
        found.setdefault(flag.run, set()).add(flag.rule)
    assert found == EXPECTED | {key: {ABOVE_SIZE} for key in HINTED}
    assert any("0.5771 × 1273 = 734.6 items" in flag.detail for flag in flags)
    assert sum(flag.rule == STANDARD_ERROR for flag in flags) == 18
    assert all(flag.detail.count(". ") == 0 and flag.detail.endswith(".") for flag in flags)


def test_how_the_runs_of_the_bundled_suites_were_made(bundled):
    for suite in bundled.catalogue.suites:
        if suite == OPEN_MEDICAL or not bundled.of_suite(suite):
            continue
        for protocol in bundled.catalogue.suites[suite].protocols or ("",):
            # NoHarm.ai prints its one physician without items.
            line = {"Human Physician": FROM_ELSEWHERE} if suite == "noharm-ai-diagnoses" else {}
            assert data.provenance(bundled, Selection(suite, protocol=protocol)) == line
    found = data.provenance(bundled, Selection(OPEN_MEDICAL))
    five, best = "five examples in the prompt", "best of several prompts"
    others = {"Med-PaLM 2 (ER)": "several answers refined into one", "Flan-PaLM": best}
    others |= {"Med-PaLM 2 (best)": best, "Med-PaLM 2 (5 Shots)": five, "GPT-4 (5-shot)": five}
    others["GPT-4-base (folder GPT_4_base)"] = five
    assert {model: label for model, label in found.items() if label != FROM_ELSEWHERE} == {
        model: f"another protocol: {how}" for model, how in others.items()
    }
    elsewhere = {model for model, label in found.items() if label == FROM_ELSEWHERE}
    assert {"GPT-4", "mistralai/Mistral-7B-v0.1", "BioMistral/BioMistral-7B"} < elsewhere
    # Flagged runs stay out, and so does their label until they are brought in.
    whole = data.provenance(bundled, Selection(OPEN_MEDICAL, include_flagged=True))
    assert set(whole) - set(found) == {
        *("Gemini-1.0", "GPT-3.5 Turbo 1106", "epfl-llm/meditron-70b")
    }


def test_what_its_own_team_ran_is_out_unless_asked_for(bundled):
    """The teams of erius, MedGuard and MedArise, as the files of their submissions say."""
    own = {f"anthropic/claude-opus-{version} (erius)" for version in ("4-8", "5")}
    own |= {"MedGuard (hermes)", "openai/gpt-5.5 (pa-codex-agent)"}
    asked = [Selection("chi-bench", include_flagged=flagged) for flagged in (False, True)]
    usual, whole = (data.matrix(bundled, selection) for selection in asked)
    assert set(whole.models) - set(usual.models) == own
    out = {left_out.model: left_out.reason for left_out in usual.excluded}
    assert out == dict.fromkeys(own, "run and reported by its own team")
    labels = data.provenance(bundled, asked[1])
    assert set(labels) == own
    assert all("run and reported by its own team" in label for label in labels.values())
    # No agent that the publisher ran does more than 28 of the 75 tasks.
    assert usual.scores.mean(axis=1).max() == pytest.approx(28 / 75)


def test_wrong_item_counts_of_medhelm_are_seen_as_that(bundled):
    """All 13 scores on CLEAR and MedQA miss whole items of the printed instance numbers."""
    scores = bundled.scores(bundled.snapshot("medhelm"), "")
    benchmarks = bundled.catalogue.benchmarks["medhelm"]
    _, doubt = rules.no_whole_items(rules.run_table(scores, benchmarks))
    in_doubt = {b.id for b, doubtful in zip(benchmarks, doubt, strict=True) if doubtful}
    assert in_doubt == {"clear", "med_qa"}


def test_no_run_behind_a_published_table_stays_out(bundled, bundled_flags):
    from core.statistics.score_matrix import build_matrix  # noqa: PLC0415 (not of the evidence)

    known = bundled.catalogue
    for (cohort, suite), members in known.cohorts.items():
        frame = bundled.scores(bundled.snapshot(suite), "")
        out = {flag.run for flag in bundled_flags[suite, ""]}
        every = build_matrix(frame, known.benchmarks[suite], suite=suite, cohort=members)
        kept = frame[~frame["run"].isin(list(out))]
        without = build_matrix(kept, known.benchmarks[suite], suite=suite, cohort=members)
        assert without.runs == every.runs, cohort
        np.testing.assert_array_equal(without.scores, every.scores)

"""What tools and raters write, small and harmless: files of each format that can be read."""

import io
import json
import zipfile
from pathlib import Path

import openpyxl
import xlsxwriter

SAMPLES = Path(__file__).parent / "samples"

LM_EVAL = [
    {
        "doc_id": i,
        "doc": {"question": "What colour is grass?"},
        "target": "green",
        "arguments": {"gen_args_0": {"arg_0": "Q:", "arg_1": {"temperature": 0.0, "until": ["Q"]}}},
        "resps": [["green"]],
        "filtered_resps": ["green"],
        "filter": "none",
        "metrics": ["exact_match"],
        "doc_hash": "ab",
        "exact_match": float(i == 1),
    }
    for i in range(3)
]
SHEET = """rater,order,case,letter,answer,rating,comment
R1,1,c1,A,It is two.,5,fine
R1,2,c1,B,It is three.,2,
R1,3,c2,A,Green.,1,
R1,4,c2,B,Blue.,,asleep
R2,1,c1,B,It is three.,3.5,
"""
KEY = "case,letter,model\nc1,A,big\nc1,B,small\nc2,A,small\nc2,B,big\n"
ITEMS = """model,item,score,attempt,rater,tokens,seconds,cost
big,c1,1,1,,20,0.5,0.001
big,c2,0.25,1,,22,,
small,c1,0,1,,18,0.2,0.0001
"""

AVERAGES = [
    {
        "header": [{"value": "Model"}, {"value": "MedQA - EM", "metadata": {"metric": "EM"}}],
        "rows": [[{"value": "m"}, {"value": 0.5}]],
    },
    [
        {
            "title": "Accuracy",
            "header": [{"value": "Model"}, {"value": "ACI-Bench", "metadata": {"run_group": "x"}}],
            "rows": [[{"value": "m"}, {"value": 4.5}]],
        }
    ],
    {
        "results": {
            "medmcqa": {"acc,none": 0.5, "acc_stderr,none": 0.1},
            "leaderboard_bbh_a": {"acc_norm,none": 0.5},
        },
        "group_subtasks": {"leaderboard_bbh": ["leaderboard_bbh_a"]},
        "n-samples": {"leaderboard_bbh_a": {"effective": 3}},
        "config": {"model_args": {"pretrained": "lab/m"}, "limit": 1},
        "date": 1716000000,
    },
]
"""Of HELM, of its groups, and of lm-evaluation-harness."""


def sentence(text):
    """Return what a fault says, which is one sentence that can be shown."""
    assert text.isprintable(), text
    assert text.endswith("."), text
    assert len(text) < 900, text
    return text


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def zipped(parts):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def helm_parts():
    with zipfile.ZipFile(SAMPLES / "helm_small_sums.zip") as archive:
        return tuple(
            json.loads(archive.read(f"small-sums/{name}.json"))
            for name in ("per_instance_stats", "run_spec")
        )


def eval_log():
    """Return an Inspect log as an archive that Python itself packed, with its parts as text."""
    log = json.loads((SAMPLES / "inspect_mock.json").read_text())
    samples = log.pop("samples")
    parts = {"header.json": json.dumps(log)}
    for sample in samples:
        parts[f"samples/{sample['id']}_epoch_{sample['epoch']}.json"] = json.dumps(sample)
    return parts


def workbook(sheet=SHEET):
    """Return a rating sheet as openpyxl writes it: with its texts in the cells."""
    book = openpyxl.Workbook()
    for row in sheet.splitlines():
        book.active.append([float(cell) if cell[:1].isdigit() else cell for cell in row.split(",")])
    book.create_sheet("Notes").append(["Nothing to read here"])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def shared_workbook(sheet=SHEET):
    """Return a rating sheet as XlsxWriter and Excel write it: with its texts in a part apart."""
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer) as book:
        page = book.add_worksheet()
        for i, row in enumerate(sheet.splitlines()):
            for j, cell in enumerate(row.split(",")):
                page.write(i, j, float(cell) if cell[:1].isdigit() else cell)
    return buffer.getvalue()


def documents():
    stats, spec = helm_parts()
    return {
        "inspect": [("log.json", (SAMPLES / "inspect_mock.json").read_bytes())],
        "promptfoo": [("out.json", (SAMPLES / "promptfoo_two_models.json").read_bytes())],
        "helm": [
            ("run/per_instance_stats.json", json.dumps(stats).encode()),
            ("run/run_spec.json", json.dumps(spec).encode()),
        ],
        "lm_eval": [("org__m/samples_sums_2026-11-20T10-00-00.000001.jsonl", lines(LM_EVAL))],
    }


def everything():
    return documents() | {
        "eval": [("log.eval", (SAMPLES / "inspect_mock.eval").read_bytes())],
        "eval deflated": [("log.eval", zipped(eval_log()))],
        "helm archive": [("runs.zip", (SAMPLES / "helm_small_sums.zip").read_bytes())],
        "sheet": [("sheet.csv", SHEET.encode()), ("key.csv", KEY.encode())],
        "workbook": [("sheet.xlsx", workbook()), ("key.csv", KEY.encode())],
        "shared workbook": [("sheet.xlsx", shared_workbook()), ("key.csv", KEY.encode())],
        "items": [("items.csv", ITEMS.encode())],
    }

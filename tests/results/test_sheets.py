"""Sheets that people fill in, as spreadsheets save them: scores, ratings, answers on conditions."""

from functools import partial

import numpy as np
import pytest

from core.domain import BadDataError, BadRequestError
from core.results import read_own_scores
from core.results.sheets import ratings_template, read_ratings, template
from tests.results.samples_of_items import sentence

SCORES = "model,run,benchmark,score,standard_error\n"
RATINGS = "rater,role,instance,score\n"


@pytest.fixture
def load(bundled):
    def load(content, **options):
        data = content.encode() if isinstance(content, str) else content
        imported = read_own_scores("own.csv", data, bundled.catalogue, **options)
        assert imported.format == "CSV template"
        frame = imported.table.frame
        found = zip(frame.model, frame.benchmark, frame.score, strict=True)
        return {(m, b): s for m, b, s in found}, frame, imported.notes

    return load


@pytest.fixture
def refuse(load):
    def refuse(content, what="scores", **options):
        data = content.encode() if isinstance(content, str) else content
        act = load if what == "scores" else partial(read_ratings, "folder/own.csv")
        with pytest.raises(BadDataError) as caught:
            act(data, **options)
        message = sentence(str(caught.value))
        assert message.startswith("own.csv")
        return message

    return refuse


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_what_spreadsheets_save_is_read(load, encoding, separator, end):
    text = f"{SCORES}Modèle-7B,,gpqa,0.31,\nModèle-7B,,bbh,0.5,\n"
    text = text.replace("\n", end).replace(",", separator)
    found, _, notes = load(text.encode(encoding))
    assert found == {("Modèle-7B", "gpqa"): 0.31, ("Modèle-7B", "bbh"): 0.5}
    said = [note for note in notes if "was read as" in note]
    assert len(said) == (encoding in ("utf-16", "cp1252"))
    assert encoding != "cp1252" or said == ["The file is not UTF-8; it was read as WINDOWS-1252."]


@pytest.mark.parametrize("after", ["", "c,,gpqa,0.7,\n"])
def test_a_quotation_mark_that_is_not_closed_takes_no_row_with_it(refuse, after):
    message = refuse(f'{SCORES}a,,gpqa,0.5,\n"b,,gpqa,0.6,\n{after}')
    assert message.startswith(
        "own.csv, row 3: it is not a readable CSV file: a quotation mark is left open"
    )


def test_separator_line_quotes_spare_columns_and_order(load):
    text = 'sep=;\r\n"Score";"Benchmark";"Model";"Ward";;\r\n"0.5";"gpqa";"m";"3 East";;\r\n'
    found, _, notes = load(text)
    assert found == {("m", "gpqa"): 0.5}
    assert notes == ('These columns were skipped: "ward".',)


@pytest.mark.parametrize(
    ("what", "head", "row"),
    [("scores", SCORES, "m,,gpqa,0.5,"), ("ratings", RATINGS, "a,jury,1,2")],
)
def test_every_kind_of_sheet_is_read_within_the_same_limits(refuse, what, head, row):
    assert refuse("", what) == "own.csv: it is empty."
    assert "a web page" in refuse("<html>", what)
    assert refuse(head, what) == "own.csv: it has a header and no rows."
    assert "no rows" in refuse(head + "," * head.count(",") + "\n", what)
    column = head.split(",", maxsplit=1)[0]
    less = head.removeprefix(f"{column},")
    assert refuse(less + "x\n", what) == f'own.csv, row 1: the column "{column}" is missing.'
    twice = head.replace(column, f"{column},{column}")
    assert refuse(twice, what) == f'own.csv, row 1: the column "{column}" comes twice.'
    n = head.count(",") + 1
    said = f"row 2: it has {n + 1} cells and the header {n}; write decimals with a point"
    assert said in refuse(f"{head}{row}{',x' * (n - row.count(','))}\n", what)
    assert "more than 100 columns" in refuse("score,rater,gate" + "," * 200 + "\n", what)
    assert "not a readable CSV file" in refuse(f'{head}"{"x" * 200_000}"\n', what)


@pytest.mark.parametrize(
    ("head", "rows", "words"),
    [
        (SCORES, "m,,pubmedqa,0.5,\n", "choose the suite and upload it again"),
        (SCORES, "m,,pubmedqa,0.5,\nm,,zzz,0.5,\n", 'such as "zzz": choose the suite and use'),
        (SCORES, "m,,gpqa,0.5,\nm,,aci_bench,3,\n", "use its template"),
        (RATINGS, "a,nurse,1,2\n", 'row 2: the role "nurse" is neither clinician nor'),
        (RATINGS, "\n\na,,1,2\n", 'row 4: the role "" is neither'),
        (RATINGS, ",jury,1,2\n", "row 2: the rater is missing or not text."),
        (RATINGS, "a,jury,,2\n", "row 2: the instance is missing or not text."),
        (RATINGS, f"{'x' * 300},jury,1,2\n", "longer than 200 characters"),
        (RATINGS, "a,jury,1,nan\n", 'row 2: the score "nan" is not a number'),
        (RATINGS, "a,jury,1,1e10\n", 'score "1e10" is beyond 1,000,000,000.'),
        (RATINGS, "a,jury,1,4\na,clinician,2,4\n", "is a clinician here and a jury ab"),
        (RATINGS, "a,jury,1,4\na,jury,1,5\n", "row 3: this rater has scored this instance alre"),
        (RATINGS, "a,jury,1,\n" * 20_001, "more than 20,000 rows"),
        (RATINGS, "".join(f"{i},jury,1,2\n" for i in range(51)), "51 raters, and at"),
        (RATINGS, "".join(f"a,jury,{i},2\n" for i in range(2001)), "2,001 instances,"),
    ],
)
def test_a_fault_is_one_sentence_with_its_place(refuse, head, rows, words):
    assert words in refuse(head + rows, "scores" if head == SCORES else "ratings")
    strange = 'columns "rater", "role", "instance", "score" are missing'
    for what, said in (("scores", "not one of the formats"), ("ratings", strange)):
        assert said in refuse("a,b\n1,2\n", what)


def test_the_template_lists_the_benchmarks_and_reads_back(bundled, load, refuse):
    for suite, benchmarks in bundled.catalogue.benchmarks.items():
        data = template(suite, bundled.catalogue)
        assert data.startswith(b"\xef\xbb\xbfmodel,run,benchmark,score,standard_error\r\n")
        assert data.count(b"\r\n") == len(benchmarks) + 1
        assert "holds no score" in refuse(data)
        first = benchmarks[0]
        row, value = f",,{first.id},,\r\n".encode(), first.scale_min
        filled = data.replace(row, f"own-model,,{first.id},{value:g},\r\n".encode(), 1)
        found, _, notes = load(filled, suite=suite)
        assert found == {("own-model", first.id): value}
        assert len(benchmarks) == 1 or notes[0].endswith("skipped: no score.")
    with pytest.raises(BadRequestError, match="There is no suite"):
        template("nowhere", bundled.catalogue)


def test_a_filled_template_keeps_runs_and_gaps(load):
    _, frame, notes = load(
        SCORES
        + "lab/m,first,gpqa,0.31,0.013\nlab/m,second,gpqa,0.33,\nlab/m,second,bbh,,\n,,,,\n"
        + '"=HYPERLINK(""x"")",,GPQA,0,\n\'+odd,,MATH level 5,1,0\n'
    )
    assert list(frame.model) == ["lab/m", "lab/m", '=HYPERLINK("x")', "+odd"]
    assert list(frame.score) == [0.31, 0.33, 0, 1]
    runs = [run.partition("@")[0] for run in frame.run[:2]]
    assert runs == ["local:lab/m [first]", "local:lab/m [second]"]
    assert notes == ("1 row was skipped: no score.",)


def test_a_protocol_is_the_suites_default_or_its_own_column(load, refuse):
    _, frame, notes = load(SCORES + "m,,cMedQA,40,\n")
    assert list(frame.protocol) == ["zero-shot"]
    assert "taken as zero-shot" in notes[0]
    header = "model,benchmark,score,protocol\n"
    _, frame, _ = load(header + "m,cMedQA,40,few-shot\nm,cMedQA,30,zero-shot\n")
    assert list(frame.protocol) == ["few-shot", "zero-shot"]
    assert '"guess"' in refuse(header + "m,cMedQA,40,guess\n")


@pytest.mark.parametrize(
    ("suite", "rows", "is_told"),
    [
        ("bridge", "m,,cMedQA,0.62,\nm,,BrainMRI-AIS,0.4,\n", True),
        ("bridge", "m,,cMedQA,0.62,\nm,,BrainMRI-AIS,40,\n", False),
        ("bridge", "m,,cMedQA,0.62,\nbetter,,cMedQA,1.5,\n", False),
        ("bridge", "m,,cMedQA,0,\n", False),
        ("vectara-hhem", "m,,{errors},0.7,\n", False),
        ("open-llm-v2", "m,,gpqa,0.5,\n", False),
    ],
    ids=["shares", "one low", "another model", "none right", "errors", "of 0 to 1"],
)
def test_scores_that_look_like_shares_are_told(load, bundled, suite, rows, is_told):
    tests = bundled.catalogue.benchmarks[suite]
    errors = next((it.id for it in tests if (it.scale_max, it.lower_is_better) == (100, True)), "")
    _, _, notes = load(SCORES + rows.format(errors=errors), suite=suite)
    said = "No score is above 1 on a scale of 0 to 100: if they are shares, multiply them by 100."
    assert (said in notes) == is_told


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (",,gpqa,0.5,", "the model's name is missing"),
        ("m,,,0.5,", "the benchmark is missing"),
        ("m,,wildbench,0.5,", 'the benchmark "wildbench" is not one of Open LLM Leaderboard v2'),
        ('m,,gpqa,"0,5",', '"0,5" has a decimal comma: write "0.5"'),
        ("m,,gpqa,0,85", 'write "0.85" or decimals in both'),
        ("m,,gpqa,50%,", "without the percent sign"),
        ("m,,gpqa,50,", "divide a percentage by 100"),
        ("m,,gpqa,=1+1,", '"=1+1" is not a number'),
        ("m,,gpqa,1e999,", "is not a number"),
        ("m,,gpqa,1_0,", "is not a number"),
        ("m,,gpqa,0.5,-0.1", "standard error"),
        ("m,,gpqa,0.5,x", 'the standard error "x" is not a number'),
        ("lab/m,,gpqa,0.5,", "has a second score on GPQA"),
    ],
)
def test_faults_of_scores_name_the_row(refuse, line, word):
    message = refuse(f"{SCORES}lab/m,,gpqa,0.4,\n{line}\n", suite="open-llm-v2")
    assert message.startswith("own.csv, row 3: ")
    assert word in message


def test_a_mistyped_benchmark_among_those_of_a_suite_names_its_row(refuse):
    """Of no suite chosen: MuSR and MMLU-Pro are of one suite alone."""
    rows = "m,,musr,0.4,\nm,,mmlu_pro,0.5,\nm,,mmlu_prq,0.5,\n"
    said = 'own.csv, row 4: the benchmark "mmlu_prq" is not one of Open LLM Leaderboard v2'
    assert refuse(f"{SCORES}{rows}").startswith(said)
    assert refuse(f"{SCORES}m,,,0.5,\n") == "own.csv, row 2: the benchmark is missing or not text."


def test_ratings_are_read_and_a_gap_is_never_zero():
    rows = "Dr A,clinician,note 1,4\nDr A,Clinician,note 2,3.5\nPanel, JURY ,note 2,-1e0\n"
    found = read_ratings("own.csv", f"{RATINGS}{rows}Panel,jury,note 3,n/a\n".encode())
    assert found.raters == ("Dr A", "Panel")
    assert found.in_jury == (False, True)
    assert found.instances == ("note 1", "note 2")
    assert np.array_equal(found.scores, [[4, np.nan], [3.5, -1]], equal_nan=True)
    assert found.notes == (
        "1 row was skipped: no score.",
        "own.csv: ids of cases may tell who a patient is (2 with blanks): use codes.",
    )


def test_a_filled_in_template_of_ratings_is_read(refuse):
    empty = ratings_template()
    assert empty.startswith(b"\xef\xbb\xbfrater,role,instance,score\r\n")
    assert "has no score" in refuse(empty, "ratings")
    filled = empty.decode("utf-8-sig").replace(",\r\n", ",4\r\n").encode("utf-8-sig")
    found = read_ratings("own.csv", filled)
    assert found.raters == ("Clinician A", "Clinician B", "Jury")
    assert found.in_jury == (False, False, True)
    assert found.scores.shape == (3, 3)

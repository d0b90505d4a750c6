"""The page that compares a hospital's jury with its clinicians."""

import numpy as np
import pytest
from reading import said

PAGE = "local_test/jury"


def csv_of(*raters):
    """Write ratings of (name, role, scores by instance); ``None`` for a gap."""
    lines = ["rater,role,instance,score"]
    for name, role, scores in raters:
        lines += [f"{name},{role},n{i},{s}" for i, s in enumerate(scores) if s is not None]
    return "\n".join(lines).encode()


A = [1, 2, 3, 4, 5, 2, 3, 4, 1, 5, 3, 2]
B = [1, 3, 3, 4, 4, 2, 2, 5, 1, 4, 3, 2]


@pytest.fixture
def upload(visit):
    def run(content):
        at = visit(PAGE)
        at.file_uploader(key="ratings_file").set_value(("own.csv", content, "text/csv")).run()
        assert not at.exception, at.exception
        return at

    return run


def test_the_answer_stands_in_words_and_table(upload):
    at = upload(csv_of(("A", "clinician", A), ("B", "clinician", B), ("J", "jury", B[:10])))
    assert not at.error
    table = at.dataframe[0].value
    assert list(table["Compared"][:7]) == [
        "Your jury and the mean of your clinicians",
        "Two of your clinicians, average over pairs",
        "Your jury and the clinicians without A",
        "A and the clinicians without A",
        "Your jury and the clinicians without B",
        "B and the clinicians without B",
        "A and B",
    ]
    r = np.corrcoef(A, B)[0, 1]
    assert table["Agreement"][1] == pytest.approx(2 * r / (1 + r))
    assert table["Agreement"][6] == pytest.approx(2 * r / (1 + r))
    published = table[table["Compared"].str.startswith("MedHELM")]
    assert list(published["Agreement"]) == [0.474, 0.426, 0.305, 0.458, 0.625, 0.52]
    assert list(table["Instances"][:3].astype(object).fillna(0)) == [10, 0, 10]
    assert f"{table['Agreement'][0]:.2f} (" in said(at)
    assert "n10: not scored" in said(at)


def test_the_finding_follows_the_interval_and_too_few_is_a_calm_sentence(upload):
    for jury, finding in [
        ([5 - s for s in A], "less than one of them agrees with the others"),
        (A, "Your jury agrees with your clinicians"),
    ]:
        others = [s + (i % 3 == 0) for i, s in enumerate(A)]
        at = upload(csv_of(("A", "clinician", A), ("B", "clinician", others), ("J", "jury", jury)))
        assert finding in said(at)
    for kind, content, words in [
        ("info", csv_of(("A", "clinician", A)), "no rater with the role jury"),
        ("info", csv_of(("A", "clinician", A[:2]), ("J", "jury", B[:2])), "at least 3 instances"),
        ("error", b"a,b\n1,2\n", "columns"),
        ("error", csv_of(("A", "nurse", A)), 'own.csv, row 2: the role "nurse" is neither'),
        (
            "error",
            csv_of(("A", "clinician", [3] * 5), ("J", "jury", B)),
            "A gives every instance the same",
        ),
    ]:
        at = upload(content)
        assert (len(at.info), len(at.error)) == ((1, 0) if kind == "info" else (0, 1))
        assert words in getattr(at, kind)[0].value.replace("\\", "")
    at = upload(
        csv_of(("A", "clinician", [*A, 1]), ("J", "jury", B), ("**B**", "clinician", [3])),
    )
    shown = [caption.value for caption in at.caption if "one instance only" in caption.value]
    assert len(shown) == 1
    assert shown[0].startswith("\\*\\*B\\*\\*")

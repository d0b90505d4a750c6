"""Plain English, and one name for each thing: the words that are not used, anywhere."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
INSTEAD = {
    "anew": "again",
    "on the mean": "on average",
    "let go": "discarded, deleted, released",
    "nobody says": "no source says",
    "passed over": "skipped, left out",
    "of another day": "from another day",
    "made otherwise": "made differently",
    "takes down": "records",
    "may be first": "could be the best",
    "must-have": "required condition",
    "hangs on": "depends on",
    "take down": "record",
}
# Words that are plain in one use and not in another, each with the use that is not.
IN_A_SENTENCE = {
    "next to, as well as, apart from": r"\bbeside (the|a|an|it|its|them|that|this|these|each|every|"
    r"another|others|one)\b",
    "this many, this much": r"\b(at most|at least|of|by|for|only) so (many|much)\b",
    "is, is listed, appears": r"\bstands? (in|at|on|first|there|beside|behind|above|below|under) ",
    "whoever, a person who, a caller that": r"(\"\"\"|\. )Who (asks|waits|has|holds|runs|wants)\b",
}
STAND_IN = r"stands? in( for\b|[.;]| place| as plain| suites called)|stand-in"
ENDINGS = (".py", ".csv", ".md", ".j2", ".toml", ".txt")
LEFT_OUT = ("data/", "CHANGELOG.md", "requirements", "tests/test_words.py")
FILES = [
    name
    for name in subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()
    if name.endswith(ENDINGS) and not name.startswith(LEFT_OUT)
]


def places_of(pattern):
    """Files and numbers of the lines that have it."""
    wanted = re.compile(pattern, re.IGNORECASE)
    return [
        f"{name}:{number}"
        for name in FILES
        for number, line in enumerate((ROOT / name).read_text("utf-8").splitlines(), start=1)
        if wanted.search(line)
    ]


@pytest.mark.parametrize("word", INSTEAD)
def test_a_word_of_the_list_is_nowhere(word):
    found = places_of(rf"\b{re.escape(word)}\b")
    assert not found, f"say {INSTEAD[word]} in {', '.join(found[:9])}"


@pytest.mark.parametrize("instead", IN_A_SENTENCE)
def test_a_word_is_not_used_in_its_other_sense(instead):
    found = places_of(rf"^(?!.*({STAND_IN})).*{IN_A_SENTENCE[instead]}")
    assert not found, f"say {instead} in {', '.join(found[:9])}"


def test_what_something_is_not_is_said_with_not():
    """Not "is no number" but "is not a number"; "there is no" and "is no longer" are plain."""
    plain = "longer|more|larger|laxer|dearer|better|worse|such|other|use"
    found = places_of(rf"(?<!there )\b(is|are) no (?!{plain})")
    assert not found, ", ".join(found[:20])

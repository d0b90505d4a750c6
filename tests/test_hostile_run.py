"""Thousands of hostile links, command lines and files: each is read or refused, soon and cleanly.

Each input is made from its number alone, so that one which breaks something can be made again;
only workbooks hold the time, too. What came of a run is printed:
``pytest -s tests/test_hostile_run.py``.
"""

import csv
import gzip
import io
import re
import shlex
import signal
import time
import zipfile
from contextlib import contextmanager
from json import dumps
from pathlib import Path
from random import Random
from urllib.parse import urlencode

import pytest

from core.commands import told
from core.domain import FormularyError
from core.results import read, read_own_scores, read_patients
from core.results.sheets import read_ratings
from core.sharing.link import from_query, parse_url
from tests.conftest import SHARED
from tests.pages.hostile import KEYS, TEXTS, WORDS
from tests.results.samples_of_items import AVERAGES, everything, sentence

pytestmark = pytest.mark.tools

LINKS, COMMAND_LINES, FILES = 3000, 350, 4000
HANGS_S, MOST_MB = 10, 200
"""For one input, and for all of a run together beyond what was held before."""


class HangsError(BaseException):
    """Not an Exception, so that no reader takes it for a fault of its file."""


@contextmanager
def guarded():
    def stop(*_):
        raise HangsError(f"it took more than {HANGS_S} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, HANGS_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def memory_mb(line):
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0
    return int(re.search(rf"{line}:\s+(\d+)", status.read_text())[1]) / 1024


def all_end_well(what, times, made, tried):
    """Try each input, which says for each reader whether it was read; say what came of all."""
    if (peak := Path("/proc/self/clear_refs")).exists():
        peak.write_text("5")  # the highest memory so far counts from here
    before, begun = memory_mb("VmRSS"), time.monotonic()
    ends, broken, slowest = [], [], (0.0, 0)
    for number in range(times):
        given = made(Random(f"{what} {number}"))
        started = time.monotonic()
        try:
            with guarded():
                ends += tried(given)
        except (Exception, HangsError) as fault:
            broken.append(f"{what} {number}: {fault!r:.300} of {given!r:.500}")
        slowest = max(slowest, (time.monotonic() - started, number))
    grown = memory_mb("VmHWM") - before
    print(
        f"\n{times:,} {what}: {sum(ends):,} read, {len(ends) - sum(ends):,} refused, {len(broken)} "
        f"broken, in {time.monotonic() - begun:.0f} s; slowest {1000 * slowest[0]:.0f} ms "
        f"(number {slowest[1]}), {grown:.0f} MB more memory at most"
    )
    assert not broken, "\n".join([f"{len(broken)} broke something", *broken[:9]])
    assert 0 < sum(ends) < len(ends), "all were read, or none: they try nothing"
    assert grown < MOST_MB


MOST_OF_A_LINK = 1_500_000
"""Streamlit reads no longer address."""


def several(random, of, most=4):
    return "".join(random.choices(of, k=random.randint(1, most)))


def said(random):
    """A text as it is, a mixture, one with a sign changed, or one many times."""
    text = random.choice((*WORDS, *TEXTS))
    how = random.randrange(6)
    if how == 0:
        return several(random, TEXTS)
    if how == 1:
        return (text * random.choice((2, 50, 400)))[:20_000]
    if how == 2:
        at = random.randrange(len(text))
        return text[:at] + chr(random.randrange(0x300)) + text[at + random.randint(0, 2) :]
    return text


def link(random):
    names = (*KEYS, "x", "", *TEXTS[:3])
    pairs = [(random.choice(names), said(random)) for _ in range(random.choice((1, 3, 9, 60)))]
    if random.random() < 0.2:
        pairs *= 20
    query = urlencode(pairs, errors="surrogatepass")
    how = random.randrange(4)
    if how == 0:
        query = "&".join(f"{key}={value}" for key, value in pairs)
    elif how == 1:
        for _ in range(random.randint(1, 9)):
            at = random.randrange(len(query))
            query = query[:at] + random.choice(("%", "%zz", "%ff", "&", "=", "#", "?")) + query[at:]
    elif how == 2:
        query = query[: random.randrange(len(query))]
    before = random.choice(("", "?", "x?", "https://host/?", "http://[x?", "//?", "é\0?"))
    return before + query[:MOST_OF_A_LINK]


def test_a_hostile_link_opens_with_notes_of_one_line_each(bundled):
    def tried(address):
        notes = from_query(parse_url(address), bundled.catalogue, bundled.snapshots).notes
        for note in notes:
            assert note.isprintable(), note
            assert len(note) < 300, note
        return [not notes]

    all_end_well("links", LINKS, link, tried)


def scores(suite_columns, rows):
    text = io.StringIO()
    csv.writer(text).writerows([suite_columns.split(","), *(row.split(",") for row in rows)])
    return text.getvalue().encode()


def samples():
    """Return small files that can be read, alone or with those that belong to them."""
    found = [*everything().values()]
    found += [[("a/b/results_1.json", dumps(document).encode())] for document in AVERAGES]
    head = "model,run,benchmark,score,standard_error"
    found.append([("own.csv", scores(head, ["m,,aci_bench,4.2,0.1", "n,,medec,0.5,"]))])
    found.append([("ours.csv", scores("rater,role,instance,score", ["A,jury,i1,3", "B,x,i1,4.5"]))])
    found.append([("cases.csv", b"case,patient\nc1,p1\nc2,p2\n")])
    shared = SHARED / "samples"
    for path in sorted([*shared.glob("*.*"), *shared.glob("items/*.*")]):
        found.append([(path.name, path.read_bytes())])
    if (run := shared / "items" / "helm_hellaswag_pythia").is_dir():
        found.append([(f"run/{path.name}", path.read_bytes()) for path in sorted(run.iterdir())])
    return found


def lied(random, data):
    """Put another number into a header of an archive, and anywhere in a file that is none."""
    heads = [it.start() for it in re.finditer(rb"PK(\x01\x02|\x03\x04|\x05\x06|\x06\x07)", data)]
    at = random.choice(heads or [0]) + random.randint(4, 45)
    number = random.choice((0, 1, 2**16 - 1, 2**31, 2**32 - 1, random.randrange(2**32)))
    size = random.choice((2, 4))
    return data[:at] + (number % 2 ** (8 * size)).to_bytes(size, "little") + data[at + size :]


def inside(random, data):
    """Change one part of an archive and pack all again, so that its headers say the truth."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = [(name, archive.read(name)) for name in archive.namelist()]
    except Exception:  # it is not an archive, or no longer one
        return changed(random, data)
    which, buffer = random.randrange(len(parts)), io.BytesIO()
    with zipfile.ZipFile(buffer, "w", random.choice((zipfile.ZIP_STORED, 8, 12))) as archive:
        for number, (name, content) in enumerate(parts):
            archive.writestr(name, changed(random, content) if number == which else content)
    return buffer.getvalue()


SPLICED = (*(text.encode("utf-8", "surrogatepass") for text in TEXTS), b"[" * 3000, b'{"a":' * 3000)
SPLICED += (b"\xff\xfe", b"\\ud800", b'"', b"\n" * 3000, b",", b"PK\x03\x04", b"\x28\xb5\x2f\xfd")


def changed(random, data):
    """Change some bytes: flip bits, cut, repeat, put another text there, or lie in a header."""
    at = random.randrange(len(data) + 1)
    end = min(len(data), at + random.choice((1, 8, 200, 5000)))
    numbers = [it.span() for it in re.finditer(rb"-?\d+(\.\d+)?", data)] or [(at, end)]
    begin, stop = random.choice(numbers)
    flipped = bytearray(data)
    for _ in range(random.choice((1, 5, 50)) if data else 0):
        flipped[random.randrange(len(data))] ^= 1 << random.randrange(8)
    ways = (
        lambda: data[:at],
        lambda: data[:at] + data[end:],
        lambda: data[:end] + data[at:end] * random.choice((1, 2, 40)) + data[end:],
        lambda: data[:at] + random.choice(SPLICED) + data[random.choice((at, end)) :],
        lambda: data[:begin] + random.choice(SPLICED) + data[stop:],
        lambda: lied(random, data),
        lambda: bytes(flipped),
        lambda: bytes(flipped),
    )
    return random.choice(ways)()


def wrapped(random, data):
    """Give the whole in another coat: another encoding, packed, twice, or after another file."""
    how = random.randrange(5)
    if how == 0:
        return data.decode("utf-8", "replace").encode(random.choice(("utf-16", "utf-16-be")))
    if how == 1:
        return gzip.compress(data)
    if how == 2:
        return data * random.choice((2, 9))
    if how == 3:
        return random.choice(random.choice(SAMPLES))[1] + data
    return b"\xef\xbb\xbf" + data


SAMPLES = samples()


def files(random):
    """Return the files of one sample, one of them changed, at times under a wrong name."""
    given = list(random.choice(SAMPLES))
    which = random.randrange(len(given))
    name, data = given[which]
    for _ in range(random.choice((1, 1, 2, 4))):
        data = random.choice((changed, changed, inside, wrapped))(random, data)
    if random.random() < 0.2:
        name = random.choice(("../x.csv", "a/b/c.json", "a.eval", "", said(random)))
    given[which] = name, data
    return given if random.random() < 0.9 else given[which:]


def test_a_mutated_file_is_read_or_refused_by_both_readers(bundled):
    suites = (None, None, "medhelm", "bridge", "open-llm-v2", "nothing")

    def tried(given):
        suite = suites[len(given[0][1]) % len(suites)]
        readers = [lambda: is_sound(read(given))]
        for name, data in given:
            readers += [
                lambda n=name, d=data: read_own_scores(n, d, bundled.catalogue, suite=suite),
                lambda n=name, d=data: read_ratings(n, d),
                lambda n=name, d=data: read_patients(n, d),
            ]
        return [ended(reader) for reader in readers]

    all_end_well("files", FILES, files, tried)


def is_sound(results):
    assert results.frame["score"].between(0, 1).all()
    assert all(text.isprintable() for text in (*results.passed_over, *results.frame["model"]))


def ended(reader):
    try:
        reader()
    except FormularyError as fault:
        sentence(str(fault))
        return False
    return True


# A whole line of each command; "N.x" is a file that lies there, whole or changed.
WHOLE = """
taxonomy --suite medhelm
redundancy --suite open-llm-v2
redundancy --across
win-rates --suite medhelm --category "Clinical Note Generation"
model gpt-5.2
compare gpt-5.2 gpt-4o
equivalents --suite open-medical-llm --model google/gemma-2b --margin 0.05
pair --suite open-llm-v2 --a 01-ai/Yi-1.5-9B-32K --b abacusai/Liberated-Qwen1.5-14B
shortlist --suite bridge --access open --task documentation
shortlist --link "?evidence=BRIDGE&budget=100&margin=2"
recommend --suite medhelm --where own --weight "Clinical Note Generation=2"
recommend --in-place-of gpt-4o --profile eu
market --language Spanish
watch --due-days 30 --ics days.ics
benchhealth
plan --margin 0.05 --discordance 0.2
plan --worth --models "GPT-4o (2024-05-13),Llama 3.3 Instruct (70B)" --suite medhelm
package --protocol 0.json --out out.zip
read-results 1.csv 2.csv
verdict 3.csv --a big --b small --margin 0.1
snapshots
import medhelm 4.csv --revision v9 --source-url https://x --licence MIT
refresh nobody
keys
check
diff medhelm/v4.0.0 medhelm/v9
"""
LINES = [shlex.split(line) for line in WHOLE.strip().splitlines()]


def test_a_hostile_command_line_ends_with_one_line(cli, bundled, data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # What is written goes to a folder of its own; what is read is the bundled evidence.
    monkeypatch.setattr(told, "open_store", lambda: bundled)
    commands = re.findall(r"^    ([a-z-]+)(?:  |$)", cli("--help")[1], re.M)
    assert {line[0] for line in LINES} == set(commands), "a command is not in the run"
    options = {
        each: re.findall(r"^  (--[a-z-]+)", cli(each, "--help")[1], re.M) for each in commands
    }
    names = []
    for number, files_of_one in enumerate(SAMPLES):
        name, content = files_of_one[-1]
        whole, spoilt = f"{number}{Path(name).suffix}", f"{number}.spoilt"
        Path(whole).write_bytes(content)
        Path(spoilt).write_bytes(changed(Random(number), content))
        names += [whole, spoilt]

    def value(random):
        # No argument of a process holds a null byte, and no path here begins at the root.
        text = random.choice((said(random), said(random), *random.sample(names, 2)))
        return text.replace("\0", "").lstrip("/")

    def line(random):
        words = list(random.choice(LINES))
        for _ in range(random.choice((0, 1, 1, 2, 5))):
            at, how = random.randint(1, len(words)), random.randrange(5)
            if how == 0:
                del words[at : at + 1]
            elif how == 1 and at < len(words):
                words[at] = value(random)
            elif how == 2:
                words[at:at] = [value(random)]
            else:
                words += [random.choice(options[words[0]]), value(random)][: random.randint(1, 2)]
        # The sources of a renewal are not asked here; an unknown one is refused before that.
        return [*words, *["nobody"] * (words[0] == "refresh"), *["--json"] * random.randint(0, 1)]

    def tried(words):
        status, out, err = cli(*words)
        assert status in (0, 1, 2, 3), status
        assert all(len(each) < 1500 for each in err.splitlines()), err
        assert {sign for sign in err if not sign.isprintable()} <= {"\n"}, err
        assert "Traceback" not in out + err
        if status > 1 and words[0] not in ("snapshots", "refresh"):
            assert (out, err[:7], err.count("\n")) == ("", "error: ", 1)
        return [status < 2]

    all_end_well("command lines", COMMAND_LINES, line, tried)

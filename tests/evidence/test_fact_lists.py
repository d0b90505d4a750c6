"""Public lists of prices and ends of sale: taken whole from a server, or refused in a sentence."""

import hashlib
import json
import shutil
import time
from dataclasses import replace
from datetime import date

import pytest

from core.__main__ import main
from core.answers.data import list_changes, of_list
from core.domain import (
    PRICED_THERE,
    BadDataError,
    FactList,
    Lifecycle,
    ListKey,
    ListRow,
    Region,
)
from core.evidence import fact_lists
from core.evidence.fact_lists import GENAI_PRICES, LITELLM
from core.evidence.store import open_store
from core.sources import lists
from core.sources.hub import STAYS, Hub, fetched
from core.sources.refresh import refresh
from tests.conftest import DATA
from tests.evidence import hub_server
from tests.evidence.conftest import one_sentence, refused

VARIABLES = {name: source.variable for name, source in lists.SOURCES.items()}


@pytest.fixture
def server(monkeypatch):
    with hub_server.serving(hub_server.Files) as found:
        found.body = b"{}"
        for name, variable in VARIABLES.items():
            monkeypatch.setenv(variable, f"{found.url}/{name}.json")
        yield found


@pytest.fixture
def data(data):
    shutil.rmtree(data / "facts")
    return data


def take(data, name=LITELLM):
    return refresh(data, name, Hub(token=""), known_benchmarks={})


def entry(**more):
    about = {"mode": "chat", "litellm_provider": "bedrock", "source": "https://aws.amazon.com/x"}
    return about | {"input_cost_per_token": 2.5e-07, "output_cost_per_token": 1e-06} | more


SOLD = {
    "sample_spec": {"mode": "one of: chat", "input_cost_per_token": "a number"},
    "eu.lab.model-v1:0": entry(
        deprecation_date="2027-03-30",
        cache_read_input_token_cost=3e-08,
        input_cost_per_token_above_200k_tokens=5e-07,
        output_cost_per_token_above_200k_tokens=2e-06,
        input_cost_per_token_above_200k_tokens_batches=1e-07,
    ),
    "lab/free": entry(input_cost_per_token=0, output_cost_per_token=None, source="javascript:x"),
    "a-picture": {"mode": "image_generation", "litellm_provider": "<b>"},
}


def priced(*steps, **more):
    model = {"id": "lab/m", "prices": list(steps) if len(steps) > 1 else steps[0], **more}
    urls = ["https://vendor.example/prices"]
    return [{"id": "vendor", "name": "Vendor", "pricing_urls": urls, "models": [model]}]


def rates(read, written, **more):
    return {"input_mtok": read, "output_mtok": written, **more}


def rates_of(row):
    read, written = row.input_usd_per_mtok, row.output_usd_per_mtok
    return row.above_tokens, read, written, row.cache_read_usd_per_mtok


def rows(data, about):
    return fact_lists.read_list(data / "facts" / about.list / about.revision)


def test_a_list_is_taken_read_and_not_taken_twice(server, data):
    server.body = json.dumps(SOLD).encode()
    server.headers = {"Last-Modified": "Tue, 24 Nov 2026 08:00:00 GMT"}
    done = take(data)
    about = done.snapshot
    assert (about.as_of, about.n_entries, about.n_ends) == ("2026-11-24", 2, 1)
    assert (about.licence, about.source_url) == ("MIT", lists.SOURCES[LITELLM].address)
    assert done.message == (
        f"litellm is now {about.revision} of 2026-11-24: 2 entries, 1 with an end of sale."
    )
    assert about == fact_lists.verify_list(data / "facts" / LITELLM / about.revision)
    found = rows(data, about)
    plain, long = found["eu.lab.model-v1:0"]
    assert (plain.seller, plain.ends_on) == ("bedrock", "2027-03-30")
    assert [rates_of(it) for it in (plain, long)] == [(0, 0.25, 1, 0.03), (200_000, 0.5, 2, 0.03)]
    (free,) = found["lab/free"]
    assert (rates_of(free)[1:3], free.ends_on, free.source_url) == ((0, None), "", "")
    again = take(data)
    assert again.snapshot is None
    assert again.message == (
        f"litellm is already current: {about.revision} of 2026-11-24, read again today."
    )
    # The source says today what it said that day: so far its facts are of today.
    today = time.strftime("%Y-%m-%d", time.gmtime())
    (kept,), _ = fact_lists.check_lists(data / "facts")
    assert kept == replace(about, seen_on=today if today > "2026-11-24" else "")
    assert kept.said_on == max(today, "2026-11-24")
    assert not (data / ".store-staging").exists()
    # A changed file joins the older one; without a day from the server it is of today.
    server.body, server.headers = json.dumps(SOLD | {"new": entry()}).encode(), {}
    newer = take(data).snapshot
    assert newer.as_of == newer.retrieved_at == time.strftime("%Y-%m-%d", time.gmtime())
    known, faults = fact_lists.check_lists(data / "facts")
    assert ({it.revision for it in known}, faults) == ({about.revision, newer.revision}, ())


@pytest.mark.parametrize("address", ["mirror", "file:///etc/passwd", "https://"])
def test_an_address_of_a_list_that_is_none_is_named(address):
    with pytest.raises(BadDataError, match=f"^{address} is not an address such as https://"):
        fetched(address, 1_000)


def test_a_list_that_its_publisher_takes_back_is_in_force_again(server, data):
    """One list, another, then the first again: today's says what the first said."""
    first, other = json.dumps(SOLD).encode(), json.dumps(SOLD | {"new": entry()}).encode()
    for content, day in ((first, "Tue, 24 Nov 2026"), (other, "Thu, 26 Nov 2026")):
        server.body, server.headers = content, {"Last-Modified": f"{day} 08:00:00 GMT"}
        take(data)
    known, _ = fact_lists.check_lists(data / "facts")
    server.body = first
    back = take(data).snapshot
    now, faults = fact_lists.check_lists(data / "facts")
    assert (fact_lists.newest(now, LITELLM), faults) == (back, ())
    assert (back.sha256, back.as_of) == (known[0].sha256, back.retrieved_at)
    assert fact_lists.newest(now, LITELLM, on=date(2026, 11, 27)) == known[1]
    again = take(data)
    assert again.snapshot is None
    assert f"already current: {back.revision}" in again.message


def test_an_older_list_is_not_put_in_force_by_being_seen_twice(server, data):
    first, other = json.dumps(SOLD).encode(), json.dumps(SOLD | {"new": entry()}).encode()
    server.body, server.headers = first, {"Last-Modified": "Thu, 26 Nov 2026 08:00:00 GMT"}
    now = take(data).snapshot
    folder = data / "facts" / LITELLM
    manifest = folder / now.revision / "manifest.toml"
    text = manifest.read_text().replace(now.retrieved_at, "2026-11-27")
    manifest.write_text(text)
    server.body, server.headers = other, {"Last-Modified": "Tue, 24 Nov 2026 08:00:00 GMT"}
    stays = (
        "The source of litellm gave an older list, of 2026-11-24; "
        f"{now.revision} of 2026-11-26 stays in force."
    )
    for _ in range(2):
        done = take(data)
        assert (done.snapshot, done.message) == (None, stays)
    # Nor one that an earlier version of the program had written.
    old = fact_lists.verify_list(folder / now.revision)
    revision = hashlib.sha256(other).hexdigest()[:12]
    fact_lists.write_list(
        folder / revision,
        replace(old, revision=revision, as_of="2026-11-24", retrieved_at="2026-11-28"),
        lists.parsed_list(LITELLM, other),
    )
    assert take(data).message == stays
    known, _ = fact_lists.check_lists(data / "facts")
    assert fact_lists.newest(known, LITELLM) == old


def test_a_history_is_kept_by_day_length_and_hour(server, data):
    """By hand: the last price whose condition is met counts, the first where none is."""
    at_night = {"start_time": "16:30:00", "end_time": "00:30:00"}
    long = {"base": 3, "tiers": [{"start": 1000, "price": 6}]}
    server.body = json.dumps(
        priced(
            {"prices": rates(long, 9, cache_read_mtok=0.3)},
            {"constraint": {"start_date": "2026-03-13"}, "prices": rates(2, 8)},
            {"constraint": at_night, "prices": rates(1, 1)},
            deprecated=True,
        )
    ).encode()
    found = rows(data, take(data, GENAI_PRICES).snapshot)["vendor/lab/m"]
    told = [(it.from_day, *rates_of(it)[:3]) for it in found]
    assert told == [("", 0, 3, 9), ("", 1000, 6, 9), ("2026-03-13", 0, 2, 8)]
    assert {(it.seller, it.deprecated, it.source_url) for it in found} == {
        ("Vendor", True, "https://vendor.example/prices")
    }


HOSTILE = {
    "no JSON": (b"<html>", "row 1, column 1: not readable JSON"),
    "not UTF-8": (b'{"a\xff": 1}', "not UTF-8"),
    "another shape": (b"[1]", "an object with an entry for each model is expected"),
    "an entry that is none": ({"m": 7}, '"m": an object is expected'),
    "a price in words": ({"m": entry(input_cost_per_token="cheap")}, "'cheap' is not a price"),
    "a number in words": ({"m": entry(input_cost_per_token="1e-6")}, "is not a price"),
    "a negative price": ({"m": entry(output_cost_per_token=-1e-06)}, "-1e-06 is not a price"),
    "a price in dollars": ({"m": entry(input_cost_per_token=2.5)}, "2.5 is not a price"),
    "no number": (
        json.dumps({"m": entry(input_cost_per_token=float("nan"))}),
        "nan is not a price",
    ),
    "a truth value": ({"m": entry(input_cost_per_token=True)}, "True is not a price"),
    "too deep": (b'{"m":' + b"[" * 100_000, "too deep"),
    "a formula": ({"=cmd|x": entry()}, "is not the name of a model"),
    "HTML": ({"<img src=x>": entry()}, "is not the name of a model"),
    "a seller of another kind": (
        {"m": entry(litellm_provider=["x"])},
        "is not the name of a model",
    ),
    "no day": ({"m": entry(deprecation_date="soon")}, "'soon' is not a day"),
    "no factor": ({"m": entry(regional_endpoint_uplift_multiplier="1.1")}, "'1.1' is not a price"),
    "no price at all": ({"m": entry(input_cost_per_token=None)}, "holds no price"),
    "too many rows": ({f"m{i}": entry() for i in range(50_001)}, "over 50,000 rows"),
    "too large": (b" " * 16_000_001, "is larger than 16,000,000 bytes"),
    "half of it gone": ({"m": entry()}, "has 1 entries where the snapshot .* has 3"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_no_such_list_is_refused_and_changes_nothing(server, data, what):
    server.body = json.dumps({f"m{i}": entry() for i in range(3)}).encode()
    kept = take(data).snapshot
    body, said = HOSTILE[what]
    server.body = json.dumps(body).encode() if isinstance(body, dict) else body
    server.body = server.body.encode() if isinstance(server.body, str) else server.body
    assert STAYS in one_sentence(refused(BadDataError, said, take, data))
    assert fact_lists.check_lists(data / "facts") == ((kept,), ())
    assert not (data / ".store-staging").exists()


SOON = priced({"constraint": "soon", "prices": rates(1, 1)}, {"prices": rates(1, 1)})
NO_START = priced(rates({"base": 1, "tiers": [{"price": 2}]}, 1))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "a list of objects is expected"),
        (NO_START, "is not a number of tokens"),
        (SOON, "a condition or rates of another shape"),
        ([{"id": "v", "name": "V", "models": ["m"]}], "a list of objects"),
    ],
)
def test_genai_prices_of_another_shape_are_refused(body, said):
    data = json.dumps(body).encode()
    one_sentence(refused(BadDataError, said, lists.parsed_list, GENAI_PRICES, data))


@pytest.mark.parametrize("spoilt", ["altered", "missing", "of another list"])
def test_a_snapshot_that_is_not_what_it_says_is_a_fault(server, data, spoilt):
    server.body = json.dumps(SOLD).encode()
    about = take(data).snapshot
    folder = data / "facts" / LITELLM / about.revision
    if spoilt == "of another list":
        shutil.copytree(folder, data / "facts" / GENAI_PRICES / about.revision)
    elif spoilt == "missing":
        (folder / "rows.csv").unlink()
    else:
        (folder / "rows.csv").write_text((folder / "rows.csv").read_text().replace("0.25", "0.02"))
    _, (fault,) = fact_lists.check_lists(data / "facts")
    one_sentence(fault.message)
    if spoilt == "altered":
        refused(BadDataError, r"was altered.*: delete that folder and refresh", take, data)


def test_the_list_in_force_is_the_newest_that_is_not_younger():
    known, _ = fact_lists.check_lists(DATA / "facts")
    first = fact_lists.newest(known, GENAI_PRICES)
    later = replace(first, as_of="2027-01-05")
    both = (first, later)
    assert fact_lists.newest(both, GENAI_PRICES, date(2027, 1, 4)) is first
    assert fact_lists.newest(both, GENAI_PRICES, date(2027, 1, 5)) is later
    assert fact_lists.newest(both, GENAI_PRICES, date(2020, 1, 1)) is first
    assert fact_lists.newest(both, GENAI_PRICES) is later
    assert fact_lists.newest(both, "no such list") is None


def test_the_command_refreshes_a_list(server, bundled_snapshot, capsys):
    bundled_snapshot("noharm")
    server.body = json.dumps(SOLD).encode()
    assert main(["refresh", "litellm", "--json"]) == 0
    (done,) = json.loads(capsys.readouterr().out)
    assert done["new_revision"] in done["message"]
    server.body = b"<html>"
    assert main(["refresh", "litellm"]) == 3
    assert "error: litellm: The list litellm, row 1" in capsys.readouterr().err


def test_keys_are_what_they_say(bundled):
    """Ten joins looked up by hand; a name without a version joins nothing."""
    known = {it.key: it for it in bundled.catalogue.list_keys}
    azure, aws, google = "Azure OpenAI / Azure AI Foundry", "AWS Bedrock", "Google Vertex AI"
    for key, product, platform, region, date_is in (
        ("azure/eu/gpt-5.6-sol", "GPT-5.6 sol", azure, "EU", ""),
        ("azure/gpt-4o-2024-05-13", "GPT-4o (2024-05-13)", azure, "", "end"),
        ("eu.anthropic.claude-opus-4-6-v1", "Claude Opus 4.6", aws, "EU", ""),
        ("global.anthropic.claude-opus-4-6-v1", "Claude Opus 4.6", aws, "global", ""),
        ("us.deepseek.r1-v1:0", "DeepSeek R1 (2025-01-20)", aws, "US", ""),
        ("deepseek.r1-v1:0", "DeepSeek R1 (2025-01-20)", aws, "", "end"),
        ("meta.llama3-3-70b-instruct-v1:0", "Llama 3.3 70B Instruct", aws, "", "end"),
        ("vertex_ai/claude-opus-4-8@default", "Claude Opus 4.8", google, "", "not before"),
        ("xai/grok-4.6", "Grok 4.6", "xAI", "", "end"),
        ("gpt-4.1-2025-04-14", "GPT-4.1 (2025-04-14)", "OpenAI API", "", "end"),
    ):
        it = known[key]
        found = it.product, it.platform, it.region, it.date_is
        assert found == (product, platform, region, date_is)
    assert "azure/gpt-4o" not in known
    assert not {it.region for it in known.values() if ".deepseek.r1" in it.key} & {"EU"}
    spoken = [(it.product, it.platform) for it in known.values() if it.date_is]
    assert len(set(spoken)) == len(spoken)


EARLY, LATE, VENDOR = "2027-01-01", "2027-02-01", "https://vendor.example"
THE_PAGE, THE_LIST = "The vendor's page of", "The list litellm of 2026-11-12 says"


@pytest.mark.parametrize(
    ("read_on", "curated", "source", "listed", "end", "said"),
    [
        # 60 days before the list, by hand: 12 November less 12, 31 and 17 days is 13 September.
        ("2026-09-13", LATE, VENDOR, EARLY, EARLY, f"{THE_PAGE} 2026-09-13 says {LATE}."),
        ("2026-09-13", EARLY, VENDOR, LATE, EARLY, f"{THE_LIST} {LATE}."),
        ("2026-09-12", EARLY, VENDOR, LATE, LATE, f"{THE_PAGE} 2026-09-12 says {EARLY}."),
        ("2026-09-12", LATE, VENDOR, EARLY, EARLY, f"{THE_PAGE} 2026-09-12 says {LATE}."),
        # A row that is newer by more counts; where it does not say when it was read, the earlier.
        ("2027-01-12", LATE, VENDOR, EARLY, LATE, f"{THE_LIST} {EARLY}."),
        ("", EARLY, VENDOR, LATE, EARLY, f"{THE_LIST} {LATE}."),
        ("2026-09-13", EARLY, VENDOR, EARLY, EARLY, ""),
        ("2026-09-13", EARLY, VENDOR, "", EARLY, ""),
        ("2026-09-13", "", VENDOR, EARLY, EARLY, ""),
        ("2026-09-13", "", VENDOR, "", "", ""),
        ("2026-09-13", EARLY, fact_lists.PAGE, LATE, LATE, ""),
    ],
)
def test_of_readings_60_days_apart_the_earlier_end_counts_else_the_newer(
    read_on, curated, source, listed, end, said
):
    """What rests on the list itself follows it; an entry without a day says nothing."""
    key = ListKey(LITELLM, "k", "P", "At", "", "end")
    row = Lifecycle(
        **dict.fromkeys(("deprecated_on", "successor", "note", "conflict", "not_before"), ""),
        **{"product": "P", "platform": "At", "provider_model": "k", "status": "on sale"},
        **{"status_on": "2026-09-01", "read_on": read_on, "notice_days": None},
        **{"shutdown_on": curated, "source_url": source, "source_kind": "vendor page"},
        closed_on="2026-08-07",
    )
    about = FactList(LITELLM, "r", "2026-11-12", "2026-11-25", "", "MIT", "", 1, 1)
    it = ListRow("k", "s", "", 0, 1.0, 1.0, None, listed, deprecated=False, source_url="")
    it = replace(it, ends_source="https://vendor.example/ends", successor="k2")
    keys = [key, ListKey(LITELLM, "k2", "P2", "At", "", "")]
    (found,) = fact_lists.with_ends([row], keys, about, {"k": (it,)})
    assert (found.shutdown_on, found.conflict, found.closed_on) == (end, said, "2026-08-07")
    moved = end != curated
    assert found.read_on == ("2026-11-12" if moved else read_on)
    # The list's own page and the product that it names in place of this one come with its day.
    assert (found.source_url, found.successor) == (
        ("https://vendor.example/ends", "P2") if moved else (source, "")
    )
    # Where nobody curated the place, the list's end is alone, and no day is not a row.
    alone = fact_lists.with_ends([], keys, about, {"k": (it,)})
    assert [row.shutdown_on for row in alone] == ([listed] if listed else [])


@pytest.mark.parametrize(
    ("ends", "curated", "regions"),
    [
        ("", "US", ["US", "EU"]),
        ("2026-11-13", "US", ["US", "EU"]),
        # On the day of the list it is no longer sold there.
        ("2026-11-12", "US", ["US"]),
        ("", "EU", ["EU"]),
    ],
)
def test_a_regions_own_price_says_that_it_is_served_there(ends, curated, regions):
    row = Region("P", "At", curated, "", "data zone", "https://x", "2026-04-30", "page", "")
    keys = [
        ListKey(LITELLM, key, "P", "At", region, "")
        for key, region in (
            *(("at/eu/k", "EU"), ("at/k", ""), ("at/ap/k", "APAC")),
            # A government's cloud takes no hospital's order.
            ("at/us-gov/k", "US GovCloud"),
        )
    ]
    about = FactList(LITELLM, "r", "2026-11-12", "2026-11-25", "", "MIT", "", 1, 1)
    of = ListRow("at/eu/k", "s", "", 0, 1.0, 1.0, None, ends, deprecated=False, source_url="")
    listed = {"at/eu/k": (of,), "at/k": (of,), "at/us-gov/k": (of,)}
    found = fact_lists.with_priced_regions([row], keys, about, listed)
    assert [it.region for it in found] == regions
    assert found[0] is row
    assert {(it.kind, it.read_on) for it in found[1:]} <= {(PRICED_THERE, "2026-11-12")}


def test_a_list_says_page_successor_and_regional_factor_and_an_alias_nothing(server, data):
    about = {"deprecation_date": "2027-03-30", "deprecation_source": "https://vendor.example/ends"}
    server.body = json.dumps(
        {
            "lab/m": entry(
                **about, successor_model="lab/n", regional_endpoint_uplift_multiplier=1.1
            ),
            "lab/n": entry(deprecation_source="javascript:x", successor_model="=cmd|x"),
            "lab/latest": entry(alias_of="lab/n"),
        }
    ).encode()
    found = rows(data, take(data).snapshot)
    assert {
        key: (it.ends_source, it.successor, it.regional_times) for key, (it,) in found.items()
    } == {"lab/m": ("https://vendor.example/ends", "lab/n", 1.1), "lab/n": ("", "", None)}
    # A snapshot of before has none of these columns, and is read as it is.
    old = fact_lists.read_list(DATA / "facts" / LITELLM / "1.109.1", {"azure/gpt-5.6-sol"})
    (plain, *_) = old["azure/gpt-5.6-sol"]
    assert (plain.input_usd_per_mtok, plain.ends_source, plain.regional_times) == (4, "", None)


_HEAD = (
    "key,seller,from_day,above_tokens,input_usd_per_mtok,output_usd_per_mtok,"
    "cache_read_usd_per_mtok,ends_on,deprecated,source_url"
)
_ROW = "lab/m,Lab,,0,1,,,,false,"


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"{_HEAD}\n{_ROW},,,\n",
        f"{_HEAD}\nlab/m,Lab\n",
        f"{_HEAD.replace(',seller', '')}\n{_ROW.replace(',Lab', '')}\n",
        f"{_HEAD}\n{_ROW.replace('0,1', '0,one')}\n",
        f"{_HEAD}\n{_ROW.replace('0,1', '0.5,1')}\n",
        f"{_HEAD}\n{_ROW.replace('false', 'no')}\n",
    ],
    ids=["empty", "long row", "short row", "no column", "price", "tokens", "flag"],
)
def test_a_broken_list_is_one_sentence(tmp_path, text):
    folder = tmp_path / "litellm" / "1.0"
    folder.mkdir(parents=True)
    (folder / "rows.csv").write_text(text, "utf-8")
    said = "litellm/1.0/rows.csv is not a readable list of prices."
    refused(BadDataError, said, fact_lists.read_list, folder)
    (folder / "rows.csv").write_text(f"{_HEAD}\n{_ROW}\n", "utf-8")
    ((row,),) = fact_lists.read_list(folder).values()
    assert (row.input_usd_per_mtok, row.output_usd_per_mtok, row.deprecated) == (1.0, None, False)


@pytest.fixture
def two_lists(server, bundled_snapshot, data):
    bundled_snapshot("noharm")
    r1, sonnet = "deepseek.r1-v1:0", "anthropic/claude-opus-4-6"
    days = ("Mon, 23 Nov 2026 08:00:00 GMT", "Tue, 24 Nov 2026 08:00:00 GMT")
    for day, usd, end in zip(days, (1e-6, 2e-6), ("2027-06-30", "2027-03-30"), strict=True):
        server.headers = {"Last-Modified": day}
        both = {r1: entry(deprecation_date=end), "lab/x": entry(output_cost_per_token=usd)}
        server.body = json.dumps(both | {f"only {usd:g}": entry()}).encode()
        take(data)
        provider, _, model = sonnet.partition("/")
        listing = priced(rates(5, 25 * usd * 1e6), id=model)
        listing[0]["id"] = provider
        server.body = json.dumps(listing).encode()
        take(data, GENAI_PRICES)
    return open_store(data)


def test_what_a_newer_list_changed(two_lists, capsys):
    newer, older = (it.revision for it in of_list(two_lists, LITELLM))
    found = list_changes(two_lists, LITELLM, older, newer)
    assert (found.new_models, found.gone_models) == (("only 2e-06",), ("only 1e-06",))
    # First what the catalogue knows; 0.25 dollars a million is 2.5e-7 a token.
    sale = ("sale end", "DeepSeek R1 (2025-01-20), AWS Bedrock", "2027-06-30", "2027-03-30")
    assert [(c.model, c.what, c.item, c.before, c.after) for c in found.changes] == [
        ("deepseek.r1-v1:0", *sale),
        ("lab/x", "price", "", "0.25 / 1", "0.25 / 2"),
    ]
    newer, older = (it.revision for it in of_list(two_lists, GENAI_PRICES))
    assert main(["diff", f"genai-prices/{older}", f"genai-prices/{newer}", "--json"]) == 0
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert (change["what"], change["before"], change["after"]) == ("price", "5 / 25", "5 / 50")
    assert main(["diff", f"litellm/{older}", "litellm/none"]) == 2
    assert "litellm has no snapshot" in capsys.readouterr().err
    assert main(["snapshots", "--json"]) == 0
    rows = [row for row in json.loads(capsys.readouterr().out) if row["kind"] == "list"]
    assert sorted((row["suite"], row["as_of"]) for row in rows) == [
        (name, day) for name in (GENAI_PRICES, LITELLM) for day in ("2026-11-23", "2026-11-24")
    ]

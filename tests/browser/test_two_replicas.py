"""Two replicas behind nginx with one PostgreSQL; one is killed while people work with it."""

from __future__ import annotations

import re
import uuid
from dataclasses import replace
from urllib.parse import urlsplit

import proxy
import pytest
from driving import ROOT, start
from postgresql import postgres  # noqa: F401 - a fixture

pytestmark = pytest.mark.tools

CONFIGURATION = ROOT / "docs" / "deploy" / "nginx-replicas.conf"
QUESTION = "evidence=BRIDGE&task=Documentation&max_params=15+B&budget=500"


@pytest.fixture(scope="module")
def database(postgres):  # noqa: F811 - the fixture
    psycopg = pytest.importorskip("psycopg")
    name = f"replicas_{uuid.uuid4().hex}"
    with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{postgres}/{name}"


@pytest.fixture
def replicas(tmp_path_factory, browser, database):
    """Yield two replicas, each as the proxy shows them, and how to find who serves whom."""
    if not proxy.IS_HERE:
        pytest.skip("there is no nginx or no openssl here")
    folder = tmp_path_factory.mktemp("nginx")
    settings = {
        "STREAMLIT_SERVER_BASE_URL_PATH": "formulary",
        "STREAMLIT_SERVER_COOKIE_SECRET": uuid.uuid4().hex,
        "FORMULARY_DATABASE_URL": database,
        "FORMULARY_LOCAL_RUN": "1",
    }
    two = [start(tmp_path_factory.mktemp(f"replica{i}"), **settings) for i in (1, 2)]
    https = proxy.free_port()
    places = {
        f"server 10.0.0.1{i}:8501": f"server {urlsplit(one.url).netloc}"
        for i, one in enumerate(two, 1)
    }
    with proxy.running(CONFIGURATION.read_text("utf-8"), folder, https, places):
        yield Replicas(f"https://127.0.0.1:{https}/formulary", two, folder / "access.log")
    for one in two:
        one.stop()


class Replicas:
    def __init__(self, url, two, log):
        self.url, self.two, self.log = url, two, log

    def through_proxy(self):
        return replace(self.two[0], url=self.url)

    def last_served_by(self):
        """Return which replica answered the last page, by the log of the proxy."""
        pages = re.findall(r'"GET /formulary/" 200 (\S+) ', self.log.read_text())
        return [urlsplit(one.url).netloc for one in self.two].index(pages[-1])


@pytest.fixture
def visitor(replicas, reader):
    made = []

    def make():
        made.append(reader(replicas.through_proxy()))
        return made[-1]

    yield make
    for one in made:  # a broken connection is what is tested here
        one.errors[:] = [e for e in one.errors if "net::ERR_" not in e and "WebSocket" not in e]


def receipt(one):
    text = one.main.get_by_text(re.compile(r"^Receipt [0-9A-Za-z ]+")).first
    one.wait(text)
    return text.inner_text()


def bring_in(one):
    """Use one own result in this session, made from the template that the page hands out."""
    one.go("Own results")
    template = one.main.get_by_role("button", name=re.compile("template", re.IGNORECASE)).first
    head, first, *_ = one.take(template)[1].decode("utf-8-sig").splitlines()
    names = head.split(",")
    row = dict(zip(names, first.split(","), strict=True)) | {
        "model": "our model",
        "run": "our run",
        "score": "0.5",
    }
    content = "\n".join((head, ",".join(row[name] for name in names))).encode()
    one.upload("own.csv", content)
    one.main.get_by_role("button", name="Use these results in this session").click()
    one.wait(one.main.get_by_role("button", name="Remove", exact=True))
    one.idle()
    assert one.query["own_results"] == ["true"]


def on(visitor, replicas, wanted, query=QUESTION):
    for _ in range(20):
        one = visitor()
        one.open("", tab="Answer", query=query)
        if replicas.last_served_by() == wanted:
            return one
    raise AssertionError("twenty visitors all went to the same replica")


def state(one):
    return one.page.get_by_test_id("stApp").get_attribute("data-test-connection-state")


def test_a_killed_replica_costs_its_reader_nothing_but_a_moment(replicas, visitor):
    # A question of its own, so that nobody else holds its downloads.
    first = on(visitor, replicas, 0, f"{QUESTION}&requests=20000")
    owner = on(visitor, replicas, 0)
    bring_in(owner)
    second = on(visitor, replicas, 1)
    second.unfold("Keep this shortlist")
    second.keep("Kept on the second")
    first.page.bring_to_front()
    before, address = receipt(first), first.page.url
    replicas.two[0].process.kill()
    for is_it in ("!==", "==="):
        first.page.wait_for_function(
            "() => document.querySelector('[data-testid=stApp]').dataset.testConnectionState"
            f" {is_it} 'CONNECTED'"
        )
    first.idle()
    assert first.page.url == address
    assert receipt(first) == before
    # What is downloaded now comes from the replica that is left.
    assert first.download().startswith(b"\xef\xbb\xbf")
    # Opening the menu of downloads is the first click, which writes the version of the evidence.
    assert first.page.url.startswith(address)
    first.unfold("Keep this shortlist")
    first.keep("Kept after the break")
    first.go("Kept lists")
    assert [row[0] for row in first.cells(0)] == ["Kept after the break", "Kept on the second"]
    assert state(second) == "CONNECTED"
    owner.says("Own results are no longer part of this page.")
    assert owner.query["own_results"] == ["true"]
    owner.main.get_by_role("button", name="Go on without them").click()
    owner.main.get_by_text("Own results are no longer part").wait_for(state="detached")
    owner.idle()
    assert "own_results" not in owner.query

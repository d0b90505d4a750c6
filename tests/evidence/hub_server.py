"""Small servers on 127.0.0.1: a Hub with the routes of the real client and faults, and files."""

from __future__ import annotations

import hashlib
import io
import json
import re
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

KINDS = {"datasets": "dataset", "spaces": "space", "models": "model"}
V2_RAW = {
    "ifeval": "IFEval",
    "bbh": "BBH",
    "math_lvl_5": "MATH Lvl 5",
    "gpqa": "GPQA",
    "musr": "MUSR",
    "mmlu_pro": "MMLU-PRO",
}


@dataclass
class Repo:
    """One repository at one commit; a new commit is a new one under the same name."""

    files: dict[str, bytes] = field(default_factory=dict)
    changed: str = "2025-03-20T10:00:00.000Z"
    tags: tuple[str, ...] = ()
    listed_sizes: dict[str, int] = field(default_factory=dict)
    """Sizes that the listing gives wrongly."""
    more_entries: tuple[dict[str, object], ...] = ()

    @property
    def sha(self) -> str:
        digest = hashlib.sha1(repr(sorted(self.files)).encode())
        for name in sorted(self.files):
            digest.update(self.files[name])
        return digest.hexdigest()


@dataclass
class Fault:
    pattern: str
    how: str
    """``status``, ``cut``, ``stall``, ``drip``, ``swell`` or ``hold``."""
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    times: float = float("inf")
    body: bytes = b"no"


class Server(ThreadingHTTPServer):
    """A server on this machine that keeps quiet when a client gives up, which is what is tested."""

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.files: dict[str, bytes] = {}
        """What a server of files has, by path; for any other path its body."""
        self.body: bytes | None = None
        self.headers: dict[str, str] = {}
        self.pause_s = 0.0
        self.repos: dict[tuple[str, str], Repo] = {}
        self.history: dict[tuple[str, str, str], Repo] = {}
        self.faults: list[Fault] = []
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.page_size = 1000
        self.held = threading.Event()
        """Set when a request arrived that is held."""
        self.release = threading.Event()
        self.lock = threading.Lock()

    def handle_error(self, *_: object) -> None:
        """Keep quiet."""

    def put(self, kind: str, name: str, repo: Repo) -> str:
        self.repos[kind, name] = self.history[kind, name, repo.sha] = repo
        return repo.sha

    def fail(self, pattern: str, how: str, **more: object) -> None:
        self.faults.append(Fault(pattern, how, **more))

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    def fault_of(self, path: str) -> Fault | None:
        with self.lock:
            for fault in self.faults:
                if fault.times > 0 and re.search(fault.pattern, path):
                    fault.times -= 1
                    return fault
        return None


class Quiet(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else an answer may wait 40 ms for an acknowledgement

    def log_message(self, *_: object) -> None:
        """Keep quiet."""

    def head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.end_headers()


class Files(Quiet):
    def do_GET(self) -> None:
        self.server.asked.append((self.path.partition("?")[0], {}))
        body = self.server.files.get(self.path.partition("?")[0], self.server.body)
        found = body or b""
        length = {"Content-Length": str(len(found))} | self.server.headers
        self.head(404 if body is None else 200, length)
        for start in range(0, len(found), 50_000):
            self.wfile.write(found[start : start + 50_000])
            time.sleep(self.server.pause_s)


class Handler(Quiet):
    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        with self.server.lock:
            headers = {key.title(): value for key, value in self.headers.items()}
            self.server.asked.append((path, headers))
        fault = self.server.fault_of(path)
        if fault and fault.how == "status":
            self.answer(fault.status, fault.body, fault.headers)
        elif fault and fault.how == "stall":
            self.server.release.wait(20)
            self.close_connection = True
        else:
            if fault and fault.how == "hold":
                self.server.held.set()
                self.server.release.wait(20)
            self.route(path, fault.how if fault else "")

    def route(self, path: str, how: str) -> None:
        name, file = r"([^/]+/[^/]+)", r"(?:/(datasets|spaces))?"
        if found := re.fullmatch(rf"/api/(\w+)/{name}(/tree/([^/]+)(?:/(.*))?)?", path):
            kind, name, tree, revision, under = found.groups()
            repo = self.repo(KINDS[kind], name, revision)
            if repo and tree:
                self.tree(repo, under or "", how)
            elif repo:
                about = {"id": name, "sha": repo.sha, "lastModified": repo.changed}
                files = [{"rfilename": file} for file in repo.files]
                self.json(about | {"tags": repo.tags, "siblings": files}, {})
        elif found := re.fullmatch(rf"{file}/{name}/resolve/(\w+)/(.*)", path):
            kind, name, revision, file = found.groups()
            repo = self.repo(KINDS.get(kind, "model"), name, revision)
            if repo and file in repo.files:
                self.answer(200, repo.files[file], {}, how)
            elif repo:
                self.lacks("Entry")
        else:
            self.answer(404, b"", {})

    def lacks(self, what: str) -> None:
        self.answer(404, b"", {"X-Error-Code": f"{what}NotFound"})

    def repo(self, kind: str, name: str, revision: str | None) -> Repo | None:
        newest = self.server.repos.get((kind, name))
        if newest is None:
            self.lacks("Repo")
        elif revision is None:
            return newest
        elif found := self.server.history.get((kind, name, revision)):
            return found
        else:
            self.lacks("Revision")
        return None

    def tree(self, repo: Repo, under: str, how: str) -> None:
        names = [n for n in sorted(repo.files) if not under or n.startswith(f"{under}/")]
        if under and not names:
            self.lacks("Entry")
            return
        entries: list[dict[str, object]] = [
            {
                **{"type": "file", "path": name, "oid": hashlib.sha1(repo.files[name]).hexdigest()},
                "size": repo.listed_sizes.get(name, len(repo.files[name])),
            }
            for name in names
        ]
        folders = sorted({name.rpartition("/")[0] for name in names} - {""})
        entries += [{"type": "directory", "path": f, "oid": "0" * 40} for f in folders]
        entries += repo.more_entries
        address = urlsplit(self.path)
        start, size = int(parse_qs(address.query).get("cursor", ["0"])[0]), self.server.page_size
        headers = {}
        if start + size < len(entries):
            url = f"{self.server.url}{quote(unquote(address.path))}?recursive=True"
            headers["Link"] = f'<{url}&cursor={start + size}>; rel="next"'
        self.json(entries[start : start + size], headers, how)

    def json(self, document: object, headers: dict[str, str], how: str = "") -> None:
        body = json.dumps(document).encode()
        self.answer(200, body, headers | {"Content-Type": "application/json"}, how)

    def answer(self, status: int, body: bytes, headers: dict[str, str], how: str = "") -> None:
        length = {} if how == "swell" else {"Content-Length": str(len(body))}
        sent = {"cut": body[: len(body) // 2], "swell": body * 10}.get(how, body)
        with suppress(BrokenPipeError, ConnectionResetError):
            self.head(status, headers | length)
            if how == "drip":
                for i in range(len(body)):
                    self.wfile.write(body[i : i + 1])
                    self.wfile.flush()
                    if self.server.release.wait(0.05):
                        return
            else:
                self.wfile.write(sent)
            self.close_connection = how in ("cut", "swell") or self.close_connection
            return
        self.close_connection = True


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler] = Handler):
    """Serve until the block ends; the yielded object says what and how."""
    server = Server(handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server
    finally:
        server.release.set()
        server.shutdown()
        server.server_close()


def parquet(columns: dict[str, list[object]]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def open_llm_v2(rows: list[dict[str, object]], *, with_sha: bool = True) -> Repo:
    """Return the leaderboard's data set with its real column names.

    ``rows`` have the names of this project's figures: model_id, model_sha, precision, params_b,
    licence, submitted_on and the six benchmarks.
    """
    columns: dict[str, list[object]] = {
        "Precision": [r["precision"] for r in rows],
        "Model": [f'<a href="https://huggingface.co/{r["model_id"]}">m</a>' for r in rows],
        "fullname": [r["model_id"] for r in rows],
        "Hub License": [r.get("licence") for r in rows],
        "#Params (B)": [r.get("params_b") for r in rows],
        "MoE": [bool(r.get("moe")) for r in rows],
        "Flagged": [bool(r.get("flagged")) for r in rows],
        "Base Model": [r.get("base_model", r["model_id"]) for r in rows],
        "Submission Date": [r.get("submitted_on") for r in rows],
    }
    if with_sha:
        columns["Model sha"] = [r.get("model_sha") for r in rows]
    for benchmark, printed in V2_RAW.items():
        columns[f"{printed} Raw"] = [r.get(benchmark) for r in rows]
        columns[printed] = [50.0 for _ in rows]
    return Repo({"data/train-00000-of-00001.parquet": parquet(columns), "README.md": b"x"})


def v2_row(model: str, score: float | None = 0.5, **more: object) -> dict[str, object]:
    about = {
        "model_id": model,
        "model_sha": "0123456789abcdef" * 2 + "01234567",
        "precision": "bfloat16",
        "params_b": 7.242,
        "licence": "apache-2.0",
        "submitted_on": "2024-06-12",
    }
    return {**about, **dict.fromkeys(V2_RAW, score), **more}


def result_file(scores: dict[str, object], **config: object) -> bytes:
    results = {task: {"acc,none": score, "acc_stderr,none": 0.01} for task, score in scores.items()}
    return json.dumps({"results": results, "config": config}).encode()


def bridge(models: list[dict[str, object]], tasks: dict[str, list[object]]) -> Repo:
    asked = {"Model: License": ("licence", "MIT"), "Size (B)": ("size", "Unknown")}
    asked |= {"Model": ("name", ""), "Model: Accessibility": ("access", "Open Source")}
    same = {"Model: Domain": "General", "Model: Size Range": "0-5", "Average Performance": "13.42"}
    columns: dict[str, list[object]] = {
        "T": [i + 1 for i in range(len(models))],
        **{name: [model.get(*given) for model in models] for name, given in asked.items()},
        **{name: [value] * len(models) for name, value in same.items()},
        **tasks,
    }
    document = {
        column: {str(i): value for i, value in enumerate(values)}
        for column, values in columns.items()
    }
    names = [f"leaderboards/{name}_leaderboard.json" for name in ("Zero-Shot", "Few-Shot", "CoT")]
    return Repo({name: json.dumps(document).encode() for name in names} | {"app.py": b"x"})


JUDGES = ("claude-haiku-4-5-20251001", "gemini-2.5-flash", "gpt-4.1-2025-04-14")
GRADES = "data/grades/train.jsonl"


def grades(*models, n=611, judges=JUDGES, lines=()):
    """Each model is what a judge gives to a conversation, by their positions."""
    written = [
        {"model": name, "judge": judge, "prompt_id": f"c{i}", "score": score(i, j)}
        for name, score in models
        for j, judge in enumerate(judges)
        for i in range(n)
    ]
    return "\n".join([*map(json.dumps, written), *lines]).encode()

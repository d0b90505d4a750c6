"""A real nginx with one of the documented configurations, for the tests."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager

PROGRAM = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
IS_HERE = PROGRAM is not None and shutil.which("openssl") is not None
NAME = "formulary.hospital.example"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(port):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"Nothing answers on port {port}.")


@contextmanager
def running(configuration, folder, https, places):
    """Run nginx with the text of a configuration, in which each of the places is put in once."""
    folder.chmod(0o755)
    kind = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    files = ("-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem")
    command = ["openssl", *kind.split(), "-subj", f"/CN={NAME}", *files]
    subprocess.run(command, check=True, capture_output=True)
    text = configuration.replace("/etc/nginx/certificates/", f"{folder}/")
    here = {
        "/var/log/nginx/formulary.log": f"{folder}/access.log",
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "listen 443 ssl http2;": f"listen 127.0.0.1:{https} ssl http2;",
        "/var/cache/formulary ": f"{folder}/cache ",
    }
    for old, new in (here | places).items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # The folders of the tests are closed to the account that root's nginx changes to.
    user = f"user {getpass.getuser()};\n" if os.geteuid() == 0 else ""
    top = f"{user}daemon off;\npid {folder}/nginx.pid;\nerror_log {folder}/error.log;\n"
    file = folder / "nginx.conf"
    file.write_text(f"{top}events {{}}\nhttp {{\n{temporary}{text}}}\n", "utf-8")
    command = [PROGRAM, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(file)]
    subprocess.run([*command, "-t"], check=True, capture_output=True)
    process = subprocess.Popen(command)
    try:
        wait_for(https)
        yield
    finally:
        process.terminate()
        process.wait(timeout=10)

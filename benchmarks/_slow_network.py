"""A network between a browser and a server on this machine: a relay with a rate and a delay.

The browser's own emulation is not used: with HTTP/2 it now and then stops delivering (3 of 30
visits), on answers that the server had long sent; through this relay none of 40 did.

Run: python -m benchmarks._slow_network port target_port
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.browser import proxy

if TYPE_CHECKING:
    from collections.abc import Iterator

RATE = 20e6 / 8
"""Bytes a second in each direction, for all connections together."""
DELAY_S = 0.025
"""From one end to the other, so that an answer takes twice this and more."""
_AHEAD_S = 0.02


@contextmanager
def slowed(target: int) -> Iterator[int]:
    """Yield the port at which the port of a server is reached over the slow network."""
    port = proxy.free_port()
    process = subprocess.Popen([sys.executable, "-m", __name__, str(port), str(target)])
    try:
        proxy.wait_for(port)
        yield port
    finally:
        process.kill()
        process.wait()


class _Lane:
    """One direction, which all connections share."""

    def __init__(self) -> None:
        self._free_at = 0.0

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        now = asyncio.get_running_loop().time
        under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(64)

        async def arrive() -> None:
            while True:
                at, data = await under_way.get()
                await asyncio.sleep(max(0, at - now()))
                if not data:
                    writer.write_eof()
                    return
                writer.write(data)
                await writer.drain()

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(arrive())
            while data := await reader.read(8192):
                self._free_at = max(self._free_at, now()) + len(data) / RATE
                await under_way.put((self._free_at + DELAY_S, data))
                await asyncio.sleep(max(0, self._free_at - now() - _AHEAD_S))
            await under_way.put((self._free_at + DELAY_S, b""))


async def _relay(port: int, target: int) -> None:
    up, down = _Lane(), _Lane()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", target)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(up.carry(reader, there_writer))
                tasks.create_task(down.carry(there_reader, writer))
        except* OSError:
            pass  # one side has gone, and so does the other
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_relay(int(sys.argv[1]), int(sys.argv[2])))

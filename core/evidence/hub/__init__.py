"""The Hugging Face Hub: pinned files, bounded in time, in size and in tries.

This is the only package that knows ``huggingface_hub``. That library retries for long, waits as
long as a server asks it to and sets no time limit on its API calls. Here each call runs in a
frame of its own limits: the client that this package installs enforces them, turns every fault
into one of two exceptions that the library does not know and so does not retry, and the calls
are then repeated here, a bounded number of times.
"""

from core.evidence.hub.errors import STAYS, RemoteError
from core.evidence.hub.reader import Hub
from core.evidence.hub.repositories import RepoType

__all__ = ["STAYS", "Hub", "RemoteError", "RepoType"]

"""The resident server of hooks: a layer that stays ready between the prompts of coding agents.

Plain asyncio over a unix socket, and nothing of HTTP: it needs no extra, and its client no more than a socket. Hooks
start it on demand (`cognitive.hook.start`) and hand it the lock that says there is one; it ends itself when nobody
calls it for a while, or when a hook of another version does. Every platform that the product runs on has unix sockets.
"""

from __future__ import annotations

import asyncio
import json
import logging
import logging.handlers
import os
import signal
import sys
import time
from contextlib import suppress
from typing import Any

from cognitive import CognitiveLayer, Policy
from cognitive.errors import CognitiveError
from cognitive.hook.events import Hooks
from cognitive.hook.paths import DaemonPaths, daemon_paths, with_private_folders
from cognitive.hook.protocol import ANSWER, EVENTS, MAX_BYTES, NOTHING, OUTDATED, STOP, VERSION, Call, decode
from cognitive.policy.configured import live_policy
from cognitive.telemetry.logs import LineFormatter

log = logging.getLogger("cognitive.hook.daemon")  # also where this file is the program

IDLE_MINUTES = 30.0  # a coffee, not a night; COGNITIVE_HOOK_IDLE_MINUTES
_READ_SECONDS = 10.0  # seconds that a hook may take to say what it has to say
_CLOSE_SECONDS = 10.0  # seconds for calls and outcomes that are on their way when the server ends
_FAILED_START_SECONDS = (
    60.0  # seconds that a server which could not start keeps its place: prompts come fast, and would try again
)
_CHECK_SECONDS = 5.0  # seconds between looks at whether hooks can still find this server
_LOG_BYTES, _LOGS = 1_000_000, 1


_Identity = tuple[int, int] | None


class Daemon:
    """The server over a layer: answers calls until it is told to stop, outdated, or idle for too long."""

    def __init__(
        self,
        layer: CognitiveLayer,
        paths: DaemonPaths,
        *,
        idle_seconds: float = IDLE_MINUTES * 60,
        check_seconds: float = _CHECK_SECONDS,
    ) -> None:
        self._hooks = Hooks(layer)
        self._paths = paths
        self._idle = idle_seconds
        self._check_seconds = check_seconds
        self._stop = asyncio.Event()
        self.ready = asyncio.Event()  # it listens
        self._since = self._last = time.monotonic()
        self._identities: dict[str, _Identity] = {}
        self._answering: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Listens until the server is no longer needed, and returns when all that was accepted is done. If another
        server answers already, it returns at once.
        """
        if await _is_served(self._paths.socket):
            log.warning("another server listens at %s: this one ends", self._paths.socket)
            return
        with suppress(FileNotFoundError):
            os.unlink(self._paths.socket)  # of a server that was killed: the lock is ours
        before = os.umask(0o177)
        try:
            server = await asyncio.start_unix_server(self._accept, self._paths.socket, limit=1 << 20)
        finally:
            os.umask(before)
        self._identities = {path: _identity(path) for path in (self._paths.folder, self._paths.socket)}
        log.info("version %s listens, process %d", VERSION, os.getpid())
        self.ready.set()
        try:
            await self._wait_until_done()
        finally:
            if (
                _identity(self._paths.socket) == self._identities[self._paths.socket]
            ):  # another server's is not ours to remove
                with suppress(FileNotFoundError):
                    os.unlink(self._paths.socket)
            server.close()
            if self._answering:
                await asyncio.wait(self._answering, timeout=_CLOSE_SECONDS)
            await self._hooks.flush()

    def stop(self) -> None:
        """Lets `serve` come to its end."""
        self._stop.set()

    async def _wait_until_done(self) -> None:
        """Returns when the server is told to stop, was idle for too long, or cannot be found any more: another server
        has its socket, or the folder is gone with the data.
        """
        while not self._stop.is_set():
            if any(_identity(path) != was for path, was in self._identities.items()):
                log.warning("%s is gone or another server's: this one ends", self._paths.socket)
                return
            left = self._last + self._idle - time.monotonic()
            if left <= 0 and not self._answering:
                log.info("idle for %g minutes", self._idle / 60)
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), min(max(left, 0.1), self._check_seconds))

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # a coroutine that is running is one's
        self._answering.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, TimeoutError, ValueError) as error:
            log.warning("a call that is none: %s", str(error) or type(error).__name__)
        finally:
            self._answering.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        call = decode(await asyncio.wait_for(_read_all(reader), _READ_SECONDS))
        answer = await self._answer(call)
        try:
            writer.write(answer)
            await writer.drain()
            heard = not writer.transport.is_closing()
        except ConnectionError:
            heard = False
        if not heard:
            log.warning("%s: the hook did not wait for its answer", call.event)
            await self._hooks.abandon(call.event, call.payload, agent=call.agent, project=call.project)

    async def _answer(self, call: Call) -> bytes:
        if call.version != VERSION:
            log.info("a hook of version %r calls version %s: it is replaced", call.version, VERSION)
            self.stop()
            return OUTDATED
        if call.event not in EVENTS:
            return ANSWER + json.dumps(self._status(call.event)).encode()
        self._last = time.monotonic()
        try:
            told = await self._hooks.handle(call.event, call.payload, agent=call.agent, project=call.project)
        except (CognitiveError, ValueError) as error:
            log.warning("%s: %s: %s", call.event, type(error).__name__, _without_input(error))
            return ANSWER + NOTHING
        except Exception:  # the user's session goes on, whatever is wrong with this server
            log.exception("%s failed", call.event)
            return ANSWER + NOTHING
        return ANSWER + json.dumps(told, ensure_ascii=False).encode("utf-8", "replace")

    def _status(self, question: str) -> dict[str, Any]:
        """What the server says of itself; asked to stop, it does."""
        if question == STOP:
            self.stop()
        return {
            "version": VERSION,
            "pid": os.getpid(),
            "seconds": round(time.monotonic() - self._since, 1),
            "sessions": self._hooks.sessions,
        }


async def _is_served(path: str) -> bool:
    try:
        _, writer = await asyncio.open_unix_connection(path)
    except OSError:
        return False
    writer.close()
    return True


def _identity(path: str) -> _Identity:
    """The file that a path leads to: another file of the same name is another one."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


async def _read_all(reader: asyncio.StreamReader) -> bytes:
    """All that is sent.

    Raises:
        ValueError: it is more than anybody should say.
    """
    parts, size = [], 0
    while part := await reader.read(1 << 16):
        parts.append(part)
        size += len(part)
        if size > MAX_BYTES + (1 << 16):
            raise ValueError(f"more than {MAX_BYTES} bytes")
    return b"".join(parts)


def with_journaled_placement(policy: Policy) -> Policy:
    """The policy with the placement that hooks have, for every agent: what they add stays in the agent's context."""
    agents = {name: {k: v for k, v in own.items() if k != "placement"} for name, own in policy.agents.items()}
    return Policy(**{**policy.model_dump(), "agents": agents, "placement": "journaled"})


async def run(paths: DaemonPaths) -> None:
    """A server on the layer of the environment's settings, until it ends.

    Raises:
        CognitiveError: the layer cannot be opened.
    """
    minutes = float(os.environ.get("COGNITIVE_HOOK_IDLE_MINUTES") or IDLE_MINUTES)
    async with CognitiveLayer.open(policy=with_journaled_placement(live_policy())) as layer:
        daemon = Daemon(layer, paths, idle_seconds=minutes * 60)
        for signalled in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(signalled, daemon.stop)
        await daemon.serve()


def main() -> None:
    """The process that hooks start; its argument is the lock, an open file, which it holds until it ends."""
    lock, paths = int(sys.argv[1]), with_private_folders(daemon_paths())
    os.ftruncate(lock, 0)
    os.pwrite(lock, b"%d\n" % os.getpid(), 0)  # for whoever must end it while it does not answer
    _log_to(paths.log)
    try:
        asyncio.run(run(paths))
    except Exception as error:  # of whatever kind: the log is all that anybody will see of it
        log.error("the server cannot start: %s: %s", type(error).__name__, error)
        time.sleep(_FAILED_START_SECONDS)
        sys.exit(1)


def _log_to(file: str) -> None:
    """Logs into a bounded file: our own from INFO on, which has no user's words in it, and of others the warnings."""
    handler = logging.handlers.RotatingFileHandler(file, maxBytes=_LOG_BYTES, backupCount=_LOGS)
    handler.setFormatter(LineFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s", "%Y-%m-%d %H:%M:%S"))
    logging.getLogger().addHandler(handler)
    for package in ("cognitive", "brain"):
        logging.getLogger(package).setLevel(logging.INFO)


def _without_input(error: Exception) -> str:
    """What is wrong, without what was said: pydantic quotes it."""
    return str(error).split("\n", 1)[0]


if __name__ == "__main__":
    main()

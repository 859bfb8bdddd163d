"""The daemon that answers hooks: a process that keeps a memory layer open between the prompts of coding agents.

It listens on a unix socket with asyncio. Without HTTP, neither the daemon nor its client needs an optional dependency,
and all supported platforms have unix sockets. A hook starts the daemon when it needs one (`cognitive.hook.start`) and
passes it a file lock that ensures that only one daemon runs. At its start the daemon handles the ends of turns that
hooks kept while none was running. It ends after some minutes without calls, or when a hook of another package version
calls.
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
from cognitive.hook import learning, missed
from cognitive.hook.events import Hooks
from cognitive.hook.paths import DaemonPaths, checksum, daemon_paths, with_private_folders
from cognitive.hook.protocol import ANSWER, EVENTS, MAX_BYTES, NOTHING, OUTDATED, STOP, VERSION, Call, decode
from cognitive.policy.configured import live_policy
from cognitive.telemetry.logs import LineFormatter

log = logging.getLogger("cognitive.hook.daemon")  # by name, since __name__ is "__main__" in the daemon's process

IDLE_MINUTES = 30.0  # outlasts a break, but not a night; COGNITIVE_HOOK_IDLE_MINUTES replaces it
_READ_SECONDS = 10.0  # seconds that a hook may take to send its call
_CLOSE_SECONDS = 10.0  # seconds to finish running calls when the daemon ends
# seconds that a daemon which failed to start keeps the lock, so that not every prompt starts one that fails again
_FAILED_START_SECONDS = 60.0
_CHECK_SECONDS = 5.0  # seconds between checks that hooks can still reach this daemon
_LOG_BYTES, _LOGS = 1_000_000, 1


_Identity = tuple[int, int] | None


class Daemon:
    """Answers the calls of hooks with a memory layer, until the daemon is stopped, replaced, or idle for too long."""

    def __init__(
        self,
        layer: CognitiveLayer,
        paths: DaemonPaths,
        *,
        policy: Policy | None = None,
        database_url: str = "",
        idle_seconds: float = IDLE_MINUTES * 60,
        check_seconds: float = _CHECK_SECONDS,
    ) -> None:
        self._hooks = Hooks(layer)
        self._paths = paths
        self._policy = policy or Policy()  # for the answers to STATUS
        self._database = checksum(database_url)
        self._refused: set[str] = set()
        self._idle = idle_seconds
        self._check_seconds = check_seconds
        self._stop = asyncio.Event()
        self.ready = asyncio.Event()  # set once the daemon listens
        self._since = self._last = time.monotonic()
        self._identities: dict[str, _Identity] = {}
        self._answering: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Listen on the socket until the daemon is no longer needed, and return when all accepted calls are answered.

        Returns at once if another daemon already listens.
        """
        if await _is_served(self._paths.socket):
            log.warning("another daemon listens at %s: this one ends", self._paths.socket)
            return
        with suppress(FileNotFoundError):
            os.unlink(self._paths.socket)  # left by a daemon that was killed, since this one holds the lock
        previous_umask = os.umask(0o177)
        try:
            server = await asyncio.start_unix_server(self._accept, self._paths.socket, limit=1 << 20)
        finally:
            os.umask(previous_umask)
        self._identities = {path: _identity(path) for path in (self._paths.folder, self._paths.socket)}
        log.info("version %s listens, process %d", VERSION, os.getpid())
        self.ready.set()
        try:
            await self._handle_missed()
            await self._wait_until_done()
        finally:
            # the socket may be another daemon's by now
            if _identity(self._paths.socket) == self._identities[self._paths.socket]:
                with suppress(FileNotFoundError):
                    os.unlink(self._paths.socket)
            server.close()
            if self._answering:
                await asyncio.wait(self._answering, timeout=_CLOSE_SECONDS)
            await self._hooks.flush()

    def stop(self) -> None:
        """Ask the daemon to end: `serve` finishes the calls that it has accepted, and returns."""
        self._stop.set()

    async def _handle_missed(self) -> None:
        """Handle the ends of turns that hooks kept while no daemon was ready."""
        for call in await asyncio.to_thread(lambda: list(missed.take(self._paths))):
            log.info("%s of a turn that began without a daemon", call.event)
            await self._answer(call)

    async def _wait_until_done(self) -> None:
        """Wait until the daemon is stopped, has been idle for too long, or can no longer be reached by hooks.

        Hooks can no longer reach it if another daemon has replaced its socket, or if the folder of the socket was
        removed.
        """
        while not self._stop.is_set():
            if any(_identity(path) != identity for path, identity in self._identities.items()):
                log.warning("%s was removed or replaced by another daemon: this one ends", self._paths.socket)
                return
            left = self._last + self._idle - time.monotonic()
            if left <= 0 and not self._answering:
                log.info("idle for %g minutes", self._idle / 60)
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), min(max(left, 0.1), self._check_seconds))

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # a running coroutine belongs to a task
        self._answering.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, TimeoutError, ValueError) as error:
            log.warning("invalid call: %s", str(error) or type(error).__name__)
        finally:
            self._answering.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        call = decode(await asyncio.wait_for(_read_all(reader), _READ_SECONDS))
        answer = await self._answer(call)
        try:
            writer.write(answer)
            await writer.drain()
            delivered = not writer.transport.is_closing()
        except ConnectionError:
            delivered = False
        if not delivered:
            log.warning("%s: the hook did not wait for its answer", call.event)
            await self._hooks.abandon(call.event, call.payload, agent=call.agent, project=call.project)

    async def _answer(self, call: Call) -> bytes:
        if call.version != VERSION:
            log.info("a hook has version %r, this daemon %s: it ends and is replaced", call.version, VERSION)
            self.stop()
            return OUTDATED
        if call.event not in EVENTS:
            return ANSWER + json.dumps(self._status(call)).encode()
        if call.database and call.database != self._database:
            if call.database not in self._refused:
                self._refused.add(call.database)
                log.warning("a hook whose COGNITIVE_DATABASE_URL differs gets no answer; give it a COGNITIVE_DATA_DIR")
            return ANSWER + NOTHING
        self._last = time.monotonic()
        try:
            output = await self._hooks.handle(call.event, call.payload, agent=call.agent, project=call.project)
        except (CognitiveError, ValueError) as error:
            log.warning("%s: %s: %s", call.event, type(error).__name__, _without_input(error))
            return ANSWER + NOTHING
        except Exception:  # the user's session must go on
            log.exception("%s failed", call.event)
            return ANSWER + NOTHING
        return ANSWER + json.dumps(output, ensure_ascii=False).encode("utf-8", "replace")

    def _status(self, call: Call) -> dict[str, Any]:
        """Return what the daemon is: version, process id, uptime in seconds, number of sessions, and its settings.

        `capture` is what it stores for the call's agent, `capture_scope` for whom, and `policy` the policy file of its
        environment. A call of STOP stops the daemon too.
        """
        if call.event == STOP:
            self.stop()
        policy = self._policy.for_agent(call.agent)
        return {
            "version": VERSION,
            "pid": os.getpid(),
            "seconds": round(time.monotonic() - self._since, 1),
            "sessions": self._hooks.sessions,
            "capture": policy.capture,
            "capture_scope": policy.capture_scope,
            "policy": os.environ.get("COGNITIVE_POLICY") or None,
            "database": self._database,
        }


async def _is_served(path: str) -> bool:
    try:
        _, writer = await asyncio.open_unix_connection(path)
    except OSError:
        return False
    writer.close()
    return True


def _identity(path: str) -> _Identity:
    """Return the device and inode of a file, or None if it is missing. A replaced file has other values."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


async def _read_all(reader: asyncio.StreamReader) -> bytes:
    """Return all bytes that the client sends.

    Raises:
        ValueError: the client sends more than MAX_BYTES.
    """
    parts, size = [], 0
    while part := await reader.read(1 << 16):
        parts.append(part)
        size += len(part)
        if size > MAX_BYTES + (1 << 16):
            raise ValueError(f"the call has more than {MAX_BYTES} bytes")
    return b"".join(parts)


def with_journaled_placement(policy: Policy) -> Policy:
    """Return a copy of the policy in which every agent has the placement "journaled".

    Coding agents keep the memories that a hook adds to a prompt in their context. With this placement, memories that
    the context already contains are not added again.
    """
    agents = {name: {k: v for k, v in own.items() if k != "placement"} for name, own in policy.agents.items()}
    return Policy(**{**policy.model_dump(), "agents": agents, "placement": "journaled"})


async def run(paths: DaemonPaths) -> None:
    """Open a memory layer with the settings of the environment, and answer hooks with it until the daemon ends.

    Raises:
        CognitiveError: the layer cannot be opened.
    """
    minutes = float(os.environ.get("COGNITIVE_HOOK_IDLE_MINUTES") or IDLE_MINUTES)
    chosen = learning.read(learning.learning_file(paths.folder))
    policy = with_journaled_placement(learning.with_learning(live_policy(), chosen))
    async with CognitiveLayer.open(policy=policy) as layer:
        url = os.environ.get("COGNITIVE_DATABASE_URL", "")
        daemon = Daemon(layer, paths, policy=policy, database_url=url, idle_seconds=minutes * 60)
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, daemon.stop)
        await daemon.serve()


def main() -> None:
    """Run the daemon's process. Its only argument is the file descriptor of the lock, which it holds until it ends."""
    lock, paths = int(sys.argv[1]), with_private_folders(daemon_paths())
    os.ftruncate(lock, 0)
    os.pwrite(lock, b"%d\n" % os.getpid(), 0)  # for `cognitive hook stop`, if the daemon does not answer
    _log_to(paths.log)
    try:
        asyncio.run(run(paths))
    except Exception as error:  # the log is the only place where the failure is visible
        log.error("the server cannot start: %s: %s", type(error).__name__, error)
        time.sleep(_FAILED_START_SECONDS)
        sys.exit(1)


def _log_to(file: str) -> None:
    """Log to files of limited size: messages of this package from level INFO, and warnings of other packages."""
    handler = logging.handlers.RotatingFileHandler(file, maxBytes=_LOG_BYTES, backupCount=_LOGS)
    handler.setFormatter(LineFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s", "%Y-%m-%d %H:%M:%S"))
    logging.getLogger().addHandler(handler)
    for package in ("cognitive", "brain"):
        logging.getLogger(package).setLevel(logging.INFO)


def _without_input(error: Exception) -> str:
    """Return an error message's first line. Pydantic's further lines quote the input, which must not be logged."""
    return str(error).split("\n", 1)[0]


if __name__ == "__main__":
    main()

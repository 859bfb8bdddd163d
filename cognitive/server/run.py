"""The process of a server. After a signal, it accepts no more requests, finishes running ones, and closes the layer."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from cognitive.errors import InvalidInput
from cognitive.layer import CognitiveLayer
from cognitive.server.app import create_app
from cognitive.server.config import MountedApp, ServerConfig
from cognitive.server.connections import limited_protocol
from cognitive.telemetry.metrics import Metrics

log = logging.getLogger(__name__)

Mounts = Callable[[CognitiveLayer], Sequence[MountedApp]]
_MAX_WAITING = 1_024  # connections that the kernel queues until they are accepted
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


async def serve(
    config: ServerConfig,
    *,
    mounts: Mounts = lambda layer: (),
    metrics: Metrics | None = None,
    started: Callable[[str], None],
) -> None:
    """Open a memory layer with the database that the environment names, and serve it until SIGINT or SIGTERM.

    `mounts` returns the apps to mount for the layer. `started` is called with the server's URL once it listens.

    Raises:
        PolicyError: other machines could connect, and there are no tokens.
        InvalidInput: the server cannot listen on the address.
        SchemaError, EmbeddedServerError: the layer cannot be opened; see `CognitiveLayer.open`.
    """
    config.known_tokens()  # raises before a database is opened in vain
    with listening(config) as listener:
        async with CognitiveLayer.open(metrics=metrics) as layer:
            app = create_app(layer, config, mounts(layer))
            loop, running = asyncio.get_running_loop(), server(app, config)
            # for signals before uvicorn handles them, and for those that uvicorn raises again when it has finished
            for each in _SIGNALS:
                loop.add_signal_handler(each, setattr, running, "should_exit", True)
            gc.collect()
            gc.freeze()  # these objects live as long as the process; a full collection of them would take 100 ms
            started(address(listener))
            await running.serve(sockets=[listener])
            log.info("requests are done; closing")
    if config.socket is not None:
        config.socket.unlink(missing_ok=True)


def server(app: ASGIApp, config: ServerConfig) -> uvicorn.Server:
    """Return the HTTP server of an app. Setting its `should_exit` to True ends it as a signal does."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=limited_protocol(config.max_connections, config.header_seconds),
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=int(config.grace_seconds),
            timeout_keep_alive=30,
        )
    )


def listening(config: ServerConfig) -> socket.socket:
    """Return a socket that listens on the configured address. Only the owner can connect to a unix socket.

    Raises:
        InvalidInput: the address is in use or not permitted.
    """
    try:
        bound = _unix(config.socket) if config.socket is not None else _tcp(config.host, config.port)
        bound.listen(_MAX_WAITING)
    except OSError as error:
        where = f"socket: {config.socket}" if config.socket is not None else f"port: {config.host}:{config.port}"
        raise InvalidInput(f"{where}: cannot listen: {error.strerror or error}") from error
    bound.setblocking(False)
    return bound


def address(listener: socket.socket) -> str:
    """Return the URL of a bound socket, or `unix:` and the path of a unix socket."""
    name: Any = listener.getsockname()
    if isinstance(name, str):
        return f"unix:{name}"
    host = f"[{name[0]}]" if ":" in name[0] else name[0]
    return f"http://{host}:{name[1]}"


def _tcp(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, name = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    bound = socket.socket(family, kind, protocol)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(name)
    return bound


def _unix(path: Path) -> socket.socket:
    """Return a unix socket bound to a path.

    If the path has a socket file that no process listens on, it is replaced.
    """
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    if path.is_socket() and not _is_served(path):
        path.unlink()
    bound.bind(str(path))
    path.chmod(0o600)  # before it listens, so that no other user has connected
    return bound


def _is_served(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe, suppress(OSError):
        probe.connect(str(path))
        return True
    return False

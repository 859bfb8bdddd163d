"""Start PgBouncer in transaction mode in front of a server, if it is installed."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

_STARTS_WITHIN = 10.0  # seconds
_CONFIGURED = """
[databases]
{name} = host={host} port={port} dbname={name}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 200
logfile = {folder}/log
pidfile = {folder}/pid
server_reset_query =
"""


def installed() -> str | None:
    """Return the path of the program pgbouncer, or None if it is not installed."""
    return shutil.which("pgbouncer", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"]))


@asynccontextmanager
async def pooled(url: str, connections: int = 3) -> AsyncIterator[str]:
    """Start PgBouncer with a few connections to the server, and yield the URL of the database behind it."""
    program = installed()
    assert program is not None
    parts = urlsplit(url)
    asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    name, listen = parts.path.lstrip("/"), _free_port()
    with tempfile.TemporaryDirectory(prefix="cognitive-pooler-", dir="/tmp") as place:
        folder, login = Path(place), str(parts.username)
        # a pooler that asks for no password logs in as whom the entry names
        entry = _CONFIGURED.replace("dbname={name}", f"dbname={{name}} user={login}")
        configured = folder / "pgbouncer.ini"
        configured.write_text(
            entry.format(
                name=name,
                host=asked["host"],
                port=asked.get("port", 5432),
                listen=listen,
                folder=folder,
                connections=connections,
            )
        )
        process = await asyncio.create_subprocess_exec(
            program, "-q", *_as_owner_of(asked["host"], folder), str(configured), stderr=asyncio.subprocess.DEVNULL
        )
        try:
            await _listening(listen)
            yield f"postgresql://{login}@127.0.0.1:{listen}/{name}?sslmode=disable"
        finally:
            process.terminate()
            await process.wait()


def _as_owner_of(sockets: str, folder: Path) -> list[str]:
    """Return the start of a command that runs PgBouncer as the owner of the folder `sockets`.

    PgBouncer refuses to run as root.
    """
    if os.geteuid() != 0:
        return []
    owner = pwd.getpwuid(os.stat(sockets).st_uid)
    folder.chmod(0o700)
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    return ["-u", owner.pw_name]


def _free_port() -> int:
    with socket.socket() as looked:
        looked.bind(("127.0.0.1", 0))
        return int(looked.getsockname()[1])


async def _listening(port: int) -> None:
    async with asyncio.timeout(_STARTS_WITHIN):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return

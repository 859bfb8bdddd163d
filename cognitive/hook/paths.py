"""Where the resident server is found: a socket, a lock and a log in a folder that only its user may enter.

One server stands for one set of settings: whoever has another database configured must never reach this one's.
"""

from __future__ import annotations

import os
import stat
import sys
import zlib

MAX_ADDRESS_LENGTH = 100  # bytes of a socket's path: 103 on macOS, 107 on Linux
# Settings of the hook itself, which the server behind it does not depend on.
OWN = frozenset({"COGNITIVE_AGENT", "COGNITIVE_HOOK_WAIT"})


class DaemonPaths:
    """The folder of the servers of a data directory, and the files of one of them; the socket may be in another."""

    __slots__ = ("folder", "lock", "log", "socket")

    def __init__(self, folder: str, name: str, socket_folder: str = "") -> None:
        self.folder = folder
        self.lock, self.log = f"{folder}/{name}.lock", f"{folder}/{name}.log"
        self.socket = f"{socket_folder or folder}/{name}.sock"


def daemon_paths() -> DaemonPaths:
    """Where the server of this process's settings is, or would be."""
    data = data_directory()
    name = f"{_checksum(_settings()):08x}"
    paths = DaemonPaths(os.path.join(data, "hook"), name)
    if len(os.fsencode(paths.socket)) <= MAX_ADDRESS_LENGTH:
        return paths
    # not tempfile.gettempdir(): processes with another TMPDIR must find it as well
    return DaemonPaths(paths.folder, name, f"/tmp/cognitive-hook-{os.geteuid()}-{_checksum(data):08x}")


def with_private_folders(paths: DaemonPaths) -> DaemonPaths:
    """The same, its folders made and proven to be ours alone.

    Raises:
        PermissionError: somebody else's folder stands in their place, or others may enter it.
    """
    for folder in (paths.folder, os.path.dirname(paths.socket)):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.lstat(folder)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise PermissionError(f"{folder} must be a folder that only you may enter: remove it, or chmod 700 it")
    return paths


def data_directory() -> str:
    """The data directory, as `brain.settings` has it, without what that takes to import."""
    given = os.environ.get("COGNITIVE_DATA_DIR")
    if given:
        return os.path.realpath(os.path.expanduser(given))
    if os.geteuid() == 0:
        return "/var/lib/cognitive-layer"
    if sys.platform == "linux":
        home = os.environ.get("XDG_DATA_HOME", "").strip() or os.path.expanduser("~/.local/share")
        return os.path.join(home, "cognitive-layer")
    import platformdirs  # pure Python, and slower than all the rest of a hook

    return platformdirs.user_data_dir("cognitive-layer")


def _settings() -> str:
    settings = sorted((name, value) for name, value in os.environ.items() if name.startswith("COGNITIVE_"))
    return "\0".join(f"{name}={value}" for name, value in settings if name not in OWN and value)


def _checksum(text: str) -> int:
    return zlib.crc32(os.fsencode(text))

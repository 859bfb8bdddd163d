"""The paths of the daemon's socket, lock and log, in a folder that only the current user may enter.

There is one daemon for each data directory, whatever the other settings of the environment are. The environment of the
hook that starts it counts; hooks that name another database get no answer.
"""

from __future__ import annotations

import os
import stat
import sys
import zlib

MAX_ADDRESS_LENGTH = 100  # bytes of a socket's path: 103 on macOS, 107 on Linux
NAME = "server"  # of the daemon's files


class DaemonPaths:
    """The paths of one daemon: its folder, which all daemons of a data directory share, and its lock, log and socket.

    The socket is in `socket_folder` if that is set, because the path of a unix socket must be short.
    """

    __slots__ = ("folder", "lock", "log", "socket")

    def __init__(self, folder: str, name: str, socket_folder: str = "") -> None:
        self.folder = folder
        self.lock, self.log = f"{folder}/{name}.lock", f"{folder}/{name}.log"
        self.socket = f"{socket_folder or folder}/{name}.sock"


def daemon_paths() -> DaemonPaths:
    """Return the paths of the data directory's daemon, which need not be running."""
    data = data_directory()
    paths = DaemonPaths(os.path.join(data, "hook"), NAME)
    if len(os.fsencode(paths.socket)) <= MAX_ADDRESS_LENGTH:
        return paths
    # not tempfile.gettempdir(), since processes with another TMPDIR must find the same socket
    return DaemonPaths(paths.folder, NAME, f"/tmp/cognitive-hook-{os.geteuid()}-{checksum(data)}")


def with_private_folders(paths: DaemonPaths) -> DaemonPaths:
    """Create the folders of a daemon if needed, check that only the current user may enter them, and return `paths`.

    Raises:
        PermissionError: a folder belongs to another user, or other users may enter it.
    """
    for folder in (paths.folder, os.path.dirname(paths.socket)):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        status = os.lstat(folder)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
            raise PermissionError(f"{folder} must be a folder that only you may enter: remove it or run `chmod 700`")
    return paths


def data_directory() -> str:
    """Return the data directory, computed as in `brain.settings`.

    That module is not imported, because its import is too slow for a hook.
    """
    configured = os.environ.get("COGNITIVE_DATA_DIR")
    if configured:
        return os.path.realpath(os.path.expanduser(configured))
    if os.geteuid() == 0:
        return "/var/lib/cognitive-layer"
    if sys.platform == "linux":
        home = os.environ.get("XDG_DATA_HOME", "").strip() or os.path.expanduser("~/.local/share")
        return os.path.join(home, "cognitive-layer")
    import platformdirs  # imported late, since it is slower than the rest of a hook

    return platformdirs.user_data_dir("cognitive-layer")


def checksum(text: str) -> str:
    """Return a checksum of a text, eight hexadecimal digits, or "" for an empty text."""
    return f"{zlib.crc32(os.fsencode(text)):08x}" if text else ""

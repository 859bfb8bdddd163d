"""The project that a coding agent works on: the agent id whose memories it uses, and the user at work.

A Git repository has one agent id on every machine, whatever its folder is called, in all work trees and clones. It
comes from the first of these that the repository has: the Git setting `cognitive.agent`, the first commit, the address
of the remote `origin`. The id of another folder comes from its path; folders of the same name have different ids.

A folder may come from a stranger, with its `.git/config`. That file can choose the agent id, but not the user, and no
command that it names is run.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from dataclasses import dataclass

_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_NAME_LENGTH = 40  # characters of the folder's name
_ID_LENGTH = 12  # hexadecimal digits
_GIT_SECONDS = 60.0  # a history of a million commits takes some seconds
# These name another repository than that of the folder; Git sets some of them for its own hooks.
_OTHER_REPOSITORY = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY")
# Git would fetch a missing commit with a command that the repository's settings name. Versions before 2.39.4 know only
# the list of allowed protocols, which is empty here.
_NO_FETCH = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "", "GIT_TERMINAL_PROMPT": "0"}
_NO_COMMANDS = ("--no-pager", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_ADDRESS = re.compile(r"^(?:[a-z0-9+.-]+://)?(?:[^@/]*@)?([^/:]+)(?::\d+(?=/))?[:/]+(.+?)/*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Project:
    """A project: its folder, the agent id, what the id comes from, and the user's e-mail address.

    The address is that of the user's own Git settings, or None.
    """

    folder: str
    agent: str
    origin: str
    user: str | None = None


def find_project(folder: str) -> Project:
    """Return the project that a folder belongs to. This runs Git, which takes some milliseconds."""
    project = project_of(folder)
    user = (_git(project, "config", "--global", "--includes", "user.email") or "").lower() or None
    if os.path.exists(os.path.join(project, ".git")):
        for origin, identify in _ORIGINS:
            if agent := identify(project):
                return Project(project, agent, origin, user)
    name = _NOT_ALLOWED.sub("-", os.path.basename(project)).strip("-.")[:_MAX_NAME_LENGTH] or "project"
    return Project(project, f"{name}-{_digest(project)[:8]}", "the folder's path", user)


def project_of(folder: str) -> str:
    """Return the project folder of a path: the nearest Git work tree upwards, or else the folder itself.

    Symbolic links are resolved.
    """
    start = current = os.path.realpath(folder)
    while not os.path.exists(os.path.join(current, ".git")):
        above = os.path.dirname(current)
        if above == current:
            return start
        current = above
    return current


def _chosen(folder: str) -> str | None:
    return _git(folder, "config", "cognitive.agent")


def _by_first_commit(folder: str) -> str | None:
    """Return an id from the repository's first commit, or None if there is none or the clone is shallow."""
    if _git(folder, "rev-parse", "--is-shallow-repository") != "false":
        return None  # the oldest commit of a shallow clone is not the first one
    commits = (_git(folder, "rev-list", "--max-parents=0", "HEAD") or "").split()
    return f"repo-{commits[-1][:_ID_LENGTH]}" if commits else None


def _by_remote(folder: str) -> str | None:
    """Return an id from the address of `origin`, which is the same for HTTPS and SSH, or None if there is no remote."""
    address = _ADDRESS.match(_git(folder, "config", "remote.origin.url") or "")
    if address is None:
        return None
    host, path = address.groups()
    return f"repo-{_digest(f'{host}/{path}'.lower().removesuffix('.git'))[:_ID_LENGTH]}"


_ORIGINS = (
    ("the Git setting cognitive.agent", _chosen),
    ("the repository's first commit", _by_first_commit),
    ("the address of the remote origin", _by_remote),
)


def _git(folder: str, *arguments: str) -> str | None:
    """Return the output of a Git command in a folder, or None if Git is missing, fails or prints nothing."""
    environment = {name: value for name, value in os.environ.items() if name not in _OTHER_REPOSITORY} | _NO_FETCH
    try:
        ran = subprocess.run(
            ["git", *_NO_COMMANDS, "-C", folder, *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ran.stdout.decode("utf-8", "replace").strip() or None if ran.returncode == 0 else None


def _digest(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()

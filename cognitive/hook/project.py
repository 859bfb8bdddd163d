"""The agent id of a project folder. It is readable, and differs between folders of the same name."""

from __future__ import annotations

import hashlib
import os
import re

_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_NAME_LENGTH = 40  # characters of the folder's name


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


def agent_of(folder: str) -> str:
    """Return the agent id of the project that a folder belongs to, such as `webshop-3f2a9c1b`."""
    project = project_of(folder)
    name = _NOT_ALLOWED.sub("-", os.path.basename(project)).strip("-.")[:_MAX_NAME_LENGTH] or "project"
    return f"{name}-{hashlib.sha256(os.fsencode(project)).hexdigest()[:8]}"

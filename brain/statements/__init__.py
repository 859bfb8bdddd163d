"""All SQL, named: one file per port, each statement under its `-- name:` line and a line that says what it does."""

from __future__ import annotations

import re
from importlib.resources import files

_NAMED = re.compile(r"^-- name: (\w+)\n(.*?)(?=^-- name: |\Z)", re.MULTILINE | re.DOTALL)


def load(port: str) -> dict[str, str]:
    """The statements of `<port>.sql` by name."""
    return named((files(__name__) / f"{port}.sql").read_text(encoding="utf-8"))


def named(text: str) -> dict[str, str]:
    """The statements of a text by name."""
    return {name: statement.strip() for name, statement in _NAMED.findall(text)}

"""How strictly a tool's output is shortened: one row per kind of tool, known by the words of its name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from cognitive.errors import PolicyError

OutputKind = Literal["terminal", "search", "file", "web", "data", "default"]

LEAST_CHARACTERS = 200  # room for a pointer, and for something beside it
_NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class OutputLimit:
    """One row: `characters` at most, all told, and `line` in one line of it.

    An `exact` output is only cut, never cleaned: the model edits files by their exact text. `per_file` keeps a line of
    every file that a search found, before it keeps a second one of any. `markup` drops scripts and styles of web pages.
    """

    kind: OutputKind
    characters: int
    line: int
    exact: bool = False
    per_file: bool = False
    markup: bool = False

    def __post_init__(self) -> None:
        if self.characters < LEAST_CHARACTERS or self.line < 1:
            raise PolicyError(f"outputs of the kind {self.kind}: at least {LEAST_CHARACTERS} characters, 1 in a line")


# The characters are about 2,000 tokens; what a cut costs says who gets more or less. A file that is cut is read again,
# in pieces; a page's second half is rarely what was looked for, nor is a search's hundredth match.
LIMITS: Mapping[OutputKind, OutputLimit] = {
    row.kind: row
    for row in (
        OutputLimit("terminal", characters=8_000, line=1_000),
        OutputLimit("search", characters=6_000, line=300, per_file=True),
        OutputLimit("file", characters=16_000, line=16_000, exact=True),
        OutputLimit("web", characters=6_000, line=1_000, markup=True),
        OutputLimit("data", characters=8_000, line=1_000),
        OutputLimit("default", characters=8_000, line=1_000),
    )
}

# A tool is of the first kind whose words, any row of them, all stand in its name ("mcp__fs__readTextFile": read, file).
NAMES: tuple[tuple[OutputKind, tuple[str, ...]], ...] = (
    ("web", ("web", "fetch", "browse", "browser", "url", "http", "scrape", "crawl", "page", "navigate")),
    ("data", ("sql", "query", "database", "api", "graphql")),
    ("search", ("grep", "rg", "ripgrep", "glob", "search", "find", "ls", "list", "tree")),
    ("file", ("read", "cat", "view", "open", "edit", "editor", "write", "notebook", "patch", "file")),
    ("terminal", ("bash", "sh", "shell", "zsh", "terminal", "exec", "execute", "run", "command", "cmd", "powershell",
                  "console", "process", "python", "docker", "test", "build", "install")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OutputLimits:
    """The row of every kind; and by exact name, the kind of tools whose names do not tell it."""

    rows: Mapping[OutputKind, OutputLimit] = field(default_factory=lambda: LIMITS)
    tools: Mapping[str, OutputKind] = field(default_factory=dict)

    def of(self, tool: str) -> OutputLimit:
        """The row for a tool."""
        kind = self.tools.get(tool) or kind_of(tool)
        return self.rows.get(kind) or LIMITS[kind]

    def with_characters(self, characters: Mapping[OutputKind, int]) -> OutputLimits:
        """The same with other bounds for some kinds."""
        changed = {kind: replace(self.rows.get(kind) or LIMITS[kind], characters=n) for kind, n in characters.items()}
        return replace(self, rows={**LIMITS, **self.rows, **changed})


@lru_cache(maxsize=4096)
def kind_of(tool: str) -> OutputKind:
    """The kind of a tool by the words of its name."""
    words = {word.lower() for word in _NAME_WORD.findall(tool)}
    return next((kind for kind, known in NAMES if words.intersection(known)), "default")

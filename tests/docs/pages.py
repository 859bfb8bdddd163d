"""Read the code blocks of documentation pages.

Each Python block is a script, as a reader would paste it into a file. It keeps its line numbers, so that a traceback
names the page's line. In `sh` blocks, the lines that begin with `cognitive ` are commands. A block below
`<!-- not run: reason -->` is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"```(\w*)\s*")
_NOT_RUN = re.compile(r"<!-- not run: .+ -->")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a page that can be run. `start` is the page's line number of its first line, from 1."""

    language: str
    start: int
    lines: tuple[str, ...]


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a page that are run, in order."""
    lines, n, skip = text.splitlines(), 0, False
    while n < len(lines):
        line, n = lines[n], n + 1
        fence = _FENCE.fullmatch(line)
        if fence is None:
            skip = bool(_NOT_RUN.fullmatch(line)) or (skip and not line.strip())
            continue
        end = lines.index("```", n)
        if not skip:
            yield Block(fence[1], n + 1, tuple(lines[n:end]))
        n, skip = end + 1, False


def scripts(text: str) -> dict[int, str]:
    """Return the Python blocks of a page, each at its line numbers, by the number of its first line."""
    return {
        block.start: "\n" * (block.start - 1) + "".join(f"{line}\n" for line in block.lines)
        for block in blocks(text)
        if block.language == "python"
    }


def commands(text: str) -> list[str]:
    """Return the command lines of a page, with continued lines joined."""
    sh = "\n".join(line for block in blocks(text) if block.language == "sh" for line in block.lines)
    return [line for line in sh.replace("\\\n", " ").splitlines() if line.startswith("cognitive ")]


def page_files(root: Path, patterns: tuple[str, ...]) -> list[Path]:
    """Return the files that match the patterns, sorted."""
    return sorted(path for pattern in patterns for path in root.glob(pattern))

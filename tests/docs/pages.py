"""Pages of documentation as what can be run of them.

Of a page, the blocks of Python are one script, each at its own lines, so that a traceback names the line of the page.
Of its blocks of `sh`, each line that begins with `cognitive ` is run. What stands under `<!-- not run: reason -->` is
left out; `<!-- run:` with lines of Python below it, up to `-->`, defines what a reader brings along.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"```(\w*)\s*")
_NOT_RUN = re.compile(r"<!-- not run: .+ -->")
_BROUGHT = "<!-- run:"


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a page that can be run; the first is line `start` of it, from 1."""

    language: str
    start: int
    lines: tuple[str, ...]


def blocks(text: str) -> Iterator[Block]:
    """What of a page is run, in its order."""
    lines, n, skip = text.splitlines(), 0, False
    while n < len(lines):
        line, n = lines[n], n + 1
        fence = _FENCE.fullmatch(line)
        if fence is None and line != _BROUGHT:
            skip = bool(_NOT_RUN.fullmatch(line)) or (skip and not line.strip())
            continue
        end = lines.index("```" if fence else "-->", n)
        if not skip:
            yield Block(fence[1] if fence else "python", n + 1, tuple(lines[n:end]))
        n, skip = end + 1, False


def script(text: str) -> str:
    """The Python of a page, at its lines; empty if there is none."""
    lines: list[str] = []
    for block in blocks(text):
        if block.language == "python":
            lines += [""] * (block.start - 1 - len(lines)) + list(block.lines)
    return "".join(f"{line}\n" for line in lines)


def commands(text: str) -> list[str]:
    """The command lines of a page, those that go on over several lines as one."""
    sh = "\n".join(line for block in blocks(text) if block.language == "sh" for line in block.lines)
    return [line for line in sh.replace("\\\n", " ").splitlines() if line.startswith("cognitive ")]


def found(root: Path, patterns: tuple[str, ...]) -> list[Path]:
    """The pages that there are."""
    return sorted(path for pattern in patterns for path in root.glob(pattern))

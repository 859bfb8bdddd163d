"""Shorten a tool's output to the limit of its kind. The whole output is stored, and a pointer in the text leads to it.

The kind of a tool (file, search, web page, ...) follows from the words of its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal
from uuid import UUID, uuid5

from cognitive.errors import PolicyError
from cognitive.window.output.json_values import read_json, shortened_json
from cognitive.window.output.lines import LineSpan, excerpt, progress, repeats, routine, split_lines
from cognitive.window.output.text import all_lines, clean, head_of, is_web_page, page_text, storable, tail_of

OutputKind = Literal["terminal", "search", "file", "web", "data", "default"]

MIN_CHARACTERS = 200  # room for a pointer and some text
_NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAMESPACE = UUID("6f0d8a52-6a0e-5c1c-9d0e-0d6c3c0f7b11")  # of artifact ids; changing it orphans every pointer
_CHECKSUM = 8  # hexadecimal digits at the end of an artifact's id
_POINTER = re.compile(
    r"\[\.\.\. [\d,]{1,20} of [\d,]{1,20} characters left out; whole: artifact:"
    r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\]"
)
_MIN_SAVED = 200  # characters that must be saved for noise to be removed from an output within its limit
_JUNK = 0.1  # share of characters that are not text, above which an output is binary
_JUNK_SHOWN = 400  # characters shown of a binary output


# --- limits by kind of tool ---


@dataclass(frozen=True, slots=True)
class OutputLimit:
    """The limits for outputs of one kind of tool, in characters: `characters` in all and `line` for each line.

    An `exact` output is only cut, never cleaned, since the model edits files by their exact text. With `per_file`, one
    line of every file that a search found is shown before a second line of any file. With `markup`, scripts and styles
    are removed from web pages.

    Raises:
        PolicyError: a limit is too small.
    """

    kind: OutputKind
    characters: int
    line: int
    exact: bool = False
    per_file: bool = False
    markup: bool = False

    def __post_init__(self) -> None:
        if self.characters < MIN_CHARACTERS or self.line < 1:
            raise PolicyError(f"outputs of the kind {self.kind}: at least {MIN_CHARACTERS} characters, 1 in a line")


# 8,000 characters are about 2,000 tokens. Files get more, since a file that is cut is read again in pieces. Pages and
# searches get less, since the second half of a page and the hundredth match of a search are rarely needed.
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

# A tool has the first kind with a word in its name: "mcp__fs__readTextFile" contains "read", a word of "file".
NAMES: tuple[tuple[OutputKind, tuple[str, ...]], ...] = (
    ("web", ("web", "fetch", "browse", "browser", "url", "http", "scrape", "crawl", "page", "navigate")),
    ("data", ("sql", "query", "database", "api", "graphql")),
    ("search", ("grep", "rg", "ripgrep", "glob", "search", "find", "ls", "list", "tree")),
    ("file", ("read", "cat", "view", "open", "edit", "editor", "write", "notebook", "patch", "file")),
    (
        "terminal",
        (
            "bash",
            "sh",
            "shell",
            "zsh",
            "terminal",
            "exec",
            "execute",
            "run",
            "command",
            "cmd",
            "powershell",
            "console",
            "process",
            "python",
            "docker",
            "test",
            "build",
            "install",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class OutputLimits:
    """The limits for the outputs of all tools, by kind of tool.

    The kind of a tool follows from its name. `tools` maps the exact names of other tools to their kind.
    """

    rows: Mapping[OutputKind, OutputLimit] = field(default_factory=lambda: LIMITS)
    tools: Mapping[str, OutputKind] = field(default_factory=dict)

    def of(self, tool: str) -> OutputLimit:
        """Return the limits for the outputs of a tool."""
        kind = self.tools.get(tool) or kind_of(tool)
        return self.rows.get(kind) or LIMITS[kind]

    def with_characters(self, characters: Mapping[OutputKind, int]) -> OutputLimits:
        """Return a copy of the limits with other maximum lengths for some kinds of tools."""
        changed = {kind: replace(self.rows.get(kind) or LIMITS[kind], characters=n) for kind, n in characters.items()}
        return replace(self, rows={**LIMITS, **self.rows, **changed})


@lru_cache(maxsize=4096)
def kind_of(tool: str) -> OutputKind:
    """Return the kind of a tool, which decides how its outputs are shortened, by the words of its name."""
    words = {word.lower() for word in _NAME_WORD.findall(tool)}
    return next((kind for kind, kind_words in NAMES if words.intersection(kind_words)), "default")


# --- one output ---


@dataclass(frozen=True, slots=True)
class NormalisedOutput:
    """A tool's output as the prompt shows it.

    `whole` is the original text to store under the id `pointer`; both are None if nothing was left out. `before` is the
    length of the original in characters. `notes` name the steps that changed it.
    """

    text: str
    whole: str | None
    pointer: UUID | None
    before: int
    notes: tuple[str, ...] = ()


def normalise(output: str, *, tool: str, session_id: str, limits: OutputLimits) -> NormalisedOutput:
    """Shorten a tool's output to the limit of its kind, in time linear in the output's length.

    Short, clean outputs are unchanged. Escape sequences, control characters and white space at line ends are removed
    without a note. If anything else is left out, the whole output is in `whole`, and notes in the text say where
    something is missing. Normalising a normalised text changes nothing. JSON remains JSON where that is possible.
    """
    whole = storable(output)
    limit = limits.of(tool)
    if limit.exact:
        cleaned = shown = whole
    else:
        cleaned = clean(whole)
        shown = all_lines(cleaned)
    short = len(shown) <= limit.characters
    if short and (limit.exact or _POINTER.search(shown) or read_json(shown) is not None):
        return _unshortened(output, shown)
    pointer = _artifact_id(session_id, whole)
    # a short output is also tried as it is shown, since its text is normalised again in that form
    for source in dict.fromkeys((cleaned, shown) if short else (cleaned,)):
        text, notes = _shorter(source, shown, limit, _Mark(len(whole), pointer))
        text = text if limit.exact else clean(text)
        if not short or len(text) + _MIN_SAVED <= len(shown):
            return NormalisedOutput(text, whole, pointer, len(output), notes)
    return _unshortened(output, shown)


def pointers(text: str) -> tuple[UUID, ...]:
    """Return the ids in the text's pointers, in order. A pointer replaces a tool output that is stored in full."""
    return tuple(UUID(id) for id in _POINTER.findall(text))


def own_pointers(text: str, session_id: str) -> tuple[UUID, ...]:
    """Return the ids in the text's pointers that this session made; a tool's output may imitate a pointer."""
    return tuple(id for id in pointers(text) if id == _with_checksum(session_id, id))


def without_pointers(text: str) -> str:
    """Return a text with an ellipsis in place of each note of what was left out."""
    return _POINTER.sub("…", text)


def marker(left_out: int, before: int, pointer: UUID) -> str:
    """Return the note for a shortened output: how much was left out, and where the whole output is stored."""
    return f"[... {left_out:,} of {before:,} characters left out; whole: artifact:{pointer}]"


def _artifact_id(session_id: str, whole: str) -> UUID:
    return _with_checksum(session_id, uuid5(_NAMESPACE, f"{session_id}\0{whole}"))


def _with_checksum(session_id: str, id: UUID) -> UUID:
    """Return an id whose last digits are a checksum of the others and the session's id, which tools do not know."""
    digits = id.hex[:-_CHECKSUM]
    return UUID(digits + uuid5(_NAMESPACE, f"{session_id}\0\0{digits}").hex[:_CHECKSUM])


@dataclass(frozen=True, slots=True)
class _Mark:
    before: int
    pointer: UUID

    def of(self, shown: int) -> str:
        return marker(max(0, self.before - shown), self.before, self.pointer)

    @property
    def max_length(self) -> int:
        return len(self.of(0))


def _unshortened(output: str, shown: str) -> NormalisedOutput:
    return NormalisedOutput(shown, None, None, len(output), () if shown == output else ("cleaned",))


def _shorter(cleaned: str, shown: str, limit: OutputLimit, mark: _Mark) -> tuple[str, tuple[str, ...]]:
    if limit.exact:
        return _ends(shown, limit.characters, mark), ("cut",)
    value = read_json(shown)
    if value is not None:
        text = _json(value, limit, mark)
        if text is not None:
            return text, ("json",)
    if _is_junk(mark, shown):
        return _ends(" ".join(shown.split()), min(limit.characters, _JUNK_SHOWN), mark), ("binary",)
    if limit.markup and is_web_page(shown):
        cleaned = clean(page_text(cleaned))
    return _lines(cleaned, limit, mark)


def _json(value: object, limit: OutputLimit, mark: _Mark) -> str | None:
    text = shortened_json(value, limit.characters, mark.of(0))
    if text is None:
        return None
    exact = mark.of(len(text) - mark.max_length)
    return text.replace(mark.of(0), exact, 1) if len(exact) <= mark.max_length else text


def _is_junk(mark: _Mark, shown: str) -> bool:
    lost = mark.before - len(shown) + shown.count("\ufffd")
    return lost > _JUNK * mark.before and shown.count("\ufffd") > _JUNK * len(shown)


def _ends(text: str, characters: int, mark: _Mark) -> str:
    """Return the head and the tail of a text with a note of the gap between them, cut at line breaks if possible."""
    room = max(0, characters - mark.max_length - 2)
    if len(text) <= room:
        return f"{text}\n{mark.of(len(text))}"
    head, tail = head_of(text, room * 3 // 5), tail_of(text, room * 2 // 5)
    line_end, line_start = head.rfind("\n"), tail.find("\n")
    head = head[:line_end] if line_end > len(head) // 2 else head
    tail = tail[line_start + 1 :] if 0 <= line_start < len(tail) // 2 else tail
    return f"{head}\n{mark.of(len(head) + len(tail))}\n{tail}"


_ALWAYS: tuple[tuple[str, Callable[[Sequence[LineSpan]], list[LineSpan]]], ...] = (
    ("repeats", repeats),
    ("progress", progress),
)
_WITHOUT_ROOM = (("routine", routine),)


def _lines(cleaned: str, limit: OutputLimit, mark: _Mark) -> tuple[str, tuple[str, ...]]:
    """Shorten an output by its lines. Return the text, and the names of the steps that changed the output.

    Repetitions and progress reports are reduced first. If that does not suffice, routine lines are reduced too, and
    then an excerpt is chosen.
    """
    room = limit.characters - mark.max_length - 1
    count = cleaned.strip("\n").count("\n") + 1
    spans = split_lines(cleaned, room - 40 if count == 1 else max(min(limit.line, room // 5), room // (4 * count)))
    notes: list[str] = []
    for folds in (_ALWAYS, _WITHOUT_ROOM):
        for note, fold in folds:
            folded = fold(spans)
            notes += [note] if len(folded) < len(spans) else []
            spans = folded
        if sum(len(each.text) + 1 for each in spans) <= room and not any(
            gap > 0 for gap in _gaps(spans, spans[-1].after)
        ):
            return _joined(spans, spans[-1].after, mark), tuple(notes)
    chosen = excerpt(spans, room, per_file=limit.per_file)
    return _joined(chosen, spans[-1].after, mark), (*notes, "excerpt")


def _gaps(shown: Sequence[LineSpan], lines: int) -> list[int]:
    """Return how many of the output's `lines` are left out before each shown span, and after the last."""
    ends = [0, *(each.after for each in shown)]
    return [start - end for end, start in zip(ends, [*(each.first for each in shown), lines], strict=True)]


def _joined(shown: Sequence[LineSpan], lines: int, mark: _Mark) -> str:
    """Join the shown lines with a note in each gap. The note in the longest gap refers to the stored whole output.

    If there is no gap, such a note follows at the end.
    """
    gaps = _gaps(shown, lines)
    longest = max(range(len(gaps)), key=lambda n: (gaps[n], n))
    parts: list[str] = []
    for n, (gap, each) in enumerate(zip(gaps, [*shown, None], strict=True)):
        if n == longest:
            parts.append(mark.of(sum(len(each.text) + 1 for each in shown)))
        elif gap > 0:
            parts.append(f"[... {gap:,} lines]")
        parts += [each.text] if each else []
    return "\n".join(parts)

"""What left the window, in few lines: who said it, what it named, what came of it. Pure; a model may do it better.

A summary is lines, oldest first, each of one speaker and quoted as data: what a tool returned never reads as if the
user had said it. Lines stay as they are from one roll to the next, so that a provider's cache holds; only when they are
too long together are the oldest condensed, a good deal at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from cognitive.prompt import quote, unquote, without_injected
from cognitive.turn import Message, ToolCall
from cognitive.window.engine_messages import is_action
from cognitive.window.output import importance
from cognitive.window.output.json_values import as_text

_LINE = re.compile(r'^- (user|assistant|notes|tools|tool [\w.:-]{1,60}|call [\w.:-]{1,60})( \(condensed\))?: (".*")$')
_NAME = re.compile(r"[^\w.:-]+")
# Characters that a message is worth when it leaves the window, by who said it.
_WORTH: Mapping[str, int] = {"user": 320, "assistant": 260, "call": 140, "tool": 220, "tools": 220, "notes": 260}
# What the oldest are condensed to, step by step, until all fits: a share of what they were worth.
_STEPS = (0.6, 0.4, 0.25)
_WEAK = 1.3  # of importance.worth: one name or figure, and nothing that was decided or went wrong
_REQUEST = 2.0  # what a request is worth by itself: it may name nothing and still be what all is about
_LOW_WATER = 0.8  # of the limit is left after condensing, so that it is not done again at once
_SPARED = 0.25  # of the limit: the newest lines, which are condensed last
# Of the room for what is old, merged by speaker; tools' answers and calls are one.
_MERGED_SHARES: Mapping[str, float] = {"notes": 0.4, "user": 0.3, "assistant": 0.4, "tools": 0.3}
_BETWEEN = " | "  # the pieces of a merged line
_MIN_PIECE = 12  # characters; less says nothing
_TELLING_ARGUMENTS = ("command", "cmd", "file_path", "path", "query", "pattern", "url", "code", "name", "task")


class Summarizer(Protocol):
    """Rolls messages into the summary of what came before them. Called after a turn, never before one."""

    async def summarize(self, earlier: str, messages: Sequence[Message], limit: int) -> str:
        """A summary of at most `limit` characters of `earlier`, the summary so far, and of `messages`, oldest first."""


class ExtractiveSummarizer:
    """The summarizer that needs no model."""

    async def summarize(self, earlier: str, messages: Sequence[Message], limit: int) -> str:
        """As `extract`."""
        return extract(earlier, messages, limit)


@dataclass(frozen=True, slots=True)
class _SummaryLine:
    """What one speaker said: `who` is user, assistant, "tool <name>", "call <name>", tools for several of these, or
    notes for what a summary of another make says.
    """

    who: str
    text: str
    condensed: bool = False

    @property
    def worth(self) -> int:
        return _WORTH[self.who.split(" ")[0]]

    def __str__(self) -> str:
        return f"- {self.who}{' (condensed)' if self.condensed else ''}: {quote(self.text)}"


def extract(earlier: str, messages: Sequence[Message], limit: int) -> str:
    """A summary of at most `limit` characters of `earlier`, a summary of any make, and of `messages`, oldest first.

    Deterministic. While all fits, the lines of `earlier` stay byte for byte; then the oldest are condensed and at last
    merged. Something of the newest message that says anything is always left.
    """
    lines = [*_parsed(earlier), *_told(messages)]
    if _size(lines) > limit:
        lines = _fitted(lines, limit)
    return "\n".join(map(str, lines))


def noted(text: str) -> str:
    """A foreign text as the lines of a summary, each quoted: whoever wrote it speaks for nobody."""
    return "\n".join(str(_SummaryLine("notes", line.strip())) for line in text.split("\n") if line.strip())


# ---- from messages to lines -----------------------------------------------------------------------------------------


def _parsed(earlier: str) -> Iterator[_SummaryLine]:
    """The lines of a summary; what is not of this make is kept as notes."""
    for line in earlier.split("\n"):
        match = _LINE.match(line)
        text = unquote(match.group(3)) if match else None
        if match and text is not None:
            yield _SummaryLine(match.group(1), text, match.group(2) is not None)
        elif line.strip():
            yield _SummaryLine("notes", line.strip())


def _told(messages: Sequence[Message]) -> Iterator[_SummaryLine]:
    names = {call.id: call.name for message in messages for call in message.tool_calls if call.id}
    for message in messages:
        if message.role == "tool":
            yield from _answer(names.get(message.tool_call_id or "", "unknown"), message.content)
        elif message.role in ("user", "assistant") and not is_action(message):
            yield from _said(message.role, without_injected(message.content))
            for call in message.tool_calls:
                yield from _called(call)


def _said(who: str, text: str) -> Iterator[_SummaryLine]:
    kept = importance.essence(text, _WORTH[who], request=who == "user")
    if kept:
        yield _SummaryLine(who, kept)


def _called(call: ToolCall) -> Iterator[_SummaryLine]:
    told = [str(call.arguments[name]) for name in _TELLING_ARGUMENTS if name in call.arguments]
    text = " ".join(" ".join(told or [f"{name}={value}" for name, value in call.arguments.items()]).split())
    yield _SummaryLine(f"call {_name(call.name)}", importance.squeezed(text, _WORTH["call"]))
    if call.result is not None:
        yield from _answer(call.name, call.result if isinstance(call.result, str) else as_text(call.result))


def _answer(tool: str, text: str) -> Iterator[_SummaryLine]:
    kept = importance.essence(text, _WORTH["tool"])
    if kept:
        yield _SummaryLine(f"tool {_name(tool)}", kept)


def _name(tool: str) -> str:
    return _NAME.sub("_", tool)[:60] or "unknown"


# ---- within the limit -----------------------------------------------------------------------------------------------


def _fitted(lines: Sequence[_SummaryLine], limit: int) -> list[_SummaryLine]:
    """The oldest condensed, step by step; if that is not enough, what is old merged by speaker; at last cut."""
    target = int(limit * _LOW_WATER)
    fitted = _without_weak(lines, target, _spared(lines, limit))
    for share in _STEPS:
        fitted = _condensed(fitted, share, target, _spared(fitted, limit))
        if _size(fitted) <= target:
            return fitted
    old = _spared(fitted, limit)
    fitted = [*_merged(fitted[:old], target - _size(fitted[old:])), *fitted[old:]]
    while _size(fitted) > limit and len(fitted) > 1:
        fitted.pop(0)
    return fitted if _size(fitted) <= limit else _cut(fitted[-1], limit)


def _spared(lines: Sequence[_SummaryLine], limit: int) -> int:
    """The place of the first of the newest lines that take up the spared share; the last one is always of them."""
    room = int(limit * _SPARED)
    for place in range(len(lines) - 1, -1, -1):
        room -= len(str(lines[place])) + 1
        if room < 0:
            return min(place + 1, len(lines) - 1)
    return 0


def _without_weak(lines: Sequence[_SummaryLine], target: int, until: int) -> list[_SummaryLine]:
    """Without the calls and answers before `until` that say next to nothing, oldest first, until all fits."""
    kept: list[_SummaryLine] = []
    excess = _size(lines) - target
    for place, line in enumerate(lines):
        if place < until and excess > 0 and line.who not in _MERGED_SHARES and importance.worth(line.text) < _WEAK:
            excess -= len(str(line)) + 1
        else:
            kept.append(line)
    return kept


def _condensed(lines: Sequence[_SummaryLine], share: float, target: int, until: int) -> list[_SummaryLine]:
    """The lines before `until`, oldest first, at a share of their worth, until all are within the target."""
    condensed: list[_SummaryLine] = []
    excess = _size(lines) - target
    said_later = _said_later(lines)
    for place, line in enumerate(lines):
        if place >= until or excess <= 0 or len(line.text) <= line.worth * share:
            condensed.append(line)
            continue
        known = said_later(place)
        text = importance.essence(line.text, int(line.worth * share), request=line.who == "user", known=known)
        shorter = replace(line, text=text, condensed=True)
        condensed += [shorter] if text else []
        excess -= len(str(line)) - (len(str(shorter)) if text else -1)
    return condensed


def _merged(lines: Sequence[_SummaryLine], room: int) -> list[_SummaryLine]:
    """One line per speaker, within their shares of the room; what one leaves, the next may use."""
    said_later = _said_later(lines)
    pieces: dict[str, list[tuple[str, float]]] = {}
    for place, line in enumerate(lines):
        who = line.who if line.who in _MERGED_SHARES else "tools"
        least = _REQUEST if who == "user" else 0.0
        weighed = [(piece, least + importance.worth(piece, said_later(place))) for piece in line.text.split(_BETWEEN)]
        pieces.setdefault(who, []).extend((piece, worth) for piece, worth in weighed if worth > 0)
    merged: dict[str, _SummaryLine] = {}
    left, shares = room, sum(_MERGED_SHARES[who] for who in pieces)
    for who in sorted(pieces, key=lambda who: (sum(len(piece) for piece, _ in pieces[who]) / _MERGED_SHARES[who], who)):
        own = int(left * _MERGED_SHARES[who] / shares) if shares else 0
        merged[who] = _SummaryLine(
            who, _thinned(pieces[who], own - len(str(_SummaryLine(who, "", True))) - 1), condensed=True
        )
        left, shares = left - len(str(merged[who])) - 1, shares - _MERGED_SHARES[who]
    return [merged[who] for who in pieces if merged[who].text]


def _thinned(pieces: Sequence[tuple[str, float]], room: int) -> str:
    """The pieces within so many characters: by their worth, the newest up to twice as much as the oldest."""
    weights = [worth * (1 + place / len(pieces)) for place, (_, worth) in enumerate(pieces)]
    left, total = room, sum(weights)
    kept: dict[int, str] = {}
    for place in sorted(range(len(pieces)), key=lambda n: (len(pieces[n][0]) / weights[n], -n)):
        own = int(left * weights[place] / total) - len(_BETWEEN) if total > 0 else 0
        total -= weights[place]
        if own >= _MIN_PIECE:
            kept[place] = importance.squeezed(pieces[place][0], own)
            left -= len(kept[place]) + len(_BETWEEN)
    return _BETWEEN.join(kept[place] for place in sorted(kept))


def _said_later(lines: Sequence[_SummaryLine]) -> Callable[[int], set[str]]:
    """Of the line at a place, the facts that a later one says too."""
    own = [importance.facts(line.text) for line in lines]
    last = {fact: place for place, facts in enumerate(own) for fact in facts}
    return lambda place: {fact for fact in own[place] if last[fact] > place}


def _cut(line: _SummaryLine, limit: int) -> list[_SummaryLine]:
    """The one line that is left, within the limit; nothing where not even its speaker has room."""
    room = limit - len(str(replace(line, text="", condensed=True)))
    while room > 0:
        shorter = replace(line, text=importance.squeezed(line.text, room), condensed=True)
        excess = len(str(shorter)) - limit
        if excess <= 0:
            return [shorter]
        room -= excess
    return []


def _size(lines: Sequence[_SummaryLine]) -> int:
    return sum(len(str(line)) + 1 for line in lines) - 1 if lines else 0

"""Extract a summary of the messages that left the window, without a model.

The window is the part of a conversation that the model sees. A summary is a list of lines, oldest first. Each line
quotes one speaker, so that a tool's output never reads as if the user had written it. Lines do not change from one
summary to the next, so that provider caches apply. When the lines become too long together, many of the oldest lines
are condensed at once. Decisions, prohibitions and the like are not condensed: their lines name the kind (see `slots`).
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
from cognitive.window.output.normalise import without_pointers
from cognitive.window.output.text import head_of
from cognitive.window.slots import statements as slots

_LINE = re.compile(
    r"^- (user|assistant|notes|tools|tool [\w.:-]{1,60}|call [\w.:-]{1,60})"
    r"(?: \((condensed|prohibition|decision|deadline|number|name|question)\))?: (\".*\")$"
)
_CONDENSED = "condensed"
_NAME = re.compile(r"[^\w.:-]+")
# Maximum characters of a message in the summary, by speaker.
_MAX_CHARS: Mapping[str, int] = {"user": 320, "assistant": 260, "call": 140, "tool": 220, "tools": 220, "notes": 260}
# The shares of these lengths to which the oldest lines are condensed, step by step, until all fits.
_STEPS = (0.6, 0.4, 0.25)
_WEAK = 1.3  # worth of a line with one name or figure, without a decision or an error; see `importance.worth`
_REQUEST = 2.0  # worth added to a user's request: it may name no fact and still be the subject of the conversation
_LOW_WATER = 0.74  # share of the limit that remains after condensing, so that it is not due again at once
_SLOTS = 0.72  # share of the limit for statements in the speaker's own words; see `slots`
_SPARED = 0.25  # share of the limit for the newest lines, which are condensed last
_MIN_SPARED = 0.05  # the same if statements that are kept need the room
# Shares of the room for old lines, merged by speaker; calls and their answers count as one speaker.
_MERGED_SHARES: Mapping[str, float] = {"notes": 0.4, "user": 0.3, "assistant": 0.4, "tools": 0.3}
_BETWEEN = " | "  # separates the pieces of a merged line
_MIN_PIECE = 12  # characters; a shorter piece has no content
_INFORMATIVE_ARGUMENTS = ("command", "cmd", "file_path", "path", "query", "pattern", "url", "code", "name", "task")


class Summarizer(Protocol):
    """Interface of a component that adds messages to a conversation's summary.

    It is called after a turn, never before a turn.
    """

    async def summarize(self, earlier: str, messages: Sequence[Message], limit: int) -> str:
        """Return a new summary of at most `limit` characters.

        It covers what `earlier`, the summary so far, covers, and after that the `messages`, oldest first.
        """


class ExtractiveSummarizer:
    """The default summarizer, which needs no model: it selects the most important sentences."""

    async def summarize(self, earlier: str, messages: Sequence[Message], limit: int) -> str:
        """Return the summary, at most `limit` characters long, that `extract` makes without a model."""
        return extract(earlier, messages, limit)


@dataclass(frozen=True, slots=True)
class _SummaryLine:
    """A line of a summary: its speaker `who`, its text, and a mark.

    The mark is the kind of the statements that are kept in the speaker's own words, or "condensed", or empty. The
    speaker is "user", "assistant", "tool <name>", "call <name>", "tools" for several tools and calls, or "notes" for a
    line that another author wrote, such as a model.
    """

    who: str
    text: str
    mark: str = ""

    @property
    def kept(self) -> bool:
        """True for a statement that is kept in the speaker's own words."""
        return self.mark not in ("", _CONDENSED)

    @property
    def parts(self) -> tuple[_SummaryLine, ...]:
        """The line itself, or for statements that are kept, a line for each."""
        return tuple(replace(self, text=text) for text in self.text.split(_BETWEEN)) if self.kept else (self,)

    @property
    def max_chars(self) -> int:
        return _MAX_CHARS[self.who.split(" ")[0]]

    def __str__(self) -> str:
        return f"- {self.who}{f' ({self.mark})' if self.mark else ''}: {quote(self.text)}"


def extract(earlier: str, messages: Sequence[Message], limit: int) -> str:
    """Return a summary of at most `limit` characters of `earlier`, the summary so far, and `messages`, oldest first.

    `earlier` may be a summary of any form. Equal inputs give equal summaries. As long as everything fits, the lines of
    `earlier` are unchanged. Otherwise the oldest lines are condensed, and if that does not suffice, merged. A part of
    the newest message with content remains, unless its negation does not fit.
    """
    lines = [*_parsed(earlier), *_lines_of(messages)]
    if _size(lines) > limit:
        lines = _fitted(lines, limit)
    return "\n".join(map(str, lines))


def kept_lines(earlier: str, messages: Sequence[Message]) -> str:
    """Return the lines of the summary of `earlier` and `messages` that are kept in the speaker's own words."""
    return "\n".join(str(line) for line in (*_parsed(earlier), *_lines_of(messages)) if line.kept)


def noted(text: str) -> str:
    """Return another author's text, such as a model's summary, as quoted summary lines of the speaker "notes"."""
    return "\n".join(str(_SummaryLine("notes", line.strip())) for line in text.split("\n") if line.strip())


# ---- from messages to lines -----------------------------------------------------------------------------------------


def _parsed(earlier: str) -> Iterator[_SummaryLine]:
    """Parse a summary into its lines. A line in an unknown form becomes a line of the speaker "notes"."""
    for line in earlier.split("\n"):
        match = _LINE.match(line)
        text = unquote(match.group(3)) if match else None
        if match and text is not None:
            yield _SummaryLine(match.group(1), text, match.group(2) or "")
        elif line.strip():
            yield _SummaryLine("notes", line.strip())


def _lines_of(messages: Sequence[Message]) -> Iterator[_SummaryLine]:
    names = {call.id: call.name for message in messages for call in message.tool_calls if call.id}
    for message in messages:
        said = without_pointers(message.content)  # their figures would count as the speaker's
        if message.role == "tool":
            yield from _answer_lines(names.get(message.tool_call_id or "", "unknown"), said)
        elif message.role in ("user", "assistant") and not is_action(message):
            yield from _speaker_lines(message.role, without_injected(said))
            for call in message.tool_calls:
                yield from _call_lines(call)


def _speaker_lines(who: str, text: str) -> Iterator[_SummaryLine]:
    kept = slots.statements(text, who)
    if kept:
        texts = {each.sentence for each in kept if each.covers_sentence}
        text = "\n".join(each for each in slots.split(importance.ends(text, importance.MAX_READ)) if each not in texts)
    room = _MAX_CHARS[who] // 2 if kept else _MAX_CHARS[who]
    excerpt = importance.essence(text, room, request=who == "user")
    if excerpt:
        yield _SummaryLine(who, excerpt)
    yield from (_SummaryLine(who, each.text.replace(_BETWEEN, " / "), each.kind) for each in kept)


def _call_lines(call: ToolCall) -> Iterator[_SummaryLine]:
    values = [str(call.arguments[name]) for name in _INFORMATIVE_ARGUMENTS if name in call.arguments]
    text = " ".join(" ".join(values or [f"{name}={value}" for name, value in call.arguments.items()]).split())
    yield _SummaryLine(
        f"call {_name(call.name)}", importance.squeezed(text, _MAX_CHARS["call"]) or head_of(text, _MAX_CHARS["call"])
    )
    if call.result is not None:
        yield from _answer_lines(call.name, call.result if isinstance(call.result, str) else as_text(call.result))


def _answer_lines(tool: str, text: str) -> Iterator[_SummaryLine]:
    excerpt = importance.essence(text, _MAX_CHARS["tool"])
    if excerpt:
        yield _SummaryLine(f"tool {_name(tool)}", excerpt)


def _name(tool: str) -> str:
    return _NAME.sub("_", tool)[:60] or "unknown"


# ---- within the limit -----------------------------------------------------------------------------------------------


def _fitted(lines: Sequence[_SummaryLine], limit: int) -> list[_SummaryLine]:
    """Shorten the lines of a summary to `limit` characters.

    The oldest lines are condensed step by step, then merged by speaker, then cut.
    """
    target = int(limit * _LOW_WATER)
    lines = _slotted(_without_repeated(lines), int(limit * _SLOTS))
    fitted = _without_weak(lines, target, _spared(lines, limit))
    for share in _STEPS:
        fitted = _condensed(fitted, share, target, _spared(fitted, limit))
        if _size(fitted) <= target:
            return fitted
    old = _spared(fitted, limit)
    fitted = [*_merged(fitted[:old], target - _size(fitted[old:])), *fitted[old:]]
    while _size(fitted) > limit and len(fitted) > 1:
        fitted.pop(next((place for place, line in enumerate(fitted[:-1]) if not line.kept), 0))
    return fitted if _size(fitted) <= limit else _cut(fitted[-1], limit)


def _without_repeated(lines: Sequence[_SummaryLine]) -> list[_SummaryLine]:
    """Return the lines without the earlier ones of those in which a speaker says the same again.

    Tools are not speakers: between two equal calls, something may have changed.
    """
    last = {(line.who, line.text): place for place, line in enumerate(lines) if line.who in ("user", "assistant")}
    return [line for n, line in enumerate(lines) if line.kept or last.get((line.who, line.text), n) == n]


def _slotted(lines: Sequence[_SummaryLine], room: int) -> list[_SummaryLine]:
    """Return the statements that are kept within `room` characters, one line per kind and speaker, then other lines.

    Statements for which there is no room become ordinary lines. Statements that are outdated are left out.
    """
    single = [part for line in lines for part in line.parts]
    places = [place for place, line in enumerate(single) if line.kept]
    known = [slots.known(single[place].text, single[place].who, single[place].mark) for place in places]
    old = {places[n] for n in slots.outdated(known)}
    places, known = [n for n in places if n not in old], [k for n, k in zip(places, known, strict=True) if n not in old]
    sizes = [len(quote(each.text)) + len(_BETWEEN) - 2 for each in known]
    kept = {places[n] for n in slots.chosen(known, sizes, room)}
    slotted: dict[tuple[str, str], list[str]] = {}
    for place in sorted(kept):
        slotted.setdefault((single[place].who, single[place].mark), []).append(single[place].text)
    return [
        *(_SummaryLine(who, _BETWEEN.join(texts), mark) for (who, mark), texts in slotted.items()),
        *(replace(line, mark="") if line.kept else line for n, line in enumerate(single) if n not in kept | old),
    ]


def _spared(lines: Sequence[_SummaryLine], limit: int) -> int:
    """Return the index of the first of the newest lines.

    The newest lines are condensed last; they include the last line. Statements that are kept take their room from it.
    """
    kept = sum(len(str(line)) + 1 for line in lines if line.kept)
    room = int(min(limit * _SPARED, max(limit * _MIN_SPARED, limit * _LOW_WATER - kept)))
    for place in range(len(lines) - 1, -1, -1):
        room -= 0 if lines[place].kept else len(str(lines[place])) + 1
        if room < 0:
            return min(place + 1, len(lines) - 1)
    return 0


def _without_weak(lines: Sequence[_SummaryLine], target: int, until: int) -> list[_SummaryLine]:
    """Remove tool calls and tool answers of little worth, oldest first, until the rest fits into `target` characters.

    Lines from index `until` on are not removed.
    """
    remaining: list[_SummaryLine] = []
    excess = _size(lines) - target
    for place, line in enumerate(lines):
        if place < until and excess > 0 and line.who not in _MERGED_SHARES and importance.worth(line.text) < _WEAK:
            excess -= len(str(line)) + 1
        else:
            remaining.append(line)
    return remaining


def _condensed(lines: Sequence[_SummaryLine], share: float, target: int, until: int) -> list[_SummaryLine]:
    """Condense lines to a share of their maximum length, oldest first, until all fit into `target` characters.

    Lines from index `until` on are not condensed.
    """
    condensed: list[_SummaryLine] = []
    excess = _size(lines) - target
    said_later = _said_later(lines)
    for place, line in enumerate(lines):
        if place >= until or excess <= 0 or line.kept or len(line.text) <= line.max_chars * share:
            condensed.append(line)
            continue
        repeated = said_later(place)
        text = importance.essence(line.text, int(line.max_chars * share), request=line.who == "user", known=repeated)
        shorter = replace(line, text=text, mark=_CONDENSED)
        condensed += [shorter] if text else []
        excess -= len(str(line)) - (len(str(shorter)) if text else -1)
    return condensed


def _merged(lines: Sequence[_SummaryLine], room: int) -> list[_SummaryLine]:
    """Merge the lines of each speaker into one line, within the speaker's share of `room` characters.

    Statements that are kept remain as they are, before the merged lines. Room that a speaker does not need is free for
    the other speakers.
    """
    kept, lines = [line for line in lines if line.kept], [line for line in lines if not line.kept]
    room -= _size(kept) + 1
    said_later = _said_later(lines)
    pieces: dict[str, list[tuple[str, float]]] = {}
    for place, line in enumerate(lines):
        who = line.who if line.who in _MERGED_SHARES else "tools"
        base = _REQUEST if who == "user" else 0.0
        weighted = [(piece, base + importance.worth(piece, said_later(place))) for piece in line.text.split(_BETWEEN)]
        pieces.setdefault(who, []).extend((piece, worth) for piece, worth in weighted if worth > 0)
    merged: dict[str, _SummaryLine] = {}
    remaining, shares = room, sum(_MERGED_SHARES[who] for who in pieces)
    for who in sorted(pieces, key=lambda who: (sum(len(piece) for piece, _ in pieces[who]) / _MERGED_SHARES[who], who)):
        share = int(remaining * _MERGED_SHARES[who] / shares) if shares else 0
        merged[who] = _SummaryLine(
            who, _thinned(pieces[who], share - len(str(_SummaryLine(who, "", _CONDENSED))) - 1), mark=_CONDENSED
        )
        remaining, shares = remaining - len(str(merged[who])) - 1, shares - _MERGED_SHARES[who]
    return [*kept, *(merged[who] for who in pieces if merged[who].text)]


def _thinned(pieces: Sequence[tuple[str, float]], room: int) -> str:
    """Join the pieces of a speaker's lines within `room` characters, each shortened according to its worth.

    `pieces` are (text, worth), oldest first. The newest weigh up to twice as much as the oldest.
    """
    weights = [worth * (1 + place / len(pieces)) for place, (_, worth) in enumerate(pieces)]
    remaining, total = room, sum(weights)
    chosen: dict[int, str] = {}
    for place in sorted(range(len(pieces)), key=lambda n: (len(pieces[n][0]) / weights[n], -n)):
        length = int(remaining * weights[place] / total) - len(_BETWEEN) if total > 0 else 0
        total -= weights[place]
        if length >= _MIN_PIECE:
            chosen[place] = importance.squeezed(pieces[place][0], length)
            remaining -= len(chosen[place]) + len(_BETWEEN)
    return _BETWEEN.join(chosen[place] for place in sorted(chosen) if chosen[place])


def _said_later(lines: Sequence[_SummaryLine]) -> Callable[[int], set[str]]:
    """Return a function that takes the index of a line and returns those of its facts that a later line states too."""
    facts_of = [importance.facts(line.text) for line in lines]
    last = {fact: place for place, facts in enumerate(facts_of) for fact in facts}
    return lambda place: {fact for fact in facts_of[place] if last[fact] > place}


def _cut(line: _SummaryLine, limit: int) -> list[_SummaryLine]:
    """Cut a line to `limit` characters, and return it in a list.

    The list is empty if not even the name of the speaker fits.
    """
    room = limit - len(str(replace(line, text="", mark=_CONDENSED)))
    while room > 0:
        shorter = replace(line, text=importance.squeezed(line.text, room), mark=_CONDENSED)
        excess = len(str(shorter)) - limit
        if excess <= 0:
            return [shorter] if shorter.text else []
        room -= excess
    return []


def _size(lines: Sequence[_SummaryLine]) -> int:
    return sum(len(str(line)) + 1 for line in lines) - 1 if lines else 0

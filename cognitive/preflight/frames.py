"""The frame of a turn: conversation, question, task, decision, creative or debug, by counting the rows that match."""

from __future__ import annotations

from cognitive.plan import Frame, Signals
from cognitive.preflight.rules.frames import NEUTRAL, PRIORITY, ROWS
from cognitive.preflight.rules.matching import RuleTable, compile_pattern, fold

# A frame is told by how a message begins and what it wants, not by the log that is pasted below it.
LONGEST = 4_000

_table = RuleTable(ROWS)
_neutral = compile_pattern("|".join(rule.pattern for rule in NEUTRAL), name="frames.neutral")
_FRAMES: dict[str, Frame] = {frame: frame for frame in PRIORITY}


def select(text: str, signals: Signals) -> tuple[Frame, tuple[str, ...]]:
    """The frame with the highest sum of matching rows, and their ids.

    Ties go to the frame where a mistake costs more (see `PRIORITY`). An elliptic message without a frame of its own
    takes that of the message it leans on; a question that matches nothing else is a question; the default is
    conversation.
    """
    if signals.greeting:
        return "conversation", ("signal.greeting",)
    texts = (text, signals.text) if signals.elliptic else (text,)
    for candidate in texts:
        chosen = _strongest(candidate)
        if chosen is not None:
            return chosen
    if signals.question:
        return "question", ("signal.question",)
    return "conversation", ("frame.default",)


def _strongest(text: str) -> tuple[Frame, tuple[str, ...]] | None:
    lower = fold(text[:LONGEST].strip()).lower()
    fired = _table.fired(_neutral.sub(b" ", lower) if _neutral.search(lower) else lower)
    if not fired:
        return None
    scores = dict.fromkeys(PRIORITY, 0.0)
    for rule in fired:
        scores[_FRAMES[rule.signal]] += rule.weight
    frame = max(PRIORITY, key=lambda each: (scores[each], PRIORITY.index(each)))
    return frame, tuple(rule.id for rule in fired if rule.signal == frame)

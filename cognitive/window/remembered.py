"""A long text is normalised once, whoever asks for it: the same outputs come with every turn of a session.

What a turn's tools returned is asked for when the turn is over, so that the next one finds it here.
"""

from __future__ import annotations

from cognitive.window.memo import Memo, key
from cognitive.window.output import normalise
from cognitive.window.output.limits import OutputLimits
from cognitive.window.output.normalise import Output

_LEAST = 200  # characters of a text that takes longer to normalise than to look up
_MOST_REMEMBERED = 8_000_000  # characters of normalised outputs, of all sessions of the process

_remembered: Memo[tuple[Output, int]] = Memo(_MOST_REMEMBERED, lambda value: value[1])


def normalised(text: str, *, tool: str, session_id: str, limits: OutputLimits) -> Output:
    """As `normalise.normalise`, once per text: what it comes to is remembered, the whole is the caller's."""
    if len(text) <= _LEAST:
        return normalise.normalise(text, tool=tool, session_id=session_id, limits=limits)

    def make() -> tuple[Output, int]:
        output = normalise.normalise(text, tool=tool, session_id=session_id, limits=limits)
        same = output.whole == text
        kept = Output(output.text, None if same else output.whole, output.pointer, output.before, output.notes)
        return kept, len(output.text) + len(kept.whole or "")

    output, _ = _remembered.get(key(session_id, tool, repr(limits.of(tool)), text), make)
    if output.pointer is None or output.whole is not None:
        return output
    return Output(output.text, text, output.pointer, output.before, output.notes)

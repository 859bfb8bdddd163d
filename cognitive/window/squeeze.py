"""The last resort, where the newest group alone is too large: its oldest results become stubs, then texts are cut."""

from __future__ import annotations

from cognitive.window.display import Display, Shown
from cognitive.window.ledger import Prunable, TokenLedger
from cognitive.window.strides import Size

_TRIES = 4  # characters and tokens are not proportional: a text that is cut may need a second cut


def squeeze(whole: Shown, stub: Shown, room: Size, show: Display) -> Shown:
    """The same messages in less, as near to `room` as they come while none is left out.

    `stub` are the same messages with stubs for results. The newest keeps its result while stubs of the others suffice.
    """
    measure = "tokens" if whole.size.tokens > room.tokens else "characters"
    results = [
        Prunable(getattr(show.size([full]), measure), getattr(show.size([short]), measure))
        for full, short in zip(whole.messages, stub.messages, strict=True)
    ]
    ledger = TokenLedger(max(0, getattr(room, measure)), {"results": getattr(whole.size, measure)})
    pruned = set(ledger.room_for(0, results[:-1]).pruned)
    messages = tuple(
        short if n in pruned else full
        for n, (full, short) in enumerate(zip(whole.messages, stub.messages, strict=True))
    )
    done = Shown(messages, (*whole.outputs, *stub.outputs), show.size(messages))
    characters = room.characters // max(1, len(messages))
    for _ in range(_TRIES):
        if done.size.characters <= room.characters and done.size.tokens <= room.tokens:
            break
        cut = show.cut(done.messages, characters)
        done = Shown(cut.messages, (*done.outputs, *cut.outputs), cut.size)
        characters = int(characters * min(1.0, room.tokens / max(1, cut.size.tokens)) * 0.9)
    return done

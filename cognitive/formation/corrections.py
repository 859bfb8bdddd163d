"""Hide or replace the formed memories that a user's line takes back or corrects, if it is certain which are meant."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from brain import forming
from brain.claims import Claim, claim_of
from brain.errors import InvalidInput
from brain.forming import FormingTurns
from brain.states import MemoryStates
from brain.store import MemoryStore
from brain.text import sentences
from brain.turns import TurnLog
from brain.types import Memory, NewMemory, above
from brain.users import Scope
from cognitive.formation.corrected_values import corrected, corrected_value
from cognitive.formation.endings import meant, taken_back, takes_back_all
from cognitive.formation.lines import (
    assistant_line,
    formed_earlier,
    lines_hidden_with,
    lines_of_turn,
    lines_to_hide,
    superseded_by,
    user_line,
)
from cognitive.formation.memories import CORRECTION, TAG, line_source
from cognitive.formation.statements import split_statements
from cognitive.turn import Correction

log = logging.getLogger(__name__)

_RECENT = 5  # turns of a session among which the last completed one is looked for


@dataclass(frozen=True, slots=True)
class _Found:
    """The memories that a line takes back, and the one that it corrects with the memory that replaces it.

    The line says what holds instead of those in `followed`. `all_of_last` is True if it takes back all that the last
    message said.
    """

    gone: tuple[Memory, ...] = ()
    followed: tuple[Memory, ...] = ()
    replaced: Memory | None = None
    replacement: NewMemory | None = None
    all_of_last: bool = False


@dataclass(frozen=True, slots=True)
class _LastExchange:
    """The memories that the last exchange formed, those that it used or formed, all `near` ones, and its lines."""

    formed: Sequence[Memory] = ()
    used: Sequence[Memory] = ()
    near: Sequence[Memory] = ()
    message: str = ""
    answer: str = ""

    @classmethod
    def of(
        cls,
        formed: Sequence[Memory],
        used: Sequence[Memory],
        near: Sequence[Memory],
        message: NewMemory | Memory | None,
        answer: NewMemory | Memory | None,
    ) -> _LastExchange:
        """Return the exchange that has these memories and lines; a line that was not captured is empty."""
        return cls(formed, used, near, message.content if message else "", answer.content if answer else "")

    @property
    def stated(self) -> Sequence[Memory]:
        """The memories that it formed, if its message says nothing else and its answer asks nothing."""
        said = [text for each in sentences(self.message) for text in split_statements(each) if len(text.split()) > 2]
        return self.formed if len(said) == len(self.formed) and "?" not in self.answer else ()


class Corrections:
    """Finds what a user's line takes back or corrects, once, and changes the user's own formed memories."""

    def __init__(self, store: MemoryStore, states: MemoryStates, turns: TurnLog, waiting: FormingTurns) -> None:
        self._store = store
        self._states = states
        self._turns = turns
        self._waiting = waiting

    async def apply(
        self, scope: Scope, turn_id: str, said: NewMemory | Memory, read_at: datetime
    ) -> tuple[Correction, ...]:
        """Apply what the captured line of a turn takes back or corrects, if the turn formed nothing yet."""
        if not is_correction(said.content) or not await self._waiting.holds(scope, turn_id):
            return ()
        earlier = await self._earlier(scope, said)
        last = _LastExchange()
        if said.session_id is not None and _is_about_last(said.content):
            last = await self._of_last_turn(scope, turn_id, said.session_id, earlier)

        async def store(replacement: NewMemory) -> None:
            condition, now = forming.check(scope, turn_id), datetime.now(UTC)
            await self._store.remember_of_turn(
                scope, turn_id, [replacement], now=now, read_at=read_at, condition=condition
            )

        found = _find(said, earlier, last)
        line = user_line(await lines_of_turn(self._store, scope, turn_id)) if found.followed else None
        return await self._change(scope, found, store, line)

    async def apply_to_exchange(
        self, scope: Scope, said: NewMemory, before: Sequence[NewMemory]
    ) -> tuple[Correction, ...]:
        """Apply what the user's line of an exchange takes back or corrects, before the line is stored.

        The exchange is of a conversation without turns; `before` are the lines of the one before it.
        """
        if not is_correction(said.content):
            return ()
        earlier = await self._earlier(scope, said)
        sources = {line.source for line in before if line.source is not None}
        formed = [memory for memory in earlier if memory.source in sources]
        last = _LastExchange.of(formed, formed, formed, user_line(before), assistant_line(before))

        async def store(replacement: NewMemory) -> None:
            owned = replacement.model_copy(update={"user_id": scope.user})
            await self._store.remember(scope.agent_id, [owned], now=datetime.now(UTC))

        return await self._change(scope, _find(said, earlier, last), store)

    async def claims(self, scope: Scope, corrections: Sequence[Correction]) -> list[Claim]:
        """Return what the memories claim that corrections stored."""
        ids = [each.replaced_by for each in corrections if each.replaced_by is not None]
        stored = await self._store.get(scope, ids) if ids else []
        corrected = [each for each in stored if "formed_by" in each.attributes]
        return [claim for each in corrected if (claim := claim_of(each.content, each.speaker)) is not None]

    async def _earlier(self, scope: Scope, said: NewMemory | Memory) -> list[Memory]:
        """Return the user's own formed memories that a line may change; more trusted ones are left to the host."""
        found = await formed_earlier(self._store, scope, said)
        own = [memory for memory in found if memory.user_id == scope.user and memory.source != said.source]
        return [memory for memory in own if not above(memory.trust, "talk")]

    async def _change(
        self,
        scope: Scope,
        found: _Found,
        store: Callable[[NewMemory], Awaitable[None]],
        line: Memory | None = None,
    ) -> tuple[Correction, ...]:
        """Hide and replace memories, and return those that were. Lines that state nothing else are hidden too.

        `line` is the stored line, which replaces those instead of which it says what holds now.
        """
        by_line = found.followed if line is not None and line.user_id == scope.user else ()
        retired = found.gone if by_line else (*found.gone, *found.followed)
        done = [*await self._hide(scope, retired, None), *await self._hide(scope, by_line, line)]
        if done and found.all_of_last:
            await self._restore_replaced(scope, found.gone)
        if found.replaced is not None and found.replacement is not None:
            await store(found.replacement)
            stored = await self._store.get(scope, [found.replaced.id])
            done += [Correction(old.id, "superseded", old.replaced_by) for old in stored if old.replaced_by is not None]
        if done:
            log.info("changed by the user's words: %s", ", ".join(str(each.memory_id) for each in done))
        return tuple(done)

    async def _hide(self, scope: Scope, gone: Sequence[Memory], line: Memory | None) -> list[Correction]:
        """Retire memories or, if there is a line that replaces them, let it supersede them; with their own lines."""
        if not gone:
            return []
        ids, now = [each.id for each in (*gone, *await lines_to_hide(self._store, scope, gone))], datetime.now(UTC)
        try:
            if line is None:
                await self._states.retire(scope, ids, by="talk", now=now)
                return [Correction(memory.id, "retired") for memory in gone]
            await self._states.supersede(scope, ids, line, by="talk", now=now)
            return [Correction(memory.id, "superseded", line.id) for memory in gone]
        except InvalidInput as error:  # one of them was hidden, erased or raised in trust meanwhile
            log.info("not hidden by the user's words: %s", error)
            return []

    async def _restore_replaced(self, scope: Scope, gone: Sequence[Memory]) -> None:
        """Show again what memories or their lines replaced, since the user has taken these back.

        Example: "My rent is 950." "Scratch that.".
        """
        hidden = await self._store.get(scope, [each.id for each in gone])
        hidden += await lines_hidden_with(self._store, scope, hidden)
        replaced = await superseded_by(self._store, scope, [each.id for each in hidden])
        if not replaced:
            return
        shown = [each.id for each in (*replaced, *await lines_hidden_with(self._store, scope, replaced))]
        try:
            await self._states.restore(scope, shown, by="talk", now=datetime.now(UTC))
        except InvalidInput as error:  # one of them was shown again, erased or raised in trust meanwhile
            log.info("not shown again by the user's words: %s", error)

    async def _of_last_turn(
        self, scope: Scope, turn_id: str, session_id: str, earlier: Sequence[Memory]
    ) -> _LastExchange:
        """Return the session's last completed turn before this one."""
        turns = await self._turns.recent(scope, _RECENT, session_id)
        last = next((each.turn_id for each in turns if each.turn_id != turn_id and each.status == "completed"), None)
        if last is None:
            return _LastExchange()
        sources = {line_source(last, user, "user") for user in (None, scope.user)}
        shown = {each.memory_id: each.used for each in await self._turns.shown(scope, last)}
        formed = {memory.id for memory in earlier if memory.source in sources}
        used = formed | {id for id, was_used in shown.items() if was_used}
        near = _with_ids(earlier, formed | shown.keys())
        lines = await lines_of_turn(self._store, scope, last)
        return _LastExchange.of(
            _with_ids(earlier, formed), _with_ids(earlier, used), near, user_line(lines), assistant_line(lines)
        )


def _find(said: NewMemory | Memory, earlier: Sequence[Memory], last: _LastExchange) -> _Found:
    """Return what a line takes back of `earlier` memories, and what it corrects of those of the last exchange."""
    found = [(ended, memory) for ended in taken_back(said.content) if (memory := meant(ended, earlier))]
    followed = {memory.id: memory for ended, memory in found if ended.is_followed}
    gone = {memory.id: memory for _, memory in found if memory.id not in followed}
    if takes_back_all(said.content):
        gone |= {memory.id: memory for memory in last.stated}
    value, change = corrected_value(said.content), None
    if value is not None:
        used, near = (last.stated, last.stated) if value.is_bare else (last.used, last.near)
        change = corrected(value, used, near, last.message, last.answer)
    ended = _Found(tuple(gone.values()), tuple(followed.values()), all_of_last=takes_back_all(said.content))
    return ended if change is None else replace(ended, replaced=change[0], replacement=_replacement(*change, said))


def is_correction(text: str) -> bool:
    """Return True if a user's line takes back or corrects something."""
    return bool(taken_back(text)) or _is_about_last(text)


def _is_about_last(text: str) -> bool:
    return takes_back_all(text) or corrected_value(text) is not None


def _with_ids(memories: Sequence[Memory], ids: Collection[object]) -> list[Memory]:
    return [memory for memory in memories if memory.id in ids]


def _replacement(old: Memory, text: str, said: NewMemory | Memory) -> NewMemory:
    """Return the corrected memory, with the correction as evidence; it is the line's as other formed memories are."""
    kind = {"kind": old.attributes["kind"]} if "kind" in old.attributes else {}
    return NewMemory(
        type=old.type,
        content=text,
        speaker=said.speaker,
        occurred_at=said.occurred_at,
        session_id=said.session_id,
        source=said.source,
        tags=(TAG,),
        attributes={**kind, "formed_by": CORRECTION, "evidence": said.content},
        trust="talk",
        supersedes=old.id,
    )

"""Answer questions about recorded turns: why a memory was shown, what happened to all candidates, and replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from brain.judgements import ExposureRow, Verdict
from brain.passage_texts import Key, PassageText, PassageTexts
from brain.ports import Progress
from brain.store import MemoryStore
from brain.turn_records import RecordedTurn
from brain.turns import TurnLog
from brain.types import Memory
from brain.users import Scope
from cognitive.errors import InvalidInput, PolicyError
from cognitive.lab import descriptions
from cognitive.lab.cases import EvaluationCase, StoredTurn, evaluation_case
from cognitive.lab.replay import ReplayDifference, Replayed, ShownUsage, difference, replan, replay, unanswerable
from cognitive.lab.shadow import Agreement, agreements
from cognitive.lab.why import Explanation, Judged, explain, explain_missing
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.recording.recorded import NOTHING, Recording, decode
from cognitive.tokens import TokenCounter
from cognitive.validation import require_label, unknown_turn

Outcome = Literal["identical", "changed since", "different", "another counter", "other constants", "another policy"]


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of replaying a recorded turn. `difference` has the memories that differ.

    Attributes:
        verdict: "identical" if the prompt has the same bytes; "changed since" if memories that the turn found were
            erased or changed; "another counter" or "other constants" if the token counter or the ranking constants
            differ; "another policy" if the replay used one; else "different", which is a defect.
        reason: the verdict in words.
        text, prefix, user_prefix: the memory block, and the blocks of the system prompt for all and for the user, that
            the replay rendered.
        gone, changed: memories that the turn found and that were erased or changed after it.
        unanswerable: changed settings of another policy whose effect cannot be computed from the record.
    """

    turn_id: str
    at: datetime
    message: str
    verdict: Outcome
    reason: str
    text: str
    prefix: str
    user_prefix: str
    difference: ReplayDifference
    gone: tuple[UUID, ...] = ()
    changed: tuple[UUID, ...] = ()
    unanswerable: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TurnExplanation:
    """A recorded turn with its plan, the memories that it showed, and the explanation of every candidate, by rank.

    `plan` does not contain the text of the message. `shown` has the current text of each memory, or None if it was
    erased. `pinned` are the ids of the pinned memories in its prompt. `degraded` describes the parts of the turn that
    failed or were late, and `degraded_codes` has their codes.
    """

    turn_id: str
    session_id: str
    at: datetime
    status: str
    message: str
    frame: str
    plan: Mapping[str, Any]
    shown: tuple[ExposureRow, ...]
    degraded: tuple[str, ...]
    degraded_codes: tuple[str, ...]
    candidates: tuple[Explanation, ...]
    pinned: tuple[UUID, ...] = ()


class Questions:
    """Answers questions about recorded turns by explanations and replays.

    It reads only: a memory in an answer does not count as shown, and its usage is not updated.
    """

    def __init__(
        self,
        turns: TurnLog,
        store: MemoryStore,
        contents: PassageTexts,
        counter: TokenCounter,
        constants: Constants,
    ) -> None:
        self._turns = turns
        self._store = store
        self._contents = contents
        self._counter = counter
        self._constants = constants

    async def why(self, scope: Scope, turn_id: str, memory_id: UUID) -> Explanation:
        """See `ExplainApi.why`."""
        turn, record, judged = await self._recorded(scope, turn_id)
        policy = await self._planned_under(scope, turn.policy, record)
        plan = replan(record, policy)
        result = next((result for result in record.candidates if result.memory_id == memory_id), None)
        if result is not None:
            return explain(descriptions.ExplainedCandidate(result, record, plan, policy), turn, judged.get(memory_id))
        memory = next(iter(await self._store.get(scope, [memory_id])), None)
        missing = descriptions.Missing(
            memory,
            await self._cosine(scope, turn, memory_id),
            record,
            plan,
            turn.channels,
            turn.degraded,
            await self._turns.stored_after(scope, turn_id, memory_id),
        )
        return explain_missing(missing, turn, memory_id, judged.get(memory_id))

    async def candidates(self, scope: Scope, turn_id: str) -> list[Explanation]:
        """See `ExplainApi.candidates`."""
        return await self._explained(scope, *await self._recorded(scope, turn_id))

    async def turn(self, scope: Scope, turn_id: str) -> TurnExplanation:
        """See `ExplainApi.turn`."""
        turn, record, judged = await self._recorded(scope, turn_id)
        return TurnExplanation(
            turn_id=turn.turn_id,
            session_id=turn.session_id,
            at=turn.at,
            status=turn.status,
            message=turn.message,
            frame=turn.frame,
            plan=turn.plan,  # older records have none
            shown=tuple(await self._turns.shown(scope, turn_id)),
            degraded=turn.degraded,
            degraded_codes=turn.degraded_codes,
            candidates=tuple(await self._explained(scope, turn, record, judged)),
            pinned=tuple(id for id, _ in record.pinned),
        )

    async def _explained(
        self, scope: Scope, turn: RecordedTurn, record: Recording, judged: Mapping[UUID, Judged]
    ) -> list[Explanation]:
        policy = await self._planned_under(scope, turn.policy, record)
        plan = replan(record, policy)
        return [
            explain(descriptions.ExplainedCandidate(result, record, plan, policy), turn, judged.get(result.memory_id))
            for result in record.candidates
        ]

    async def _cosine(self, scope: Scope, turn: RecordedTurn, memory_id: UUID) -> float | None:
        """Return the cosine between a turn's query and a memory's first passage; None if a vector is missing."""
        if turn.query is None or turn.model is None:
            return None
        contents = await self._contents.read(scope, [(memory_id, 0)], turn.model)
        vector = next((content.vector for content in contents.values()), None)
        return float(turn.query @ vector) if vector is not None else None

    async def replay(self, scope: Scope, turn_id: str, policy: Policy | None) -> Replay | None:
        """See `ExplainApi.replay`."""
        turn, record, judged = await self._recorded(scope, turn_id)
        if turn.erased:
            raise InvalidInput(f"turn {turn_id!r}: its record was erased, because it contained erased text")
        if record is NOTHING:
            return None
        was = await self._policy(scope.agent_id, turn.policy)
        # the turn's own policy may have another version now: settings newer than the record get their defaults
        policy = policy.for_agent(scope.agent_id) if policy is not None else was
        own = policy.version in (was.version, turn.policy)
        replayed = replay(record, *await self._words(scope, record), policy, self._counter, self._constants)
        shown = _shown(record, judged)
        since = _since(replayed.gone, replayed.changed, {placed.memory_id for placed in shown})
        verdict, reason = self._verdict(replayed, since) if own else ("another policy", since)
        return Replay(
            turn_id,
            turn.at,
            turn.message,
            verdict,
            reason,
            replayed.assembled.text,
            replayed.assembled.prefix,
            replayed.assembled.user_prefix,
            difference(shown, replayed, policy),
            tuple(sorted(replayed.gone)),
            tuple(sorted(replayed.changed)),
            unanswerable(policy, was),
        )

    def _verdict(self, replayed: Replayed, since: str) -> tuple[Outcome, str]:
        inputs, counter = replayed.inputs, self._counter.name
        if replayed.identical:
            return "identical", since
        if since:
            return "changed since", since
        if inputs.counter != counter:
            return "another counter", f"tokens were counted by {inputs.counter}, and are by {counter} now"
        if not inputs.ran_by(self._constants):
            return "other constants", "recorded under other constants"
        return "different", "other bytes, though every memory that it found is as it was"

    async def shadow_agreement(self, scope: Scope) -> list[Agreement]:
        """See `ExplainApi.shadow_agreement`."""
        return agreements(await self._turns.shadows(scope))

    async def evaluation_cases(
        self, scope: Scope, turn_ids: Sequence[str], progress: Progress = lambda done, total: None
    ) -> tuple[list[EvaluationCase], list[Verdict]]:
        """See `ExplainApi.evaluation_cases`."""
        history = await self._turns.verdicts(scope)
        shown: dict[str, dict[UUID, Verdict]] = {}
        for verdict in history:
            if verdict.via == "prompt" and verdict.user_id == scope.user_id:
                shown.setdefault(verdict.turn_id, {})[verdict.memory_id] = verdict
        cases, policies = list[EvaluationCase](), dict[str, Policy]()
        for done, turn_id in enumerate(turn_ids, 1):
            turn, record, _ = await self._recorded(scope, turn_id)
            if turn.status == "completed" and record is not NOTHING:
                version = turn.policy
                if version not in policies:
                    policies[version] = await self._policy(scope.agent_id, version)
                cases += await self._case(scope, turn, record, policies[version], shown.get(turn_id, {}))
            progress(done, len(turn_ids))
        return cases, history

    async def _case(
        self,
        scope: Scope,
        turn: RecordedTurn,
        record: Recording,
        policy: Policy,
        verdicts: Mapping[UUID, Verdict],
    ) -> list[EvaluationCase]:
        words = await self._words(scope, record)
        stored = StoredTurn(turn.turn_id, record, *words, policy, verdicts, self._counter, self._constants)
        case = evaluation_case(stored)
        return [case] if case is not None else []

    async def _words(self, scope: Scope, record: Recording) -> tuple[Mapping[Key, PassageText], Mapping[UUID, Memory]]:
        """Return the current texts of the passages and of the pinned memories that a turn's record refers to."""
        contents = await self._contents.read(scope, record.keys, record.model)
        pinned = await self._store.get(scope, [id for id, _ in record.pinned])
        return contents, {memory.id: memory for memory in pinned}

    async def _planned_under(self, scope: Scope, version: str, record: Recording) -> Policy:
        return Policy() if record is NOTHING else await self._policy(scope.agent_id, version)

    async def _policy(self, agent_id: str, version: str) -> Policy:
        content = await self._turns.policy(agent_id, version)
        if content is None:
            raise PolicyError(f"policy {version}: its content is not recorded for agent {agent_id!r}")
        return Policy.from_record(content)

    async def _recorded(self, scope: Scope, turn_id: str) -> tuple[RecordedTurn, Recording, Mapping[UUID, Judged]]:
        turn = await self._turns.turn(scope, require_label("turn_id", turn_id))
        if turn is None:
            raise unknown_turn(scope, turn_id)
        try:
            record = decode(turn.record)
        except InvalidInput as error:
            raise InvalidInput(f"turn {turn_id!r}: {error}") from None
        judgements = await self._turns.judgements(scope, turn_id)
        return turn, record, {j.memory_id: (j.overlap, j.used) for j in judgements}


def _shown(record: Recording, judged: Mapping[UUID, Judged]) -> list[ShownUsage]:
    shown = [result for result in record.candidates if result.disposition == "shown"]
    used = {id: verdict for id, (_, verdict) in judged.items()}
    return [ShownUsage(result.memory_id, result.tokens or 0, used.get(result.memory_id)) for result in shown]


def _since(gone: frozenset[UUID], changed: frozenset[UUID], shown: set[UUID]) -> str:
    """Describe how many memories were erased or changed after the turn that found them; return "" if there are none."""
    parts = []
    for ids, change in ((gone, "erased"), (changed, "changed")):
        if ids:
            of_these = f", {len(ids & shown)} of them shown" if ids & shown else ", none of them shown"
            parts.append(f"{len(ids)} {'memory' if len(ids) == 1 else 'memories'} {change} since{of_these}")
    return "; ".join(parts)

"""Check what the demo says about a turn: statements with conditions, evaluated when the turn is played.

A condition names memories by their ids in the demo's file, which are the memories' sources.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from cognitive.errors import InvalidInput
from cognitive.recall_hits import RecallHit
from cognitive.trace import CandidateResult, Disposition
from cognitive.turn import Report, TurnContext

Condition = Callable[["PlayedTurn", Any], list[str]]  # (turn, the condition's value) -> what does not hold


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn that the demo played, and its message's recall before and after the model's response was learned from."""

    context: TurnContext
    report: Report
    before: Sequence[RecallHit]
    after: Sequence[RecallHit]

    def result(self, id: str) -> CandidateResult | None:
        """Return the result of a memory in this turn, or None if it was not a candidate."""
        return next((each for each in self.context.trace.candidates if each.candidate.hit.source == id), None)

    @property
    def shown(self) -> list[str | None]:
        """The ids of the shown memories, the best first."""
        return [memory.source for memory in self.context.shown]

    @property
    def used(self) -> set[str]:
        """The ids of the shown memories that the response used."""
        used = {attribution.memory_id for attribution in self.report.attributions if attribution.referenced}
        return {memory.source for memory in self.context.shown if memory.memory_id in used and memory.source}


@dataclass(frozen=True, slots=True)
class Expectation:
    """A statement of the demo about a turn, and the conditions that make it true."""

    says: str
    conditions: Mapping[str, Any]

    @classmethod
    def parse(cls, row: Mapping[str, Any]) -> Expectation:
        """Return the expectation in a row of the demo's file.

        Raises:
            KeyError: the row does not say anything.
            InvalidInput: the row has no condition, or an unknown one.
        """
        conditions = {name: value for name, value in row.items() if name != "says"}
        unknown = [name for name in conditions if name not in CONDITIONS]
        if unknown or not conditions:
            raise InvalidInput(f"expect: expected conditions among {', '.join(CONDITIONS)}, got {unknown or 'none'}")
        return cls(row["says"], conditions)

    def require_ids(self, known: Collection[str]) -> None:
        """Refuse a condition that names a memory whose id is not known.

        Raises:
            InvalidInput: an id is unknown; the message names the condition and the id.
        """
        for name in self.conditions.keys() & OF_IDS:
            unknown = [id for id in _texts(self.conditions[name]) if id not in known]
            if unknown:
                raise InvalidInput(f"expect: {name}: no item has the id {', '.join(map(repr, unknown))}")

    def failures(self, turn: PlayedTurn) -> list[str]:
        """Return what does not hold in a turn, in words; nothing if the statement is true."""
        return [failure for name, value in self.conditions.items() for failure in CONDITIONS[name](turn, value)]


def _texts(value: Any) -> Iterator[str]:
    """Yield the ids in a condition's value: one id, or a list of ids or of pairs of ids."""
    if isinstance(value, str):
        yield value
    else:
        yield from chain.from_iterable(map(_texts, value))


def _nothing_searched(turn: PlayedTurn, _: Any) -> list[str]:
    types = [query.type for query in turn.context.plan.retrieval]
    return [f"memories are searched for: {', '.join(types)}"] if types else []


def _nothing_shown(turn: PlayedTurn, _: Any) -> list[str]:
    return [f"{each} is shown" for each in turn.shown]


def _query(turn: PlayedTurn, text: str) -> list[str]:
    searched = turn.context.plan.signals.text
    return [] if searched == text else [f"the search is for {searched!r}"]


def _query_has(turn: PlayedTurn, parts: Sequence[str]) -> list[str]:
    searched = turn.context.plan.signals.text
    return [f"the search is for {searched!r}, without {part!r}" for part in parts if part not in searched]


def _first(turn: PlayedTurn, id: str) -> list[str]:
    return [] if turn.shown[:1] == [id] else [f"{id} is not first: {_fate(turn, id)}"]


def _shown(turn: PlayedTurn, ids: Sequence[str]) -> list[str]:
    return [f"{id} is not shown: {_fate(turn, id)}" for id in ids if id not in turn.shown]


def _not_shown(turn: PlayedTurn, ids: Sequence[str]) -> list[str]:
    return [f"{id} is shown" for id in ids if id in turn.shown]


def _dropped_as(disposition: Disposition) -> Condition:
    """Return the condition that memories are dropped with a disposition."""

    def holds(turn: PlayedTurn, ids: Sequence[str]) -> list[str]:
        results = {id: turn.result(id) for id in ids}
        return [
            f"{id} is not dropped as {disposition}: {_fate(turn, id)}"
            for id, result in results.items()
            if result is None or result.disposition != disposition
        ]

    return holds


def _not_restated(turn: PlayedTurn, ids: Sequence[str]) -> list[str]:
    results = {id: turn.result(id) for id in ids}
    return [
        f"{id}: {_fate(turn, id)}"
        for id, result in results.items()
        if result is None or result.disposition in ("restated", "duplicate")
    ]


def _pinned(turn: PlayedTurn, texts: Sequence[str]) -> list[str]:
    return [f"the pinned memories do not say {text!r}" for text in texts if text not in turn.context.prefix]


def _most_wanted(turn: PlayedTurn, type_: str) -> list[str]:
    limits = {query.type: query.limit for query in turn.context.plan.retrieval}
    most = [name for name, limit in limits.items() if limit == max(limits.values())]
    return [] if most == [type_] else [f"most are searched for of {', '.join(most) or 'no type'}"]


def _only_from(turn: PlayedTurn, day: str) -> list[str]:
    hits = {each.candidate.hit.memory_id: each.candidate.hit for each in turn.context.trace.candidates}
    days = {memory.source: f"{hits[memory.memory_id].occurred_at:%Y-%m-%d}" for memory in turn.context.shown}
    others = [f"{id} of {at} is shown" for id, at in days.items() if at != day]
    return others if days else ["nothing is shown"]


def _used(turn: PlayedTurn, ids: Sequence[str]) -> list[str]:
    return [f"{id} is not used: {_fate(turn, id)}" for id in ids if id not in turn.used]


def _unused(turn: PlayedTurn, ids: Sequence[str]) -> list[str]:
    return [f"{id} is used" for id in ids if id in turn.used]


def _boosted(turn: PlayedTurn, ids: Sequence[str]) -> list[str]:
    boosts = {id: result.candidate.boost.factor for id in ids if (result := turn.result(id)) is not None}
    return [f"{id} has the boost {boosts.get(id, 1.0):.2f}" for id in ids if boosts.get(id, 1.0) <= 1.0]


def _above(turn: PlayedTurn, pairs: Sequence[Sequence[str]]) -> list[str]:
    ranks = {each.candidate.hit.source: each.candidate.rank for each in turn.context.trace.candidates}
    return [
        f"{upper} is not above {lower}: their ranks are {ranks.get(upper)} and {ranks.get(lower)}"
        for upper, lower in pairs
        if upper not in ranks or lower not in ranks or ranks[upper] >= ranks[lower]
    ]


def _rising(turn: PlayedTurn, ids: Sequence[str]) -> list[str]:
    before, after = ({hit.source: hit.score for hit in hits} for hits in (turn.before, turn.after))
    return [
        f"{id} scored {before.get(id, 0.0):.3f}, and then {after.get(id, 0.0):.3f}"
        for id in ids
        if after.get(id, 0.0) <= before.get(id, 0.0)
    ]


def _fate(turn: PlayedTurn, id: str) -> str:
    """Return what happened to a memory in a turn, in words."""
    result = turn.result(id)
    if result is None:
        return "it is not among the candidates"
    return f"{result.disposition}, rank {result.candidate.rank} ({result.reason})"


CONDITIONS: Mapping[str, Condition] = {
    "nothing_searched": _nothing_searched,
    "nothing_shown": _nothing_shown,
    "query": _query,
    "query_has": _query_has,
    "first": _first,
    "shown": _shown,
    "not_shown": _not_shown,
    "superseded": _dropped_as("superseded"),
    "restated": _dropped_as("restated"),
    "not_restated": _not_restated,
    "pinned": _pinned,
    "most_wanted": _most_wanted,
    "only_from": _only_from,
    "used": _used,
    "unused": _unused,
    "boosted": _boosted,
    "above": _above,
    "rising": _rising,
}
# The conditions whose values are ids of memories.
OF_IDS = CONDITIONS.keys() - {
    *("nothing_searched", "nothing_shown", "query", "query_has", "pinned", "most_wanted", "only_from"),
}

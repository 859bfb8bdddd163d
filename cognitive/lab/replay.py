"""A recorded turn, run again: the same bytes under the same policy, and under another what it would have shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from brain.contents import Content, Key
from brain.types import Memory
from cognitive.context.assemble import Assembled, assemble
from cognitive.plan import Plan, Signals
from cognitive.policy import Policy
from cognitive.preflight import plan as planning
from cognitive.recording import NOTHING, Given, Recording, sha256
from cognitive.trace import Likeness

# Tunables that work before anything is found: under other values other candidates would have come, and no record has
# them. A replay cannot tell what they are worth.
BEFORE_THE_RECORD = frozenset(
    "deadline_ms recall_deadline_ms embed_share candidates_per_channel candidates_per_wanted window_sentences"
    " association_turns association_kept".split()
)


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a recorded turn shows when its stages are run again.

    `identical` says whether text and prefix are, byte for byte, what was rendered then. `gone` and `changed` are
    memories found in the turn that the store no longer has, or that say something else. `uncompared` are shown though
    nobody knows whether the conversation said them: under the policy of the turn they were not compared.
    """

    given: Given
    made: Assembled
    identical: bool
    gone: frozenset[UUID] = frozenset()
    changed: frozenset[UUID] = frozenset()
    uncompared: tuple[UUID, ...] = ()


def replay(
    record: Recording, contents: Mapping[Key, Content], pinned: Mapping[UUID, Memory], policy: Policy
) -> Replayed:
    """Runs the stages of a turn on what they were given then, with the memories' words as they are now."""
    restored = record.restored(contents, pinned)
    made = again(restored.given, record.likeness, policy)
    plan = replan(record, policy)
    return Replayed(
        given=restored.given,
        made=made,
        identical=(sha256(made.text), sha256(made.prefix)) == (record.text, record.prefix),
        gone=restored.gone,
        changed=restored.changed,
        uncompared=tuple(c.hit.memory_id for c in made.shown if plan.dedup and c.likeness is None),
    )


def unanswered(policy: Policy) -> list[str]:
    """The tunables by which a policy differs from the default and of which a replay cannot tell what they are worth."""
    usual = Policy()
    return sorted(name for name in BEFORE_THE_RECORD if getattr(policy, name) != getattr(usual, name))


def again(given: Given, likeness: Mapping[Key, Likeness], policy: Policy) -> Assembled:
    """The stages of a turn on what they were given, with the window as it was compared then."""
    plan = planning.make(given.signals, given.frame, given.reasons, policy, given.thinking)
    return assemble(plan, given, lambda hit, _: likeness.get((hit.memory_id, hit.ordinal)), policy)


def replan(record: Recording, policy: Policy) -> Plan:
    """The plan of a turn, made again from what was understood of its message; without stages, an empty one."""
    if record is NOTHING:
        return planning.make(Signals("", greeting=True), "conversation", (), policy)
    facts = record.facts
    return planning.make(facts["signals"], facts["frame"], facts["reasons"], policy, facts["thinking"])

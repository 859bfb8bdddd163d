"""Make memories of what was extracted from a captured line: their type, attributes, date and resolved words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal, cast

from brain.text import stem_counts
from brain.types import MAX_LABEL_LENGTH, Memory, MemoryType, NewMemory
from cognitive.context.formed import OWN_LINE, SHARED_LINE
from cognitive.formation.essentials import is_essential
from cognitive.formation.extract import Proposal
from cognitive.policy.outcomes import FormationKind, FormationSettings
from cognitive.preflight import dates, smalltalk
from cognitive.privacy.secrets import SECRET

Role = Literal["user", "assistant"]
TAG = "formed"  # tag of formed memories, by which an operator can find or forget them
CORRECTION = "correction/1"  # `formed_by` of a memory in which a value was corrected
# The types of memories whose kind is no type; these have their kind as an attribute.
_TYPES: dict[FormationKind, MemoryType] = {"preference": "fact", "instruction": "fact", "plan": "episode"}
_PERSONAL: tuple[FormationKind, ...] = ("preference", "instruction")
_RELATIVE_DAY = re.compile(
    r"\b(?:(by|until|till|before|from|since|for|after) )?(today|tomorrow)\b(?!['’-])", re.IGNORECASE
)
_DAYS = {"today": 0, "tomorrow": 1}
_ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class CapturedLine:
    """The user's line of a completed turn as it was captured, with the source under which it is stored."""

    text: str
    speaker: str | None
    at: datetime
    session_id: str | None
    source: str

    @classmethod
    def of(cls, line: NewMemory | Memory) -> CapturedLine:
        """Return the line that a captured episode holds; it has a time and a source."""
        assert line.occurred_at is not None
        assert line.source is not None
        return cls(line.content, line.speaker, line.occurred_at, line.session_id, line.source)


def line_source(turn_id: str, user_id: str | None, role: Role) -> str:
    """Return the source of a captured line; `user_id` is the user of a line that is shared, else None.

    A shared line's names the user too, because turn ids are unique per user.
    """
    if user_id is None:
        return f"{OWN_LINE}{turn_id}/{role}"[-MAX_LABEL_LENGTH:]
    turn = json.dumps([user_id, turn_id], ensure_ascii=False)  # equal for no other pair
    source = f"{SHARED_LINE}{turn}/{role}"
    return source if len(source) <= MAX_LABEL_LENGTH else f"{SHARED_LINE}{sha256(turn.encode()).hexdigest()}/{role}"


def memory_type(kind: FormationKind) -> MemoryType:
    """Return the type of memories of a kind."""
    return _TYPES.get(kind) or cast(MemoryType, kind)


def formed_memories(line: CapturedLine, proposals: Sequence[Proposal], settings: FormationSettings) -> list[NewMemory]:
    """Return the memories that a line forms: proposals of the policy's topics, without those that held a secret.

    The text is verbatim, but for "today" and "tomorrow", which become dates. A name or an allergy is pinned, without a
    greeting in front of it, so that it reads the same in each session.
    """
    wanted = [
        replace(each, text=smalltalk.peel(each.text)[0]) if _is_pinned(each) else each
        for each in proposals
        if is_wanted(each.text, settings)
    ]
    return [
        NewMemory(
            type=memory_type(each.kind),
            content=_with_dates(each.text, line.at),
            speaker=line.speaker,
            occurred_at=line.at,
            session_id=line.session_id,
            source=line.source,
            tags=(TAG,),
            attributes=_attributes(each, line.at),
            trust="talk",
            pinned=_is_pinned(each),
        )
        for each in wanted
    ]


def _is_pinned(proposal: Proposal) -> bool:
    return proposal.kind == "fact" and is_essential(proposal.text)


def is_personal(memory: NewMemory) -> bool:
    """Return True if a formed memory is its user's own even where an agent shares what it captures."""
    return memory.pinned or memory.attributes.get("kind") in _PERSONAL


def pinned_for_user(memories: Sequence[NewMemory], user_id: str | None) -> list[NewMemory]:
    """Return memories as they are stored for a user: without a user none is pinned, since all would see it."""
    if user_id is not None:
        return list(memories)
    return [memory.model_copy(update={"pinned": False}) if memory.pinned else memory for memory in memories]


def is_wanted(text: str, settings: FormationSettings) -> bool:
    """Return True if a text is of the policy's topics and holds no secret that was redacted."""
    return SECRET not in text and _has_topic(text, settings)


def _attributes(proposal: Proposal, at: datetime) -> dict[str, str]:
    attributes = {"formed_by": f"{proposal.rule}/{proposal.position}"}
    if proposal.kind in _TYPES:
        attributes["kind"] = proposal.kind
    if proposal.kind == "plan" and (named := dates.find(proposal.text, at)) is not None and named.end > at:
        attributes["date"] = named.start.date().isoformat()
    return attributes


def _with_dates(text: str, at: datetime) -> str:
    def dated(found: re.Match[str]) -> str:
        day = at + _DAYS[found[2].lower()] * _ONE_DAY
        return f"{found[1] or 'on'} {day.day} {day:%B %Y}"

    return _RELATIVE_DAY.sub(dated, text)


def _has_topic(text: str, settings: FormationSettings) -> bool:
    """Return True if a text is of a topic that the policy forms, and of none that it never forms."""
    stems = stem_counts(text).keys()
    if any(stem_counts(topic).keys() <= stems for topic in settings.never_topics if topic.strip()):
        return False
    return not settings.topics or any(stem_counts(topic).keys() <= stems for topic in settings.topics)

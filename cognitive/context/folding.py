"""Fold the candidates of a recall: of lines that say the same in the same words, keep the best with a count.

Conversations repeat themselves: a store has "Thanks, noted!" forty times. These lines must not fill a recall's limit.
Unlike the deduplication of a turn, folding keeps a statement in other words, because a search may look for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from cognitive.context.talk_rules import FILLERS
from cognitive.trace import Candidate

_OPENING_FILLERS = re.compile(rf"(?:(?:{'|'.join(sorted(FILLERS))})(?: [–—-]|[,.:;!…]*) )+")
# The mark must follow a word or a quotation, because the full stops of "cd .." and "ls ./" are not punctuation.
_FINAL_MARKS = re.compile(r"""(?<=[\w)\]"'”’`])[.,:;!…。！]+$""")


@dataclass(slots=True)
class Folded:
    """The best candidate of a group of near-identical lines, and all candidates of the group, itself included."""

    best: Candidate
    group: list[Candidate]


def fold(candidates: Sequence[Candidate]) -> list[Folded]:
    """Group near-identical candidates, best first; a group has the place of its best candidate.

    Near-identical lines have the same text, whatever their case, white space, opening fillers ("ok, so") and final
    marks; a question mark is a difference. They are of one user, memory type and speaker, have the same attributes, and
    are all visible or all hidden. They are also of one source, unless they are episodes or formed memories, whose
    sources name turns. A passage of a longer memory is alone in its group, because the rest of its memory may differ.
    """
    groups: dict[Hashable, Folded] = {}
    for candidate in candidates:
        groups.setdefault(_key(candidate), Folded(candidate, [])).group.append(candidate)
    return [*groups.values()]


def _key(candidate: Candidate) -> Hashable:
    """Return what near-identical candidates have in common."""
    hit = candidate.hit
    if hit.partial:
        return hit.memory_id
    compared = {name: value for name, value in hit.attributes.items() if name != "formed_by"}
    attributes = json.dumps(compared, sort_keys=True, default=str) if compared else ""
    speaker = hit.speaker.casefold() if hit.speaker else None
    source = hit.source if hit.type != "episode" and "formed_by" not in hit.attributes else None
    return hit.user_id, hit.type, speaker, source, hit.hidden_reason, attributes, _compared(hit.content)


def _compared(content: str) -> str:
    """Return the part of a text that is compared: in lower case, without opening fillers and final marks."""
    text = _FINAL_MARKS.sub("", " ".join(content.lower().split()))
    opening = _OPENING_FILLERS.match(text)
    return text[opening.end() :] if opening else text

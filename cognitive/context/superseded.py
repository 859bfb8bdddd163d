"""Superseded memories: drop those that a newer memory has replaced, unless the message asks about the past.

A newer value that the conversation states replaces an older one, too: it is not shown again, and the older one alone
would be taken for what holds. A newer value in the user's captured lines replaces an older one as well: the store
compares formed memories only, and nothing is formed from many lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from brain.claims import announces_change
from brain.search import Hit
from brain.superseding import Version, replacements
from cognitive.context.formed import is_formed
from cognitive.context.precedence import stated_at
from cognitive.context.speakers import ASSISTANTS
from cognitive.trace import Candidate, CandidateResult, StageResult


def drop_superseded(candidates: Sequence[Candidate], *, history: bool) -> StageResult:
    """Drop the candidates that a newer memory has replaced; with `history`, keep them with a note.

    The recall tool always returns them, ranked below their replacements.
    """
    kept, dropped = list[Candidate](), list[CandidateResult]()
    newer = {} if history else _newer_in_talk(candidates)
    for candidate in candidates:
        hit = candidate.hit
        if hit.hidden_reason is None and hit.memory_id not in newer:
            kept.append(candidate)
        elif history:
            kept.append(candidate._replace(note=f"{_replaced(hit)}; the message asks about the past"))
        else:
            id = newer.get(hit.memory_id)
            reason = f"the user states a newer value in {id}" if id is not None else _replaced(hit)
            dropped.append(CandidateResult(candidate, "superseded", candidate.score, reason))
    return StageResult(tuple(kept), tuple(dropped))


def _newer_in_talk(candidates: Sequence[Candidate]) -> Mapping[UUID, UUID]:
    """Return the ids of outdated memories of the user's words, each with the id of a memory that has the newer value.

    The newer value is that of a formed memory, or of a captured line that announces a change: "The code was changed to
    8830". Two formed memories are not compared, because the store has compared them.
    """
    stated: dict[object, list[Candidate]] = {}
    for each in candidates:
        hit = each.hit
        is_users = hit.trust == "talk" and (hit.speaker or "").casefold() not in ASSISTANTS
        if is_users and hit.claim is not None and hit.hidden_reason is None and not hit.partial:
            stated.setdefault((*_attribute(hit), hit.speaker), []).append(each)
    found: dict[UUID, UUID] = {}
    for group in (each for each in stated.values() if len(each) > 1):
        certain = [each for each in group if is_formed(each) or announces_change(each.hit.content)]
        if certain:
            newest = max(certain, key=lambda each: stated_at(each.hit))
            others = [each for each in group if each is not newest and not (is_formed(each) and is_formed(newest))]
            by = replacements([_version(newest.hit)], [_version(each.hit) for each in others])
            found |= {id: newest.hit.memory_id for id in by if id != newest.hit.memory_id}
    return found


def _version(hit: Hit) -> Version:
    """Return a memory as a version, of one type for all, because versions of different types are not compared."""
    return Version(hit.memory_id, "episode", hit.content, hit.speaker, hit.trust, {}, hit.occurred_at)


def with_predecessors(candidates: Sequence[Candidate], result: StageResult) -> StageResult:
    """Keep also the superseded candidates whose replacement is kept: a question often has words of only one of them.

    `result` is what a stage did with `candidates`. Its order is kept, and each added candidate follows its replacement.
    """
    passed = {candidate.hit.memory_id for candidate in result.kept}
    earlier: dict[UUID, list[Candidate]] = {}
    for candidate in candidates:
        if candidate.hit.replaced_by is not None and candidate.hit.memory_id not in passed:
            earlier.setdefault(candidate.hit.replaced_by, []).append(candidate)
    kept, waiting = list[Candidate](), list(reversed(result.kept))
    while waiting:
        kept.append(waiting.pop())
        waiting.extend(reversed(earlier.pop(kept[-1].hit.memory_id, [])))
    ids = {candidate.hit.memory_id for candidate in kept}
    return StageResult(tuple(kept), tuple(each for each in result.dropped if each.candidate.hit.memory_id not in ids))


def drop_older(compared: StageResult) -> StageResult:
    """Drop the kept candidates that state an older value than a memory that the conversation restates.

    `compared` is the result of comparing the candidates with the conversation. Values are of one attribute of one
    subject (`Hit.claim`), of one user and of the same trust.
    """
    stated: dict[object, Hit] = {}
    for each in compared.dropped:
        hit = each.candidate.hit
        if each.disposition == "restated" and hit.claim is not None:
            newest = stated.get(_attribute(hit), hit)
            stated[_attribute(hit)] = max(hit, newest, key=stated_at)
    kept, dropped = list[Candidate](), list[CandidateResult]()
    for candidate in compared.kept:
        newer = stated.get(_attribute(candidate.hit)) if candidate.hit.claim is not None else None
        if newer is not None and stated_at(candidate.hit) < stated_at(newer):
            reason = f"the conversation states a newer value, that of {newer.memory_id}"
            dropped.append(CandidateResult(candidate, "superseded", candidate.score, reason))
        else:
            kept.append(candidate)
    return StageResult(tuple(kept), (*compared.dropped, *dropped))


def _attribute(hit: Hit) -> tuple[str | None, str | None, str]:
    return hit.claim, hit.user_id, hit.trust


def _replaced(hit: Hit) -> str:
    return f"replaced by {hit.replaced_by}" if hit.replaced_by is not None else "replaced by a memory that was erased"

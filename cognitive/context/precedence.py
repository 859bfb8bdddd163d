"""Precedence: decide the order of candidates between which a score cannot decide.

Scores measure how well a memory matches the query. They cannot tell which of two codes is the requested one, or which
of two statements on one matter still holds. The rules of `precede` do, in this order: near-ties go to the newer text,
identifiers of the query come first, a newer version precedes the older one, a replacement what it replaced.

A memory is a newer version of another only if both are about the same subject and attribute. Facts from one template
about different subjects are siblings ("Shelf 3 holds bolts", "Shelf 4 holds nuts"), whose order is that of the scores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import chain
from typing import NamedTuple
from uuid import UUID

from brain.caches import cached
from brain.claims import announces_change, denies, states_wish, subject_stems
from brain.search import Hit
from brain.text import lexemes
from cognitive.context.identifiers import contained, identifiers
from cognitive.context.speakers import FIRST_PERSON, USERS
from cognitive.plan import RetrievalQuery
from cognitive.policy.constants import Constants
from cognitive.trace import Candidate

_MAX_COMPARED = 64  # best candidates that are compared with each other; lower ones would not be shown
_MAX_KEPT = 4_096  # memories whose properties are cached, because turns retrieve the same ones again
_MIN_STEMS = 3  # of a text that is compared by its stems; one different word changes a shorter statement
_MAX_NAMES, _MAX_NAMED = 3, 40  # identifiers that a reason names, and characters of each
_OWNER = re.compile(r"\W*(\w+)['’]s\b")  # "Ana's bank"
_I_CHANGED = re.compile(r"\W*(?:i|we)\b", re.IGNORECASE)
_MAX_WISH = 160  # characters; a longer line of the user's is about several things

_denies = cached(_MAX_KEPT)(denies)
_announces_change = cached(_MAX_KEPT)(announces_change)
_states_wish = cached(_MAX_KEPT)(states_wish)


def precede(ordered: Sequence[Candidate], query: RetrievalQuery | None, constants: Constants) -> list[Candidate]:
    """Reorder candidates that are sorted by score, and set their ranks; the module names the rules.

    Without a query, only replacements are ordered. If the query names a date, versions keep their order, because the
    date decides between them. The field `moved` of a candidate that a rule moved says which rule it was, and the number
    that decided. A candidate that other candidates passed has no such text.
    """
    arranged, moves = list(ordered), _Moves({}, {})
    if query is not None:
        dated = query.dates is not None
        arranged = arranged if dated else _newer_of_ties(arranged, constants, moves)
        arranged = _identified_first(arranged, query, moves)
        if not dated:
            arranged = _above_what_they_change(_newest_of_claims(arranged, moves), constants, moves)
    return moves.explained(ordered, _after_their_replacement(arranged, moves))


class _Moves(NamedTuple):
    """The rules that moved candidates up or down, in words, by memory."""

    up: dict[UUID, str]
    down: dict[UUID, str]

    def add(self, candidate: Candidate, rule: str, *, up: bool) -> None:
        """Note the rule that moves a candidate, after those that moved it the same way before."""
        moves, memory_id = self.up if up else self.down, candidate.hit.memory_id
        moves[memory_id] = f"{moves[memory_id]}; {rule}" if memory_id in moves else rule

    def explained(self, before: Sequence[Candidate], after: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates with their ranks after all rules; `moved` has the rules for the final direction."""
        places = {candidate.hit.memory_id: n for n, candidate in enumerate(before)}
        return [
            Candidate(
                each.hit,
                each.relevance,
                each.factors,
                each.boost,
                each.score,
                each.rank_before,
                n + 1,
                lowered=each.lowered,
                moved=self._move(each.hit.memory_id, n - places[each.hit.memory_id]),
            )
            for n, each in enumerate(after)
        ]

    def _move(self, memory_id: UUID, steps: int) -> str:
        """Return the rules that moved a memory by this number of steps, which is negative if it moved up."""
        if steps == 0:
            return ""
        return (self.up if steps < 0 else self.down).get(memory_id, "")


def _newer_of_ties(ordered: Sequence[Candidate], constants: Constants, moves: _Moves) -> list[Candidate]:
    """Put the newer of two texts on one matter first if their scores are about equal.

    Texts on one matter match the query's words equally and share `version_threshold` of their stems; "about equal" is
    within `tie_margin` of the range of all scores. The user's wishes are on one matter if their cosine is at least
    `version_cosine`, and their margin is `preference_margin`: people seldom use the same words for a wish twice. Both
    have the same type, speaker and trust.
    """
    if not ordered:
        return []
    spread = ordered[0].score - ordered[-1].score
    margins = {False: spread * constants.tie_margin, True: spread * constants.preference_margin}

    def rule(group: Sequence[int]) -> str:
        scores, margin = [ordered[n].score for n in group], margins[_is_wish(ordered[group[0]].hit)]
        apart = f"within {max(scores) - min(scores):.3f} (a tie is up to {margin:.3f})"
        return f"of {len(group)} texts on one matter with scores {apart}, the newer is first"

    kinds: dict[object, list[list[int]]] = {}
    for place, candidate in _comparable(ordered):
        hit = candidate.hit
        is_wish, matched = _is_wish(hit), hit.scores.get("content_matched", 0.0)
        if not is_wish and not matched:
            continue
        kind = (hit.type, hit.speaker, hit.trust, None if is_wish else matched)  # wishes seldom share words
        groups = kinds.setdefault(kind, [])
        for group in groups:
            best = ordered[group[0]]
            if best.score - candidate.score <= margins[is_wish] and _on_one_matter(best.hit, hit, constants):
                group.append(place)
                break
        else:
            groups.append([place])
    return _newest_first(ordered, chain.from_iterable(kinds.values()), rule, moves)


def _newest_first(
    ordered: Sequence[Candidate], groups: Iterable[Sequence[int]], rule: Callable[[Sequence[int]], str], moves: _Moves
) -> list[Candidate]:
    """Return the candidates with those of each group of places newest first, within these places.

    `rule` returns the reason for the new order of a group in words.
    """
    arranged = list(ordered)
    for places in groups:
        newest = sorted(places, key=lambda n: stated_at(ordered[n].hit), reverse=True)
        for place, n in zip(places, newest, strict=True):
            arranged[place] = ordered[n]
            if place != n:
                moves.add(ordered[n], rule(places), up=place < n)
    return arranged


def _identified_first(ordered: Sequence[Candidate], query: RetrievalQuery, moves: _Moves) -> list[Candidate]:
    """Put the candidates first that literally contain the most identifiers of the query, such as codes or versions.

    An identifier means exactly one thing: a code that differs in one digit is as wrong as any other.
    """
    wanted = identifiers(query.text)
    if not wanted:
        return list(ordered)
    matches = [contained(wanted, candidate.hit.content.casefold()) for candidate in ordered]
    places = sorted(range(len(ordered)), key=lambda n: -len(matches[n]))
    for place, n in enumerate(places):
        if place < n:
            named = ", ".join(name[:_MAX_NAMED] for name in matches[n][:_MAX_NAMES])
            moves.add(ordered[n], f"it contains {len(matches[n])} of {len(wanted)} identifiers: {named}", up=True)
    return [ordered[n] for n in places]


def _newest_of_claims(ordered: Sequence[Candidate], moves: _Moves) -> list[Candidate]:
    """Let the newest of the memories that claim the same attribute of the same subject take the best of their places.

    Memories of different trust are not compared, so that no captured text displaces what the host has stored.
    """
    claims: dict[object, list[int]] = {}
    for place, candidate in _comparable(ordered):
        if candidate.hit.claim is not None:
            claims.setdefault((candidate.hit.claim, candidate.hit.trust), []).append(place)

    def rule(group: Sequence[int]) -> str:
        newest = max(stated_at(ordered[n].hit) for n in group)[0]
        claim = "memories that state the same attribute of the same subject"
        return f"of {len(group)} {claim}, the newer is first (the newest is of {newest:%Y-%m-%d %H:%M})"

    return _newest_first(ordered, claims.values(), rule, moves)


def _above_what_they_change(ordered: Sequence[Candidate], constants: Constants, moves: _Moves) -> list[Candidate]:
    """Move each candidate that denies or changes what an older one states directly above that one."""
    arranged = list(ordered)
    for place in range(1, min(_MAX_COMPARED, len(arranged))):
        hit = arranged[place].hit
        is_denial, is_change = _denies(hit.content), _announces_change(hit.content)
        if not (is_denial or is_change) or not _is_comparable(hit):
            continue
        target = _denied(hit, arranged[:place], constants) if is_denial else None
        if target is None and is_change and (hit.claim is None or _is_wish(hit)):
            target = _changed(hit, arranged, constants)
        if target is not None and target[0] < place:
            moves.add(arranged[place], target[1], up=True)
            arranged.insert(target[0], arranged.pop(place))
    return arranged


def _denied(hit: Hit, above: Sequence[Candidate], constants: Constants) -> tuple[int, str] | None:
    """Return the best place of an older text that a denying text is about, and the reason in words.

    The denying text repeats the subject and most words of the older text: "Ben, not Ana, leads the team". A denial does
    not deny another denial: these are facts from one template ("Room 1 has no window", "Room 2 has no window").
    """
    stems = _stems(hit.content)
    for place, candidate in _comparable(above):
        other = candidate.hit
        older = _stems(other.content)
        if _denies(other.content) or len(older) < _MIN_STEMS or not _is_older_version(other, hit):
            continue
        repeated = len(older & stems)
        if repeated >= constants.denied_share * len(older) and _names_subject(hit, other):
            share = f"{repeated / len(older):.2f} of that text's words, at least {constants.denied_share:.2f}"
            return place, f"a denial is above the older text that it denies (it repeats {share})"
    return None


def _changed(hit: Hit, ordered: Sequence[Candidate], constants: Constants) -> tuple[int, str] | None:
    """Return the place of the older text that an announced change is about, and the reason in words.

    It is the text most similar to the change. The older text states a claim, and the change states none but names its
    subject or the subject's owner: "Ana's bank is Alba", "Ana has gone over to Nova". The user may be the owner: "My
    bank is Alba", "I've gone over to Nova". Or both are wishes of the user: "Take the fastest train", "From now on,
    take the night train".
    """
    is_wish, nearest, found = _is_wish(hit), constants.version_cosine, None
    for place, candidate in _comparable(ordered):
        other = candidate.hit
        of_a_claim = other.claim is not None and hit.claim is None
        if not (of_a_claim or (is_wish and _is_wish(other))) or not _is_older_version(other, hit):
            continue
        cosine = _cosine(hit, other)
        if cosine >= nearest and (not of_a_claim or _names_subject(hit, other) or _is_by_owner(hit, other)):
            nearest, found = cosine, place
    if found is None:
        return None
    cosines = f"cosine {nearest:.2f}, at least {constants.version_cosine:.2f}"
    return found, f"an announced change is above the older text that it changes ({cosines})"


def _after_their_replacement(ordered: Sequence[Candidate], moves: _Moves) -> list[Candidate]:
    """Move each superseded memory behind its replacement, if this is a candidate too. The others keep their order."""
    place = {candidate.hit.memory_id: n for n, candidate in enumerate(ordered)}

    def key(item: tuple[int, Candidate]) -> tuple[int, int]:
        own, candidate = item
        latest, steps = own, 0
        successor: UUID | None = candidate.hit.replaced_by
        while successor is not None and successor in place and steps < len(ordered):
            latest, steps = max(latest, place[successor]), steps + 1
            successor = ordered[place[successor]].hit.replaced_by
        if latest > own:
            moves.add(candidate, "a replaced memory is behind its replacement", up=False)
        return latest, steps

    return [candidate for _, candidate in sorted(enumerate(ordered), key=key)]


def _is_by_owner(change: Hit, claim: Hit) -> bool:
    """Return True if a change names the owner of a claim's subject, or the user is the owner and made the change."""
    owner = _OWNER.match(claim.content)
    if owner is not None:
        return _stems(change.content).issuperset(lexemes(owner[1]))
    return FIRST_PERSON.search(claim.content) is not None and _I_CHANGED.match(change.content) is not None


def _names_subject(hit: Hit, other: Hit) -> bool:
    """Return True if the first text has all stems of the other's subject."""
    return _stems(hit.content).issuperset(subject_stems(other.content))


def _comparable(ordered: Sequence[Candidate]) -> list[tuple[int, Candidate]]:
    """Return the candidates that may be versions of each other, with their places."""
    return [(n, each) for n, each in enumerate(ordered[:_MAX_COMPARED]) if _is_comparable(each.hit)]


def _is_comparable(hit: Hit) -> bool:
    return hit.hidden_reason is None and not hit.partial


def _are_siblings(one: Hit, other: Hit) -> bool:
    """Return True if two texts state claims about different things."""
    return one.claim is not None and other.claim is not None and one.claim != other.claim


def _is_older_version(one: Hit, other: Hit) -> bool:
    """Return True if the first text is older than the other, has its type, speaker and trust, and is no sibling."""
    if (one.type, one.speaker, one.trust) != (other.type, other.speaker, other.trust):
        return False
    return stated_at(one) < stated_at(other) and not _are_siblings(one, other)


def stated_at(hit: Hit) -> tuple[datetime, int]:
    """Return when a memory occurred, and its place in the order of storing, by which versions are compared."""
    return hit.occurred_at, hit.seq


def _on_one_matter(one: Hit, other: Hit, constants: Constants) -> bool:
    """Return True if two wishes have a similar vector, or two other texts share most of their stems."""
    if _are_siblings(one, other):
        return False
    if _is_wish(one):
        return _cosine(one, other) >= constants.version_cosine
    stems, others = _stems(one.content), _stems(other.content)
    if min(len(stems), len(others)) < _MIN_STEMS:
        return False
    return len(stems & others) >= constants.version_threshold * max(len(stems), len(others))


def _is_wish(hit: Hit) -> bool:
    """Return True if a text is a short line in which the user states a wish."""
    is_users = hit.speaker is not None and hit.speaker.casefold() in USERS
    return is_users and len(hit.content) <= _MAX_WISH and _states_wish(hit.content)


def _cosine(one: Hit, other: Hit) -> float:
    return float(one.vector @ other.vector) if one.vector is not None and other.vector is not None else 0.0


@cached(_MAX_KEPT)
def _stems(content: str) -> frozenset[str]:
    return frozenset(lexemes(content))

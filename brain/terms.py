"""Find the lexemes of a query, count or estimate how many passages contain each, and choose those to search for.

A posting is an entry of the word index: a lexeme (the indexed form of a word) and a passage that contains it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from brain.language_detection import language_of_text
from brain.languages import COMMON_WORDS
from brain.text import as_lexeme, words

_MAX_LEXEMES = 32  # lexemes of a query; of a longer one the first and the last half are searched
# The postings of a lexeme in this many passages or more are not read: a query of three common words took 216 ms.
MAX_POSTINGS = 5_000
# For an agent with more passages than this, words are chosen by their total number of postings (`MAX_READ`). Among a
# million passages, MAX_POSTINGS would exclude every word in more than 0.5 % of them, and questions are often about
# such words.
LARGE_AGENT_PASSAGES = 50_000
MAX_COUNTED_POSTINGS = 1_000  # postings counted per word of a large agent; the estimate from them is off by about 3 %
MAX_READ = 8_000  # postings of all words of a query to a large agent, about 20 ms
MAX_COMMON = 2  # words beyond MAX_READ that are looked up in the passages already found, the rarest first; 5 ms each


@dataclass(frozen=True, slots=True)
class Term:
    """The numbers of an agent's passages and sessions that contain a lexeme of a query.

    `content_passages` and `sessions` count the field `content` only, `all_passages` any field.
    """

    content_passages: int
    sessions: int
    all_passages: int


@dataclass(frozen=True, slots=True)
class SelectedTerms:
    """The lexemes of a query to search for, each with the number of passages that contain it.

    Passages are found by the lexemes in `read`. The lexemes in `common` are too frequent for that: they are only looked
    up in the passages that were found otherwise.
    """

    read: Mapping[str, int]
    common: Mapping[str, int]


def query_lexemes(text: str, language: str) -> list[str]:
    """Return the lexemes of a query in the language of the index.

    If the query is in another language, its common words are left out, unless it has no others.
    """
    spoken = language_of_text(text)
    common = COMMON_WORDS[spoken] if spoken is not None and spoken != language else ()
    searched = [word for word in words(text) if word not in common] or words(text)
    found = list(dict.fromkeys(filter(None, (as_lexeme(word, language) for word in searched))))
    if len(found) <= _MAX_LEXEMES:
        return found
    return found[: _MAX_LEXEMES // 2] + found[-_MAX_LEXEMES // 2 :]  # a question is mostly at one end of a message


def terms(counts: Mapping[str, Sequence[Any]], lexemes: Sequence[str], sessions: int) -> dict[str, Term]:
    """Return the frequency of each lexeme of a query, from the counts that the SQL statement `facts` returned.

    `counts` has the counts of each lexeme, of shared memories and of the user's, which are added. A frequency is
    estimated where counting stopped early. `sessions` is the number of the agent's sessions.
    """
    return {lexeme: _sum([_term(*counted, all_sessions=sessions) for counted in counts[lexeme]]) for lexeme in lexemes}


def _sum(terms: Sequence[Term]) -> Term:
    return Term(
        sum([term.content_passages for term in terms]),
        sum([term.sessions for term in terms]),
        sum([term.all_passages for term in terms]),
    )


def _term(content_passages: int, sessions: int, all_passages: int, last: str | None, *, all_sessions: int) -> Term:
    """Return the frequencies of a lexeme, estimated if its count stopped at the memory `last`.

    Postings are read in the order of memory ids, which are hashes and thus spread evenly. If the k-th posting lies
    after the share u of all possible ids, there are about (k - 1) / u postings (Bar-Yossef et al., "Counting distinct
    elements in a data stream", 2002). The number of sessions is estimated from the number of passages n and the number
    S of all sessions as S · (1 - exp(-n / S)). This is the expected number of sessions that contain one of the
    passages, if each passage were in a random session.
    """
    if last is None:
        return Term(content_passages, sessions, all_passages)
    estimate = (all_passages - 1) * 2**128 / (UUID(last).int + 1)
    in_content = estimate * content_passages / all_passages
    in_sessions = all_sessions * -math.expm1(-in_content / all_sessions) if all_sessions else 0.0
    return Term(round(in_content), max(sessions, round(in_sessions)), round(estimate))


def select_terms(query_terms: Mapping[str, Term], passages: int) -> SelectedTerms:
    """Return the lexemes of a query to search for, given the number of the agent's passages.

    For a small agent these are all lexemes that are not too common. For a large one they are the rarest lexemes, up to
    a total number of postings.
    """
    present = {lexeme: term for lexeme, term in query_terms.items() if term.all_passages}
    if passages <= LARGE_AGENT_PASSAGES:
        return SelectedTerms(
            {word: term.content_passages for word, term in present.items() if term.all_passages < MAX_POSTINGS}, {}
        )
    read, common, remaining = set[str](), list[str](), MAX_READ
    for lexeme in sorted(present, key=lambda lexeme: (present[lexeme].all_passages, lexeme)):
        remaining -= present[lexeme].all_passages
        if remaining >= 0:
            read.add(lexeme)
        elif len(common) < MAX_COMMON:
            common.append(lexeme)
    return SelectedTerms(
        {lexeme: term.content_passages for lexeme, term in present.items() if lexeme in read},
        {lexeme: present[lexeme].content_passages for lexeme in common},
    )


def idf(documents: int, matching: int) -> float:
    """Return the inverse document frequency of a word that `matching` of `documents` documents contain.

    The formula is that of the variant of Okapi BM25 that is never negative: ln(1 + (N - n + 0.5) / (n + 0.5)).
    """
    return math.log(1 + (documents - matching + 0.5) / (matching + 0.5))

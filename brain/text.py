"""Text as the index and the overlap measures see it: words, stems, sentences, in any script. Pure functions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

import Stemmer

from brain.caches import cached
from brain.languages import COMMON_WORDS, ENGLISH, SIMPLE

STOP_WORDS = COMMON_WORDS[ENGLISH]  # of the rules of all stages, whatever an agent is indexed in

# Scripts written without spaces: a run of these is cut into character pairs, since it has no words to stem.
_UNSPACED = "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"v?\d+(?:[.:]\d+)+|[{_UNSPACED}]+|[^\W_{_UNSPACED}]+(?:'[^\W_]+)*")
_WRITTEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_ORDINAL = re.compile(r"^(\d+)(?:st|nd|rd|th)$")  # "May 8th" and "8 May" name the same day
_UNSPACED_RUN = re.compile(rf"[{_UNSPACED}]+")
_SENTENCE_END = re.compile(r"(?<=[.!?…])([\"'”’)\]]*)\s+|(?<=[。！？])|\n+")
_MAX_LEXEME_LENGTH = 64  # a base64 blob is one "word": its head is enough to find it and keeps index rows small

_NONE: frozenset[str] = frozenset()


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language)


def stem(word: str, language: str = ENGLISH) -> str:
    """The stem of a lower-case word; other languages' words come back nearly unchanged."""
    return word if language == SIMPLE else str(_stemmer(language).stemWord(word))


def normalise(text: str) -> str:
    """Compatibility-normalised lower case with plain apostrophes, so that look-alike spellings compare equal."""
    return unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")


def words(text: str) -> list[str]:
    """Lower-case words in order; unspaced scripts as overlapping character pairs."""
    found: list[str] = []
    for word in _WORD.findall(normalise(text)):
        if _UNSPACED_RUN.match(word):
            found.extend(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            found.append(word)
    return found


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Offsets [start, end) of the words of a text as written, in order; in unspaced scripts, of the characters."""
    return (match.span() for match in _WRITTEN.finditer(text))


def lexemes(text: str, language: str = ENGLISH) -> list[str]:
    """What is indexed and searched: stems in order, without stop words, possessives cut, bounded in length.

    Those of another language than English are labelled with it: in one index they are never taken for each other.
    """
    return [lexeme for word in words(text) if (lexeme := as_lexeme(word, language))]


@cached(65_536)
def as_lexeme(word: str, language: str = ENGLISH) -> str:
    """The lexeme of one of `words`; empty for a stop word."""
    bare = _ORDINAL.sub(r"\1", word.removesuffix("'s"))
    common = COMMON_WORDS.get(language, _NONE)
    return "" if word in common or bare in common else label(language) + stem(bare, language)[:_MAX_LEXEME_LENGTH]


def label(language: str) -> str:
    """What the lexemes of a language begin with; no word has a slash. English has none: its index came first."""
    return "" if language == ENGLISH else f"{language}/"


def language_of(lexeme: str) -> str:
    """The language that a lexeme is labelled with."""
    return lexeme.partition("/")[0] if "/" in lexeme else ENGLISH


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Offsets [start, end) of the sentences of a text, in order; surrounding white space is left out."""
    spans: list[tuple[int, int]] = []
    start = 0
    # a quotation mark or bracket that closes behind the full stop belongs to the sentence it closes
    ends = [(m.end(1) if m.group(1) else m.start(), m.end()) for m in _SENTENCE_END.finditer(text)]
    for end, following in [*ends, (len(text), len(text))]:
        piece = text[start:end]
        if piece.strip():
            left = start + len(piece) - len(piece.lstrip())
            spans.append((left, start + len(piece.rstrip())))
        start = following
    return spans


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order."""
    return [text[start:end] for start, end in sentence_spans(text)]


def storable(text: str) -> str:
    """The text as Postgres can keep it: without NUL, with a question mark for each lone surrogate."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def unstorable(text: str) -> str | None:
    """Why Postgres could not keep this text, or None: NUL characters and lone surrogates."""
    if "\x00" in text:
        return f"a NUL character at position {text.index(chr(0))}"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return f"a lone surrogate at position {error.start}"
    return None

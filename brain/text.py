"""Split text of any script into words, stems and sentences, to index it and to measure how far two texts overlap."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache

import Stemmer

from brain.caches import cached
from brain.languages import COMMON_WORDS, ENGLISH, SIMPLE

STOP_WORDS = COMMON_WORDS[ENGLISH]  # for the rules, which ignore the language of the agent's index

# Scripts without spaces: a run of their characters is split into character pairs, since word ends are not marked.
_UNSPACED = "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"v?\d+(?:[.:]\d+)+|[{_UNSPACED}]+|[^\W_{_UNSPACED}]+(?:'[^\W_]+)*")
_WORD_OR_CHARACTER = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}](?:[^\W{_UNSPACED}]|[\u0300-\u036f])*")  # with accents
_ORDINAL = re.compile(r"^(\d+)(?:st|nd|rd|th)$")  # "May 8th" and "8 May" name the same day
_UNSPACED_RUN = re.compile(rf"[{_UNSPACED}]+")
# A full stop behind one of these ends no sentence.
_ABBREVIATIONS = ("dr", "mr", "mrs", "ms", "prof", "approx", "esp", "incl", "resp", "vs", r"e\.g", r"i\.e")
_NO_END = "".join(rf"(?<!\b(?i:{word})\.)" for word in _ABBREVIATIONS)
_SENTENCE_END = re.compile(rf"(?<=[.!?…]){_NO_END}([\"'”’)\]]*)\s+|(?<=[。！？])|\n+")
_MAX_LEXEME_LENGTH = 64  # a base64 text is one "word"; its beginning suffices to find it

_NO_WORDS: frozenset[str] = frozenset()


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language)


def stem(word: str, language: str = ENGLISH) -> str:
    """Return the stem of a lower-case word of `language`. A word of another language stays nearly unchanged."""
    return word if language == SIMPLE else str(_stemmer(language).stemWord(word))


def normalise(text: str) -> str:
    """Return text in NFKC and lower case with plain apostrophes, so that equivalent spellings compare equal."""
    return unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, in order.

    In scripts without spaces, such as Chinese, overlapping pairs of characters are returned as words.
    """
    found = _WORD.findall(normalised := normalise(text))
    if normalised.isascii():  # as most texts are, which saves a third of the time
        return found
    result: list[str] = []
    for word in found:
        if _UNSPACED_RUN.match(word):
            result.extend(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            result.append(word)
    return result


def is_unspaced(text: str) -> bool:
    """Return True if a text begins with a character of a script without spaces."""
    return _UNSPACED_RUN.match(text) is not None


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Return the offsets [start, end) of the words of a text, in order.

    In scripts without spaces, such as Chinese, each character is a word here.
    """
    return (match.span() for match in _WORD_OR_CHARACTER.finditer(text))


def lexemes(text: str, language: str = ENGLISH) -> list[str]:
    """Return the lexemes of a text in order: the forms in which words are indexed and searched for.

    A lexeme is the stem of a word without possessive, cut to 64 characters. A stop word, such as "the", has no lexeme.
    A lexeme of another language than English begins with a label, so that lexemes of several languages in one index are
    distinct.
    """
    return [lexeme for word in words(text) if (lexeme := as_lexeme(word, language))]


@cached(8_192)
def stem_counts(text: str) -> Counter[str]:
    """Return how often each English lexeme occurs in a text. The result is shared by its callers: do not change it."""
    return Counter(lexemes(text))


@cached(65_536)
def as_lexeme(word: str, language: str = ENGLISH) -> str:
    """Return the lexeme of a word that `words` returned, or an empty string for a stop word."""
    bare = _ORDINAL.sub(r"\1", word.removesuffix("'s"))
    common = COMMON_WORDS.get(language, _NO_WORDS)
    return "" if word in common or bare in common else label(language) + stem(bare, language)[:_MAX_LEXEME_LENGTH]


def label(language: str) -> str:
    """Return the label that the lexemes of a language begin with, such as "german/"; it is empty for English.

    The label is unambiguous, since no word contains a slash.
    """
    return "" if language == ENGLISH else f"{language}/"


def language_of(lexeme: str) -> str:
    """Return the language of a lexeme."""
    return lexeme.partition("/")[0] if "/" in lexeme else ENGLISH


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the offsets [start, end) of the sentences of a text, in order, without surrounding white space."""
    spans: list[tuple[int, int]] = []
    start = 0
    # a closing quotation mark or bracket after the full stop belongs to the sentence before it
    ends = [(m.end(1) if m.group(1) else m.start(), m.end()) for m in _SENTENCE_END.finditer(text)]
    for end, following in [*ends, (len(text), len(text))]:
        piece = text[start:end]
        if piece.strip():
            left = start + len(piece) - len(piece.lstrip())
            spans.append((left, start + len(piece.rstrip())))
        start = following
    return spans


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, in order."""
    return [text[start:end] for start, end in sentence_spans(text)]


def storable(text: str) -> str:
    """Return a text as Postgres can store it: without NUL, and with a question mark for each lone surrogate."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def unstorable(text: str) -> str | None:
    """Return a phrase that names the first character that Postgres cannot store, or None if it can store the text.

    Such characters are NUL and lone surrogates.
    """
    if "\x00" in text:
        return f"a NUL character at position {text.index(chr(0))}"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return f"a lone surrogate at position {error.start}"
    return None


def patterns(words: str | None) -> list[str] | None:
    """Return for each word a pattern for SQL LIKE that finds the word anywhere, or None if there are no words."""
    if not words or not words.split():
        return None
    escaped = [word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") for word in words.split()]
    return [f"%{word}%" for word in escaped]

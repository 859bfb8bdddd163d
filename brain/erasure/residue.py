"""Find erased texts in other texts, whatever their case, spacing and escapes, and cut them out.

An erased text is found where another text has eight consecutive words of it, a whole sentence of it with at least five
words, or all of it. One short common word is not enough: erasing a memory "Fixed." does not erase this word elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from brain.text import lexemes, normalise, sentences, word_spans

MARK = "[erased]"  # replaces erased text
_PUNCTUATION = " \n\t.,;:!?…\"'()[]-"
_RUN = 8  # consecutive words: texts about one subject sometimes share five, but hardly ever eight
_SENTENCE = 5  # minimum words of a sentence
_TELLING = 12  # characters of a single word that is specific by itself, such as a key
_MIN_SHARE = 0.6  # a line with this share of an erased text's stems is a summary of it
_MIN_STEMS = 4  # minimum stems of an erased text for that rule
# Escapes of JSON, also of JSON within JSON. All but those by number stand for marks and white space.
_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|[\"/bfnrt])")

Words = tuple[str, ...]


class Residue:
    """The texts that are being erased, prepared for finding and cutting them in other texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        whole = [_words(text) for text in texts]
        spoken = [_words(sentence) for text in texts for sentence in sentences(text)]
        self._fragments = {
            *(words for words in whole if len(words) < _RUN and _telling(words)),
            *(words for words in spoken if _SENTENCE <= len(words) < _RUN),
            *(words[n : n + _RUN] for words in whole for n in range(len(words) - _RUN + 1)),
        }
        self._lengths = sorted({len(fragment) for fragment in self._fragments}, reverse=True)
        self._stems = [stems for text in texts if len(stems := frozenset(lexemes(text))) >= _MIN_STEMS]

    @property
    def probes(self) -> list[str]:
        """Lower-case words that find candidates quickly: each text with erased text contains at least one of them."""
        return sorted({max(fragment, key=len) for fragment in self._fragments})

    def contains_any(self, text: str) -> bool:
        """Return True if a text contains erased text."""
        return next(self._spans(text), None) is not None

    def cut(self, text: str) -> str:
        """Return the text with each erased passage replaced by "[erased]"; unchanged if it contains no erased text."""
        kept, position = [], 0
        for start, end in _joined(self._spans(text)):
            kept += [text[position:start], MARK]
            position = end
        return "".join([*kept, text[position:]])

    def cut_all(self, value: Any) -> Any:
        """Return a JSON value with erased text cut out of each text in it; unchanged if it contains no erased text."""
        if isinstance(value, str):
            return self.cut(value)
        if isinstance(value, list):
            return [self.cut_all(each) for each in value]
        if isinstance(value, dict):
            return {name: self.cut_all(each) for name, each in value.items()}
        return value

    def cut_json(self, text: str) -> str:
        """Return a JSON document with erased text cut out of each text in it, also where characters are escaped."""
        value = json.loads(text)
        left = self.cut_all(value)
        return text if left == value else json.dumps(left)

    def without_lines(self, text: str) -> str:
        """Return a summary without the lines that contain erased text or summarize it. Such lines are removed whole."""
        return "\n".join(line for line in text.split("\n") if not self.contains_any(line) and not self._condensed(line))

    def _condensed(self, line: str) -> bool:
        said = set(lexemes(line)) if self._stems else set[str]()
        return any(len(stems & said) >= _MIN_SHARE * len(stems) for stems in self._stems)

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each erased passage in a text, in order of the starts; passages may overlap."""
        if not self._fragments:
            return
        plain, offsets = _unescaped(text)
        places = list(word_spans(plain))
        words = [normalise(plain[start:end]) for start, end in places]
        for n in range(len(words)):
            for length in self._lengths:
                if n + length <= len(words) and tuple(words[n : n + length]) in self._fragments:
                    yield offsets[places[n][0]], offsets[places[n + length - 1][1]]
                    break


def says_nothing(cut: str) -> bool:
    """Return True if a text consists only of "[erased]" and punctuation, so that nothing is left of it."""
    return not cut.replace(MARK, "").strip(_PUNCTUATION)


def _words(text: str) -> Words:
    plain, _ = _unescaped(text)
    return tuple(normalise(plain[start:end]) for start, end in word_spans(plain))


def _unescaped(text: str) -> tuple[str, Sequence[int]]:
    """Return a text without escapes of JSON, and the offset in `text` of each of its characters and of its end."""
    if "\\" not in text:
        return text, range(len(text) + 1)
    parts, offsets, position = list[str](), list[int](), 0
    for found in _ESCAPE.finditer(text):
        parts += [text[position : found.start()], chr(int(found[1], 16)) if found[1] else " "]
        offsets += range(position, found.start() + 1)
        position = found.end()
    return "".join([*parts, text[position:]]), [*offsets, *range(position, len(text) + 1)]


def _telling(words: Words) -> bool:
    """Return True if a short erased text is specific enough to be searched for.

    It must have several words, or a single one that is long or contains a digit.
    """
    if len(words) == 1:
        return len(words[0]) >= _TELLING or any(character.isdigit() for character in words[0])
    return len(words) > 1


def _joined(spans: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    first = next(spans, None)
    if first is None:
        return
    start, end = first
    for low, high in spans:
        if low > end:
            yield start, end
            start = low
        end = max(end, high)
    yield start, end

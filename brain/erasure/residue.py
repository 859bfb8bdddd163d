"""What is left of erased texts in other texts: found by their words, whatever their case and spacing, and cut out.

A text holds another if it has eight successive words of it, a sentence of at least five, or all of it. One short word
alone is no trace of anything: a memory that says "Fixed." has no right to the word.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from brain.text import lexemes, normalise, sentences, word_spans

MARK = "[erased]"  # stands where something was cut out
_PUNCTUATION = " \n\t.,;:!?…\"'()[]-"
_RUN = 8  # words; two texts about one thing share five in a row now and then, eight hardly ever
_SENTENCE = 5
_TELLING = 12  # characters of a single word that says something by itself, as a key or a number does
_MOST = 0.6  # of an erased text's stems in one line of a summary: it was condensed from that
_FEWEST = 4  # stems, for that to say anything

Words = tuple[str, ...]


class Residue:
    """The texts that are being erased, as what is looked for."""

    def __init__(self, texts: Sequence[str]) -> None:
        whole = [_words(text) for text in texts]
        spoken = [_words(sentence) for text in texts for sentence in sentences(text)]
        self._fragments = {
            *(words for words in whole if len(words) < _RUN and _telling(words)),
            *(words for words in spoken if _SENTENCE <= len(words) < _RUN),
            *(words[n : n + _RUN] for words in whole for n in range(len(words) - _RUN + 1)),
        }
        self._lengths = sorted({len(fragment) for fragment in self._fragments}, reverse=True)
        self._stems = [stems for text in texts if len(stems := frozenset(lexemes(text))) >= _FEWEST]

    @property
    def probes(self) -> list[str]:
        """Words of which every text that holds something has one, in lower case: what Postgres can look for."""
        return sorted({max(fragment, key=len) for fragment in self._fragments})

    def held(self, text: str) -> bool:
        """Whether a text holds anything of what is erased."""
        return next(self._spans(text), None) is not None

    def cut(self, text: str) -> str:
        """The text with a mark in the place of what it holds; itself, if it holds nothing."""
        kept, position = [], 0
        for start, end in _joined(self._spans(text)):
            kept += [text[position:start], MARK]
            position = end
        return "".join([*kept, text[position:]])

    def cut_all(self, value: Any) -> Any:
        """A JSON value with every text in it cut; itself, if none holds anything."""
        if isinstance(value, str):
            return self.cut(value)
        if isinstance(value, list):
            return [self.cut_all(each) for each in value]
        if isinstance(value, dict):
            return {name: self.cut_all(each) for name, each in value.items()}
        return value

    def cut_json(self, text: str) -> str:
        """A JSON document with every text in it cut: what stands there escaped is found too."""
        value = json.loads(text)
        left = self.cut_all(value)
        return text if left == value else json.dumps(left)

    def without_lines(self, text: str) -> str:
        """A summary without the lines that hold something, or that were condensed from it: these cannot be cut."""
        return "\n".join(line for line in text.split("\n") if not self.held(line) and not self._condensed(line))

    def _condensed(self, line: str) -> bool:
        said = set(lexemes(line)) if self._stems else set[str]()
        return any(len(stems & said) >= _MOST * len(stems) for stems in self._stems)

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Offsets of what is held, in order; they may overlap."""
        places = list(word_spans(text)) if self._fragments else []
        words = [normalise(text[start:end]) for start, end in places]
        for n in range(len(words)):
            for length in self._lengths:
                if n + length <= len(words) and tuple(words[n : n + length]) in self._fragments:
                    yield places[n][0], places[n + length - 1][1]
                    break


def says_nothing(cut: str) -> bool:
    """Whether nothing is left of a text but marks and punctuation."""
    return not cut.replace(MARK, "").strip(_PUNCTUATION)


def _words(text: str) -> Words:
    return tuple(normalise(text[start:end]) for start, end in word_spans(text))


def _telling(words: Words) -> bool:
    """Whether so few words are a trace of what they are all of."""
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

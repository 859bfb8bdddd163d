"""The words of many tools as two texts, so that a message's word is looked up in all of them at once."""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from brain.text import as_lexeme, normalise, words

Holding = NDArray[np.bool_]  # shape (tools,)

_MOST_WORDS = 32  # of a message
_LEAST_PREFIX = 4  # letters; what is shorter must be the whole word: "art" is not in "article"
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# By a table and not by an expression: a catalogue of thousands is read when it first comes, within a turn. ASCII, by
# bytes: some ten times as fast.
_BLANKS = f"{string.punctuation}\t\r\n\v\f"
_SPACES = str.maketrans(dict.fromkeys(f"{_BLANKS}…–—·«»“”‘’„¿¡。、，！？：；（）「」『』", " "))
_ASCII_SPACES = bytes.maketrans(_BLANKS.encode(), b" " * len(_BLANKS))


def spaced(name: str) -> str:
    """A tool's name as the words that it is made of."""
    return _blanked(name if name.islower() else _HUMP.sub(" ", name))


class Words:
    """One text per tool, such that a word of a message is found in it by how it begins."""

    def __init__(self, texts: Sequence[str]) -> None:
        lines = [f" {_blanked(text.lower() if text.isascii() else normalise(text))} \n" for text in texts]
        self._text = "".join(lines)
        self._ends = list(accumulate(map(len, lines)))

    def holding(self, needle: str) -> Holding:
        """Which of the texts have it."""
        held = np.zeros(len(self._ends), dtype=bool)
        at = self._text.find(needle)
        while at >= 0:
            n = bisect_right(self._ends, at)
            held[n] = True
            at = self._text.find(needle, self._ends[n])
        return held


def needles(message: str) -> list[str]:
    """The message's words as they begin in any of their forms; in scripts without spaces, as they stand."""
    found = list[str]()
    for word in dict.fromkeys(words(message)):
        lexeme = as_lexeme(word)
        if not lexeme or len(found) == _MOST_WORDS:
            continue
        stem = _common_start(lexeme, word) or word
        if not word[0].isascii():
            found.append(stem)
        else:
            found.append(f" {stem}" if len(stem) >= _LEAST_PREFIX else f" {word} ")
    return found


def _blanked(text: str) -> str:
    if text.isascii():
        return text.encode("ascii").translate(_ASCII_SPACES).decode("ascii")
    return text.translate(_SPACES)


def _common_start(one: str, other: str) -> str:
    """The letters in which two words begin alike: "happi", the stem, and "happy"."""
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:same]

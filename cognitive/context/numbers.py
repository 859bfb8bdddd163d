"""Write the numbers, ordinals and units of a sentence in one spelling: "twenty-one", "21st" and "21" are equal."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal

from cognitive.context.lexicon import AFTER_FIGURES, NUMBERS, SCALES, UNITS

DIGIT = re.compile(r"\d")
_MAX_DIGITS = 18  # of a number that is computed with
_GROUPED = ("hundred", "dozen")  # multipliers that others may follow: "two hundred thousand"
_FIGURE = re.compile(r"v?(\d+(?:[.:]\d+)*)$")


def spelled(words: Sequence[str]) -> tuple[str, ...]:
    """Return words with numbers as digits and one name per unit: "thirty-two s" and "32 seconds" become equal."""
    result: list[str] = []
    place = 0
    while place < len(words):
        word = words[place]
        if word not in NUMBERS and word not in UNITS and word != "one" and DIGIT.search(word) is None:
            result.append(word)
            place += 1
            continue
        figure, read = _figure_at(words, place)
        counted = place > 0 and result[-1][0].isdigit()
        result.append(figure or (UNITS.get(word, word) if counted or word not in AFTER_FIGURES else word))
        place += read
    return tuple(result)


def _figure_at(words: Sequence[str], place: int) -> tuple[str | None, int]:
    """Return the number at this place as digits, or None if there is none, and how many words it has.

    "six thousand two hundred and fifty" has six words and is 6250; "2.5 million" has two.
    """
    word, scale = words[place], SCALES.get("".join(words[place + 1 : place + 2]))
    if word in NUMBERS or (word == "one" and scale):
        number = _number(word, words[place - 1] if place else "")
        return (number, 1) if number is None and word != "one" else _spelled_out(words[place:])
    figure = _number(word, "")
    if figure is None or scale is None or len(figure) > _MAX_DIGITS or not figure.replace(".", "", 1).isdigit():
        return figure, 1
    value = Decimal(figure) * scale
    return str(int(value) if value == int(value) else value), 2


def _spelled_out(words: Sequence[str]) -> tuple[str, int]:
    """Return the number that these words begin with as digits, and how many words it has."""
    total = group = 0  # the number is their sum; `group` is what a following "thousand" multiplies
    least = math.inf  # the last such multiplier; the next one is smaller
    for n, word in enumerate(words):
        if word in SCALES and (group >= 100 if word in _GROUPED else SCALES[word] >= least):
            return str(total + group), n
        if word in _GROUPED:
            group = max(group, 1) * SCALES[word]
        elif word in SCALES:
            total, group, least = total + max(group, 1) * SCALES[word], 0, SCALES[word]
        elif word != "and" or words[n - 1] not in SCALES or NUMBERS.get("".join(words[n + 1 : n + 2]), 100) >= 100:
            value = 1 if word == "one" else NUMBERS.get(word)
            joined = n == 0 or words[n - 1] in SCALES or words[n - 1] == "and"
            if value is None or not (joined or (value < 10 and group % 100 >= 20 and group % 10 == 0)):
                return str(total + group), n
            group += value
    return str(total + group), len(words)


def _number(word: str, before: str) -> str | None:
    """Return a number word or numeral as digits, or None for another word; `before` is the word before it."""
    if word == "second" and (before in NUMBERS or before.isdigit() or before in ("a", "per", "every", "each")):
        return None  # the unit of time
    if word in NUMBERS:
        return str(NUMBERS[word])
    figure = _FIGURE.match(word) or _FIGURE.match(word[:-2] if word[-2:] in ("st", "nd", "rd", "th") else word)
    return figure.group(1) if figure else None

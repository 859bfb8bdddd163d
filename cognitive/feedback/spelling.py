"""Parse a text for attribution, with values in one spelling: "half past three" equals 15:30, "two weeks" 14 days.

A response often says a value in other words than the memory that it comes from. Comparing memories with each other is
stricter, because there 3:30 and 15:30 may be two times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from brain.caches import cached
from cognitive.context.lexicon import NUMBERS
from cognitive.context.sentences import ParsedSentence

_MAX_READ = 4_096  # texts whose parse is cached: a turn's memories are compared again with its decoys
_DAYS = {"WEEK": 7, "FORTNIGHT": 14}
_WORDS = {"one": 1, **{word: n for word, n in NUMBERS.items() if 1 < n <= 12}}
_COUNT = rf"(\d{{1,2}}|{'|'.join(_WORDS)})"
_SPOKEN = re.compile(rf"(?ia)\b(half past|quarter past|quarter to) {_COUNT}\b")
_HOUR = re.compile(rf"(?ia)\b{_COUNT} ?(?:o['’]?clock\b|[ap]\.?m\b\.?)")
_CLOCK = re.compile(r"(?ia)(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?![:\d])(?: ?[ap]\.?m\b\.?)?")
_MAX_DIGITS = 18  # of a number that is computed with; Python refuses to write numbers of thousands of digits
_AND_A_HALF = re.compile(rf"(?ia)\b{_COUNT} and a half\b")


@cached(_MAX_READ)
def parse(text: str) -> ParsedSentence:
    """Return a text parsed, with times on the 12-hour clock, halves as decimals, and weeks in days."""
    text = _CLOCK.sub(lambda clock: _time(int(clock[1]), int(clock[2])), text)
    text = _HOUR.sub(lambda hour: _time(_number(hour[1]), 0), _SPOKEN.sub(_spoken, text))
    parsed = ParsedSentence.of(_AND_A_HALF.sub(lambda half: f"{_number(half[1])}.5", text))
    return replace(parsed, clauses=tuple(tuple(_in_days(clause)) for clause in parsed.clauses))


def _number(word: str) -> int:
    return _WORDS.get(word.lower()) or int(word)


def _time(hour: int, minute: int) -> str:
    """Return a time of day as one word, which is the same in the morning and in the afternoon.

    A full hour is its number, because people also say "at nine".
    """
    return f"{hour % 12}h{minute:02}" if minute else str(hour % 12 or 12)


def _spoken(time: re.Match[str]) -> str:
    hour = _number(time[2])
    minute = 30 if time[1].lower().startswith("half") else 15
    return _time(hour - 1, 45) if time[1].lower().endswith("to") else _time(hour, minute)


def _in_days(clause: Sequence[str]) -> Iterator[str]:
    """Yield the words of a clause, with a number of weeks as a number of days."""
    for n, word in enumerate(clause):
        unit = clause[n + 1] if n + 1 < len(clause) else ""
        if word.isdecimal() and len(word) <= _MAX_DIGITS and unit in _DAYS:
            yield str(int(word) * _DAYS[unit])
        else:
            yield "DAY" if word in _DAYS and n and clause[n - 1].isdecimal() else word

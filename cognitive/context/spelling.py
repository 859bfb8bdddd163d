"""One spelling for what is written in many: dates, times of day, numbers, units, signs; and the clauses of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from brain.caches import cached
from brain.text import normalise, words
from cognitive.context.lexicon import AFTER_FIGURES, MAY, NUMBERS, PHRASES, UNITS

_MOST_CUT = 4_096  # texts that are kept cut: a window's sentences come again in every turn
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_GLUED = re.compile(r"(?<=\d)(ms|msec|secs?|s|mins?|hrs?|h|d|am|pm|[kmgt]i?b|mm|cm|km|kg|g|ml|kw|v|a|x)(?!\w)")
_SIGNS = {
    "%": " percent ",
    "€": " euro ",
    "$": " dollar ",
    "£": " pounds ",
    "¥": " yen ",
    "°c": " celsius ",
    "°f": " fahrenheit ",
}
_SIGN = re.compile("|".join(map(re.escape, _SIGNS)))
_PHRASE = re.compile(r"\b(?:" + "|".join(PHRASES) + r")\b")
_USED_TO = re.compile(r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbe )(?<!\bget )(?<!\bgot )\bused to\b")
_CLAUSE = re.compile(r"[,;:()\n–—]|\.(?=\s|$)|[!?]")
_DIGIT = re.compile(r"\d")
_FIGURE = re.compile(r"v?(\d+(?:[.:]\d+)*)$")
_MAY = re.compile(
    r"(?<=\b(?:in|on|of|by) )May\b|(?<=\d )May\b|(?<=(?:st|nd|rd|th|xt) )May\b|(?<=this )May\b|\bMay(?= \d)"
)
_MONTHS = "January February March April May June July August September October November December".split()
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_BY_ABBREVIATION = {name[:3]: name for name in (*_MONTHS, *_WEEKDAYS)}
_ISO = re.compile(r"(?<!\d)(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?!\d)")
_MONTH = re.compile(
    r"\b(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?(?:(?=\s\d)|(?<=\d \w{3})|(?<=\d(?:st|nd|rd|th) \w{3}))"
)
_CLOCK = re.compile(r"(?i)(?<![\d:.])(\d{1,2}):([0-5]\d)(?![:\d])(?:\s?([ap])\.?m\b\.?)?")
_WEEKDAY = re.compile(r"\b(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|(?:Sat|Sun)(?=\.?,? (?:\d|[A-Z][a-z]{2})))\b\.?")


@cached(_MOST_CUT)
def cut(text: str) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """A text with its dates in one spelling, and its clauses as words."""
    text = _MAY.sub(MAY.title(), _dated(text))
    return text, tuple(spelled(words(clause)) for clause in _CLAUSE.split(_plain(text)))


def _dated(text: str) -> str:
    """With dates, months, days of the week and times of day written in one way: "2026-06-03" as "3 June 2026"."""
    if _DIGIT.search(text):
        text = _ISO.sub(lambda date: f"{int(date[3])} {_MONTHS[int(date[2]) - 1]} {date[1]}", text)
        text = _MONTH.sub(lambda month: _BY_ABBREVIATION[month[1][:3]], _CLOCK.sub(_on_the_clock, text))
    return _WEEKDAY.sub(lambda day: _BY_ABBREVIATION[day[1][:3]], text)


def _on_the_clock(time: re.Match[str]) -> str:
    """A time of day by 24 hours, if it is one."""
    hour, minutes, half = int(time[1]), time[2], (time[3] or "").lower()[:1]
    if hour > 23 or (half and not 1 <= hour <= 12):
        return time.group()
    return f"{hour % 12 + 12 * (half == 'p') if half else hour}:{minutes}"


def _plain(text: str) -> str:
    """Normalised, with numbers apart from their units and signs written as words."""
    plain = _USED_TO.sub("formerly", _PHRASE.sub(lambda phrase: PHRASES[phrase.group()], normalise(text)))
    if _DIGIT.search(plain) is None:
        return plain
    plain = _SIGN.sub(lambda sign: _SIGNS[sign.group()], _THOUSANDS.sub("", plain))
    return _GLUED.sub(r" \1", plain)


def spelled(spoken: Sequence[str]) -> tuple[str, ...]:
    """Words with their numbers in figures and their units as one: "thirty-two s", "32nd second" and "32 seconds"."""
    found: list[str] = []
    tens = False
    for n, word in enumerate(spoken):
        if word not in NUMBERS and word not in UNITS and _DIGIT.search(word) is None:
            found.append(word)
            continue
        figure = _number(word, spoken[n - 1] if n else "")
        if figure is not None and tens and len(figure) == 1 and word in NUMBERS:
            found[-1] = str(int(found[-1]) + int(figure))
            tens = False
            continue
        tens = figure is not None and word in NUMBERS and len(figure) == 2 and figure[1] == "0"
        counted = n > 0 and found[-1][0].isdigit()
        found.append(figure or (UNITS.get(word, word) if counted or word not in AFTER_FIGURES else word))
    return tuple(found)


def _number(word: str, before: str) -> str | None:
    if word == "second" and (before in NUMBERS or before.isdigit() or before in ("a", "per", "every", "each")):
        return None  # of time
    if word in NUMBERS:
        return str(NUMBERS[word])
    figure = _FIGURE.match(word) or _FIGURE.match(word[:-2] if word[-2:] in ("st", "nd", "rd", "th") else word)
    return figure.group(1) if figure else None

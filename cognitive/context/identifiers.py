"""Find the identifiers in a text: codes, versions, addresses and names that mean exactly one thing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from brain.caches import cached

_TOKEN = re.compile(r"[^\s,;!?()\[\]{}<>\"'`|=]+")
_MIN_DIGITS = 3  # of an identifier with letters: "covid-19" and "mp3" are words, "E404" and "QB31132" are identifiers
_LONG_NUMBER = 5  # digits of an identifier without letters; shorter numbers are as often a year or an amount
_DOTTED = re.compile(r"v?\d+(?:\.\d+){2,}(?::\d+)?")
_QUANTITY = re.compile(r"[\d.:,/-]*\d[a-z]{1,4}")  # "500ml", "1990s", "400th"
_YEAR = re.compile(r"(?:[a-z]+-?|\d{1,2}\.\d{1,2}\.)(?:19|20)\d\d")  # "mid-2023", "5.11.2026"
_SNAKE = re.compile(r"[^\W_]+(?:_[^\W_]+)+")
_MAX_IDENTIFIERS = 64  # of a message that are looked for; a pasted log has thousands
_MAX_CACHED = 64  # messages: several steps of a turn read the identifiers of its message


@cached(_MAX_CACHED)
def identifiers(text: str) -> tuple[str, ...]:
    """Return the identifiers in a text, lower-cased, in order: codes, versions, addresses, long numbers, snake_case."""
    tokens = (match.group().strip(".:#*").casefold() for match in _TOKEN.finditer(text))
    found = tuple(dict.fromkeys(token for token in tokens if _identifies(token)))
    if len(found) > _MAX_IDENTIFIERS:  # a question is mostly at one end of a message
        found = found[: _MAX_IDENTIFIERS // 2] + found[-_MAX_IDENTIFIERS // 2 :]
    return found


def contained(identifiers: Sequence[str], text: str) -> list[str]:
    """Return those of the identifiers that a case-folded text contains as a whole."""
    return [each for each in identifiers if each in text and _is_whole(each, text)]


def _is_whole(identifier: str, text: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(identifier)}(?![\w-]|\.\w)", text) is not None


def _identifies(token: str) -> bool:
    """Return True if a token is an identifier, and not a year, a quantity or a plain word."""
    digits = sum(char.isdigit() for char in token)
    if _YEAR.fullmatch(token) or _QUANTITY.fullmatch(token):
        return False
    return bool(
        (digits >= _LONG_NUMBER and token.isdigit())
        or (digits >= _MIN_DIGITS and any(char.isalpha() for char in token))
        or _DOTTED.fullmatch(token)
        or _SNAKE.fullmatch(token)
    )

"""An estimate of how many tokens a model will count, without a tokeniser of any vendor. Pure and fast."""

from __future__ import annotations

import re
from collections.abc import Callable

# One alternative per kind of text, and what a piece of that kind costs in byte-pair vocabularies of 100,000 to 200,000
# entries: a word of up to eight letters is mostly one token, longer and capitalised ones split, digits go by threes,
# punctuation runs merge a little, unspaced scripts cost nearly one a character, emoji two or three.
_PIECE = re.compile(
    r"(?P<word>[A-Za-z]+)"
    r"|(?P<digits>\d+)"
    r"|(?P<newlines>\n[\s]*)"
    r"|(?P<spaces>[^\S\n]{2,})"
    r"|(?P<space>[^\S\n])"
    r"|(?P<cjk>[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+)"
    r"|(?P<letters>[^\W\d_]+)"
    r"|(?P<punctuation>[!-/:-@\[-`{-~]+)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def count(text: str) -> int:
    """The estimated number of tokens of a text."""
    total = 0.0
    for match in _PIECE.finditer(text):
        piece, kind = match.group(), match.lastgroup
        total += _COST[kind or "other"](piece)
    return round(total + 0.49) if text else 0


def _word(piece: str) -> float:
    return sum(1.0 if len(part) <= 8 else len(part) / 6.5 for part in _HUMP.split(piece))


_COST: dict[str, Callable[[str], float]] = {
    "word": _word,
    "digits": lambda piece: (len(piece) + 2) // 3,
    "newlines": lambda piece: 1.0,
    "spaces": lambda piece: 1.0,
    "space": lambda piece: 0.0,
    "cjk": lambda piece: 0.9 * len(piece),
    "letters": lambda piece: max(1.0, len(piece) / 2.5),
    "punctuation": lambda piece: 0.4 + 0.6 * len(piece) if len(piece) > 1 else 1.0,
    "other": lambda piece: 2.5,
}

"""Rules as data, compiled once into one linear-time automaton per table, and the text as those rules see it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import re2

from cognitive.errors import PolicyError

# Automata grow with the text they read; with too little room re2 gives up on adversarial input and answers "no match".
_MEMORY_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of a rule table. The examples are its tests: it fires on all of them and on no counterexample."""

    id: str
    signal: str
    pattern: str
    weight: float = 1.0
    examples: tuple[str, ...] = ()
    counterexamples: tuple[str, ...] = ()


class RuleTable:
    """Rows compiled together: one pass over the text says which of them match, whatever their number."""

    def __init__(self, rules: Iterable[Rule], *, whole: bool = False) -> None:
        self.rules = tuple(rules)
        for rule in self.rules:
            compile_pattern(rule.pattern, name=rule.id)
        options = _options()
        self._set = re2.Set.FullMatchSet(options) if whole else re2.Set.SearchSet(options)
        self._whole = whole
        for rule in self.rules:
            self._set.Add(rule.pattern)
        self._sentinel = self._set.Add(r"(?s).*" if whole else "")
        self._set.Compile()

    def fired(self, text: bytes) -> tuple[Rule, ...]:
        """The rows that match, in table order."""
        matched = self._set.Match(text) or ()
        if self._sentinel not in matched:  # matches everything: its absence means that the automaton ran out of room
            return tuple(rule for rule in self.rules if self._matches_alone(rule, text))
        return tuple(self.rules[index] for index in sorted(matched) if index != self._sentinel)

    def _matches_alone(self, rule: Rule, text: bytes) -> bool:
        pattern = compile_pattern(rule.pattern, name=rule.id)
        return (pattern.fullmatch(text) if self._whole else pattern.search(text)) is not None


def compile_pattern(pattern: str, *, name: str, longest_match: bool = False) -> re2._Regexp:
    """The compiled pattern, or a `PolicyError` that names the rule it belongs to."""
    try:
        return re2.compile(pattern, _options(longest_match=longest_match))
    except re2.error as exc:
        raise PolicyError(f"rule {name!r}: not a linear-time regular expression: {pattern!r} ({exc})") from exc


def _options(*, longest_match: bool = False) -> re2.Options:
    options = re2.Options()
    options.max_mem = _MEMORY_BYTES
    options.log_errors = False
    options.longest_match = longest_match
    return options


_PLAIN = {
    "\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u2010": "-", "\u2011": "-",
    "\u2013": "-",
    "\u2014": "-", "\u2026": ".", "\uff1f": "?", "\u061f": "?", "\u3002": ".", "\uff0c": ",", "\uff01": "!",
    "\u2028": "\n",
}  # fmt: skip
_QUESTION_MARK = 0x7F  # stands in for "?" while "?" stands for everything that Latin-1 lacks


def _latin_table() -> bytes:
    table = bytearray(range(256))
    table[ord("?")] = ord(" ")
    table[_QUESTION_MARK] = ord("?")
    for code in range(0x80, 0x100):
        table[code] = ord("x" if chr(code).isalnum() else " ")
    return bytes(table)


_LATIN = _latin_table()


def plain(text: str) -> str:
    """The text with typographic quotes, dashes and full-width marks as their ASCII twins, character by character."""
    if not text.isascii():
        for fancy, twin in _PLAIN.items():
            text = text.replace(fancy, twin)
    return text


def fold(text: str) -> bytes:
    r"""The text as English rules see it: ASCII, one byte per character, so positions are those of the text.

    re2's `\b` knows ASCII only; accented letters become "x", so "pré-decidé" has no word boundary inside a word.
    Letters outside Latin-1 become blanks: no English word continues in another script.
    """
    if text.isascii():
        return text.encode("ascii")
    return plain(text).replace("?", chr(_QUESTION_MARK)).encode("latin-1", "replace").translate(_LATIN)

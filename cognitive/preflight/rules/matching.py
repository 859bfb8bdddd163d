"""Compile tables of rules into linear-time automata, and fold texts to the form that rules are matched on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import re2

from cognitive.errors import PolicyError

# Memory limit per automaton. Automata grow while they match; with too little memory re2 reports "no match" on
# adversarial input.
_MEMORY_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, and the signal that a message gets, with a weight, if the pattern matches.

    The tests check that the pattern matches all of its examples and none of its counterexamples.
    """

    id: str
    signal: str
    pattern: str
    weight: float = 1.0
    examples: tuple[str, ...] = ()
    counterexamples: tuple[str, ...] = ()


class RuleTable:
    """Rules compiled together, so that one pass over a text finds all rules that match.

    With `whole`, a rule matches only if its pattern matches the entire text.
    """

    def __init__(self, rules: Iterable[Rule], *, whole: bool = False) -> None:
        self.rules = tuple(rules)
        self._whole = whole

    def fired(self, text: bytes) -> tuple[Rule, ...]:
        """Return the rules that match a text (as `fold` returns it, or in UTF-8), in the order of the table."""
        matched = self._set.Match(text) or ()
        if len(self.rules) not in matched:  # the last pattern matches every text: the automaton ran out of memory
            return tuple(rule for rule in self.rules if self._matches_alone(rule, text))
        return tuple(self.rules[index] for index in sorted(matched) if index < len(self.rules))

    @cached_property
    def _set(self) -> re2.Set:
        """The automaton, compiled when it is first needed, so that importing the rules is quick."""
        options = _options()
        automaton = re2.Set.FullMatchSet(options) if self._whole else re2.Set.SearchSet(options)
        for rule in self.rules:
            try:
                automaton.Add(rule.pattern)
            except re2.error:  # a set does not say why
                compile_pattern(rule.pattern, name=rule.id)
                raise
        automaton.Add(r"(?s).*" if self._whole else "")
        automaton.Compile()
        return automaton

    def _matches_alone(self, rule: Rule, text: bytes) -> bool:
        pattern = compile_pattern(rule.pattern, name=rule.id)
        return (pattern.fullmatch(text) if self._whole else pattern.search(text)) is not None


def compile_pattern(pattern: str, *, name: str, prefer_longest: bool = False) -> re2._Regexp:
    """Return the compiled pattern; with `prefer_longest`, it matches the longest alternative instead of the first.

    Raises:
        PolicyError: re2 rejects the pattern; the message has the name of the rule.
    """
    try:
        return re2.compile(pattern, _options(prefer_longest=prefer_longest))
    except re2.error as exc:
        raise PolicyError(f"rule {name!r}: not a linear-time regular expression: {pattern!r} ({exc})") from exc


def _options(*, prefer_longest: bool = False) -> re2.Options:
    options = re2.Options()
    options.max_mem = _MEMORY_BYTES
    options.log_errors = False
    options.longest_match = prefer_longest
    return options


_PLAIN = {
    "\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u2010": "-", "\u2011": "-",
    "\u2013": "-",
    "\u2014": "-", "\u2026": ".", "\uff1f": "?", "\u061f": "?", "\u3002": ".", "\uff0c": ",", "\uff01": "!",
    "\u2028": "\n",
}  # fmt: skip
_QUESTION_MARK = 0x7F  # placeholder of "?" during encoding, which replaces characters outside Latin-1 by "?"


def _latin_table() -> bytes:
    table = bytearray(range(256))
    table[ord("?")] = ord(" ")
    table[_QUESTION_MARK] = ord("?")
    for code in range(0x80, 0x100):
        table[code] = ord("x" if chr(code).isalnum() else " ")
    return bytes(table)


_LATIN = _latin_table()


def plain(text: str) -> str:
    """Return the text with each typographic quote, dash and full-width mark replaced by one ASCII character."""
    if not text.isascii():
        for fancy, twin in _PLAIN.items():
            text = text.replace(fancy, twin)
    return text


def fold(text: str) -> bytes:
    r"""Return a text as ASCII for matching, one byte per character, so that offsets are the same as in the text.

    re2's `\b` knows ASCII only: accented letters become "x", so that "pré-decidé" has no word boundary inside a word.
    Letters outside Latin-1 become blanks, since no English word continues in another script.
    """
    if text.isascii():
        return text.encode("ascii")
    return plain(text).replace("?", chr(_QUESTION_MARK)).encode("latin-1", "replace").translate(_LATIN)

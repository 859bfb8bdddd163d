"""Hold a tool and a catalog with all that is derived from them, each made when it is first asked for.

The words of many tools are kept as one text, so that a message's word is looked up in all of them at once.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json, to_json

from brain.text import as_lexeme, normalise, words
from cognitive.catalog.compaction import MINIMAL_STEPS, forms, stripped, total
from cognitive.turn import Tool

Holding = NDArray[np.bool_]  # shape (tools,)

_MAX_WORDS = 32  # of a message
_MIN_PREFIX = 4  # letters; what is shorter must be the whole word: "art" is not in "article"
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# By a table and not by an expression: a catalog of thousands is read when it first comes, within a turn. ASCII, by
# bytes: some ten times as fast.
_BLANKS = f"{string.punctuation}\t\r\n\v\f"
_SPACES = str.maketrans(dict.fromkeys(f"{_BLANKS}…–—·«»“”‘’„¿¡。、，！？：；（）「」『』", " "))
_ASCII_SPACES = bytes.maketrans(_BLANKS.encode(), b" " * len(_BLANKS))
_FURTHER = frozenset(Tool.model_fields) - {"name", "description", "parameters"}
_SHOUTED = ("intent_keywords", "accepts", "produces", "supersedes")  # fields that are as telling as the name
_MAX_DESCRIBED = 400  # characters that are embedded: beyond, the model would cut it off
_HEAD = 80  # characters of a description: most first sentences, and little to read where there are thousands
_BARE = len('{"name":"","description":"","parameters":{}}')
_MAX_KEPT = 4_096  # tools whose forms are kept, some 3 KB each; a host that makes its tools anew finds them by content


# --- words ---


def spaced(name: str) -> str:
    """A tool's name as the words that it is made of."""
    return _blanked(name if name.islower() else _HUMP.sub(" ", name))


class WordIndex:
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
        if not lexeme or len(found) == _MAX_WORDS:
            continue
        stem = _common_start(lexeme, word) or word
        if not word[0].isascii():
            found.append(stem)
        else:
            found.append(f" {stem}" if len(stem) >= _MIN_PREFIX else f" {word} ")
    return found


def _blanked(text: str) -> str:
    if text.isascii():
        return text.encode("ascii").translate(_ASCII_SPACES).decode("ascii")
    return text.translate(_SPACES)


def _common_start(one: str, other: str) -> str:
    """The letters in which two words begin alike: "happi", the stem, and "happy"."""
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:same]


# --- tools ---


class ToolVariants:
    """A tool as it is offered to a model."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool

    @property
    def name(self) -> str:
        """What the model calls it by."""
        return self.tool.name

    @cached_property
    def value(self) -> dict[str, Any]:
        """The tool as a dict; what is nested in it belongs to the host."""
        tool = self.tool
        # providers refuse an empty schema: a tool without parameters takes an object of none
        parameters = dict(tool.parameters) or {"type": "object", "properties": {}}
        value = {"name": tool.name, "description": tool.description, "parameters": parameters}
        if tool.model_fields_set.isdisjoint(_FURTHER):
            return value
        further = {name: getattr(tool, name) for name in sorted(_FURTHER & tool.model_fields_set)}
        return value | {name: given for name, given in further.items() if given}

    @cached_property
    def whole(self) -> bytes:
        """The tool as it is sent when nothing has to go."""
        return to_json(self.value)

    @cached_property
    def forms(self) -> tuple[bytes, ...]:
        """The tool whole, and after each step of compaction."""
        return _forms(self.whole)

    @cached_property
    def minimal(self) -> bytes:
        """The tool with the least that keeps it valid and different from others."""
        return _minimal(self.forms[-1])

    @property
    def stripped(self) -> bytes:
        """The tool with the least that keeps it valid, made at once and not by steps."""
        return min(to_json(stripped(from_json(self.whole))), self.whole, key=len)

    @property
    def min_bytes(self) -> int:
        """The size of the smallest form, in bytes."""
        return _BARE + len(self.tool.name)

    @property
    def text(self) -> str:
        """What is embedded: the name, in words, and what is said of it."""
        return f"{spaced(self.tool.name)}: {self.tool.description[:_MAX_DESCRIBED]}"


class ToolCatalog:
    """The tools that are offered in a turn, in the order given."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self.read = False  # once it was fitted: what that takes is known, and the next time is quick
        self.reading = False  # by a turn that may be over by now
        self.tools = tuple(tools)
        self.variants = tuple(ToolVariants(tool) for tool in tools)

    def __len__(self) -> int:
        return len(self.tools)

    @cached_property
    def bytes(self) -> int:
        """The size of all tools, whole."""
        return total([len(offered.whole) for offered in self.variants])

    @cached_property
    def min_bytes(self) -> int:
        """The bytes that all tools take in their smallest forms."""
        return total([offered.min_bytes for offered in self.variants])

    @property
    def heads(self) -> WordIndex:
        """The words of the names and of how the descriptions begin: for when there is no time. Made anew each time."""
        return WordIndex([f"{spaced(tool.name)} {tool.description[:_HEAD]}" for tool in self.tools])

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What is embedded of each."""
        return tuple(offered.text for offered in self.variants)

    @cached_property
    def names(self) -> WordIndex:
        """The words of the names, and of what is as telling."""
        return WordIndex([_named(tool) for tool in self.tools])

    @cached_property
    def words(self) -> WordIndex:
        """The words of the descriptions, and of the parameters' names."""
        return WordIndex([_said(tool) for tool in self.tools])


def _named(tool: Tool) -> str:
    said = f"{tool.name} {spaced(tool.name)}"
    if tool.model_fields_set.isdisjoint(_SHOUTED):
        return said
    return " ".join([said, *(word for field in _SHOUTED for word in getattr(tool, field))])


def _said(tool: Tool) -> str:
    properties = tool.parameters.get("properties")
    named = " ".join(map(str, properties)) if isinstance(properties, Mapping) else ""
    return f"{tool.description} {tool.typical_use} {named}"


@lru_cache(maxsize=_MAX_KEPT)
def _forms(whole: bytes) -> tuple[bytes, ...]:
    return forms(whole)


@lru_cache(maxsize=_MAX_KEPT)
def _minimal(compacted: bytes) -> bytes:
    return forms(compacted, MINIMAL_STEPS)[-1]

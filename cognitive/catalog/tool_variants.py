"""A tool and a list of tools with the values derived from them: shortened forms, sizes, texts and word indexes.

Each value is computed when it is first used. A word index joins the texts of all tools, so that one search finds a word
of the message in all of them.
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
from cognitive.tool import Tool

Holding = NDArray[np.bool_]  # shape (tools,)

_MAX_WORDS = 32  # words of a message that are searched
_MIN_PREFIX = 4  # letters of a prefix; a shorter one must be the whole word: "art" is not in "article"
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# A translation table is faster than a regular expression, and on ASCII bytes some ten times faster still: a new catalog
# of thousands of tools is indexed within a turn.
_BLANKS = f"{string.punctuation}\t\r\n\v\f"
_SPACES = str.maketrans(dict.fromkeys(f"{_BLANKS}…–—·«»“”‘’„¿¡。、，！？：；（）「」『』", " "))
_ASCII_SPACES = bytes.maketrans(_BLANKS.encode(), b" " * len(_BLANKS))
_FURTHER = frozenset(Tool.model_fields) - {"name", "description", "parameters", "category"}
_LIKE_NAMES = ("intent_keywords", "accepts", "produces", "supersedes")  # fields as informative as the name
_MAX_DESCRIPTION_CHARS = 400  # of a description that are embedded; the model would truncate a longer text
_HEAD = 80  # characters of a description in `heads`: most first sentences, and fast for thousands of tools
_BARE = len('{"name":"","description":"","parameters":{}}')
# Tools whose forms are cached, some 3 KB each. The key is the content, so that a host may create its tools per turn.
_MAX_CACHED = 4_096


# --- words ---


def spaced(name: str) -> str:
    """Return the words of a tool's name, separated by spaces ("readFile" gives "read File")."""
    return _blanked(name if name.islower() else _HUMP.sub(" ", name))


class WordIndex:
    """An index that finds the tools whose texts contain a word with a given beginning."""

    def __init__(self, texts: Sequence[str]) -> None:
        lines = [f" {_blanked(text.lower() if text.isascii() else normalise(text))} \n" for text in texts]
        self._text = "".join(lines)
        self._ends = list(accumulate(map(len, lines)))

    def holding(self, needle: str) -> Holding:
        """Return for each tool if its text contains the search string (see `needles`), shape (tools,)."""
        matches = np.zeros(len(self._ends), dtype=bool)
        at = self._text.find(needle)
        while at >= 0:
            n = bisect_right(self._ends, at)
            matches[n] = True
            at = self._text.find(needle, self._ends[n])
        return matches


def needles(message: str) -> list[str]:
    """Return the strings by which the words of a message are searched in a `WordIndex`, at most 32.

    The string for a word is a space and the stem: the beginning that all forms of the word share. In non-ASCII scripts,
    which may have no spaces, the string is the stem alone, and it is found anywhere in the text.
    """
    strings = list[str]()
    for word in dict.fromkeys(words(message)):
        lexeme = as_lexeme(word)
        if not lexeme or len(strings) == _MAX_WORDS:
            continue
        stem = _common_start(lexeme, word) or word
        if not word[0].isascii():
            strings.append(stem)
        else:
            strings.append(f" {stem}" if len(stem) >= _MIN_PREFIX else f" {word} ")
    return strings


def _blanked(text: str) -> str:
    if text.isascii():
        return text.encode("ascii").translate(_ASCII_SPACES).decode("ascii")
    return text.translate(_SPACES)


def _common_start(one: str, other: str) -> str:
    """Return the longest common prefix of two words, for example "happ" for the stem "happi" and the word "happy"."""
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:same]


# --- tools ---


class ToolVariants:
    """A tool with the forms, from whole to very short, in which it can be sent to a model, as JSON in UTF-8."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool

    @property
    def name(self) -> str:
        """The name by which the model calls the tool."""
        return self.tool.name

    @cached_property
    def value(self) -> dict[str, Any]:
        """The tool as a dict; nested values are shared with the host and must not be modified."""
        tool = self.tool
        # Providers reject an empty schema: a tool without parameters gets a schema of an object without properties.
        parameters = dict(tool.parameters) or {"type": "object", "properties": {}}
        value = {"name": tool.name, "description": tool.description, "parameters": parameters}
        if tool.model_fields_set.isdisjoint(_FURTHER):
            return value
        further = {name: getattr(tool, name) for name in sorted(_FURTHER & tool.model_fields_set)}
        return value | {name: field for name, field in further.items() if field}

    @cached_property
    def whole(self) -> bytes:
        """The whole tool as JSON, uncompacted."""
        return to_json(self.value)

    @cached_property
    def forms(self) -> tuple[bytes, ...]:
        """The tool as JSON: whole, and after each step of compaction."""
        return _forms(self.whole)

    @cached_property
    def minimal(self) -> bytes:
        """The tool as JSON after all steps of compaction, with required parameters and a few words of description."""
        return _minimal(self.forms[-1])

    @property
    def stripped(self) -> bytes:
        """The tool as JSON with required parameters and a few words of description, computed faster than `minimal`."""
        return min(to_json(stripped(from_json(self.whole))), self.whole, key=len)

    @property
    def min_bytes(self) -> int:
        """A lower bound of the size of any form of the tool, in bytes."""
        return _BARE + len(self.tool.name)

    @property
    def text(self) -> str:
        """The text by which the tool is embedded: the words of its name, and the beginning of its description."""
        return f"{spaced(self.tool.name)}: {self.tool.description[:_MAX_DESCRIPTION_CHARS]}"


class ToolCatalog:
    """The tools that are offered in a turn, in the host's order, with values derived from them."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self.read = False  # fitted once: the derived values are cached, and the next fit is fast
        self.reading = False  # being fitted, possibly for a turn that has ended
        self.tools = tuple(tools)
        self.variants = tuple(ToolVariants(tool) for tool in tools)

    def __len__(self) -> int:
        return len(self.tools)

    @cached_property
    def bytes(self) -> int:
        """The size of all whole tools, in bytes."""
        return total([len(offered.whole) for offered in self.variants])

    @cached_property
    def min_bytes(self) -> int:
        """A lower bound of the size of all tools in any form, in bytes."""
        return total([offered.min_bytes for offered in self.variants])

    @property
    def heads(self) -> WordIndex:
        """An index of the words in names and in the first 80 characters of descriptions.

        It is built quickly, for turns whose deadline has passed, and not cached.
        """
        return WordIndex([f"{spaced(tool.name)} {tool.description[:_HEAD]}" for tool in self.tools])

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts by which the tools are embedded, one for each tool."""
        return tuple(offered.text for offered in self.variants)

    @cached_property
    def names(self) -> WordIndex:
        """An index of the words in the names, and in other fields that are as informative."""
        return WordIndex([_name_text(tool) for tool in self.tools])

    @cached_property
    def words(self) -> WordIndex:
        """An index of the words in the descriptions and in the names of the parameters."""
        return WordIndex([_description_text(tool) for tool in self.tools])


def _name_text(tool: Tool) -> str:
    names = f"{tool.name} {spaced(tool.name)}"
    if tool.model_fields_set.isdisjoint(_LIKE_NAMES):
        return names
    return " ".join([names, *(word for field in _LIKE_NAMES for word in getattr(tool, field))])


def _description_text(tool: Tool) -> str:
    properties = tool.parameters.get("properties")
    parameters = " ".join(map(str, properties)) if isinstance(properties, Mapping) else ""
    return f"{tool.description} {tool.typical_use} {parameters}"


@lru_cache(maxsize=_MAX_CACHED)
def _forms(whole: bytes) -> tuple[bytes, ...]:
    return forms(whole)


@lru_cache(maxsize=_MAX_CACHED)
def _minimal(compacted: bytes) -> bytes:
    return forms(compacted, MINIMAL_STEPS)[-1]

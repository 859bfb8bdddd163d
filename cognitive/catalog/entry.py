"""A tool of a catalogue, and a catalogue, with all that is derived from them, each made when it is first asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from pydantic_core import from_json, to_json

from cognitive.catalog.compact import SPARE_STEPS, bare, forms, total
from cognitive.catalog.words import Words, spaced
from cognitive.turn import Tool

_FURTHER = frozenset(Tool.model_fields) - {"name", "description", "parameters"}
_SHOUTED = ("intent_keywords", "accepts", "produces", "supersedes")  # fields that are as telling as the name
_MOST_DESCRIBED = 400  # characters that are embedded: beyond, the model would cut it off
_HEAD = 80  # characters of a description: most first sentences, and little to read where there are thousands
_BARE = len('{"name":"","description":"","parameters":{}}')
_MOST_KEPT = 4_096  # tools whose forms are kept, some 3 KB each; a host that makes its tools anew finds them by content


class Offered:
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
    def spare(self) -> bytes:
        """The tool with the least that keeps it valid and different from others."""
        return _spare(self.forms[-1])

    @property
    def bare(self) -> bytes:
        """The tool with the least that keeps it valid, made at once and not by steps."""
        return min(to_json(bare(from_json(self.whole))), self.whole, key=len)

    @property
    def least(self) -> int:
        """The size of the smallest form, in bytes."""
        return _BARE + len(self.tool.name)

    @property
    def text(self) -> str:
        """What is embedded: the name, in words, and what is said of it."""
        return f"{spaced(self.tool.name)}: {self.tool.description[:_MOST_DESCRIBED]}"


class Catalogue:
    """The tools that are offered in a turn, in the order given."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self.read = False  # once it was fitted: what that takes is known, and the next time is quick
        self.reading = False  # by a turn that may be over by now
        self.tools = tuple(tools)
        self.offered = tuple(Offered(tool) for tool in tools)

    def __len__(self) -> int:
        return len(self.tools)

    @cached_property
    def bytes(self) -> int:
        """The size of all tools, whole."""
        return total([len(offered.whole) for offered in self.offered])

    @cached_property
    def least(self) -> int:
        """The bytes that all tools take in their smallest forms."""
        return total([offered.least for offered in self.offered])

    @property
    def heads(self) -> Words:
        """The words of the names and of how the descriptions begin: for when there is no time. Made anew each time."""
        return Words([f"{spaced(tool.name)} {tool.description[:_HEAD]}" for tool in self.tools])

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What is embedded of each."""
        return tuple(offered.text for offered in self.offered)

    @cached_property
    def names(self) -> Words:
        """The words of the names, and of what is as telling."""
        return Words([_named(tool) for tool in self.tools])

    @cached_property
    def words(self) -> Words:
        """The words of the descriptions, and of the parameters' names."""
        return Words([_said(tool) for tool in self.tools])


def _named(tool: Tool) -> str:
    said = f"{tool.name} {spaced(tool.name)}"
    if tool.model_fields_set.isdisjoint(_SHOUTED):
        return said
    return " ".join([said, *(word for field in _SHOUTED for word in getattr(tool, field))])


def _said(tool: Tool) -> str:
    properties = tool.parameters.get("properties")
    named = " ".join(map(str, properties)) if isinstance(properties, Mapping) else ""
    return f"{tool.description} {tool.typical_use} {named}"


@lru_cache(maxsize=_MOST_KEPT)
def _forms(whole: bytes) -> tuple[bytes, ...]:
    return forms(whole)


@lru_cache(maxsize=_MOST_KEPT)
def _spare(compacted: bytes) -> bytes:
    return forms(compacted, SPARE_STEPS)[-1]

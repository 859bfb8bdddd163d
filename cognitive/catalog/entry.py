"""A tool of a catalogue with all that is derived from it, each made once: its forms as it is sent, its words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from pydantic_core import to_json

from brain.text import normalise
from cognitive.catalog.compact import SPARE_STEPS, Entry, forms
from cognitive.turn import Tool

_FURTHER = tuple(name for name in Tool.model_fields if name not in ("name", "description", "parameters"))
_SHOUTED = ("intent_keywords", "accepts", "produces", "supersedes")  # fields that are as telling as the name
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BETWEEN = re.compile(r"[\W_]+")
_MOST_DESCRIBED = 400  # characters that are embedded: beyond, the model would cut it off
_BARE = len('{"name":"","description":"","parameters":{}}')


class Offered:
    """A tool as it is offered to a model; immutable, what is derived from it is made when it is first asked for."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool

    @property
    def name(self) -> str:
        """What the model calls it by."""
        return self.tool.name

    @cached_property
    def value(self) -> Entry:
        """The tool as a dict; what is nested in it belongs to the host."""
        tool = self.tool
        more = {name: value for name in _FURTHER if (value := getattr(tool, name))}
        # providers refuse an empty schema: a tool without parameters takes an object of none
        parameters = dict(tool.parameters) or {"type": "object", "properties": {}}
        return {"name": tool.name, "description": tool.description, "parameters": parameters, **more}

    @cached_property
    def whole(self) -> bytes:
        """As it is sent where nothing has to go."""
        return to_json(self.value)

    @cached_property
    def forms(self) -> tuple[bytes, ...]:
        """Whole, and after each step of compaction."""
        return forms(self.whole)

    @cached_property
    def spare(self) -> bytes:
        """With the least that still is a valid tool and can be told from others."""
        return forms(self.forms[-1], SPARE_STEPS)[-1]

    @property
    def least(self) -> int:
        """Bytes below which no form of it is."""
        return _BARE + len(self.name)

    @cached_property
    def text(self) -> str:
        """What is embedded: the name, in words, and what is said of it."""
        return f"{_spaced(self.name)}: {self.tool.description[:_MOST_DESCRIBED]}"

    @cached_property
    def names(self) -> str:
        """The words of the name and of what is as telling, as they are compared with a message: " like this "."""
        said = [self.name, _spaced(self.name), *(word for field in _SHOUTED for word in getattr(self.tool, field))]
        return _words(" ".join(said))

    @cached_property
    def words(self) -> str:
        """The words of its description and of its parameters' names."""
        properties = self.tool.parameters.get("properties")
        named = " ".join(map(str, properties)) if isinstance(properties, Mapping) else ""
        return _words(f"{self.tool.description} {self.tool.typical_use} {named}")


def _spaced(name: str) -> str:
    return _HUMP.sub(" ", _BETWEEN.sub(" ", name))


def _words(text: str) -> str:
    return f" {_BETWEEN.sub(' ', normalise(text))} "

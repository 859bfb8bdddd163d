"""Compaction: every tool is made shorter by the same steps in the same order, until the catalogue fits.

The steps are the seed's, and those that a JSON schema adds. They do not look at the message, so the same tools under
the same budget are the same bytes in every turn. Name, id and supersedes are never trimmed; a step that would not make
a tool smaller is not taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json, to_json  # compact separators, UTF-8: the bytes that are sent

from brain.text import sentences
from cognitive.catalog import schema

Entry = dict[str, Any]  # a tool, skill, pack or pipeline, as JSON is read: dicts and lists

_ENDS = ".!?…。！？\n"
_LEAST_SENTENCE = 25  # characters; "Searches e.g." is no sentence
SPARE_DESCRIPTION = 16  # characters: two words or three, by which a name that says nothing is still told from others


@dataclass(frozen=True, slots=True)
class Step:
    """A way to say less: what goes, in words, and the function that leaves it out without changing what it is given.

    A tool without any of the keys `of` is left as it is.
    """

    drops: str
    apply: Callable[[Entry], Entry]
    of: tuple[str, ...]

    def concerns(self, written: bytes) -> bool:
        """Whether an entry, as it is written, has any of the keys."""
        return any(f'"{key}":'.encode() in written for key in self.of)


def first_sentence(text: str) -> str:
    """The first sentence, or so many that they say something."""
    if not any(mark in text[_LEAST_SENTENCE - 1 : -1] for mark in _ENDS):
        return text
    said = ""
    for sentence in sentences(text):
        said = f"{said} {sentence}".lstrip()
        if len(said) >= _LEAST_SENTENCE:
            break
    return said


def few_words(text: str) -> str:
    """So many words as stand in `SPARE_DESCRIPTION` characters, with a sign that there were more."""
    if len(text) <= SPARE_DESCRIPTION:
        return text
    head = text[:SPARE_DESCRIPTION]
    whole_words = head if text[SPARE_DESCRIPTION].isspace() else head.rpartition(" ")[0]
    return f"{(whole_words or head).rstrip(' ,.;:')}…"


def _without(field: str) -> Callable[[Entry], Entry]:
    def apply(entry: Entry) -> Entry:
        return {key: value for key, value in entry.items() if key != field} if field in entry else entry

    return apply


def _with(field: str, change: Callable[[Any], Any]) -> Callable[[Entry], Entry]:
    def apply(entry: Entry) -> Entry:
        return {**entry, field: change(entry[field])} if field in entry else entry

    return apply


def _text(change: Callable[[str], str]) -> Callable[[Any], Any]:
    return lambda value: change(value) if isinstance(value, str) else value


def _counted(steps: Any) -> Any:
    """The steps of a pipeline without their bodies: how many, and their names."""
    if not isinstance(steps, list):
        return steps
    names = [step.get("name", step.get("id")) for step in steps if isinstance(step, dict)]
    return {"count": len(steps), "names": [name for name in names if isinstance(name, str)]}


def _field_names(entry: Entry) -> Entry:
    return _with("outputs", schema.field_names)(_with("inputs", schema.field_names)(entry))


STEPS: tuple[Step, ...] = (
    Step("intent keywords", _without("intent_keywords"), ("intent_keywords",)),
    Step("typical use", _without("typical_use"), ("typical_use",)),
    Step("limitations", _without("limitations"), ("limitations",)),
    Step("bodies of pipeline steps", _with("steps", _counted), ("steps",)),
    Step("schemas of inputs and outputs", _field_names, ("inputs", "outputs")),
    Step(
        "examples in parameters",
        _with("parameters", schema.without_keywords("examples", "example", "$comment")),
        ("examples", "example", "$comment"),
    ),
    Step("titles in parameters", _with("parameters", schema.without_keywords("title")), ("title",)),
    Step(
        "descriptions within parameters",
        _with("parameters", schema.without_nested_descriptions),
        ("description",),
    ),
    Step("descriptions beyond the first sentence", _with("description", _text(first_sentence)), ("description",)),
    Step(
        "descriptions of parameters beyond the first sentence",
        _with("parameters", schema.with_descriptions(first_sentence)),
        ("description",),
    ),
    Step("descriptions of parameters", _with("parameters", schema.without_keywords("description")), ("description",)),
    Step(
        "optional fields within parameters",
        _with("parameters", schema.without_optional_depth),
        ("properties",),
    ),
)
# What a tool of lesser relevance loses beyond that, where all steps for all tools do not suffice.
SPARE_STEPS: tuple[Step, ...] = (
    Step("optional parameters", _with("parameters", schema.without_optional), ("properties",)),
    Step("descriptions beyond a few words", _with("description", _text(few_words)), ("description",)),
)


_KEPT = ("name", "id", "supersedes")
_unsaid = schema.without_keywords("description", "title", "examples", "example", "$comment")


def bare(entry: Entry) -> Entry:
    """A tool with a few words, the parameters that must be given, and what is never trimmed."""
    said = {"description": few_words(entry["description"]), "parameters": entry["parameters"]}
    kept = {key: entry[key] for key in _KEPT if key in entry} | said
    return {**kept, "parameters": schema.without_optional(_unsaid(entry["parameters"]))}


def forms(written: bytes, steps: Sequence[Step] = STEPS) -> tuple[bytes, ...]:
    """An entry as it is sent, whole, and after each of the steps: never larger than the one before."""
    entry, made = from_json(written), [written]
    for step in steps:
        smaller = step.apply(entry) if step.concerns(made[-1]) else entry
        form = to_json(smaller) if smaller is not entry else made[-1]
        if len(form) < len(made[-1]):
            entry = smaller
            made.append(form)
        else:
            made.append(made[-1])
    return tuple(made)


def total(sizes: Sequence[int]) -> int:
    """The bytes of a JSON array of items of these sizes."""
    return sum(sizes) + max(2, len(sizes) + 1)


@dataclass(frozen=True, slots=True)
class Compacted:
    """How many steps were taken on every entry, what they dropped, and the bytes that are left."""

    level: int
    bytes: int
    dropped: tuple[str, ...]

    def fits(self, limit: int) -> bool:
        """Whether what is left is within so many bytes."""
        return self.bytes <= limit


def compact(catalogue: Sequence[Sequence[bytes]], limit: int) -> Compacted:
    """As few steps as bring the forms of all entries within so many bytes; all of them if none suffices."""
    sizes = [total([len(each[level]) for each in catalogue]) for level in range(len(STEPS) + 1)]
    level = next((level for level, size in enumerate(sizes) if size <= limit), len(STEPS))
    dropped = [step.drops for n, step in enumerate(STEPS[:level]) if sizes[n + 1] < sizes[n]]
    return Compacted(level, sizes[level], tuple(dropped))

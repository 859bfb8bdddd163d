"""Shorten the definitions of tools, all by the same steps in the same order, until they fit a size in bytes.

The steps do not depend on the message, so the same tools with the same budget give the same bytes in every turn. Name,
id and supersedes are never trimmed. A step that would not make a tool smaller is skipped.

Schemas become smaller but never invalid: annotations are removed, constraints are kept. A property that happens to be
called "title" is not mistaken for the annotation "title". Names in `required`, enumerations, types, constants and
targets of references are never changed. No function modifies its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json, to_json  # compact separators, UTF-8: the bytes that are sent

from brain.text import sentences

Schema = dict[str, Any]
Change = Callable[[dict[str, Any], int], dict[str, Any]]  # (schema, levels of properties above it) -> new schema

_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"})
_PROPERTIES = frozenset({"properties", "patternProperties"})
_DEFINITIONS = ("$defs", "definitions")
_LISTED = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLE = frozenset(
    """items additionalItems additionalProperties contains propertyNames unevaluatedItems unevaluatedProperties
    contentSchema not if then else""".split()
)
_ALL = _NAMED | _LISTED | _SINGLE
# Keywords below which optional properties may be removed. Under `not` or in a branch of `oneOf`, removing a property
# would change which values are valid.
_STRUCTURE = frozenset({"properties", "items", "additionalProperties", *_DEFINITIONS})
# Keywords that relate properties of an object to each other, so that none can be removed alone.
_TIES = frozenset(
    """allOf anyOf oneOf not if then else dependentRequired dependentSchemas dependencies patternProperties
    minProperties unevaluatedProperties discriminator""".split()
)
_OTHER_REFERENCES = frozenset({"$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef"})

ToolEntry = dict[str, Any]  # a tool, skill, pack or pipeline as parsed JSON

_ENDS = ".!?…。！？\n"
_MIN_SENTENCE = 25  # characters; "Searches e.g." is not a sentence
MINIMAL_DESCRIPTION = 16  # characters: two or three words, which distinguish tools with uninformative names


# --- JSON schemas ---


def mapped(schema: Any, change: Change, into: frozenset[str] = _ALL, depth: int = 0) -> Any:
    """Return a copy of a JSON schema with `change` applied to it and its subschemas, innermost first.

    `into` has the keywords whose subschemas are changed, `depth` the number of levels of properties above the schema.
    """
    if not isinstance(schema, dict):
        return schema
    return change({key: _below(key, value, change, into, depth) for key, value in schema.items()}, depth)


def _below(key: str, value: Any, change: Change, into: frozenset[str], depth: int) -> Any:
    if key not in into:
        return value
    deeper = depth + (key in _PROPERTIES or key in _DEFINITIONS)
    if key in _NAMED and isinstance(value, dict):
        return {name: mapped(each, change, into, deeper) for name, each in value.items()}
    if key in _LISTED | _SINGLE and isinstance(value, list):
        return [mapped(each, change, into, deeper) for each in value]
    return mapped(value, change, into, deeper) if key in _SINGLE else value


def without_keywords(*names: str) -> Callable[[Schema], Any]:
    """Return a function that removes the named annotations from a JSON schema and all its subschemas."""
    removed = frozenset(names)
    return lambda schema: mapped(schema, lambda each, _: {key: each[key] for key in each if key not in removed})


def without_nested_descriptions(schema: Schema) -> Any:
    """Return a tool's schema with descriptions of its parameters only, not of the whole or of nested fields."""

    def change(each: dict[str, Any], depth: int) -> dict[str, Any]:
        return each if depth == 1 else {key: value for key, value in each.items() if key != "description"}

    return mapped(schema, change)


def with_descriptions(shorten: Callable[[str], str]) -> Callable[[Schema], Any]:
    """Return a function that applies `shorten` to every description in a JSON schema."""

    def change(each: dict[str, Any], _: int) -> dict[str, Any]:
        description = each.get("description")
        return {**each, "description": shorten(description)} if isinstance(description, str) else each

    return lambda schema: mapped(schema, change)


def without_optional_depth(schema: Schema) -> Any:
    """Return a tool's schema with all parameters, but without the optional fields of objects inside them."""
    return _required_only(schema, 1)


def without_optional(schema: Schema) -> Any:
    """Return a tool's schema without optional parameters, and without optional fields inside required parameters."""
    return _required_only(schema, 0)


def field_names(schema: Any) -> Any:
    """Return the names of the properties of a JSON schema, in order, or the schema itself if it has none."""
    if not isinstance(schema, dict):
        return schema
    properties = schema.get("properties", schema)
    return list(properties) if isinstance(properties, dict) else schema


def _required_only(schema: Schema, min_depth: int) -> Any:
    if not all(_names_a_definition(reference) for reference in _references(schema)):
        return schema

    def change(each: dict[str, Any], depth: int) -> dict[str, Any]:
        properties = each.get("properties")
        if depth < min_depth or not isinstance(properties, dict) or _TIES & each.keys():
            return each
        required = each.get("required", ())
        kept = {name: value for name, value in properties.items() if name in required or _is_constant(value)}
        return {**each, "properties": kept}

    return _without_unused(mapped(schema, change, _STRUCTURE))


def _is_constant(schema: Any) -> bool:
    """Return True if a property has a constant value, which distinguishes the branches of a union."""
    return isinstance(schema, dict) and "const" in schema


def _without_unused(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a JSON schema without the definitions that nothing in it refers to."""
    definitions = {place: schema[place] for place in _DEFINITIONS if isinstance(schema.get(place), dict)}
    pending = _references({key: value for key, value in schema.items() if key not in definitions})
    used = set[str]()
    while pending:
        reference = pending.pop()
        if reference not in used:
            used.add(reference)
            _, place, name = _parts(reference)
            pending += _references(definitions.get(place, {}).get(name))
    kept = {
        place: {
            name: each
            for name, each in definitions[place].items()
            if any(_parts(use)[1:] == (place, name) for use in used)
        }
        for place in definitions
    }
    return {key: kept.get(key, value) for key, value in schema.items() if kept.get(key, True)}


def _references(value: Any) -> list[str]:
    """Return the targets of all references in a JSON schema, and the names of its unsupported reference keywords."""
    references, pending = list[str](), [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            pending += each.values()
            if "$ref" in each and isinstance(each["$ref"], str):
                references.append(each["$ref"])
            references += [key for key in _OTHER_REFERENCES & each.keys() if isinstance(each[key], str)]
        elif isinstance(each, list):
            pending += each
    return references


def _names_a_definition(reference: str) -> bool:
    """Return True if a reference has the form "#/$defs/Name", whose target is never an optional field."""
    root, place, name = _parts(reference)
    return (root, reference.count("/")) == ("#", 2) and place in _DEFINITIONS and not {"~", "%"} & set(name)


def _parts(reference: str) -> tuple[str, str, str]:
    root, _, rest = reference.partition("/")
    place, _, name = rest.partition("/")
    return root, place, name


# --- steps ---


@dataclass(frozen=True, slots=True)
class CompactionStep:
    """A step that makes the definition of a tool smaller.

    `of` names the keys that the step removes or shortens, and `drops` describes them for the reader. `apply` returns a
    smaller definition, or the same definition if it has none of these keys.
    """

    drops: str
    apply: Callable[[ToolEntry], ToolEntry]
    of: tuple[str, ...]

    def concerns(self, written: bytes) -> bool:
        """Return True if a tool's definition, written as JSON, has a key that the step changes."""
        return any(f'"{key}":'.encode() in written for key in self.of)


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, or the first sentences that together have at least 25 characters."""
    if not any(mark in text[_MIN_SENTENCE - 1 : -1] for mark in _ENDS):
        return text
    head = ""
    for sentence in sentences(text):
        head = f"{head} {sentence}".lstrip()
        if len(head) >= _MIN_SENTENCE:
            break
    return head


def few_words(text: str) -> str:
    """Return the whole words in the first `MINIMAL_DESCRIPTION` characters, with an ellipsis if the text is longer."""
    if len(text) <= MINIMAL_DESCRIPTION:
        return text
    head = text[:MINIMAL_DESCRIPTION]
    whole_words = head if text[MINIMAL_DESCRIPTION].isspace() else head.rpartition(" ")[0]
    return f"{(whole_words or head).rstrip(' ,.;:')}…"


def _without(field: str) -> Callable[[ToolEntry], ToolEntry]:
    def apply(entry: ToolEntry) -> ToolEntry:
        return {key: value for key, value in entry.items() if key != field} if field in entry else entry

    return apply


def _with(field: str, change: Callable[[Any], Any]) -> Callable[[ToolEntry], ToolEntry]:
    def apply(entry: ToolEntry) -> ToolEntry:
        return {**entry, field: change(entry[field])} if field in entry else entry

    return apply


def _text(change: Callable[[str], str]) -> Callable[[Any], Any]:
    return lambda value: change(value) if isinstance(value, str) else value


def _counted(steps: Any) -> Any:
    """Return the number and the names of a pipeline's `steps`, without their bodies."""
    if not isinstance(steps, list):
        return steps
    names = [step.get("name", step.get("id")) for step in steps if isinstance(step, dict)]
    return {"count": len(steps), "names": [name for name in names if isinstance(name, str)]}


def _field_names(entry: ToolEntry) -> ToolEntry:
    return _with("outputs", field_names)(_with("inputs", field_names)(entry))


STEPS: tuple[CompactionStep, ...] = (
    CompactionStep("intent keywords", _without("intent_keywords"), ("intent_keywords",)),
    CompactionStep("typical use", _without("typical_use"), ("typical_use",)),
    CompactionStep("limitations", _without("limitations"), ("limitations",)),
    CompactionStep("bodies of pipeline steps", _with("steps", _counted), ("steps",)),
    CompactionStep("schemas of inputs and outputs", _field_names, ("inputs", "outputs")),
    CompactionStep(
        "examples in parameters",
        _with("parameters", without_keywords("examples", "example", "$comment")),
        ("examples", "example", "$comment"),
    ),
    CompactionStep("schema versions of parameters", _with("parameters", without_keywords("$schema")), ("$schema",)),
    CompactionStep("titles in parameters", _with("parameters", without_keywords("title")), ("title",)),
    CompactionStep(
        "descriptions within parameters",
        _with("parameters", without_nested_descriptions),
        ("description",),
    ),
    CompactionStep(
        "descriptions beyond the first sentence", _with("description", _text(first_sentence)), ("description",)
    ),
    CompactionStep(
        "descriptions of parameters beyond the first sentence",
        _with("parameters", with_descriptions(first_sentence)),
        ("description",),
    ),
    CompactionStep(
        "descriptions of parameters", _with("parameters", without_keywords("description")), ("description",)
    ),
    CompactionStep(
        "optional fields within parameters",
        _with("parameters", without_optional_depth),
        ("properties",),
    ),
)
# Further steps for the less relevant tools, if a catalog does not fit after `STEPS`.
MINIMAL_STEPS: tuple[CompactionStep, ...] = (
    CompactionStep("optional parameters", _with("parameters", without_optional), ("properties",)),
    CompactionStep("descriptions beyond a few words", _with("description", _text(few_words)), ("description",)),
)


_NEVER_TRIMMED = ("name", "id", "supersedes")
_without_annotations = without_keywords("description", "title", "examples", "example", "$comment", "$schema")


def stripped(entry: ToolEntry) -> ToolEntry:
    """Return a tool with a few words of description, its required parameters, and the fields that are never trimmed."""
    described = {"description": few_words(entry["description"]), "parameters": entry["parameters"]}
    kept = {key: entry[key] for key in _NEVER_TRIMMED if key in entry} | described
    return {**kept, "parameters": without_optional(_without_annotations(entry["parameters"]))}


def forms(written: bytes, steps: Sequence[CompactionStep] = STEPS) -> tuple[bytes, ...]:
    """Return a tool's JSON whole and after each compaction step; each form is at most as large as the one before."""
    entry, results = from_json(written), [written]
    for step in steps:
        smaller = step.apply(entry) if step.concerns(results[-1]) else entry
        form = to_json(smaller) if smaller is not entry else results[-1]
        if len(form) < len(results[-1]):
            entry = smaller
            results.append(form)
        else:
            results.append(results[-1])
    return tuple(results)


def total(sizes: Sequence[int]) -> int:
    """Return the size in bytes of a JSON array, from the sizes of its items."""
    return sum(sizes) + max(2, len(sizes) + 1)


@dataclass(frozen=True, slots=True)
class CompactionResult:
    """The result of shortening all tools: the number of steps applied, the bytes that remain, and what was dropped."""

    level: int
    bytes: int
    dropped: tuple[str, ...]

    def fits(self, limit: int) -> bool:
        """Return True if the remaining bytes are at most `limit`."""
        return self.bytes <= limit


def compact(catalog: Sequence[Sequence[bytes]], limit: int) -> CompactionResult:
    """Find the fewest compaction steps after which all tools together fit in `limit` bytes.

    If no number of steps is enough, all are applied. `catalog` has the `forms` of each tool: whole and after each step.
    """
    sizes = [total([len(each[level]) for each in catalog]) for level in range(len(STEPS) + 1)]
    level = next((level for level, size in enumerate(sizes) if size <= limit), len(STEPS))
    dropped = [step.drops for n, step in enumerate(STEPS[:level]) if sizes[n + 1] < sizes[n]]
    return CompactionResult(level, sizes[level], tuple(dropped))

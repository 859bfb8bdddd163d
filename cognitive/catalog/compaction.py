"""Compact tools: every one is made shorter by the same steps in the same order, until the catalog fits.

The steps are the seed's, and those that a JSON schema adds. They do not look at the message, so the same tools under
the same budget are the same bytes in every turn. Name, id and supersedes are never trimmed; a step that would not make
a tool smaller is not taken.

Schemas are made smaller and never invalid: annotations go, constraints stay. Keywords are taken for keywords only where
a schema stands: a property that is called "title" is no title. Names in `required`, enumerations, types, constants and
the targets of references are never touched. Schemas are JSON as it is read; what is given is not changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json, to_json  # compact separators, UTF-8: the bytes that are sent

from brain.text import sentences

Schema = dict[str, Any]
Change = Callable[[dict[str, Any], int], dict[str, Any]]  # of a schema, and how many levels of properties are above it

_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"})
_PROPERTIES = frozenset({"properties", "patternProperties"})
_DEFINITIONS = ("$defs", "definitions")
_LISTED = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLE = frozenset(
    """items additionalItems additionalProperties contains propertyNames unevaluatedItems unevaluatedProperties
    contentSchema not if then else""".split()
)
_ALL = _NAMED | _LISTED | _SINGLE
# Under `not` or in a branch of `oneOf`, leaving out a property would change what is allowed, and not only say less.
_STRUCTURE = frozenset({"properties", "items", "additionalProperties", *_DEFINITIONS})
# What ties properties of an object to each other: none of them can go alone.
_TIES = frozenset(
    """allOf anyOf oneOf not if then else dependentRequired dependentSchemas dependencies patternProperties
    minProperties unevaluatedProperties discriminator""".split()
)
_OTHER_REFERENCES = frozenset({"$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef"})

ToolEntry = dict[str, Any]  # a tool, skill, pack or pipeline, as JSON is read: dicts and lists

_ENDS = ".!?…。！？\n"
_MIN_SENTENCE = 25  # characters; "Searches e.g." is no sentence
MINIMAL_DESCRIPTION = 16  # characters: two words or three, by which a name that says nothing is still told from others


# --- JSON schemas ---


def mapped(schema: Any, change: Change, into: frozenset[str] = _ALL, depth: int = 0) -> Any:
    """A new schema, changed at every place where a schema stands below these keywords, the innermost first."""
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
    """Leaves out annotations, wherever they stand."""
    gone = frozenset(names)
    return lambda schema: mapped(schema, lambda each, _: {key: each[key] for key in each if key not in gone})


def without_nested_descriptions(schema: Schema) -> Any:
    """Keeps the descriptions of the parameters themselves, and of nothing that is within them or around them."""

    def change(each: dict[str, Any], depth: int) -> dict[str, Any]:
        return each if depth == 1 else {key: value for key, value in each.items() if key != "description"}

    return mapped(schema, change)


def with_descriptions(shorten: Callable[[str], str]) -> Callable[[Schema], Any]:
    """Shortens what is said of every parameter."""

    def change(each: dict[str, Any], _: int) -> dict[str, Any]:
        said = each.get("description")
        return {**each, "description": shorten(said)} if isinstance(said, str) else each

    return lambda schema: mapped(schema, change)


def without_optional_depth(schema: Schema) -> Any:
    """Leaves out the optional fields of objects within parameters; the parameters themselves stay."""
    return _required_only(schema, 1)


def without_optional(schema: Schema) -> Any:
    """Leaves out optional parameters, and the optional fields of the others."""
    return _required_only(schema, 0)


def field_names(schema: Any) -> Any:
    """The names of a schema's properties in their order, instead of it."""
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
    """A tag by which the branches of a union are told apart, though mostly optional."""
    return isinstance(schema, dict) and "const" in schema


def _without_unused(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without definitions that nothing refers to any longer."""
    held = {place: schema[place] for place in _DEFINITIONS if isinstance(schema.get(place), dict)}
    waiting = _references({key: value for key, value in schema.items() if key not in held})
    used = set[str]()
    while waiting:
        reference = waiting.pop()
        if reference not in used:
            used.add(reference)
            _, place, name = _parts(reference)
            waiting += _references(held.get(place, {}).get(name))
    kept = {
        place: {
            name: each for name, each in held[place].items() if any(_parts(use)[1:] == (place, name) for use in used)
        }
        for place in held
    }
    return {key: kept.get(key, value) for key, value in schema.items() if kept.get(key, True)}


def _references(value: Any) -> list[str]:
    """All that a schema refers to, and the means of referring that are not understood here, as they are named."""
    found, waiting = list[str](), [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting += each.values()
            if "$ref" in each and isinstance(each["$ref"], str):
                found.append(each["$ref"])
            found += [key for key in _OTHER_REFERENCES & each.keys() if isinstance(each[key], str)]
        elif isinstance(each, list):
            waiting += each
    return found


def _names_a_definition(reference: str) -> bool:
    """The form that generators write, "#/$defs/Name": what it points at stays where it is."""
    root, place, name = _parts(reference)
    return (root, reference.count("/")) == ("#", 2) and place in _DEFINITIONS and not {"~", "%"} & set(name)


def _parts(reference: str) -> tuple[str, str, str]:
    root, _, rest = reference.partition("/")
    place, _, name = rest.partition("/")
    return root, place, name


# --- steps ---


@dataclass(frozen=True, slots=True)
class CompactionStep:
    """A way to say less: what goes, in words, and the function that leaves it out without changing what it is given.

    A tool without any of the keys `of` is left as it is.
    """

    drops: str
    apply: Callable[[ToolEntry], ToolEntry]
    of: tuple[str, ...]

    def concerns(self, written: bytes) -> bool:
        """Whether an entry, as it is written, has any of the keys."""
        return any(f'"{key}":'.encode() in written for key in self.of)


def first_sentence(text: str) -> str:
    """The first sentence, or so many that they say something."""
    if not any(mark in text[_MIN_SENTENCE - 1 : -1] for mark in _ENDS):
        return text
    said = ""
    for sentence in sentences(text):
        said = f"{said} {sentence}".lstrip()
        if len(said) >= _MIN_SENTENCE:
            break
    return said


def few_words(text: str) -> str:
    """So many words as stand in `MINIMAL_DESCRIPTION` characters, with a sign that there were more."""
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
    """The steps of a pipeline without their bodies: how many, and their names."""
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
# What a tool of lesser relevance loses beyond that, where all steps for all tools do not suffice.
MINIMAL_STEPS: tuple[CompactionStep, ...] = (
    CompactionStep("optional parameters", _with("parameters", without_optional), ("properties",)),
    CompactionStep("descriptions beyond a few words", _with("description", _text(few_words)), ("description",)),
)


_KEPT = ("name", "id", "supersedes")
_unsaid = without_keywords("description", "title", "examples", "example", "$comment")


def stripped(entry: ToolEntry) -> ToolEntry:
    """A tool with a few words, the parameters that must be given, and what is never trimmed."""
    said = {"description": few_words(entry["description"]), "parameters": entry["parameters"]}
    kept = {key: entry[key] for key in _KEPT if key in entry} | said
    return {**kept, "parameters": without_optional(_unsaid(entry["parameters"]))}


def forms(written: bytes, steps: Sequence[CompactionStep] = STEPS) -> tuple[bytes, ...]:
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
class CompactionResult:
    """How many steps were taken on every entry, what they dropped, and the bytes that are left."""

    level: int
    bytes: int
    dropped: tuple[str, ...]

    def fits(self, limit: int) -> bool:
        """Whether what is left is within so many bytes."""
        return self.bytes <= limit


def compact(catalog: Sequence[Sequence[bytes]], limit: int) -> CompactionResult:
    """As few steps as bring the forms of all entries within so many bytes; all of them if none suffices."""
    sizes = [total([len(each[level]) for each in catalog]) for level in range(len(STEPS) + 1)]
    level = next((level for level, size in enumerate(sizes) if size <= limit), len(STEPS))
    dropped = [step.drops for n, step in enumerate(STEPS[:level]) if sizes[n + 1] < sizes[n]]
    return CompactionResult(level, sizes[level], tuple(dropped))

"""JSON schemas made smaller and never invalid: annotations go, constraints stay.

Keywords are taken for keywords only where a schema stands: a property that is called "title" is no title. Names in
`required`, enumerations, types, constants and the targets of references are never touched. Schemas are JSON as it is
read, dicts and lists; what is given is not changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


def _required_only(schema: Schema, least_depth: int) -> Any:
    if not all(_names_a_definition(reference) for reference in _references(schema)):
        return schema

    def change(each: dict[str, Any], depth: int) -> dict[str, Any]:
        properties = each.get("properties")
        if depth < least_depth or not isinstance(properties, dict) or _TIES & each.keys():
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

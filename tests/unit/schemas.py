"""Random JSON schemas as tools carry them, and the check that one is still a schema that a provider takes."""

from __future__ import annotations

from hypothesis import strategies as st

from cognitive.tool import Tool

# names that are keywords elsewhere: a property may be called anything
NAMES = st.sampled_from(
    "query city title description examples required properties enum type $comment id häuser".split()
)
SAYS = st.sampled_from(
    [
        "",
        "Short.",
        "What to look for, e.g. a name. Then more of it, at length.",
        "Länge in Metern. Nicht in Fuß.",
        "x" * 40,
    ]
)
ANNOTATIONS = st.fixed_dictionaries(
    {},
    optional={
        "title": SAYS,
        "description": SAYS,
        "examples": st.lists(SAYS, max_size=2),
        "$comment": SAYS,
        "default": st.sampled_from([None, 1, {"title": "kept"}, ["a"]]),
    },
)
DEFINED = ("Place", "Thing")
LEAVES = st.one_of(
    st.sampled_from(
        [{"type": "string"}, {"type": ["integer", "null"]}, {"type": "string", "enum": ["title", "b"]}, {"const": 1}]
    ),
    st.sampled_from(DEFINED).map(lambda name: {"$ref": f"#/$defs/{name}"}),
)
BRANCHES = st.sampled_from(["anyOf", "oneOf", "allOf"])


@st.composite
def objects(draw, inner):
    properties = draw(st.dictionaries(NAMES, inner, max_size=4))
    schema = {"type": "object", "properties": properties}
    required = draw(st.lists(st.sampled_from(sorted(properties)), unique=True)) if properties else []
    if required or draw(st.booleans()):
        schema["required"] = required
    if properties and draw(st.integers(0, 4)) == 0:
        schema["anyOf"] = [{"required": [name]} for name in properties]
    if draw(st.booleans()):
        schema["additionalProperties"] = draw(st.one_of(st.booleans(), inner))
    return schema


def _annotated(schemas):
    return st.tuples(schemas, ANNOTATIONS).map(lambda both: both[1] | both[0])


SUBSCHEMAS = st.recursive(
    _annotated(LEAVES),
    lambda inner: _annotated(
        st.one_of(
            objects(inner),
            inner.map(lambda items: {"type": "array", "items": items}),
            st.tuples(BRANCHES, st.lists(inner, min_size=1, max_size=3)).map(lambda both: {both[0]: both[1]}),
        )
    ),
    max_leaves=8,
)
PARAMETERS = st.tuples(_annotated(objects(SUBSCHEMAS)), SUBSCHEMAS, SUBSCHEMAS).map(
    lambda drawn: drawn[0] | {"$defs": dict(zip(DEFINED, drawn[1:], strict=True))}
)
TOOLS = st.builds(
    Tool,
    name=st.sampled_from(["search", "get_weather", "sendMail", "übersetzen", "天気"]),
    description=SAYS,
    parameters=PARAMETERS,
    id=st.sampled_from([None, "id-1"]),
    intent_keywords=st.lists(st.sampled_from(["find it", "look up"]), max_size=2),
    typical_use=SAYS,
    limitations=st.lists(SAYS, max_size=2),
    supersedes=st.lists(st.sampled_from(["old", "older"]), max_size=2),
    steps=st.lists(
        st.sampled_from([{"name": "a", "body": "x" * 30}, {"id": "b"}, {"body": {"deep": [1]}}]), max_size=3
    ),
    inputs=st.one_of(st.just({}), objects(LEAVES)),
    outputs=st.one_of(st.just({}), objects(LEAVES)),
)

_TYPES = {"object", "array", "string", "integer", "number", "boolean", "null"}
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")


def complaints(schema, root=None, at="#", beside=frozenset()):
    """What is wrong with a schema: by the rules of the metaschema, and names and targets that are missing.

    `beside` are the properties of the object that a branch is part of, which it may require.
    """
    root = schema if root is None else root
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield f"{at}: no schema"
        return
    types = schema.get("type", [])
    if not set([types] if isinstance(types, str) else types) <= _TYPES:
        yield f"{at}: type {types}"
    for name in schema.get("required", []):
        if name not in schema.get("properties", {}) and name not in beside:
            yield f"{at}: {name} is required and no property"
    if "enum" in schema and not (isinstance(schema["enum"], list) and schema["enum"]):
        yield f"{at}: enum"
    for name in ("title", "description"):
        if not isinstance(schema.get(name, ""), str):
            yield f"{at}: {name}"
    if "$ref" in schema and not _resolves(schema["$ref"], root):
        yield f"{at}: {schema['$ref']} leads nowhere"
    for place, below in _subschemas(schema):
        branch = place.partition("/")[0] in _LISTS
        yield from complaints(below, root, f"{at}/{place}", schema.get("properties", ()) if branch else ())


def _subschemas(schema):
    for key in _MAPS:
        yield from ((f"{key}/{name}", each) for name, each in schema.get(key, {}).items())
    for key in _LISTS:
        yield from ((f"{key}/{n}", each) for n, each in enumerate(schema.get(key, [])))
    yield from ((key, schema[key]) for key in ("items", "additionalProperties", "not") if key in schema)


def nodes(schema, at="#"):
    """All schemas within a schema, by their path."""
    if isinstance(schema, dict):
        yield at, schema
        for place, below in _subschemas(schema):
            yield from nodes(below, f"{at}/{place}")


def _resolves(reference, root):
    for part in reference.removeprefix("#").strip("/").split("/"):
        if not isinstance(root, dict) or part not in root:
            return False
        root = root[part]
    return True

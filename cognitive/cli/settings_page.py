"""The reference of settings and policy, read off the code: types and bounds from the models, reasons from comments."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from pydantic import BaseModel

from brain.settings import Settings
from cognitive import defaults
from cognitive.cli import printing
from cognitive.defaults import CategoryChange, FrameBudget
from cognitive.models import DEFAULT, MODELS, ModelRow
from cognitive.policy import Policy

_SECTION = re.compile(r"-{3} (.+) -{3}")
_KINDS = {"boolean": "true or false", "integer": "integer", "number": "number", "string": "text", "object": "table"}

# Where the rows of a table of the policy stand with their comments.
_TABLES = {
    "frames": "FRAMES",
    "relevance": "_WEIGHTS",
    "attribution_thresholds": "ATTRIBUTION_THRESHOLDS",
    "reserves": "RESERVES",
    "tool_output_characters": "TOOL_OUTPUTS",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A setting or a tunable: what may stand there, what does if nobody says anything, and why."""

    section: str
    name: str
    type: str
    default: Any
    reason: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table's defaults: its value, or its values by column, and why."""

    name: str
    value: Any
    reason: str


@dataclass(frozen=True, slots=True)
class Table:
    """The default rows of a table of the policy, and why they are as they are."""

    name: str
    reason: str
    rows: tuple[Row, ...]


def settings() -> tuple[Entry, ...]:
    """What the environment may say."""
    return tuple(_entries(Settings, named=lambda name: f"COGNITIVE_{name.upper()}"))


def tunables() -> tuple[Entry, ...]:
    """Every tunable of the policy, in its sections."""
    return tuple(_entries(Policy))


def tables() -> tuple[Table, ...]:
    """The policy's tables that are not empty by default."""
    return tuple(_table(name, constant) for name, constant in _TABLES.items())


# --- the code ---


def _entries(model: type[BaseModel], named: Any = str) -> Iterator[Entry]:
    schema = model.model_json_schema()
    for name, section, reason in _commented(inspect.getsource(model)):
        field = model.model_fields[name]
        default = field.get_default(call_default_factory=True)
        yield Entry(section, named(name), kind(schema["properties"][name]), printing.jsonable(default), reason)


def _commented(source: str) -> Iterator[tuple[str, str, str]]:
    """The fields of a class in order: name, section, and what the comments on, above and below it say.

    A line of comment below a field goes on with the field's own if that has one and the line does not begin anew, with
    a capital; otherwise it is of the field that follows.
    """
    comments, alone = _comments(source), _alone(source)
    section, last = "", 0
    [whole] = ast.parse(source).body
    for node in getattr(whole, "body", ()):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        above = [comments[n] for n in range(last + 1, node.lineno) if n in comments]
        headings = [match[1] for each in above if (match := _SECTION.fullmatch(each))]
        section = headings[-1] if headings else section
        end = node.end_lineno or node.lineno
        own = [comments[n] for n in range(node.lineno, end + 1) if n in comments]
        last = end
        while own and last + 1 in alone and _goes_on(comments[last + 1]):
            last += 1
            own.append(comments[last])
        said = [each for each in above if not _SECTION.fullmatch(each)]
        yield node.target.id, section, " ".join([*said, *own])


def _goes_on(comment: str) -> bool:
    return not _SECTION.fullmatch(comment) and not comment[0].isupper()


def _comments(source: str) -> dict[int, str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    found = {token.start[0]: token.string.lstrip("# ").strip() for token in tokens if token.type == tokenize.COMMENT}
    return {line: text for line, text in found.items() if text and not text.startswith(("fmt:", "noqa"))}


def _alone(source: str) -> frozenset[int]:
    """The lines that are a comment and nothing else."""
    lines = enumerate(source.splitlines(), 1)
    return frozenset(_comments(source)) & {n for n, line in lines if line.lstrip().startswith("#")}


def _table(name: str, constant: str) -> Table:
    reason, reasons = _constant(defaults, constant)
    values = Policy.model_fields[name].get_default(call_default_factory=True)
    rows = [Row(str(row), printing.jsonable(value), reasons.get(str(row), "")) for row, value in values.items()]
    return Table(name, reason, tuple(rows))


def _constant(module: ModuleType, name: str) -> tuple[str, dict[str, str]]:
    """What the comment above a dict constant says, and those beside its rows."""
    source = inspect.getsource(module)
    comments, lines = _comments(source), source.splitlines()
    node = next(
        each
        for each in ast.parse(source).body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.target.id == name
    )
    first = node.lineno
    while lines[first - 2].startswith("#"):
        first -= 1
    above = " ".join(comments[n] for n in range(first, node.lineno))
    keys = node.value.keys if isinstance(node.value, ast.Dict) else ()
    return above, {str(k.value): comments.get(k.lineno, "") for k in keys if isinstance(k, ast.Constant)}


# --- types in words ---


def kind(schema: Mapping[str, Any]) -> str:
    """A JSON schema in words."""
    if "anyOf" in schema:
        return " or ".join("none" if each.get("type") == "null" else kind(each) for each in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "$ref" in schema:
        return f"`{schema['$ref'].rpartition('/')[2]}`"
    if schema.get("type") == "array":
        return f"list of {kind(schema['items'])}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return f"table of {kind(schema['additionalProperties'])}{_keys(schema)}"
    if schema.get("format") == "path":
        return "path"
    return _KINDS[schema["type"]] + _bounds(schema)


def _keys(schema: Mapping[str, Any]) -> str:
    names = schema.get("propertyNames", {}).get("enum")
    return f", by {', '.join(f'`{name}`' for name in names)}" if names else ""


def _bounds(schema: Mapping[str, Any]) -> str:
    words = (("minimum", "from"), ("exclusiveMinimum", "above"), ("maximum", "to"), ("exclusiveMaximum", "below"))
    return "".join(f" {word} {schema[name]:,}" for name, word in words if name in schema)


# --- Markdown ---


def markdown() -> str:
    """The whole reference as a page."""
    parts = [
        "# Configuration",
        "Generated by `cognitive reference settings` from the code; do not edit. What is in effect on a machine, and\n"
        "where each value comes from, `cognitive config` says.",
        "## Environment",
        "An empty variable counts as one that is not set.",
        listed(("variable", "what", "default", "why"), map(_cells, settings())),
        "## Policy",
        "A TOML file that COGNITIVE_POLICY names, or `Policy(...)` in code. What it leaves out keeps its default; an\n"
        "unknown name is an error. A table changes in the rows that are named. Under `[agents.NAME]` stand the\n"
        "tunables that differ for one agent.",
        *_sections(),
        "## Default rows of the tables",
        *(part for table in tables() for part in _rows(table)),
        *(part for model in (FrameBudget, CategoryChange, ModelRow) for part in _fields(model)),
        "### The table of models",
        "`models`, or the file that COGNITIVE_MODELS names, adds rows to it or replaces some. The longest row that a\n"
        "model's id begins with counts; `cognitive budgets MODEL` says which that is.",
        listed(("model", *ModelRow.model_fields), _models()),
    ]
    return "\n\n".join(parts) + "\n"


def _sections() -> Iterator[str]:
    found = tunables()
    for section in dict.fromkeys(entry.section for entry in found):
        yield f"### {section[0].upper()}{section[1:]}"
        yield listed(("tunable", "what", "default", "why"), (_cells(each) for each in found if each.section == section))


def _rows(table: Table) -> Iterator[str]:
    yield f"### `{table.name}`"
    if table.reason:
        yield table.reason
    if any(isinstance(row.value, Mapping) for row in table.rows):
        yield listed(("row", *table.rows[0].value), ((f"`{row.name}`", *row.value.values()) for row in table.rows))
        return
    why = ("why",) if any(row.reason for row in table.rows) else ()
    cells = ((f"`{row.name}`", _rounded(row.value), *([row.reason] if why else [])) for row in table.rows)
    yield listed(("row", "default", *why), cells)


def _fields(model: type[BaseModel]) -> Iterator[str]:
    schema = model.model_json_schema(by_alias=False)
    yield f"### `{model.__name__}`"
    yield inspect.cleandoc(model.__doc__ or "")
    cells = (
        (f"`{name}`", kind(schema["properties"][name]), _default(field.get_default(call_default_factory=True)))
        for name, field in model.model_fields.items()
    )
    yield listed(("field", "what", "default"), cells)


def _models() -> Iterator[Sequence[Any]]:
    for name in sorted(MODELS):
        yield (f"`{name}`", *MODELS[name].model_dump().values())
    yield ("any other", *DEFAULT.model_dump().values())


def _cells(entry: Entry) -> Sequence[Any]:
    below = entry.name in _TABLES
    return (
        f"`{entry.name}`",
        entry.type,
        "[below](#default-rows-of-the-tables)" if below else _default(entry.default),
        (entry.reason),
    )


def _default(value: Any) -> str:
    if value is None or str(value) == "PydanticUndefined":
        return "none" if value is None else "must be given"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, str | int | float):
        return f"`{value}`"
    return ", ".join(f"`{each}`" for each in value) if value else "empty"


def _rounded(value: Any) -> Any:
    return f"{value:.3f}".rstrip("0") if isinstance(value, float) else value


def listed(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table of Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |" for line in lines)

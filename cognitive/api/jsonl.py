"""Read and write memories as JSON lines in this product's format, and read those of mem0 and LangGraph.

Each line is one memory, so that an error message can name the number of an invalid line. Lines of this product contain
every field of a memory, with its usage, revisions and links. An agent's language, rates of use and policies are on
separate lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator

from brain.archive import ArchivedMemory, MemoryMetadata, StoredMemory, TypeUsage
from brain.languages import require
from brain.text import storable
from brain.types import MAX_LABEL_LENGTH, InputModel, Label, NewMemory, Text
from brain.users import Scope
from cognitive.errors import InvalidInput

FORM = "cognitive-memory-3"
WITHOUT_STATE, WITHOUT_USE = "cognitive-memory-2", "cognitive-memory-1"  # older formats; the first also lacks usage
LANGUAGE, BASE, POLICY = "cognitive-language-1", "cognitive-base-1", "cognitive-policy-1"


@dataclass(frozen=True, slots=True)
class ImportLine:
    """A memory read from an imported file, and the number of its line.

    For an export of this product, `original_id` is the memory's id in the exporting store. `kept` is the memory's
    metadata (state, usage, revisions, order), or None if the file is from another system or in this product's first
    format. `undated` is True for a superseded memory if the file does not say when it was replaced.
    """

    number: int
    memory: NewMemory
    original_id: UUID | None = None
    kept: MemoryMetadata | None = None
    undated: bool = False

    def owned_by(self, scope: Scope) -> ImportLine:
        """Return the line as it is imported in a view: in a user's view, a line without a user is that user's.

        Raises:
            InvalidInput: the line is of another user than the view's.
        """
        if scope.sees_all or self.memory.user_id == scope.user:
            return self
        if self.memory.user_id is not None:
            raise InvalidInput(f"line {self.number}: user_id: {self.memory.user_id!r} is not the user of this import")
        return replace(self, memory=self.memory.model_copy(update={"user_id": scope.user}))


class ExportedPolicy(InputModel):
    """A line of an export for a policy that was active for the agent.

    `changes` has its differences from the operator's policy.
    """

    role: Literal["live", "shadow"]
    changes: Mapping[str, float | int]
    by: Label
    note: Text = ""


class ExportedLanguage(InputModel):
    """A line of an export: the language in which the agent's text is indexed."""

    language: Annotated[str, AfterValidator(require)]


@dataclass(frozen=True, slots=True)
class ImportContents:
    """The contents of an imported file: memories, languages, rates of use, and policies with their line numbers."""

    lines: list[ImportLine] = field(default_factory=list)
    languages: list[ExportedLanguage] = field(default_factory=list)
    bases: list[TypeUsage] = field(default_factory=list)
    policies: list[tuple[int, ExportedPolicy]] = field(default_factory=list)


def memory_line(memory: StoredMemory) -> str:
    """Convert a memory with its metadata to a line of an export: JSON without a line break."""
    fields = [*NewMemory.model_fields, *(name for name in MemoryMetadata.model_fields if name != "id")]
    data = {"form": FORM, "id": memory.id, **{name: getattr(memory, name) for name in fields}}
    data["revisions"] = memory.revisions or ()
    return json.dumps(data, default=_plain, ensure_ascii=False)


def agent_line(form: str, data: InputModel) -> str:
    """Convert an agent's language, rates of use or policy to a line of an export: JSON without a line break.

    `form` names the kind of the line.
    """
    return json.dumps({"form": form, **data.model_dump(mode="json")}, ensure_ascii=False)


def is_memory_line(line: str) -> bool:
    """Return True if a line of an export contains a memory."""
    return bool(json.loads(line)["form"] == FORM)


def read(lines: Iterable[str]) -> ImportContents:
    """Parse the lines of a file in any of the known formats; blank lines are skipped.

    A line can also hold a whole JSON document with several memories, as mem0's `Memory.get_all` returns it.

    Raises:
        InvalidInput: a line has no known format, or repeats an id. The message has the line's number.
    """
    contents, ids = ImportContents(), set[UUID]()
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                for data in _listed(json.loads(line)):
                    _take(number, data, contents, ids)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError, InvalidInput) as error:
                raise InvalidInput(f"line {number}: {error or type(error).__name__}") from error
    return contents


def _take(number: int, data: Mapping[str, Any], contents: ImportContents, ids: set[UUID]) -> None:
    """Add the data of line `number` to `contents`. `ids` are the memory ids of earlier lines, to detect repetitions."""
    fields = {name: value for name, value in data.items() if name != "form"}
    if data.get("form") == LANGUAGE:
        contents.languages.append(ExportedLanguage(**fields))
    elif data.get("form") == BASE:
        contents.bases.append(TypeUsage(**fields))
    elif data.get("form") == POLICY:
        contents.policies.append((number, ExportedPolicy(**fields)))
    else:
        line = _line(number, data)
        if line.original_id in ids:
            raise InvalidInput(f"duplicate memory id {line.original_id}")
        if line.original_id is not None:
            ids.add(line.original_id)
        contents.lines.append(line)


def _listed(data: Any) -> list[Any]:
    if isinstance(data, Mapping) and isinstance(data.get("results"), list):
        return list(data["results"])
    return data if isinstance(data, list) else [data]


def _line(number: int, data: Mapping[str, Any]) -> ImportLine:
    if data.get("form") == WITHOUT_USE:
        fields = {name: value for name, value in data.items() if name not in ("form", "id")}
        return ImportLine(number, NewMemory(**fields), UUID(data["id"]))
    if data.get("form") in (FORM, WITHOUT_STATE):
        return _whole(number, {name: value for name, value in data.items() if name != "form"})
    form = next((form for mark, form in _FORMS.items() if mark <= data.keys()), None)
    if form is None:
        raise InvalidInput(
            f"unknown format, not of this product, mem0 or LangGraph; keys: {', '.join(sorted(data))[:200]}"
        )
    return ImportLine(number, form(data))


def _whole(number: int, data: dict[str, Any]) -> ImportLine:
    undated = data.get("superseded_by") is not None
    if undated:
        data |= {"replaced_by": data["superseded_by"], "hidden_reason": "superseded", "hidden_at": data["updated_at"]}
    data.pop("superseded_by", None)  # of the format WITHOUT_STATE
    if data.get("expires_at") is not None and data.get("hidden_at") is None and data.get("hidden_reason") is None:
        data |= {"hidden_at": data["expires_at"], "hidden_reason": "expired"}
    kept = MemoryMetadata(**{name: data.pop(name) for name in MemoryMetadata.model_fields if name in data})
    memory = NewMemory(**data)
    ArchivedMemory(memory, kept).require_past()
    return ImportLine(number, memory, kept.id, kept, undated)


def _of_mem0(data: Mapping[str, Any]) -> NewMemory:
    """Convert mem0's `MemoryItem`, as its `get_all` and `search` return it, to a memory."""
    scope = {name: str(data[name]) for name in ("user_id", "agent_id", "run_id") if data.get(name)}
    labels = [*(f"{name}:{value}" for name, value in scope.items()), *_strings(data.get("categories"))]
    return NewMemory(
        type="fact",
        content=storable(data["memory"]),
        occurred_at=data.get("updated_at") or data.get("created_at"),
        session_id=scope.get("run_id"),
        source=f"mem0/{data['id']}",
        tags=_labels(labels),
        trust="foreign",
        user_id=storable(scope["user_id"]) if "user_id" in scope else None,
    )


def _of_langgraph(data: Mapping[str, Any]) -> NewMemory:
    """Convert a LangGraph `Item.dict` to a memory, whose content is all texts of the item's value."""
    place = "/".join([*data["namespace"], data["key"]])
    return NewMemory(
        type="fact",
        content=storable("\n".join(_strings(data["value"]))) or data["key"],
        occurred_at=data.get("updated_at") or data.get("created_at"),
        source=f"langgraph/{place}"[-MAX_LABEL_LENGTH:],
        tags=_labels(data["namespace"]),
        trust="foreign",
    )


# The keys that identify a line of another system, and the function that reads it.
_FORMS: Mapping[frozenset[str], Callable[[Mapping[str, Any]], NewMemory]] = {
    frozenset({"id", "memory"}): _of_mem0,
    frozenset({"namespace", "key", "value"}): _of_langgraph,
}


def _strings(value: Any) -> list[str]:
    """Return all strings in a JSON value, in order, including nested ones."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, Mapping):
        value = list(value.values())
    return [text for each in value for text in _strings(each)] if isinstance(value, list) else []


def _labels(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(storable(name)[:MAX_LABEL_LENGTH] for name in names if name.strip()))


def _plain(value: Any) -> Any:
    return (
        dict(value) if isinstance(value, Mapping) else value.isoformat() if hasattr(value, "isoformat") else str(value)
    )

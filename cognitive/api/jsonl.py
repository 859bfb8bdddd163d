"""Memories as lines of JSON: ours, with every field, and those of other systems as they export them.

A line is a memory by itself, so that a broken one is named by its number. Lines of ours hold all that is kept of a
memory (use, earlier words, what replaced it); an agent's language, what is usual among its memories and the policy
chosen for it stand in lines of their own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator

from brain.archive import ArchivedMemory, MemoryMetadata, StoredMemory, TypeUsage
from brain.languages import require
from brain.text import storable
from brain.types import MAX_LABEL_LENGTH, InputModel, Label, NewMemory, Text
from cognitive.errors import InvalidInput

FORM, WITHOUT_USE = "cognitive-memory-2", "cognitive-memory-1"  # the first as it is written now, the second as it was
LANGUAGE, BASE, POLICY = "cognitive-language-1", "cognitive-base-1", "cognitive-policy-1"


@dataclass(frozen=True, slots=True)
class ImportLine:
    """A memory that was read, and the number of its line.

    Of one that was ours: `original_id` is its id, and `kept` what was kept of it, None where its form tells nothing.
    """

    number: int
    memory: NewMemory
    original_id: UUID | None = None
    kept: MemoryMetadata | None = None


class ExportedPolicy(InputModel):
    """A policy that somebody chose for an agent: what it changes of the operator's own."""

    role: Literal["live", "shadow"]
    changes: Mapping[str, float | int]
    by: Label
    note: Text = ""


class ExportedLanguage(InputModel):
    """The language that an agent's words are indexed in."""

    language: Annotated[str, AfterValidator(require)]


@dataclass(frozen=True, slots=True)
class ImportContents:
    """A file that was read, and nothing of it stored yet. `policies` are given by the number of their line."""

    lines: list[ImportLine] = field(default_factory=list)
    languages: list[ExportedLanguage] = field(default_factory=list)
    bases: list[TypeUsage] = field(default_factory=list)
    policies: list[tuple[int, ExportedPolicy]] = field(default_factory=list)


def memory_line(memory: StoredMemory) -> str:
    """Return a stored memory with what is kept of it, as a line without its end."""
    fields = [*NewMemory.model_fields, *(name for name in MemoryMetadata.model_fields if name != "id")]
    told = {"form": FORM, "id": memory.id, **{name: getattr(memory, name) for name in fields}}
    told["revisions"] = memory.revisions or ()
    return json.dumps(told, default=_plain, ensure_ascii=False)


def agent_line(form: str, told: InputModel) -> str:
    """What holds for an agent beside its memories, as a line without its end."""
    return json.dumps({"form": form, **told.model_dump(mode="json")}, ensure_ascii=False)


def is_memory_line(line: str) -> bool:
    """Whether a line of ours is a memory, and not what holds for the agent beside its memories."""
    return bool(json.loads(line)["form"] == FORM)


def read(lines: Iterable[str]) -> ImportContents:
    """All of a file, whichever of the known forms its lines have; blank lines are passed over.

    A file that is one JSON document, as `Memory.get_all` of mem0 gives it, is read as the lines of its list.

    Raises:
        InvalidInput: a line that is none of them, or a second of the same id; the message names its number.
    """
    found, ids = ImportContents(), set[UUID]()
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                for told in _listed(json.loads(line)):
                    _take(number, told, found, ids)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError, InvalidInput) as error:
                raise InvalidInput(f"line {number}: {error or type(error).__name__}") from error
    return found


def _take(number: int, told: Mapping[str, Any], found: ImportContents, ids: set[UUID]) -> None:
    """Puts what a line tells where it belongs."""
    fields = {name: value for name, value in told.items() if name != "form"}
    if told.get("form") == LANGUAGE:
        found.languages.append(ExportedLanguage(**fields))
    elif told.get("form") == BASE:
        found.bases.append(TypeUsage(**fields))
    elif told.get("form") == POLICY:
        found.policies.append((number, ExportedPolicy(**fields)))
    else:
        line = _line(number, told)
        if line.original_id in ids:
            raise InvalidInput(f"a second memory of the id {line.original_id}")
        if line.original_id is not None:
            ids.add(line.original_id)
        found.lines.append(line)


def _listed(told: Any) -> list[Any]:
    if isinstance(told, Mapping) and isinstance(told.get("results"), list):
        return list(told["results"])
    return told if isinstance(told, list) else [told]


def _line(number: int, told: Mapping[str, Any]) -> ImportLine:
    if told.get("form") == WITHOUT_USE:
        fields = {name: value for name, value in told.items() if name not in ("form", "id")}
        return ImportLine(number, NewMemory(**fields), UUID(told["id"]))
    if told.get("form") == FORM:
        return _whole(number, {name: value for name, value in told.items() if name != "form"})
    form = next((form for mark, form in _FORMS.items() if mark <= told.keys()), None)
    if form is None:
        raise InvalidInput(
            f"neither a memory of ours, of mem0 nor of LangGraph: it has {', '.join(sorted(told))[:200]}"
        )
    return ImportLine(number, form(told))


def _whole(number: int, told: dict[str, Any]) -> ImportLine:
    kept = MemoryMetadata(**{name: told.pop(name) for name in MemoryMetadata.model_fields if name in told})
    memory = NewMemory(**told)
    ArchivedMemory(memory, kept).require_past()
    return ImportLine(number, memory, kept.id, kept)


def _of_mem0(told: Mapping[str, Any]) -> NewMemory:
    """mem0's `MemoryItem`, as `get_all` and `search` return it: facts that a model extracted, of a user or a run."""
    scope = {name: str(told[name]) for name in ("user_id", "agent_id", "run_id") if told.get(name)}
    labels = [*(f"{name}:{value}" for name, value in scope.items()), *_strings(told.get("categories"))]
    return NewMemory(
        type="fact",
        content=storable(told["memory"]),
        occurred_at=told.get("updated_at") or told.get("created_at"),
        session_id=scope.get("run_id"),
        source=f"mem0/{told['id']}",
        tags=_labels(labels),
        trust="foreign",
    )


def _of_langgraph(told: Mapping[str, Any]) -> NewMemory:
    """An item of a LangGraph store, as `Item.dict` gives it: its texts are what it says."""
    place = "/".join([*told["namespace"], told["key"]])
    return NewMemory(
        type="fact",
        content=storable("\n".join(_strings(told["value"]))) or told["key"],
        occurred_at=told.get("updated_at") or told.get("created_at"),
        source=f"langgraph/{place}"[-MAX_LABEL_LENGTH:],
        tags=_labels(told["namespace"]),
        trust="foreign",
    )


# What marks a line of another system's, and how it is read.
_FORMS: Mapping[frozenset[str], Callable[[Mapping[str, Any]], NewMemory]] = {
    frozenset({"id", "memory"}): _of_mem0,
    frozenset({"namespace", "key", "value"}): _of_langgraph,
}


def _strings(value: Any) -> list[str]:
    """Every text in a value, in order."""
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

"""Memories as lines of JSON: ours, with every field, and those of other systems as they export them.

A line is a memory by itself, so that a file can be read as it comes and a broken line is named by its number.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from brain.text import storable
from brain.types import LONGEST_LABEL, Memory, NewMemory
from cognitive.errors import InvalidInput

FORM = "cognitive-memory-1"


@dataclass(frozen=True, slots=True)
class Line:
    """A memory that was read, the number of its line, and the id that it had where it comes from, if that is ours."""

    number: int
    memory: NewMemory
    was: UUID | None = None


def written(memory: Memory) -> str:
    """A memory as a line, without its end."""
    fields = {name: getattr(memory, name) for name in NewMemory.model_fields}
    return json.dumps({"form": FORM, "id": memory.id, **fields}, default=_plain, ensure_ascii=False)


def read(lines: Iterable[str]) -> Iterator[Line]:
    """The memories of a file, whichever of the known forms its lines have; blank lines are passed over.

    A file that is one JSON document, as `Memory.get_all` of mem0 gives it, is read as the lines of its list.

    Raises:
        InvalidInput: a line that is none of them; the message names its number.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                for told in _listed(json.loads(line)):
                    yield _line(number, told)
            except (ValueError, TypeError, KeyError, AttributeError, InvalidInput) as error:
                raise InvalidInput(f"line {number}: {error or type(error).__name__}") from error


def _listed(told: Any) -> list[Any]:
    if isinstance(told, Mapping) and isinstance(told.get("results"), list):
        return list(told["results"])
    return told if isinstance(told, list) else [told]


def _line(number: int, told: Mapping[str, Any]) -> Line:
    if told.get("form") == FORM:
        fields = {name: value for name, value in told.items() if name not in ("form", "id")}
        return Line(number, NewMemory(**fields), UUID(told["id"]))
    form = next((form for mark, form in _FORMS.items() if mark <= told.keys()), None)
    if form is None:
        raise InvalidInput(
            f"neither a memory of ours, of mem0 nor of LangGraph: it has {', '.join(sorted(told))[:200]}"
        )
    return Line(number, form(told))


def _of_mem0(told: Mapping[str, Any]) -> NewMemory:
    """mem0's `MemoryItem`, as `get_all` and `search` return it: facts that a model extracted, of a user or a run."""
    scope = {name: str(told[name]) for name in ("user_id", "agent_id", "run_id") if told.get(name)}
    labels = [*(f"{name}:{value}" for name, value in scope.items()), *_strings(told.get("categories"))]
    return NewMemory(
        type="fact", content=storable(told["memory"]), occurred_at=told.get("updated_at") or told.get("created_at"),
        session_id=scope.get("run_id"), source=f"mem0/{told['id']}", tags=_labels(labels), trust="foreign",
    )  # fmt: skip


def _of_langgraph(told: Mapping[str, Any]) -> NewMemory:
    """An item of a LangGraph store, as `Item.dict` gives it: its texts are what it says."""
    place = "/".join([*told["namespace"], told["key"]])
    return NewMemory(
        type="fact", content=storable("\n".join(_strings(told["value"]))) or told["key"],
        occurred_at=told.get("updated_at") or told.get("created_at"), source=f"langgraph/{place}"[-LONGEST_LABEL:],
        tags=_labels(told["namespace"]), trust="foreign",
    )  # fmt: skip


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
    return tuple(dict.fromkeys(storable(name)[:LONGEST_LABEL] for name in names if name.strip()))


def _plain(value: Any) -> Any:
    return (
        dict(value) if isinstance(value, Mapping) else value.isoformat() if hasattr(value, "isoformat") else str(value)
    )

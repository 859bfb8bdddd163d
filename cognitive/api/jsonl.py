"""Write memories as JSON lines, and read these and the files of other systems.

Lines of this product contain every field of a memory, with its usage, revisions and links. An agent's language, rates
of use and policies are on separate lines. A file is read record by record, so it may have any size.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator

from brain.archive import ArchivedMemory, MemoryMetadata, StoredMemory, TypeUsage
from brain.input_model import InputModel
from brain.languages import require
from brain.types import Label, NewMemory, Text
from brain.users import Scope
from cognitive.errors import InvalidInput
from cognitive.formats.format import Dropped, ExportedConversation
from cognitive.formats.records import Record, records
from cognitive.formats.registry import FIRST_KEYS, format_of

FORM = "cognitive-memory-3"
WITHOUT_STATE, WITHOUT_USE = "cognitive-memory-2", "cognitive-memory-1"  # older formats; the first also lacks usage
LANGUAGE, BASE, POLICY = "cognitive-language-1", "cognitive-base-1", "cognitive-policy-1"


@dataclass(frozen=True, slots=True)
class ImportLine:
    """A memory read from an imported file, and the number of its line.

    For an export of this product, `original_id` is the memory's id in the exporting store. `kept` is the memory's
    metadata (state, usage, revisions, order), or None if the file is from another system or in this product's first
    format. `undated` is True for a superseded memory if the file does not say when it was replaced. `form` is the name
    of the format.
    """

    number: int
    memory: NewMemory
    original_id: UUID | None = None
    kept: MemoryMetadata | None = None
    undated: bool = False
    form: str = "cognitive"

    @property
    def user_id(self) -> str | None:
        """The user whose memory it becomes; None for a shared memory."""
        return self.memory.user_id

    def owned_by(self, scope: Scope) -> ImportLine:
        """Return the line as it is imported in a view: in a user's view, a line without a user is that user's.

        Raises:
            InvalidInput: the line is of another user than the view's.
        """
        if scope.sees_all or self.user_id == scope.user:
            return self
        if self.user_id is not None:
            raise InvalidInput(f"line {self.number}: user_id: {self.user_id!r} is not the user of this import")
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
class DroppedLine:
    """A record of an imported file, or a part of one, that is not imported: the number of its line, and why."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class AgentLine:
    """A line of an export of this product about the agent itself, and the number of the line."""

    number: int
    data: ExportedLanguage | TypeUsage | ExportedPolicy


@dataclass(frozen=True, slots=True)
class ConversationLine:
    """A conversation read from an imported file, the number of its line, and the name of its format."""

    number: int
    conversation: ExportedConversation
    form: str


Entry = ImportLine | ConversationLine | DroppedLine | AgentLine


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


def read(text: Iterable[str]) -> Iterator[Entry]:
    """Yield the records of a file in any of the known formats, in order, while `text` is read.

    `text` has the pieces of the file's text, which is JSON in any layout (see `cognitive.formats.records`).

    Raises:
        InvalidInput: a record has no known format, or is invalid in this product's. The message has the line's number.
    """
    for place in records(text, _is_record, FIRST_KEYS | {"form"}):
        try:
            yield from _entries(place.line, place.record)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, InvalidInput) as error:
            raise InvalidInput(f"{place}: {error or type(error).__name__}") from error


def _is_record(record: Record) -> bool:
    return "form" in record or format_of(record) is not None


def _entries(number: int, record: Record) -> Iterator[Entry]:
    if "form" in record:
        yield _own(number, record)
        return
    form = format_of(record)
    if form is None:
        keys = ", ".join(sorted(map(str, record)))[:200]
        raise InvalidInput(f"unknown format, neither of this product nor of a system in the docs; keys: {keys}")
    for found in form.read(record):
        if isinstance(found, Dropped):
            yield DroppedLine(number, found.reason)
        elif isinstance(found, ExportedConversation):
            yield ConversationLine(number, found, form.name)
        else:
            yield ImportLine(number, found, form=form.name)


def _own(number: int, record: Record) -> Entry:
    """Return what a line of this product contains."""
    form, fields = record["form"], {name: value for name, value in record.items() if name != "form"}
    if form in (FORM, WITHOUT_STATE):
        return _whole(number, fields)
    if form == WITHOUT_USE:
        return ImportLine(number, NewMemory(**{k: v for k, v in fields.items() if k != "id"}), UUID(record["id"]))
    kind = _AGENT_LINES.get(form)
    if kind is None:
        raise InvalidInput(f"unknown form {str(form)[:100]!r}; it was written by a later version")
    return AgentLine(number, kind(**fields))


_AGENT_LINES: Mapping[str, type[ExportedLanguage | TypeUsage | ExportedPolicy]] = {
    LANGUAGE: ExportedLanguage,
    BASE: TypeUsage,
    POLICY: ExportedPolicy,
}


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


def _plain(value: Any) -> Any:
    return (
        dict(value) if isinstance(value, Mapping) else value.isoformat() if hasattr(value, "isoformat") else str(value)
    )

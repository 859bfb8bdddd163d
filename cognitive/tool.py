"""The tools of a turn: as the host passes them, as they are sent to the model, and what was removed to fit it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any

from pydantic import AfterValidator, Field
from pydantic_core import from_json, to_json

from brain.input_model import InputModel
from brain.types import MAX_LABELS, Label, Labels, Several, Text

_MAX_CUT = 50  # names of removed tools that are stored with a turn, besides their number


def _as_json(value: Any) -> Any:
    """Return the value; raise ValueError if it cannot be written as JSON and read again."""
    try:
        from_json(to_json([[value]]))  # nested as deeply as it will be in a list of tools
    except ValueError as error:
        raise ValueError(f"is not JSON: {error}") from None
    return value


Json = Annotated[Mapping[str, Any], AfterValidator(_as_json)]


class Tool(InputModel):
    """A tool that the model may call. `parameters` is the JSON schema of its arguments.

    The other fields are optional. `category` names one or more categories of work, such as "coding", whose turns need
    the tool, besides those that its name shows; turns of other categories may leave it out. It is not sent to the
    provider. The rest serve ranking and are passed on if they are set: phrases that ask for the tool
    (`intent_keywords`), the kinds of input and output (`accepts`, `produces`), the names of tools that it makes
    unnecessary (`supersedes`), the steps of a pipeline (`steps`) and the schemas of its input and output.
    """

    name: Label
    description: Text = ""
    parameters: Json = Field(default_factory=dict)
    category: Label | Labels = ()
    id: Label | None = None
    intent_keywords: Labels = ()
    typical_use: Text = ""
    limitations: Annotated[Several[Text], Field(max_length=MAX_LABELS, fail_fast=True)] = ()
    accepts: Labels = ()
    produces: Labels = ()
    supersedes: Labels = ()
    steps: Annotated[Several[Json], Field(max_length=MAX_LABELS, fail_fast=True)] = ()
    inputs: Json = Field(default_factory=dict)
    outputs: Json = Field(default_factory=dict)


class ToolSpec(dict[str, Any]):
    """A tool as it is sent to a provider: a dict of name, description, parameters and the host's other fields.

    Name, description and parameters are also attributes.
    """

    @property
    def name(self) -> str:
        """The tool's name, which the model uses in a call."""
        return str(self["name"])

    @property
    def description(self) -> str:
        """The description of the tool, which may be shortened."""
        return str(self["description"])

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the tool's arguments."""
        return dict(self["parameters"])


@dataclass(frozen=True, slots=True)
class Trim:
    """The result of shortening and removing a turn's tools to fit the model's budget.

    Sizes are bytes of compact JSON in UTF-8.

    Attributes:
        limit: the budget in bytes.
        before_bytes: the size of all tools before; a lower bound if `late`.
        after_bytes: the size of the remaining tools.
        dropped: what was shortened or removed, in order, as sentences.
        cut: the names of the removed tools, the most relevant first.
        ranked_by: the signals that ranked the tools; empty if shortening sufficed.
        confidence: how well the best tool matches the message, from 0 to 1.
        low_confidence: True if a removed tool may be one that the message needs.
        gap: a sentence if no tool seems to fit the message, else None.
        late: True if there was no time to read the tools, so that they were removed by their names.
    """

    limit: int
    before_bytes: int
    after_bytes: int
    dropped: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    ranked_by: tuple[str, ...] = ()
    confidence: float = 1.0
    low_confidence: bool = False
    gap: str | None = None
    late: bool = False

    @property
    def fits(self) -> bool:
        """True if the remaining tools are within the limit; False if even a single tool is larger."""
        return self.after_bytes <= self.limit

    @property
    def share(self) -> float:
        """The share of the tools' bytes that was removed, from 0 to 1."""
        return 1 - self.after_bytes / self.before_bytes

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON to store, with at most 50 names of removed tools and the number of all of them."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            **values,
            "confidence": round(self.confidence, 6),
            "cut": self.cut[:_MAX_CUT],
            "cut_count": len(self.cut),
        }


@dataclass(frozen=True, slots=True)
class ToolSelection:
    """The tools of a turn before and after they are fitted to its model.

    `available` are the tools before, `tools` those that are sent to `model`. `ranking` has indexes into `available`,
    most relevant first; it is empty if all tools fit. `trim` is the record of what was removed, or None.
    """

    available: tuple[Tool, ...]
    model: str | None
    tools: tuple[ToolSpec, ...]
    ranking: tuple[int, ...] = ()
    trim: Trim | None = None

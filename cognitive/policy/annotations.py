"""Types and annotations of a policy's fields: allowed values, changes at run time, and what a replay can show."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, ValidationError, WrapValidator

from brain.input_model import InputModel
from cognitive.errors import InvalidInput

# Takes the policy to compare and the policy that the turn was recorded under.
Condition = Callable[[Any, Any], bool]


def _not_always(turns: int) -> int:
    """Return an exploration interval: the number of turns from one trial of a lower-ranked memory to the next.

    An interval of 1 raises ValueError, because the memories that trials replace would then never be shown.
    """
    if turns == 1:
        raise ValueError("1 would never show the memories that trials displace; 0 disables trials, 2 is the most often")
    return turns


Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
AtLeastOne = Annotated[int, Field(ge=1)]
Tokens = Count
Turns = Annotated[int, Field(ge=0), AfterValidator(_not_always)]


@dataclass(frozen=True, slots=True)
class LiveRange:
    """Annotation of a numeric setting that may change at run time. It describes the setting's slider on the dashboard.

    The bounds `min` and `max` are narrower than those of the field itself; only the host's policy may have values
    outside them. On a setting that is a table, the annotation applies to each row.
    """

    label: str
    min: float
    max: float
    step: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class BeforeRecord:
    """Annotation of a setting that takes effect before a turn's candidate memories are recorded.

    A replay computes a recorded turn again under another policy. It cannot show a change of such a setting, because the
    candidates that the new value would give were not recorded. `when(new, old)` limits this to some changes: it
    receives both policies, and returns True if a replay cannot show the change. Without `when`, a replay can show none.
    """

    when: Condition | None = None


@dataclass(frozen=True, slots=True)
class Replayable:
    """Annotation of a setting whose effect on a recorded turn can be computed by a replay."""


@dataclass(frozen=True, slots=True)
class Outside:
    """Annotation of a setting that does not affect which memories a recorded turn shows.

    It affects tools, the window of the conversation, stored data or later turns. A replay computes none of these.
    """


BEFORE_RECORD = BeforeRecord()
REPLAYABLE = Replayable()
OUTSIDE = Outside()


class SettingsGroup(InputModel):
    """Base class of the groups of a policy's settings: immutable, without unknown fields, documented per field."""


def _with_group_in_errors(value: Any, validate: Callable[[Any], Any]) -> Any:
    """Validate a group of settings. Errors name the field with its group, as in "dedup.threshold"."""
    try:
        return validate(value)
    except InvalidInput as error:
        if isinstance(error.__context__, ValidationError):
            raise error.__context__ from None
        raise


# On a field that holds a group.
NESTED = WrapValidator(_with_group_in_errors)


def description(model: type[BaseModel], field: str) -> str:
    """Return the description of a field: that of its `Field`, or else the docstring below it.

    The result is empty if a field has neither, or if the class has no source file. Pydantic's option
    `use_attribute_docstrings` would read all docstrings at import, which takes a twentieth of the import's time.
    """
    return model.model_fields[field].description or _docstrings(model).get(field, "")


@cache
def _docstrings(model: type[BaseModel]) -> Mapping[str, str]:
    try:
        [definition] = ast.parse(inspect.getsource(model)).body
    except OSError:
        return {}
    texts = dict[str, str]()
    for field, text in pairwise(definition.body if isinstance(definition, ast.ClassDef) else ()):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(docstring))):
                texts[name] = inspect.cleandoc(docstring)
    return texts

"""Annotations of a policy's fields: types with bounds, change at run time, and answers by replay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, ValidationError, WrapValidator

from brain.types import InputModel
from cognitive.errors import InvalidInput

# Takes the policy to compare and the policy that the turn was recorded under.
Condition = Callable[[Any, Any], bool]


def _not_always(turns: int) -> int:
    """Raise ValueError for 1: with a trial in every turn, the displaced memories would never be shown."""
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
    """A mark of a number that may change at run time, with the bounds and the step of its slider.

    The bounds are narrower than those of the field; only the host's policy may exceed them. On a table the mark applies
    to each row.
    """

    label: str
    min: float
    max: float
    step: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class BeforeRecord:
    """A mark of a setting that acts before the turn is recorded.

    The record lacks the candidates and measures of another value, so a replay cannot judge that value. `when` limits
    the mark to the changes for which it returns true; without it, the mark applies to every change.
    """

    when: Condition | None = None


@dataclass(frozen=True, slots=True)
class Replayable:
    """A mark of a setting whose effect a replay computes from the record."""


@dataclass(frozen=True, slots=True)
class Outside:
    """A mark of a setting that does not affect which memories a recorded turn shows.

    It acts on tools, the window, stored data or later turns, which a replay neither computes nor judges.
    """


BEFORE_RECORD = BeforeRecord()
REPLAYABLE = Replayable()
OUTSIDE = Outside()


class SettingsGroup(InputModel):
    """A group of settings: frozen, without unknown names, and documented by attribute docstrings."""

    model_config = ConfigDict(use_attribute_docstrings=True)


def _with_group_in_errors(value: Any, validate: Callable[[Any], Any]) -> Any:
    """Validate a group so that its errors name the group: "dedup.threshold"."""
    try:
        return validate(value)
    except InvalidInput as error:
        if isinstance(error.__context__, ValidationError):
            raise error.__context__ from None
        raise


# On a field that holds a group.
NESTED = WrapValidator(_with_group_in_errors)

"""What a field of the policy says of itself: its type with bounds, whether it may change at run time, and whether a
replay of recorded turns can answer what another value would do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, ValidationError, WrapValidator

from brain.types import InputModel
from cognitive.errors import InvalidInput

# Asked of the policy in question and of the policy that the turn was recorded under.
Condition = Callable[[Any, Any], bool]


def _not_always(turns: int) -> int:
    """ValueError for 1: with a trial in every turn, what the trials displace would never be shown."""
    if turns == 1:
        raise ValueError("1 would never show what exploration displaces; 0 is off, 2 the most")
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
    """Marks a number that may change while the layer runs, with the bounds and the step of its slider.

    The bounds are narrower than those of the field: only the operator's file may go beyond them. On a table the mark
    holds for each row.
    """

    label: str
    min: float
    max: float
    step: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class BeforeRecord:
    """Marks a setting that acts before anything is recorded: a turn's record holds neither the candidates nor the
    measures of another value, so a replay cannot tell what that value is worth.

    `when` restricts this to the changes for which it is so; without it every other value is unanswered.
    """

    when: Condition | None = None


@dataclass(frozen=True, slots=True)
class Replayable:
    """Marks a setting whose effect a replay computes anew from the record."""


@dataclass(frozen=True, slots=True)
class Outside:
    """Marks a setting that changes nothing of which memories a recorded turn shows: it acts on tools, the window, what
    is stored or later turns, which a replay neither computes nor judges.
    """


BEFORE_RECORD = BeforeRecord()
REPLAYABLE = Replayable()
OUTSIDE = Outside()


class SettingsGroup(InputModel):
    """A group of settings: frozen, unknown names are errors, each field is described by its attribute docstring."""

    model_config = ConfigDict(use_attribute_docstrings=True)


def _located(given: Any, validate: Callable[[Any], Any]) -> Any:
    """Have an error within a group name its whole path: "dedup.threshold"."""
    try:
        return validate(given)
    except InvalidInput as error:
        if isinstance(error.__context__, ValidationError):
            raise error.__context__ from None
        raise


# On a field that holds a group.
NESTED = WrapValidator(_located)

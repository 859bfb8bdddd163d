"""The base class of input values, whose errors name the field and say what to write instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from brain.errors import InvalidInput

MAX_KEYS = 200  # of an input value, several times its fields


class InputModel(BaseModel):
    """The base class of input values. Their fields cannot be changed, and unknown keys are not allowed.

    Errors in the values are raised as InvalidInput, with the name of the field.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="wrap")
    @classmethod
    def _typed_errors(cls, data: Any, handler: Any) -> Self:
        if isinstance(data, Mapping) and len(data) > MAX_KEYS:  # pydantic builds an error for each unknown key
            raise InvalidInput(f"{cls.__name__}: has {len(data)} keys; at most {MAX_KEYS} are allowed")
        try:
            return handler(data)  # type: ignore[no-any-return]
        except ValidationError as error:
            raise _invalid(cls, error) from None

    if not TYPE_CHECKING:  # pydantic's own signature is checked

        def __new__(cls, /, *values: Any, **fields: Any) -> Self:
            """Create an instance; raise TypeError for values without their fields' names."""
            if values:
                required = [name for name, field in cls.model_fields.items() if field.is_required()]
                named = ", ".join(f"{name}=…" for name in required or list(cls.model_fields)[:1])
                raise TypeError(f"{cls.__name__}: name the fields: {cls.__name__}({named})")
            return super().__new__(cls)


# What to say instead of pydantic's message, by the type of its error.
_MESSAGES = {
    "extra_forbidden": "unknown field",
    "timezone_aware": "has no time zone; write 2026-11-02T00:00:00Z, or datetime.now(UTC)",
    "tuple_type": 'expected a list, such as ["…"]',
}
# The same for a text, of which pydantic would say that it has items.
_TEXT_MESSAGES = {
    "too_short": "has {actual_length} characters; at least {min_length} must be there",
    "too_long": "has {actual_length} characters; at most {max_length} are allowed",
}


def _invalid(model: type[BaseModel], error: ValidationError) -> InvalidInput:
    """Return an InvalidInput about a model that lists the first three errors of pydantic, each with its field."""
    problems = [
        f"{'.'.join(str(part) for part in problem['loc']) or 'value'}: "
        + _message(problem)
        + (_hint(model, problem["loc"]) if problem["type"] == "extra_forbidden" else "")
        for problem in error.errors(include_url=False)[:3]
    ]
    return InvalidInput(f"{model.__name__}: " + "; ".join(problems))


def _message(problem: Mapping[str, Any]) -> str:
    if isinstance(problem["input"], str) and problem["type"] in _TEXT_MESSAGES:
        return _TEXT_MESSAGES[problem["type"]].format(**problem["ctx"])
    return _MESSAGES.get(problem["type"]) or str(problem["msg"])


def _hint(model: Any, path: Sequence[str | int]) -> str:
    """Return "; did you mean NAME?" for the field most similar to an unknown one, or else the names of all fields."""
    *groups, name = path
    for group in groups:
        model = getattr(getattr(model, "model_fields", {}).get(group), "annotation", None)
    known = list(getattr(model, "model_fields", ()))
    close = get_close_matches(str(name), known, 1)
    if close:
        return f"; did you mean {close[0]}?"
    return f"; known fields: {', '.join(known)}" if known else ""

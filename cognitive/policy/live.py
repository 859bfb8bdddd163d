"""The settings that may change at run time: the numbers of a policy that have a `LiveRange` annotation.

A policy version that is saved for an agent, on the dashboard, the command line or by the API, changes only these
settings. None of them runs code, or names a file, a model or an address; such settings are only in the host's policy.
The bounds of a `LiveRange` are narrower than those of the field. Only the host's policy may have values outside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from math import isfinite
from typing import Any

from pydantic.fields import FieldInfo

from brain.input_model import InputModel
from cognitive.errors import InvalidInput
from cognitive.policy.annotations import LiveRange, description
from cognitive.policy.policy import Policy, groups, settings


@dataclass(frozen=True, slots=True)
class LiveSetting:
    """A setting that may change at run time: its dotted name, and the label, bounds and step of its slider.

    The name of a setting in a table includes the row, as in "budgets.frames.task.total".
    """

    name: str
    label: str
    group: str
    min: float
    max: float
    step: float
    description: str
    unit: str = ""

    @property
    def is_integer(self) -> bool:
        """True if the setting takes only whole numbers."""
        return float(self.step).is_integer()

    def of(self, policy: Policy) -> float | int:
        """Return the setting's value in a policy."""
        value = policy.value(self.name)
        return int(value) if self.is_integer else float(value)

    def check(self, value: object) -> float | int:
        """Check a new value of this setting, and return it as an int or float as the setting requires.

        Raises:
            InvalidInput: the value is not a number, is out of bounds, or is a fraction where a whole number is
                required.
        """
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise InvalidInput(f"{self.name}: expected a number, got {value!r}")
        if not self.min <= value <= self.max:
            raise InvalidInput(f"{self.name}: expected {self.min:g} to {self.max:g}, got {value:g}")
        if self.is_integer and not float(value).is_integer():
            raise InvalidInput(f"{self.name}: expected a whole number, got {value:g}")
        return int(value) if self.is_integer else float(value)


def _rows() -> Iterator[LiveSetting]:
    for name, field in settings().items():
        text = description(groups().get(name.partition(".")[0], Policy), name.rpartition(".")[2])
        default = field.get_default(call_default_factory=True)
        if not isinstance(default, Mapping):
            yield from _row(name, name, field, text)
            continue
        for key, value in default.items():
            if isinstance(value, InputModel):
                for cell, own in type(value).model_fields.items():
                    about = description(type(value), cell)
                    yield from _row(f"{name}.{key}.{cell}", cell, own, about, f"{key.capitalize()}: ")
            else:
                yield from _row(f"{name}.{key}", key, field, text)


def _row(name: str, last: str, field: FieldInfo, text: str, of: str = "") -> Iterator[LiveSetting]:
    """Yield the live setting for a field, if the field has a `LiveRange` annotation.

    `last` is the last part of the dotted name, used in the label. The first sentence of `text` becomes the description.
    `of` is the label's beginning: the row of a table.
    """
    for live in (each for each in field.metadata if isinstance(each, LiveRange)):
        label = of + live.label.format(last.replace("_", " "))
        about = text.partition(". ")[0].rstrip(".").replace("\n", " ")
        yield LiveSetting(
            name, label, name.partition(".")[0].capitalize(), live.min, live.max, live.step, about, live.unit
        )


@cache
def live_settings() -> Mapping[str, LiveSetting]:
    """Return all settings that may change at run time, by dotted name, in the order of the policy."""
    return {row.name: row for row in _rows()}


def check_changes(changes: Mapping[str, object]) -> dict[str, float | int]:
    """Check changed settings against their bounds and return them in the order of the policy; keys are dotted names.

    Raises:
        InvalidInput: a setting may not change at run time, or a value is invalid.
    """
    if not isinstance(changes, Mapping):
        raise InvalidInput(f"changes: expected a mapping of settings to values, got {type(changes).__name__}")
    for name in changes:
        if name not in live_settings():
            close = get_close_matches(name[:100], live_settings(), 1) if name not in settings() else None
            raise InvalidInput(
                f"{name[:100]}: {f'did you mean {close[0]}? This ' if close else ''}cannot be changed at run time;"
                " `cognitive policy show --live-settings` lists the settings that can, others are changed in the host's"
                " policy file"
            )
    return {row.name: row.check(changes[row.name]) for row in live_settings().values() if row.name in changes}


def with_changes(policy: Policy, changes: Mapping[str, object]) -> Policy:
    """Return a policy with some of its run-time settings changed; the keys of `changes` are dotted names.

    Raises:
        InvalidInput: a setting may not change at run time, a value is invalid, or two values contradict each other.
    """
    return policy.changed(check_changes(changes))


def effective_changes(policy: Policy, changes: Mapping[str, object]) -> dict[str, float | int]:
    """Return the changes without those that are equal to the policy's own values."""
    return {name: value for name, value in check_changes(changes).items() if value != live_settings()[name].of(policy)}


def live_changes(base: Policy, live: Policy) -> dict[str, float | int]:
    """Return the run-time settings in which the policy `live` differs from `base`, with their values in `live`."""
    return {row.name: row.of(live) for row in live_settings().values() if row.of(live) != row.of(base)}


def policy_differences(one: Policy, other: Policy) -> dict[str, tuple[Any, Any]]:
    """Return the settings that differ between two policies: both values, by dotted name, in the order of the policy."""
    old, new = _flatten(one.model_dump(mode="json")), _flatten(other.model_dump(mode="json"))
    names = dict.fromkeys((*old, *new))
    return {name: (old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)}


def _flatten(value: Any, under: str = "") -> dict[str, Any]:
    if not isinstance(value, Mapping):
        return {under: value}
    flat: dict[str, Any] = {}
    for name, part in value.items():
        flat |= _flatten(part, f"{under}.{name}" if under else str(name))
    return flat

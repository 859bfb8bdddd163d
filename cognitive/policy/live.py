"""Settings that may change at run time: numbers with bounds, from the `LiveRange` marks of the policy.

A policy version stored for an agent by a page, the command line or the API changes these settings only. None of them
runs code, or names a file, a model or an address; such settings are in the host's policy only. The bounds are narrower
than those of the policy, which only the host may exceed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from pydantic.fields import FieldInfo

from brain.types import InputModel
from cognitive.errors import InvalidInput
from cognitive.policy.annotations import LiveRange
from cognitive.policy.policy import Policy, settings

Changes = Mapping[str, float | int]


@dataclass(frozen=True, slots=True)
class LiveSetting:
    """A setting that may change at run time, with its dotted name and the data of its slider.

    A row of a table is a setting too: "budgets.frames.task.total".
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
        """True if the setting takes whole numbers only."""
        return float(self.step).is_integer()

    def of(self, policy: Policy) -> float | int:
        """Return the setting's value in a policy."""
        value = policy.value(self.name)
        return int(value) if self.is_integer else float(value)

    def check(self, value: object) -> float | int:
        """Return the value as an int or a float, as the policy stores it.

        Raises:
            InvalidInput: the value is no number, is a fraction of a count, or is out of bounds.
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
        default = field.get_default(call_default_factory=True)
        if not isinstance(default, Mapping):
            yield from _row(name, name, field)
            continue
        for key, value in default.items():
            if isinstance(value, InputModel):
                for cell, own in type(value).model_fields.items():
                    yield from _row(f"{name}.{key}.{cell}", cell, own, f"{key.capitalize()}: ")
            else:
                yield from _row(f"{name}.{key}", key, field)


def _row(name: str, last: str, field: FieldInfo, of: str = "") -> Iterator[LiveSetting]:
    """Yield the live setting of a number if its field is marked.

    `last` is the number's own name; `of` begins the label with the name of its table row.
    """
    for live in (each for each in field.metadata if isinstance(each, LiveRange)):
        label = of + live.label.format(last.replace("_", " "))
        about = (field.description or "").partition(". ")[0].rstrip(".").replace("\n", " ")
        yield LiveSetting(
            name, label, name.partition(".")[0].capitalize(), live.min, live.max, live.step, about, live.unit
        )


LIVE_SETTINGS: tuple[LiveSetting, ...] = tuple(_rows())
LIVE_SETTINGS_BY_NAME: Mapping[str, LiveSetting] = {row.name: row for row in LIVE_SETTINGS}


def check_changes(changes: Mapping[str, object]) -> dict[str, float | int]:
    """Return changes by dotted name in the order of the settings, each checked against its bounds.

    Raises:
        InvalidInput: a name is not a live setting, or a value is invalid.
    """
    for name in changes:
        if name not in LIVE_SETTINGS_BY_NAME:
            raise InvalidInput(
                f"{name[:100]}: cannot be changed at run time; `cognitive policy show --live-settings` lists the"
                " settings that can, others are changed in the host's policy file"
            )
    return {row.name: row.check(changes[row.name]) for row in LIVE_SETTINGS if row.name in changes}


def with_changes(policy: Policy, changes: Mapping[str, object]) -> Policy:
    """Return a policy with changed live settings.

    Raises:
        InvalidInput: a name is not a live setting, a value is invalid, or the values contradict each other.
    """
    return policy.changed(check_changes(changes))


def effective_changes(policy: Policy, changes: Mapping[str, object]) -> dict[str, float | int]:
    """Return the changes that differ from the policy's values."""
    return {
        name: value for name, value in check_changes(changes).items() if value != LIVE_SETTINGS_BY_NAME[name].of(policy)
    }


def live_changes(base: Policy, live: Policy) -> dict[str, float | int]:
    """Return the live settings in which a policy differs from its base."""
    return {row.name: row.of(live) for row in LIVE_SETTINGS if row.of(live) != row.of(base)}


def policy_differences(one: Policy, other: Policy) -> dict[str, tuple[Any, Any]]:
    """Return the settings in which two policies differ, by dotted name, in the order of the policy."""
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

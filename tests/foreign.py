"""Values that a tool may take or return, including invalid and hostile ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from hypothesis import strategies as st

from cognitive import Message, ToolCall


class Unwilling:
    """A value that raises on every operation."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not comparable")

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("not readable")


class Closed(Mapping[str, Any]):
    """A mapping whose resource is closed: every access raises."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("closed")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("closed")

    def __len__(self) -> int:
        return 1


class Endless:
    """A value that contains an endless sequence of its kind."""

    def __iter__(self) -> Iterator[Any]:
        return (Endless() for _ in itertools.count())


def loop() -> list[Any]:
    """Return a list that contains itself twice."""
    values: list[Any] = ["a line"]
    values += [values, values]
    return values


def doubled(levels: int = 60) -> Any:
    """Return nested lists of which each contains the next one twice."""
    value: Any = "a line"
    for _ in range(levels):
        value = [value, value]
    return value


def nested(levels: int = 50_000) -> Any:
    """Return nested lists that are too deep for recursion."""
    value: Any = "a line"
    for _ in range(levels):
        value = [value]
    return value


VALUES: Mapping[str, Any] = {
    "surrogate": "half an emoji \ud83d and more",
    "nul": "a\0b",
    "long": "x" * 4_000_001,
    "binary": bytes(range(256)) * 20,
    "numbers": [float("nan"), float("inf"), 10**5000, -0.0],
    "keys": {"\ud800": 1, 2: "two", None: [], (1, 2): {}},
    "array": np.arange(5),
    "scalar": np.array(5),
    "unwilling": Unwilling(),
    "within": [Unwilling(), {"of": Unwilling()}],
    "closed": Closed(),
    "endless": Endless(),
    "loop": loop(),
    "doubled": doubled(),
    "nested": nested(),
}


def _value(name: str) -> Any:
    return VALUES[name]


LARGE = ("long", "loop", "doubled")  # too large to be drawn at random; each is tested once
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.binary(max_size=3)
    | st.text(st.characters(), max_size=5)
    | st.sampled_from(["\ud800", "\0", "", " "])
    | st.sampled_from([name for name in VALUES if name not in LARGE]).map(_value),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2) | st.integers(), inner, max_size=3),
    max_leaves=6,
)


def called(result: Any, **arguments: Any) -> list[Message]:
    """Return a conversation with a tool call that contains its own result."""
    call = ToolCall(name="look", id="c1", arguments=arguments, result=result)
    return [Message(role="user", content="Look."), Message(role="assistant", content="I do.", tool_calls=(call,))]

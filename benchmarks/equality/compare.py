"""List the differences between two recordings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def differences(first: Any, second: Any, path: str = "") -> Iterator[str]:
    """Yield a line for each place where two JSON values differ.

    `path` is the position of the values in the recording.
    """
    if isinstance(first, dict) and isinstance(second, dict):
        for name in sorted(first.keys() | second.keys()):
            yield from differences(first.get(name), second.get(name), f"{path}/{name}")
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for n, (one, other) in enumerate(zip(first, second, strict=True)):
            yield from differences(one, other, f"{path}/{n}")
    elif first != second:
        yield f"{path}: {str(first)[:100]!r} -> {str(second)[:100]!r}"

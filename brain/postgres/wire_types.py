"""Values as they cross the wire: vectors to and from pgvector's binary form, rows to dataclasses.

The codec of the package `pgvector` is not used here: to bytes from an array of 384 numbers takes it 2.3 µs instead of
1.5, back to an array of float32 1.9 µs instead of 1.5, and a query that reads 100 such vectors 0.31 ms instead of 0.28
(the best of 150 runs, interleaved, on two cores).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value")


def encode_halfvec(vector: NDArray[np.float32]) -> bytes:
    """pgvector's binary form: dimension and an unused word as 16-bit integers, then big-endian half floats.

    Vectors are bound in this form: asyncpg would take an array in an array for a matrix.
    """
    return len(vector).to_bytes(2, "big") + b"\x00\x00" + vector.astype(">f2").tobytes()


def decode_halfvec(value: bytes) -> NDArray[np.float32]:
    """The reverse of `encode_halfvec`."""
    return np.frombuffer(value, dtype=">f2", offset=4).astype(np.float32)


def as_value(kind: Callable[..., Value], row: Mapping[str, Any], **others: Any) -> Value:
    """Return a dataclass of the columns of a row that are its fields, and of `others`. An array becomes a tuple."""
    names = _fields(kind)
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items() if name in names}
    return kind(**{**values, **others})


@cache
def _fields(kind: Callable[..., object]) -> frozenset[str]:
    return frozenset(each.name for each in fields(cast("type[Any]", kind)))

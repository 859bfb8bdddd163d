"""Convert vectors to and from pgvector's binary form, and rows to dataclasses.

This codec replaces the one of the package `pgvector`, which is slower: that one encodes an array of 384 numbers in 2.3
µs instead of 1.5, and decodes one to float32 in 1.9 µs instead of 1.5. A query for 100 such vectors takes 0.31 ms with
it instead of 0.28 (best of 150 interleaved runs on two cores).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value")


def encode_halfvec(vector: NDArray[np.float32]) -> bytes:
    """Return a vector in pgvector's binary form for halfvec.

    This is the dimension and an unused word as 16-bit integers, then big-endian half floats. Query parameters use this
    form because asyncpg treats an array of arrays as a matrix.
    """
    return len(vector).to_bytes(2, "big") + b"\x00\x00" + vector.astype(">f2").tobytes()


def decode_halfvec(value: bytes) -> NDArray[np.float32]:
    """Return the float32 vector for a halfvec in pgvector's binary form; the reverse of `encode_halfvec`."""
    return np.frombuffer(value, dtype=">f2", offset=4).astype(np.float32)


def decode_halfvecs(values: Sequence[bytes | None]) -> list[NDArray[np.float32] | None]:
    """Return the vectors for halfvecs of one dimension, and None for None, in a third of the time of single ones."""
    known = [value for value in values if value is not None]
    if not known:
        return [None] * len(values)
    vectors = iter(np.frombuffer(b"".join(known), dtype=">f2").astype(np.float32).reshape(len(known), -1)[:, 2:])
    return [None if value is None else next(vectors) for value in values]


def as_value(kind: Callable[..., Value], row: Mapping[str, Any], **others: Any) -> Value:
    """Return an instance of the dataclass `kind`, with fields from the row's columns and from `others`.

    Each field takes the column of the same name. Arrays become tuples. Columns without a field are ignored.
    """
    names = _fields(kind)
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items() if name in names}
    return kind(**{**values, **others})


@cache
def _fields(kind: Callable[..., object]) -> frozenset[str]:
    return frozenset(each.name for each in fields(cast("type[Any]", kind)))


def count(tag: str) -> int:
    """Return the number of rows in a command tag of Postgres, such as 'DELETE 3'."""
    return int(tag.rsplit(" ", 1)[-1])

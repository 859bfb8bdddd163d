"""Whose caller would rather wait for Postgres to come back than be told at once that it is away.

A turn would not: its deadline is short, and its outcome is safe in the journal. Who stores, erases, rates or searches
has nothing to fall back on, and seconds to spare.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_patient: ContextVar[bool] = ContextVar("patient", default=False)


def patient(call: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Has a call, and whatever it calls, wait for the breaker's next probe instead of being refused at once."""

    @wraps(call)
    async def waiting(*args: P.args, **kwargs: P.kwargs) -> T:
        before = _patient.set(True)
        try:
            return await call(*args, **kwargs)
        finally:
            _patient.reset(before)

    return waiting


def is_patient() -> bool:
    """Whether the call that this is part of would wait."""
    return _patient.get()

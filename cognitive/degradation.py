"""Degradations: the parts of a turn that failed or were late, each with a stable code and a sentence for people.

`DegradationLog` logs them, a line per minute and reason at most.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, repeat
from time import monotonic
from typing import Literal, cast, get_args

from brain.deadline import Deadline

log = logging.getLogger(__name__)

_SECONDS = 60.0  # between two lines of the log about one reason

# The first word names the part of the turn; the rest says what happened to it.
DegradationCode = Literal[
    "redaction_late",
    "redaction_failed",
    "prefix_late",
    "prefix_failed",
    "embedding_late",
    "embedding_failed",
    "embedding_model_missing",
    "retrieval_late",
    "retrieval_failed",
    "dedup_late",
    "dedup_failed",
    "memory_failed",
    "tools_late",
    "tools_failed",
    "window_late",
    "window_failed",
    "window_over_limit",
    "session_late",
    "session_failed",
    "artifacts_late",
    "artifacts_failed",
    "directive_refused",
    "record_late",
    "record_failed",
    "server_failed",
]
Part = Literal[
    "prefix", "retrieval", "session", "artifacts", "record"
]  # the parts that have both a code for "late" and one for "failed"
DEGRADATION_CODES: tuple[str, ...] = get_args(DegradationCode)


class Degradation(str):
    """A part of a turn that failed or was late, as a text "part: detail".

    The attribute `code` is stable, so that programs can rely on it; `detail` may change.
    """

    __slots__ = ("code", "detail")

    code: DegradationCode
    detail: str

    def __new__(cls, code: DegradationCode, detail: str) -> Degradation:
        """Create a degradation, the text "part: detail", from its code and the detail."""
        self = super().__new__(cls, f"{part(code)}: {detail}")
        self.code, self.detail = code, detail
        return self

    @classmethod
    def from_error(cls, part: Part, error: Exception, deadline: Deadline, consequence: str = "") -> Degradation:
        """Return the degradation of a part of a turn for which Postgres failed, or did not answer by the deadline.

        The code ends with "_late" for a TimeoutError, and with "_failed" for any other error, whose message is the
        detail. `consequence` follows the detail.
        """
        if isinstance(error, TimeoutError):
            detail = f"late: no answer from Postgres within {deadline.milliseconds:.0f} ms"
            return cls(cast(DegradationCode, f"{part}_late"), f"{detail}{consequence}")
        return cls(cast(DegradationCode, f"{part}_failed"), f"{str(error) or type(error).__name__}{consequence}")

    def __reduce__(self) -> tuple[type[Degradation], tuple[DegradationCode, str]]:
        """Return the class and the arguments from which `copy` and `pickle` create the degradation again."""
        return type(self), (self.code, self.detail)

    @property
    def part(self) -> str:
        """The part of the turn that failed or was late."""
        return part(self.code)


def part(code: str) -> str:
    """Return the part of the turn that a degradation code names: its first word."""
    return code.partition("_")[0]


def codes(degraded: Iterable[Degradation]) -> tuple[str, ...]:
    """Return the stable codes of degradations (parts of a turn that failed or were late), in order."""
    return tuple(each.code for each in degraded)


def read(sentences: Iterable[str], codes: Iterable[str]) -> tuple[Degradation, ...]:
    """Create the degradations of a stored turn from their sentences and codes.

    Turns that were stored by older versions have no codes. Each of their sentences gets the code for the failure of the
    part that it names, such as "tools_failed".
    """
    pairs = zip(sentences, chain(codes, repeat(None)), strict=False)
    return tuple(_read(sentence, code or _code(sentence)) for sentence, code in pairs)


def _read(sentence: str, code: str) -> Degradation:
    return Degradation(cast(DegradationCode, code), sentence.removeprefix(f"{part(code)}: "))


def _code(sentence: str) -> str:
    """Return the code for the failure of the part that a sentence begins with, such as "tools_failed".

    If the part is unknown, return "memory_failed".
    """
    name = sentence.partition(":")[0]
    failed = (code for code in DEGRADATION_CODES if part(code) == name and not code.endswith("_late"))
    return next(failed, "memory_failed")


class DegradationLog:
    """Logs the parts of turns that failed or were late. An overload would otherwise fill the log.

    `clock` returns the seconds since any fixed time.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._turns: Counter[str] = Counter()
        self._logged: dict[str, float] = {}

    def add(self, degraded: Sequence[Degradation]) -> None:
        """Count the degradations of a turn, and log each reason that was not logged within the last minute."""
        self._turns.update(set(codes(degraded)))
        now = self._clock()
        for each in degraded:
            if now - self._logged.get(each.code, now - _SECONDS) >= _SECONDS:
                log.warning("%s: %d turns since the last such line: %s", each.code, self._turns.pop(each.code), each)
                self._logged[each.code] = now

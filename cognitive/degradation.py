"""Degradations: the parts of a turn that failed or were late, each with a stable code and a sentence for people."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, repeat
from typing import Literal, cast, get_args

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
    def from_error(cls, part: Part, error: Exception, late: str, consequence: str = "") -> Degradation:
        """Return the degradation of a part of a turn that raised an error.

        The code ends with "_late" for a TimeoutError, and with "_failed" for any other error. The detail is the error's
        message, followed by `consequence`. If the error has no message, the detail begins with `late` instead.
        """
        code = f"{part}_late" if isinstance(error, TimeoutError) else f"{part}_failed"
        return cls(cast(DegradationCode, code), f"{str(error) or late}{consequence}")

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

"""Why a turn went on without something: a sentence for people, with a code for programs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, repeat
from typing import Literal, cast, get_args

# The first word names the part of the turn, the rest what happened to it.
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
Part = Literal["prefix", "retrieval", "session", "artifacts", "record"]  # each may be late, and may fail
DEGRADATION_CODES: tuple[str, ...] = get_args(DegradationCode)


class Degradation(str):
    """What a turn had to do without. The value is the sentence "part: detail"; `code` is stable, `detail` is not."""

    __slots__ = ("code", "detail")

    code: DegradationCode
    detail: str

    def __new__(cls, code: DegradationCode, detail: str) -> Degradation:
        """Return the sentence of a code and its detail."""
        self = super().__new__(cls, f"{part(code)}: {detail}")
        self.code, self.detail = code, detail
        return self

    @classmethod
    def from_error(cls, part: Part, error: Exception, late: str, consequence: str = "") -> Degradation:
        """Return what an error of a part means for the turn; `late` is the detail of one that has no message."""
        code = f"{part}_late" if isinstance(error, TimeoutError) else f"{part}_failed"
        return cls(cast(DegradationCode, code), f"{str(error) or late}{consequence}")

    def __reduce__(self) -> tuple[type[Degradation], tuple[DegradationCode, str]]:
        """Return what `copy` and `pickle` create it from."""
        return type(self), (self.code, self.detail)

    @property
    def part(self) -> str:
        """Return the part of the turn that was late or failed."""
        return part(self.code)


def part(code: str) -> str:
    """Return the part of the turn that a code is about."""
    return code.partition("_")[0]


def codes(degraded: Iterable[Degradation]) -> tuple[str, ...]:
    """Return the codes of a turn's degradations, in order."""
    return tuple(each.code for each in degraded)


def read(sentences: Iterable[str], codes: Iterable[str]) -> tuple[Degradation, ...]:
    """Return the degradations whose sentences and codes were written beside each other.

    Whoever wrote them may be older or newer than this version: a sentence without a code has that of its part.
    """
    given = zip(sentences, chain(codes, repeat(None)), strict=False)
    return tuple(_read(sentence, code or _code(sentence)) for sentence, code in given)


def _read(sentence: str, code: str) -> Degradation:
    return Degradation(cast(DegradationCode, code), sentence.removeprefix(f"{part(code)}: "))


def _code(sentence: str) -> str:
    """Return the code of what failed by the part that a sentence begins with; of no known part, that of memory."""
    name = sentence.partition(":")[0]
    failed = (code for code in DEGRADATION_CODES if part(code) == name and not code.endswith("_late"))
    return next(failed, "memory_failed")

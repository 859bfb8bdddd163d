"""A turn's tools: which the plan removed, what the catalog lost to fit its model, which were called after all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CalledTool:
    """A tool that was called; `absent` is how it was left out, "" if it was offered."""

    name: str
    absent: str


@dataclass(frozen=True, slots=True)
class TrimmedCatalog:
    """A catalog that was too large for its model: bytes of JSON before and after, and what went, in order.

    `cut` are the most relevant of the `cut_count` tools that went whole; `notes` are what is to be said of the choice.
    """

    before: int
    after: int
    limit: int
    reductions: tuple[str, ...]
    cut: tuple[str, ...]
    cut_count: int
    ranked_by: tuple[str, ...]
    confidence: float
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TurnToolsView:
    """What the page tells; `fitted` is None for a catalog that the model can carry as it is."""

    removed: tuple[str, ...]
    fitted: TrimmedCatalog | None
    called: tuple[CalledTool, ...]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to tell."""
        return not (self.removed or self.fitted or self.called)


def turn_tools(plan: Mapping[str, Any], trim: Mapping[str, Any], called: Sequence[str]) -> TurnToolsView:
    """The tools of a turn, from its plan, what its catalog lost and what it called, as they were recorded."""
    removed, fitted = tuple(plan.get("removed", ())), _fitted(trim)
    cut = fitted.cut if fitted is not None else ()
    return TurnToolsView(removed, fitted, tuple(CalledTool(name, _absent(name, removed, cut)) for name in called))


def _absent(name: str, removed: Sequence[str], cut: Sequence[str]) -> str:
    return "removed" if name in removed else "cut" if name in cut else ""


def _fitted(trim: Mapping[str, Any]) -> TrimmedCatalog | None:
    if not trim:
        return None
    notes = (
        "There was no time to read them: they were cut by their names." if trim.get("late") else "",
        "The cut may have taken what the message needs." if trim.get("low_confidence") else "",
        f"{trim['gap'].capitalize()}." if trim.get("gap") else "",
    )
    return TrimmedCatalog(
        trim["before_bytes"],
        trim["after_bytes"],
        trim["limit"],
        tuple(trim.get("dropped", ())),
        tuple(trim.get("cut", ())),
        trim.get("cut_count", 0),
        tuple(trim.get("ranked_by", ())),
        trim.get("confidence", 1.0),
        tuple(each for each in notes if each),
    )

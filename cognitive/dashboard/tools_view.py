"""A turn's tools: those that the plan removed, those cut to fit the model, and those that were called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CalledTool:
    """A tool that was called. `absent` is "removed" or "cut" if the turn did not offer it, else ""."""

    name: str
    absent: str


@dataclass(frozen=True, slots=True)
class TrimmedCatalog:
    """A list of tools that was too large for its model: its size in bytes of JSON, and what was removed to fit it.

    `reductions` are the steps in order. `cut` are the most relevant of the `cut_count` tools that were left out.
    `notes` are remarks for the operator.
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
    """The tools of a turn. `fitted` is None if all tools fit the model."""

    removed: tuple[str, ...]
    fitted: TrimmedCatalog | None
    called: tuple[CalledTool, ...]

    @property
    def empty(self) -> bool:
        """True if no tool was removed, cut or called."""
        return not (self.removed or self.fitted or self.called)


def turn_tools(plan: Mapping[str, Any], trim: Mapping[str, Any], called: Sequence[str]) -> TurnToolsView:
    """Return the tools of a turn from its recorded plan, trim and calls."""
    removed, fitted = tuple(plan.get("removed", ())), _fitted(trim)
    cut = fitted.cut if fitted is not None else ()
    return TurnToolsView(removed, fitted, tuple(CalledTool(name, _absent(name, removed, cut)) for name in called))


def _absent(name: str, removed: Sequence[str], cut: Sequence[str]) -> str:
    return "removed" if name in removed else "cut" if name in cut else ""


def _fitted(trim: Mapping[str, Any]) -> TrimmedCatalog | None:
    if not trim:
        return None
    notes = (
        "There was no time to rank the tools: they were cut by name." if trim.get("late") else "",
        "A tool that the message needs may have been cut." if trim.get("low_confidence") else "",
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

"""The tools of a turn: those that the plan removed, those cut to fit the model, and those that were called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CalledTool:
    """A tool that a turn's model called. `absent` is "removed" or "cut" if it was not offered to the model, else ""."""

    name: str
    absent: str


@dataclass(frozen=True, slots=True)
class TrimmedCatalog:
    """The result of shortening a turn's list of tools, which was too large for the model.

    `before`, `after` and `limit` are sizes in bytes of JSON. `reductions` are the kinds of data that were removed, in
    order. `cut_count` tools were left out entirely, and `cut` are the most relevant of these. `notes` are remarks for
    the operator.
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
    """The tools of a turn, as the page shows them.

    `fitted` describes how the list of tools was shortened to fit the model. It is None if nothing had to be shortened.
    """

    removed: tuple[str, ...]
    fitted: TrimmedCatalog | None
    called: tuple[CalledTool, ...]

    @property
    def empty(self) -> bool:
        """True if no tool was removed, cut or called in the turn."""
        return not (self.removed or self.fitted or self.called)


def turn_tools(plan: Mapping[str, Any], trim: Mapping[str, Any], called: Sequence[str]) -> TurnToolsView:
    """Return the tools of a turn in the form that the page shows.

    `plan` is the turn's recorded plan, `trim` the record of how the list of tools was shortened, and `called` has the
    names of the called tools.
    """
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

"""The ranked cut: where no step of compaction suffices, the least relevant tools say least, and then go.

Many tools in few words keep the one that is needed more often than few tools whole (docs/decisions/0016-catalogue.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from cognitive.catalog.entry import Offered

MOST_BARE = 128  # tools written when there is no time: some 0.1 ms each
_MOST_PASSED = 20  # then what is left is so little that of a large catalogue no form need be made to see it


@dataclass(frozen=True, slots=True)
class Selected:
    """The tools that stay, by their place, as they are sent; which of them say least; who went, most relevant first."""

    kept: Mapping[int, bytes]
    spare: frozenset[int]
    cut: tuple[int, ...]


def select(tools: Sequence[Offered], order: Sequence[int], limit: int, *, telling: int) -> Selected:
    """As many tools as fit, in the order of relevance; the first `telling` of them compacted, the others spare.

    One that is too large is passed over for a smaller one behind it, `_MOST_PASSED` times. If all fit, as many more as
    there is room for stay compacted. If not even one does, the most relevant is kept nonetheless: no tool at all would
    be another plan.
    """
    kept, cut = _fitting(tools, order, limit, lambda tool, room, n: _largest(tool, room, telling=n < telling))
    if not kept and order:
        kept, cut = {order[0]: tools[order[0]].spare}, list(order[1:])
    if not cut:
        _enrich(tools, order[telling:], kept, limit)
    spare = frozenset(n for n, form in kept.items() if len(form) < len(tools[n].forms[-1]))
    return Selected({n: kept[n] for n in sorted(kept)}, spare, tuple(cut))


def select_bare(tools: Sequence[Offered], order: Sequence[int], limit: int) -> Selected:
    """As `select`, of a catalogue that there is no time to read: at most `MOST_BARE`, each as bare as it can be."""
    kept, cut = _fitting(tools, order, limit, lambda tool, room, n: _bare(tool, room) if n < MOST_BARE else None)
    if not kept and order:
        kept, cut = {order[0]: tools[order[0]].bare}, list(order[1:])
    return Selected({n: kept[n] for n in sorted(kept)}, frozenset(kept), tuple(cut))


def _fitting(
    tools: Sequence[Offered], order: Sequence[int], limit: int, form_of: Callable[[Offered, int, int], bytes | None]
) -> tuple[dict[int, bytes], list[int]]:
    """Tools by their place, in a form that fits the room left after so many, and those of which none does."""
    left = limit - 1  # a bracket; the other one, or a comma, goes with each tool
    kept, cut = dict[int, bytes](), list[int]()
    for n in order:
        form = None
        if len(cut) < _MOST_PASSED:
            form = form_of(tools[n], left - 1, len(kept))
        if form is None:
            cut.append(n)
        else:
            kept[n] = form
            left -= len(form) + 1
    return kept, cut


def _largest(tool: Offered, room: int, *, telling: bool) -> bytes | None:
    if tool.least > room:
        return None
    if telling and len(tool.forms[-1]) <= room:
        return tool.forms[-1]
    return tool.spare if len(tool.spare) <= room else None


def _bare(tool: Offered, room: int) -> bytes | None:
    form = tool.bare if tool.least <= room else b""
    return form if 0 < len(form) <= room else None


def _enrich(tools: Sequence[Offered], order: Sequence[int], kept: dict[int, bytes], limit: int) -> None:
    """Gives back what was left out for nothing, the most relevant first, until it no longer fits."""
    left = limit - 1 - sum(len(form) + 1 for form in kept.values())
    for n in order:
        more = len(tools[n].forms[-1]) - len(kept[n])
        if more > left:
            return
        kept[n] = tools[n].forms[-1]
        left -= more

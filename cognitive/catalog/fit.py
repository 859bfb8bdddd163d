"""Fit a catalog to what a model can carry: compacted, and cut by relevance only where that does not suffice.

In the cut, the least relevant tools say least, and then go. Many tools in few words keep the one that is needed more
often than few tools whole (docs/decisions/0016-catalog.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic_core import from_json

from cognitive.catalog.compaction import MINIMAL_STEPS, STEPS, compact, total
from cognitive.catalog.ranking import TOOLS_WITH_FULL_SCHEMA, ToolRanking
from cognitive.catalog.tool_variants import ToolCatalog, ToolVariants
from cognitive.trace import Trim
from cognitive.turn import ToolSelection, ToolSpec

MAX_TOOLS_WHEN_LATE = 128  # tools written when there is no time: some 0.1 ms each
_MAX_PASSED = 20  # then what is left is so little that of a large catalog no form need be made to see it

# Of the best tool's match: below, no tool is for this. Of requests that have a tool 2 % are below, of small talk one in
# six.
MIN_MATCH = 0.22


def select_all(catalog: ToolCatalog, model: str | None) -> ToolSelection:
    """Everything as it was given."""
    return ToolSelection(catalog.tools, model, tuple(ToolSpec(offered.value) for offered in catalog.variants))


def fit(
    catalog: ToolCatalog,
    model: str | None,
    limit: int,
    ranked: Callable[[], ToolRanking],
    full: int = TOOLS_WITH_FULL_SCHEMA,
) -> ToolSelection:
    """The tools within so many bytes, or as near as it gets; `limit` 0: everything as it was given.

    `ranked` is asked only if not all of the tools can stay as they are after all steps of compaction; then the first
    `full` of them keep their parameters.
    """
    if not limit or not catalog.tools or catalog.bytes <= limit:
        return select_all(catalog, model)
    if catalog.min_bytes <= limit:
        compacted = compact([offered.forms for offered in catalog.variants], limit)
        if compacted.fits(limit):
            sent = tuple(_spec(offered.forms[compacted.level]) for offered in catalog.variants)
            trim = Trim(limit, catalog.bytes, compacted.bytes, compacted.dropped)
            return ToolSelection(catalog.tools, model, sent, trim=trim)
    return _cut(catalog, model, limit, ranked(), full)


def cut_late(catalog: ToolCatalog, model: str | None, limit: int, ranking: ToolRanking) -> ToolSelection:
    """The first of a ranking that fit, each as bare as it can be: for a catalog that there is no time to read.

    What the whole of it takes is not known then: `before_bytes` is what it takes at least.
    """
    tools = catalog.variants
    selected = select_stripped(tools, ranking.order, limit)
    after = total([len(form) for form in selected.forms.values()])
    trim = Trim(
        limit,
        max(after, catalog.min_bytes + sum(len(tool.description) for tool in catalog.tools)),
        after,
        ("all but the most needful", f"{len(selected.cut)} of {len(tools)} tools by their names"),
        tuple(tools[n].name for n in selected.cut),
        ranking.by,
        ranking.confidence,
        low_confidence=bool(selected.cut),
        late=True,
    )
    return ToolSelection(catalog.tools, model, tuple(map(_spec, selected.forms.values())), ranking.order, trim)


def _cut(catalog: ToolCatalog, model: str | None, limit: int, ranking: ToolRanking, full: int) -> ToolSelection:
    tools = catalog.variants
    selected = select(tools, ranking.order, limit, with_schema=full)
    trim = Trim(
        limit,
        catalog.bytes,
        total([len(form) for form in selected.forms.values()]),
        _dropped(tools, selected),
        tuple(tools[n].name for n in selected.cut),
        ranking.by,
        ranking.confidence,
        low_confidence=bool(selected.cut) and ranking.low,
        gap=_gap(tools, ranking),
    )
    return ToolSelection(catalog.tools, model, tuple(map(_spec, selected.forms.values())), ranking.order, trim)


def _dropped(tools: Sequence[ToolVariants], selected: SelectedForms) -> tuple[str, ...]:
    """What the tools that stay lost, step by step, and how many went."""
    kept = [tools[n].forms for n in selected.forms]
    said = [step.drops for n, step in enumerate(STEPS) if any(len(each[n + 1]) < len(each[n]) for each in kept)]
    if selected.minimal:
        of = f"of {len(selected.minimal)} of {len(kept)} tools"
        said += [f"{step.drops} {of}" for step in MINIMAL_STEPS]
    if selected.cut:
        said.append(f"{len(selected.cut)} of {len(tools)} tools by relevance")
    return tuple(said)


def _gap(tools: Sequence[ToolVariants], ranking: ToolRanking) -> str | None:
    floor = MIN_MATCH if "meaning" in ranking.by else 0.0  # words alone miss too much to claim it by degrees
    if ranking.confidence > floor:
        return None
    nearest = tools[ranking.order[0]].name
    return f"no tool seems to be for this: the nearest, {nearest!r}, matches by {ranking.confidence:.2f}"


def _spec(form: bytes) -> ToolSpec:
    return ToolSpec(from_json(form))


# --- the ranked cut ---


@dataclass(frozen=True, slots=True)
class SelectedForms:
    """The tools that stay, by their place, as they are sent; which of them say least; who went, most relevant first."""

    forms: Mapping[int, bytes]
    minimal: frozenset[int]
    cut: tuple[int, ...]


def select(tools: Sequence[ToolVariants], order: Sequence[int], limit: int, *, with_schema: int) -> SelectedForms:
    """As many tools as fit, in the order of relevance; the first `with_schema` of them compacted, the others spare.

    One that is too large is passed over for a smaller one behind it, `_MAX_PASSED` times. If all fit, as many more as
    there is room for stay compacted. If not even one does, the most relevant is kept nonetheless: no tool at all would
    be another plan.
    """
    kept, cut = _fitting(tools, order, limit, lambda tool, room, n: _largest(tool, room, with_schema=n < with_schema))
    if not kept and order:
        kept, cut = {order[0]: tools[order[0]].minimal}, list(order[1:])
    if not cut:
        _enrich(tools, order[with_schema:], kept, limit)
    minimal = frozenset(n for n, form in kept.items() if len(form) < len(tools[n].forms[-1]))
    return SelectedForms({n: kept[n] for n in sorted(kept)}, minimal, tuple(cut))


def select_stripped(tools: Sequence[ToolVariants], order: Sequence[int], limit: int) -> SelectedForms:
    """As `select`, of a catalog that there is no time to read: at most `MAX_TOOLS_WHEN_LATE`, each as bare as it can
    be.
    """
    kept, cut = _fitting(
        tools, order, limit, lambda tool, room, n: _stripped(tool, room) if n < MAX_TOOLS_WHEN_LATE else None
    )
    if not kept and order:
        kept, cut = {order[0]: tools[order[0]].stripped}, list(order[1:])
    return SelectedForms({n: kept[n] for n in sorted(kept)}, frozenset(kept), tuple(cut))


def _fitting(
    tools: Sequence[ToolVariants],
    order: Sequence[int],
    limit: int,
    form_of: Callable[[ToolVariants, int, int], bytes | None],
) -> tuple[dict[int, bytes], list[int]]:
    """Tools by their place, in a form that fits the room left after so many, and those of which none does."""
    left = limit - 1  # a bracket; the other one, or a comma, goes with each tool
    kept, cut = dict[int, bytes](), list[int]()
    for n in order:
        form = None
        if len(cut) < _MAX_PASSED:
            form = form_of(tools[n], left - 1, len(kept))
        if form is None:
            cut.append(n)
        else:
            kept[n] = form
            left -= len(form) + 1
    return kept, cut


def _largest(tool: ToolVariants, room: int, *, with_schema: bool) -> bytes | None:
    if tool.min_bytes > room:
        return None
    if with_schema and len(tool.forms[-1]) <= room:
        return tool.forms[-1]
    return tool.minimal if len(tool.minimal) <= room else None


def _stripped(tool: ToolVariants, room: int) -> bytes | None:
    form = tool.stripped if tool.min_bytes <= room else b""
    return form if 0 < len(form) <= room else None


def _enrich(tools: Sequence[ToolVariants], order: Sequence[int], kept: dict[int, bytes], limit: int) -> None:
    """Gives back what was left out for nothing, the most relevant first, until it no longer fits."""
    left = limit - 1 - sum(len(form) + 1 for form in kept.values())
    for n in order:
        more = len(tools[n].forms[-1]) - len(kept[n])
        if more > left:
            return
        kept[n] = tools[n].forms[-1]
        left -= more

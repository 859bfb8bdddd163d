"""Fit tools to the budget of a model: shorten all of them, and cut by relevance only if that does not suffice.

The cut first reduces the least relevant tools to their minimal form (required parameters and a few words of
description), then removes them. The tool that a message needs is kept more often in this way than if fewer tools were
kept whole (docs/decisions/0016-catalog.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic_core import from_json

from cognitive.catalog.compaction import MINIMAL_STEPS, STEPS, compact, total
from cognitive.catalog.ranking import TOOLS_WITH_FULL_SCHEMA, ToolRanking
from cognitive.catalog.tool_variants import ToolCatalog, ToolVariants
from cognitive.tool import ToolSelection, ToolSpec, Trim

MAX_TOOLS_WHEN_LATE = 128  # tools that are serialised after the deadline, some 0.1 ms each
_MAX_SKIPPED = 20  # tools that did not fit, after which the remaining room is taken as too small for any other

# Match of the best tool at or below which no tool seems suitable. It is that low for 2 % of the requests that have a
# tool, and for one in six messages of small talk.
MIN_MATCH = 0.22


def select_all(catalog: ToolCatalog, model: str | None) -> ToolSelection:
    """Return a selection of all tools of a catalog, unchanged."""
    return ToolSelection(catalog.tools, model, tuple(ToolSpec(offered.value) for offered in catalog.variants))


def fit(
    catalog: ToolCatalog,
    model: str | None,
    limit: int,
    ranked: Callable[[], ToolRanking],
    full: int = TOOLS_WITH_FULL_SCHEMA,
) -> ToolSelection:
    """Fit the tools of a catalog into `limit` bytes if possible; with the limit 0 they stay unchanged.

    If not even the most relevant tool fits, it is returned alone and exceeds the limit.

    Args:
        catalog: The tools of the turn.
        model: The model that the tools are for.
        limit: The model's budget for tools, in bytes of JSON.
        ranked: Returns the ranking of the tools; called only if they do not fit after all steps of compaction.
        full: The number of most relevant tools that keep their parameters in the cut.
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
    """Select tools quickly when the deadline has passed: the first of a ranking that fit, each in its shortest form.

    To save time, the size of the whole catalog is not computed; `before_bytes` of the result is a lower bound of it.
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
    """Describe what the kept tools lost in each step, and how many tools were removed; one phrase for each."""
    kept = [tools[n].forms for n in selected.forms]
    dropped = [step.drops for n, step in enumerate(STEPS) if any(len(each[n + 1]) < len(each[n]) for each in kept)]
    if selected.minimal:
        of = f"of {len(selected.minimal)} of {len(kept)} tools"
        dropped += [f"{step.drops} {of}" for step in MINIMAL_STEPS]
    if selected.cut:
        dropped.append(f"{len(selected.cut)} of {len(tools)} tools by relevance")
    return tuple(dropped)


def _gap(tools: Sequence[ToolVariants], ranking: ToolRanking) -> str | None:
    threshold = MIN_MATCH if "meaning" in ranking.by else 0.0  # a low match of words alone does not prove a gap
    if ranking.confidence > threshold:
        return None
    nearest = tools[ranking.order[0]].name
    return f"no tool seems to be for this: the nearest, {nearest!r}, matches by {ranking.confidence:.2f}"


def _spec(form: bytes) -> ToolSpec:
    return ToolSpec(from_json(form))


# --- the ranked cut ---


@dataclass(frozen=True, slots=True)
class SelectedForms:
    """The result of cutting tools by relevance. Tools are identified by their index in the catalog.

    `forms` maps the kept tools to the JSON that is sent, in catalog order. `minimal` are the kept tools that were cut
    down further than all compaction steps do. `cut` are the removed tools, the most relevant first.
    """

    forms: Mapping[int, bytes]
    minimal: frozenset[int]
    cut: tuple[int, ...]


def select(tools: Sequence[ToolVariants], order: Sequence[int], limit: int, *, with_schema: int) -> SelectedForms:
    """Select as many tools as fit in `limit` bytes; `order` has their indexes, the most relevant first.

    The first `with_schema` tools keep their parameters, the others get their minimal form. A tool that is too large is
    skipped for a smaller one after it, at most `_MAX_SKIPPED` times. If all tools fit, the remaining room is used to
    give tools in minimal form their parameters back. If no tool fits, the most relevant is kept nonetheless, because
    the plan asked for tools.
    """
    kept, cut = _fitting(tools, order, limit, lambda tool, room, n: _largest(tool, room, with_schema=n < with_schema))
    if not kept and order:
        kept, cut = {order[0]: tools[order[0]].minimal}, list(order[1:])
    if not cut:
        _enrich(tools, order[with_schema:], kept, limit)
    minimal = frozenset(n for n, form in kept.items() if len(form) < len(tools[n].forms[-1]))
    return SelectedForms({n: kept[n] for n in sorted(kept)}, minimal, tuple(cut))


def select_stripped(tools: Sequence[ToolVariants], order: Sequence[int], limit: int) -> SelectedForms:
    """Select up to `MAX_TOOLS_WHEN_LATE` tools that fit in `limit` bytes, each in its shortest form.

    `order` has the indexes of the tools, the most relevant first.
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
    """Take tools in the given order while they fit in `limit` bytes.

    Return the JSON of the tools that fit, by the tool's index, and the indexes of the other tools. `form_of` receives a
    tool, the remaining bytes, and the number of tools kept so far. It returns None if no form of the tool fits.
    """
    left = limit - 1  # one bracket; the other bracket, or a comma, is counted with each tool
    kept, cut = dict[int, bytes](), list[int]()
    for n in order:
        form = None
        if len(cut) < _MAX_SKIPPED:
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
    """Give kept tools in minimal form more of their parameters back, the most relevant first, while there is room."""
    left = limit - 1 - sum(len(form) + 1 for form in kept.values())
    for n in order:
        more = len(tools[n].forms[-1]) - len(kept[n])
        if more > left:
            return
        kept[n] = tools[n].forms[-1]
        left -= more

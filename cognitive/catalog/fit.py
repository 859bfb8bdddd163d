"""From a catalogue to what a model can carry: compacted, and cut by relevance only where that does not suffice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic_core import from_json

from cognitive.catalog.compact import SPARE_STEPS, STEPS, compact, total
from cognitive.catalog.entry import Catalogue, Offered
from cognitive.catalog.rank import Ranking
from cognitive.catalog.select import Selected, select, select_bare
from cognitive.policy import Policy
from cognitive.trace import Trim
from cognitive.turn import Offer, ToolSpec


def untouched(catalogue: Catalogue, model: str | None) -> Offer:
    """Everything as it was given."""
    return Offer(catalogue.tools, model, tuple(ToolSpec(offered.value) for offered in catalogue.offered))


def fit(catalogue: Catalogue, model: str | None, limit: int, ranked: Callable[[], Ranking], policy: Policy) -> Offer:
    """The tools within so many bytes, or as near as it gets; `limit` 0: everything as it was given.

    `ranked` is asked only if not all of the tools can stay as they are after all steps of compaction.
    """
    if not limit or not catalogue.tools or catalogue.bytes <= limit:
        return untouched(catalogue, model)
    if catalogue.least <= limit:
        compacted = compact([offered.forms for offered in catalogue.offered], limit)
        if compacted.fits(limit):
            sent = tuple(_spec(offered.forms[compacted.level]) for offered in catalogue.offered)
            trim = Trim(limit, catalogue.bytes, compacted.bytes, compacted.dropped)
            return Offer(catalogue.tools, model, sent, trim=trim)
    return _cut(catalogue, model, limit, ranked(), policy)


def cut_late(catalogue: Catalogue, model: str | None, limit: int, ranking: Ranking) -> Offer:
    """The first of a ranking that fit, each as bare as it can be: for a catalogue that there is no time to read.

    What the whole of it takes is not known then: `before_bytes` is what it takes at least.
    """
    tools = catalogue.offered
    selected = select_bare(tools, ranking.order, limit)
    after = total([len(form) for form in selected.kept.values()])
    trim = Trim(
        limit,
        max(after, catalogue.least + sum(len(tool.description) for tool in catalogue.tools)),
        after,
        ("all but the most needful", f"{len(selected.cut)} of {len(tools)} tools by their names"),
        tuple(tools[n].name for n in selected.cut),
        ranking.by,
        ranking.confidence,
        low_confidence=bool(selected.cut),
        late=True,
    )
    return Offer(catalogue.tools, model, tuple(map(_spec, selected.kept.values())), ranking.order, trim)


def _cut(catalogue: Catalogue, model: str | None, limit: int, ranking: Ranking, policy: Policy) -> Offer:
    tools = catalogue.offered
    selected = select(tools, ranking.order, limit, telling=policy.catalog_telling)
    trim = Trim(
        limit,
        catalogue.bytes,
        total([len(form) for form in selected.kept.values()]),
        _dropped(tools, selected),
        tuple(tools[n].name for n in selected.cut),
        ranking.by,
        ranking.confidence,
        low_confidence=bool(selected.cut) and ranking.low(policy),
        gap=_gap(tools, ranking, policy),
    )
    return Offer(catalogue.tools, model, tuple(map(_spec, selected.kept.values())), ranking.order, trim)


def _dropped(tools: Sequence[Offered], selected: Selected) -> tuple[str, ...]:
    """What the tools that stay lost, step by step, and how many went."""
    kept = [tools[n].forms for n in selected.kept]
    said = [step.drops for n, step in enumerate(STEPS) if any(len(each[n + 1]) < len(each[n]) for each in kept)]
    if selected.spare:
        of = f"of {len(selected.spare)} of {len(kept)} tools"
        said += [f"{step.drops} {of}" for step in SPARE_STEPS]
    if selected.cut:
        said.append(f"{len(selected.cut)} of {len(tools)} tools by relevance")
    return tuple(said)


def _gap(tools: Sequence[Offered], ranking: Ranking, policy: Policy) -> str | None:
    floor = policy.catalog_gap if "meaning" in ranking.by else 0.0  # words alone miss too much to claim it by degrees
    if ranking.confidence > floor:
        return None
    nearest = tools[ranking.order[0]].name
    return f"no tool seems to be for this: the nearest, {nearest!r}, matches by {ranking.confidence:.2f}"


def _spec(form: bytes) -> ToolSpec:
    return ToolSpec(from_json(form))

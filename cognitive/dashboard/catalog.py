"""The page of tools and models: calls of tools by category, tools that were left out, and limits of models."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.analytics.recent import ModelUsage, ModelUsageList
from brain.analytics.turn_rows import OmittedTool, Period, Total
from brain.analytics.turns import TurnAnalytics
from brain.users import Scope
from cognitive.dashboard.charts import csv_table
from cognitive.dashboard.page import PageRoute, Visit, attachment
from cognitive.dashboard.params import RANGES, PageQuery
from cognitive.policy.models import DEFAULT, MODELS, ModelBudget, ModelRow, budget_for

_MAX_TOOLS = 14  # rows of the heat map; its CSV has all tools
_MAX_COLUMNS = 9  # the built-in categories and "none"
_MAX_LEFT_OUT = 12  # rows of the table of tools left out; its CSV has all of them
_SHADES = 5  # colours of cells; more could not be distinguished


@dataclass(frozen=True, slots=True)
class CatalogData:
    """The data of the page of tools and models, read from the store.

    `left_out` has the tools that were not offered to the model, with counts over the latest `left_looked` turns.
    """

    tools: list[Total]
    categories: list[Total]
    left_out: list[OmittedTool]
    left_looked: int
    models: ModelUsageList


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell of the heat map of tools and categories: how many turns of the category called the tool.

    `shade` is the colour, from 0 for no turns to 5 for the highest number.
    """

    turns: int
    shade: int
    share: float | None
    link: str | None


@dataclass(frozen=True, slots=True)
class ToolUsageRow:
    """A row of the heat map of tools and categories: one tool, with a cell for each category."""

    name: str
    cells: tuple[HeatCell, ...]
    link: str


@dataclass(frozen=True, slots=True)
class MissedTool:
    """A tool that turns did not offer to the model, with links to turns that needed it, or else to turns without it."""

    omitted: OmittedTool
    share: float
    turns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ModelUsageRow:
    """A language model that was named in at least one turn, with its usage and limits.

    `known` is False if the default limits apply.
    """

    seen: ModelUsage
    budget: ModelBudget
    known: bool
    link: str | None
    trimmed_link: str | None


@dataclass(frozen=True, slots=True)
class ModelBudgetRow:
    """The limits of a language model; `own` is True if the policy sets them and False if they are built in."""

    name: str
    row: ModelRow
    own: bool


@dataclass(frozen=True, slots=True)
class CatalogView:
    """The content of the page of tools and models, as its template shows it.

    `names` is the number of tools that were called.
    """

    names: int
    columns: tuple[tuple[str, str], ...]
    tools: tuple[ToolUsageRow, ...]
    more_tools: int
    missed: tuple[MissedTool, ...]
    more_missed: int
    removed: int
    wanted: int
    left_looked: int
    models: tuple[ModelUsageRow, ...]
    looked: int
    bounded: bool
    back_to: datetime | None
    unknown: int
    trimmed: int
    trimmed_link: str
    tiers: tuple[tuple[str, tuple[ModelBudgetRow, ...]], ...]
    default: ModelRow

    @property
    def empty(self) -> bool:
        """True if there are no turns in the period."""
        return not (self.looked or self.names)

    @property
    def needless_share(self) -> float | None:
        """Of the tools that turns did not offer to the model, the share that they needed; None if all were offered."""
        return self.wanted / self.removed if self.removed else None


async def read(analytics: TurnAnalytics, scope: Scope, period: Period) -> CatalogData:
    """Read the data of the page of tools and models. Each read has its own time limit."""
    tools, categories, (left_out, looked), models = await asyncio.gather(
        analytics.totals(scope, period, "tool"),
        analytics.totals(scope, period, "category"),
        analytics.omitted_tools(scope, period),
        analytics.recent.models(scope, period),
    )
    return CatalogData(tools, categories, left_out, looked, models)


def view(data: CatalogData, rows: Mapping[str, ModelRow], query: PageQuery) -> CatalogView:
    """Convert the data of the page of tools and models to the form that its template shows.

    `rows` are the policy's own limits of models.
    """
    calls = called(data.tools)
    columns = _columns(calls)
    models = tuple(_model(seen, rows, query) for seen in data.models.rows)
    return CatalogView(
        names=len(calls),
        columns=tuple((name, query.link("turns", **query.period_params(), category=name)) for name in columns),
        tools=_tools(calls, columns, {each.value: each.numbers.turns for each in data.categories}, query),
        more_tools=max(0, len(calls) - _MAX_TOOLS),
        missed=tuple(_missed(each, query) for each in data.left_out[:_MAX_LEFT_OUT]),
        more_missed=max(0, len(data.left_out) - _MAX_LEFT_OUT),
        removed=sum(each.removed + each.cut for each in data.left_out),
        wanted=sum(each.wanted for each in data.left_out),
        left_looked=data.left_looked,
        models=models,
        looked=data.models.looked,
        bounded=data.models.bounded,
        back_to=data.models.back_to,
        unknown=sum(each.seen.turns for each in models if each.seen.model and not each.known),
        trimmed=sum(each.seen.trimmed for each in models),
        trimmed_link=query.link("turns", **query.period_params(), tools_cut="yes"),
        tiers=_tiers(rows),
        default=DEFAULT,
    )


def called(totals: Sequence[Total]) -> dict[str, dict[str, int]]:
    """Return the number of turns that called each tool, by tool and category; the most called tool first."""
    calls: dict[str, dict[str, int]] = {}
    for total in totals:
        category, _, name = total.value.partition("/")
        calls.setdefault(name, {})[category] = total.numbers.turns
    return dict(sorted(calls.items(), key=lambda each: (-sum(each[1].values()), each[0])))


def _columns(calls: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return the heat map's columns: the categories whose turns called tools, those with the most calls first."""
    sums = Counter[str]()
    for by_category in calls.values():
        sums.update(by_category)
    return sorted(sums, key=lambda name: (-sums[name], name))[:_MAX_COLUMNS]


def _tools(
    calls: Mapping[str, Mapping[str, int]], columns: Sequence[str], categories: Mapping[str, int], query: PageQuery
) -> tuple[ToolUsageRow, ...]:
    shown = list(calls.items())[:_MAX_TOOLS]
    max_cell = max((by_category.get(column, 0) for _, by_category in shown for column in columns), default=0) or 1

    def cell(name: str, column: str, turns: int) -> HeatCell:
        shade = -(-turns * _SHADES // max_cell)
        share = turns / categories[column] if categories.get(column) else None
        # Turns without a category are in the column "none", which is not a value of the category filter.
        link = query.link("turns", **query.period_params(), tool=name, category=column) if column != "none" else None
        return HeatCell(turns, shade, share, link)

    return tuple(
        ToolUsageRow(
            name,
            tuple(cell(name, column, by_category.get(column, 0)) for column in columns),
            query.link("turns", **query.period_params(), tool=name),
        )
        for name, by_category in shown
    )


def _missed(data: OmittedTool, query: PageQuery) -> MissedTool:
    left_out = data.removed + data.cut
    turns = data.wanted_in or data.left_out_in
    return MissedTool(
        data, data.wanted / left_out, tuple((id, query.link("turn", id=id, user=owner)) for id, owner in turns)
    )


def _model(seen: ModelUsage, rows: Mapping[str, ModelRow], query: PageQuery) -> ModelUsageRow:
    budget = budget_for(seen.model or None, rows)
    filters = {**query.period_params(), "model": seen.model}
    return ModelUsageRow(
        seen,
        budget,
        budget.row is not None,
        query.link("turns", **filters) if seen.model else None,
        query.link("turns", **filters, tools_cut="yes") if seen.model and seen.trimmed else None,
    )


def _tiers(rows: Mapping[str, ModelRow]) -> tuple[tuple[str, tuple[ModelBudgetRow, ...]], ...]:
    every = {**MODELS, **rows}
    budgets = [ModelBudgetRow(name, row, name in rows) for name, row in sorted(every.items())]
    return tuple((tier, tuple(each for each in budgets if each.row.tier == tier)) for tier in ("A", "B", "C"))


def tools_csv(data: CatalogData) -> str:
    """Return the number of turns that called each tool, by category and tool, as CSV text."""
    rows = [
        (f"{category}/{name}", [float(turns)])
        for name, by_category in called(data.tools).items()
        for category, turns in by_category.items()
    ]
    return csv_table(("category/tool", "turns"), rows)


def left_out_csv(data: CatalogData) -> str:
    """Return the tools that turns did not offer to the model, by category, as CSV text."""
    rows = [
        (f"{each.category}/{each.name}", [float(n) for n in (each.removed, each.cut, each.asked, each.named)])
        for each in data.left_out
    ]
    return csv_table(("category/tool", "removed", "cut", "called anyway", "named in the message"), rows)


def models_csv(data: CatalogData, rows: Mapping[str, ModelRow]) -> str:
    """Return the models that turns named, with their limits, as CSV text."""
    budgets = [(seen, budget_for(seen.model or None, rows)) for seen in data.models.rows]
    return csv_table(
        (
            "model",
            "turns",
            "turns with tools cut",
            "tools cut",
            "input_tokens",
            "output_tokens",
            "catalog_bytes",
            "known",
        ),
        [
            (
                seen.model,
                [
                    float(n)
                    for n in (
                        seen.turns,
                        seen.trimmed,
                        seen.cut,
                        budget.input_tokens,
                        budget.output_tokens,
                        budget.catalog_bytes,
                        budget.row is not None,
                    )
                ],
            )
            for seen, budget in budgets
        ],
    )


async def show(visit: Visit) -> Response:
    """Render the page of tools and models."""
    rows = (await visit.layer.policies.running(visit.query.agent)).policy.budgets.models
    return visit.page("catalog.html", view=view(await _read(visit), rows, visit.query), ranges=RANGES)


async def file(visit: Visit) -> Response:
    """Return one table of the page of tools and models, with all rows, as a CSV file."""
    rows, data = (await visit.layer.policies.running(visit.query.agent)).policy.budgets.models, await _read(visit)
    tables = {
        "tools": lambda: tools_csv(data),
        "left-out": lambda: left_out_csv(data),
        "models": lambda: models_csv(data, rows),
    }
    name = visit.query.params.get("of", "")
    if name not in tables:
        raise HTTPException(404, "There is no such table.")
    return attachment(tables[name](), f"{name}.csv", "text/csv")


async def _read(visit: Visit) -> CatalogData:
    return await read(visit.analytics, visit.query.scope, visit.query.period())


PAGES = (
    PageRoute(
        "/catalog",
        show,
        label="Tools",
        icon="M9.6 4.2a3 3 0 0 1 3.9 3.9l-7 5.6-2.8-2.8zM9.6 4.2l1.9-1.7M3.7 10.9l2.8 2.8",
        static_files=("operations.css",),
    ),
    PageRoute("/catalog.csv", file, parent="/catalog"),
)

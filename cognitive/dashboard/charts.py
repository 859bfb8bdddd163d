"""Charts as SVG, by pure functions: no script and no style of their own, a title, a description, and their numbers as
rows for the table beside them and for CSV.

A chart fills its width: what is drawn is stretched from a unit grid, what is written is placed by percentages and keeps
its size. Colours are classes, so that a page's light and dark hold for them too.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

from markupsafe import Markup

from cognitive.dashboard.formats import NumberFormat, number

_WIDE, _HIGH = 1000, 100  # the grid that is stretched
_MAX_LABELS = 6  # under a chart; more run into one another on a phone
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a cell begins that a spreadsheet would run
# The colours of a chart that is taken out of its page; those of the light theme in app.css.
STYLE = """
svg{font:12px system-ui,sans-serif;background:#fff} .grid{stroke:#e7e9ee} .tick{fill:#5b6472}
.stroke{fill:none;stroke-width:2;vector-effect:non-scaling-stroke} .area{opacity:.08} .hit{display:none}
.s0{stroke:#4c51d6} .s1{stroke:#0d8577} .s2{stroke:#c2700a}
.area.s0{fill:#4c51d6;stroke:none} .ghost{stroke:#aab1bd;stroke-dasharray:4 4}
.dot{stroke-width:6;stroke-linecap:round;vector-effect:non-scaling-stroke}
"""


@dataclass(frozen=True, slots=True)
class ChartLine:
    """Numbers over the steps of a chart; None is a gap. `ghost` draws them as what is compared with."""

    name: str
    values: tuple[float | None, ...]
    ghost: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over common steps. `links` lead to the rows behind a step; `top` is the highest number there can be."""

    id: str
    title: str
    text: str
    steps: tuple[str, ...]
    lines: tuple[ChartLine, ...]
    format: NumberFormat = number
    links: tuple[str, ...] = ()
    top: float | None = None
    filled: bool = False

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(value for line in self.lines if not line.ghost for value in line.values)

    @property
    def header(self) -> tuple[str, ...]:
        """Of its table."""
        return ("", *(line.name for line in self.lines))

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """Its numbers as they are read."""
        return [(step, *map(self.format, values)) for step, values in self._numbers()]

    def csv(self) -> str:
        """Its numbers as they are counted."""
        return csv_table(("step", *(line.name for line in self.lines)), self._numbers())

    def _numbers(self) -> list[tuple[str, list[float | None]]]:
        return [(step, [line.values[n] for line in self.lines]) for n, step in enumerate(self.steps)]


def csv_table(header: Sequence[str], rows: Sequence[tuple[str, Sequence[float | None]]]) -> str:
    """Rows of a name and its numbers; no cell of them is a formula to a spreadsheet."""
    out = io.StringIO()
    told = csv.writer(out, lineterminator="\r\n")
    told.writerow([_inert(name) for name in header])
    told.writerows([_inert(name), *("" if value is None else value for value in values)] for name, values in rows)
    return out.getvalue()


def line_chart(chart: Chart) -> Markup:
    """A line chart, a step's numbers in the title of what its pointer is over."""
    top = chart.top or _ceiling(max((v for each in chart.lines for v in each.values if v is not None), default=0))
    drawn = Markup("").join(_drawn(each, n, top, chart.filled) for n, each in reversed(list(enumerate(chart.lines))))
    return Markup(
        '<svg class="chart" role="img" aria-labelledby="{id}-t {id}-d" overflow="visible">'
        '<title id="{id}-t">{title}</title><desc id="{id}-d">{text}</desc>{grid}'
        '<svg viewBox="0 0 1000 100" preserveAspectRatio="none" width="100%" height="100%" overflow="visible">{drawn}'
        "</svg>{places}{hits}</svg>"
    ).format(
        id=chart.id,
        title=chart.title,
        text=chart.text,
        grid=_grid(top, chart.format),
        drawn=drawn,
        places=_places(chart.steps),
        hits=_hits(chart, top),
    )


def sparkline(values: Sequence[float | None], title: str) -> Markup:
    """A line without axes, as large as what stands around it lets it be."""
    top = max((value for value in values if value is not None), default=0.0) or 1.0
    points = [(_x(n, len(values)), _y(value, top)) for n, value in enumerate(values) if value is not None]
    if not points:
        return Markup("")
    path = _path([points])
    area = Markup('<path class="area" d="{}V{}H{}Z"/>').format(path, _HIGH, _r(points[0][0]))
    return Markup(
        '<svg class="spark" role="img" aria-label="{}" viewBox="0 -4 1000 108" preserveAspectRatio="none">{}'
        '<path class="stroke" d="{}"/></svg>'
    ).format(title, area, path)


def bar(share: float, title: str, kind: str = "") -> Markup:
    """A part of a whole, in [0, 1], as a bar within its track."""
    width = _r(min(1.0, max(0.0, share)) * 100)
    return Markup(
        '<svg class="bar {}" role="img" aria-label="{}"><rect class="track" width="100%" height="100%" rx="3"/>'
        '<rect class="fill" width="{}%" height="100%" rx="3"/></svg>'
    ).format(kind, title, width)


def stack(parts: Sequence[tuple[str, float]], title: str) -> Markup:
    """Parts of a whole side by side, each with its name; numbers from 0."""
    whole = sum(value for _, value in parts) or 1.0
    drawn, left = Markup(""), 0.0
    for n, (name, value) in enumerate(parts):
        drawn += Markup('<rect class="c{}" x="{}%" width="{}%" height="100%"><title>{}</title></rect>').format(
            n % 8, _r(left / whole * 100), _r(value / whole * 100), name
        )
        left += value
    return Markup('<svg class="stack" role="img" aria-label="{}">{}</svg>').format(title, drawn)


def svg_file(svg: Markup, style: str = STYLE) -> str:
    """A chart as a file of its own, which brings the colours that a page would give it."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="220">'
        f'<style>{style}</style><svg x="56" y="16" width="820" height="168" overflow="visible">{svg}</svg></svg>'
    )


def _drawn(line: ChartLine, n: int, top: float, filled: bool) -> Markup:
    kind = f"s{n}" if not line.ghost else "ghost"
    runs = _runs([(_x(at, len(line.values)), None if v is None else _y(v, top)) for at, v in enumerate(line.values)])
    alone = Markup("").join(
        Markup('<path class="dot {}" d="M{} {}h0"/>').format(kind, _r(run[0][0]), _r(run[0][1]))
        for run in runs
        if len(run) == 1
    )
    area = Markup("")
    if filled and not line.ghost:
        area = Markup("").join(
            Markup('<path class="area {}" d="{}V{}H{}Z"/>').format(kind, _path([run]), _HIGH, _r(run[0][0]))
            for run in runs
        )
    return area + Markup('<path class="stroke {}" d="{}"/>').format(kind, _path(runs)) + alone


def _runs(points: Sequence[tuple[float, float | None]]) -> list[list[tuple[float, float]]]:
    """The stretches of a line between its gaps."""
    runs: list[list[tuple[float, float]]] = [[]]
    for x, y in points:
        if y is None:
            runs.append([])
        else:
            runs[-1].append((x, y))
    return [run for run in runs if run]


def _path(runs: Sequence[Sequence[tuple[float, float]]]) -> str:
    return "".join("M" + "L".join(f"{_r(x)} {_r(y)}" for x, y in run) for run in runs)


def _grid(top: float, format: NumberFormat) -> Markup:
    lines = Markup("")
    for share in (0.0, 0.5, 1.0):
        at = _r(100 - share * 100)
        lines += Markup('<line class="grid" x1="0" x2="100%" y1="{}%" y2="{}%"/>').format(at, at)
        lines += Markup('<text class="tick" x="-8" y="{}%" dy="4" text-anchor="end">{}</text>').format(
            at, format(top * share)
        )
    return lines


def _places(steps: Sequence[str]) -> Markup:
    """Some of the steps' names, evenly spaced, the last one among them."""
    if not steps:
        return Markup("")
    each = -(-len(steps) // _MAX_LABELS)
    shown = range((len(steps) - 1) % each, len(steps), each)
    labels = Markup("")
    for place, n in enumerate(reversed(shown)):
        x = 50.0 if len(steps) == 1 else n / (len(steps) - 1) * 100
        anchor = "end" if x > 95 else "start" if x < 5 else "middle"
        labels += Markup('<text class="tick{}" x="{}%" y="100%" dy="22" text-anchor="{}">{}</text>').format(
            " every-other" if place % 2 else "", _r(x), anchor, steps[n]
        )
    return labels


def _hits(chart: Chart, top: float) -> Markup:
    """For each step what the pointer finds: a line, its dots, its numbers, and the way to its rows."""
    found, steps = Markup(""), len(chart.steps)
    width = 100 / max(1, steps - 1)
    for n, (name, values) in enumerate(
        zip(chart.steps, zip(*(each.values for each in chart.lines), strict=True), strict=True)
    ):
        x = 50.0 if steps == 1 else n * width
        told = " · ".join(f"{each.name} {chart.format(value)}" for each, value in zip(chart.lines, values, strict=True))
        dots = Markup("").join(
            Markup('<circle class="mark s{}" cx="{}%" cy="{}%" r="3.5"/>').format(place, _r(x), _r(_y(value, top)))
            for place, (each, value) in enumerate(zip(chart.lines, values, strict=True))
            if value is not None and not each.ghost
        )
        # Followed by the pointer alone: the table beside the chart has the same links, and an image holds none.
        link = Markup(' data-link="{}"').format(chart.links[n]) if chart.links else ""
        hit = Markup(
            '<g class="hit" data-tip="{}"{}><rect x="{}%" width="{}%" height="100%"/>'
            '<line class="cursor" x1="{}%" x2="{}%" y1="0" y2="100%"/>{}</g>'
        ).format(f"{name}: {told}", link, _r(x - width / 2), _r(width), _r(x), _r(x), dots)
        found += hit
    return found


def _ceiling(value: float) -> float:
    """The least of 1, 2, 4, 5, 8 and 10 times a power of ten that is as high."""
    if value <= 0:
        return 1.0
    power = 10.0 ** floor(log10(value))
    return next((step * power for step in (1, 2, 4, 5, 8, 10) if step * power >= value * (1 - 1e-9)), value)


def _x(n: int, steps: int) -> float:
    return _WIDE / 2 if steps == 1 else n / (steps - 1) * _WIDE


def _y(value: float, top: float) -> float:
    return _HIGH - min(1.0, max(0.0, value / top)) * _HIGH


def _r(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _inert(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell

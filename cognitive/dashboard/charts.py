"""Charts as SVG without scripts or styles, with a title and a description, and their numbers as table rows and CSV.

A chart fills the width of its container. Lines are drawn in a grid of fixed size that is stretched; labels are placed
by percentages and are not stretched. Colours are CSS classes, so that the page's light or dark theme applies.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

from markupsafe import Markup

from cognitive.dashboard.formats import NumberFormat, number

_WIDTH, _HEIGHT = 1000, 100  # of the grid that is stretched
_BAR = 0.7  # width of a bar, of the width of a step
_MAX_LABELS = 6  # labels under a chart; more would overlap on a phone
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # a spreadsheet takes a cell that begins so for a formula
# The style of a chart that is exported as a file; the colours are those of the light theme in app.css.
STYLE = """
svg{font:12px system-ui,sans-serif;background:#fff} .grid{stroke:#e7e9ee} .tick{fill:#5b6472}
.title{font-size:15px;font-weight:600}
.stroke{fill:none;stroke-width:2;vector-effect:non-scaling-stroke} .hit{display:none}
.s0{stroke:#4c51d6} .s1{stroke:#0d8577} .s2{stroke:#c2700a}
.column{stroke:none} .column.s0{fill:#4c51d6} .column.s1{fill:#0d8577} .ghost{stroke:#aab1bd;stroke-dasharray:4 4}
.dot{stroke-width:6;stroke-linecap:round;vector-effect:non-scaling-stroke}
"""


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line of a chart, with a value for each step of the horizontal axis; None leaves a gap.

    A `ghost` line is dashed and serves as a comparison, for example with the period before.
    """

    name: str
    values: tuple[float | None, ...]
    ghost: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """A line chart: lines that share the steps of the horizontal axis.

    `links` are the URLs of the turns behind each step. `top` is the maximum of the vertical axis, or None to derive it
    from the values. With `bars`, the lines are counts, drawn as bars in front of each other. `unit` says what the
    vertical axis counts.
    """

    id: str
    title: str
    text: str
    steps: tuple[str, ...]
    lines: tuple[ChartLine, ...]
    format: NumberFormat = number
    links: tuple[str, ...] = ()
    top: float | None = None
    bars: bool = False
    unit: str = ""

    @property
    def empty(self) -> bool:
        """True if all values are missing or zero."""
        return not any(value for line in self.lines if not line.ghost for value in line.values)

    @property
    def header(self) -> tuple[str, ...]:
        """The column names of the table with the chart's numbers."""
        return ("", *(line.name for line in self.lines))

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The rows of the table with the chart's numbers, formatted."""
        return [(step, *map(self.format, values)) for step, values in self._numbers()]

    def csv(self) -> str:
        """Return the chart's numbers, unformatted, as CSV text."""
        return csv_table(("step", *(line.name for line in self.lines)), self._numbers())

    def _numbers(self) -> list[tuple[str, list[float | None]]]:
        return [(step, [line.values[n] for line in self.lines]) for n, step in enumerate(self.steps)]


def csv_table(header: Sequence[str], rows: Sequence[tuple[str, Sequence[float | None]]]) -> str:
    """Return a table as CSV text; each row is a name and its numbers.

    Cells that a spreadsheet would take for formulas are quoted.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([escape_formula(name) for name in header])
    writer.writerows(
        [escape_formula(name), *("" if value is None else value for value in values)] for name, values in rows
    )
    return out.getvalue()


def line_chart(chart: Chart) -> Markup:
    """Draw a line chart as SVG. A tooltip shows the numbers of the step under the pointer."""
    top = chart.top or _ceiling(max((v for each in chart.lines for v in each.values if v is not None), default=0))
    drawn = list(enumerate(chart.lines))  # the first line in front of the others; bars the other way round
    order = drawn if chart.bars else reversed(drawn)
    lines = Markup("").join(_line(each, n, top, chart.bars) for n, each in order)
    return Markup(
        '<svg class="chart" role="img" aria-labelledby="{id}-t {id}-d" overflow="visible">'
        '<title id="{id}-t">{title}</title><desc id="{id}-d">{text}</desc>{grid}'
        '<svg viewBox="0 0 1000 100" preserveAspectRatio="none" width="100%" height="100%" overflow="visible">{lines}'
        "</svg>{labels}{unit}{hits}</svg>"
    ).format(
        unit=Markup('<text class="tick unit" x="0" y="0" dy="-7">{}</text>').format(chart.unit) if chart.unit else "",
        id=chart.id,
        title=chart.title,
        text=chart.text,
        grid=_grid(top, chart.format),
        lines=lines,
        labels=_labels(chart.steps, chart.bars),
        hits=_hit_areas(chart, top),
    )


def sparkline(values: Sequence[float | None], title: str) -> Markup:
    """Draw a sparkline as SVG: a line without axes that fills its container."""
    top = max((value for value in values if value is not None), default=0.0) or 1.0
    points = [(_x(n, len(values)), _y(value, top)) for n, value in enumerate(values) if value is not None]
    if not points:
        return Markup("")
    path = _path([points])
    area = Markup('<path class="area" d="{}V{}H{}Z"/>').format(path, _HEIGHT, _rounded(points[0][0]))
    return Markup(
        '<svg class="spark" role="img" aria-label="{}" viewBox="0 -4 1000 108" preserveAspectRatio="none">{}'
        '<path class="stroke" d="{}"/></svg>'
    ).format(title, area, path)


def bar(share: float, title: str, kind: str = "") -> Markup:
    """Draw a horizontal bar as SVG, filled to a share from 0 to 1."""
    width = _rounded(min(1.0, max(0.0, share)) * 100)
    return Markup(
        '<svg class="bar {}" role="img" aria-label="{}"><rect class="track" width="100%" height="100%" rx="3"/>'
        '<rect class="fill" width="{}%" height="100%" rx="3"/></svg>'
    ).format(kind, title, width)


def scale(value: float, threshold: float | None, top: float) -> Markup:
    """Draw a value as a horizontal bar on a scale from 0 to `top`, with a vertical line at the threshold, if any."""
    width = _rounded(min(1.0, max(0.0, value / top if top else 0.0)) * 100)
    line = Markup("")
    if threshold is not None and top:
        at = _rounded(min(1.0, max(0.0, threshold / top)) * 100)
        line = Markup('<line class="threshold" x1="{}%" x2="{}%" y1="-2" y2="10"/>').format(at, at)
    kind = "below" if threshold is not None and value < threshold else ""
    return Markup(
        '<svg class="bar scale {}" aria-hidden="true" overflow="visible">'
        '<rect class="track" width="100%" height="100%" rx="3"/>'
        '<rect class="fill" width="{}%" height="100%" rx="3"/>{}</svg>'
    ).format(kind, width, line)


def stack(parts: Sequence[tuple[str, float]], title: str, top: float) -> Markup:
    """Draw a horizontal bar as SVG that shows the (name, value) parts of a sum side by side.

    A part's place selects its colour. The values must not be negative, and a sum of `top` fills the bar.
    """
    rects, left = Markup(""), 0.0
    for n, (name, value) in enumerate(parts):
        if value > 0:
            rects += Markup('<rect class="c{}" x="{}%" width="{}%" height="100%"><title>{} {}</title></rect>').format(
                n, _rounded(left / top * 100), _rounded(value / top * 100), name, f"{value:.3f}"
            )
        left += value
    return Markup(
        '<svg class="stack" role="img" aria-label="{}"><rect class="track" width="100%" height="100%"/>{}</svg>'
    ).format(title, rects)


def svg_file(chart: Chart, about: str, style: str = STYLE) -> str:
    """Return a chart as the text of an SVG file, with its title, legend and colours.

    `about` says whose numbers they are and of which period.
    """
    legend, left = Markup(""), 56
    for n, line in enumerate(chart.lines):
        kind = "ghost" if line.ghost else f"s{n}"
        legend += Markup(
            '<line class="stroke {}" x1="{}" x2="{}" y1="46" y2="46"/><text class="tick" x="{}" y="50">{}</text>'
        ).format(kind, left, left + 18, left + 24, line.name)
        left += 44 + 7 * len(line.name)
    head = Markup(
        '<text class="title" x="56" y="24">{}</text><text class="tick" x="876" y="24" text-anchor="end">{}</text>'
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="290">'
        f"<style>{style}</style>{head.format(chart.title, about)}{legend}"
        f'<svg x="56" y="84" width="820" height="168" overflow="visible">{line_chart(chart)}</svg></svg>'
    )


def _line(line: ChartLine, n: int, top: float, bars: bool) -> Markup:
    """Draw one line of a chart as SVG, or as bars. A value between two gaps becomes a dot.

    `n` is the line's number, which selects its colour, and `top` the maximum of the vertical axis.
    """
    kind = f"s{n}" if not line.ghost else "ghost"
    if bars and not line.ghost:
        return Markup('<path class="column {}" d="{}"/>').format(kind, _bars(line.values, top))
    steps = len(line.values)
    runs = _runs([(_x(at, steps, bars), None if v is None else _y(v, top)) for at, v in enumerate(line.values)])
    dots = Markup("").join(
        Markup('<path class="dot {}" d="M{} {}h0"/>').format(kind, _rounded(run[0][0]), _rounded(run[0][1]))
        for run in runs
        if len(run) == 1
    )
    return Markup('<path class="stroke {}" d="{}"/>').format(kind, _path(runs)) + dots


def _bars(values: Sequence[float | None], top: float) -> str:
    """Return the path of a bar for each value."""
    half = _WIDTH / max(1, len(values)) * _BAR / 2
    path = ""
    for n, value in enumerate(values):
        if value:
            x, y = _x(n, len(values), True), _rounded(_y(value, top))
            path += f"M{_rounded(x - half)} {_HEIGHT}V{y}H{_rounded(x + half)}V{_HEIGHT}Z"
    return path


def _runs(points: Sequence[tuple[float, float | None]]) -> list[list[tuple[float, float]]]:
    """Split the points of a line at its gaps into runs of consecutive values."""
    runs: list[list[tuple[float, float]]] = [[]]
    for x, y in points:
        if y is None:
            runs.append([])
        else:
            runs[-1].append((x, y))
    return [run for run in runs if run]


def _path(runs: Sequence[Sequence[tuple[float, float]]]) -> str:
    return "".join("M" + "L".join(f"{_rounded(x)} {_rounded(y)}" for x, y in run) for run in runs)


def _grid(top: float, format: NumberFormat) -> Markup:
    """Draw horizontal lines at 0, half and all of `top`, the maximum of the vertical axis, with labels."""
    lines = Markup("")
    for share in (0.0, 0.5, 1.0):
        at = _rounded(100 - share * 100)
        lines += Markup('<line class="grid" x1="0" x2="100%" y1="{}%" y2="{}%"/>').format(at, at)
        lines += Markup('<text class="tick" x="-8" y="{}%" dy="4" text-anchor="end">{}</text>').format(
            at, format(top * share)
        )
    return lines


def _labels(steps: Sequence[str], bars: bool) -> Markup:
    """Draw labels for at most _MAX_LABELS steps of the horizontal axis, evenly spaced, including the last step."""
    if not steps:
        return Markup("")
    spacing = -(-len(steps) // _MAX_LABELS)
    shown = range((len(steps) - 1) % spacing, len(steps), spacing)
    labels = Markup("")
    for place, n in enumerate(reversed(shown)):
        x = _x(n, len(steps), bars) / _WIDTH * 100
        anchor = "end" if x > 95 else "start" if x < 5 else "middle"
        labels += Markup('<text class="tick{}" x="{}%" y="100%" dy="22" text-anchor="{}">{}</text>').format(
            " every-other" if place % 2 else "", _rounded(x), anchor, steps[n]
        )
    return labels


def _hit_areas(chart: Chart, top: float) -> Markup:
    """Draw an invisible area for each step of the horizontal axis, with a tooltip and a link to the step's turns."""
    areas, steps = Markup(""), len(chart.steps)
    width = 100 / max(1, steps if chart.bars else steps - 1)
    for n, (name, values) in enumerate(
        zip(chart.steps, zip(*(each.values for each in chart.lines), strict=True), strict=True)
    ):
        x = _x(n, steps, chart.bars) / _WIDTH * 100
        values_text = " · ".join(
            f"{each.name} {chart.format(value)}" for each, value in zip(chart.lines, values, strict=True)
        )
        dots = Markup("").join(
            Markup('<circle class="mark s{}" cx="{}%" cy="{}%" r="3.5"/>').format(
                place, _rounded(x), _rounded(_y(value, top))
            )
            for place, (each, value) in enumerate(zip(chart.lines, values, strict=True))
            if value is not None and not each.ghost
        )
        # A script follows this link on a click. An SVG image may contain no links; the chart's table has the same ones.
        link = Markup(' data-link="{}"').format(chart.links[n]) if chart.links else ""
        hit = Markup(
            '<g class="hit" data-tip="{}"{}><rect x="{}%" width="{}%" height="100%"/>'
            '<line class="cursor" x1="{}%" x2="{}%" y1="0" y2="100%"/>{}</g>'
        ).format(
            f"{name}: {values_text}", link, _rounded(x - width / 2), _rounded(width), _rounded(x), _rounded(x), dots
        )
        areas += hit
    return areas


def _ceiling(value: float) -> float:
    """Return an axis's maximum: the smallest number not below the value that has a round first digit.

    It is 1, 2, 4, 5, 8 or 10 times a power of ten.
    """
    if value <= 0:
        return 1.0
    power = 10.0 ** floor(log10(value))
    return next((step * power for step in (1, 2, 4, 5, 8, 10) if step * power >= value * (1 - 1e-9)), value)


def _x(n: int, steps: int, bars: bool = False) -> float:
    """Return the place of a step: lines begin and end at the edges, and the bars of all steps have the same width."""
    if bars or steps == 1:
        return (n + 0.5) / steps * _WIDTH
    return n / (steps - 1) * _WIDTH


def _y(value: float, top: float) -> float:
    return _HEIGHT - min(1.0, max(0.0, value / top)) * _HEIGHT


def _rounded(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def escape_formula(cell: str) -> str:
    """Return a cell of a table so that a spreadsheet takes it for text, even if it begins like a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell

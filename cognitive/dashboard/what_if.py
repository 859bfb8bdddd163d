"""The What-if page: settings as sliders, and how recorded turns would have differed with other values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from markupsafe import Markup
from starlette.responses import Response

from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import RANGES, PageQuery
from cognitive.errors import InvalidInput
from cognitive.lab.evaluate import Estimate
from cognitive.lab.what_if import WhatIf
from cognitive.policy import Policy
from cognitive.policy.live import LiveSetting, check_changes, live_settings
from cognitive.policy.policy import groups as settings_groups

_OPEN = ("Usage", "Feedback", "Evidence", "Limits")  # groups that are expanded even if none of their sliders was moved


@dataclass(frozen=True, slots=True)
class Slider:
    """A setting that the page shows as a slider: its value in the live policy, and the slider's present value."""

    row: LiveSetting
    live: float | int
    value: float | int

    @property
    def moved(self) -> bool:
        """True if the slider's present value differs from the live policy's value."""
        return self.value != self.live


@dataclass(frozen=True, slots=True)
class SliderGroup:
    """The sliders of a group of settings. If `open` is True, the page shows the group expanded."""

    name: str
    about: str
    sliders: tuple[Slider, ...]
    open: bool

    @property
    def moved(self) -> int:
        """The number of sliders in the group whose value differs from the live policy's value."""
        return sum(slider.moved for slider in self.sliders)


@dataclass(frozen=True, slots=True)
class ProjectedMetric:
    """A metric in the answer to a what-if question: its recorded value, and its estimate with the changed settings.

    `was` is the value in the recorded turns. `now` is the estimate, with a confidence interval. `max` is the end of the
    scale on which both are drawn. `better` is 1 if higher values are better, and -1 if lower ones are. `share` is True
    if the metric is a share from 0 to 1, which is formatted as a percentage.
    """

    name: str
    about: str
    was: float
    now: Estimate
    max: float
    better: int
    share: bool

    @property
    def tone(self) -> str:
        """The tone that selects the metric's colour: "good" or "bad" for a clear change, else "plain".

        A change is clear if the recorded value lies outside the estimate's confidence interval.
        """
        if self.now.low > self.was:
            return "good" if self.better > 0 else "bad"
        if self.now.high < self.was:
            return "bad" if self.better > 0 else "good"
        return "plain"


@dataclass(frozen=True, slots=True)
class WhatIfView:
    """The answer to a what-if question, as the template shows it: the effect of the moved sliders.

    `tokens` and `shown` are pairs: the mean per turn as it happened, and the estimate with the new settings. `recorded`
    is the number of turns in the period, `looked` the number of them that were examined.
    """

    result: WhatIf
    moved: tuple[Slider, ...]
    projections: tuple[ProjectedMetric, ...]
    tokens: tuple[float, float]
    shown: tuple[float, float]
    looked: int
    recorded: int


def moved(query: PageQuery, live: Policy) -> dict[str, float | int]:
    """Return the settings in the URL whose values differ from the live policy, by dotted name.

    Raises:
        InvalidInput: a value is not a number, or is out of bounds.
    """
    values = {
        row.name: _number(row, query.params[row.name]) for row in live_settings().values() if query.params.get(row.name)
    }
    return {name: value for name, value in check_changes(values).items() if value != live_settings()[name].of(live)}


def groups(live: Policy, changes: Mapping[str, float | int]) -> tuple[SliderGroup, ...]:
    """Return the sliders of all settings, in groups. Settings in `changes` have their changed value.

    There is one threshold for each attribution strategy; only that of the strategy in use is included.
    """
    threshold = f"feedback.attribution_thresholds.{live.feedback.attribution}"
    shown = [
        row
        for row in live_settings().values()
        if not row.name.startswith("feedback.attribution_") or row.name == threshold
    ]
    sliders = [Slider(row, row.of(live), changes.get(row.name, row.of(live))) for row in shown]
    names = dict.fromkeys(slider.row.group for slider in sliders)
    parts = {name: tuple(slider for slider in sliders if slider.row.group == name) for name in names}
    return tuple(
        SliderGroup(name, about(name), group, name in _OPEN or any(slider.moved for slider in group))
        for name, group in parts.items()
    )


def about(group: str) -> str:
    """Return a short description of a group of settings: the first sentence of its class's docstring."""
    return (settings_groups()[group.casefold()].__doc__ or "").partition(".")[0]


def view(result: WhatIf, live: Policy, changes: Mapping[str, float | int]) -> WhatIfView:
    """Convert the result of a what-if question to the form that the template shows."""
    evaluation = result.evaluation
    was, now = (evaluation.logged_tokens, evaluation.tokens) if evaluation else (0.0, 0.0)
    return WhatIfView(
        result=result,
        moved=tuple(
            Slider(live_settings()[name], live_settings()[name].of(live), value) for name, value in changes.items()
        ),
        projections=_projections(result) if evaluation else (),
        tokens=(was, now),
        shown=(evaluation.logged_shown, evaluation.shown) if evaluation else (0.0, 0.0),
        looked=result.examined,
        recorded=result.recorded,
    )


def interval(metric: ProjectedMetric) -> Markup:
    """Draw a metric's scale from 0 to its maximum as SVG, with the recorded value, the estimate and its interval."""
    scale = 100 / metric.max if metric.max > 0 else 0.0
    low, value, high, was = (
        min(100.0, max(0.0, each * scale)) for each in (metric.now.low, metric.now.value, metric.now.high, metric.was)
    )
    label = f"{metric.name}: was {written(metric, metric.was)}, would be {written(metric, metric.now.value)}"
    label += f", 95 % interval {written(metric, metric.now.low)} to {written(metric, metric.now.high)}"
    return Markup(
        '<svg class="interval {tone}" viewBox="0 0 100 16" preserveAspectRatio="none" role="img" aria-label="{label}">'
        '<line class="track" x1="0" y1="8" x2="100" y2="8"/>'
        '<line class="span" x1="{low:.2f}" y1="8" x2="{high:.2f}" y2="8"/>'
        '<line class="was" x1="{was:.2f}" y1="1" x2="{was:.2f}" y2="15"/>'
        '<line class="now" x1="{value:.2f}" y1="3" x2="{value:.2f}" y2="13"/></svg>'
    ).format(tone=metric.tone, label=label, low=low, high=high, was=was, value=value)


def written(metric: ProjectedMetric, value: float) -> str:
    """Format a value of a metric: a share as a percentage, any other value with two decimals."""
    return f"{value:.0%}" if metric.share else f"{value:.2f}"


def _projections(result: WhatIf) -> tuple[ProjectedMetric, ...]:
    evaluation = result.evaluation
    assert evaluation is not None
    estimate, used = evaluation.doubly_robust, evaluation.logged.value
    share = used / evaluation.logged_shown if evaluation.logged_shown else 0.0
    unused = Estimate(1 - estimate.share.value, 1 - estimate.share.high, 1 - estimate.share.low)
    scale = max(used, estimate.used.high, evaluation.logged_shown, 1e-9)
    return (
        ProjectedMetric("Used memories per turn", "of those shown", used, estimate.used, scale, 1, share=False),
        ProjectedMetric("Unused share", "of the memories shown", 1 - share, unused, 1.0, -1, share=True),
    )


def _number(row: LiveSetting, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise InvalidInput(f"{row.name}: expected a number, got {text[:40]!r}")
    return value


def posted(fields: Sequence[tuple[str, str]]) -> dict[str, float | int]:
    """Return the settings in a posted form, by dotted name. Their form fields have names that begin with "row.".

    Raises:
        InvalidInput: a setting is unknown or may not be changed, or a value is not a number or out of bounds.
    """
    values = [(name[4:], value) for name, value in fields if name.startswith("row.")]
    for name, _ in values:
        if name not in live_settings():
            check_changes({name: 0})
    return check_changes({name: _number(live_settings()[name], value) for name, value in values})


def step(row: LiveSetting, value: float) -> str:
    """Format a setting's value for an input field without rounding.

    The browser would send a rounded value back, and the unmoved slider would count as moved.
    """
    return f"{value:.0f}" if row.is_integer else repr(float(value)).removesuffix(".0")


async def show(visit: Visit) -> Response:
    """Render the page with the sliders at the URL's values, or else at those of the live policy."""
    live = (await visit.layer.policies.running(visit.query.agent)).policy
    changes = moved(visit.query, live)
    visit.query.period()  # raises InvalidInput for an invalid period
    return visit.page(
        "what_if.html",
        groups=groups(live, changes),
        live=live,
        changes=changes,
        ranges=RANGES,
        step=step,
    )


async def answer(visit: Visit) -> Response:
    """Render how recorded turns would have differed with the changed settings.

    A request by htmx, the script that updates parts of a page, gets only this part. Other requests get a whole page. A
    header makes the browser's address bar show the URL of the What-if page with these settings.
    """
    query, policies = visit.query, visit.layer.policies
    live = (await policies.running(query.agent)).policy
    changes, period = moved(query, live), query.period()
    whole = bool(query.params.get("whole"))
    result = await policies.what_if(
        query.agent, changes, period.since, period.until, query.range, whole=whole, user_id=query.view
    )
    part = bool(visit.request.headers.get("hx-request"))
    shown = visit.page(
        "_what_if.html" if part else "what_if_answer.html",
        view=view(result, live, changes),
        changes=changes,
        interval=interval,
        step=step,
        written=written,
        may=visit.visitor.agent is None,
        whole=None if whole else query.link("what-if/answer", whole="yes", **changes, **query.period_params()),
    )
    shown.headers["HX-Replace-Url"] = query.link("what-if", **{**changes, **query.period_params()})
    return shown


PAGES = (
    PageRoute(
        "/what-if",
        show,
        label="What if",
        icon="M3 8h7M7 4.5 10.5 8 7 11.5M13 3v10",
        static_files=("policies.css", "what-if.js"),
    ),
    PageRoute("/what-if/answer", answer, parent="/what-if"),
)

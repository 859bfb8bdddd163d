"""What if: sliders over a policy's settings, and what recorded turns say of where they stand."""

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
from cognitive.policy.live import LIVE_SETTINGS, LIVE_SETTINGS_BY_NAME, LiveSetting, check_changes
from cognitive.policy.policy import groups as settings_groups

_OPEN = ("Usage", "Feedback", "Evidence", "Limits")  # groups that stand open; others where something in them was moved


@dataclass(frozen=True, slots=True)
class Slider:
    """A setting as it stands: in the policy that holds, and where it was moved to."""

    row: LiveSetting
    live: float | int
    value: float | int

    @property
    def moved(self) -> bool:
        """Whether it stands elsewhere than in the policy that holds."""
        return self.value != self.live


@dataclass(frozen=True, slots=True)
class SliderGroup:
    """Sliders that belong together."""

    name: str
    about: str
    sliders: tuple[Slider, ...]
    open: bool

    @property
    def moved(self) -> int:
        """How many of them were moved."""
        return sum(slider.moved for slider in self.sliders)


@dataclass(frozen=True, slots=True)
class ProjectedMetric:
    """A number as it was and as it would be, with its interval; `better` is the sign of a gain."""

    name: str
    about: str
    was: float
    now: Estimate
    most: float
    better: int
    share: bool

    @property
    def tone(self) -> str:
        """Good or bad where the whole interval is on one side of what was."""
        if self.now.low > self.was:
            return "good" if self.better > 0 else "bad"
        if self.now.high < self.was:
            return "bad" if self.better > 0 else "good"
        return "plain"


@dataclass(frozen=True, slots=True)
class WhatIfView:
    """What the turns say, of what was moved."""

    result: WhatIf
    moved: tuple[Slider, ...]
    projections: tuple[ProjectedMetric, ...]
    tokens: tuple[float, float]
    shown: tuple[float, float]
    looked: int
    recorded: int


def moved(query: PageQuery, live: Policy) -> dict[str, float | int]:
    """The rows that an address moves away from the policy that holds.

    Raises:
        InvalidInput: a value that is no number, or out of its bounds.
    """
    given = {row.name: _number(row, query.params[row.name]) for row in LIVE_SETTINGS if query.params.get(row.name)}
    return {
        name: value for name, value in check_changes(given).items() if value != LIVE_SETTINGS_BY_NAME[name].of(live)
    }


def groups(live: Policy, changes: Mapping[str, float | int]) -> tuple[SliderGroup, ...]:
    """All sliders; of the thresholds only that of the strategy in use."""
    own = f"feedback.attribution_thresholds.{live.feedback.attribution}"
    shown = [row for row in LIVE_SETTINGS if not row.name.startswith("feedback.attribution_") or row.name == own]
    sliders = [Slider(row, row.of(live), changes.get(row.name, row.of(live))) for row in shown]
    names = dict.fromkeys(slider.row.group for slider in sliders)
    parts = {name: tuple(slider for slider in sliders if slider.row.group == name) for name in names}
    return tuple(
        SliderGroup(name, about(name), own, name in _OPEN or any(slider.moved for slider in own))
        for name, own in parts.items()
    )


def about(group: str) -> str:
    """Return what a group of settings is about: the first sentence of its description."""
    return (settings_groups()[group.casefold()].__doc__ or "").partition(".")[0]


def view(result: WhatIf, live: Policy, changes: Mapping[str, float | int]) -> WhatIfView:
    """The answer as the page has it."""
    found = result.evaluation
    was, now = (found.logged_tokens, found.tokens) if found else (0.0, 0.0)
    return WhatIfView(
        result=result,
        moved=tuple(
            Slider(LIVE_SETTINGS_BY_NAME[name], LIVE_SETTINGS_BY_NAME[name].of(live), value)
            for name, value in changes.items()
        ),
        projections=_projections(result) if found else (),
        tokens=(was, now),
        shown=(found.logged_shown, found.shown) if found else (0.0, 0.0),
        looked=result.examined,
        recorded=result.recorded,
    )


def interval(metric: ProjectedMetric) -> Markup:
    """A number with its interval beside what it was, on a scale from nothing to the most; told in its title."""
    scale = 100 / metric.most if metric.most > 0 else 0.0
    low, value, high, was = (
        min(100.0, max(0.0, each * scale)) for each in (metric.now.low, metric.now.value, metric.now.high, metric.was)
    )
    label = f"{metric.name}: was {_format(metric, metric.was)}, would be {_format(metric, metric.now.value)}"
    label += f", 95 % interval {_format(metric, metric.now.low)} to {_format(metric, metric.now.high)}"
    return Markup(
        '<svg class="interval {tone}" viewBox="0 0 100 16" preserveAspectRatio="none" role="img" aria-label="{label}">'
        '<line class="track" x1="0" y1="8" x2="100" y2="8"/>'
        '<line class="span" x1="{low:.2f}" y1="8" x2="{high:.2f}" y2="8"/>'
        '<line class="was" x1="{was:.2f}" y1="1" x2="{was:.2f}" y2="15"/>'
        '<line class="now" x1="{value:.2f}" y1="3" x2="{value:.2f}" y2="13"/></svg>'
    ).format(tone=metric.tone, label=label, low=low, high=high, was=was, value=value)


def written(metric: ProjectedMetric, value: float) -> str:
    """A number of a bet, in words."""
    return _format(metric, value)


def _format(metric: ProjectedMetric, value: float) -> str:
    return f"{value:.0%}" if metric.share else f"{value:.2f}"


def _projections(result: WhatIf) -> tuple[ProjectedMetric, ...]:
    found = result.evaluation
    assert found is not None
    worth, used = found.doubly_robust, found.logged.value
    share = used / found.logged_shown if found.logged_shown else 0.0
    injected = Estimate(1 - worth.share.value, 1 - worth.share.high, 1 - worth.share.low)
    most = max(used, worth.used.high, found.logged_shown, 1e-9)
    return (
        ProjectedMetric("Used memories per turn", "of those shown, estimated", used, worth.used, most, 1, share=False),
        ProjectedMetric(
            "False injection", "share of the shown that goes unused", 1 - share, injected, 1.0, -1, share=True
        ),
    )


def _number(row: LiveSetting, given: str) -> float:
    try:
        value = float(given)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise InvalidInput(f"{row.name}: expected a number, got {given[:40]!r}")
    return value


def posted(fields: Sequence[tuple[str, str]]) -> dict[str, float | int]:
    """The rows of a form that asks to save them: every name of a setting counts, known or not.

    Raises:
        InvalidInput: a row that may not be changed, or a bad value.
    """
    given = [(name[4:], value) for name, value in fields if name.startswith("row.")]
    for name, _ in given:
        if name not in LIVE_SETTINGS_BY_NAME:
            check_changes({name: 0})
    return check_changes({name: _number(LIVE_SETTINGS_BY_NAME[name], value) for name, value in given})


def step(row: LiveSetting, value: float) -> str:
    """A value as an input holds it: exactly, since what comes back as another is taken for moved."""
    return f"{value:.0f}" if row.is_integer else repr(float(value)).removesuffix(".0")


async def show(visit: Visit) -> Response:
    """The sliders, where the policy that holds has them, or the address."""
    live = (await visit.layer.policies.effective(visit.query.agent)).live
    changes = moved(visit.query, live)
    visit.query.period()  # one that makes no sense is refused now
    return visit.page(
        "what_if.html",
        groups=groups(live, changes),
        live=live,
        changes=changes,
        ranges=RANGES,
        step=step,
    )


async def answer(visit: Visit) -> Response:
    """What would have changed, as a part of the page, whose address then says what was asked; or, for a browser that
    runs no scripts, as a page of its own.
    """
    query, policies = visit.query, visit.layer.policies
    live = (await policies.effective(query.agent)).live
    changes, period = moved(query, live), query.period()
    whole = bool(query.params.get("whole"))
    result = await policies.what_if(query.agent, changes, period.since, period.until, query.range, whole=whole)
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

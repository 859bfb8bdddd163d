"""Views of the pages as pure functions: periods, filters, changes and links."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from brain.analytics.turn_rows import Period, Point, ResultPage, Total
from brain.rollups import RollupCounts
from cognitive.dashboard import measures, overview, time_buckets, turn_filters, turns
from cognitive.dashboard.params import PageQuery, zone
from cognitive.errors import InvalidInput

NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def query(**params):
    return PageQuery("a b/ü", NOW, BERLIN, "/ui", params)


def total(**numbers):
    return Total("", RollupCounts(**numbers))


def overview_data(now, before):
    nothing = ResultPage((), 0, None)
    kinds = {by: [Total("debug", RollupCounts(turns=3))] for by in overview.BREAKDOWNS}
    return overview.OverviewData(now, before, [Point(NOW, now)], [], kinds, [], nothing)


def test_period_of_a_month_has_day_steps_and_of_a_day_hour_steps():
    month, day = query().period(), query(range="24h").period()

    assert (month.until - month.since, month.step, month.zone) == (timedelta(days=30), "day", "Europe/Berlin")
    assert (day.until - day.since, day.step) == (timedelta(hours=24), "hour")


@pytest.mark.parametrize(
    "params",
    [
        {"range": "8y"},
        {"since": "2026-11-02"},
        {"since": "yesterday"},
        {"since": "2026-11-02T00:00:00+00:00", "until": "2026-11-01T00:00:00+00:00"},
        {"since": "1900-01-01T00:00:00+00:00"},
        {"since": "0001-01-01T00:00:00+14:00"},
    ],
)
def test_invalid_period_is_refused_with_the_name_of_its_parameter(params):
    with pytest.raises(InvalidInput, match=r"range|since"):
        query(**params).period()


def test_links_encode_every_character_of_a_name():
    assert query().link("turns", frame="debug", since=None) == "/ui/turns?agent=a+b%2F%C3%BC&frame=debug"


def test_unknown_time_zone_falls_back_to_utc():
    assert zone("../../etc/passwd").key == zone(None).key == "UTC"
    assert zone("Asia/Tokyo").key == "Asia/Tokyo"


def test_change_shows_its_direction_and_whether_it_is_good():
    referenced, prepared = overview.KEY_METRICS[1], overview.KEY_METRICS[4]

    assert measures.describe_change(0.4, 0.3, referenced) == ("+10.0 pts", "good")
    assert measures.describe_change(150, 100, prepared) == ("+50%", "bad")
    assert measures.describe_change(100, 100, prepared) == ("unchanged", "plain")
    assert measures.describe_change(100, None, prepared) == ("", "plain")


def test_handful_of_turns_is_not_compared_with_the_period_before():
    page = overview.view(overview_data(total(turns=100, abstained=20), total(turns=3, abstained=2)), query())
    assert {card.change for card in (*page.first, *page.more)} == {""}


def test_own_period_is_in_the_time_zone_of_the_viewer():
    own = query(**{"from": "2026-10-30T00:00", "to": "2026-11-01T12:00"})
    assert own.period().since == datetime(2026, 10, 29, 23, tzinfo=UTC)
    assert own.period().until == datetime(2026, 11, 1, 11, tzinfo=UTC)
    assert (own.range, own.period_params()) == ("", own.params)
    for wrong in ({"from": "today"}, {"from": "2026-11-01T12:00", "to": "2026-10-30T00:00"}):
        with pytest.raises(InvalidInput):
            query(**wrong).period()


def test_cards_and_breakdowns_link_to_their_turns():
    page = overview.view(overview_data(total(turns=100, abstained=20), total(turns=50)), query(range="7d"))

    abstained = next(card for card in page.more if card.name == "Abstained")
    assert (abstained.value, abstained.change) == ("20%", "+20.0 pts")
    assert abstained.link == "/ui/turns?agent=a+b%2F%C3%BC&range=7d&abstained=yes"
    frames = next(kinds for kinds in page.breakdowns if kinds.by == "frame")
    assert frames.rows[0].link.endswith("range=7d&frame=debug")


def test_days_without_turns_are_filled_in_the_viewers_time_zone():
    period = Period(NOW - timedelta(days=3), NOW, "day", "Europe/Berlin")
    midnight = datetime(2026, 11, 1, tzinfo=BERLIN).astimezone(UTC)

    buckets = time_buckets.fill_buckets([Point(midnight, total(turns=4))], period, query())

    assert [point.numbers.turns for _, point in buckets] == [0, 0, 4, 0]
    assert [at.hour for at, _ in buckets] == [0, 0, 0, 0]


def test_day_of_25_hours_has_25_steps():
    day = datetime(2026, 10, 25, tzinfo=BERLIN)
    period = Period(day.astimezone(UTC), datetime(2026, 10, 26, tzinfo=BERLIN).astimezone(UTC), "hour", "Europe/Berlin")

    assert len(time_buckets.fill_buckets([], period, query())) == 25


def test_query_parameters_make_a_filter():
    filters = turn_filters.turn_filter(
        query(q="redis", status="failed", degraded="yes", abstained="no", min_ms="120", range="24h")
    )

    assert (filters.words, filters.status, filters.degraded, filters.abstained) == ("redis", "failed", True, False)
    assert (filters.min_ms, filters.since) == (120, NOW - timedelta(days=1))


@pytest.mark.parametrize(
    "params", [{"status": "x"}, {"degraded": "maybe"}, {"min_ms": "nan"}, {"min_ms": "fast"}, {"after": "x~y"}]
)
def test_invalid_filter_is_refused_with_its_name(params):
    with pytest.raises(InvalidInput, match=next(iter(params))):
        turn_filters.after(params), turn_filters.turn_filter(query(**params))


def test_filters_can_be_removed_and_the_next_page_continues():
    page = turns.view(ResultPage((), 5_000, (NOW, "t~1"), NOW), {"frame": ("debug",)}, query(frame="rare", q="x"))

    assert [(each.name, each.value) for each in page.applied] == [
        ("frame", "rare"),
        ("question or answer contains", "x"),
    ]
    assert page.applied[0].remove_link == "/ui/turns?agent=a+b%2F%C3%BC&q=x"
    assert next(choice for choice in page.choices if choice.name == "frame").values == ("debug", "rare")
    after = page.older.partition("after=")[2].replace("%3A", ":").replace("%2B", "+")
    assert turn_filters.after({"after": after}) == (NOW, "t~1")

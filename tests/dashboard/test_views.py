"""From reads to pages: periods, filters, changes, links; all of it pure."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from brain.analytics.turn_rows import Period, Point, ResultPage, Total
from brain.rollups import RollupCounts
from cognitive.dashboard import measures, overview, time_buckets, turns
from cognitive.dashboard.params import PageQuery, zone
from cognitive.errors import InvalidInput

NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def asked(**params):
    return PageQuery("a b/ü", NOW, BERLIN, "/ui", params)


def total(**numbers):
    return Total("", RollupCounts(**numbers))


def told(now, before):
    nothing = ResultPage((), 0, None)
    kinds = {by: [Total("debug", RollupCounts(turns=3))] for by in overview.BREAKDOWNS}
    return overview.OverviewData(now, before, [Point(NOW, now)], [], kinds, [], nothing)


def test_a_page_of_the_last_month_by_days_and_of_the_last_day_by_hours():
    month, day = asked().period(), asked(range="24h").period()

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
def test_a_period_that_does_not_exist_is_named(params):
    with pytest.raises(InvalidInput, match=r"range|since"):
        asked(**params).period()


def test_addresses_keep_every_character_of_a_name():
    assert asked().link("turns", frame="debug", since=None) == "/ui/turns?agent=a+b%2F%C3%BC&frame=debug"


def test_a_zone_that_nobody_knows_is_utc():
    assert zone("../../etc/passwd").key == zone(None).key == "UTC"
    assert zone("Asia/Tokyo").key == "Asia/Tokyo"


def test_a_change_tells_its_direction_and_whether_that_is_good():
    referenced, prepared = overview.KEY_METRICS[1], overview.KEY_METRICS[4]

    assert measures.describe_change(0.4, 0.3, referenced) == ("+10.0 pts", "good")
    assert measures.describe_change(150, 100, prepared) == ("+50%", "bad")
    assert measures.describe_change(100, 100, prepared) == ("unchanged", "plain")
    assert measures.describe_change(100, None, prepared) == ("", "plain")


def test_cards_lead_to_the_rows_behind_them():
    page = overview.view(told(total(turns=10, abstained=2), total(turns=5)), asked(range="7d"))

    abstained = next(card for card in page.more if card.name == "Abstained")
    assert (abstained.value, abstained.change) == ("20%", "+20.0 pts")
    assert abstained.link == "/ui/turns?agent=a+b%2F%C3%BC&range=7d&abstained=yes"
    frames = next(kinds for kinds in page.breakdowns if kinds.by == "frame")
    assert frames.rows[0].link.endswith("range=7d&frame=debug")


def test_steps_without_turns_stand_there_as_nothing_and_days_are_those_of_the_viewer():
    period = Period(NOW - timedelta(days=3), NOW, "day", "Europe/Berlin")
    midnight = datetime(2026, 11, 1, tzinfo=BERLIN).astimezone(UTC)

    course = time_buckets.fill_buckets([Point(midnight, total(turns=4))], period, asked())

    assert [counted.numbers.turns for _, counted in course] == [0, 0, 4, 0]
    assert [at.hour for at, _ in course] == [0, 0, 0, 0]


def test_a_day_of_25_hours_has_25_steps():
    day = datetime(2026, 10, 25, tzinfo=BERLIN)
    period = Period(day.astimezone(UTC), datetime(2026, 10, 26, tzinfo=BERLIN).astimezone(UTC), "hour", "Europe/Berlin")

    assert len(time_buckets.fill_buckets([], period, asked())) == 25


def test_an_address_names_a_filter():
    wanted = turns.turn_filter(
        asked(q="redis", status="failed", degraded="yes", abstained="no", min_ms="120", range="24h")
    )

    assert (wanted.words, wanted.status, wanted.degraded, wanted.abstained) == ("redis", "failed", True, False)
    assert (wanted.min_ms, wanted.since) == (120, NOW - timedelta(days=1))


@pytest.mark.parametrize(
    "params", [{"status": "x"}, {"degraded": "maybe"}, {"min_ms": "nan"}, {"min_ms": "fast"}, {"after": "x~y"}]
)
def test_a_filter_that_makes_no_sense_is_named(params):
    with pytest.raises(InvalidInput, match=next(iter(params))):
        turns.after(params), turns.turn_filter(asked(**params))


def test_a_filter_can_be_taken_away_and_pages_go_on_where_they_ended():
    page = turns.view(ResultPage((), 5_000, (NOW, "t~1"), NOW), {"frame": ("debug",)}, asked(frame="rare", q="x"))

    assert [(each.name, each.value) for each in page.applied] == [("frame", "rare"), ("message contains", "x")]
    assert page.applied[0].remove_link == "/ui/turns?agent=a+b%2F%C3%BC&q=x"
    assert next(choice for choice in page.choices if choice.name == "frame").values == ("debug", "rare")
    after = page.older.partition("after=")[2].replace("%3A", ":").replace("%2B", "+")
    assert turns.after({"after": after}) == (NOW, "t~1")

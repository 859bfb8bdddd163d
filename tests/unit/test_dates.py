"""The date grammar: the ranges of phrases on a given day, and texts without a date."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognitive.preflight.dates import find
from cognitive.preflight.rules.dates import DATE_PATTERNS
from cognitive.preflight.rules.matching import RuleTable, fold
from cognitive.preflight.rules.tenses import TENSES, VERBLESS

NOW = datetime(2026, 11, 18, 15, 30, tzinfo=UTC)  # a Wednesday
ALWAYS = datetime.min.replace(tzinfo=UTC) + timedelta(days=1)


def at(written: str) -> datetime:
    return datetime.fromisoformat(written).replace(tzinfo=UTC)


DAYS = {
    "today": "2026-11-18",
    "yesterday": "2026-11-17",
    "the day before yesterday": "2026-11-16",
    "tomorrow": "2026-11-19",
    "the day after tomorrow": "2026-11-20",
    "3 days ago": "2026-11-15",
    "two days ago": "2026-11-16",
    "a day ago": "2026-11-17",
    "last Monday": "2026-11-16",
    "the Friday before last": "2026-11-06",
    "the Monday before last": "2026-11-09",
    "the Wednesday before last": "2026-11-04",
    "the Friday after next": "2026-11-27",
    "on Monday": "2026-11-16",
    "on wednesday": "2026-11-11",
    "last Friday": "2026-11-13",
    "this Friday": "2026-11-20",
    "next Friday": "2026-11-20",
    "next Monday": "2026-11-23",
    "2026-09-14": "2026-09-14",
    "2026/9/14": "2026-09-14",
    "9/14/2026": "2026-09-14",
    "14/9/2026": "2026-09-14",
    "4/5/2026": "2026-04-05",
    "14.09.2026": "2026-09-14",
    "on 14 September": "2026-09-14",
    "on 14 September 2025": "2025-09-14",
    "September 14": "2026-09-14",
    "September 14th, 2024": "2024-09-14",
    "the 14th of September": "2026-09-14",
    "Dec 5": "2025-12-05",
    "on may 5": "2026-05-05",
    "February 29": "2024-02-29",
    "on the 14th": "2026-11-14",
    "on the 20th": "2026-10-20",
    "on May 5 last year": "2025-05-05",
    "the 5th of May, next year": "2027-05-05",
    "last year on May 5": "2025-05-05",
    "on Tuesday last week": "2026-11-10",
    "on Friday two weeks ago": "2026-11-06",
    "on Monday in two weeks": "2026-11-30",
    "on Friday of this week": "2026-11-20",
    "next week on Tuesday": "2026-11-24",
    "on the 20th of last month": "2026-10-20",
    "last month, on the 3rd": "2026-10-03",
}

RANGES = {
    "a couple of days ago": ("2026-11-15", "2026-11-18"),
    "a few days ago": ("2026-11-13", "2026-11-17"),
    "a day or two ago": ("2026-11-16", "2026-11-18"),
    "a week ago": ("2026-11-08", "2026-11-15"),
    "two weeks ago": ("2026-11-01", "2026-11-08"),
    "3 months ago": ("2026-08-01", "2026-09-01"),
    "several months ago": ("2026-03-01", "2026-09-01"),
    "2 years ago": ("2024-01-01", "2025-01-01"),
    "an hour ago": ("2026-11-18T13:30", "2026-11-18T15:30"),
    "this week": ("2026-11-16", "2026-11-23"),
    "last week": ("2026-11-09", "2026-11-16"),
    "the week before last": ("2026-11-02", "2026-11-09"),
    "past week": ("2026-11-11", "2026-11-19"),
    "the last 3 days": ("2026-11-15", "2026-11-19"),
    "over the past two weeks": ("2026-11-04", "2026-11-19"),
    "last month": ("2026-10-01", "2026-11-01"),
    "this month": ("2026-11-01", "2026-12-01"),
    "last quarter": ("2026-07-01", "2026-10-01"),
    "this quarter": ("2026-10-01", "2027-01-01"),
    "last year": ("2025-01-01", "2026-01-01"),
    "this year": ("2026-01-01", "2027-01-01"),
    "last weekend": ("2026-11-14", "2026-11-16"),
    "this weekend": ("2026-11-21", "2026-11-23"),
    "this morning": ("2026-11-18T04:00", "2026-11-18T12:00"),
    "tonight": ("2026-11-18T18:00", "2026-11-19T06:00"),
    "last night": ("2026-11-17T18:00", "2026-11-18T06:00"),
    "yesterday evening": ("2026-11-17T17:00", "2026-11-18"),
    "last May": ("2026-05-01", "2026-06-01"),
    "in May": ("2026-05-01", "2026-06-01"),
    "in may": ("2026-05-01", "2026-06-01"),
    "in December": ("2025-12-01", "2026-01-01"),
    "in November": ("2026-11-01", "2026-12-01"),
    "last November": ("2025-11-01", "2025-12-01"),
    "next May": ("2027-05-01", "2027-06-01"),
    "May 2024": ("2024-05-01", "2024-06-01"),
    "in May 2024": ("2024-05-01", "2024-06-01"),
    "May last year": ("2025-05-01", "2025-06-01"),
    "last year in May": ("2025-05-01", "2025-06-01"),
    "in May and June last year": ("2025-05-01", "2025-07-01"),
    "last year between March and May": ("2025-03-01", "2025-06-01"),
    "in Q1 last year": ("2025-01-01", "2025-04-01"),
    "last year, the May release": ("2025-01-01", "2026-01-01"),
    "last year in Q3": ("2025-07-01", "2025-10-01"),
    "last year on Q3": ("2025-01-01", "2026-01-01"),
    "last month in May": ("2026-10-01", "2026-11-01"),
    "last year in early May": ("2025-05-01", "2025-05-11"),
    "early May": ("2026-05-01", "2026-05-11"),
    "in mid-May 2024": ("2024-05-11", "2024-05-21"),
    "late May": ("2026-05-21", "2026-06-01"),
    "at the beginning of May": ("2026-05-01", "2026-05-11"),
    "the week of May 5, 2026": ("2026-05-04", "2026-05-11"),
    "last summer": ("2026-06-01", "2026-09-01"),
    "in the spring": ("2026-03-01", "2026-06-01"),
    "autumn 2024": ("2024-09-01", "2024-12-01"),
    "last winter": ("2025-12-01", "2026-03-01"),
    "the fall of 2023": ("2023-09-01", "2023-12-01"),
    "in 2023": ("2023-01-01", "2024-01-01"),
    "in the 1990s": ("1990-01-01", "2000-01-01"),
    "Q3 2024": ("2024-07-01", "2024-10-01"),
    "in Q1": ("2026-01-01", "2026-04-01"),
    "May 3-5": ("2026-05-03", "2026-05-06"),
    "between 3 and 5 May": ("2026-05-03", "2026-05-06"),
    "between May and July 2024": ("2024-05-01", "2024-08-01"),
    "from May 2023 to July": ("2023-05-01", "2023-08-01"),
    "from November to February": ("2025-11-01", "2026-03-01"),
    "between Monday and Wednesday": ("2026-11-09", "2026-11-12"),
    "2024-01-01 to 2024-02-01": ("2024-01-01", "2024-02-02"),
    "May–July 2024": ("2024-05-01", "2024-08-01"),
    "between 2020 and 2022": ("2020-01-01", "2023-01-01"),
    "from 2020-2022": ("2020-01-01", "2023-01-01"),
    "in May and June": ("2026-05-01", "2026-07-01"),
    "in May, June and July": ("2026-05-01", "2026-08-01"),
    "yesterday and today": ("2026-11-17", "2026-11-19"),
    "Q1 2025 versus Q2 2025": ("2025-01-01", "2025-07-01"),
    "the week before August 3, 2025": ("2025-07-27", "2025-08-03"),
    "the day after May 5": ("2026-05-06", "2026-05-07"),
    "since last May": ("2026-05-01", "2026-11-18T15:30"),
    "since Monday": ("2026-11-16", "2026-11-18T15:30"),
    "after 2024": ("2025-01-01", "2026-11-18T15:30"),
}

NO_DATES = (
    "may I ask you something",
    "May said hello",
    "we march on",
    "the second one",
    "the sun is shining",
    "you may",
    "31 February",
    "February 31",
    "2026-02-30",
    "31/2/2026",
    "in 2000 lines",
    "port 2024",
    "every Monday",
    "in Spring Boot",
    "how do I do it in Spring",
    "Spring cleaning",
    "fall back to Redis",
    "report-2026-09-14.csv",
    "/logs/2026/09/14",
    "today.py",
    "this may be wrong",
    "the last may fail",
    "the 2nd try",
    "a second ago",
    "last-minute change",
    "the last time",
    "after tomorrow",
    "",
    "from May we got an email",
    "tell me about June",
    "sat down",
    "version 1.14.2026.3",
    "last weekly",
    "SELECT 9/14",
    "decide",
    "между маем и июнем",
    "Émay 2024x",
)


@pytest.mark.parametrize(("phrase", "day"), DAYS.items(), ids=DAYS)
def test_phrase_for_a_day_gives_that_day(phrase, day):
    result = find(f"what did we do {phrase}?", NOW)
    assert result is not None
    assert (result.start, result.end) == (at(day), at(day) + timedelta(days=1))


@pytest.mark.parametrize(("phrase", "span"), RANGES.items(), ids=RANGES)
def test_phrase_for_a_range_gives_that_range(phrase, span):
    result = find(f"what did we do {phrase}?", NOW)
    assert result is not None
    assert (result.start, result.end) == (at(span[0]), at(span[1]))


@pytest.mark.parametrize("text", NO_DATES)
def test_text_without_a_date_gives_none(text):
    assert find(text, NOW) is None


@pytest.mark.parametrize("form", DATE_PATTERNS, ids=lambda form: form.rule.id)
def test_pattern_matches_its_examples_and_not_its_counterexamples(form):
    for example in form.rule.examples:
        assert find(example, NOW) is not None, example
    for example in form.rule.counterexamples:
        assert find(example, NOW) is None, example


@pytest.mark.parametrize(("text", "end"), [("before October", "2026-10-01"), ("until March 2024", "2024-04-01")])
def test_open_start_is_the_first_representable_day(text, end):
    result = find(text, NOW)
    assert result is not None
    assert (result.start, result.end) == (ALWAYS, at(end))


def test_open_start_converts_to_utc_from_any_zone():
    result = find("before October", NOW.astimezone(timezone(timedelta(hours=14))))
    assert result is not None
    assert result.start.astimezone(UTC).year == 1


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Hi! What did we say since last May about Redis?", "since last May"),
        ("what happened between May and July 2024 here", "between May and July 2024"),
        ("Über Zoë: was it in mid-May?", "in mid-May"),
        ("Last week we spoke of what happened in 2023", "Last week"),
    ],
)
def test_first_phrase_is_quoted_verbatim(text, phrase):
    result = find(text, NOW)
    assert result is not None
    assert result.phrase == phrase


def test_nonexistent_date_is_skipped_for_the_next_phrase():
    result = find("on 31 February, or was it yesterday", NOW)
    assert result is not None
    assert result.start == at("2026-11-17")


def test_days_run_from_midnight_to_midnight_across_a_clock_change():
    berlin = ZoneInfo("Europe/Berlin")
    result = find("yesterday", datetime(2026, 10, 26, 9, tzinfo=berlin))
    assert result is not None
    assert result.start == datetime(2026, 10, 25, tzinfo=berlin)
    assert result.end.astimezone(UTC) - result.start.astimezone(UTC) == timedelta(hours=25)


WORDS = st.sampled_from(
    """since before after until between from to and in on the last next this past early mid late may march may, 2024
    1999 31 30 february monday weekend week weeks days ago few couple 9/14/2026 2026-02-31 q3 summer the 14th - year
    quarter 0 999 years months 31st of decade 1990s tonight morning""".split()
)
ZONES = st.sampled_from([UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12)), ZoneInfo("Europe/Berlin")])


@given(
    text=st.one_of(st.text(), st.lists(WORDS, max_size=12).map(" ".join)),
    now=st.datetimes(timezones=ZONES),
)
def test_any_text_and_time_give_none_or_a_nonempty_range(text, now):
    result = find(text, now)
    if result is not None:
        assert result.start < result.end
        assert result.start.tzinfo is now.tzinfo
        assert result.end.tzinfo is now.tzinfo
        assert result.phrase in text


@pytest.mark.parametrize("rule", [*TENSES, *VERBLESS], ids=lambda rule: rule.id)
def test_tense_rule_matches_its_examples_and_not_its_counterexamples(rule):
    table = RuleTable([rule])
    assert all(table.fired(fold(example).lower()) for example in rule.examples)
    assert not any(table.fired(fold(example).lower()) for example in rule.counterexamples)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("what's the status of the outage on Friday?", "2026-11-13"),
        ("any news on the outage on Friday?", "2026-11-13"),
        ("We meet on Friday", "2026-11-20"),
        ("we met on Friday", "2026-11-13"),
        ("what do we know about the fire on Friday?", "2026-11-13"),
        ("it is planned for Monday", "2026-11-23"),
        ("I'm away on Monday, the roof was fixed", "2026-11-23"),
        ("the roof was fixed on Monday, I'm glad", "2026-11-16"),
        ("The boat leaves on the 3rd", "2026-12-03"),
        ("We move on May 5", "2027-05-05"),
        ("she is back in three days", "2026-11-21"),
        ("we leave two weeks from today", "2026-12-02"),
        ("What's on Monday?", "2026-11-23"),
        ("I need the notes from Monday", "2026-11-16"),
        ("from Monday on we use the new branch", "2026-11-23"),
        ("I'm off from Monday", "2026-11-23"),
        ("What’s on for Monday?", "2026-11-23"),
        ("what was on for Monday?", "2026-11-16"),
        ("Any meetings on Tuesday?", "2026-11-24"),
        ("Anything on Tuesday?", "2026-11-24"),
        ("any errors on Monday?", "2026-11-16"),
        ("anything we decided on Tuesday?", "2026-11-17"),
        ("What's planned for 3 January?", "2027-01-03"),
        ("anything booked for 3 January?", "2027-01-03"),
        ("What's changed on Monday?", "2026-11-16"),
        ("What's been done on Monday?", "2026-11-16"),
        ("What have I got on Monday?", "2026-11-23"),
        ("What happens on 3 January?", "2027-01-03"),
        ("what happened on 3 January?", "2026-01-03"),
        ("Lunch with Ben on Thursday, he cancelled on Tuesday", "2026-11-19"),
        ("Lunch with Ben on Thursday was short", "2026-11-12"),
        ("the call on Monday, we meet on Friday", "2026-11-16"),
        ("notes from Monday", "2026-11-16"),
    ],
)
def test_tense_decides_between_the_last_and_the_next_day(text, day):
    result = find(text, NOW)
    assert result is not None
    assert (result.start, result.end) == (at(day), at(day) + timedelta(days=1))


def test_future_until_begins_today():
    result = find("I'm away until Friday", NOW)
    assert result is not None
    assert (result.start, result.end) == (at("2026-11-18"), at("2026-11-21"))

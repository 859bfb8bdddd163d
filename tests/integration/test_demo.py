"""`cognitive demo`: every statement it makes about a turn is checked, on whatever day it is played."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from cognitive import CognitiveLayer, Policy
from cognitive.cli import conversation, demo, printing
from cognitive.cli.answers import NO
from cognitive.cli.expectations import CONDITIONS
from cognitive.cli.main import cli

STORY = {
    "title": "Two lines",
    "items": [
        {"id": "i1", "type": "fact", "text": "The harbour office closes at five."},
        {"id": "i2", "type": "fact", "text": "The harbour office closes at six.", "supersedes": "i1"},
    ],
}
TURN = {"text": "When does the harbour office close?", "response": "The harbour office closes at six."}


@pytest.fixture
def play(urls, tmp_path, agent):
    """Return a function that plays a story with the command and returns its result."""

    def command(*words: str, story: dict | None = None):
        environment = {"COGNITIVE_DATABASE_URL": urls.app, "COGNITIVE_DATA_DIR": str(tmp_path)}
        file = tmp_path / "story.json"
        file.write_text(json.dumps(story), encoding="utf-8")
        arguments = ["demo", "--yes", "--agent", agent, *(["--from", str(file)] if story else []), *words]
        return CliRunner().invoke(cli, arguments, env={**environment, "COLUMNS": "200"}, prog_name="cognitive")

    return command


def story_that_says(*expectations: dict) -> dict:
    return {**STORY, "turns": [{**TURN, "expect": list(expectations)}]}


def test_every_statement_of_the_demo_holds_under_the_default_policy(play, urls, agent):
    result = play()
    assert result.exit_code == 0, result.output
    assert "✗" not in result.stdout
    assert "next time: place in recall" in result.stdout
    assert "will note another base policy" in result.stderr
    assert f"all {result.stdout.count('✓ ') - result.stdout.count('✓ 0.')} statements (✓) hold" in result.stdout
    played, now = asyncio.run(turns_of(urls, agent)), datetime.now(UTC)
    assert len(played) == 14
    assert all(now - timedelta(days=2) < turn.at <= now for turn in played)


async def turns_of(urls, agent):
    async with CognitiveLayer.open(urls.app) as layer:
        return await layer.explain.turns(agent)


async def test_statements_hold_on_other_days(urls, embedder, agent, monkeypatch):
    monkeypatch.setattr(printing.console(), "quiet", True)
    story = conversation.load_default(datetime(2027, 1, 2, 18, tzinfo=UTC))  # a Saturday, soon after the end of a year
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=10_000), embedder=embedder) as layer:
        await demo._load(layer, agent, story)
        messages = {turn.session: [] for turn in story.turns}
        turns = [await demo._play(layer, agent, n, turn, messages[turn.session]) for n, turn in enumerate(story.turns)]
    assert [each for turn in turns for each in turn["expectations"] if each["failures"]] == []
    assert all(turn["expectations"] for turn in turns)


def test_false_statement_is_printed_as_failed(play):
    story = story_that_says(
        {"says": "The old hours are first.", "first": "i1"}, {"says": "The new hours are shown.", "shown": ["i2"]}
    )
    result = play(story=story)
    assert result.exit_code == NO
    assert "✗ failed: The old hours are first." in result.stdout
    assert "i1 is not first: superseded" in result.stdout
    assert "✓ The new hours are shown." in result.stdout
    assert "1 of 2 statements (✓, ✗) failed" in result.stdout


def test_json_has_the_statements_and_what_failed(play):
    result = play("--json", story=story_that_says({"says": "Nothing is shown.", "nothing_shown": True}))
    [turn] = json.loads(result.stdout)["turns"]
    assert turn["expectations"] == [{"says": "Nothing is shown.", "failures": ["i2 is shown"]}]


def test_every_condition_can_fail(play):
    false = {
        "nothing_searched": True,
        "nothing_shown": True,
        "query": "hours",
        "query_has": ["hours"],
        "first": "i1",
        "shown": ["i1"],
        "not_shown": ["i2"],
        "superseded": ["i2"],
        "restated": ["i2"],
        "not_restated": ["i3"],
        "pinned": ["hours"],
        "most_wanted": "episode",
        "only_from": "2020-01-01",
        "used": ["i1"],
        "unused": ["i2"],
        "boosted": ["i2"],
        "above": [["i1", "i2"]],
        "rising": ["i1"],
    }
    assert false.keys() == CONDITIONS.keys()
    story = story_that_says(*({"says": name, name: value} for name, value in false.items()))
    said = "The harbour office is shut on Sundays."
    story["items"] = [*STORY["items"], {"id": "i3", "type": "fact", "text": said}]
    story["turns"][0]["conversation"] = [{"role": "user", "content": said}]
    [turn] = json.loads(play("--json", story=story).stdout)["turns"]
    assert [each["says"] for each in turn["expectations"] if not each["failures"]] == []


def test_unknown_id_is_refused_before_anything_is_played(play):
    result = play(story=story_that_says({"says": "It is above.", "above": [["i1", "i9"]]}))
    assert result.exit_code == 1
    assert "expect: above: no item has the id 'i9'" in result.stderr


def test_unknown_condition_is_refused_before_anything_is_played(play):
    result = play(story=story_that_says({"says": "It is near.", "near": ["i1"]}))
    assert result.exit_code == 1
    assert "expected conditions among nothing_searched," in result.stderr

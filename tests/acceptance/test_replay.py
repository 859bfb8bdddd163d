"""Promises P5 and P10: replays are byte-identical, or report the memories that were erased or changed."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import random
import subprocess
import sys
import zlib
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import pytest

from brain.decay import decayed
from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, Turn
from cognitive.bootstrap import assemble
from cognitive.errors import InvalidInput
from cognitive.infrastructure import Extensions
from cognitive.lab.cases import to_logged_turn, with_relearned_usage
from cognitive.lab.evaluate import evaluate
from cognitive.policy.constants import Constants

CHECKOUT = Path(__file__).parents[2]
AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
CALM = Policy(deadline_ms=60_000, abstention=False)
STRICT = Policy(deadline_ms=60_000)
TURNS = 50  # under each of the two policies
PEOPLE = ["Ada", "Bea", "Cyd", "Dov"]
STUFF = ["amber", "copper", "brass", "ivory", "walnut"]
THINGS = ["kettle", "violin", "globe", "telescope"]
PLACES = ["attic", "cellar", "garage", "pantry", "studio"]

# Replays all turns of an agent in another process.
ELSEWHERE = """
import asyncio, json, sys
from cognitive import CognitiveLayer

async def main():
    url, agent = sys.argv[1:]
    async with CognitiveLayer.open(url) as layer:
        replays = [await layer.explain.replay(agent, turn_id) for turn_id in await layer.explain.turn_ids(agent)]
    print(json.dumps([[r.turn_id, r.verdict, r.text, r.prefix] for r in replays]))

asyncio.run(main())
"""


def memories(rolled: random.Random, count: int, first: int = 0) -> list[NewMemory]:
    """Return memories of all types with speakers, sessions and contexts; some are pinned, some long."""
    made: list[NewMemory] = []
    for n in range(first, first + count):
        who, of, what, where = (rolled.choice(words) for words in (PEOPLE, STUFF, THINGS, PLACES))
        type_, content = rolled.choice(
            [
                ("fact", f"The {of} {what} belongs to {who}."),
                (
                    "episode",
                    f"I moved the {of} {what} to the {where}, and it was {rolled.choice(STUFF)} dust everywhere.",
                ),
                ("decision", f"We decided that the {of} {what} stays in the {where}."),
                (
                    "procedure",
                    f"To clean a {of} {what}: " + f"go to the {where}, and ask {who}. " * rolled.choice((1, 30)),
                ),
            ]
        )
        made.append(
            NewMemory(
                type=type_,
                content=content,
                source=str(n),
                session_id=f"s{n % 13}" if n % 5 else None,
                speaker=who if type_ == "episode" else None,
                pinned=n in (7, 77),
                occurred_at=AT + timedelta(hours=5 * n),
                context=made[-1].content[:200] if made and n % 3 else "",
            )
        )
    return made


def questions(rolled: random.Random, count: int) -> list[str]:
    asked = []
    for _ in range(count):
        who, of, what, where = (rolled.choice(words) for words in (PEOPLE, STUFF, THINGS, PLACES))
        asked.append(
            rolled.choice(
                [
                    f"Where is the {of} {what} of {who}?",
                    f"What did we decide about the {what} in the {where}?",
                    f"How do I clean a {of} {what}?",
                    f"last September {who} lost the {of} {what}",
                    "continue",
                    "Hello!",
                    f"Write a story about a {of} {what} and {who}.",
                    f"Debug: the {what} fails in the {where}!",
                ]
            )
        )
    return asked


async def talk(layer: CognitiveLayer, agent: str, name: str, seed: int) -> dict[str, tuple[str, str]]:
    """Run turns with conversations and feedback, and store memories in between.

    Returns the block and the prefix of each turn, by its id.
    """
    rolled = random.Random(seed)
    conversation: list[Message] = []
    rendered = {}
    for n, text in enumerate(questions(rolled, TURNS)):
        context = await layer.pre_turn(
            Turn(
                agent_id=agent,
                session_id=name,
                text=text,
                conversation=tuple(conversation),
                turn_id=f"{name}-{n}",
                now=NOW + timedelta(hours=3 * n),
                thinking="high" if n % 7 == 0 else None,
            )
        )
        assert context.degraded == ()
        rendered[context.turn_id] = (context.text, context.prefix)
        response = " ".join(shown.content[:120] for shown in context.shown[::3]) or "I do not know."
        await layer.post_turn(context, Outcome(response=response, citations=[s.memory_id for s in context.shown[1::4]]))
        messages = [Message(role="user", content=text), Message(role="assistant", content=response)]
        conversation = [*conversation[-6:], *messages]
        if n % 20 == 10:
            await layer.remember(agent, memories(rolled, 3, first=1_000 * seed + n))
    return rendered


@pytest.fixture(scope="module")
async def layers(urls, embedder):
    async with (
        CognitiveLayer.open(urls.app, policy=CALM, embedder=embedder) as calm,
        CognitiveLayer.open(urls.app, policy=STRICT, embedder=embedder) as strict,
    ):
        yield calm, strict


@pytest.fixture(scope="module")
async def day(layers):
    """Return an agent with a day of turns under two policies, and the texts that they rendered."""
    calm, strict = layers
    agent = "replayed"
    ids = await calm.remember(agent, memories(random.Random(3), 120))
    await calm.remember(
        agent,
        [NewMemory(type="fact", content="The amber kettle belongs to nobody now.", supersedes=ids[0], occurred_at=AT)],
    )
    rendered = await talk(calm, agent, "calm", 1) | await talk(strict, agent, "strict", 2)
    return agent, rendered


@pytest.fixture(scope="module")
async def evidence(layers, day):
    """Return the day's calm turns as evaluation cases, the usage history, and the reported progress."""
    calm, _ = layers
    agent, rendered = day
    seen = []
    turns = [turn_id for turn_id in rendered if turn_id.startswith("calm")]
    cases, history = await calm.explain.evaluation_cases(agent, turns, lambda done, total: seen.append((done, total)))
    assert [case.turn_id for case in cases] == turns
    return cases, history, seen


async def test_replays_of_a_day_are_byte_identical(layers, day):
    agent, rendered = day
    assert len(rendered) >= 100
    assert sum(bool(text) for text, _ in rendered.values()) > 50
    calm, strict = layers
    assert set(await calm.explain.turn_ids(agent)) == set(rendered)
    for turn_id, (text, prefix) in rendered.items():
        other = strict if turn_id.startswith("calm") else calm  # the current policy does not matter
        replay = await other.explain.replay(agent, turn_id)
        assert (replay.verdict, replay.reason, replay.text, replay.prefix) == ("identical", "", text, prefix)
        assert replay.difference.none
        assert replay.difference.tokens[0] == replay.difference.tokens[1]
        assert replay.difference.uncompared == ()


async def test_replay_uses_the_constants_of_the_layer(urls, embedder, layers, agent):
    usual, _ = layers
    extensions = Extensions(embedder, constants=Constants(version_threshold=1.0))
    async with assemble(urls.app, CALM, None, extensions) as services:
        layer = CognitiveLayer(services)
        await layer.remember(
            agent, [NewMemory(type="fact", content=f"Ada has parked the kayak at pier {n}.") for n in range(40)]
        )
        await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Where is Ada's kayak?", turn_id="k"))
        assert (await layer.explain.replay(agent, "k")).verdict == "identical"
    replay = await usual.explain.replay(agent, "k")  # shows the newest versions only
    assert (replay.verdict, replay.reason) == ("other constants", "recorded under other constants")


async def test_replay_in_another_process_and_hash_seed_is_identical(urls, day):
    agent, rendered = day
    ran = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", ELSEWHERE, urls.app, agent],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT), "PYTHONHASHSEED": "424242"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    replays = json.loads(ran.stdout)
    assert {verdict for _, verdict, _, _ in replays} == {"identical"}
    assert {turn_id: (text, prefix) for turn_id, _, text, prefix in replays} == rendered


async def test_record_holds_no_text_of_memories_or_conversation(layers, agent, urls):
    calm, _ = layers
    await calm.remember(agent, [NewMemory(type="fact", content="The zeppelin hangar opens at noon.", speaker="Quill")])
    said = [Message(role="user", content="Xylophones are loud today.")]
    context = await calm.pre_turn(
        Turn(agent_id=agent, session_id="s", text="When does that place open?", now=NOW, conversation=said)
    )
    assert context.shown
    document = zlib.decompress(base64.b64decode(context.trace.record)).decode().casefold()
    assert "open" in document  # the query itself
    for word in ("zeppelin", "hangar", "noon", "quill", "xylophone", "loud"):
        assert word not in document


async def test_replay_under_another_policy_reports_the_difference(layers, day):
    calm, _ = layers
    agent, rendered = day
    narrow = Policy(deadline_ms=60_000, limits={"default": 1, "hinted_type": 1, "other_types": 1}, abstention=False)
    totals: Counter[str] = Counter()
    for turn_id, (text, _) in rendered.items():
        replay = await calm.explain.replay(agent, turn_id, narrow)
        change = replay.difference
        assert replay.verdict == "another policy"
        assert change.none or replay.text != text or change.moved
        assert set(change.entered).isdisjoint(change.left)
        assert change.use[1] >= 0
        totals["left"] += len(change.left)
        totals["before"] += change.tokens[0]
        totals["after"] += change.tokens[1]
    assert totals["left"] > 100
    assert totals["after"] < totals["before"] / 2
    wide = Policy(deadline_ms=60_000, limits={"default": 12, "hinted_type": 12, "other_types": 12}, abstention=False)
    replay = await calm.explain.replay(agent, next(id for id, (text, _) in rendered.items() if text), wide)
    assert replay.difference.entered
    assert replay.difference.tokens[1] > replay.difference.tokens[0]


async def test_relearned_usage_equals_the_recorded_usage(evidence):
    cases, history, seen = evidence
    assert seen[-1] == (len(cases), len(cases))
    history = [verdict for verdict in history if verdict.turn_id.startswith("calm")]  # ordered by their own clock
    nearly = Policy(deadline_ms=60_000, abstention=False, usage={"half_life_days": 7.0 + 1e-9})
    taught = 0
    for case in cases:
        again = with_relearned_usage(case, nearly, history).found
        for was, now in zip(case.inputs.found.hits, again.hits, strict=True):
            assert (now.times_shown, now.times_used, now.usage_at) == (was.times_shown, was.times_used, was.usage_at)
            assert (now.usage_shown, now.usage_used) == pytest.approx((was.usage_shown, was.usage_used), rel=1e-6)
            taught += was.times_shown > 0
        for type_, masses in case.inputs.found.base.items():
            relearned, recorded = (
                [decayed(mass, each.at, case.inputs.now, 7.0) for mass in (each.shown, each.used)]
                for each in (again.base[type_], masses)
            )  # a decoy changes only the time to which the masses are decayed
            assert relearned == pytest.approx(recorded)
    assert taught > 100


def test_evaluation_of_the_logging_policy_shows_no_gain(evidence):
    cases, history, _ = evidence
    turns = [to_logged_turn(case, CALM, history) for case in cases]
    assert all(choice.target == choice.propensity == 1.0 for turn in turns for choice in turn.candidates)
    report = evaluate(turns)
    assert report.doubly_robust.gain.value == pytest.approx(0)
    assert report.ips.used.value == pytest.approx(report.logged.value)
    assert report.logged.value > 0
    assert report.refusal is not None  # fifty turns are too few
    assert "turns are too few" in report.refusal


async def test_replay_without_dedup_shows_the_restated_memory(layers, agent):
    calm, _ = layers
    said = "The zeppelin hangar opens at noon."
    await calm.remember(agent, [NewMemory(type="fact", content=text) for text in (said, "The hangar was painted red.")])
    turn = Turn(
        agent_id=agent,
        session_id="s",
        text="Tell me about the hangar.",
        turn_id="t",
        now=NOW,
        conversation=[Message(role="assistant", content=said)],
    )
    context = await calm.pre_turn(turn)
    assert said not in context.text
    lenient = await calm.explain.replay(
        agent, "t", CALM.changed({"dedup.threshold": 1.0, "dedup.containment_threshold": 1.0})
    )
    assert lenient.difference.left == ()
    off = await calm.explain.replay(agent, "t", CALM.changed({"dedup.enabled": False}))
    assert len(off.difference.entered) == 1
    assert off.difference.uncompared == ()


async def test_replay_reports_erased_and_changed_memories(layers, agent):
    calm, _ = layers
    ids = await calm.remember(agent, memories(random.Random(5), 30))
    rendered = {}
    for n, text in enumerate(questions(random.Random(5), 12)):
        context = await calm.pre_turn(Turn(agent_id=agent, session_id="s", text=text, now=NOW, turn_id=f"t{n}"))
        rendered[f"t{n}"] = context
    erased = next(c.shown[0].memory_id for c in rendered.values() if c.shown)
    changed = next(s.memory_id for c in rendered.values() for s in c.shown if s.memory_id != erased)
    await calm.forget(agent, [erased])
    await calm.update(agent, changed, content="It is all different now.")
    await calm.remember(agent, memories(random.Random(6), 30, first=500))
    verdicts = Counter()
    for turn_id, context in rendered.items():
        replay = await calm.explain.replay(agent, turn_id)
        shown = {each.memory_id for each in context.shown}
        verdicts[replay.verdict] += 1
        assert replay.verdict != "different"
        assert (erased in shown) <= (erased in replay.gone)
        assert (changed in shown) <= (changed in replay.changed)
        if {erased, changed} & shown:
            assert replay.verdict == "changed since"
            assert ("erased since" in replay.reason) == (erased in replay.gone)
            assert "shown" in replay.reason
        if not replay.gone and not replay.changed:
            assert (replay.verdict, replay.text) == ("identical", context.text)
    assert len(ids) == 30
    assert verdicts["changed since"] > 0


async def test_replay_reports_a_changed_pinned_memory(layers, agent):
    calm, _ = layers
    [pinned] = await calm.remember(agent, [NewMemory(type="fact", content="Answer in French.", pinned=True)])
    await calm.pre_turn(Turn(agent_id=agent, session_id="s", text="Hello!", now=NOW, turn_id="t"))
    assert (await calm.explain.replay(agent, "t")).verdict == "identical"
    await calm.update(agent, pinned, content="Answer in German.")
    replay = await calm.explain.replay(agent, "t")
    assert (replay.verdict, replay.changed) == ("changed since", (pinned,))
    await calm.forget(agent, [pinned])
    assert (await calm.explain.replay(agent, "t")).gone == (pinned,)


async def test_replay_of_an_unknown_turn_is_refused(layers, agent):
    calm, _ = layers
    with pytest.raises(InvalidInput, match="no-such-turn"):
        await calm.explain.replay(agent, "no-such-turn")


async def test_replay_changes_no_usage_and_records_no_turn(layers, day):
    calm, _ = layers
    agent, rendered = day
    before = await calm.pre_turn(
        Turn(agent_id=agent, session_id="p", text="Where is the amber kettle?", now=NOW, turn_id="probe")
    )
    for turn_id in list(rendered)[:10]:
        await calm.explain.replay(agent, turn_id, STRICT)
    assert set(await calm.explain.turn_ids(agent)) == {*rendered, "probe"}
    again = await calm.pre_turn(
        Turn(agent_id=agent, session_id="p", text="Where is the amber kettle?", now=NOW, turn_id="probe")
    )
    assert [repr(f.candidate.boost) for f in again.trace.candidates] == [
        repr(f.candidate.boost) for f in before.trace.candidates
    ]


async def test_evaluate_command_reports_the_limit_of_turns_read(day, urls):
    agent, _ = day
    ran = await asyncio.to_thread(
        subprocess.run,
        [
            sys.executable,
            "-m",
            "cognitive.cli.main",
            "evaluate",
            "--agent",
            agent,
            "--limit",
            "9",
            "--policy",
            os.devnull,
        ],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT), "COGNITIVE_DATABASE_URL": urls.app, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 3, "nine turns are too few"
    assert "the latest 9 of 1" in ran.stderr, "more than a hundred turns exist"
    assert "of 9 turns are completed" in ran.stderr
    assert "Not evaluated: deadline_ms;" in ran.stdout


async def test_replay_under_a_policy_saved_before_a_new_setting_is_identical(urls, embedder, agent):
    async with CognitiveLayer.open(urls.app, policy=CALM, embedder=embedder) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content="The amber kettle leaks.", occurred_at=AT)])
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="What leaks?", now=NOW))
        connection = await asyncpg.connect(urls.admin)
        older = "version = 'older', content = content #- '{evidence,min_item_share}'"
        await connection.execute(f"UPDATE cognitive.policy SET {older} WHERE agent_id = $1", agent)
        await connection.execute("UPDATE cognitive.turn SET policy = 'older' WHERE agent_id = $1", agent)
        await connection.close()
        replay = await layer.explain.replay(agent, context.turn_id)
        assert (replay.verdict, replay.text) == ("identical", context.text)
        assert (await layer.explain.replay(agent, context.turn_id, CALM)).verdict == "identical"
        assert (await layer.explain.replay(agent, context.turn_id, STRICT)).verdict == "another policy"

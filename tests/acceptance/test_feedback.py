"""Learning from turns, on Postgres: usage that decays, associations, decoys, exploration and an adversary."""

from __future__ import annotations

from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from uuid import UUID

import asyncpg
import pytest

from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.bootstrap import assemble
from cognitive.infrastructure import Extensions
from cognitive.policy.constants import CONSTANTS, Constants

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
# Only the order matters here: a long deadline, and neither abstention nor dedup.
FRANK = {"deadline_ms": 60_000, "abstention": False, "dedup.enabled": False, "categories.memory_tuning": False}
# By default a boost breaks near-ties only; a larger weight makes it visible.
LOUD = FRANK | {"usage.weight": 0.3, "association.weight": 0.0}

OAK = "Which supplier delivers oak boards?"
ALBA = "The supplier Alba delivers oak boards every Tuesday by horse cart."
BRIX = "The supplier Brix delivers oak boards every Friday by river barge."
ANSWERS = {ALBA: "Alba does: every Tuesday, by horse cart.", BRIX: "Brix does: every Friday, by river barge."}

PEOPLE = ["Ada", "Bruno", "Carla"]
# Statements about a person, each with a question about it. Hardly any two share a word.
TOPICS = [
    ("{} plants tomatoes behind the greenhouse in April.", "What vegetables does {} grow?"),
    ("{} flew to Lisbon for a conference on bridges.", "Where did {} travel for work?"),
    ("{} plays the cello in a string quartet.", "Which instrument does {} play?"),
    ("{} is allergic to hazelnuts and carries a pen.", "What must {} not eat?"),
    ("{} repaired the bicycle with a second-hand chain.", "How was the bike of {} fixed?"),
    ("{} adopted a one-eyed cat named Pirate.", "Which pet lives with {}?"),
    ("{} writes the quarterly tax report in a spreadsheet.", "How does {} do the taxes?"),
    ("{} runs ten kilometres along the canal each Sunday.", "What sport does {} do at weekends?"),
    ("{} painted the hallway in pale yellow.", "What colour are the walls of {}?"),
    ("{} read a thick novel about a lighthouse keeper.", "Which book has {} finished?"),
    ("{} deploys the billing service with a canary release.", "How does {} roll out software?"),
    ("{} keeps the spare keys in a biscuit tin.", "Where are the keys of {}?"),
    ("{} married in a small chapel near the lake.", "Where was the wedding of {}?"),
    ("{} broke a wrist while skiing in Austria.", "What injury did {} have?"),
    ("{} brews coffee with a paper filter at dawn.", "How does {} make coffee?"),
    ("{} studies Finnish with an evening class.", "Which language is {} learning?"),
    ("{} sold the red motorboat to a neighbour.", "What became of the boat of {}?"),
    ("{} bakes rye bread from a sourdough starter.", "What does {} bake?"),
    ("{} votes in the council for a new tram line.", "What is {} for in local politics?"),
    ("{} collects stamps from islands that no longer exist.", "What does {} collect?"),
    ("{} fixed the memory leak in the parser on Monday.", "Which bug did {} solve?"),
    ("{} wears hearing aids since last winter.", "What medical device does {} use?"),
    ("{} inherited a grandfather clock that chimes late.", "What did {} get from the family?"),
    ("{} coaches the under-twelve handball team.", "Whom does {} train?"),
    ("{} stores photographs on an encrypted disk.", "Where does {} back up pictures?"),
    ("{} grew up above a bakery in Ghent.", "Where did {} spend childhood?"),
    ("{} cannot stand the smell of fresh paint.", "Which odour does {} dislike?"),
    ("{} booked a sleeper train to Vienna for May.", "What trip has {} reserved?"),
    ("{} lectures on medieval glass at the museum.", "What does {} teach?"),
    ("{} replaced the boiler with a heat pump.", "How is the house of {} heated?"),
    ("{} drinks no alcohol since the operation.", "What does {} avoid at parties?"),
    ("{} won a prize for a poem on herons.", "What award did {} receive?"),
    ("{} lends the ladder to whoever asks politely.", "Which tool may one borrow from {}?"),
    ("{} wants the meeting moved to Thursday noon.", "When would {} like to meet?"),
    ("{} signed the lease of a studio by the harbour.", "What flat has {} rented?"),
    ("{} knits woollen socks during phone calls.", "What is the handicraft of {}?"),
    ("{} reported a stolen wallet at the station.", "What was taken from {}?"),
    ("{} prefers tables over charts in every slide.", "How should slides for {} look?"),
    ("{} trains a puppy to fetch the newspaper.", "What trick does the dog of {} know?"),
    ("{} owes the plumber two hundred euros.", "What debt does {} have?"),
    ("{} watches meteor showers from the roof.", "What does {} observe at night?"),
    ("{} translated a manual for an espresso machine.", "What has {} translated?"),
    ("{} swims in the river until October.", "Where does {} swim?"),
    ("{} keeps bees on the terrace of the school.", "Which insects does {} hold?"),
    ("{} lost the vote for treasurer by one ballot.", "Which election did {} lose?"),
    ("{} restores typewriters and types every letter.", "What machines does {} restore?"),
    ("{} orders groceries from the farm on Wednesdays.", "Where does {} buy food?"),
    ("{} sings bass in the cathedral choir.", "What voice does {} sing?"),
    ("{} suffers from migraine before thunderstorms.", "When does {} get headaches?"),
    ("{} tests the backup by restoring it each quarter.", "How often does {} check the backups?"),
]
CORPUS = [(statement.format(who), question.format(who)) for (statement, question), who in product(TOPICS, PEOPLE)]


@pytest.fixture(scope="module")
async def opened(urls, embedder):
    """Return a function that opens a layer for given policy settings, once for each."""
    async with AsyncExitStack() as stack:
        layers: dict[tuple[str, Constants], CognitiveLayer] = {}

        async def layer(constants: Constants = CONSTANTS, **settings) -> CognitiveLayer:
            policy = Policy().changed(settings)
            own = (policy.version, constants)
            if own not in layers:
                opening = assemble(urls.app, policy, None, Extensions(embedder, constants=constants))
                layers[own] = CognitiveLayer(await stack.enter_async_context(opening))
            return layers[own]

        yield layer


def fact(content: str, n: int = 0, **fields) -> NewMemory:
    return NewMemory(content=content, **({"type": "fact", "occurred_at": AT + timedelta(minutes=n)} | fields))


def ask(agent: str, text: str, **fields) -> Turn:
    return Turn(agent_id=agent, text=text, **({"session_id": "s", "now": NOW} | fields))


async def stored(layer, agent, *contents: str) -> dict[str, UUID]:
    ids = await layer.remember(agent, [fact(content, n) for n, content in enumerate(contents)])
    return dict(zip(contents, ids, strict=True))


async def ordered(layer, agent, text: str, **fields) -> list[str]:
    """Return the candidates of a turn, best first. The turn is never closed, so that it teaches nothing."""
    context = await layer.pre_turn(ask(agent, text, session_id="probe", **fields))
    assert context.degraded == ()
    return [result.candidate.hit.content for result in context.trace.candidates]


async def candidate_of(layer, agent, memory_id: UUID, text: str, **fields):
    result = (await layer.pre_turn(ask(agent, text, session_id="probe", **fields))).trace.of(memory_id)
    return result.candidate if result is not None else None


async def run_turns(layer, agent, text: str, response: str, *, times: int = 1, **outcome):
    for _ in range(times):
        context = await layer.pre_turn(ask(agent, text))
        report = await layer.post_turn(context, Outcome(response=response, **outcome))
        assert report.recorded
    return context, report


async def fetch(urls, sql: str, *arguments):
    connection = await asyncpg.connect(urls.admin)
    try:
        return await connection.fetch(sql, *arguments)
    finally:
        await connection.close()


# --- preferences ---


async def suppliers(layer, agent) -> tuple[str, str]:
    """Store two equally relevant memories. Return the one that ranks first and the other."""
    await stored(layer, agent, ALBA, BRIX)
    first, second = await ordered(layer, agent, OAK)
    return first, second


async def test_preference_decays_with_the_half_life(opened, agent):
    for own, days, keeps in ((f"{agent}-week", 7.0, False), (f"{agent}-year", 365.0, True)):
        layer = await opened(**LOUD, usage={"half_life_days": days})
        first, second = await suppliers(layer, own)
        await run_turns(layer, own, OAK, ANSWERS[second], times=4)
        assert await ordered(layer, own, OAK) == [second, first]
        later = await ordered(layer, own, OAK, now=NOW + timedelta(days=365))
        assert later == ([second, first] if keeps else [first, second])


async def test_attribution_threshold_decides_whether_use_is_learnt(opened, agent):
    for threshold in (0.1, 0.95):
        own = f"{agent}-{threshold}"
        layer = await opened(**LOUD, feedback={"attribution_thresholds": {"relative": threshold}})
        first, second = await suppliers(layer, own)
        _, report = await run_turns(layer, own, OAK, ANSWERS[second].split(":")[1], times=3)
        overlaps = sorted(each.overlap for each in report.attributions)
        assert overlaps[0] < 0.1 < overlaps[1] < 0.95, "the response contains a part of one memory"
        assert await ordered(layer, own, OAK) == ([second, first] if threshold < 0.5 else [first, second])


async def test_boost_bounds_of_one_disable_usage(opened, agent):
    # Ties at a limit are broken by ids, which differ between agents; so no candidate is cut off.
    whole = Constants(candidates_per_result=16, candidates_per_recalled=16)
    loud = await opened(whole, **LOUD)
    unboosted = await opened(replace(whole, min_boost=1.0, max_boost=1.0), **LOUD)
    contents = [content for content, _ in CORPUS[:60]]
    questions = [question for _, question in CORPUS[:60:7]]
    untouched = f"{agent}-untouched"
    for own in (agent, untouched):
        await stored(loud, own, *contents)
    before = [await ordered(loud, agent, question) for question in questions]
    for question in questions:
        context = await loud.pre_turn(ask(agent, question))
        last = context.shown[-1].content
        await loud.post_turn(context, Outcome(response=last))
    after = [await ordered(loud, agent, question) for question in questions]
    assert all(one != other for one, other in zip(before, after, strict=True))
    assert [await ordered(unboosted, agent, question) for question in questions] == before
    assert [await ordered(loud, untouched, question) for question in questions] == before


async def test_one_rating_outweighs_two_measured_uses(opened, agent):
    layer = await opened(**LOUD)
    ids = await stored(layer, agent, ALBA, BRIX)
    await run_turns(layer, agent, OAK, ANSWERS[BRIX], times=2)
    liked = (await candidate_of(layer, agent, ids[BRIX], OAK)).boost
    assert (liked.shown, liked.used) == pytest.approx((2, 2))
    context, _ = await run_turns(layer, agent, OAK, "I do not know.")
    await layer.rate(agent, context.turn_id, ids[BRIX], useful=False)
    rated = (await candidate_of(layer, agent, ids[BRIX], OAK)).boost
    assert rated.used == pytest.approx(2)
    unused = rated.shown - rated.used
    assert unused == pytest.approx(Policy().feedback.rating_weight)
    assert unused > rated.used
    assert rated.factor < liked.factor


async def test_useful_rating_never_lowers_the_boost(opened, agent):
    layer = await opened(**LOUD)
    ids = await stored(layer, agent, ALBA, BRIX)
    context, _ = await run_turns(layer, agent, OAK, ANSWERS[BRIX])
    measured = (await candidate_of(layer, agent, ids[BRIX], OAK)).boost
    await layer.rate(agent, context.turn_id, ids[BRIX], useful=True)
    rated = (await candidate_of(layer, agent, ids[BRIX], OAK)).boost
    assert rated.used > measured.used
    assert rated.factor >= measured.factor


# --- associations ---

PARCEL = "May I promise the customer his parcel for Monday?"
PARCEL_AGAIN = "Can we promise the customer that the parcel comes on Monday?"
BRIDGE = "The drawbridge at Calder stays up during spring tides."
LESSON = {**FRANK, "retrieval.candidates_per_channel": 4, "limits.default": 3, "usage.weight": 0.0}


async def store_corpus(layer, agent) -> UUID:
    ids = await stored(layer, agent, *(content for content, _ in CORPUS[::2]), BRIDGE)
    return ids[BRIDGE]


async def recall_and_use(layer, agent, *, text: str = PARCEL, within: bool = True, **outcome):
    """Run a turn that misses a memory, which the model then recalls and uses."""
    context = await layer.pre_turn(ask(agent, text))
    assert BRIDGE not in [result.candidate.hit.content for result in context.trace.candidates]
    turn_id = context.turn_id if within else None
    hits = await layer.recall(agent, "drawbridge at Calder", turn_id=turn_id, limit=1, now=NOW)
    assert [hit.content for hit in hits] == [BRIDGE]
    return await layer.post_turn(context, Outcome(response=f"No. {BRIDGE}", **outcome))


async def test_recalled_and_used_memory_is_shown_when_the_question_repeats(opened, agent):
    layer = await opened(**LESSON)
    bridge = await store_corpus(layer, agent)
    report = await recall_and_use(layer, agent)
    assert {a.memory_id: a.referenced for a in report.attributions}[bridge] is True
    context = await layer.pre_turn(ask(agent, PARCEL))
    assert bridge in {shown.memory_id for shown in context.shown}
    assert BRIDGE in context.text
    assert context.trace.of(bridge).candidate.boost.lift > 0


async def test_turn_records_each_memorys_gap_to_the_best(opened, agent, urls):
    """A recalled memory that the search missed gets the gap of the last candidate."""
    layer = await opened(**LESSON)
    bridge = await store_corpus(layer, agent)
    context = await layer.pre_turn(ask(agent, PARCEL))
    await layer.recall(agent, "drawbridge at Calder", turn_id=context.turn_id, limit=1, now=NOW)
    rows = await fetch(
        urls,
        "SELECT memory_id, relevance_gap FROM cognitive.exposure WHERE agent_id = $1 AND turn_id = $2",
        agent,
        context.turn_id,
    )
    relevances = {result.candidate.hit.memory_id: result.candidate.relevance for result in context.trace.candidates}
    best, least = max(relevances.values()), min(relevances.values())
    expected = {shown.memory_id: best - relevances[shown.memory_id] for shown in context.shown} | {bridge: best - least}
    assert {row["memory_id"]: row["relevance_gap"] for row in rows} == pytest.approx(expected, abs=1e-5)
    assert expected[bridge] > max(expected[shown.memory_id] for shown in context.shown)


async def test_paraphrase_of_the_question_gets_the_lift(opened, agent):
    layer = await opened(**LESSON)
    bridge = await store_corpus(layer, agent)
    assert await candidate_of(layer, agent, bridge, PARCEL_AGAIN) is None
    await recall_and_use(layer, agent)
    again = await candidate_of(layer, agent, bridge, PARCEL_AGAIN)
    assert again.boost.lift > 0
    assert again.rank < again.rank_before


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"within": False}, id="a recall outside of the turn"),
        pytest.param({"status": "failed"}, id="a failed turn"),
        pytest.param({"status": "abandoned"}, id="an abandoned turn"),
    ],
)
async def test_incomplete_turns_and_outside_recalls_teach_nothing(opened, agent, fields):
    layer = await opened(**LESSON)
    bridge = await store_corpus(layer, agent)
    before = await ordered(layer, agent, PARCEL)
    await recall_and_use(layer, agent, **fields)
    assert BRIDGE not in await ordered(layer, agent, PARCEL)
    if "status" in fields:
        assert await ordered(layer, agent, PARCEL) == before
    assert await candidate_of(layer, agent, bridge, PARCEL_AGAIN) is None


async def test_turns_of_one_agent_do_not_teach_another(opened, agent):
    layer = await opened(**LESSON)
    other = f"{agent}-other"
    bridge = await store_corpus(layer, agent)
    await store_corpus(layer, other)
    before = await ordered(layer, agent, PARCEL)
    await recall_and_use(layer, other)
    assert BRIDGE in await ordered(layer, other, PARCEL)
    assert await ordered(layer, agent, PARCEL) == before
    assert await candidate_of(layer, agent, bridge, PARCEL_AGAIN) is None


async def test_association_weight_zero_disables_associations(opened, agent):
    weighted, unweighted = (
        await opened(**LESSON),
        await opened(**LESSON, association={"weight": 0.0}, usage={"boost": "rate"}),
    )
    await store_corpus(weighted, agent)
    before = await ordered(weighted, agent, PARCEL)
    await recall_and_use(weighted, agent)
    assert await ordered(unweighted, agent, PARCEL) == before
    assert await ordered(weighted, agent, PARCEL) != before


async def test_association_leaves_unrelated_questions_unchanged(opened, agent):
    layer = await opened(**LESSON)
    await store_corpus(layer, agent)
    questions = [question for _, question in CORPUS[::15]]
    before = [await ordered(layer, agent, question) for question in questions]
    for _ in range(5):
        context = await layer.pre_turn(ask(agent, PARCEL))
        await layer.recall(agent, "drawbridge at Calder", turn_id=context.turn_id, limit=1, now=NOW)
        await layer.post_turn(context, Outcome(response=f"No. {BRIDGE}"))
    assert BRIDGE in await ordered(layer, agent, PARCEL)
    assert [await ordered(layer, agent, question) for question in questions] == before


async def test_erased_memory_is_not_found_by_association(opened, agent):
    layer = await opened(**LESSON)
    bridge = await store_corpus(layer, agent)
    await recall_and_use(layer, agent)
    await layer.forget(agent, [bridge])
    assert BRIDGE not in await ordered(layer, agent, PARCEL)


# --- decoys ---


async def decoys(urls, agent) -> tuple[float, float]:
    rows = await fetch(
        urls, "SELECT sum(decoys) AS n, sum(decoys_used) AS used FROM cognitive.usage_base WHERE agent_id = $1", agent
    )
    return (rows[0]["n"] or 0.0, rows[0]["used"] or 0.0)


async def test_candidates_over_the_limit_are_judged_as_decoys(opened, agent, urls):
    layer = await opened(**FRANK, limits={"default": 3})
    await stored(layer, agent, *(content for content, _ in CORPUS[:60:3]))
    context = await layer.pre_turn(ask(agent, CORPUS[0][1]))
    shown = {each.content for each in context.shown}
    passed_over = [
        result.candidate.hit.content for result in context.trace.candidates if result.disposition == "over_limit"
    ]
    assert len(passed_over) > 5
    await layer.post_turn(context, Outcome(response=f"{passed_over[0]} {passed_over[5]}"))
    assert await decoys(urls, agent) == (5, 1), "five decoys are judged, one of them quoted"
    assert not shown & set(passed_over)
    quoted = next(
        result.candidate.hit.memory_id for result in context.trace.candidates if result.disposition == "over_limit"
    )
    assert (await candidate_of(layer, agent, quoted, CORPUS[0][1])).boost.shown == 0, "a decoy does not count as shown"


@pytest.mark.parametrize(
    "outcome",
    [{"status": "failed"}, {"status": "abandoned"}, {"citations": (UUID(int=1),)}],
    ids=["failed", "abandoned", "cited"],
)
async def test_unmeasured_turns_record_no_decoys(opened, agent, urls, outcome):
    layer = await opened(**FRANK, limits={"default": 2})
    await stored(layer, agent, *(content for content, _ in CORPUS[:20]))
    await run_turns(layer, agent, CORPUS[0][1], CORPUS[5][0], **outcome)
    assert await decoys(urls, agent) == (0, 0)


async def test_memory_returned_by_recall_is_not_a_decoy(opened, agent, urls):
    layer = await opened(Constants(candidates_per_result=4), **FRANK, limits={"default": 2})
    await stored(layer, agent, *(content for content, _ in CORPUS[:5]))
    context = await layer.pre_turn(ask(agent, CORPUS[0][1]))
    assert len(context.shown) == 2
    await layer.recall(agent, CORPUS[0][1], turn_id=context.turn_id, limit=2, now=NOW)
    await layer.post_turn(context, Outcome(response="Tomatoes."))
    assert await decoys(urls, agent) == (1, 0)


# --- exploration ---


async def test_explored_turns_record_their_propensities(opened, urls):
    agent = "explorer"  # the draws depend on the agent id and the turn ids
    usual, curious = (
        await opened(**FRANK, limits={"default": 3}),
        await opened(**FRANK, limits={"default": 3}, usage={"explore_every": 2}),
    )
    await stored(usual, agent, *(content for content, _ in CORPUS[:40]))
    questions = [CORPUS[n][1] for n in (0, 13, 26)]
    orders = [[shown.memory_id for shown in (await usual.pre_turn(ask(agent, text))).shown] for text in questions]
    drawn: Counter[bool] = Counter()
    rendered = {}
    for n in range(60):
        order = orders[n % 3]
        context = await curious.pre_turn(ask(agent, questions[n % 3], turn_id=f"explored-{n}"))
        ids = [shown.memory_id for shown in context.shown]
        rendered[context.turn_id] = context.text
        tried = [(old, new) for old, new in zip(order, ids, strict=True) if old != new]
        assert len(tried) <= 1
        drawn[bool(tried)] += 1

        results = {result.candidate.hit.memory_id: result for result in context.trace.candidates}
        at_stake = [result.candidate.propensity for id, result in results.items() if result.candidate.propensity < 1]
        certain = [id for id in order if results[id].candidate.propensity == 1]
        assert set(certain) <= set(ids)
        assert sum(at_stake) + len(certain) == pytest.approx(len(ids))
        for old, new in tried:
            assert results[old].disposition == "displaced"
            assert results[old].candidate.propensity == 0.5
            assert results[new].disposition == "shown"
            assert 0 < results[new].candidate.propensity < 0.5
        exposures = await fetch(
            urls,
            "SELECT memory_id, propensity FROM cognitive.exposure WHERE agent_id = $1 AND turn_id = $2 ORDER BY slot",
            agent,
            context.turn_id,
        )
        assert [row["memory_id"] for row in exposures] == ids
        assert [row["propensity"] for row in exposures] == pytest.approx(
            [results[id].candidate.propensity for id in ids]
        )
    assert 18 <= drawn[True] <= 42, "half of sixty turns, within three standard deviations"

    for n in range(60):
        replayed = await usual.explain.replay(agent, f"explored-{n}")
        assert (replayed.verdict, replayed.text) == ("identical", rendered[f"explored-{n}"])
        again = await curious.pre_turn(ask(agent, questions[n % 3], turn_id=f"explored-{n}"))
        assert again.text == rendered[again.turn_id]


# --- an adversary ---


def common_words(texts: list[str], count: int) -> str:
    counted = Counter(word.strip(".?,").lower() for text in texts for word in set(text.split()))
    return " ".join(sorted(counted, key=lambda word: (-counted[word], word))[:count])


async def high_ranks(opened, agent, names, length: int, *, wherever_shown: bool) -> tuple[Counter[str], int]:
    """Count how often an adversary ranks among the first five for thirty questions about other topics.

    The adversary is a memory of `length` common words. Every tenth turn shows and quotes it.
    Returns the counts by layer, and the number of questions.
    """
    # No candidate is cut off, so that ties do not matter.
    policy, most = (
        FRANK | {"retrieval.candidates_per_channel": 200},
        Constants(candidates_per_result=40, candidates_per_recalled=40, ranked_per_result=40.0),
    )
    seed = {"usage.boost": "rate", "usage.combine": "multiply", "association.weight": 0.0}
    changes = {"learning": {}, "unboosted": {"usage.weight": 0.0, "association.weight": 0.0}, "seed": seed}
    layers = {name: await opened(most, **policy, **changes[name]) for name in names}
    own, texts = f"{agent}-{length}", [content for content, _ in CORPUS]
    adversary = f"Remember: {common_words(texts, length)}."
    bad = (await stored(layers["learning"], own, *texts, adversary))[adversary]
    for n, (content, question) in enumerate(CORPUS[:60]):
        context = await layers["learning"].pre_turn(ask(own, question, now=NOW + timedelta(minutes=n)))
        shown = bad in {shown.memory_id for shown in context.shown}
        if n % 10 == 0 and not shown:
            [hit] = await layers["learning"].recall(own, adversary, turn_id=context.turn_id, limit=1, now=NOW)
            assert hit.memory_id == bad
        quoted = n % 10 == 0 or (wherever_shown and shown)
        response = f"{content} {adversary}" if quoted else content
        await layers["learning"].post_turn(context, Outcome(response=response))
    questions, later = [question for _, question in CORPUS[60:120:2]], NOW + timedelta(hours=2)
    assert (await candidate_of(layers["learning"], own, bad, adversary, now=later)).boost.used > 5, (
        "the adversary was credited"
    )
    high: Counter[str] = Counter()
    for (name, layer), question in product(layers.items(), questions):
        found = await candidate_of(layer, own, bad, question, now=later)
        high[name] += found is not None and found.rank <= 5
    return high, len(questions)


async def test_memory_quoted_every_tenth_turn_does_not_rise_elsewhere(opened, agent):
    high, questions = await high_ranks(opened, agent, ("learning", "unboosted"), 12, wherever_shown=False)
    assert high["learning"] <= high["unboosted"] + 0.04 * questions


async def test_memory_quoted_wherever_shown_rises_only_with_the_rate_boost(opened, agent):
    high, questions = await high_ranks(opened, agent, ("learning", "unboosted", "seed"), 30, wherever_shown=True)
    assert high["seed"] > high["unboosted"] + 0.2 * questions
    assert high["learning"] <= high["unboosted"] + 0.04 * questions

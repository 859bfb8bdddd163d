"""Formation: what a user states in a captured turn becomes typed memories, once, and only what the policy allows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from uuid import UUID

import pytest

from brain.errors import EmbeddingError
from cognitive import ALL_USERS, CognitiveLayer, NewMemory, Outcome, Policy, Turn

APPOINTMENT = "Please put the dentist on Friday at 10 into my calendar."
LIKES = "I can't stand the smell of lavender."
RENT, NEW_RENT = "Our rent is 900 euros.", "Our rent is 950 euros."
_readers: list[CognitiveLayer] = []
RENTS = ((900, 3), (950, 5), (990, 7))  # euros, and the month since which


@asynccontextmanager
async def forming(
    urls, embedder, capture: str = "user", capture_scope: str = "user", **formation
) -> AsyncIterator[CognitiveLayer]:
    """Open a layer that captures and forms. It has formed everything once it is closed."""
    policy = Policy(
        capture=capture,
        capture_scope=capture_scope,
        formation=formation,
        deadline_ms=8_000,
        deadlines={"post_turn_ms": 20_000},
        trust={"max_per_source": 9},
    )
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        yield layer


async def say(layer: CognitiveLayer, agent: str, text: str, at: datetime | None = None, user: str | None = None):
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s1", text=text, now=at, user_id=user))
    await layer.post_turn(context, Outcome(response="I see."))
    return context


@pytest.fixture(scope="module", autouse=True)
async def reader(urls, embedder):
    """Open the layer by which `formed` reads, once for all tests, and give it to them."""
    async with forming(urls, embedder, "off") as layer:
        _readers.append(layer)
        yield
    _readers.clear()


async def formed(agent: str, query: str = "what was said", **filters) -> list[tuple[str, str]]:
    hits = await _readers[0].recall(agent, query, limit=50, tags=("formed",), **filters)
    return sorted((hit.attributes.get("kind", hit.type), hit.content) for hit in hits)


async def test_statements_become_memories_of_their_type(urls, embedder, agent):
    async with forming(urls, embedder) as layer:
        await say(layer, agent, f"{LIKES} We decided to paint the hall green. Never call me before nine, please.")
        await say(layer, agent, "I'm flying to Oslo tomorrow.", at=datetime(2026, 3, 11, 9, tzinfo=UTC))
        await say(layer, agent, "What is the capital of Peru?")
    assert await formed(agent) == [
        ("decision", "We decided to paint the hall green."),
        ("instruction", "Never call me before nine, please."),
        ("plan", "I'm flying to Oslo on 12 March 2026."),
        ("preference", LIKES),
    ]
    assert len(await formed(agent, where={"attributes.date": {"eq": "2026-03-12"}})) == 1


async def test_essentials_are_in_every_prompt_of_their_user_alone(urls, embedder, agent):
    async with forming(urls, embedder, capture_scope="agent") as layer:
        for greeting in ("Hi, I'm Ada Lund.", "Hello, I'm Ada Lund!"):
            await say(layer, agent, greeting, user="ada")
        await say(layer, agent, "My son can't eat nuts.", user="ada")
        await say(layer, agent, "I'm diabetic.")
    recipe = "Give me a flapjack recipe."
    contexts = {
        user: await _readers[0].pre_turn(Turn(agent_id=agent, session_id="s2", text=recipe, user_id=user))
        for user in ("ada", "ben", None)
    }
    assert [contexts["ada"].user_prefix.count(said) for said in ("I'm Ada Lund", "My son can't eat nuts")] == [1, 1]
    assert all(said not in contexts[user].system() for user in ("ben", None) for said in ("Lund", "nuts"))
    assert all("diabetic" not in context.system() for context in contexts.values())  # said by no one in particular


async def test_retried_outcome_forms_nothing_twice(urls, embedder, agent):
    for _ in range(2):
        async with forming(urls, embedder) as layer:
            context = await layer.pre_turn(Turn(agent_id=agent, session_id="s1", text=LIKES, turn_id="t1"))
            await layer.post_turn(context, Outcome(response="I see."))
            await layer.post_turn(context, Outcome(response="I see."))
    assert await formed(agent) == [("preference", LIKES)]


@pytest.mark.parametrize("scope", ["user", "agent"])
async def test_repeated_outcome_takes_back_nothing_again(urls, embedder, agent, scope):
    async with forming(urls, embedder, capture_scope=scope) as layer:
        await say(layer, agent, LIKES, user="ada")
    async with forming(urls, embedder, capture_scope=scope) as layer:
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s1", text="Scratch that.", user_id="ada"))
        [correction] = (await layer.post_turn(context, Outcome(response="I see."))).corrections
        await layer.restore(agent, [correction.memory_id], user_id="ada")
        again = await layer.post_turn(context, Outcome(response="I see."))
    assert (again.duplicate, again.corrections) == (True, ())
    assert await formed(agent, user_id="ada") == [("preference", LIKES)]


class Failing:
    """An embedder that fails for a statement, but not for the line that it is from."""

    def __init__(self, embedder, text: str) -> None:
        self._embedder, self._text = embedder, text

    def __getattr__(self, name: str):
        return getattr(self._embedder, name)

    def embed(self, texts):
        if any(text.endswith(self._text) and "Hello" not in text for text in texts):
            raise EmbeddingError("broken off")
        return self._embedder.embed(texts)


@pytest.mark.parametrize("capture", ["user", "exchange"])
async def test_answer_that_is_not_captured_confirms_a_plan(urls, embedder, agent, capture):
    async with forming(urls, embedder, capture=capture) as layer:
        for text, response in ((APPOINTMENT, "Noted."), ("Schedule lunch with Rita tomorrow.", "Sorry, I can't.")):
            context = await layer.pre_turn(Turn(agent_id=agent, session_id="s1", text=text))
            await layer.post_turn(context, Outcome(response=response))
    assert await formed(agent) == [("plan", APPOINTMENT)]


@pytest.mark.parametrize(("scope", "user"), [("user", None), ("user", "ada"), ("agent", "ada")])
async def test_lines_that_formed_nothing_yet_are_made_up_for_later(urls, embedder, agent, scope, user):
    async with forming(urls, Failing(embedder, LIKES), capture_scope=scope) as layer:
        await say(layer, agent, f"Hello there. {LIKES}", user=user)
    assert await formed(agent, user_id=user) == []
    for _ in range(2):
        async with forming(urls, embedder, capture_scope=scope) as layer:
            await layer.pre_turn(Turn(agent_id=agent, session_id="s2", text="Good morning!"))
    assert await formed(agent, user_id=user) == [("preference", LIKES)]


async def test_forgotten_memory_is_not_formed_again(urls, embedder, agent):
    async with forming(urls, embedder) as layer:
        context = await say(layer, agent, LIKES)
    async with forming(urls, embedder) as layer:
        [hit] = await layer.recall(agent, LIKES, tags=("formed",))
        await layer.forget(agent, [hit.memory_id])
    for _ in range(2):
        async with forming(urls, embedder) as layer:
            await say(layer, agent, "Good morning, how are you?")
            await layer.post_turn(context, Outcome(response="I see."))
    assert await formed(agent) == []


async def test_capture_off_forms_nothing(urls, embedder, agent):
    async with forming(urls, embedder, "off") as layer:
        await say(layer, agent, LIKES)
    assert await formed(agent) == []


@pytest.mark.parametrize(
    ("formation", "expected"),
    [
        pytest.param({"kinds": ("decision",)}, [], id="kinds"),
        pytest.param({"never_topics": ("smells", "perfume")}, [], id="never"),
        pytest.param({"topics": ("garden",)}, [], id="other topics"),
        pytest.param({"topics": ("lavender",)}, [("preference", LIKES)], id="its topic"),
    ],
)
async def test_policy_says_what_is_formed(urls, embedder, agent, formation, expected):
    async with forming(urls, embedder, **formation) as layer:
        await say(layer, agent, LIKES)
    assert await formed(agent) == expected


async def test_turn_shows_the_formed_memory_and_not_its_line(urls, embedder, agent):
    line = "Hello, a word about the house. Our boiler is in the cellar, behind the red door."
    async with forming(urls, embedder) as layer:
        await say(layer, agent, line)
    async with forming(urls, embedder) as layer:
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s2", text="Where is our boiler?"))
        hits = await layer.recall(agent, "Where is our boiler?")
    assert [shown.content for shown in context.shown] == ["Our boiler is in the cellar, behind the red door."]
    assert [hit.type for hit in hits] == ["fact"]


@pytest.mark.parametrize("months", [(3, 5), (5, 3)])
async def test_later_value_supersedes_the_earlier_one_in_any_order(urls, embedder, agent, months):
    rents = {3: RENT, 5: NEW_RENT}
    for month in months:
        async with forming(urls, embedder) as layer:
            await say(layer, agent, rents[month], at=datetime(2026, month, 1, 9, tzinfo=UTC))
    async with forming(urls, embedder) as layer:
        hits = await layer.recall(agent, "rent", tags=("formed",))
        [april] = await layer.recall(agent, "rent", tags=("formed",), as_of=datetime(2026, 4, 1, tzinfo=UTC))
    assert [(hit.content, hit.hidden_reason) for hit in hits] == [(NEW_RENT, None), (RENT, "superseded")]
    assert april.content == RENT


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (2, 0, 1), (0, 2, 1)])
async def test_value_that_is_stored_late_stands_between_the_others(urls, embedder, agent, order):
    rents = [(f"Our rent is {rent} euros.", datetime(2026, month, 1, tzinfo=UTC)) for rent, month in RENTS]
    stored: dict[int, UUID] = {}
    async with CognitiveLayer.open(urls.app, policy=Policy(detect_updates=True), embedder=embedder) as layer:
        for n in order:
            text, at = rents[n]
            [stored[n]] = await layer.remember(agent, [NewMemory(type="fact", content=text, occurred_at=at)])
        first, middle, last = await layer.get(agent, [stored[n] for n in range(3)])
        assert [each.hidden_at for each in (first, middle, last)] == [rents[1][1], rents[2][1], None]
        assert (first.replaced_by, middle.replaced_by, middle.supersedes) == (middle.id, last.id, first.id)
        assert last.supersedes == middle.id
        [again] = await layer.restore(agent, [middle.id])
    assert again.hidden_reason is None


async def test_retired_value_stays_hidden_when_a_later_one_is_stored(urls, embedder, agent):
    async with CognitiveLayer.open(urls.app, policy=Policy(detect_updates=True), embedder=embedder) as layer:
        dated = [
            NewMemory(type="fact", content=text, occurred_at=datetime(2026, month, 1, tzinfo=UTC))
            for text, month in ((RENT, 3), (NEW_RENT, 5))
        ]
        [old] = await layer.remember(agent, dated[:1])
        await layer.retire(agent, [old])
        await layer.remember(agent, dated[1:])
        [memory] = await layer.get(agent, [old])
    assert memory.hidden_reason == "retired"


async def test_keys_and_passwords_are_redacted(urls, embedder, agent):
    async with forming(urls, embedder) as layer:
        await say(layer, agent, "My wifi password is Tulip-88. The lake house has a new gate.")
        hits = await layer.recall(agent, "lake house gate wifi password", limit=20)
    assert hits
    assert not any("Tulip-88" in hit.content for hit in hits)
    assert any("[secret]" in hit.content for hit in hits)


@pytest.mark.parametrize(("detect", "reason"), [(True, "superseded"), (False, None)])
async def test_hosts_memories_are_updated_only_on_demand(urls, embedder, agent, detect, reason):
    async with CognitiveLayer.open(urls.app, policy=Policy(detect_updates=detect), embedder=embedder) as layer:
        dated = [datetime(2026, month, 1, tzinfo=UTC) for month in (3, 5)]
        old, new = await layer.remember(
            agent,
            [
                NewMemory(type="fact", content=text, occurred_at=at)
                for text, at in zip((RENT, NEW_RENT), dated, strict=True)
            ],
        )
        found = await layer.get(agent, [old, new])
    assert [memory.hidden_reason for memory in found] == [reason, None]


async def test_formed_memories_belong_to_the_user_of_their_turn(urls, embedder, agent):
    async with forming(urls, embedder) as layer:
        await say(layer, agent, LIKES, user="ada")
        await say(layer, agent, RENT, at=datetime(2026, 3, 1, 9, tzinfo=UTC), user="ada")
    async with forming(urls, embedder) as layer:  # another user's value is no update of the first one's
        await say(layer, agent, NEW_RENT, at=datetime(2026, 5, 1, 9, tzinfo=UTC), user="ben")
    assert await formed(agent, user_id="ada") == [("fact", RENT), ("preference", LIKES)]
    assert await formed(agent, user_id="ben") == [("fact", NEW_RENT)]
    assert await formed(agent) == []


async def test_preferences_of_a_team_agent_stay_the_users(urls, embedder, agent):
    async with forming(urls, embedder, capture_scope="agent") as layer:
        await say(layer, agent, f"{LIKES} {RENT}", user="ada")
    assert await formed(agent, user_id="ada") == [("fact", RENT), ("preference", LIKES)]
    assert await formed(agent, user_id="ben") == [("fact", RENT)]


@pytest.mark.parametrize(
    ("first", "second", "replaced"),
    [
        ("Preferred seat: window", "Preferred seat: aisle", True),
        ("Avoided road types: motorways", "Avoided road types: toll roads", False),
        ("Favourite cuisine: Thai", "Favourite cuisine: Greek", False),
        ("My favourite cuisine is Thai.", "My favourite cuisine is now Greek.", True),
        ("Always answer in Dutch.", "From now on, answer in Polish.", True),
        ("My choir uses Signal.", "My choir uses Doodle.", False),
        ("My choir uses Signal.", "My choir now uses Telegram.", True),
        ("We use Signal for the choir.", "We use Telegram for the choir.", True),
        ("I have an exam on 3 June.", "I have an exam on 9 June.", False),
        ("I hate olives.", "I like olives.", False),
        ("I hate olives.", "I like olives now.", True),
    ],
)
async def test_another_of_several_preferences_replaces_none(urls, embedder, agent, first, second, replaced):
    async with CognitiveLayer.open(urls.app, policy=Policy(detect_updates=True), embedder=embedder) as layer:
        dated = [datetime(2026, month, 1, tzinfo=UTC) for month in (3, 5)]
        texts = zip((first, second), dated, strict=True)
        [old, _] = await layer.remember(
            agent, [NewMemory(type="fact", content=text, user_id="ada", occurred_at=at) for text, at in texts]
        )
        [memory] = await layer.get(agent, [old], user_id="ada")
    assert (memory.hidden_reason == "superseded") is replaced


@pytest.mark.parametrize(
    ("first", "second", "replaced"),
    [
        ("I'm Tom.", "actually my name is Kim", True),
        ("My name is Tom Brandt.", "Hi, I'm Tom.", False),
        ("Our price is 9 euros.", "Netflix raised the price to 15 euros", False),
        ("We drive a Saab.", "our car is now a Fiat", True),
        ("My phone is a Nokia 8.", "upgraded my phone to a Pixel 6 yesterday", True),
        ("My phone is a Nokia 8.", "I changed my phone to silent", False),
        ("Our rent is 900 a month.", "landlord put the rent up again, its 980 now", True),
        ("Our rent is 900 a month.", "if they put the rent up to 980 we move", False),
        ("I have an eye test on 5 May.", "they pushed my eye test to 12 May", True),
        ("The audit is planned for 3 May.", "The audit slipped to 9 May.", True),
        ("My accountant is Mr. Weber.", "I've switched accountants, it's Ms. Klein now", True),
        ("The deadline for the report is 3 May.", "They gave us more time, the report is due 10 May now.", True),
    ],
)
async def test_value_that_was_changed_replaces_the_earlier_one(urls, embedder, agent, first, second, replaced):
    async with forming(urls, embedder) as layer:
        for n, text in enumerate((first, second)):
            await say(layer, agent, text, at=datetime(2026, 3, 1 + n, 9, tzinfo=UTC), user="ada")
    async with forming(urls, embedder, "off") as layer:
        found = await layer.admin.find(agent, {"tags": {"eq": "formed"}}, user_id="ada")
    [old] = [memory for memory in found if memory.content == first]
    assert (old.hidden_reason == "superseded") is replaced


async def test_cancelled_event_forms_nothing_and_a_birthday_is_a_fact(urls, embedder, agent):
    async with forming(urls, embedder) as layer:
        for text in ("dinner with kim is cancelled", "the meeting got cancelled", "my bday is 12 march"):
            await say(layer, agent, text)
    assert await formed(agent) == [("fact", "my bday is 12 march")]


@pytest.mark.parametrize(
    ("stated", "said", "hidden"),
    [
        ("I love strong coffee.", "I no longer love coffee.", True),
        ("My address is 4 Hill Road.", "Please forget my old address.", True),
        ("I'm a vegetarian.", "I'm no longer a vegetarian.", True),
        ("We use Jenkins for CI.", "We no longer use Jenkins, we switched to GitHub Actions.", True),
        ("Our deploys run on Fridays.", "We don't deploy on Fridays any more.", True),
        ("I smoke a pipe.", "I've quit smoking a pipe.", True),
        ("Our mail server is in Ghent.", "I stopped the mail server.", False),
        ("I'm allergic to latex.", "I'm not allergic to latex after all.", True),
        ("We use Jenkins for CI.", "We've switched from Jenkins to Woodpecker.", "superseded"),
        ("We decided on oak for the floor.", "We changed our minds about oak.", True),
        ("I live in Ghent.", "We moved from Ghent to Bruges last week.", False),
        ("I love strong coffee.", "Do you think I no longer love coffee?", False),
        ("I love strong coffee. I love iced coffee too.", "I don't love coffee anymore.", False),
        ("Our aunt lives in Ghent.", "I no longer live with our aunt.", False),
        ("I love strong coffee.", "My brother no longer loves coffee.", False),
        ("I have an eye test on Friday.", "My eye test on Friday was cancelled.", True),
        ("Our mail server is in Ghent.", "The mail server is off.", False),
        ("I work at the mill.", "i quit the mill, im at Acme now", "superseded"),
        ("I work at the mill.", "my brother quit the mill, he's at Acme now", False),
        ("I work at the mill.", "I left the mill, I'm home now.", False),
        ("Our car is a Saab.", "sold the saab, got a Fiat instead", "superseded"),
        ("Our car is a Saab.", "we might sell the saab and get a Fiat", False),
        ("Otto is my flatmate.", "Otto moved out, Ben is my flatmate now", "superseded"),
        ("Otto is my flatmate.", "Otto moved to the sofa, I'm in the kitchen now", False),
        ("I'm having lunch with Olga on Friday.", "lunch with olga is cancelled", True),
        ("I'm having lunch with Olga on Friday.", "is lunch with olga cancelled?", False),
        ("We use Trello for planning.", "got a new planner, so no more trello", False),
        ("My coach is Dr. Lind.", "Scratch that.", True),
        ("My coach is Dr. Lind.", "Oh sorry, please ignore what I just said", True),
        ("My coach is Dr. Lind. Our mail server is in Ghent.", "Forget that!", True),
        ("My coach is Dr. Lind. Write a note to him.", "Forget that!", False),
        ("My coach is Dr. Lind.", "Forget it, what's on tonight?", False),
    ],
)
async def test_memory_that_the_user_takes_back_is_hidden(urls, embedder, agent, stated, said, hidden):
    for n, text in enumerate((stated, said)):
        async with forming(urls, embedder) as layer:
            await say(layer, agent, text, at=datetime(2026, 3, 1 + n, 9, tzinfo=UTC), user="ada")
    async with forming(urls, embedder, "off") as layer:
        found = await layer.admin.find(agent, {"tags": {"eq": "formed"}}, user_id="ada")
        first = [memory for memory in found if memory.content in stated]
        assert {memory.hidden_reason for memory in first} == {"retired" if hidden is True else hidden or None}
        if hidden:
            [restored] = await layer.restore(agent, [first[0].id], user_id="ada")
            assert restored.hidden_reason is None


async def test_line_that_says_what_holds_instead_answers(urls, embedder, agent):
    for text in ("I work at the mill.", said := "i quit the mill, im at Northern Rail now"):
        async with forming(urls, embedder) as layer:
            await say(layer, agent, text, user="ada")
    turn = Turn(agent_id=agent, session_id="s2", text="where do i work?", user_id="ada")
    assert [memory.content for memory in (await _readers[0].pre_turn(turn)).shown] == [said]


async def test_outcomes_settled_in_a_row_form_in_the_order_of_their_turns(urls, embedder, agent):
    async with forming(urls, embedder) as layer:
        told = ("My coach is Dr. Lind.", "Scratch that.", LIKES, "Scratch that.")
        turns = [Turn(agent_id=agent, session_id="s1", text=text) for text in told]
        contexts = [await layer.pre_turn(turn) for turn in turns]
        for context in contexts:
            layer.settle(context, Outcome(response="I see."))
    assert await formed(agent) == []


@pytest.mark.parametrize(
    ("old", "new"), [(RENT, NEW_RENT), ("I work at the mill.", "i quit the mill, im at Northern Rail now")]
)
async def test_value_before_the_one_that_is_taken_back_holds_again(urls, embedder, agent, old, new):
    for n, text in enumerate((old, new, "Scratch that.")):
        async with forming(urls, embedder) as layer:
            await say(layer, agent, text, at=datetime(2026, 3, 1 + n, 9, tzinfo=UTC), user="ada")
    found = await _readers[0].admin.find(agent, {"tags": {"eq": "formed"}}, user_id="ada")
    assert {each.content: each.hidden_reason for each in found} == {old: None, new: "retired"}
    lines = await _readers[0].admin.find(agent, {"type": {"eq": "episode"}}, user_id="ada")
    assert {each.content for each in lines if each.hidden_reason is None} == {old, "Scratch that."}


@pytest.mark.parametrize(
    ("line", "answer", "shown"),
    [
        ("My address is 12 Elm Street.", "Noted: your address is 12 Elm Street.", set()),
        ("My address is 12 Elm Street.", "Do you like the city?", {"Do you like the city?"}),
        ("My address is 12 Elm Street. We decided to sell the barn.", "I see.", {"We decided to sell the barn."}),
    ],
)
@pytest.mark.parametrize("by", ["user", "host", "operator"])
async def test_what_is_taken_back_is_not_shown_from_its_line(urls, embedder, agent, line, answer, shown, by):
    async def visible(layer) -> set[str]:
        found = await layer.admin.find(agent, {"source": {"in": ["turn/t1/user", "turn/t1/assistant"]}}, user_id="ada")
        return {memory.content for memory in found if memory.hidden_reason is None} - {line, "I see."}

    async with forming(urls, embedder, "exchange") as layer:
        turn = Turn(agent_id=agent, session_id="s1", text=line, turn_id="t1", user_id="ada")
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response=answer))
    async with forming(urls, embedder, "exchange") as layer:
        [address] = await layer.admin.find(agent, {"type": {"eq": "fact"}}, user_id="ada")
        ids = [address.id]
        if by == "user":
            await say(layer, agent, "Please forget my address.", user="ada")
        elif by == "host":
            await layer.retire(agent, ids, user_id="ada")
        else:  # together with a memory of another user
            ids += await layer.remember(agent, [NewMemory(type="fact", content="Ben left.", user_id="ben")])
            await layer.retire(agent, ids, user_id=ALL_USERS)
        assert await visible(layer) == shown
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s2", text="What's my address?", user_id="ada"))
        assert not [memory.content for memory in context.shown if memory.content == "My address is 12 Elm Street."]
        await layer.restore(agent, ids, user_id=ALL_USERS if by == "operator" else "ada")
        lines = await layer.admin.find(agent, {"source": {"eq": "turn/t1/user"}}, user_id="ada")
        assert {memory.hidden_reason for memory in lines} == {None}


async def test_user_takes_back_nothing_that_the_host_vouches_for(urls, embedder, agent):
    await stated(urls, embedder, agent, "I love strong coffee.")
    async with forming(urls, embedder) as layer:
        [coffee] = await layer.admin.find(agent, {"tags": {"eq": "formed"}}, user_id="ada")
        await layer.update(agent, coffee.id, trust="host", user_id="ada")
        await say(layer, agent, "I no longer love coffee. We decided to drink tea.", user="ada")
    async with forming(urls, embedder, "off") as layer:
        found = await layer.admin.find(agent, {"tags": {"eq": "formed"}}, user_id="ada")
        assert {memory.content for memory in found} >= {"I love strong coffee.", "We decided to drink tea."}
        assert {memory.hidden_reason for memory in found} == {None}


STANDUP = "Our standup is at 12."


async def stated(urls, embedder, agent, text, user="ada"):
    async with forming(urls, embedder) as layer:
        await say(layer, agent, text, at=datetime(2026, 3, 1, 9, tzinfo=UTC), user=user)


@pytest.mark.parametrize(
    ("first", "said", "expected"),
    [
        (STANDUP, "That's wrong, it's 14.", "Our standup is at 14."),
        (STANDUP, "It's 14, not 12", "Our standup is at 14."),
        (STANDUP, "14, not 12, sorry", "Our standup is at 14."),
        (STANDUP, "No wait, 14", "Our standup is at 14."),
        ("I charge 350 euros a day.", "ok i put it up, 380 from now on", "I charge 380 euros a day."),
        ("I charge 350 euros a day.", "they raised it to 400 last year", None),
        (STANDUP, "That's wrong, it's 12:15.", "Our standup is at 12:15."),
        (STANDUP, "The recipe has 14 eggs, not 12", None),
        (f"{STANDUP} Book a table for Rita.", "No wait, 14", None),
        ("My sister is called Rosa.", "Miriam, not Rosa", "My sister is called Miriam."),
        ("My sister is called Rosa.", "Sorry, Miriam", None),
        ("My sister is called Rosa.", "No, it's Miriam.", "My sister is called Miriam."),
        ("Our kitchen is blue.", "It's green, not blue.", "Our kitchen is green."),
        ("Our lease ends on the 3rd of May.", "It's on the 8th, not the 3rd.", "Our lease ends on the 8th of May."),
        ("My phone number is 0170 555.", "Sorry, typo, it's 0170 556.", "My phone number is 0170 556."),
        ("Our lease ends on the 3rd of May.", "No, it's on the 8th.", "Our lease ends on the 8th of May."),
        (STANDUP, "No. It's 14. Write to Rita about it.", "Our standup is at 14."),
        (STANDUP, "That's wrong, it's Miriam.", None),
        ("I row 30 minutes a day.", "It's 15 minutes to the lake, not 30.", None),
        ("I row 30 minutes a day.", "It's 15 minutes, not 30.", "I row 15 minutes a day."),
        ("I row 30 minutes a day.", "Actually 15, not 30.", "I row 15 minutes a day."),
        (STANDUP, "It's 14 degrees outside.", None),
        (STANDUP, "That's wrong, it's 14?", None),
        (f"{STANDUP} Our office is on floor 12.", "It's 14, not 12.", None),
        (f"{STANDUP} Our office is on floor 3.", "That's wrong, it's 14.", None),
        ("Our standup is at 12 in room 5.", "No, it's 14.", None),
    ],
)
async def test_corrected_value_replaces_the_memory_of_the_last_turn(urls, embedder, agent, first, said, expected):
    await stated(urls, embedder, agent, first)
    async with forming(urls, embedder) as layer:
        context = await layer.pre_turn(
            Turn(agent_id=agent, session_id="s1", text=said, now=datetime(2026, 3, 2, tzinfo=UTC), user_id="ada")
        )
        report = await layer.post_turn(context, Outcome(response="I see."))
        assert (await layer.post_turn(context, Outcome(response="I see."))).corrections == ()
    async with forming(urls, embedder, "off") as layer:
        found = await layer.admin.find(agent, {"tags": {"eq": "formed"}}, user_id="ada")
        hidden = [memory for memory in found if memory.hidden_reason is not None]
        if expected is None:
            assert (report.corrections, hidden) == ((), [])
            return
        [correction] = report.corrections
        [new] = await layer.get(agent, [correction.replaced_by], user_id="ada")
        assert (new.content, new.attributes["evidence"]) == (expected, said)
        assert [(memory.id, memory.hidden_reason) for memory in hidden] == [(correction.memory_id, "superseded")]
        await layer.restore(agent, [correction.memory_id], user_id="ada")
        both = await layer.get(agent, [correction.memory_id, new.id], user_id="ada")
        assert [memory.hidden_reason for memory in both] == [None, "retired"]


@pytest.mark.parametrize(
    ("first", "answer", "said", "corrected"),
    [
        (f"{STANDUP} What is 9 times 9?", "It's 91.", "That's wrong, it's 81.", False),
        ("My sister is called Rosa. Who wrote Emma?", "Charlotte Brontë.", "No, it's Jane Austen.", False),
        ("Our gym day is Monday. What day was the 1st?", "It was a Tuesday.", "No, it's Wednesday.", False),
        ("My exam is on Friday. What day is it?", "Today is Friday.", "No, it's Monday.", False),
        ("My aunt lives in Zurich. Is it the capital?", "Yes, Zurich is.", "No, it's Bern.", False),
        ("My exam is on Friday. Is that soon?", "Your exam on Friday is near.", "No, it's on Monday.", True),
        ("My uncle lives in Oslo. Where is the parliament of Sweden?", "Oslo.", "It's Stockholm, not Oslo.", False),
        ("My dog is called Rex. Where does he sleep?", "Your dog Rex sleeps here.", "It's Max, not Rex.", True),
        ("My uncle lives in Oslo.", "Oslo is a fine city.", "It's Bergen, not Oslo.", True),
        ("I row 30 minutes a day.", "A good start.", "Wait 15 minutes.", False),
        ("I row 30 minutes a day.", "A good start.", "Wait, 15 minutes.", True),
        (STANDUP, "Shall I remind you an hour before?", "No, 2", False),
        (STANDUP, "I'll remind you two hours before.", "No, 1", False),
        (STANDUP, "Noted: at 12.", "That's wrong, it's 14.", True),
        ("My sister is called Rosa.", "Rosa is a lovely name.", "No, it's Miriam.", True),
        ("My sister is called Rosa.", "Lovely! Is she older?", "No, it's Miriam.", True),
    ],
)
async def test_correction_of_an_answer_leaves_the_memory(urls, embedder, agent, first, answer, said, corrected):
    async with forming(urls, embedder, "exchange") as layer:
        turn = Turn(agent_id=agent, session_id="s1", text=first, user_id="ada")
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response=answer))
    async with forming(urls, embedder, "exchange") as layer:
        context = await layer.pre_turn(turn.model_copy(update={"text": said}))
        report = await layer.post_turn(context, Outcome(response="You are right."))
    assert bool(report.corrections) is corrected


async def test_correction_concerns_what_the_last_answer_used(urls, embedder, agent):
    await stated(urls, embedder, agent, "Our boiler is from 31 August 2019.")
    async with forming(urls, embedder) as layer:
        turn = Turn(agent_id=agent, session_id="s2", text="From when is our boiler?", user_id="ada")
        context = await layer.pre_turn(turn)
        await layer.post_turn(context, Outcome(response="Your boiler is from 31 August 2019."))
    async with forming(urls, embedder) as layer:
        context = await layer.pre_turn(turn.model_copy(update={"text": "That's wrong, it's 28 August, not 31 August."}))
        report = await layer.post_turn(context, Outcome(response="Thank you."))
    assert [each.reason for each in report.corrections] == ["superseded"]


async def test_retired_memory_is_in_the_report(urls, embedder, agent):
    await stated(urls, embedder, agent, "I love strong coffee.")
    async with forming(urls, embedder) as layer:
        context = await layer.pre_turn(
            Turn(agent_id=agent, session_id="s1", text="I no longer love coffee.", user_id="ada")
        )
        report = await layer.post_turn(context, Outcome(response="I see."))
    assert [each.reason for each in report.corrections] == ["retired"]


@pytest.mark.parametrize("user", ["ben", None])
async def test_nobody_corrects_what_another_user_said(urls, embedder, agent, user):
    await stated(urls, embedder, agent, STANDUP)
    async with forming(urls, embedder) as layer:
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s1", text="It's 14, not 12.", user_id=user))
        report = await layer.post_turn(context, Outcome(response="I see."))
    assert report.corrections == ()


@pytest.mark.parametrize("said", ["No, our rent is 950 euros.", "Actually, our rent is 950 euros."])
async def test_correction_that_states_the_value_again_is_formed_once(urls, embedder, agent, said):
    for text in (RENT, said, "No, 970."):
        async with forming(urls, embedder) as layer:
            await say(layer, agent, text)
    visible = await formed(agent, where={"attributes.formed_by": {"exists": True}}, as_of=datetime.now(UTC))
    assert visible == [("fact", "Our rent is 970 euros.")]

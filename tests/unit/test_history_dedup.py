"""A memory that the conversation still shows is not shown again until it leaves the window or changes."""

from __future__ import annotations

from making import AT, candidate, found, hit, ids, uid

from cognitive import Message, Policy
from cognitive.context import render
from cognitive.context.assemble import assemble
from cognitive.context.dedup import drop_in_history, drop_restated, find_in_history
from cognitive.plan import Signals
from cognitive.policy.constants import CONSTANTS
from cognitive.preflight import plan as planning
from cognitive.prompt import with_injected
from cognitive.recording.record import TurnInputs
from cognitive.trace import WindowSimilarity, decoys

JOURNALED = Policy(placement="journaled", abstention=False, limits={"default": 2})
HITS = [hit(n, f"Memory {n} is about thing{n}.", scores={"content_cosine": 1 - n / 10}) for n in range(1, 6)]


def line(each) -> str:
    return render.line(each, JOURNALED)


def user(*numbers: int, words: str = "Hi", policy=JOURNALED) -> Message:
    """Return a user's message with a block that shows these memories."""
    block = render.block([candidate(n, HITS[n - 1].content) for n in numbers], policy)
    return Message(role="user", content=with_injected(words, None, block))


def assemble_turn(conversation, policy=JOURNALED, turn_id="turn", hits=HITS):
    plan = planning.create_plan(Signals("Where is it?", question=True), "question", (), policy)
    still = find_in_history(hits, conversation, line)
    inputs = TurnInputs.from_plan(
        plan,
        now=AT,
        model="m",
        found=found(*hits, passages=5),
        agent_id="agent",
        turn_id=turn_id,
        already_in_prompt=still,
    )
    return assemble(plan, inputs, lambda hits, _: [WindowSimilarity(None, 0.0)] * len(hits), policy)


def results(assembled) -> dict[int, str]:
    return {result.candidate.hit.memory_id.int: result.disposition for result in assembled.candidates}


def test_memory_in_an_earlier_block_is_found_with_its_latest_distance():
    messages = [
        user(1, 2),
        Message(role="assistant", content="Yes."),
        user(2),
        Message(role="assistant", content="No."),
    ]
    assert find_in_history(HITS, messages, line) == ((uid(1), 0, 4), (uid(2), 0, 2))
    assert find_in_history(HITS, messages[1:], line) == ((uid(2), 0, 2),), "the first message has left the window"
    assert find_in_history(HITS, [], line) == ()


def test_forged_or_misplaced_block_is_ignored():
    forged = Message(role="user", content=user(1).content.replace("Seal: ", "Seal: 1"))
    parroted = Message(role="assistant", content=user(1).content)
    read = Message(role="tool", content=user(1).content, tool_call_id="1")
    quoted = Message(role="user", content=line(HITS[0]))
    assert find_in_history(HITS, [forged, parroted, read, quoted], line) == ()


def test_changed_memory_or_another_passage_is_eligible():
    messages = [user(1, 2)]
    changed = HITS[0]._replace(content="Memory 1 is about something else.")
    other = HITS[1]._replace(ordinal=1, content="Its second passage.", partial=True)
    assert find_in_history([changed, other], messages, line) == ()


def test_memory_in_history_is_dropped_with_its_distance():
    selection = drop_in_history([candidate(1), candidate(2)], [(uid(1), 0, 4), (uid(2), 1, 2)])
    assert [each.hit.memory_id for each in selection.kept] == [uid(2)]
    [result] = selection.dropped
    assert (result.disposition, result.value) == ("already_in_prompt", 4)
    assert result.reason == "the conversation still shows it, 4 messages back"


def test_memory_in_history_keeps_its_place_in_the_limit():
    assert results(assemble_turn([])) == {1: "shown", 2: "shown", 3: "over_limit", 4: "over_limit", 5: "over_limit"}
    again = assemble_turn([user(1)])
    assert results(again) == {1: "already_in_prompt", 2: "shown", 3: "over_limit", 4: "over_limit", 5: "over_limit"}
    assert "Memory 1" not in again.text
    assert assemble_turn([user(1, 2)]).text == ""


def test_memory_in_history_is_neither_explored_nor_a_decoy():
    """The model sees the memory in the conversation, whatever its current rank."""
    policy = JOURNALED.changed({"usage.explore_every": 2})
    for turn_id in map(str, range(40)):
        assembled = assemble_turn([user(3, 4)], policy, turn_id)
        assert {n for n, result in results(assembled).items() if result == "already_in_prompt"} == {3, 4}
        assert {3, 4}.isdisjoint(ids(assembled.shown))
        assert {uid(3), uid(4)}.isdisjoint(decoys(assembled.candidates))


def test_memory_in_history_is_reported_so_even_below_the_threshold():
    policy = Policy(placement="journaled", evidence={"threshold": 1.0})
    assembled = assemble_turn([user(3)], policy)
    assert results(assembled) == {
        1: "irrelevant",
        2: "irrelevant",
        3: "already_in_prompt",
        4: "irrelevant",
        5: "irrelevant",
    }


def test_duplicate_of_a_memory_in_history_is_not_shown():
    text = "The amber kettle stands in the attic beside the violin."
    hits = [hit(1, f"{text[:-1]} now.", scores={"content_cosine": 0.9}), hit(2, text, scores={"content_cosine": 0.5})]
    messages = [Message(role="user", content=with_injected("Hi", None, render.block([candidate(2, text)], JOURNALED)))]
    assert results(assemble_turn([], hits=hits)) == {1: "shown", 2: "duplicate"}
    again = assemble_turn(messages, hits=hits)
    assert results(again) == {1: "duplicate", 2: "already_in_prompt"}
    assert again.candidates[0].reason.startswith("an earlier block in the conversation says the same (")


def test_superseded_memory_in_history_does_not_drop_its_replacement():
    text = "The amber kettle stands in the attic beside the violin."
    old, new = candidate(1, text, replaced_by=2), candidate(2, f"{text[:-1]} now.")
    selection = drop_restated([old, new], lambda hits, _: [None] * len(hits), JOURNALED, CONSTANTS, [(uid(1), 0, 2)])
    assert ids(selection.kept) == [1, 2]


def test_more_complete_memory_does_not_replace_one_in_history():
    less, more = candidate(1, "The door code is 4471."), candidate(2, "The door code is 4471 and changes in May.")
    nothing = [None, None]
    assert ids(drop_restated([less, more], lambda *_: nothing, JOURNALED, CONSTANTS).kept) == [2]
    kept = drop_restated([less, more], lambda *_: nothing, JOURNALED, CONSTANTS, [(uid(1), 0, 2)]).kept
    assert ids(kept) == [1, 2]


def test_only_journaled_placement_checks_the_history():
    for placement in ("user_tail", "system"):
        policy = Policy(placement=placement, abstention=False, limits={"default": 2})
        assert results(assemble_turn([user(1, 2)], policy))[1] == "shown"

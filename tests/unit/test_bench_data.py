"""The questions of the benchmark: each has its statement, rivals of the statement and a time."""

from __future__ import annotations

import re

import pytest

from benchmarks.turns.data import make_stock
from benchmarks.turns.question_kinds import KINDS, RIVALS
from cognitive.bench.workload import END, START, WorkloadSize, lines, statement_workload

SIZE = 2_000
KNOWN = make_stock(90, size=SIZE, seed=3)
STATEMENTS = KNOWN.statements[0]


def of(kind):
    return [item for item in KNOWN.questions if item.kind == kind]


def rivals(item):
    number = item.source.removeprefix("known-")
    return [text for source, text in STATEMENTS.items() if source.startswith(f"rival-{number}-")]


def test_question_kinds_are_equally_frequent_and_placeholders_are_filled():
    assert [len(of(kind.name)) for kind in KINDS] == [10] * len(KINDS)
    questions = [text for each in KNOWN.questions for text in (each.question, *each.preceding)]
    assert not [text for text in (*STATEMENTS.values(), *questions) if re.search(r"[{}]", text)]


def test_each_answer_is_stored_once_with_its_number_of_rivals():
    texts = list(STATEMENTS.values())
    for item in KNOWN.questions:
        if item.source is not None:
            assert texts.count(STATEMENTS[item.source]) == 1
            assert len(rivals(item)) == (0 if item.kind == "stated" else RIVALS)
    assert RIVALS > 10


def test_statements_are_stored_in_time_order_and_repeat_by_seed():
    stored = list(lines(SIZE, STATEMENTS, seed=3))
    assert [memory.source for memory in stored if memory.source in STATEMENTS] == list(STATEMENTS)
    assert len({memory.source for memory in stored}) == SIZE
    times = [memory.occurred_at for memory in stored]
    assert times == sorted(times)
    assert times[0] >= START
    assert times[-1] < END
    assert stored == list(lines(SIZE, make_stock(90, size=SIZE, seed=3).statements[0], seed=3))


def test_current_statement_is_stored_after_those_it_supersedes():
    order = list(STATEMENTS)
    for item in of("superseded"):
        earlier = [n for n, source in enumerate(order) if source.startswith(f"rival-{item.source[6:]}-")]
        assert order.index(item.source) > max(earlier)


def test_question_by_day_names_a_date_that_only_the_timestamp_has():
    at = {memory.source: memory.occurred_at for memory in lines(SIZE, STATEMENTS, seed=3)}
    for item in of("day it was said"):
        day = f"{at[item.source].day} {at[item.source]:%B %Y}"
        assert item.question.endswith(f"on {day}?")
        assert day not in STATEMENTS[item.source]


def test_follow_up_question_needs_the_preceding_messages():
    for item in of("follow-up"):
        name = re.search(r"[A-Z]\w+ [A-Z]\w+", STATEMENTS[item.source])[0]
        assert name not in item.question
        assert name in item.preceding[0]
        assert name in item.with_context
        assert item.with_context.endswith(item.question)
    assert all(item.with_context == item.question for item in KNOWN.questions if item.kind != "follow-up")


@pytest.mark.parametrize(("count", "size", "agents"), [(90, 100, 1), (90, 20, 7), (500, 20, 1_000)])
def test_agents_stay_within_size_and_get_questions_on_own_statements(count, size, agents):
    known = make_stock(count, size=size, seed=5, agents=agents)
    assert len(known.statements) == agents
    assert max(map(len, known.statements)) <= size
    assert 0 < len(known.questions) <= count
    assert all(a.source is None or a.source in known.statements[a.agent] for a in known.questions)


@pytest.mark.parametrize("agents", [1, 3])
def test_each_question_has_its_answer_in_the_store_of_its_agent(agents):
    size = WorkloadSize(memories=300, agents=agents, turns=12, seed=3)
    work = statement_workload(size, 17)
    assert len(work.questions) == len(work.texts) == 17
    for item in work.questions:
        stored = [memory.content for memory in work.memories_of(item.agent)]
        assert len(stored) == 300 // agents
        name = re.search(r"Host\d+", item.question)[0]
        assert [text for text in stored if f"{name} " in text and text in work.texts]

"""A captured line and what was formed from it are one candidate, at the line's place."""

from __future__ import annotations

import pytest

from cognitive.context.formed import drop_lines
from tests.unit.making import candidate, ids

SOURCE = "turn/t1/user"
STATEMENT = "Our boiler is in the cellar."
LONG = f"{STATEMENT} {'The rest of this long message is about other matters of the house. ' * 3}"


def formed(n: int, rank: int, text: str = STATEMENT, **fields):
    given = {"source": SOURCE, "attributes": {"formed_by": f"mine_is/{n}"}, **fields}
    return candidate(n, text, type="fact", rank=rank, **given)


def line(n: int, rank: int, text: str = f"Hello. {STATEMENT}", **fields):
    return candidate(n, text, type="episode", rank=rank, **{"source": SOURCE, **fields})


def other(n: int, rank: int):
    return candidate(n, "Tea is served at noon.", type="episode", source=f"turn/other-{n}/user", rank=rank)


def test_formed_memory_takes_the_rank_of_its_line():
    for formed_rank, line_rank in ((0, 2), (2, 0)):
        kept = drop_lines([formed(1, formed_rank), other(2, 1), line(3, line_rank)]).kept
        assert ids(kept) == ([2, 1] if line_rank == 2 else [1, 2])


def test_line_that_says_much_more_stays_at_its_rank():
    assert ids(drop_lines([formed(1, 0), other(2, 1), line(3, 2, LONG)]).kept) == [1, 2, 3]
    assert ids(drop_lines([line(3, 0, LONG), other(2, 1), formed(1, 2)]).kept) == [3, 2, 1]


@pytest.mark.parametrize(("of_line", "kept"), [(0.3, [3, 1]), (0.1, [1])])
def test_line_that_matches_the_message_better_stays(of_line, kept):
    candidates = [line(3, 0, factors={"semantic": of_line}), formed(1, 1, factors={"semantic": 0.2})]
    assert ids(drop_lines(candidates).kept) == kept


def test_line_of_a_superseded_statement_is_dropped_whatever_else_it_says():
    candidates = [line(3, 0, LONG), other(2, 1), formed(1, 2, hidden_reason="superseded")]
    assert ids(drop_lines(candidates).kept) == [1, 2]


def test_only_the_best_of_several_takes_the_rank_of_the_line():
    result = drop_lines([line(3, 0), other(2, 1), formed(1, 2), formed(4, 3)])
    assert ids(result.kept) == [1, 2, 4]
    assert [each.candidate.hit.memory_id.int for each in result.dropped] == [3]


def test_line_of_another_user_with_the_same_turn_id_stays():
    of_bob = candidate(3, "Hello. Our boiler is in the loft.", type="episode", source=SOURCE, rank=0, user_id="bob")
    for user in (None, "ann"):
        assert ids(drop_lines([of_bob, other(2, 1), formed(1, 2, user_id=user)]).kept) == [3, 2, 1]


def test_memory_of_a_user_takes_the_place_of_its_shared_line():
    shared = {"source": 'user-turn/["ann", "t1"]/user'}
    candidates = [line(3, 0, **shared), other(2, 1), formed(1, 2, user_id="ann", **shared)]
    assert ids(drop_lines(candidates).kept) == [1, 2]


def test_line_from_which_no_candidate_was_formed_stays():
    assert ids(drop_lines([line(3, 0), other(2, 1)]).kept) == [3, 2]


def test_line_of_another_turn_with_the_same_id_stays():
    ada = {"user_id": "ada"}  # turn ids are unique per user only
    result = drop_lines([formed(1, 0, **ada), line(2, 1, **ada), line(3, 2), formed(4, 3, **ada)])
    assert (ids(result.kept), ids(each.candidate for each in result.dropped)) == ([1, 3, 4], [2])

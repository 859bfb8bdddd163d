"""The token ledger is never negative; it prunes the oldest results for room, or reports the shortage."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from cognitive.window.token_budget import Prunable, TokenLedger

TOKENS = st.integers(0, 3_000)
RESULTS = st.lists(st.builds(Prunable, TOKENS, st.integers(0, 100)), max_size=8)


def ledger(max_tokens=1_000, **used):
    return TokenLedger(max_tokens, used, {"system": 100, "response": 200, "tools": 100})


@given(TOKENS, TOKENS)
def test_available_tokens_are_never_negative(used, more):
    assert ledger(messages=used).available == max(0, 600 - used)
    assert ledger(messages=used).spend("messages", -more).used["messages"] == max(0, used - more)


@example(0, 0, [Prunable(601, 0)])
@given(TOKENS, TOKENS, RESULTS)
def test_oldest_results_are_pruned_and_no_more_than_needed(used, tokens, results):
    before = ledger(results=used + sum(result.tokens for result in results))
    room = before.room_for(tokens, results)
    useful = [n for n, result in enumerate(results) if result.stub < result.tokens]
    assert list(room.pruned) == useful[: len(room.pruned)]
    if room.fits:
        assert room.ledger.fits(tokens)
        if room.pruned:
            last = results[room.pruned[-1]]
            assert not room.ledger.spend("results", last.tokens - last.stub).fits(tokens)
    else:
        assert list(room.pruned) == useful
        freed = sum(results[n].tokens - results[n].stub for n in useful)
        assert room.short == before.spent - freed + tokens - 600


def test_ledger_computes_available_spent_and_share():
    spent_ledger = TokenLedger.of(1_000, {"response": 0.2, "tools": 0.1}).spend("messages", 350)
    assert (spent_ledger.available, spent_ledger.spent, spent_ledger.share) == (350, 350, 0.35)
    assert spent_ledger.fits(350)
    assert not spent_ledger.fits(351)
    assert TokenLedger(0).share == 1.0

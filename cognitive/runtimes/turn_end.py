"""End a turn with the block that runs it: as failed after an error, as abandoned after a cancellation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cognitive.runtimes.turn_session import TurnSession


@contextmanager
def ends_on_error(turn: TurnSession, *, interrupts: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """End the turn as failed if the block raises an error, and as abandoned if it is cancelled or closed early.

    Errors of the types `interrupts` do not end the turn, because the framework will continue the run.
    """
    try:
        yield
    except interrupts:
        raise
    except Exception:
        turn.end("failed")
        raise
    except BaseException:
        turn.end("abandoned")
        raise


@contextmanager
def ends_turn(turn: TurnSession) -> Iterator[None]:
    """End the turn when the block ends, unless the adapter has ended it inside the block.

    An error or a cancellation of the block ends the turn as in `ends_on_error`. A block that ends without a response
    has abandoned the turn.
    """
    with ends_on_error(turn):
        yield
    turn.end("abandoned")

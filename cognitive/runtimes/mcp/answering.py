"""Within the deadline, and whatever goes wrong, in words that a model can act on."""

from __future__ import annotations

import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from brain.deadline import Deadline
from cognitive.errors import CognitiveError, InvalidInput, StoreUnavailable

log = logging.getLogger(__name__)
T = TypeVar("T")

AWAY = "Memory cannot be reached right now. Go on without it; the same call may work later."


class Unanswered(Exception):
    """A call that has no answer; the message says what to do about it, and nothing of how the server is built."""


async def answered(name: str, work: Coroutine[Any, Any, T], milliseconds: float) -> T:
    """The answer of `work`, if it comes in time.

    Raises:
        Unanswered: it did not, or what was asked cannot be answered.
    """
    try:
        return await Deadline(milliseconds).within(work)
    except InvalidInput as error:
        raise Unanswered(str(error)) from error
    except (StoreUnavailable, TimeoutError) as error:
        log.warning("%s: %s", name, str(error) or f"no answer within {milliseconds:g} ms")
        raise Unanswered(AWAY) from error
    except CognitiveError as error:
        log.warning("%s: %r", name, error)
        raise Unanswered(f"{name} failed ({type(error).__name__}): the server's log says why.") from error
    except Exception as error:
        log.exception("%s failed", name)
        raise Unanswered(f"{name} failed: the server's log says why. Go on without it.") from error

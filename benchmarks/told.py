"""Measure whether captured talk is found: facts that were stated in conversations, half of them asked about before.

Run it by `python -m benchmarks.told tests/data/told.json`.

The file has sets, each of which becomes an agent: [{"facts": [{"fact", "speaker", "asked_before": [{"user",
"assistant"}], "questions", "answer"}], "chatter": [{"user", "assistant"}]}]. All exchanges run as turns with
`Policy(capture="exchange")`: first what was asked before, then what was stated, each mixed with chatter. Then each
question is asked in a new session. A fact is shown if a shown memory contains its answer.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

from cognitive import CognitiveLayer, Message, Outcome, Policy, Turn
from cognitive.trace import CandidateResult

Exchange = tuple[str, str]  # the user's message and the response

PATIENT = Policy(capture="exchange", deadline_ms=20_000, deadlines={"post_turn_ms": 20_000})
BEGIN = datetime(2026, 9, 1, 8, tzinfo=UTC)
PER_SESSION = 8  # exchanges
# Lines around a fact: the response to a user who states it, and the message before a response that states it.
RESPONSES = ("Got it!", "Noted, thanks.", "Thanks for letting me know, I'll keep that in mind.", "Okay, will do.")
REQUESTS = ("Could you look into that for me?", "What did you find out?", "Ok, please check and tell me.")


@dataclass(frozen=True, slots=True)
class AskedFact:
    """A question that was asked after its fact was stated, and its candidates, best first.

    Attributes:
        question: the question.
        answer: the text by which a memory of the fact is recognised.
        results: the results of the candidates that contain the answer.
        ahead: the lines in which the fact was asked about before that rank above it.
        first: the text of the best candidate; empty if there is none.
    """

    question: str
    answer: str
    results: Sequence[CandidateResult]
    ahead: Sequence[str]
    first: str

    @property
    def shown(self) -> bool:
        """True if a shown memory contains the answer."""
        return any(result.disposition == "shown" for result in self.results)

    @property
    def cause(self) -> str:
        """The disposition of the best candidate with the answer; "not found" without such a candidate."""
        return "shown" if self.shown else self.results[0].disposition if self.results else "not found"


async def measure(layer: CognitiveLayer, told: Mapping[str, Any], questions: int = 3) -> list[AskedFact]:
    """Run the exchanges of a set as turns of a new agent, and ask the first `questions` questions of each fact."""
    agent, now = f"told-{uuid4().hex[:8]}", BEGIN
    for n, session in enumerate(sessions(told)):
        now = BEGIN + timedelta(days=n)
        await _converse(layer, agent, f"talk-{n}", session, now)
    asked = []
    for fact in told["facts"]:
        for question in fact["questions"][:questions]:
            now += timedelta(minutes=5)
            context = await layer.pre_turn(Turn(agent_id=agent, session_id=uuid4().hex, text=question, now=now))
            asked.append(_asked(question, fact, context.trace.candidates))
    return asked


def sessions(told: Mapping[str, Any]) -> Iterator[Sequence[Exchange]]:
    """Yield the exchanges of a set in sessions: earlier questions, then the facts, each mixed with chatter."""
    random = Random(7)
    before = [_exchange(each) for fact in told["facts"] for each in fact["asked_before"]]
    facts = [_telling(n, fact) for n, fact in enumerate(told["facts"])]
    chatter = [_exchange(each) for each in told["chatter"]]
    third = len(chatter) // 3
    for part, fill in ((before, chatter[:third]), (facts, chatter[third : 2 * third]), ([], chatter[2 * third :])):
        mixed = [*part, *fill]
        random.shuffle(mixed)
        yield from (mixed[n : n + PER_SESSION] for n in range(0, len(mixed), PER_SESSION))


def _exchange(each: Mapping[str, str]) -> Exchange:
    return each["user"], each["assistant"]


def _telling(n: int, fact: Mapping[str, Any]) -> Exchange:
    """Return the exchange in which a fact is stated."""
    if fact["speaker"] == "user":
        return fact["fact"], RESPONSES[n % len(RESPONSES)]
    return REQUESTS[n % len(REQUESTS)], fact["fact"]


async def _converse(
    layer: CognitiveLayer, agent: str, session: str, exchanges: Iterable[Exchange], now: datetime
) -> None:
    conversation: list[Message] = []
    for n, (message, response) in enumerate(exchanges):
        at = now + timedelta(minutes=n)
        turn = Turn(agent_id=agent, session_id=session, text=message, conversation=tuple(conversation), now=at)
        layer.settle(await layer.pre_turn(turn), Outcome(response=response))
        await layer.flush()
        conversation += [Message(role="user", content=message), Message(role="assistant", content=response)]


def _asked(question: str, fact: Mapping[str, Any], results: Sequence[CandidateResult]) -> AskedFact:
    contents = [result.candidate.hit.content for result in results]
    places = [n for n, content in enumerate(contents) if fact["answer"].casefold() in content.casefold()]
    before = {line for each in fact["asked_before"] for line in _exchange(each)}
    return AskedFact(
        question,
        fact["answer"],
        [results[n] for n in places],
        [content for content in contents[: min(places, default=0)] if content in before],
        contents[0] if contents else "",
    )


async def _main(sets: Sequence[Mapping[str, Any]]) -> None:
    causes, outranked = Counter[str](), 0
    async with CognitiveLayer.open(policy=PATIENT) as layer:
        for told in sets:
            for asked in await measure(layer, told):
                causes[asked.cause] += 1
                outranked += bool(asked.ahead)
                if not asked.shown:
                    sys.stdout.write(f"{asked.question} ({asked.answer}): {_why(asked)}\n")
    total = sum(causes.values())
    for cause, count in causes.most_common():
        sys.stdout.write(f"{cause}: {count} of {total}, {count / total:.1%}\n")
    sys.stdout.write(f"below a line that asked about it: {outranked}\n")


def _why(asked: AskedFact) -> str:
    if not asked.results:
        return f"not found; first: {asked.first}"
    result = asked.results[0]
    return f"{result.disposition} at rank {result.candidate.rank}, {result.reason}; first: {asked.first}"


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("told", type=Path)
    asyncio.run(_main(json.loads(parser.parse_args().told.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()

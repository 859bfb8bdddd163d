"""Make up the memories that a benchmark stores and the questions that it asks."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from brain.types import NewMemory

START = datetime(2025, 1, 1, tzinfo=UTC)
_SPAN = timedelta(days=365)
END = START + _SPAN + timedelta(days=1)
_SESSION = 25  # lines
STATEMENT_FORMS = (
    ("{who} keeps the {thing} in the {place}", "Where does {who} keep the {thing}?"),
    ("{who} bought the {thing} from a shop near the {place}", "Near what did {who} buy the {thing}?"),
    ("{who} wants the {thing} repaired before the trip to the {place}", "What does {who} want done with the {thing}?"),
    ("the {thing} that {who} lost turned up behind the {place}", "What became of the {thing} that {who} lost?"),
    ("{who} lent the {thing} to a neighbour by the {place}", "To whom did {who} lend the {thing}?"),
    ("{who} painted the {thing} green, like the {place}", "Which colour did {who} paint the {thing}?"),
)
THINGS = (
    "bicycle|kayak|telescope|violin|sewing machine|lawn mower|espresso machine|tent|sledge|typewriter|accordion"
    "|ladder|drone|rucksack|guitar|microscope|lantern|toolbox|surfboard|camera|globe|record player|sextant"
    "|rowing boat|kettle|easel|loom|trumpet|compass|snowboard|piano stool|chess board|weather station|printer"
    "|fishing rod|wheelbarrow"
).split("|")
PLACES = (
    "attic boathouse cellar garage library harbour orchard greenhouse workshop station church museum stadium bakery"
    " lighthouse quarry theatre vineyard campsite brewery"
).split()
_AFTER = ("since last winter", "as the whole street knows", "after the flood", "and nobody minds", "for a good reason")


@dataclass(frozen=True, slots=True)
class WorkloadSize:
    """The memories, how many agents share them, and the turns that are timed; `seed` decides all that is drawn."""

    memories: int
    agents: int
    turns: int
    seed: int

    @property
    def each(self) -> int:
        """The memories of one agent."""
        return self.memories // self.agents

    def names(self) -> list[str]:
        """Return the ids of the agents."""
        return [f"bench-{self.memories}-{self.agents}-{n}" for n in range(self.agents)]


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the agent of that number, and the messages before it: user and assistant in turn."""

    agent: int
    question: str
    preceding: tuple[str, ...] = ()

    @property
    def with_context(self) -> str:
        """The question behind what the user said before it, for a search that is given no conversation."""
        return " ".join((*self.preceding[:1], self.question))


@dataclass(frozen=True, slots=True)
class Workload:
    """What is stored and asked. `memories_of` returns the memories of the agent of that number."""

    memories_of: Callable[[int], list[NewMemory]]
    questions: Sequence[Question]
    texts: Sequence[str]  # of the statements that the questions are about


def statement_workload(size: WorkloadSize, count: int) -> Workload:
    """Return a store of statements about people, with `count` questions that each have their answer in it."""
    chance = random.Random(size.seed)
    statements: list[dict[str, str]] = [{} for _ in range(size.agents)]
    questions = []
    for n in range(min(count, size.memories)):
        said, asked = STATEMENT_FORMS[n % len(STATEMENT_FORMS)]
        names = {"who": f"Host{n}", "thing": chance.choice(THINGS), "place": chance.choice(PLACES)}
        statements[n % size.agents][f"known-{n}"] = f"{_capitalized(said.format(**names))}."
        questions.append(Question(n % size.agents, asked.format(**names)))
    return Workload(
        lambda agent: list(lines(size.each, statements[agent], size.seed + agent)),
        questions,
        [text for each in statements for text in each.values()],
    )


def lines(size: int, statements: Mapping[str, str], seed: int) -> Iterator[NewMemory]:
    """Yield lines of talk in sessions of 25, a tenth of other types; the statements are spread evenly among them."""
    chance = random.Random(seed)
    spread = max(1, size // max(1, len(statements)))
    waiting = iter(statements.items())
    for n in range(size):
        source, text = next(waiting, (f"line-{n}", "")) if n % spread == 0 else (f"line-{n}", "")
        kind = chance.choices(("episode", "fact", "decision", "procedure"), (90, 5, 3, 2))[0]
        yield NewMemory(
            type="episode" if text else kind,
            content=text or _line(chance, n),
            source=source,
            session_id=f"s{n // _SESSION}",
            occurred_at=line_time(n, size),
        )


def line_time(n: int, size: int) -> datetime:
    """Return when that line was said: a minute after the one before it; the sessions are spread over a year."""
    return START + _SPAN * (n // _SESSION) / max(1, -(-size // _SESSION)) + timedelta(minutes=n % _SESSION)


def _line(chance: random.Random, n: int) -> str:
    """Return a statement of the same form that no question is about: its person has a number for a name."""
    names = {"who": f"Guest{chance.randrange(max(40, n // 8))}", "thing": chance.choice(THINGS)}
    said = chance.choice(STATEMENT_FORMS)[0].format(**names, place=chance.choice(PLACES))
    return f"{_capitalized(said)}, {chance.choice(_AFTER)}, number {n}."


def _capitalized(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"

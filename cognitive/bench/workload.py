"""Generate the memories that a benchmark stores and the questions that it asks."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from brain.types import NewMemory

START = datetime(2025, 1, 1, tzinfo=UTC)
_SPAN = timedelta(days=365)
END = START + _SPAN + timedelta(days=1)
_SESSION = 25  # lines per session
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
    """The size of a benchmark: the number of memories, of agents that they are divided among, and of timed turns.

    `seed` determines all random choices.
    """

    memories: int
    agents: int
    turns: int
    seed: int

    @property
    def each(self) -> int:
        """The number of memories per agent."""
        return self.memories // self.agents

    def names(self) -> list[str]:
        """Return the ids of the agents."""
        return [f"bench-{self.memories}-{self.agents}-{n}" for n in range(self.agents)]


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the benchmark, with the number of the agent that is asked.

    `preceding` has the earlier messages of the conversation, alternately by the user and the assistant.
    """

    agent: int
    question: str
    preceding: tuple[str, ...] = ()

    @property
    def with_context(self) -> str:
        """The question preceded by the user's previous message, as a query for a search that takes no conversation."""
        return " ".join((*self.preceding[:1], self.question))


@dataclass(frozen=True, slots=True)
class Workload:
    """The memories that a benchmark stores and its questions.

    `memories_of(n)` returns the memories of agent number n.
    """

    memories_of: Callable[[int], list[NewMemory]]
    questions: Sequence[Question]
    texts: Sequence[str]  # the statements that the questions are about


def statement_workload(size: WorkloadSize, count: int) -> Workload:
    """Generate memories that are statements about people, and `count` questions that these statements answer."""
    chance = random.Random(size.seed)
    statements: list[dict[str, str]] = [{} for _ in range(size.agents)]
    questions = []
    for n in range(min(count, size.memories)):
        statement, question = STATEMENT_FORMS[n % len(STATEMENT_FORMS)]
        names = {"who": f"Host{n}", "thing": chance.choice(THINGS), "place": chance.choice(PLACES)}
        statements[n % size.agents][f"known-{n}"] = f"{_capitalized(statement.format(**names))}."
        questions.append(Question(n % size.agents, question.format(**names)))
    return Workload(
        lambda agent: list(lines(size.each, statements[agent], size.seed + agent)),
        questions,
        [text for each in statements for text in each.values()],
    )


def lines(size: int, statements: Mapping[str, str], seed: int) -> Iterator[NewMemory]:
    """Yield `size` memories in sessions of 25: the given statements, spread evenly among generated lines of chat.

    The statements and 90 % of the generated lines have the memory type episode. `statements` maps a source to a text.
    """
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
    """Return the time of the memory number `n` of `size`.

    Within a session, each memory is a minute after the one before. The sessions are spread over a year.
    """
    return START + _SPAN * (n // _SESSION) / max(1, -(-size // _SESSION)) + timedelta(minutes=n % _SESSION)


def _line(chance: random.Random, n: int) -> str:
    """Return a generated line that looks like a statement, but that no question is about.

    The line is about a person with a name like "Guest7", which no real statement contains.
    """
    names = {"who": f"Guest{chance.randrange(max(40, n // 8))}", "thing": chance.choice(THINGS)}
    statement = chance.choice(STATEMENT_FORMS)[0].format(**names, place=chance.choice(PLACES))
    return f"{_capitalized(statement)}, {chance.choice(_AFTER)}, number {n}."


def _capitalized(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"

"""Generate the memories and questions of a run.

The memories are statements that questions ask for later, similar statements, and unrelated lines.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import cycle, product

from benchmarks.turns.question_kinds import KINDS, RIVALS, QuestionForm, QuestionKind
from brain.types import NewMemory
from cognitive.bench.workload import PLACES, START, THINGS, Question, Workload, WorkloadSize, line_time, lines

_FIRST = (
    "Ada Ines Tomasz Yuki Priya Omar Lena Mateo Chidi Freya Hana Ivo Jun Katya Luis Mira Nils Olga Pia Quentin Rosa"
    " Sven Tariq Uma Vera Wim Xenia Yannick Zoe Bruno Clara Dmitri Elif Farid Greta Hugo"
).split()
_LAST = (
    "Lindqvist Moreau Okafor Brandt Castillo Dvorak Eriksen Fontaine Greco Haddad Ivanova Jansen Kowalski Larsen Mbeki"
    " Novak Ortega Petrov Quist Rossi Sato Tanaka Ueda Vargas Weber Xu Yilmaz Zeman Abbott Bianchi Cohen Duarte Engel"
    " Ferrari Gallo Horvat Ito Jovic Keller Lopez"
).split()


@dataclass(frozen=True, slots=True)
class KnownQuestion(Question):
    """A question with its kind and the source of the memory that answers it, or None if no memory does."""

    kind: str = ""
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Stock:
    """The generated statements, including similar ones to confuse them with (rivals), and the questions about them.

    `statements` has a mapping from source to text for each agent, in chronological order.
    """

    statements: tuple[dict[str, str], ...]
    questions: tuple[KnownQuestion, ...]

    def texts(self) -> list[str]:
        """Return the texts of the statements of all agents."""
        return [text for said in self.statements for text in said.values()]

    def workload(self, size: WorkloadSize) -> Workload:
        """Return the memories and questions for a run of this size: the statements spread among unrelated lines."""

        def stored(agent: int) -> list[NewMemory]:
            return list(lines(size.each, self.statements[agent], size.seed + agent))

        return Workload(stored, self.questions, self.texts())


@dataclass(frozen=True, slots=True)
class _StatementGroup:
    """A statement and similar statements (its rivals), in chronological order, with the values for its question."""

    source: str | None
    texts: dict[str, str]
    kind: QuestionKind
    form: QuestionForm
    slots: _Slots


class _Slots(dict[str, str]):
    """The values for the placeholders of a wording, such as `who` and `place`.

    Each is drawn when it is first needed.
    """

    def __init__(self, chance: random.Random, people: Iterator[str], known: Mapping[str, str] | None = None) -> None:
        super().__init__(known or {})
        self._chance = chance
        self._draws: dict[str, Callable[[], str]] = {
            "who": lambda: next(people),
            "thing": lambda: chance.choice(THINGS),
            "place": lambda: chance.choice(PLACES),
            "code": lambda: f"{chance.choice(('OPS', 'NX', 'TRM', 'QB'))}-{chance.randrange(10_000, 100_000)}",
            "version": lambda: ".".join(str(chance.randrange(2, 40)) for _ in range(3)),
            "date": lambda: _day(START + timedelta(days=chance.randrange(400, 700))),
        }

    def __missing__(self, slot: str) -> str:
        if slot.endswith("_iso"):
            day = datetime.strptime(f"{self[slot.removesuffix('_iso')]} +0000", "%d %B %Y %z")
            self[slot] = day.date().isoformat()
        elif (kind := slot.removeprefix("other_")) != slot:
            self[slot] = self._other(kind)
        else:
            self[slot] = self._draws[slot]()
        return self[slot]

    def _other(self, kind: str) -> str:
        """Return another value than the present one for a placeholder of this kind. Numbers differ in one digit."""
        if kind in ("code", "version"):
            own = self[kind]
            place = self._chance.choice([n for n, letter in enumerate(own) if letter.isdigit()])
            return own[:place] + self._chance.choice([d for d in "123456789" if d != own[place]]) + own[place + 1 :]
        while (found := self._draws[kind]()) == self[kind]:
            pass
        return found


def make_stock(count: int, size: int, seed: int, agents: int = 1) -> Stock:
    """Generate `count` questions, spread over all kinds and agents.

    There are fewer if their statements do not fit into `size` memories per agent.
    """
    chance = random.Random(seed)
    names = [f"{first} {last}" for first, last in product(_FIRST, _LAST)]
    chance.shuffle(names)
    people = cycle(names)  # all names are used once before any is reused
    groups: list[_StatementGroup] = []
    room = [size] * agents
    for n in range(count):
        group = _group(n, KINDS[n % len(KINDS)], chance, people)
        room[n % agents] -= len(group.texts)
        if room[n % agents] < 0:
            break
        groups.append(group)
    statements = tuple(_mixed(groups[agent::agents], chance) for agent in range(agents))
    questions = tuple(_asked(group, n % agents, statements[n % agents], size) for n, group in enumerate(groups))
    return Stock(statements, questions)


def _group(n: int, kind: QuestionKind, chance: random.Random, people: Iterator[str]) -> _StatementGroup:
    form = kind.forms[n // len(KINDS) % len(kind.forms)]
    slots = _Slots(chance, people)
    if not form.said:
        return _StatementGroup(None, {}, kind, form, slots)
    source, said = f"known-{n}", form.said.format_map(slots)
    rivals = [
        (f"rival-{n}-{r}", form.beside[r % len(form.beside)].format_map(_Slots(chance, people, slots)))
        for r in range(RIVALS if form.beside else 0)
    ]
    place = len(rivals) if kind.newest else chance.randint(0, len(rivals))
    return _StatementGroup(source, dict([*rivals[:place], (source, said), *rivals[place:]]), kind, form, slots)


def _mixed(groups: list[_StatementGroup], chance: random.Random) -> dict[str, str]:
    """Return all statements by source, with the groups interleaved at random. The order within each group is kept."""
    turns = [n for n, group in enumerate(groups) for _ in group.texts]
    chance.shuffle(turns)
    waiting = [iter(group.texts.items()) for group in groups]
    return dict(next(waiting[n]) for n in turns)


def _asked(group: _StatementGroup, agent: int, statements: dict[str, str], size: int) -> KnownQuestion:
    if group.source is not None:
        place = list(statements).index(group.source) * _spread(size, statements)
        group.slots["day"] = _day(line_time(place, size))
    talk = tuple(line.format_map(group.slots) for line in group.form.preceding)
    return KnownQuestion(agent, group.form.asked.format_map(group.slots), talk, group.kind.name, group.source)


def _spread(size: int, statements: Mapping[str, str]) -> int:
    return max(1, size // max(1, len(statements)))


def _day(at: datetime) -> str:
    return f"{at.day} {at:%B %Y}"

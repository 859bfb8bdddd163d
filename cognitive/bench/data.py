"""What is stored and asked: statements that somebody asks for later, among their rivals and lines of no interest."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import cycle, product

from brain.types import NewMemory
from cognitive.bench.kinds import KINDS, RIVALS, SAID, Form, Kind

START = datetime(2025, 1, 1, tzinfo=UTC)
_SPAN = timedelta(days=365)
END = START + _SPAN + timedelta(days=1)
_SESSION = 25  # lines
_FIRST = (
    "Ada Ines Tomasz Yuki Priya Omar Lena Mateo Chidi Freya Hana Ivo Jun Katya Luis Mira Nils Olga Pia Quentin Rosa"
    " Sven Tariq Uma Vera Wim Xenia Yannick Zoe Bruno Clara Dmitri Elif Farid Greta Hugo"
).split()
_LAST = (
    "Lindqvist Moreau Okafor Brandt Castillo Dvorak Eriksen Fontaine Greco Haddad Ivanova Jansen Kowalski Larsen Mbeki"
    " Novak Ortega Petrov Quist Rossi Sato Tanaka Ueda Vargas Weber Xu Yilmaz Zeman Abbott Bianchi Cohen Duarte Engel"
    " Ferrari Gallo Horvat Ito Jovic Keller Lopez"
).split()
_THINGS = (
    "bicycle|kayak|telescope|violin|sewing machine|lawn mower|espresso machine|tent|sledge|typewriter|accordion"
    "|ladder|drone|rucksack|guitar|microscope|lantern|toolbox|surfboard|camera|globe|record player|sextant"
    "|rowing boat|kettle|easel|loom|trumpet|compass|snowboard|piano stool|chess board|weather station|printer"
    "|fishing rod|wheelbarrow"
).split("|")
_PLACES = (
    "attic boathouse cellar garage library harbour orchard greenhouse workshop station church museum stadium bakery"
    " lighthouse quarry theatre vineyard campsite brewery"
).split()
_AFTER = ("since last winter", "as the whole street knows", "after the flood", "and nobody minds", "for a good reason")


@dataclass(frozen=True, slots=True)
class Known:
    """A question of a kind to an agent by its number, what was said before it, and the source of the statement that
    answers it: None where there is nothing to find."""

    kind: str
    agent: int
    question: str
    source: str | None
    talk: tuple[str, ...] = ()

    @property
    def joined(self) -> str:
        """The question behind what the user said before it, if that is needed to understand it."""
        return " ".join((*self.talk[:1], self.question))


@dataclass(frozen=True, slots=True)
class Stock:
    """Statements and their rivals by source, of each agent in the order of saying, and the questions."""

    statements: tuple[dict[str, str], ...]
    questions: tuple[Known, ...]

    def texts(self) -> list[str]:
        """Of all agents."""
        return [text for said in self.statements for text in said.values()]


@dataclass(frozen=True, slots=True)
class _Group:
    """A statement and its rivals in the order of saying, and what is needed to ask for it."""

    source: str | None
    texts: dict[str, str]
    kind: Kind
    form: Form
    slots: _Slots


class _Slots(dict[str, str]):
    """What a form's names stand for, each drawn when it is asked for first."""

    def __init__(self, chance: random.Random, people: Iterator[str], known: Mapping[str, str] | None = None) -> None:
        super().__init__(known or {})
        self._chance = chance
        self._draws: dict[str, Callable[[], str]] = {
            "who": lambda: next(people),
            "thing": lambda: chance.choice(_THINGS),
            "place": lambda: chance.choice(_PLACES),
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
        """Something else of the kind; of numbers, one that differs in a digit."""
        if kind in ("code", "version"):
            own = self[kind]
            place = self._chance.choice([n for n, letter in enumerate(own) if letter.isdigit()])
            return own[:place] + self._chance.choice([d for d in "123456789" if d != own[place]]) + own[place + 1 :]
        while (found := self._draws[kind]()) == self[kind]:
            pass
        return found


def stock(count: int, size: int, seed: int, agents: int = 1) -> Stock:
    """So many questions, kind by kind and agent by agent, or as many as have room in `size` memories of each agent."""
    chance = random.Random(seed)
    names = [f"{first} {last}" for first, last in product(_FIRST, _LAST)]
    chance.shuffle(names)
    people = cycle(names)  # a name is somebody else's only after all have been
    groups: list[_Group] = []
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


def _group(n: int, kind: Kind, chance: random.Random, people: Iterator[str]) -> _Group:
    form = kind.forms[n // len(KINDS) % len(kind.forms)]
    slots = _Slots(chance, people)
    if not form.said:
        return _Group(None, {}, kind, form, slots)
    source, said = f"known-{n}", form.said.format_map(slots)
    rivals = [
        (f"rival-{n}-{r}", form.beside[r % len(form.beside)].format_map(_Slots(chance, people, slots)))
        for r in range(RIVALS if form.beside else 0)
    ]
    place = len(rivals) if kind.newest else chance.randint(0, len(rivals))
    return _Group(source, dict([*rivals[:place], (source, said), *rivals[place:]]), kind, form, slots)


def _mixed(groups: list[_Group], chance: random.Random) -> dict[str, str]:
    """All that is said, groups mixed with one another and each in its own order."""
    turns = [n for n, group in enumerate(groups) for _ in group.texts]
    chance.shuffle(turns)
    waiting = [iter(group.texts.items()) for group in groups]
    return dict(next(waiting[n]) for n in turns)


def _asked(group: _Group, agent: int, statements: dict[str, str], size: int) -> Known:
    if group.source is not None:
        place = list(statements).index(group.source) * _spread(size, statements)
        group.slots["day"] = _day(said_at(place, size))
    talk = tuple(line.format_map(group.slots) for line in group.form.talk)
    return Known(group.kind.name, agent, group.form.asked.format_map(group.slots), group.source, talk)


def lines(size: int, statements: Mapping[str, str], seed: int) -> Iterator[NewMemory]:
    """Lines of talk in sessions of 25, a tenth of them of other types, the statements spread evenly among them."""
    chance = random.Random(seed)
    spread = _spread(size, statements)
    waiting = iter(statements.items())
    for n in range(size):
        source, text = next(waiting, (f"line-{n}", "")) if n % spread == 0 else (f"line-{n}", "")
        kind = chance.choices(("episode", "fact", "decision", "procedure"), (90, 5, 3, 2))[0]
        yield NewMemory(
            type="episode" if text else kind, content=text or _line(chance, n), source=source,
            session_id=f"s{n // _SESSION}", occurred_at=said_at(n, size),
        )  # fmt: skip


def said_at(n: int, size: int) -> datetime:
    """When the line of that number was said: a session's a minute apart, the sessions spread over a year."""
    return START + _SPAN * (n // _SESSION) / max(1, -(-size // _SESSION)) + timedelta(minutes=n % _SESSION)


def _spread(size: int, statements: Mapping[str, str]) -> int:
    return max(1, size // max(1, len(statements)))


def _day(at: datetime) -> str:
    return f"{at.day} {at:%B %Y}"


def _line(chance: random.Random, n: int) -> str:
    """A statement of the same making that nobody asks for: it is about a person by a number."""
    names = {"who": f"Guest{chance.randrange(max(40, n // 8))}", "thing": chance.choice(_THINGS)}
    said = chance.choice(SAID).format(**names, place=chance.choice(_PLACES))
    return f"{said[0].upper()}{said[1:]}, {chance.choice(_AFTER)}, number {n}."

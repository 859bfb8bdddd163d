"""What is stored and asked: statements about people that somebody asks for later, among many that nobody asks for.

Statements and questions are embedded by the real model. The many have texts of the same making, and vectors between
those of two statements with a little noise, since a million texts take a processor two hours: near one another as texts
are, which is what an index depends on and independent directions do not have.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from brain.ports import Embedder
from brain.types import NewMemory, Vectors

START = datetime(2025, 1, 1, tzinfo=UTC)
_BETWEEN = 0.5  # of the way to another statement at most
_NOISE = 0.35  # length of what is added
_PEOPLE = (
    "Ada Ines Tomasz Yuki Priya Omar Lena Mateo Chidi Freya Hana Ivo Jun Katya Luis Mira Nils Olga Pia Quentin Rosa"
    " Sven Tariq Uma Vera Wim Xenia Yannick Zoe Bruno Clara Dmitri Elif Farid Greta Hugo"
).split()
_TOLD = (
    ("{who} keeps the {thing} in the {place}", "where does {who} keep the {thing}?"),
    ("{who} bought the {thing} from a shop near the {place}", "near what did {who} buy the {thing}?"),
    ("{who} wants the {thing} repaired before the trip to the {place}", "what does {who} want done with the {thing}?"),
    ("the {thing} that {who} lost turned up behind the {place}", "what became of the {thing} that {who} lost?"),
    ("{who} lent the {thing} to a neighbour by the {place}", "to whom did {who} lend the {thing}?"),
    ("{who} painted the {thing} green, like the {place}", "which colour did {who} paint the {thing}?"),
)
_THINGS = (
    "bicycle|kayak|telescope|violin|sewing machine|lawn mower|espresso machine|tent|sledge|typewriter|accordion"
    "|ladder|drone|rucksack|guitar|microscope|lantern|toolbox|surfboard|camera|globe|record player|sextant"
    "|rowing boat|kettle|easel|loom|trumpet|compass|snowboard|piano stool|chess board|weather station|printer"
    "|fishing rod|wheelbarrow"
).split("|")
_PLACES = "attic boathouse cellar garage library harbour orchard greenhouse workshop station church museum".split()
_AFTER = ("since last winter", "as the whole street knows", "after the flood", "and nobody minds", "for a good reason")


@dataclass(frozen=True, slots=True)
class Known:
    """A question, and the source of the statement that answers it."""

    question: str
    source: str


@dataclass(frozen=True, slots=True)
class Stock:
    """Statements that are asked for, by source, with what asks for them."""

    statements: dict[str, str]
    questions: tuple[Known, ...]


def stock(count: int, seed: int) -> Stock:
    """So many statements, no two about the same thing of the same person in the same way, and a question to each."""
    chance = random.Random(seed)
    ways = [(who, thing, told) for who in _PEOPLE for thing in _THINGS for told in range(len(_TOLD))]
    statements, questions = {}, []
    for n, (who, thing, told) in enumerate(chance.sample(ways, count)):
        names = {"who": who, "thing": thing, "place": chance.choice(_PLACES)}
        said, asked = (form.format(**names) for form in _TOLD[told])
        statements[f"known-{n}"] = f"{said}, {chance.choice(_AFTER)}.".capitalize()
        questions.append(Known(asked[0].upper() + asked[1:], f"known-{n}"))
    return Stock(statements, tuple(questions))


def lines(size: int, known: Stock, seed: int) -> Iterator[NewMemory]:
    """Lines of talk in sessions of 25, a tenth of them of other types, the statements spread evenly among them."""
    chance = random.Random(seed)
    spread = max(1, size // max(1, len(known.statements)))
    waiting = iter(known.statements.items())
    for n in range(size):
        source, text = next(waiting, (f"line-{n}", "")) if n % spread == 0 else (f"line-{n}", "")
        kind = chance.choices(("episode", "fact", "decision", "procedure"), (90, 5, 3, 2))[0]
        yield NewMemory(
            type="episode" if text else kind, content=text or _line(chance, n), source=source,
            session_id=f"s{n // 25}", occurred_at=START + timedelta(minutes=n),
        )  # fmt: skip


def _line(chance: random.Random, n: int) -> str:
    """A statement of the same making that nobody asks for: it is about a person by a number."""
    names = {"who": f"Guest{chance.randrange(max(40, n // 8))}", "thing": chance.choice(_THINGS)}
    said = chance.choice(_TOLD)[0].format(**names, place=chance.choice(_PLACES))
    return f"{said}, {chance.choice(_AFTER)}, number {n}.".capitalize()


class Between:
    """An embedder: the real model, but for lines that nobody asks for, whose vectors lie between statements'."""

    def __init__(self, real: Embedder, known: Stock, seed: int) -> None:
        self._real = real
        self.model = real.model
        self.dimension = real.dimension
        self._known = dict(_embedded(real, list(known.statements.values())))
        self._base = np.stack(list(self._known.values()))
        self._chance = np.random.default_rng(seed)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (len(texts), dimension)."""
        made = [n for n, text in enumerate(texts) if ", number " in text]
        real = [n for n, text in enumerate(texts) if ", number " not in text and text not in self._known]
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        if made:
            vectors[made] = self._between(len(made))
        if real:
            vectors[real] = self._real.embed([texts[n] for n in real])
        for n, text in enumerate(texts):
            if text in self._known:
                vectors[n] = self._known[text]
        return vectors

    def _between(self, count: int) -> Vectors:
        one, other = self._chance.integers(0, len(self._base), (2, count))
        share = self._chance.uniform(0, _BETWEEN, (count, 1))
        noise = self._chance.standard_normal((count, self.dimension)) * _NOISE / np.sqrt(self.dimension)
        vectors = self._base[one] * (1 - share) + self._base[other] * share + noise
        found: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return found


def _embedded(real: Embedder, texts: list[str]) -> Iterator[tuple[str, Vectors]]:
    for n in range(0, len(texts), 64):
        yield from zip(texts[n : n + 64], real.embed(texts[n : n + 64]), strict=True)

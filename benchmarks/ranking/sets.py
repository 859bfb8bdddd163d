"""Read evaluation sets: typed stores, conversations, and prompts that are about none of them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.told import BEGIN, sessions
from cognitive import NewMemory

UNRELATED = 60  # prompts for each store
NEAR = 20  # questions of the set's other stores for each store
BASELINES = ("bm25", "dense", "hybrid")
_PLANS = Path(__file__).parents[2] / "tests" / "data" / "plans"
COMMANDS = (_PLANS / "commands.json", _PLANS / "more_commands.json")  # by two writers
TOLD = _PLANS.parent / "told.json"  # by two writers


@dataclass(frozen=True, slots=True)
class EvaluationQuestion:
    """A question to a store, or a prompt that no memory answers (`gold` is empty then).

    `gold` and `stale` are sources of memories: those that answer, and those that the answer replaced. With `any`, one
    of the gold is enough. `kind` is the kind of question, "unrelated" or "near". `baselines` has the first ten sources
    by each baseline.
    """

    text: str
    gold: frozenset[str] = frozenset()
    any: bool = False
    stale: frozenset[str] = frozenset()
    kind: str = ""
    asked_at: datetime | None = None
    conversation: tuple[tuple[str, str], ...] = ()
    baselines: dict[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Store:
    """The memories of one agent, in waves that are stored one after another, and its questions.

    A memory of a later wave may name the source of one that it replaces in `supersedes`.
    """

    name: str
    waves: tuple[tuple[tuple[NewMemory, str | None], ...], ...]
    questions: tuple[EvaluationQuestion, ...]

    @property
    def latest(self) -> datetime | None:
        """The time of the latest memory; None if a memory has no time."""
        times = [memory.occurred_at for wave in self.waves for memory, _ in wave]
        known = [time for time in times if time is not None]
        return max(known) if known and len(known) == len(times) else None

    def asked(self, question: EvaluationQuestion) -> datetime:
        """Return the time of a question: after everything stored, and not before the question's own time."""
        if self.latest is None:
            return datetime.now(UTC) + timedelta(minutes=5)
        return max(self.latest, question.asked_at or self.latest) + timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """Stores of one kind. `typed` is False for conversations, whose questions have no baselines."""

    name: str
    typed: bool
    stores: tuple[Store, ...]


def read_sets(folder: Path) -> Iterator[EvaluationSet]:
    """Yield the evaluation sets of a folder, by name, after the project's own sets of commands and of captured talk.

    Raises:
        FileNotFoundError: the folder has no `unrelated-dev.json`.
    """
    prompts = json.loads((folder / "unrelated-dev.json").read_text())["prompts"]
    yield _commands([json.loads(path.read_text(encoding="utf-8")) for path in COMMANDS], prompts)
    yield _told(json.loads(TOLD.read_text(encoding="utf-8")), prompts)
    for path in sorted((folder / "stores").glob("*.json")):
        yield _typed(path.stem.removesuffix("-dev"), json.loads(path.read_text()), prompts)
    for path in sorted(folder.glob("*-dev.json")):
        data = json.loads(path.read_text())
        if "conversations" in data:
            stores = [_conversation(each, prompts, n) for n, each in enumerate(data["conversations"])]
            yield EvaluationSet(path.stem.removesuffix("-dev"), False, tuple(stores))


def _typed(name: str, data: dict[str, Any], prompts: Sequence[Any]) -> EvaluationSet:
    related = re.compile(data["related"], re.IGNORECASE) if data.get("related") else None
    texts = [text for text in map(_text, prompts) if not (related and related.search(text))]
    stores = []
    for n, store in enumerate(data["stores"]):
        others = [q for other in data["stores"] if _base(other) != _base(store) for q in other["questions"]]
        near = random.Random(7).sample(others, min(NEAR, len(others)))
        questions = (
            *map(_question, store["questions"]),
            *(EvaluationQuestion(text, kind="unrelated") for text in _some(texts, n)),
            *(EvaluationQuestion(each["text"], kind="near") for each in near),
        )
        waves = tuple(
            tuple(_memory(each) for each in store["memories"] if bool(each.get("supersedes")) == later)
            for later in (False, True)
        )
        stores.append(Store(store["name"], waves, questions))
    return EvaluationSet(name, True, tuple(stores))


def _commands(files: Sequence[dict[str, Any]], prompts: Sequence[Any]) -> EvaluationSet:
    """Return stores of which commands are asked, and the same requests as questions; both need the same memories."""
    stores = []
    named = [(data, *store) for data in files for store in data["stores"].items()]
    for n, (data, name, memories) in enumerate(named):
        own = [case for case in data["cases"] if case["store"] == name]
        others = [case["command"] for case in data["cases"] if case["store"] != name]
        asked = [
            EvaluationQuestion(case[kind], frozenset(f"{name}-{place}" for place in case["needed"]), kind=kind)
            for case in own
            for kind in ("command", "question")
        ]
        unrelated = [EvaluationQuestion(text, kind="unrelated") for text in _some(list(map(_text, prompts)), n)]
        near = [EvaluationQuestion(text, kind="near") for text in others]
        stored = tuple((NewMemory(**each, source=f"{name}-{place}"), None) for place, each in enumerate(memories))
        stores.append(Store(name, (stored,), (*asked, *unrelated, *near)))
    return EvaluationSet("commands", False, tuple(stores))


def _told(sets: Sequence[dict[str, Any]], prompts: Sequence[Any]) -> EvaluationSet:
    """Return stores of captured talk in which facts were stated. The weights are tested on them, not fitted."""
    stores = []
    for n, told in enumerate(sets):
        said = [
            (f"{day}-{place}", speaker, text, BEGIN + timedelta(days=day))
            for day, session in enumerate(sessions(told))
            for place, (speaker, text) in enumerate(
                line for user, assistant in session for line in (("user", user), ("assistant", assistant))
            )
        ]
        lines = tuple(
            NewMemory(type="episode", content=text, speaker=who, occurred_at=at, session_id=f"{at:%d}", source=id)
            for id, who, text, at in said
        )
        sources = {text: id for id, _, text, _ in said}
        asked = [
            EvaluationQuestion(text, frozenset({sources[fact["fact"]]}), kind="told")
            for fact in told["facts"]
            for text in fact["questions"]
        ]
        others = [text for other in sets if other is not told for fact in other["facts"] for text in fact["questions"]]
        unrelated = [EvaluationQuestion(text, kind="unrelated") for text in _some(list(map(_text, prompts)), n)]
        near = [EvaluationQuestion(text, kind="near") for text in others[::3]]
        stores.append(Store(f"told-{n}", (tuple((line, None) for line in lines),), (*asked, *unrelated, *near)))
    return EvaluationSet("talk", True, tuple(stores))


def _base(store: dict[str, Any]) -> str:
    """Return the name of a store without the suffix of its version."""
    return re.sub(r"-(linked|loose)$", "", store["name"])


def _some(texts: Sequence[str], n: int) -> list[str]:
    """Return the prompts for the store at index `n`: different ones for each store."""
    return random.Random(n).sample(texts, min(UNRELATED, len(texts)))


def _text(prompt: Any) -> str:
    return str(prompt["text"]) if isinstance(prompt, dict) else str(prompt)


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None


def _memory(data: dict[str, Any]) -> tuple[NewMemory, str | None]:
    memory = NewMemory(
        type=data["type"],
        content=data["content"],
        speaker=data.get("speaker"),
        context=data.get("context", ""),
        occurred_at=_time(data["occurred_at"]),
        session_id=data["session_id"],
        source=data["id"],
    )
    return memory, data.get("supersedes")


def _question(data: dict[str, Any]) -> EvaluationQuestion:
    return EvaluationQuestion(
        text=data["text"],
        gold=frozenset(data["gold"]),
        any=bool(data.get("any")),
        stale=frozenset(data.get("stale") or ()),
        kind=data["kind"],
        asked_at=_time(data.get("asked_at")),
        conversation=tuple((role, text) for role, text in data.get("conversation", [])),
        baselines=data.get("baselines", {}),
    )


def _conversation(data: dict[str, Any], prompts: Sequence[Any], n: int) -> Store:
    """Return a conversation as episodes, one for each line, with the line before as context."""
    before: dict[str, str] = {}
    lines = []
    for item in data["items"]:
        context = before.get(item["session"], "")
        before[item["session"]] = f"{item['speaker']}: {item['text']}"
        memory = NewMemory(
            type="episode",
            content=item["text"],
            speaker=item["speaker"],
            context=context,
            occurred_at=_time(item["at"]),
            session_id=str(item["session"]),
            source=item["id"],
        )
        lines.append((memory, None))
    questions = [
        EvaluationQuestion(each["text"], frozenset(each["evidence"]), kind=each["category"])
        for each in data["questions"]
        if each["category"] != "adversarial"
    ]
    unrelated = (EvaluationQuestion(text, kind="unrelated") for text in _some([*map(_text, prompts)], n))
    return Store(data["id"], (tuple(lines),), (*questions, *unrelated))

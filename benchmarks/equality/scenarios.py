"""The fixed turns whose results are recorded. They use every stage of the pipeline.

They cover typed memories, conversations, feedback, large tool catalogs, long windows, and small talk.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.equality.record import Recorder
from cognitive import Message, NewMemory, Outcome, Tool, ToolCall, Turn

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
STORES = ("mixed-dev", "faq-dev", "decisions-dev", "carmem-dev", "letta-updates-dev", "multilingual-dev")
CONVERSATIONS = ("locomo-dev.json", "realtalk-dev.json", "beam-dev.json")
MODELS = ("ollama/llama3:8b", "openai/gpt-4o", "anthropic/claude-3-haiku")
MESSAGES = (
    "hello",
    "Which payment provider did we decide on?",
    "and why?",
    "thanks",
    "How do I renew the certificates?",
    "which host was that?",
    "The door code is 4471.",
    "What is the door code?",
    "prod is down, look into the logs",
    "write a poem about edge hosts",
    "What did I do last Monday?",
    "continue",
    "we meet on Friday",
    "compare redis and postgres for our queue",
    "remind me of the certificates",
)


async def play_stores(recorder: Recorder, agent: str, data: Path) -> None:
    """Ask questions about the memories of agents that have several types of them.

    Also send the same agents prompts that no memory answers.
    """
    prompts = _read(data / "unrelated-dev.json")["prompts"][:15]
    for name in STORES:
        store = _read(data / "stores" / f"{name}.json")["stores"][0]
        own = f"{agent}-{name}"
        await _remember_store(recorder, own, store["memories"][:900])
        for n, question in enumerate(_shuffled(store["questions"], "text")[:25]):
            spoken = [Message(role=role, content=text) for role, text in question.get("conversation", [])]
            now = _moment(question.get("asked_at")) or NOW
            context = await recorder.pre_turn(_turn(own, question["text"], n, now, conversation=spoken))
            await recorder.recall(own, question["text"], n, now)
            if n % 2:
                await recorder.post_turn(context, Outcome(response=_first_shown(context, "I don't know.")))
        for n, prompt in enumerate(prompts, 1000):
            await recorder.pre_turn(_turn(own, prompt, n, NOW))


async def play_conversations(
    recorder: Recorder, agent: str, data: Path, questions: int = 35, names: Sequence[str] = CONVERSATIONS
) -> None:
    """Ask each conversation's questions twice.

    The responses quote the memories that answer the questions. The use recorded in the first round changes the ranking
    in the second.
    """
    for name in names:
        conversation = _read(data / name)["conversations"][0]
        own = f"{agent}-{name.removesuffix('.json')}"
        memories = _lines(own, conversation["items"][:450])
        pinned = NewMemory(
            type="fact", content="The user prefers short answers.", pinned=True, source="pin", occurred_at=NOW
        )
        await recorder.remember(own, [*memories, pinned])
        last = max(memory.occurred_at for memory in memories if memory.occurred_at)
        texts = {memory.source: memory.content for memory in memories}
        asked = _shuffled(conversation["questions"], "id")[:questions]
        for n, question in enumerate(asked * 2):
            before, now = asked[n % len(asked) - 1], last + timedelta(hours=n)
            spoken = [
                Message(role="user", content=before["text"]),
                Message(role="assistant", content=str(before.get("answer"))[:300]),
            ]
            turn = _turn(own, question["text"], n, now, session=f"ask-{n % 7}", conversation=[] if n % 3 else spoken)
            context = await recorder.pre_turn(turn)
            await recorder.recall(own, question["text"], n, now, turn_id=None if n % 4 else turn.turn_id)
            quoted = " ".join(texts.get(source, "") for source in question["evidence"])[:600]
            calls = () if n % 5 else (ToolCall(name="search", arguments={"q": "x"}, result="nothing"),)
            outcome = Outcome(
                response=f"You asked. {quoted}", status="completed" if n % 9 else "failed", tool_calls=calls
            )
            await recorder.post_turn(context, outcome)


async def play_window(recorder: Recorder, agent: str, data: Path) -> None:
    """Let one conversation grow beyond every limit of the window, with long tool outputs between its messages."""
    own, spoken = f"{agent}-window", list[Message]()
    items = _read(data / "beam-dev.json")["conversations"][1]["items"][:120]
    for n, (asked, answered) in enumerate(zip(items[::2], items[1::2], strict=True)):
        at = NOW + timedelta(minutes=6 * n)
        turn = _turn(
            own, asked["text"], n, at, conversation=spoken, model=(*MODELS[:2], None)[n % 3], iteration=n % 4 or None
        )
        context = await recorder.pre_turn(turn)
        spoken.append(Message(role="user", content=asked["text"], at=at))
        if n % 3 == 0:
            call = ToolCall(name="bash", arguments={"cmd": "make"}, id=f"call-{n}")
            spoken.append(Message(role="assistant", tool_calls=(call,), at=at))
            spoken.append(Message(role="tool", content=_build_log(), tool_call_id=f"call-{n}", at=at))
            await recorder.fit(context, spoken, n)
        await recorder.post_turn(context, Outcome(response=answered["text"]))
        spoken.append(Message(role="assistant", content=answered["text"], at=at))


async def play_catalog(recorder: Recorder, agent: str, data: Path) -> None:
    """Run turns with a tool catalog that is too large for the models' limits."""
    given = _read(data / "tools-dev.json")
    schema = {f"p{n}": {"type": "string", "description": "A parameter of this tool. " * 6} for n in range(4)}
    parameters = {"type": "object", "properties": schema}
    tools = [
        Tool(name=each["name"], description=each["description"] * 3, parameters=parameters) for each in given["tools"]
    ]
    tools += [Tool(name=name) for name in ("message", "read", "exec", "web_search", "browser", "memory_search")]
    for n, query in enumerate(given["queries"][:60]):
        await recorder.pre_turn(_turn(f"{agent}-tools", query["query"], n, NOW, tools=tools, model=MODELS[n % 3]))


async def play_small_talk(recorder: Recorder, agent: str) -> None:
    """Run small talk with an agent that has five memories. Each response repeats the memories shown."""
    own, spoken = f"{agent}-chat", list[Message]()
    tools = [Tool(name=name) for name in ("message", "read", "exec", "web_search", "memory_search", "Custom")]
    await recorder.remember(own, _five_memories())
    for n, text in enumerate(MESSAGES):
        context = await recorder.pre_turn(
            _turn(own, text, n, NOW + timedelta(minutes=n), conversation=spoken, tools=tools)
        )
        reply = f"About {text}: {_first_shown(context, 'sure.')}"
        spoken += [context.user_message, Message(role="assistant", content=reply)]
        await recorder.post_turn(context, Outcome(response=reply))


def _five_memories() -> list[NewMemory]:
    def days_ago(days: int) -> datetime:
        return NOW - timedelta(days=days)

    return [
        NewMemory(
            type="decision",
            content="We stay with Stripe for payments.",
            occurred_at=days_ago(9),
            attributes={"rationale": "Adyen saves too little"},
        ),
        NewMemory(
            type="procedure",
            content="To renew the certificates run certbot renew on the edge host, then reload nginx.",
            occurred_at=days_ago(20),
        ),
        NewMemory(type="fact", content="The edge host is edge-3.example.org, port 2222.", occurred_at=days_ago(3)),
        NewMemory(type="fact", content="The door code is 4471.", occurred_at=days_ago(3)),
        NewMemory(type="fact", content="Call me Jo.", occurred_at=NOW, pinned=True),
    ]


async def _remember_store(recorder: Recorder, agent: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store the memories of an evaluation set. Memories that supersede others are stored last."""
    ids: dict[str, Any] = {}
    for replacing in (False, True):
        wave = [row for row in rows if bool(row.get("supersedes")) == replacing]
        memories = [
            NewMemory(
                type=row["type"],
                content=row["content"],
                speaker=row.get("speaker"),
                context=row.get("context", ""),
                occurred_at=_moment(row["occurred_at"]) or NOW - timedelta(days=30),
                session_id=row["session_id"],
                source=row["id"],
                supersedes=ids.get(row.get("supersedes", "")),
            )
            for row in wave
        ]
        stored = await recorder.remember(agent, memories)
        ids |= {row["id"]: id for row, id in zip(wave, stored, strict=True)}


def _lines(agent: str, items: Sequence[Mapping[str, Any]]) -> list[NewMemory]:
    memories, previous = [], dict[str, str]()
    for item in items:
        session = f"{agent}-{item['session']}"
        memories.append(
            NewMemory(
                type="episode",
                content=item["text"],
                speaker=item["speaker"],
                context=previous.get(session, ""),
                occurred_at=_moment(item["at"]),
                session_id=session,
                source=item["id"],
            )
        )
        previous[session] = f"{item['speaker']}: {item['text']}"
    return memories


def _turn(agent: str, text: str, n: int, now: datetime, *, session: str = "s", **given: Any) -> Turn:
    return Turn(agent_id=agent, session_id=f"{agent}-{session}", text=text, now=now, turn_id=f"{agent}-{n}", **given)


def _first_shown(context: Any, otherwise: str) -> str:
    return context.shown[0].content if context.shown else otherwise


def _build_log() -> str:
    lines = [f"{n:05d} INFO step {n} done; value={n * 7 % 13}" for n in range(900)]
    return "\n".join([*lines, "ERROR disk full on /dev/sda1"])


def _shuffled(rows: Sequence[Mapping[str, Any]], key: str) -> list[Mapping[str, Any]]:
    """Return the rows in an order that depends only on their contents."""
    return sorted(rows, key=lambda row: hashlib.sha256(row[key].encode()).hexdigest())


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))

"""Count how many planted facts a summary still contains: `python -m benchmarks.summary [FILE...]`.

Without files, twelve invented work sessions are summarized, each in steps of ten messages, as in a long conversation. A
fact counts if the summary contains it literally.

With files, each file is a conversation with planted sentences. It is played through the layer, and then a question is
asked about each planted sentence. A sentence counts if the prompt of its question has it word for word.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from brain.embedded import EmbeddedServer
from brain.embedding.minilm import MiniLM
from brain.postgres.migrate import upgrade
from brain.text import lexemes, normalise, sentences, words
from cognitive import CognitiveLayer, Message, Outcome, Policy, ToolCall, Turn
from cognitive.prompt import unquote
from cognitive.tokens import count
from cognitive.turn import TurnContext
from cognitive.window import engine_messages
from cognitive.window.summary import extract

SESSIONS = Path(__file__).parents[1] / "tests" / "data" / "work_sessions.json"
ROLL = 10  # messages
PAUSE = 0.02  # seconds between the calls of a turn, in which the layer writes the state of the session
SESSION = "long"
NEGATIONS = frozenset({"no", "not", "never", "nobody", "nothing", "none", "neither", "nor", "without", "cannot"})


# --- facts of work sessions ---


def rolled(messages: Sequence[Message], limit: int) -> str:
    """Summarize messages in steps of ten, each step extending the summary so far, and return the last summary.

    `limit` is its maximum length.
    """
    summary = ""
    for start in range(0, len(messages), ROLL):
        summary = extract(summary, messages[start : start + ROLL], limit)
    return summary


def transcript(messages: Sequence[Message]) -> str:
    """Return the messages as one text: the reference that contains all facts."""
    return "\n".join(
        f"{each.role}: {each.content}" + "".join(f" {call.name} {dict(call.arguments)}" for call in each.tool_calls)
        for each in messages
    )


WAYS: dict[str, Callable[[Sequence[Message], int], str]] = {
    "extract, rolled": rolled,
    "extract, at once": lambda messages, limit: extract("", messages, limit),
    "first characters (the seed's)": lambda messages, limit: transcript(messages)[:limit],
    "last characters": lambda messages, limit: transcript(messages)[-limit:],
}


def stable(talk: Sequence[Message], limit: int) -> tuple[int, int]:
    """Summarize a conversation in steps of two messages.

    Returns the number of steps after which all earlier lines of the summary were unchanged, and the number of all
    steps.
    """
    summary, kept, rolls = "", 0, 0
    for start in range(0, len(talk), 2):
        following = extract(summary, talk[start : start + 2], limit)
        kept, rolls = kept + following.startswith(summary), rolls + 1
        summary = following
    return kept, rolls


def facts_kept() -> list[str]:
    """Return how many of the facts of the work sessions each method of summarizing keeps, as lines to print."""
    sessions = json.loads(SESSIONS.read_text(encoding="utf-8"))
    talks = [[Message(**each) for each in session["messages"]] for session in sessions]
    facts = sum(len(session["facts"]) for session in sessions)
    size = sum(len(transcript(talk)) for talk in talks) // len(talks)
    lines = [f"{len(talks)} sessions of {size:,} characters on average, {facts} facts"]
    for limit in (4_000, 1_500):
        for name, way in WAYS.items():
            texts = [way(talk, limit) for talk in talks]
            kept = [[fact in text for fact in session["facts"]] for session, text in zip(sessions, texts, strict=True)]
            worst = min(sum(each) / len(each) for each in kept)
            lines.append(f"{limit:>6} {name:<30} {sum(map(sum, kept)) / facts:6.1%}  worst session {worst:4.0%}")
        kept_rolls, rolls = map(sum, zip(*(stable(talk, limit) for talk in talks), strict=True))
        lines.append(f"{limit:>6} rolls that change no earlier line: {kept_rolls} of {rolls}")
    return lines


# --- planted sentences of long conversations ---


@dataclass(slots=True)
class Played:
    """The results of a conversation that was played through the layer.

    Attributes:
        tokens: the tokens of the summary in the prompt of each turn.
        standing: for each planted sentence, True if the prompt of its question has it word for word, outside memories.
        shown: the same with memories.
        reversed: the planted sentences of which the summary shows a part without the negation.
        resumed: the number of planted sentences that the summary of the resumed session has word for word.
    """

    tokens: list[int] = field(default_factory=list)
    standing: list[bool] = field(default_factory=list)
    shown: list[bool] = field(default_factory=list)
    reversed: list[str] = field(default_factory=list)
    resumed: int = 0


def plain(text: str) -> str:
    """Return a text in lower case with single spaces and plain apostrophes, so that equal wording compares equal."""
    return " ".join(normalise(text).split())


def has(texts: Sequence[str], planted: str) -> bool:
    """Return True if one of the texts contains a planted sentence word for word."""
    return any(plain(planted).rstrip(".!") in plain(text) for text in texts)


def lines_of(summary: str) -> list[str]:
    """Return the texts that the lines of a summary quote."""
    quoted = [line.partition(': "') for line in summary.split("\n")]
    return [unquote(f'"{rest}') or line for line, _, rest in quoted]


def negations(text: str) -> int:
    """Return the number of negations in a text."""
    return sum(word in NEGATIONS or word.endswith("n't") for word in words(text))


def loses_negation(summary: str, planted: str) -> bool:
    """Return True if a sentence of the summary has half of a planted sentence's words and fewer negations."""
    own = set(lexemes(planted))
    pieces = [piece for line in lines_of(summary) for part in line.split(" | ") for piece in sentences(part)]
    return any(
        2 * len(own & set(lexemes(piece))) >= len(own) > 0 and negations(piece) < negations(planted) for piece in pieces
    )


def summary_of(messages: Sequence[Message]) -> str:
    """Return the text of the summary in a prompt, empty without one."""
    texts = [message.content for message in messages if engine_messages.is_summary(message)]
    return texts[0].removeprefix(engine_messages.HEADING).lstrip("\n") if texts else ""


async def after(layer: CognitiveLayer, context: TurnContext, exchange: dict[str, str], fitted: bool) -> list[Message]:
    """Return the conversation after an exchange, as a host has it that passes on the windows of the layer.

    With `fitted`, the assistant calls a tool before it answers, and the host passes on the window of `layer.fit`.
    """
    answer = Message(role="assistant", content=exchange["assistant"])
    talk = [*context.messages, context.user_message]
    if not fitted:
        return [*talk, answer]
    call = Message(role="assistant", tool_calls=(ToolCall(name="lookup", id="c", arguments={"what": "it"}),))
    talk += [call, Message(role="tool", tool_call_id="c", content="ok")]
    return [*(await layer.fit(context, talk)).messages, answer]


async def play(layer: CognitiveLayer, agent: str, data: dict[str, Any], *, fitted: bool) -> Played:
    """Play a conversation through the layer, ask about its planted sentences, and return the results."""
    played, conversation = Played(), list[Message]()
    for exchange in data["exchanges"]:
        turn = Turn(agent_id=agent, session_id=SESSION, text=exchange["user"], conversation=conversation)
        context = await layer.pre_turn(turn)
        await asyncio.sleep(PAUSE)
        conversation = await after(layer, context, exchange, fitted)
        await layer.post_turn(context, Outcome(response=exchange["assistant"]))
        played.tokens.append(count(summary_of(conversation)))
        await asyncio.sleep(PAUSE)
    for planted in data["planted"]:
        turn = Turn(agent_id=agent, session_id=SESSION, text=planted["question"], conversation=conversation)
        context = await layer.pre_turn(turn)
        window = [text for message in context.messages for text in lines_of(message.content)]
        sent = context.prompt("")[-1].content
        played.standing.append(has(window, planted["text"]))
        played.shown.append(played.standing[-1] or has(lines_of(sent), planted["text"]))
        if loses_negation(summary_of(context.messages), planted["text"]):
            played.reversed.append(planted["text"])
    resumed = await layer.resume(agent, SESSION)
    summary = lines_of(resumed.summary) if resumed is not None else []
    played.resumed = sum(has(summary, planted["text"]) for planted in data["planted"])
    return played


def report(name: str, played: Played, data: dict[str, Any], missing: bool) -> list[str]:
    """Return the results of a conversation as lines to print, with the sentences that are missing if `missing`."""
    lines = [
        f"{name}: {sum(played.standing)} of {len(played.standing)} in the prompt, "
        f"{sum(played.shown)} shown when asked, "
        f"{played.resumed} in the resumed summary, {len(played.reversed)} negations lost, "
        f"{fmean(played.tokens):.0f} summary tokens per turn"
    ]
    if missing:
        lines += [
            f"    missing: {each['kind']}: {each['text']}"
            for each, shown in zip(data["planted"], played.standing, strict=True)
            if not shown
        ]
        lines += [f"    negation lost: {text}" for text in played.reversed]
    return lines


async def planted_kept(directory: str, files: Sequence[Path], missing: bool) -> None:
    """Play each file with capture off, with capture, and with windows fitted within the turn; print the results."""
    server = EmbeddedServer(Path(directory))
    urls = server.acquire()
    await upgrade(urls.owner)
    for capture, fitted in (("off", False), ("off", True), ("exchange", False)):
        policy = Policy(capture=capture, deadline_ms=30_000)
        async with CognitiveLayer.open(urls.app, policy=policy, embedder=MiniLM()) as layer:
            for file in files:
                data = json.loads(file.read_text(encoding="utf-8"))
                name = f"{file.stem}, capture {capture}{', fitted' if fitted else ''}"
                played = await play(layer, f"{file.stem}-{capture}-{fitted}", data, fitted=fitted)
                sys.stdout.write("\n".join(report(name, played, data, missing)) + "\n")
                sys.stdout.flush()
    server.release()


def main() -> None:
    """Print how many facts or planted sentences are kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="conversations with planted sentences")
    parser.add_argument("--missing", action="store_true", help="print the planted sentences that are missing")
    given = parser.parse_args()
    if not given.files:
        sys.stdout.write("\n".join(facts_kept()) + "\n")
        return
    with tempfile.TemporaryDirectory(prefix="cognitive-bench-") as place:
        Path(place).chmod(0o711)  # for root: the server runs as another user, who must reach the folder
        asyncio.run(planted_kept(place, given.files, given.missing))


if __name__ == "__main__":
    main()

"""Measure retrieval on a conversational data set, for this layer and its peers with the same model and lines.

    python -m benchmarks.turns.conversations DATA.json --conversations 2 --questions 60

DATA.json contains `{"conversations": [{"id", "items": [{"id", "speaker", "text", "at", "session"}], "questions":
[{"id", "text", "category", "evidence": [ids]}]}]}`; nothing of it is kept. This layer gets speaker, time and the
previous line as fields of its memories. Peers do not search such fields: each gets the text in two forms, as `Speaker:
text` and with the day before it (`2023-05-08 Speaker: text`), and both results are printed. Adversarial questions,
whose evidence is another person's, are left out. Prints R@1, R@5, R@10 and nDCG@10, and the evidence shown by
`pre_turn`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.turns import peers as others
from brain.embedding.minilm import MiniLM
from brain.ports import Embedder
from brain.postgres.migrate import upgrade
from brain.types import NewMemory
from cognitive.bench import databases
from cognitive.bench.turns import DEADLINE_MS
from cognitive.bench.vectors import InterpolatedEmbedder
from cognitive.layer import CognitiveLayer
from cognitive.policy import Policy
from cognitive.turn import Turn

_FIRST = (1, 5, 10)
Scores = dict[str, dict[str, list[float]]]


async def main(options: argparse.Namespace) -> dict[str, Any]:
    """Ask all systems the questions of the conversations, and return the mean scores of each system."""
    conversations = json.loads(options.data.read_text())["conversations"][: options.conversations]
    scores: Scores = defaultdict(lambda: defaultdict(list))
    real = await asyncio.to_thread(MiniLM)
    async with databases.server(options.url, None) as server, databases.database(server) as url:
        await upgrade(url)
        async with others.opened(server, real.dimension) as (_, peers):
            for conversation in conversations:
                asked = _asked(conversation, options.questions)
                await _ours(url, real, conversation, asked, scores)
                await asyncio.to_thread(_theirs, peers, real, conversation, asked, scores)
    means = {name: {k: round(sum(v) / len(v), 4) for k, v in each.items()} for name, each in scores.items()}
    return {"data": options.data.name, "questions": len(next(iter(scores.values()))["R@10"]), "found": means}


def _asked(conversation: dict[str, Any], most: int | None) -> list[dict[str, Any]]:
    """Return at most `most` of a conversation's questions, chosen by the hash of their ids."""
    found = [question for question in conversation["questions"] if question["category"] != "adversarial"]
    return sorted(found, key=lambda question: hashlib.sha256(question["id"].encode()).hexdigest())[:most]


async def _ours(
    url: str, real: Embedder, conversation: dict[str, Any], asked: list[dict[str, Any]], scores: Scores
) -> None:
    agent, last = conversation["id"], max(_at(item) for item in conversation["items"])
    policy = Policy(deadline_ms=DEADLINE_MS)
    async with CognitiveLayer.open(url, embedder=real, policy=policy) as layer:
        await layer.remember(agent, list(_lines(conversation)))
        for n, question in enumerate(asked):
            hits = await layer.recall(agent, question["text"], limit=10, now=last)
            _score(scores["recall"], [hit.source for hit in hits], question["evidence"])
            turn = Turn(agent_id=agent, session_id=f"ask-{n}", text=question["text"], now=last)
            context = await layer.pre_turn(turn)
            shown = [memory.source for memory in context.shown]
            scores["shown"]["evidence"].append(_recall(shown, question["evidence"], len(shown)))
            scores["shown"]["memories"].append(len(shown))


def _theirs(
    peers: Sequence[others.Peer],
    real: Embedder,
    conversation: dict[str, Any],
    asked: list[dict[str, Any]],
    scores: Scores,
) -> None:
    for way, form in (("speaker", "{speaker}: {text}"), ("day and speaker", "{at:.10} {speaker}: {text}")):
        agent = f"{conversation['id']}-{way.replace(' ', '-')}"
        lines = [_said(item, form.format_map(item)) for item in conversation["items"]]
        embedder = InterpolatedEmbedder(real, [line.content for line in lines])
        for peer in peers:
            peer.fill(agent, lines, embedder, lambda done, of: None)
            for question in asked:
                found = peer.search(agent, question["text"], embedder)
                _score(scores[f"{peer.name}, {way}"], found, question["evidence"])


def _lines(conversation: dict[str, Any]) -> Iterator[NewMemory]:
    before: dict[Any, str] = {}
    for item in conversation["items"]:
        yield _said(
            item,
            item["text"],
            speaker=item["speaker"],
            context=before.get(item["session"], ""),
            session_id=f"{conversation['id']}-{item['session']}",
        )
        before[item["session"]] = f"{item['speaker']}: {item['text']}"


def _said(item: dict[str, Any], content: str, **fields: Any) -> NewMemory:
    return NewMemory(type="episode", content=content, source=item["id"], occurred_at=_at(item), **fields)


def _at(item: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(item["at"]).replace(tzinfo=UTC)


def _score(scores: dict[str, list[float]], ranked: Sequence[str | None], evidence: list[str]) -> None:
    for first in _FIRST:
        scores[f"R@{first}"].append(_recall(ranked, evidence, first))
    gain = sum(1 / math.log2(place + 2) for place, source in enumerate(ranked[:10]) if source in evidence)
    scores["nDCG@10"].append(gain / sum(1 / math.log2(n + 2) for n in range(min(len(set(evidence)), 10))))


def _recall(ranked: Sequence[str | None], evidence: list[str], first: int) -> float:
    return len(set(ranked[:first]) & set(evidence)) / len(set(evidence))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--conversations", type=int, help="maximum number; default: all")
    parser.add_argument("--questions", type=int, help="maximum number per conversation; default: all")
    parser.add_argument("--url", help="a server's role that may create databases; default: an embedded server")
    return parser.parse_args()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(main(_arguments())), indent=1) + "\n")

"""Other memory systems to compare with, on the same lines and vectors: mem0 on pgvector and LangGraph's PostgresStore.

The dependency group `peers` installs them, in a separate environment. Each is set up as documented, with its default
index (both HNSW), its default pool or connection and its own threshold. Each searches for ten memories of one agent by
its own search. Lines are inserted by the system's own functions with known vectors, so that nothing is embedded twice;
the time of a line goes into the field that each system has for it. After a turn the exchange is stored literally as two
memories: by mem0's `add(infer=False)`, which calls no model and embeds message by message, and by one batch of
LangGraph's.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from hashlib import md5
from tempfile import TemporaryDirectory
from typing import Any, Protocol
from uuid import uuid4

from brain.errors import InvalidInput
from brain.ports import Embedder, Progress
from brain.types import NewMemory
from cognitive.bench import databases

_BATCH = 500
INSTALL = "install them with pip 25.1 or newer: pip install --editable . --group peers --constraint constraints.txt"


class Peer(Protocol):
    """The interface of a memory system to compare with."""

    name: str

    def fill(self, agent: str, memories: Sequence[NewMemory], embedder: Embedder, moved: Progress) -> None:
        """Store an agent's memories, embedded by `embedder`. Report progress by calling `moved` with (done, total)."""

    def search(self, agent: str, question: str, embedder: Embedder) -> list[str | None]:
        """Search for ten memories and return their sources, best first; the source of a stored exchange is None."""

    def store(self, agent: str, user: str, assistant: str, embedder: Embedder) -> None:
        """Store an exchange: a message of the user and the assistant's answer."""


class Mem0:
    """mem0 as a system to compare with, using its pgvector store and default index.

    Its history is in the folder `home`.
    """

    name = "mem0"

    def __init__(self, url: str, dimension: int, home: str) -> None:
        os.environ.setdefault("MEM0_TELEMETRY", "False")  # it reads this when it is imported, and would call home
        os.environ.setdefault("OPENAI_API_KEY", "none")  # it builds a client that is never asked
        from mem0 import Memory

        table = {"connection_string": url, "collection_name": "bench", "embedding_model_dims": dimension}
        self._memory = Memory.from_config(
            {"vector_store": {"provider": "pgvector", "config": table}, "history_db_path": f"{home}/history.db"}
        )

    def fill(self, agent: str, memories: Sequence[NewMemory], embedder: Embedder, moved: Progress) -> None:
        """Insert memories through mem0's vector store, with the payloads of its `add`.

        `add` itself is not used, because it embeds and inserts one memory at a time.
        """
        for n in range(0, len(memories), _BATCH):
            part = memories[n : n + _BATCH]
            vectors = embedder.embed([memory.content for memory in part]).tolist()
            payloads = [_payload(agent, memory) for memory in part]
            self._memory.vector_store.insert(vectors, payloads, [str(uuid4()) for _ in part])
            moved(n + len(part), len(memories))

    def search(self, agent: str, question: str, embedder: Embedder) -> list[str | None]:
        """Search with mem0's own search and return the sources of ten memories, best first."""
        self._memory.embedding_model = _Embedding(embedder)
        found = self._memory.search(question, top_k=10, filters={"agent_id": agent})
        return [(hit.get("metadata") or {}).get("source") for hit in found["results"]]

    def store(self, agent: str, user: str, assistant: str, embedder: Embedder) -> None:
        """Store an exchange with mem0's `add`, without a language model."""
        self._memory.embedding_model = _Embedding(embedder)
        said = [{"role": "user", "content": user}, {"role": "assistant", "content": assistant}]
        self._memory.add(said, agent_id=agent, infer=False)


def _payload(agent: str, memory: NewMemory) -> dict[str, Any]:
    from mem0.utils.lemmatization import lemmatize_for_bm25

    at = memory.occurred_at.isoformat() if memory.occurred_at else None
    return {
        "data": memory.content,
        "agent_id": agent,
        "role": "user",
        "source": memory.source,
        "created_at": at,
        "updated_at": at,
        "hash": md5(memory.content.encode(), usedforsecurity=False).hexdigest(),
        "text_lemmatized": lemmatize_for_bm25(memory.content),
    }


class _Embedding:
    """Gives the benchmark's embedder the interface that mem0 expects."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.config = None

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        vector: list[float] = self._embedder.embed([text])[0].tolist()
        return vector

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        vectors: list[list[float]] = self._embedder.embed(texts).tolist()
        return vectors


class LangGraph:
    """LangGraph's PostgresStore with its default index, as a system to compare with."""

    name = "langgraph"

    def __init__(self, url: str, dimension: int, opened: ExitStack) -> None:
        from langgraph.store.postgres import PostgresStore

        self._embedder: Embedder | None = None
        index = {"dims": dimension, "embed": self._embed, "fields": ["text"]}
        self._store: Any = opened.enter_context(PostgresStore.from_conn_string(url, index=index))
        self._store.setup()

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        assert self._embedder is not None
        vectors: list[list[float]] = self._embedder.embed(list(texts)).tolist()
        return vectors

    def fill(self, agent: str, memories: Sequence[NewMemory], embedder: Embedder, moved: Progress) -> None:
        """Insert memories through LangGraph's store, by batches of put operations."""
        from langgraph.store.base import PutOp

        self._embedder = embedder
        for n in range(0, len(memories), _BATCH):
            part = memories[n : n + _BATCH]
            self._store.batch([PutOp((agent,), str(each.source), _value(each)) for each in part])
            moved(n + len(part), len(memories))

    def search(self, agent: str, question: str, embedder: Embedder) -> list[str | None]:
        """Search with LangGraph's own search and return the sources of ten memories, best first."""
        self._embedder = embedder
        return [item.key for item in self._store.search((agent,), query=question, limit=10)]

    def store(self, agent: str, user: str, assistant: str, embedder: Embedder) -> None:
        """Store an exchange with one batch of LangGraph's put operations."""
        from langgraph.store.base import PutOp

        self._embedder = embedder
        self._store.batch([PutOp((agent,), f"said-{uuid4()}", {"text": text}) for text in (user, assistant)])


def _value(memory: NewMemory) -> dict[str, Any]:
    return {"text": memory.content, "at": memory.occurred_at.isoformat() if memory.occurred_at else None}


@asynccontextmanager
async def opened(server: str, dimension: int) -> AsyncIterator[tuple[str, list[Peer]]]:
    """Open all systems to compare with, and yield the URL of their temporary database and the systems.

    Args:
        server: the URL of a role that may create databases.
        dimension: the dimension of the vectors.

    Raises:
        InvalidInput: the other memory systems are not installed.
    """
    async with databases.database(server) as url:
        await databases.execute(url, "CREATE EXTENSION vector")
        with ExitStack() as stack:
            home = stack.enter_context(TemporaryDirectory(prefix="cognitive-bench-"))
            try:
                peers: list[Peer] = [Mem0(url, dimension, home), LangGraph(url, dimension, stack)]
            except ImportError as error:
                raise InvalidInput(f"peers: {INSTALL} ({error})") from None
            yield url, peers

"""LangGraph's long-term store, implemented with an agent's memories: turns can show the items that a graph stores.

    graph.compile(store=CognitiveStore(layer, "my-agent"))

Each item is stored as a memory. The memory's content is the item's text, and its source is the item's namespace and
key. The memory's tags are this namespace and all namespaces above it. The memory's metadata has the item's exact value,
which must not be larger than 16 KB as JSON.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import takewhile
from typing import Any

from cognitive.extras import extra

with extra("langchain"):
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        get_text_at_path,
        tokenize_path,
    )


from brain.postgres import event_loop
from brain.text import storable
from brain.types import Memory, MemoryType, NewMemory, Trust, above
from brain.users import Scope
from cognitive.blocking import Blocking
from cognitive.errors import InvalidInput
from cognitive.layer import CognitiveLayer
from cognitive.recall import MAX_HITS
from cognitive.runtimes.identity import AgentIdSource, RunIdentity, UserIdSource
from cognitive.runtimes.layer_calls import LayerCalls

_PAGE_SIZE = 100  # memories of one query
_ROOT = "store"
_TRUST: Trust = "agent"  # of items
_FIELDS = {"value", "created_at", "indexed"}  # of an item, as metadata
_NAMESPACE_END = ".."  # unique in a source: a namespace's labels contain no dot and are not empty

ItemKey = tuple[tuple[str, ...], str]  # namespace and key


class CognitiveStore(BaseStore):
    """A `BaseStore` of LangGraph that stores items as memories of one agent and of one memory type.

    A memory of less trust than `agent` is no item, whatever its tags and source are.

    A search with a query is a `layer.recall`, limited to its 200 best hits. It does not find items stored with
    `index=False`, but turns can show them like other memories. Values must be JSON without NUL characters and lone
    surrogates. Items do not expire: LangGraph refuses a TTL. The synchronous methods must be called in a thread other
    than that of the memory layer's event loop.

    Items without a user are shared: turns of all users may show them. `user_id` keeps items apart. It is a user's id,
    or a function that returns the user of a namespace, such as `lambda namespace: namespace[0]`, or `NO_USER` for a
    shared namespace. A namespace has the items of its user only. A search gives the function its prefix, and a list of
    namespaces the prefix of its conditions. An operation whose user is not found raises `InvalidInput`.
    """

    def __init__(
        self,
        layer: CognitiveLayer | Blocking,
        agent_id: AgentIdSource,
        *,
        user_id: UserIdSource = None,
        memory_type: MemoryType = "fact",
    ) -> None:
        self._calls = LayerCalls(layer)
        self._layer = self._calls.layer
        self._identity = RunIdentity(agent_id, user_id)
        self._type = memory_type

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run store operations synchronously, in a thread other than that of the memory layer's event loop.

        Raises:
            InvalidInput: called in the thread of the layer's event loop, where it would wait forever.
            InvalidInput: a value is not JSON, a namespace or key is too long or cannot be stored, or names no user.
            StoreUnavailable: Postgres is away or did not answer in time.
        """
        if event_loop.running() is self._layer.loop:
            raise InvalidInput("CognitiveStore: await the asynchronous methods (aget, aput, ...) in the event loop")
        return event_loop.wait_in(self._layer.loop, self._run(ops))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run store operations, and return their results in order.

        Reads do not see the writes of the same batch. If an item is written twice, the last write counts.

        Raises:
            InvalidInput: a value is not JSON, a namespace or key is too long or cannot be stored, or names no user.
            StoreUnavailable: Postgres is away or did not answer in time.
        """
        return await self._calls.call(self._run(ops))

    async def _run(self, ops: Iterable[Op]) -> list[Result]:
        operations = [(op, self._identity.scope(_namespace_of(op))) for op in ops]  # all, before anything is written
        results = [await self._read(op, scope) for op, scope in operations]
        writes = defaultdict[Scope, dict[ItemKey, PutOp]](dict)
        for op, scope in operations:
            if isinstance(op, PutOp):
                writes[scope][(op.namespace, op.key)] = op
        for scope, items in writes.items():
            await self._remember(scope, {item: op for item, op in items.items() if op.value is not None})
            await self._forget(scope, [item for item, op in items.items() if op.value is None])
        return results

    async def _read(self, op: Op, scope: Scope) -> Result:
        match op:
            case GetOp(namespace=namespace, key=key):
                stored = await self._stored(scope, [(namespace, key)])
                return next((_to_item(memory) for memory in stored if _is_item(memory, scope)), None)
            case SearchOp(query=query):
                items = await (self._search(op, scope) if query and query.strip() else self._filtered(op, scope))
                return items[op.offset : op.offset + op.limit]
            case ListNamespacesOp():
                return await self._namespaces(op, scope)
        return None

    async def _stored(self, scope: Scope, items: Sequence[ItemKey]) -> list[Memory]:
        sources = [_to_source(*item) for item in items]
        return await self._layer.admin.find_by_source(scope.agent_id, self._type, sources, user_id=scope.user)

    async def _all_with_prefix(self, scope: Scope, prefix: tuple[str, ...]) -> list[Memory]:
        """Return the memories of the scope's user, or the shared ones of a scope without a user."""
        memories, where, count = list[Memory](), {"tags": {"eq": _to_tag(prefix)}}, 0
        while True:
            page = await self._layer.admin.find(scope.agent_id, where, _PAGE_SIZE, count, user_id=scope.user)
            memories += [memory for memory in page if _is_item(memory, scope)]
            count += len(page)
            if len(page) < _PAGE_SIZE:
                return memories

    async def _filtered(self, op: SearchOp, scope: Scope) -> list[SearchItem]:
        return [
            _to_search_item(memory)
            for memory in await self._all_with_prefix(scope, op.namespace_prefix)
            if _passes_filter(memory, op.filter)
        ]

    async def _search(self, op: SearchOp, scope: Scope) -> list[SearchItem]:
        query, tags = storable(op.query or ""), [_to_tag(op.namespace_prefix)]
        hits = await self._layer.recall(scope.agent_id, query, self._type, MAX_HITS, tags=tags, user_id=scope.user)
        scores = {id: hit.score for hit in hits for id in (hit.memory_id, *hit.alike)}  # items of one text are several
        memories = await self._layer.get(scope.agent_id, list(scores), user_id=scope.user)
        return [
            _to_search_item(memory, scores[memory.id])
            for memory in memories
            if _is_item(memory, scope) and memory.metadata["indexed"] and _passes_filter(memory, op.filter)
        ]

    async def _namespaces(self, op: ListNamespacesOp, scope: Scope) -> list[tuple[str, ...]]:
        namespaces = {_item_key(memory)[0] for memory in await self._all_with_prefix(scope, ())}
        matching = {
            each for each in namespaces if all(_matches(each, condition) for condition in op.match_conditions or ())
        }
        return sorted({each[: op.max_depth] for each in matching})[op.offset : op.offset + op.limit]

    async def _remember(self, scope: Scope, ops: Mapping[ItemKey, PutOp]) -> None:
        existing = {_item_key(memory): memory for memory in await self._stored(scope, list(ops))}
        now = datetime.now(UTC)
        new = {item: self._memory(op, scope, now, existing.get(item)) for item, op in ops.items()}
        await self._layer.remember(scope.agent_id, [memory for item, memory in new.items() if item not in existing])
        for item, memory in existing.items():
            changes = {
                name: getattr(new[item], name) for name in ("content", "metadata", "occurred_at", "tags", "trust")
            }
            await self._layer.update(scope.agent_id, memory.id, user_id=scope.user, **changes)

    async def _forget(self, scope: Scope, items: Sequence[ItemKey]) -> None:
        ids = [memory.id for memory in await self._stored(scope, items)]
        if ids:
            await self._layer.forget(scope.agent_id, ids, user_id=scope.user)

    def _memory(self, op: PutOp, scope: Scope, now: datetime, existing: Memory | None) -> NewMemory:
        value = dict(op.value or {})
        created = now.isoformat()
        if existing is not None and _is_item(existing, scope):
            created = existing.metadata["created_at"]
        return NewMemory(
            type=self._type,
            content=_searchable_text(value, op.index or None) or storable(op.key) or "(an item without words)",
            metadata={"value": value, "created_at": created, "indexed": op.index is not False},
            occurred_at=now,
            source=_to_source(op.namespace, op.key),
            tags=tuple(_to_tag(op.namespace[:depth]) for depth in range(len(op.namespace) + 1)),
            trust=_TRUST,
            user_id=scope.user,
        )


def _namespace_of(op: Op) -> tuple[str, ...]:
    """Return the namespace of an operation, or the prefix to which it is limited, up to its first wildcard."""
    match op:
        case SearchOp(namespace_prefix=prefix):
            return prefix
        case ListNamespacesOp(match_conditions=conditions):
            prefixes = [each.path for each in conditions or () if each.match_type == "prefix"]
            return tuple(takewhile(lambda label: label != "*", prefixes[0] if prefixes else ()))
    return op.namespace


# --- an item as a memory ---


def _to_source(namespace: tuple[str, ...], key: str) -> str:
    return ".".join(namespace) + _NAMESPACE_END + key


def _item_key(memory: Memory) -> ItemKey:
    namespace, _, key = (memory.source or "").partition(_NAMESPACE_END)
    return tuple(namespace.split(".")), key


def _to_tag(namespace: tuple[str, ...]) -> str:
    return _ROOT + ":" + ".".join(namespace)


def _is_item(memory: Memory, scope: Scope) -> bool:
    """Return True if a memory is an item of the scope's user; other ways to store memories may give them any tags."""
    trusted = memory.user_id == scope.user and not above(_TRUST, memory.trust)
    return trusted and _NAMESPACE_END in (memory.source or "") and memory.metadata.keys() >= _FIELDS


def _searchable_text(value: Mapping[str, Any], paths: Sequence[str] | None) -> str:
    """Return the text by which an item is found and shown: the texts at `paths`, or all fields with their names."""
    if paths is not None:
        texts = [text for path in paths for text in get_text_at_path(value, tokenize_path(path))]
    elif len(value) == 1 and isinstance(only := next(iter(value.values())), str):
        texts = [only]
    else:
        texts = [f"{name}: {each if isinstance(each, str) else _readable_json(each)}" for name, each in value.items()]
    return storable("\n".join(texts)).strip()


def _readable_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _to_item(memory: Memory) -> Item:
    fields, (namespace, key) = memory.metadata, _item_key(memory)
    return Item(
        value=fields["value"],
        key=key,
        namespace=namespace,
        created_at=datetime.fromisoformat(fields["created_at"]),
        updated_at=memory.occurred_at,
    )


def _to_search_item(memory: Memory, score: float | None = None) -> SearchItem:
    item = _to_item(memory)
    return SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score)


# --- conditions ---


def _matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(expected in ("*", label) for expected, label in zip(path, part, strict=True))


def _passes_filter(memory: Memory, expected: Mapping[str, Any] | None) -> bool:
    return not expected or _equals(memory.metadata["value"], expected)


def _equals(value: Any, expected: Any) -> bool:
    """Return True if an item's value matches the value that a search filter expects.

    If `expected` is a mapping, the value must have all its entries, or fulfil all its comparisons, such as {"$gt": 5}.
    Any other `expected` must equal the value.
    """
    if isinstance(expected, Mapping):
        if any(name.startswith("$") for name in expected):
            return all(_compare(name, value, other) for name, other in expected.items())
        return isinstance(value, Mapping) and all(_equals(value.get(name), other) for name, other in expected.items())
    if isinstance(expected, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(expected)
            and all(_equals(*pair) for pair in zip(value, expected, strict=True))
        )
    return bool(value == expected)


_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, other: bool(value == other),
    "$ne": lambda value, other: bool(value != other),
    "$gt": lambda value, other: float(value) > float(other),
    "$gte": lambda value, other: float(value) >= float(other),
    "$lt": lambda value, other: float(value) < float(other),
    "$lte": lambda value, other: float(value) <= float(other),
}


def _compare(name: str, value: Any, other: Any) -> bool:
    """Return True if a comparison of a search filter, such as "$gt", holds between `value` and `other`.

    A comparison by size (less or greater) is False if `value` or `other` is not a number.
    """
    if name not in _COMPARISONS:
        raise InvalidInput(f"filter: expected one of {', '.join(_COMPARISONS)}, got {name!r}")
    try:
        return _COMPARISONS[name](value, other)
    except (TypeError, ValueError):
        return False

"""The LangGraph store on the layer. It returns the same results as LangGraph's in-memory store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict
from uuid import uuid4

import pytest

pytest.importorskip("langgraph")

from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.graph import StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, Op, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from cognitive import NewMemory, Turn
from cognitive.errors import InvalidInput
from cognitive.runtimes.identity import NO_USER
from cognitive.runtimes.langgraph import CognitiveStore

USERS = ("users", "ada")
TEA = {"text": "Ada drinks smoked tea from Fujian at four."}
BOAT = {"text": "The boat house is locked from October to April."}


@pytest.fixture
async def store(layer, agent) -> CognitiveStore:
    return CognitiveStore(layer, agent)


def comparable(result: Any) -> Any:
    """Return a result without times, scores and order, which differ between stores."""
    if isinstance(result, list):
        return sorted(map(comparable, result), key=repr)
    return (result.namespace, result.key, result.value) if hasattr(result, "value") else result


NAMESPACES = st.lists(st.sampled_from(["users", "ada", "bob", "docs"]), min_size=1, max_size=3).map(tuple)
KEYS = st.sampled_from(["k", "k.1", ".", "..", "ключ", "a b"])
VALUES = st.dictionaries(
    st.sampled_from(["text", "n", "tags", "nested"]),
    st.one_of(
        st.integers(-5, 5),
        st.none(),
        st.booleans(),
        st.sampled_from(["", "tea", "é\n"]),
        st.lists(st.integers(0, 2), max_size=2),
        st.dictionaries(st.sampled_from("ab"), st.integers(0, 2), max_size=2),
    ),
    max_size=3,
)
FILTERS = st.one_of(
    st.none(), VALUES, st.integers(-5, 5).map(lambda n: {"n": {"$ne": n}}), st.just({"nested": {"a": 1}})
)
CONDITIONS = st.builds(
    MatchCondition,
    match_type=st.sampled_from(["prefix", "suffix"]),
    path=st.lists(st.sampled_from(["*", "users", "ada", "docs"]), max_size=2).map(tuple),
)
OPS: st.SearchStrategy[Op] = st.one_of(
    st.tuples(NAMESPACES, KEYS, st.one_of(VALUES, VALUES, st.none())).map(lambda arguments: PutOp(*arguments)),
    st.tuples(NAMESPACES, KEYS).map(lambda arguments: GetOp(*arguments)),
    st.tuples(st.one_of(st.just(()), NAMESPACES), FILTERS, st.just(100)).map(lambda arguments: SearchOp(*arguments)),
)
LISTINGS = st.tuples(st.lists(CONDITIONS, max_size=2).map(tuple), st.sampled_from([None, 1, 2])).map(
    lambda arguments: ListNamespacesOp(*arguments)
)


@settings(max_examples=8)
@given(batches=st.lists(st.tuples(st.lists(OPS, min_size=1, max_size=6), LISTINGS), min_size=2, max_size=4))
async def test_results_equal_those_of_langgraphs_in_memory_store(layer, batches: Sequence[Any]):
    ours, theirs = CognitiveStore(layer, f"agent-{uuid4().hex}"), InMemoryStore()
    for ops, listing in batches:
        assert list(map(comparable, await ours.abatch(ops))) == list(map(comparable, theirs.batch(ops)))
        for namespace in [namespace for namespace, items in theirs._data.items() if not items]:
            del theirs._data[namespace]  # it lists namespaces that were only read
        assert list(map(comparable, await ours.abatch([listing]))) == list(map(comparable, theirs.batch([listing])))


async def test_query_ranks_the_best_item_first_within_the_namespace(store):
    await store.aput(USERS, "tea", TEA)
    await store.aput(USERS, "boat", BOAT)
    await store.aput(("users", "bob"), "tea", {"text": "Bob drinks green tea."})
    await store.aput(USERS, "hidden", {"text": "Ada drinks no coffee."}, index=False)
    items = await store.asearch(USERS, query="What does Ada drink?", limit=5)
    assert [(item.namespace, item.key) for item in items] == [(USERS, "tea"), (USERS, "boat")]
    assert items[0].score > items[1].score > 0
    assert [item.key for item in await store.asearch(USERS, query="What does Ada drink?", limit=1, offset=1)] == [
        "boat"
    ]
    assert (await store.asearch(USERS, query="drink", filter={"text": BOAT["text"]}))[0].value == BOAT


async def test_second_put_updates_the_memory_and_keeps_its_creation_time(store, layer, agent):
    await store.aput(USERS, "tea", TEA)
    first = await store.aget(USERS, "tea")
    await store.aput(USERS, "tea", {"text": "Ada gave up tea."})
    again = await store.aget(USERS, "tea")
    assert again.value == {"text": "Ada gave up tea."}
    assert (again.created_at, again.updated_at > first.updated_at) == (first.created_at, True)
    assert [memory.content for memory in await layer.admin.find(agent)] == ["Ada gave up tea."]
    await store.adelete(USERS, "tea")
    assert await layer.admin.find(agent) == []


async def test_stored_items_are_shown_in_turns_of_the_agent(store, layer, agent):
    await store.aput(USERS, "tea", TEA)
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Do you remember what tea Ada drinks?"))
    assert TEA["text"] in context.text


async def test_memory_content_consists_of_the_indexed_fields(store, layer, agent):
    value = {"title": "Tea", "notes": [{"say": "smoked"}, {"say": "at four"}], "secret": "47"}
    await store.aput(USERS, "k", value, index=["title", "notes[*].say"])
    [memory] = await layer.admin.find(agent)
    assert memory.content == "Tea\nsmoked\nat four"
    assert (await store.aget(USERS, "k")).value == value


async def test_search_and_listing_return_more_than_one_page(store):
    await store.abatch([PutOp(("n", str(n % 3)), str(n), {"n": n}) for n in range(101)])
    assert len(await store.asearch(("n",), limit=1_000)) == 101
    assert [item.value["n"] for item in await store.asearch(("n", "2"), filter={"n": {"$gte": 94}})] == [95, 98]
    assert await store.alist_namespaces(prefix=("n",)) == [("n", "0"), ("n", "1"), ("n", "2")]


async def test_query_finds_each_item_of_equal_texts(store):
    await store.abatch([PutOp(USERS, str(n), {"text": "Likes green tea."}) for n in range(3)])
    found = await store.asearch(USERS, query="green tea")
    assert {item.key for item in found} >= {"0", "1", "2"}


async def test_synchronous_methods_work_in_nodes_but_not_in_the_event_loop(store):
    class State(TypedDict, total=False):
        answer: str

    def node(state: State, runtime: Runtime) -> State:
        runtime.store.put(USERS, "tea", TEA)
        return {"answer": runtime.store.get(USERS, "tea").value["text"]}

    graph = StateGraph(State).add_node("n", node).set_entry_point("n").set_finish_point("n").compile(store=store)
    assert (await graph.ainvoke({}))["answer"] == TEA["text"]
    with pytest.raises(InvalidInput, match="aget"):
        store.get(USERS, "tea")


@pytest.mark.parametrize(
    ("put", "field"),
    [
        pytest.param((USERS, "k", {"at": object()}), "metadata", id="not JSON"),
        pytest.param((USERS, "k", {"n": float("nan")}), "metadata", id="not a number"),
        pytest.param((USERS, "k", {"text": "a\x00"}), "metadata", id="NUL in a value"),
        pytest.param((USERS, "k", {"text": "x" * 17_000}), "larger than 16384 bytes", id="large value"),
        pytest.param((USERS, "k" * 1_001, TEA), "source", id="long key"),
        pytest.param((USERS, "a\x00", TEA), "source", id="NUL in a key"),
    ],
)
async def test_invalid_item_is_refused_with_the_name_of_its_field(store, put, field):
    with pytest.raises(InvalidInput, match=field):
        await store.aput(*put)


async def test_time_to_live_is_refused(store):
    with pytest.raises(NotImplementedError, match="TTL"):
        await store.aput(USERS, "k", TEA, ttl=5)


# --- users ---


def _user_of(namespace: tuple[str, ...]) -> Any:
    return NO_USER if namespace[0] == "docs" else namespace[1]


async def test_items_of_a_namespace_belong_to_its_user(layer, agent):
    store = CognitiveStore(layer, agent, user_id=_user_of)
    await store.aput(("users", "ada"), "drink", TEA)
    await store.aput(("users", "bob"), "drink", {"text": "Bob drinks smoked tea from Assam at five."})
    await store.aput(("docs",), "boat", BOAT)
    for user, origin in (("ada", "Fujian"), ("bob", "Assam")):
        found = await store.asearch(("users", user), query="Who drinks smoked tea?")
        listed = await store.asearch(("users", user))
        assert [origin in item.value["text"] for item in (*found, *listed)] == [True, True]
        assert await store.alist_namespaces(prefix=("users", user)) == [("users", user)]
        context = await layer.pre_turn(
            Turn(agent_id=agent, session_id="s", text="Who drinks smoked tea?", user_id=user)
        )
        assert origin in context.text
        assert context.text.count("smoked tea from") == 1
    assert await store.asearch(("docs",)) != []
    await store.adelete(("users", "ada"), "drink")
    assert await store.aget(("users", "ada"), "drink") is None
    assert await store.aget(("users", "bob"), "drink") is not None


async def test_batch_writes_nothing_if_one_namespace_has_no_user(layer, agent):
    store = CognitiveStore(layer, agent, user_id=_user_of)
    with pytest.raises(InvalidInput, match="user_id"):
        await store.abatch([PutOp(("users", "ada"), "drink", TEA), PutOp(("users",), "drink", TEA)])
    assert await store.aget(("users", "ada"), "drink") is None
    for operation in (
        store.asearch(("users",)),
        store.alist_namespaces(),
        store.alist_namespaces(prefix=("users", "*")),
    ):
        with pytest.raises(InvalidInput, match="user_id"):
            await operation


async def test_shared_items_are_not_those_of_a_users_namespace(layer, agent):
    await CognitiveStore(layer, agent).aput(("users", "ada"), "drink", TEA)
    store = CognitiveStore(layer, agent, user_id=_user_of)
    assert await store.aget(("users", "ada"), "drink") is None
    assert await store.asearch(("users", "ada"), query="smoked tea") == []
    await store.aput(("users", "ada"), "drink", BOAT)
    assert (await store.aget(("users", "ada"), "drink")).value == BOAT
    assert (await CognitiveStore(layer, agent).aget(("users", "ada"), "drink")).value == TEA


DRINKS = {"type": "fact", "source": "drinks..ada", "tags": ("store:", "store:drinks")}
FORGED = {"value": BOAT, "created_at": "2026-09-01T12:00:00+00:00", "indexed": True}


@pytest.mark.parametrize(
    "other",
    [
        {"trust": "foreign", "metadata": FORGED},  # by a token of little trust
        {"trust": "agent", "source": None},  # by the model's tool `remember`
        {"trust": "agent", "context": "no JSON"},
        {"trust": "agent", "context": "[]"},
    ],
    ids=str,
)
async def test_memory_with_the_tags_of_a_namespace_is_no_item(store, layer, agent, other):
    await layer.remember(agent, [NewMemory(content="The boat house is locked.", **(DRINKS | other))])
    assert await store.aget(("drinks",), "ada") is None
    for found in (store.asearch(("drinks",)), store.asearch(("drinks",), query="boat house"), store.alist_namespaces()):
        assert await found == []
    await store.aput(("drinks",), "ada", TEA)
    assert (await store.aget(("drinks",), "ada")).value == TEA
    assert [item.value for item in await store.asearch(("drinks",))] == [TEA]

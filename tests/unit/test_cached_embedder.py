"""The cached embedder: each text is embedded once, vectors are checked, errors are typed, erased texts are removed."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.embedding.embedders import CachedEmbedder
from brain.errors import EmbeddingError


class Letters:
    """A model that counts the letters a to d and records the texts and threads of its calls."""

    model = "letters"
    dimension = 4

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.threads: set[int] = set()

    def embed(self, texts):
        self.texts.extend(texts)
        self.threads.add(threading.get_ident())
        return np.array([[1 + text.count(letter) for letter in "abcd"] for text in texts], dtype=np.float32)


class FixedAnswer:
    """A model that always returns or raises the given answer."""

    model = "answering"
    dimension = 4

    def __init__(self, answer) -> None:
        self.answer = answer

    def embed(self, texts):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def test_vectors_have_unit_length_and_the_order_of_the_texts():
    embedder = CachedEmbedder(Letters())
    vectors = await embedder.embed(["a", "bb", "a"])
    assert vectors.shape == (3, 4)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.array_equal(vectors[0], vectors[2])
    assert not np.array_equal(vectors[0], vectors[1])


async def test_each_text_is_embedded_once():
    letters = Letters()
    embedder = CachedEmbedder(letters)
    await embedder.embed(["a", "b", "a"])
    await embedder.embed(["b", "c"])
    assert letters.texts == ["a", "b", "c"]


async def test_cached_vector_is_returned_without_embedding():
    letters = Letters()
    embedder = CachedEmbedder(letters)
    assert embedder.known("a") is None
    vectors = await embedder.embed(["a"])
    assert np.array_equal(embedder.known("a"), vectors[0])
    assert letters.texts == ["a"]


async def test_text_embedded_ahead_is_embedded_once():
    letters = Letters()
    embedder = CachedEmbedder(letters)
    with embedder.ahead("a"), embedder.ahead("a"):
        vectors = await embedder.embed(["a", "b"])
    assert np.array_equal(vectors, await CachedEmbedder(Letters()).embed(["a", "b"]))
    assert letters.texts == ["a", "b"]


async def test_text_embedded_ahead_that_nobody_asks_for_is_not_kept():
    letters = Letters()
    embedder = CachedEmbedder(letters)
    with embedder.ahead("a"):
        await embedder.embed(["b"])  # in the same lane, so that "a" is embedded by now
    assert embedder.known("a") is None
    await embedder.embed(["a"])
    assert letters.texts == ["a", "b", "a"]


async def test_error_of_a_text_embedded_ahead_reaches_who_asks_for_it():
    embedder = CachedEmbedder(FixedAnswer(ValueError("out of memory")))
    with embedder.ahead("a"), pytest.raises(EmbeddingError, match="out of memory"):
        await embedder.embed(["a"])


async def test_empty_list_returns_no_vectors_without_a_call():
    letters = Letters()
    assert (await CachedEmbedder(letters).embed([])).shape == (0, 4)
    assert letters.texts == []


async def test_model_does_not_run_in_the_event_loop_thread():
    letters = Letters()
    await CachedEmbedder(letters).embed(["a"])
    assert letters.threads
    assert threading.get_ident() not in letters.threads


async def test_forgotten_text_is_removed_and_embedded_again():
    letters = Letters()
    embedder = CachedEmbedder(letters)
    await embedder.embed(["a", "b"])
    embedder.forget(["a", "never seen"])
    assert embedder.known("a") is None
    assert embedder.known("b") is not None
    await embedder.embed(["a"])
    assert letters.texts == ["a", "b", "a"]


async def test_full_cache_evicts_the_least_recently_used_text():
    letters = Letters()
    embedder = CachedEmbedder(letters, max_cached=2)
    await embedder.embed(["a", "b"])
    await embedder.embed(["a"])
    await embedder.embed(["c"])
    assert embedder.known("b") is None
    assert embedder.known("a") is not None
    assert embedder.known("c") is not None


async def test_batch_larger_than_the_cache_is_embedded_completely():
    embedder = CachedEmbedder(Letters(), max_cached=2)
    texts = ["a", "ab", "abc", "abcd", "a"]
    vectors = await embedder.embed(texts)
    assert len(vectors) == 5
    assert np.array_equal(vectors[0], vectors[4])


@given(st.lists(st.text(alphabet="abcd", max_size=4), max_size=12), st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_cached_vectors_equal_uncached_vectors(texts, max_cached):
    async def work():
        cached = CachedEmbedder(Letters(), max_cached=max_cached)
        for text in texts:
            assert np.array_equal((await cached.embed([text]))[0], (await CachedEmbedder(Letters()).embed([text]))[0])

    asyncio.run(work())


async def test_embedder_has_the_name_and_dimension_of_its_model():
    embedder = CachedEmbedder(Letters())
    assert (embedder.model, embedder.dimension) == ("letters", 4)


GOOD = [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(np.ones((1, 3)), id="a dimension less"),
        pytest.param(np.ones((1, 5)), id="a dimension more"),
        pytest.param(np.ones((1, 4)), id="a vector short"),
        pytest.param(np.ones((3, 4)), id="a vector too many"),
        pytest.param(np.ones(4), id="one flat vector"),
        pytest.param(np.array([GOOD, [np.nan, 0, 0, 1]]), id="not a number"),
        pytest.param(np.array([GOOD, [np.inf, 0, 0, 1]]), id="infinite"),
        pytest.param(np.array([GOOD, [1e39, 0, 0, 1]]), id="beyond single precision"),
        pytest.param(np.array([GOOD, [0, 0, 0, 0]]), id="zero"),
        pytest.param([GOOD, [1.0]], id="ragged"),
        pytest.param(None, id="nothing"),
        pytest.param("text", id="text"),
        pytest.param([], id="an empty list"),
        pytest.param(RuntimeError("out of memory"), id="a foreign error"),
        pytest.param(EmbeddingError("too long"), id="an embedding error"),
    ],
)
async def test_invalid_vectors_raise_embedding_error_and_are_not_cached(answer):
    embedder = CachedEmbedder(FixedAnswer(answer))
    with pytest.raises(EmbeddingError):
        await embedder.embed(["a", "b"])
    assert embedder.known("a") is None
    assert embedder.known("b") is None


async def test_embedding_error_names_the_model_and_keeps_its_cause():
    with pytest.raises(EmbeddingError, match=r"answering.*out of memory") as caught:
        await CachedEmbedder(FixedAnswer(RuntimeError("out of memory"))).embed(["a"])
    assert isinstance(caught.value.__cause__, RuntimeError)


async def test_lists_of_floats_are_accepted_as_vectors():
    vectors = await CachedEmbedder(FixedAnswer([[3.0, 4.0, 0.0, 0.0]])).embed(["a"])
    assert np.allclose(vectors, [[0.6, 0.8, 0, 0]])


async def test_concurrent_callers_get_their_vectors():
    embedder = CachedEmbedder(Letters())
    answers = await asyncio.gather(*(embedder.embed(["a", "b" * n]) for n in range(1, 9)))
    assert all(np.array_equal(answer[0], answers[0][0]) for answer in answers)


async def test_changing_a_returned_vector_does_not_change_the_cache():
    embedder = CachedEmbedder(Letters())
    first = await embedder.embed(["a"])
    copy = first.copy()
    first[:] = 0
    assert np.array_equal(await embedder.embed(["a"]), copy)


async def test_texts_that_wait_for_a_closed_embedder_raise_an_error():
    released = threading.Event()

    class Blocked(Letters):
        def embed(self, texts):
            released.wait(20)
            return super().embed(texts)

    embedder = CachedEmbedder(Blocked())
    with embedder.ahead("running"):
        waiting = asyncio.create_task(embedder.embed(["waiting"]))
        await asyncio.sleep(0)
        embedder.close()
        released.set()
        with pytest.raises(EmbeddingError, match="was closed"):
            await waiting
    with embedder.ahead("later"), pytest.raises(EmbeddingError, match="was closed"):
        await embedder.embed(["later"])
    with pytest.raises(EmbeddingError, match="was closed"):
        await embedder.embed(["last"])

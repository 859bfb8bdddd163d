"""The embedders of a process: the ones for reads and writes of an agent, and models by name."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from hashed import Hashed, new, old, twin
from hypothesis import given
from hypothesis import strategies as st

from brain.embedding.embedders import CachedEmbedder, Embedders, EmbeddingSpace, EmbeddingSpaces
from brain.embedding.minilm import MiniLM
from brain.embedding.named import named
from brain.embedding.wordllama import WordLlama
from brain.errors import EmbeddingError

MODELS = ("test/old", "test/new", "test/twin", "another")
DIMENSIONS = {"test/old": 64, "test/new": 96, "test/twin": 64, "another": 8}
spaces = st.builds(
    lambda live, kept: EmbeddingSpaces(
        live, {model: EmbeddingSpace(DIMENSIONS[model], complete) for model, complete in kept.items()}
    ),
    st.sampled_from((None, *MODELS)),
    st.dictionaries(st.sampled_from(MODELS), st.booleans()),
)
makers = st.lists(st.sampled_from((old, new, twin)), min_size=1, unique=True)


def having(*embedders) -> Embedders:
    return Embedders([CachedEmbedder(each) for each in embedders])


@given(makers, spaces)
def test_reads_use_the_live_model_and_writes_use_all_known_models(chosen, known):
    embedders = having(*(make() for make in chosen))
    own = [each.model for each in embedders]
    embedders.remember("a", known)
    reading, writing = embedders.of("a").model, [each.model for each in embedders.writing("a")]
    assert writing == ([model for model in own if model in known.models] or own[:1])
    assert (embedders.missing_live_model("a") is None) == (known.live is None or known.live in own)
    assert reading == known.live or known.live not in own
    if known.live not in own and set(own) & set(known.kept):
        complete = {model for model in own if model in known.kept and known.kept[model].complete}
        assert reading in (complete or set(own) & set(known.kept))


def test_unknown_agent_uses_the_first_embedder():
    embedders = having(new(), old())
    assert embedders.of("nobody").model == "test/new"
    assert [each.model for each in embedders.writing("nobody")] == ["test/new"]
    assert embedders.missing_live_model("nobody") is None


def test_same_model_name_with_another_dimension_is_another_model():
    embedders = having(Hashed("test/old", 8), new())
    embedders.remember(
        "a", EmbeddingSpaces("test/old", {"test/old": EmbeddingSpace(64, True), "test/new": EmbeddingSpace(96, False)})
    )
    assert embedders.of("a").model == "test/new"
    assert embedders.missing_live_model("a") == "test/old"


async def test_forget_removes_a_text_from_every_embedder():
    embedders = having(old(), new())
    for each in embedders:
        await each.embed(["a word"])
    embedders.forget(["a word"])
    assert [each.known("a word") for each in embedders] == [None, None]
    embedders.close()


def test_model_is_found_by_name():
    assert isinstance(named("minilm"), MiniLM)
    assert named("hashed:new").model == "test/new"


@pytest.mark.parametrize(
    "name", ["", "nonsense", "hashed:nobody", "no_such_module:maker", "hashed:Hashed", "os:getpid"]
)
def test_unknown_model_name_raises_an_error_with_the_name(name):
    with pytest.raises(EmbeddingError, match=repr(name)[1:-1] or "expected"):
        named(name)


@pytest.mark.skipif(find_spec("wordllama") is None, reason="the package with the second model")
async def test_static_model_ranks_related_sentences_closer():
    embedder = CachedEmbedder(WordLlama())
    key, question, other = await embedder.embed(
        ["The key hangs by the door.", "Where is the key?", "Taxes are due in May."]
    )
    assert key.shape == (256,)
    assert key @ question > 0.3 > 0.2 > key @ other
    assert np.array_equal((await CachedEmbedder(WordLlama()).embed(["Where is the key?"]))[0], question)
    with pytest.raises(EmbeddingError, match="zero"):
        await embedder.embed([""])

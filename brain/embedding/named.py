"""Make embedding models by the names that settings and commands use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from brain.embedding.minilm import MiniLM
from brain.embedding.transformer import SentenceTransformerEmbedder
from brain.embedding.wordllama import WordLlama
from brain.errors import CognitiveError, EmbeddingError
from brain.ports import Embedder

# name -> function that makes the embedder from the text after the colon and the cache folder
ADAPTERS: Mapping[str, Callable[[str, Path | None], Embedder]] = {
    "minilm": lambda _, cache_dir: MiniLM(cache_dir),
    "wordllama": lambda _, __: WordLlama(),
    "sentence-transformers": lambda argument, _: SentenceTransformerEmbedder(*([argument] if argument else [])),
}


def named(name: str, cache_dir: Path | None = None) -> Embedder:
    """Return the embedder that has the name `name`.

    Names are `minilm`, `wordllama`, `sentence-transformers:MODEL`, and `package.module:maker` for a custom embedder
    that `maker()` returns.

    Raises:
        EmbeddingError: the name is unknown, its extra is not installed, or making the embedder failed.
    """
    adapter, _, argument = name.strip().partition(":")
    if adapter in ADAPTERS:
        return ADAPTERS[adapter](argument, cache_dir)
    if not argument:
        known = ", ".join(ADAPTERS)
        raise EmbeddingError(f"unknown embedding model {name!r}: expected {known}, or package.module:maker")
    try:
        embedder: Embedder = getattr(import_module(adapter), argument)()
        dimension = embedder.dimension
        description = f"{embedder.model}, {dimension} dimensions"
    except CognitiveError:
        raise
    except Exception as error:  # custom code may raise anything
        raise EmbeddingError(f"{name!r} returned no embedder: {type(error).__name__}: {error}") from error
    if not embedder.model or not isinstance(dimension, int) or dimension < 1:
        raise EmbeddingError(f"{name!r} returned no embedder: {description}")
    return embedder

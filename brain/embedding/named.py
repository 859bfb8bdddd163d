"""Embedding models by name, as settings and commands have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from brain.embedding.minilm import MiniLM
from brain.embedding.transformer import SentenceTransformerEmbedder
from brain.embedding.wordllama import WordLlama
from brain.errors import CognitiveError, EmbeddingError
from brain.ports import Embedder

# name -> how it is made; what stands behind a colon is its argument
ADAPTERS: Mapping[str, Callable[[str, Path | None], Embedder]] = {
    "minilm": lambda _, cache_dir: MiniLM(cache_dir),
    "wordllama": lambda _, __: WordLlama(),
    "sentence-transformers": lambda argument, _: SentenceTransformerEmbedder(*([argument] if argument else [])),
}


def named(name: str, cache_dir: Path | None = None) -> Embedder:
    """The embedder of a name: `minilm`, `wordllama`, `sentence-transformers:MODEL`, or `package.module:maker` for one
    of the host's own, where `maker` is called without arguments.

    Raises:
        EmbeddingError: no such name, its extra is not installed, or it cannot be made.
    """
    adapter, _, argument = name.strip().partition(":")
    if adapter in ADAPTERS:
        return ADAPTERS[adapter](argument, cache_dir)
    if not argument:
        known = ", ".join(ADAPTERS)
        raise EmbeddingError(f"{name!r} is no embedding model: expected {known}, or package.module:maker")
    try:
        embedder: Embedder = getattr(import_module(adapter), argument)()
        dimension = embedder.dimension
        named = f"{embedder.model}, {dimension} numbers"
    except CognitiveError:
        raise
    except Exception as error:  # foreign code: whatever it raises means that there is no such embedder
        raise EmbeddingError(f"{name!r} gives no embedder: {type(error).__name__}: {error}") from error
    if not embedder.model or not isinstance(dimension, int) or dimension < 1:
        raise EmbeddingError(f"{name!r} gives no embedder: {named}")
    return embedder

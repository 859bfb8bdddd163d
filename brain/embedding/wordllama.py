"""A static embedder: WordLlama's 256 numbers per word piece, averaged. No network, no runtime, 0.1 ms a text.

It finds less than the default: the words of a text in any order are the same text to it. It suits machines that have no
processor to spare, and stands here as the second model that a change of model is tried with.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brain.embedding.packaged import packaged
from brain.errors import EmbeddingError
from brain.types import Vectors

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_TENSOR = "embedding.weight"
_MAX_CHARACTERS = 20_000  # of a text; passages are shorter


class WordLlama:
    """WordLlama l2_supercat at 256 dimensions, read from its package's files.

    Raises:
        EmbeddingError: the extra is not installed.
    """

    model = "wordllama-l2-supercat-256"
    dimension = 256

    def __init__(self) -> None:
        try:
            self._weights = packaged("wordllama", _WEIGHTS)
        except EmbeddingError as error:
            raise EmbeddingError("install the extra: pip install 'cognitive-layer[wordllama]'") from error

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `brain.ports.Embedder.embed`."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            pieces = self._tokenizer.encode(text[:_MAX_CHARACTERS], add_special_tokens=False).ids
            mean = self._table[pieces].mean(axis=0, dtype=np.float32) if pieces else np.zeros(self.dimension)
            vectors[row] = mean / max(float(np.linalg.norm(mean)), 1e-12)
        return vectors

    @cached_property
    def _table(self) -> NDArray[np.float16]:
        """The tensor, mapped: a safetensors file is the length of its header, the header as JSON, and the numbers."""
        with self._weights.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            tensor = json.loads(file.read(length))[_TENSOR]
        offset = 8 + length + tensor["data_offsets"][0]
        return np.memmap(self._weights, dtype="<f2", mode="r", offset=offset, shape=tuple(tensor["shape"]))

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(packaged("wordllama", _TOKENIZER)))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

"""Embed with any model of sentence-transformers, on torch; needs the extra `sentence-transformers`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from brain.errors import EmbeddingError
from brain.types import Vectors


class SentenceTransformerEmbedder:
    """A sentence-transformers model, given by its name or the path of a local folder.

    Raises:
        EmbeddingError: the extra is not installed, or the model cannot be loaded.
    """

    def __init__(
        self, model_name_or_path: str = "sentence-transformers/all-MiniLM-L6-v2", *, device: str = "cpu"
    ) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise EmbeddingError("install the extra: pip install 'cognitive-layer[sentence-transformers]'") from error
        try:
            self._encoder = SentenceTransformer(model_name_or_path, device=device)
        except (OSError, ValueError) as error:
            raise EmbeddingError(f"cannot load the model {model_name_or_path!r}: {error}") from error
        self._model = f"{model_name_or_path.rstrip('/').rsplit('/', 1)[-1]}/sentence-transformers"

    @property
    def model(self) -> str:
        """See `brain.ports.Embedder.model`."""
        return self._model

    @property
    def dimension(self) -> int:
        """See `brain.ports.Embedder.dimension`."""
        return int(self._encoder.get_sentence_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `brain.ports.Embedder.embed`."""
        vectors = self._encoder.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32).reshape(len(texts), self.dimension)

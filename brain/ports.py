"""The interfaces that callers implement: an embedding model, and a function that reports progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from brain.types import Vectors

Progress = Callable[[int, int], None]  # called with (done, total)


class Embedder(Protocol):
    """An embedding model, which turns texts into unit vectors. It may block: it is called in a thread."""

    @property
    def model(self) -> str:
        """The model's name, stored with each vector; vectors of different names are never compared."""

    @property
    def dimension(self) -> int:
        """The number of dimensions of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (len(texts), dimension). A text's vector does not depend on the other texts.

        Raises:
            EmbeddingError: the model failed.
        """

"""The narrow seams of long-term memory: what `cognitive` calls, and nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from brain.types import Vectors


class Embedder(Protocol):
    """Turns texts into unit vectors. An adapter may block: it is called off the event loop."""

    @property
    def model(self) -> str:
        """The model's name, stored with each vector; vectors of different names are never compared."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (len(texts), dimension); a text's vector does not depend on the others.

        Raises:
            EmbeddingError: the model failed.
        """

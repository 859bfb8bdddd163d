"""Find data files of installed packages without importing the packages."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from brain.errors import EmbeddingError


def packaged(package: str, file: str) -> Path:
    """Return the path of a data file in an installed package.

    Raises:
        EmbeddingError: the package is not installed.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddingError(f"the package {package!r}, which contains the embedding model, is not installed")
    return Path(spec.submodule_search_locations[0]) / file

"""Name the command that installs what an optional part of the product needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

# Frameworks that pin versions which the others cannot have, so that they are no extras of this package.
_OWN_ENVIRONMENTS = {
    "crewai": "pip install . crewai==1.15.30",
    "hermes": "pip install . hermes-agent==0.19.0",
    "litellm": "pip install . 'litellm[mcp]==1.106.2'",
}


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Import the packages of an extra inside this block; if one is missing, the error says how to install it.

    Raises:
        ModuleNotFoundError: a package is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("cognitive", "brain") or "run `pip" in str(error):
            raise
        command = _OWN_ENVIRONMENTS.get(name, f"pip install -c constraints.txt '.[{name}]'")
        message = f"{error}: run `{command}` in a clone of the repository"
        raise ModuleNotFoundError(message, name=error.name, path=error.path) from error

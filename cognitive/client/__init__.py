"""A layer that runs elsewhere, by the same methods and values. Needs the extra `client`."""

from cognitive.client.client import CognitiveClient
from cognitive.wire.problems import Busy, NotAllowed

__all__ = ["Busy", "CognitiveClient", "NotAllowed"]

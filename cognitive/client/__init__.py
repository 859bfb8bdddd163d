"""Use a layer that runs on a server, by the same methods and values. Needs the extra `client`.

Modules, in order of execution:

- `client`: the remote layer, with the layer's own methods.
- `namespaces`: its `sessions`, `policies`, `explain` and `admin`.
- `transport`: requests, retries, and errors as the layer raises them.
"""

from cognitive.client.client import CognitiveClient
from cognitive.wire.problems import Busy, NotAllowed

__all__ = ["Busy", "CognitiveClient", "NotAllowed"]

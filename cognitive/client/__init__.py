"""Use a memory layer that runs on a server, with the methods and values of a local one. Needs the extra `client`.

Modules, in order of execution:

- `client`: the remote counterpart of `CognitiveLayer`, with the same methods.
- `namespaces`: the client's namespaces `sessions`, `policies`, `explain` and `admin`.
- `transport`: send HTTP requests, retry them, and raise the server's errors as the layer's own classes.
"""

from cognitive.extras import extra

with extra("client"):
    from cognitive.client.client import CognitiveClient
from cognitive.wire.problems import Busy, NotAllowed

__all__ = ["Busy", "CognitiveClient", "NotAllowed"]

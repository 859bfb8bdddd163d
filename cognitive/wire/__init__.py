"""Define what crosses HTTP, the same on both sides: the server answers with it, and the client reads it.

Modules, in order of execution:

- `models`: bodies of requests and answers, where the layer's own values are not enough.
- `context`: a prepared turn, without what only the server needs.
- `problems`: errors as problem+json, a row each.
"""

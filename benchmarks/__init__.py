"""Measure this layer and try to break its promises; no part of the installed package.

Modules, in order of execution:

- `turns`: time whole turns and what they find, beside the floor and beside peers.
- `chaos`: break Postgres, the network, the embedder and the clients on purpose, and count what promises are broken.
"""

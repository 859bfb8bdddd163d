"""Hooks of coding agents: a client of the standard library alone, for a process that starts per prompt.

The server it talks to is `cognitive.server.resident`, which keeps a layer ready between prompts.

Modules, in order of execution:

- `installed`: the settings of a coding agent with our hooks, and without.
- `client`: one call of a hook: hand the event to the server and print its answer.
- `place`: where the server is found: socket, lock and log.
- `start`: start the server once, however many hooks want it.
- `wire`: how a call and its answer are encoded.
- `project`: which agent a folder belongs to.
"""

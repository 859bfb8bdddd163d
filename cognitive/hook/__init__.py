"""Give coding agents a memory: a small client for each event, and a daemon that keeps a layer open between prompts.

The agent starts the client for every event, so the client and its imports need nothing but the standard library.

Modules, in order of execution:

- `settings`: add our hooks to an agent's settings file, or remove them.
- `client`: send one event of the agent to the daemon and print the answer.
- `paths`: find the daemon's socket, lock and log.
- `protocol`: define the messages between client and daemon.
- `start`: start the daemon once, even if several hooks need it.
- `daemon`: keep a layer open and answer the calls of clients.
- `project`: name the agent of a project folder.
- `events`: parse an event and apply it to the layer.
- `transcript`: read the end of the agent's transcript.
"""

"""Give coding agents a memory: a small client per event, and a daemon that keeps a layer ready between prompts.

The client and what it imports need nothing but the standard library: the agent starts it for every event.

Modules, in order of execution:

- `settings`: add our hooks to an agent's settings file, or take them out.
- `client`: hand one event of the agent to the daemon and print its answer.
- `paths`: find the daemon's socket, lock and log.
- `protocol`: define what the client and the daemon send to each other.
- `start`: start the daemon, once, however many hooks want it.
- `daemon`: keep a layer open and answer the calls of clients.
- `project`: name the agent of a project folder.
- `events`: read an event and do to the layer what it asks.
- `transcript`: read the end of the transcript that the agent keeps.
"""

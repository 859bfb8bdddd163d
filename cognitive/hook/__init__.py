"""Give coding agents (Claude Code, Codex) a memory by means of their hooks.

The agent starts a small client program for every event, such as a prompt. The client passes the event to a daemon,
which keeps the memory layer open between prompts. The client imports only the standard library, so that it starts
quickly.

Modules, in order of execution:

- `json_text`: edit a JSON text in place.
- `settings`: add our hooks to an agent's settings file, or remove them.
- `learning`: keep the choice of what is stored of conversations.
- `client`: send one event of the agent to the daemon and print the daemon's answer.
- `paths`: find the daemon's socket, lock and log.
- `protocol`: define the messages between client and daemon.
- `start`: start the daemon once, even if several hooks need it at the same time.
- `missed`: keep the ends of turns for a daemon that is not ready.
- `daemon`: keep a memory layer open and answer the calls of clients.
- `payload`: parse the JSON of an event.
- `project`: derive the agent id and the user from a project folder.
- `transcript`: read the end of the agent's transcript.
- `reporting`: record the outcomes of turns.
- `events`: apply an event to the memory layer.
"""

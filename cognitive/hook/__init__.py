"""The hooks of coding agents: a client of the standard library alone, for a process that starts per prompt.

The server it talks to is `cognitive.server.resident`, which keeps a layer ready between prompts.
"""

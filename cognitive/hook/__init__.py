"""The hooks of coding agents: a client of the standard library alone, for a process that starts per prompt."""

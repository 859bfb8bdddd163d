"""Every tunable of a turn: rows, defaults with reasons, the models' table, and which policy holds for whom."""

from cognitive.policy.policy import Policy

__all__ = ["Policy"]

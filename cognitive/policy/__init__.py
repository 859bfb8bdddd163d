"""Which numbers decide? Every tunable with the reason for its value, what models carry, and which policy holds for
whom.
"""

from cognitive.policy.policy import Policy

__all__ = ["Policy"]

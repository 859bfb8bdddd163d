"""What does this message need? Signals and a frame by rules, and from them a declarative plan."""

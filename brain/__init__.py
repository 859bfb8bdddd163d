"""Long-term memory: what is stored, how it is found, how its use is counted."""

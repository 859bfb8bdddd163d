"""What crosses HTTP, the same on both sides: the server answers with it, and the client reads it."""

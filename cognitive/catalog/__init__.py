"""What of the tools does the model see? Compacted as little as its budget asks, cut by relevance where it must be."""

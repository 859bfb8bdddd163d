"""One output of one tool: what of it the model sees, and what is kept whole."""

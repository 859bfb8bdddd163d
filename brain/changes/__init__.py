"""Changes that take long, while turns go on: another embedding model, another language."""

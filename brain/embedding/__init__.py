"""Embedders: adapters behind `brain.ports.Embedder`, one file each, and the cache before them."""

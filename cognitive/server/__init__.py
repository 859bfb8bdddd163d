"""The HTTP API: one ASGI app over a layer."""

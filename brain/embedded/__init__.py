"""The bundled Postgres server: no root, no system package, shared by processes, started on demand."""

from brain.embedded.server import EmbeddedServer, ServerUrls

__all__ = ["EmbeddedServer", "ServerUrls"]

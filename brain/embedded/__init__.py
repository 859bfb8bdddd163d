"""Run the Postgres server that comes with the package. It needs no root and no system package; processes share it.

Modules, in order of execution:

- `server`: join the server of a data directory, and stop it when the last process leaves.
- `watch`: stop the server when every process that used it was killed.
- `account`: choose the system user that runs the server, and make folders and programs that this user can use.
- `cluster`: create the data directory, and start, probe and stop its server.
"""

from brain.embedded.server import EmbeddedServer, ServerUrls

__all__ = ["EmbeddedServer", "ServerUrls"]

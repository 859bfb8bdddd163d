"""Serve a layer over HTTP: one ASGI app with the API, MCP, the dashboard, probes and metrics.

Modules, in order of execution:

- `connections`: limit how many connections there are and how long each may take for its headers.
- `browsers`: check Host and Origin, add security headers, show errors as HTML pages.
- `tokens`: keep the file of bearer tokens.
- `auth`: find out who calls, and what the caller may do.
- `limits`: limit requests per minute and at a time, the bytes and seconds of one, and failed authentications.
- `requests`: route by encoded paths, and read JSON strictly.
- `turns`: prepare, fit, settle, list, explain and rate turns.
- `memories`: store, search, read, change and erase memories.
- `sessions`: resume, end and clear sessions, and read their artifacts.
- `policies`: show, save, compare and activate policies.
- `agents`: list past plans, erase an agent, show what models can carry.
- `health`: answer probes, and expose metrics.
- `context_cache`: keep prepared turns until their outcome comes.
- `problems`: turn errors into problem+json.

Modules that make and start the server:

- `config`: define the settings of a server and the apps that it mounts.
- `app`: put the middleware, the routes and the mounted apps together.
- `assembly`: mount MCP and the dashboard under the tokens of the server.
- `run`: listen, serve until a signal comes, and close the layer last.
"""

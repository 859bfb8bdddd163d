"""Serve a memory layer over HTTP: one ASGI app with the API, MCP, the dashboard, probes and metrics.

Modules, in order of execution:

- `connections`: limit the number of connections, and the time to send a request's headers.
- `browsers`: check Host and Origin, add security headers, show errors as HTML pages.
- `tokens`: store bearer tokens in a file.
- `auth`: identify the caller and check its rights.
- `users`: determine the user whose view a request has.
- `limits`: limit requests per minute, concurrent requests, body sizes, durations, and failed authentications.
- `requests`: route by encoded paths, and parse JSON strictly.
- `turns`: prepare turns, fit their conversations, record their outcomes; list, explain and rate turns.
- `memories`: store, search, read, change and erase memories.
- `upkeep`: list duplicates, contradictions and stale memories.
- `sessions`: list, resume, end and clear sessions, and read their artifacts.
- `policies`: show, save, compare and activate policies.
- `agents`: list agents and the tools of past turns, erase an agent, show the context sizes of models.
- `front`: describe the server at `/`, and list the routes of the API at `/docs`.
- `response_examples`: add examples of responses to the API's description.
- `health`: answer probes, and return metrics.
- `context_cache`: cache prepared turns until their outcome arrives.
- `problems`: convert errors to responses in the format problem+json.

Modules that create and start the server:

- `config`: define the settings of a server and the apps that it mounts.
- `app`: create the ASGI app from the middleware, the routes and the mounted apps.
- `assembly`: mount MCP and the dashboard, with the server's tokens.
- `run`: listen, serve until a signal arrives, and close the memory layer last.
"""

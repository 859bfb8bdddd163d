"""Define the bodies of HTTP requests and responses. The server and the client both use these classes.

Modules, in order of execution:

- `models`: bodies of requests for which the memory layer's own classes do not suffice.
- `responses`: bodies of responses for which they do not suffice.
- `context`: a prepared turn, without the data that only the server needs.
- `problems`: the HTTP status, title and retry time of each error.
"""

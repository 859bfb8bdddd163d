"""Define the values that HTTP carries, for both sides: the server sends them and the client reads them.

Modules, in order of execution:

- `models`: request and response bodies for which the layer's own values do not suffice.
- `context`: a prepared turn, without data that only the server needs.
- `problems`: the HTTP status, title and retry time of each error.
"""

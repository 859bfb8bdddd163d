"""Check all that the layer stands on, and say how to mend it.

Modules, in order of execution:

- `facts`: what was looked at, and the form of a verdict on it.
- `examine`: look at the machine, the model and the database, and judge what was found.
- `machine`: checks of the settings, files, disk, journal and embedding model.
- `database`: checks of the server, the schema, the tables and the agents in them.
"""

"""Check everything that the memory layer depends on, and give a remedy for each problem.

Modules, in order of execution:

- `facts`: the collected facts, and the form of a check's verdict on them.
- `examine`: collect facts about the machine, the model and the database, and run the checks on them.
- `machine`: checks of the settings, files, disk, journal and embedding model.
- `database`: checks of the server, the schema, the tables and the agents in them.
"""

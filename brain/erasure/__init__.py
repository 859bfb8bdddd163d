"""Erase memories, users and agents with everything derived from them, and delete rows by age.

Modules, in order of execution:

- `erasing`: erase memories with everything derived from them, a user's rows, or an agent with all its rows.
- `erase_rows`: delete the rows of memories, of an agent or of one user.
- `purge_derived`: remove erased text from turns, sessions, artifacts and other rows.
- `preview`: count what an erasure would delete and change.
- `residue`: find and cut erased text in other texts.
- `retention`: delete rows by age; each memory type and each kind of row has its own age.
- `rewrite_tables`: rewrite tables, so that no deleted bytes are left in their files.
"""

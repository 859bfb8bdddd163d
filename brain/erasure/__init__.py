"""Erase what is to be gone, wherever its words stand, and what was kept for long enough.

Modules, in order of execution:

- `erasing`: erase memories with all that was made of them, or an agent with all that it has.
- `purge_derived`: cut or drop what was made of erased memories.
- `residue`: find and cut the words of erased texts in other texts.
- `retention`: erase what was kept for long enough, by type and by kind of row.
- `rewrite_tables`: rewrite tables, so that nothing erased is left between their rows.
"""

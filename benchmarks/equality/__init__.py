"""Record what fixed turns give, and compare two recordings: a refactoring changes nothing.

Modules, in order of execution:

- `scenarios`: play turns on data in the format of the evaluation sets.
- `record`: write everything observable of them as JSON.
- `compare`: print where two recordings differ.
"""

"""Record the results of fixed turns and compare two recordings, to show that a refactoring changed no behaviour.

Modules, in order of execution:

- `scenarios`: run turns on data in the format of the evaluation sets.
- `record`: write all observable results as JSON.
- `compare`: list the differences between two recordings.
"""

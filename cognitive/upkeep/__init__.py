"""Find memories that may need attention. Nothing is changed: the host decides.

Modules, in order of execution:

- `word_pairs`: find the pairs of texts that share rare words.
- `values`: decide if two statements give one subject different values.
- `duplicates`: select the pairs that say the same.
- `contradictions`: find pairs that claim another value of the same attribute.
- `pages`: the values of the lists, and the cursors that continue them.
"""

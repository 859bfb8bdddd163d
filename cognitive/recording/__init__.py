"""Write down a turn: what its stages were given and made, as ids and numbers without memories' words.

Modules, in order of execution:

- `record`: turn the inputs and results of the stages into one text, and read them back.
- `coding`: write frozen values as plain JSON by their types, and read them back.
"""

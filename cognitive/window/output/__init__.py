"""Shorten the output of a tool to a limit. A pointer in the text leads to the whole output, which is stored.

Modules, in order of execution:

- `normalise`: shorten an output to the limit of its tool's kind, and point to the whole.
- `text`: clean a text as a terminal would show it, cut it, turn a web page into text.
- `json_values`: turn foreign values into JSON, and shorten JSON that is too long.
- `lines`: split an output into lines, collapse repetitions, choose the lines that are shown.
- `importance`: decide which lines and sentences are worth keeping.
"""

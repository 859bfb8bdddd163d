"""Shorten one tool's output: bounded, without noise; the whole is kept aside, found by pointer.

Modules, in order of execution:

- `normalise`: shorten an output to the limit of its tool's kind, and point to the whole.
- `text`: clean a text as a terminal would show it, cut it, turn a web page into text.
- `json_values`: turn foreign values into JSON, and shorten JSON that is too long.
- `lines`: split an output into lines, collapse what repeats, choose what is shown.
- `importance`: decide which lines and sentences are worth keeping.
"""

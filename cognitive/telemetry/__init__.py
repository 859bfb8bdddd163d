"""Numbers out: spans, metrics, logs. Nothing here changes a turn."""

import logging

# A library is silent until its host configures logging: without a handler of its own, Python prints warnings to stderr.
for _package in ("cognitive", "brain"):
    logging.getLogger(_package).addHandler(logging.NullHandler())

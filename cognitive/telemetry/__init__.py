"""Report spans, metrics and logs. Nothing here changes a turn.

Modules, in order of execution:

- `operations`: observe the calls of a layer's methods with spans, durations and counts.
- `spans`: create spans around the parts of a turn and around embedding calls, if the host uses tracing.
- `attributes`: name the spans and their attributes, and compute the attributes.
- `metrics`: define all instruments, and the protocol of a receiver of metrics.
- `prometheus`: keep every metric of a process for Prometheus.
- `logs`: configure the logs of the server's process.
"""

import logging

# Without a handler, Python would print the library's warnings to stderr in hosts that do not configure logging.
for _package in ("cognitive", "brain"):
    logging.getLogger(_package).addHandler(logging.NullHandler())

"""Report spans, metrics and logs. Nothing here changes a turn.

Modules, in order of execution:

- `operations`: observe the methods of a layer: spans, durations, counts.
- `spans`: a span around a step, if the host traces, and an embedder with spans.
- `attributes`: the names of spans and attributes, and the attributes of each step.
- `metrics`: all instruments, and the protocol of their receiver.
- `prometheus`: keep every metric of a process for Prometheus.
- `logs`: configure the logs of the server's process.
"""

import logging

# Without a handler, Python would print the library's warnings to stderr in hosts that do not configure logging.
for _package in ("cognitive", "brain"):
    logging.getLogger(_package).addHandler(logging.NullHandler())

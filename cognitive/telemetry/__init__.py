"""Report numbers: spans, metrics, logs. Nothing here changes a turn.

Modules, in order of execution:

- `operations`: observe the methods of a layer: spans, durations, counts.
- `spans`: a span around a step, where the host traces, and an embedder that has spans.
- `attributes`: what spans and their attributes are called, and what spans say.
- `metrics`: what is counted and measured, and the port that takes it.
- `prometheus`: keep every metric of a process for Prometheus.
- `logs`: configure the logs of the server's process.
"""

import logging

# A library is silent until its host configures logging: without a handler of its own, Python prints warnings to stderr.
for _package in ("cognitive", "brain"):
    logging.getLogger(_package).addHandler(logging.NullHandler())

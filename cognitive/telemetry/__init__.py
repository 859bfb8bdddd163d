"""Numbers out: spans, metrics, logs. Nothing here changes a turn."""

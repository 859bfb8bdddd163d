"""Chaos: suites that try to break what this product promises, at a size and with a seed; `cognitive bench chaos`."""

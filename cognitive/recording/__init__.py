"""The record of a turn: what its stages were given and made, as plain values, and the numbers that are added up."""

"""The doctor: is all well that the layer stands on, and if not, what mends it?"""

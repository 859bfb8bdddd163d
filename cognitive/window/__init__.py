"""What of the talk the model sees: valid, bounded, stable. What leaves it is summarised, what is long is kept aside."""

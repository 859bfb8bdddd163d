"""What is not to be kept: redacted before it is stored, let go of when it is erased, gone after so long."""

"""What happened, and what would have been better? Runs over recorded turns; no stage knows it."""

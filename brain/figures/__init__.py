"""What a dashboard reads: counts, lists and lives, bounded, each saying how far it came."""

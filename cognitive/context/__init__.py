"""Which memories does the model see? The plan is run, and what it brings is deduplicated, ranked, fitted, rendered."""

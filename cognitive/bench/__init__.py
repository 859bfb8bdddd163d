"""How long turns take, how that grows, and what they find, beside the floor and beside peers in the same run."""

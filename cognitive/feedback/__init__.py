"""What came of the turn? Which shown memories the response used, and what is learnt from it."""

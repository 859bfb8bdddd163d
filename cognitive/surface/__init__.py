"""What else than a turn is asked of a layer? Its memories, sessions, record, policies, models; a file for each."""

"""What else is asked of a layer than a turn: its memories, its sessions, its record."""

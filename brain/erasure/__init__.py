"""What is to be gone: found wherever its words stand, cut or dropped, and noted; and what was kept for long enough."""

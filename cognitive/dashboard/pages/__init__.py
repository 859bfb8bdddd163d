"""The pages: each file offers its rows, and handlers that read, make a view, and have it written."""

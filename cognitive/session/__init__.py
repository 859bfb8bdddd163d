"""What a session carries over its turns: its last messages, a summary of what left, a plan with its subtasks."""

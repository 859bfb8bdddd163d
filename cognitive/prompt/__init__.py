"""Where memories stand in a prompt, and how what is injected is marked, quoted and known again."""

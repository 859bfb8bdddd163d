"""Where do memories stand in a prompt, and how is what is injected marked, quoted and known again?"""

"""What is written down of a turn? What its stages were given and made, without memories' words, and numbers to
add up.
"""

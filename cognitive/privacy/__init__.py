"""What must not be kept? Secrets are redacted before anything is stored, erased texts are let go of, old ones
expire.
"""

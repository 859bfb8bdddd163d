"""Keep what must not be stored out of storage, and let go of what is erased or has expired.

Modules, in order of execution:

- `redaction`: redact a turn and its outcome before anything of them is stored.
- `patterns`: find secrets and personal data by their form: the redactor of the extra `privacy`.
- `retention_schedule`: remove what is older than the policy keeps.
- `erasure_listeners`: tell those who hold texts in this process of an erasure.
"""

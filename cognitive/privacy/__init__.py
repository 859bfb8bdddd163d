"""Keep secrets out of storage, and remove data that was erased or has expired.

Modules, in order of execution:

- `redaction`: redact a turn and its outcome before they are stored.
- `patterns`: find secrets and personal data by their form: the redactor of the extra `privacy`.
- `secrets`: redact keys, tokens and passwords in captured lines.
- `retention_schedule`: remove data that is older than the policy allows.
- `erasure_listeners`: when texts are erased, notify the components of this process that hold them.
"""

"""Every error this product raises, as one tree.

CognitiveError
├── InvalidInput            what the caller handed in; nothing was written
│   ├── UnknownMemory       an id that this agent does not have
│   ├── UnknownTurn         a turn that this agent does not have
│   ├── UnknownArtifact     a whole tool output that this agent does not have
│   ├── UnknownLanguage     a language that no text can be indexed in
│   └── RecallClosed        the recall tool, in a turn for which the policy closes it
├── PolicyError             a policy, rule or setting that makes no sense
├── EmbeddingError          a text could not be turned into a vector
├── WrongEventLoop          called from another event loop than the one that it was opened in
└── StoreError              what was asked could not be stored or read
    ├── StoreUnavailable    no connection, or none in time; trying again may help
    ├── SchemaError         the database lacks an extension, a migration or a role
    ├── EmbeddedServerError the bundled server could not be started
    └── JournalError        the local journal could not keep what Postgres could not take

The base stands here and not in `cognitive` since `brain` is the lower package; `cognitive.errors` exports the tree.
"""

from __future__ import annotations


class CognitiveError(Exception):
    """The base of every error that this product raises on purpose."""


class InvalidInput(CognitiveError):
    """Input that cannot be accepted; the message names the field, and nothing was written."""


class UnknownMemory(InvalidInput):
    """A memory id that does not exist for this agent."""


class UnknownTurn(InvalidInput):
    """A turn that was never opened for this agent, or that was erased."""


class UnknownArtifact(InvalidInput):
    """The id of a whole tool output that is not kept for this agent."""


class UnknownLanguage(InvalidInput):
    """A language that there is no stemmer for; the message lists those that there are."""


class RecallClosed(InvalidInput):
    """The recall tool in a turn for which the policy closes it; the message is the answer for the model."""


class PolicyError(CognitiveError):
    """A policy, rule or setting that makes no sense; the message names it."""


class EmbeddingError(CognitiveError):
    """A text could not be turned into a vector, or a vector is unusable."""


class WrongEventLoop(CognitiveError):
    """Called from another event loop than the one that it was opened in, to which its connections belong."""


class StoreError(CognitiveError):
    """Postgres refused or failed; the cause is chained."""


class StoreUnavailable(StoreError):
    """No connection to Postgres, or none in time. The same call may go through later."""


class SchemaError(StoreError):
    """The database lacks what the layer needs: an extension, its version, a migration, a role."""


class EmbeddedServerError(StoreError):
    """The bundled Postgres server could not be installed, started or reached."""


class JournalError(StoreError):
    """The local journal cannot be read or written: what it should have kept is not safe. The message names its file."""

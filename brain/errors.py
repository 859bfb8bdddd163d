"""The errors of this product, as one tree.

CognitiveError
├── InvalidInput            an argument is invalid; nothing was written
│   ├── UnknownMemory       the agent has no memory with this id
│   ├── UnknownTurn         the agent has no turn with this id
│   ├── UnknownArtifact     the agent has no artifact with this id
│   ├── UnknownLanguage     there is no stemmer for this language
│   └── RecallClosed        the policy disables the recall tool in this turn
├── PolicyError             a policy, rule or setting is invalid
├── EmbeddingError          a text could not be embedded
├── WrongEventLoop          the call came from another event loop than that of its connections
└── StoreError              reading or storing failed
    ├── StoreUnavailable    no connection, or no answer in time; a retry may help
    ├── StoreConflict       another transaction stored a row with the same id meanwhile; a retry may help
    ├── SchemaError         the database lacks an extension, a migration or a role
    ├── EmbeddedServerError the bundled server could not be started
    └── JournalError        the local journal cannot be read or written

`brain` defines them because it is the lower package; `cognitive.errors` exports them.
"""

from __future__ import annotations


class CognitiveError(Exception):
    """The base class of all errors that this product raises deliberately."""


class InvalidInput(CognitiveError):
    """Raised for an invalid argument; the message names the argument or field, and nothing was written."""


class UnknownMemory(InvalidInput):
    """Raised for a memory id that does not exist for this agent."""


class UnknownTurn(InvalidInput):
    """Raised for a turn that was never opened for this agent, or was erased."""


class UnknownArtifact(InvalidInput):
    """Raised for the id of an artifact (a stored tool output) that does not exist for this agent."""


class UnknownLanguage(InvalidInput):
    """Raised for a language without a stemmer; the message lists the available languages."""


class RecallClosed(InvalidInput):
    """Raised when the policy forbids the model to search memories in this turn.

    The tool with which the model does so is called recall. The error's message can be returned to the model.
    """


class PolicyError(CognitiveError):
    """Raised for an invalid policy, rule or setting; the message names it."""


class EmbeddingError(CognitiveError):
    """Raised when a text could not be embedded, or a vector is unusable."""


class WrongEventLoop(CognitiveError):
    """Raised for a call from another event loop than the one in which the connections to Postgres were opened."""


class StoreError(CognitiveError):
    """Raised when Postgres refused a statement or failed; the exception of the database driver is its `__cause__`.

    `problem` says what is wrong and `remedy` what to do, or is empty; the message is both.
    """

    def __init__(self, problem: str = "", *, remedy: str = "") -> None:
        super().__init__(f"{problem}: {remedy}" if remedy else problem)
        self.problem = problem
        self.remedy = remedy


class StoreUnavailable(StoreError):
    """Raised when Postgres cannot be reached or does not answer in time; a later retry may succeed."""


class StoreConflict(StoreError):
    """Raised when another transaction stored a row with the same id meanwhile; a later retry may succeed."""


class SchemaError(StoreError):
    """Raised when the database lacks an extension, a version of it, a migration or a role."""


class EmbeddedServerError(StoreError):
    """Raised when the bundled Postgres server could not be installed, started or reached."""


class JournalError(StoreError):
    """Raised when the local journal cannot be read or written, so that a turn may be lost.

    The message names the file.
    """

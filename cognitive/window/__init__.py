"""Fit a conversation into the model's window: valid for every provider, bounded, and stable from turn to turn.

The window is the part of a conversation that the model sees. A summary of earlier messages comes before it.

Modules, in order of execution:

- `fit`: build the window of one prompt from the conversation and the session's summary.
- `token_budget`: reserve room for the messages around the conversation and the answer; count the tokens spent.
- `sliding_window`: find the message that begins the window, and the old tool results that are shortened.
- `groups`: group each tool call with its results, in an order that every provider accepts.
- `selection`: select the groups that are shown, and the earlier messages that stay.
- `rendering`: render groups as the prompt shows them, and measure their size.
- `output`: shorten the output of a tool, or any long text.
- `slots`: recognise the statements that a summary keeps in the speaker's own words.
- `summary`: extract a summary of the messages that left the window.
- `engine_messages`: write the messages that the layer itself adds: plan step, reminder, summary.
- `fallback`: return the newest messages, truncated, if the window fails or is late.
- `llm_summarizer`: summarise with a language model, after the turn.
"""

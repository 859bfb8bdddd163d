"""Plan a turn from its message: by rules on the message alone, refined by past turns and an optional classifier.

Modules, in order of execution:

- `planner`: run the rules on a turn's message, and refine the plan once the message's vector is available.
- `category_learning`: learn from completed turns which tools and categories an agent's messages need.
- `follow_ups`: find what an incomplete message ("and who fixed it?") refers to in the conversation.
- `signals`: read question, recency, dates and memory-type hints from a message.
- `smalltalk`: recognise messages that are only greeting, thanks or answer, and remove greetings from other messages.
- `topics`: find the topic words and names of a message.
- `dates`: find the date range that a message names, by the tense of its sentence.
- `tenses`: find the tense of the words around a date.
- `date_phrases`: compute the time span of one or several phrases with the words before them.
- `date_ranges`: compute the date range of one phrase.
- `spans`: compute days, weeks, months and seasons by the calendar.
- `listings`: recognise messages that ask for a list of memories.
- `category_table`: build the table of a policy's categories of work, with the operator's changes.
- `tool_categories`: find the categories that a tool is for, by what it states and by the words of its name.
- `classification`: select the frame (question, task, ...) and the categories of work of a message.
- `message_shape`: detect structural signals of a message: length, code, links, lists, attachments, language.
- `plan`: make the plan: memories to retrieve, budgets, tools, thinking level, model.
- `hint`: write the line that summarises the plan for the model.
- `classifier`: guess the category of a message that no rule knows from labelled sentences.

Sub-packages:

- `rules`: the rules as data, and the engine that matches them.
"""

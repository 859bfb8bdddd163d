"""Long-term memory: storage, search, and the counting of use.

Modules, in order of execution:

- `settings`: read the settings of a process from its environment.
- `opening`: open the database that the settings name, and separate connections for reading.
- `embedded`: run the bundled Postgres server.
- `file_lock`: hold a lock that the kernel releases when the process that holds it dies.
- `postgres`: connect, run work in transactions of one tenant, keep the schema.
- `statements`: load the SQL statements and name their parameters.
- `embedding`: turn texts into vectors.
- `ports`: define the interface of an embedding model.
- `store`: remember, read, change and supersede memories.
- `states`: hide memories and show them again.
- `redacting`: remove secrets and personal data from a text before it is stored.
- `memory_rows`: write, rewrite and erase the rows of a memory inside a transaction.
- `claims`: recognise subject, attribute and value of a statement.
- `indexing`: cut a memory into passages, with the texts to embed and the lexemes to index.
- `text`: split text into words, stems and sentences.
- `languages`: list the languages of the index, and cache which language an agent uses.
- `index_rows`: write the postings and vectors of a memory, in every language and embedding model of its agent.
- `search`: find candidates with the raw score of each search method.
- `admission`: find the memories that a filter admits, by listing them or by looking them up in the order of rank.
- `filters`: read the conditions that memories must meet.
- `filter_sql`: translate filters to SQL.
- `past_turns`: compare past turns with the query, and return the memories that they used.
- `terms`: choose the words of a query whose postings are read.
- `decay`: compute the exponential decay of usage counts.
- `passage_texts`: read the texts of passages by memory id and ordinal.
- `turns`: record turns and their outcomes, each once.
- `turn_records`: define the values that a turn is recorded as.
- `rollups`: compute what a turn adds to the counts of its hour and day.
- `sessions`: store the summary, plan and last messages of a session.
- `artifacts`: store large texts outside the prompt, and read them a page at a time.
- `subtasks`: store subtasks, their dependencies and their results.
- `journal`: store turns on this machine's disk while Postgres is away.
- `policies`: store the policies that operators saved, and which of them is active.
- `erasure`: erase memories and agents, and everything derived from them.
- `caches`: empty the caches of texts after an erasure.
- `archive`: export an agent's memories with their metadata, and import them.
- `changes`: change the embedding model or the language of an agent while its turns go on.
- `ivf_index`: assign a large agent's vectors to cells, so that a search reads only the nearest cells.
- `agents`: list all agents and their models, for operators.
- `analytics`: read the data of the dashboard.
- `upkeep`: read the memories that may need attention.
- `deadline`: wait for a task at most until a deadline.
- `types`: define the values that the store takes and returns.
- `memory_types`: define the properties of each memory type.
- `errors`: define every error that this product raises.
"""

"""Long-term memory: what is stored, how it is found, how its use is counted.

Modules, in order of execution:

- `settings`: read the settings of a process from its environment.
- `opening`: open the database that the settings name, and the connections of those that only read.
- `embedded`: run the bundled Postgres server.
- `file_lock`: hold a lock that the kernel drops when its holder dies.
- `postgres`: connect, run work in transactions of one tenant, keep the schema.
- `statements`: load the SQL statements and name their parameters.
- `embedding`: turn texts into vectors.
- `ports`: name the interface of an embedder.
- `store`: remember, read, change and supersede memories.
- `redacting`: take secrets and personal data out of a text before it is stored.
- `memory_rows`: write, rewrite and erase the rows of a memory inside a transaction.
- `indexing`: cut a memory into passages, with the texts to embed and the lexemes to post.
- `text`: split text into words, stems and sentences.
- `languages`: list the languages of the index, and know which one an agent uses.
- `index_rows`: write the postings and vectors of a memory, in every language and model that its agent keeps.
- `search`: find candidates with the raw score of each channel.
- `past_turns`: compare past turns with the query, and tell what they used.
- `terms`: choose the words of a query whose postings are read.
- `decay`: compute what is left of a mass after some time.
- `passage_texts`: read the texts of passages again by their names.
- `turns`: record turns and their outcomes, each once.
- `turn_records`: hold what is kept of a turn, as values.
- `rollups`: count a turn for its hour and its day.
- `sessions`: keep what a session carries from turn to turn.
- `artifacts`: keep large texts outside the prompt and read them a page at a time.
- `subtasks`: keep subtasks, what they depend on and what they left.
- `journal`: keep what Postgres could not take on this machine's disk.
- `policies`: keep the policies that operators saved, and which of them holds.
- `erasure`: erase memories and agents, and whatever was made of them.
- `caches`: empty the caches of texts after an erasure.
- `archive`: read an agent's memories whole, and put them back elsewhere.
- `changes`: change the embedding model or the language while turns go on.
- `ivf_index`: sort a large agent's vectors into cells of neighbours.
- `agents`: list all agents and their models, for operators.
- `analytics`: read what a dashboard shows.
- `deadline`: wait for a task no longer than there is time.
- `types`: hold the values that go into the store and come out of it.
- `memory_types`: list the memory types, a row each.
- `errors`: name every error that this product raises, as one tree.
"""

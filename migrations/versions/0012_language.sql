-- The language that an agent's words are indexed and asked for in, and the one that its index is being built in beside
-- it. Whoever writes without naming one writes English, which is what code from before these columns does.
ALTER TABLE cognitive.corpus ADD COLUMN language text NOT NULL DEFAULT 'english';
ALTER TABLE cognitive.corpus ADD COLUMN becoming text;

-- The languages whose lexemes a passage has in the index.
ALTER TABLE cognitive.passage ADD COLUMN languages text[] NOT NULL DEFAULT '{english}';

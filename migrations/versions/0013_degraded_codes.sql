-- The code of each sentence in `degraded`, in the same order.
ALTER TABLE cognitive.turn ADD COLUMN degraded_codes text[] NOT NULL DEFAULT '{}';

-- The beginning of the response, where the policy keeps it; empty in an open turn whose response must not be kept, since
-- a memory that it was shown is forgotten.
ALTER TABLE cognitive.turn ADD COLUMN response text;

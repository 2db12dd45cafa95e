-- Limits of the tokens that logins make: decisions/login-limits.md.
ALTER TABLE auth_method
  ADD COLUMN max_live_tokens integer,
  ADD COLUMN idle_ttl text,
  -- RFC 3339: when idle_ttl was last changed.
  ADD COLUMN idle_since text;
-- Looked at by every commit of tokens, and nearly always empty.
CREATE INDEX auth_method_bounded ON auth_method (generation) WHERE max_live_tokens IS NOT NULL;

-- Who logged in; empty for a token that no login made. The previous release writes null.
ALTER TABLE token ADD COLUMN login_identity text COLLATE "C";
DROP INDEX token_auth_method_generation;
CREATE INDEX token_login ON token (auth_method_generation, login_identity) WHERE auth_method_generation <> '';

-- When tokens with an idle limit were last used, written now and then. No part of commits.
CREATE TABLE token_use (
  accessor_key text COLLATE "C" PRIMARY KEY,
  -- In milliseconds since the epoch.
  used_at      bigint NOT NULL
) WITH (fillfactor = 70);

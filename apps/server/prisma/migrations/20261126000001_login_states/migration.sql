-- Logins in a browser between their beginning and their callback, for minutes. No part of commits.
CREATE TABLE login_state (
  -- In hex.
  state_hash text PRIMARY KEY,
  -- That of the auth method.
  generation bigint NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  cipher     bytea NOT NULL,
  key_id     text NOT NULL
);
CREATE INDEX login_state_generation ON login_state (generation, expires_at);
CREATE INDEX login_state_expires_at ON login_state (expires_at);

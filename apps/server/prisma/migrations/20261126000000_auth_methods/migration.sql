-- Auth methods and binding rules, and what a token must repeat of the method that made it: if its generation differs
-- from that of the method, or the method is gone, the token acts as deleted.
CREATE TABLE auth_method (
  -- Namespace and name in lower case.
  key             text PRIMARY KEY,
  namespace       text NOT NULL,
  name            text NOT NULL,
  type            text NOT NULL,
  display_name    text NOT NULL,
  description     text NOT NULL,
  max_token_ttl   text,
  token_locality  text NOT NULL,
  -- Without its secret, which is sealed.
  config          json NOT NULL,
  secret_cipher   bytea,
  secret_key_id   text,
  namespace_rules json NOT NULL,
  generation      text NOT NULL,
  create_index    bigint NOT NULL,
  modify_index    bigint NOT NULL
);
CREATE INDEX auth_method_namespace ON auth_method (namespace);
CREATE INDEX auth_method_generation ON auth_method (generation);

CREATE TABLE binding_rule (
  id           text PRIMARY KEY,
  namespace    text NOT NULL,
  auth_method  text NOT NULL,
  -- The key of the auth method.
  method_key   text NOT NULL,
  description  text NOT NULL,
  selector     text NOT NULL,
  bind_type    text NOT NULL,
  bind_name    text NOT NULL,
  create_index bigint NOT NULL,
  modify_index bigint NOT NULL
);
CREATE INDEX binding_rule_method_key ON binding_rule (method_key);
CREATE INDEX binding_rule_namespace ON binding_rule (namespace);

-- Empty for a token that no login made; null where a process of release 0.1 wrote it.
ALTER TABLE token ADD COLUMN auth_method_namespace text, ADD COLUMN auth_method_generation text;
CREATE INDEX token_auth_method_generation ON token (auth_method_generation) WHERE auth_method_generation <> '';

ALTER TABLE commit_index ADD COLUMN auth_methods bigint NOT NULL DEFAULT 0,
  ADD COLUMN binding_rules bigint NOT NULL DEFAULT 0;

-- As before, with the two new tables.
CREATE OR REPLACE FUNCTION latchkey_namespace_holds(asked text) RETURNS boolean LANGUAGE plpgsql
SET enable_seqscan = off AS $$
BEGIN
  RETURN asked <> 'default' AND (
    EXISTS (SELECT FROM token WHERE namespace = asked AND namespace <> 'default')
    OR EXISTS (SELECT FROM policy WHERE namespace = asked)
    OR EXISTS (SELECT FROM role WHERE namespace = asked)
    OR EXISTS (SELECT FROM auth_method WHERE namespace = asked)
    OR EXISTS (SELECT FROM binding_rule WHERE namespace = asked)
    OR EXISTS (SELECT FROM kv WHERE namespace = asked));
END $$;

-- As before, with the indexes of the two new tables.
CREATE OR REPLACE FUNCTION latchkey_change_log(after bigint) RETURNS json STABLE LANGUAGE plpgsql AS $$
DECLARE
  state   commit_index;
  tables  json;
  time_ms double precision := extract(epoch FROM clock_timestamp()) * 1000;
BEGIN
  SELECT * INTO state FROM commit_index;
  IF state.index = after THEN
    RETURN json_build_object('index', state.index, 'now', time_ms);
  END IF;
  tables := json_build_object('tokens', state.tokens, 'policies', state.policies, 'roles', state.roles,
    'kv', state.kv, 'namespaces', state.namespaces, 'authMethods', state.auth_methods,
    'bindingRules', state.binding_rules, 'system', state.system);
  IF after < state.pruned OR after > state.index OR state.index - after > 20000 THEN
    RETURN json_build_object('index', state.index, 'now', time_ms, 'tables', tables, 'reset', true);
  END IF;
  RETURN json_build_object('index', state.index, 'now', time_ms, 'tables', tables, 'changes', (
    SELECT coalesce(json_agg(l ORDER BY l.index, l.ordinal), '[]')
    FROM (SELECT index, ordinal, entity, op, key, binary_key FROM change WHERE index > after) l));
END $$;

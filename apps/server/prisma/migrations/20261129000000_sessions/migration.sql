-- Sessions, and the locks of keys that they hold.
CREATE TABLE session (
  id             text COLLATE "C" PRIMARY KEY,
  name           text NOT NULL,
  -- In lower case.
  node_key       text COLLATE "C" NOT NULL,
  node           text NOT NULL,
  -- In nanoseconds, as it was given.
  lock_delay     bigint NOT NULL,
  -- In milliseconds, as it acts.
  lock_delay_ms  double precision NOT NULL,
  behavior       text NOT NULL,
  ttl            text NOT NULL,
  -- Null: it does not expire.
  lifetime_ms    double precision,
  renewed_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  node_checks    text[] NOT NULL,
  -- JSON; null if none were given.
  service_checks json,
  checks         text[] NOT NULL,
  -- Keys of the checks that end it.
  check_keys     text[] NOT NULL,
  create_index   bigint NOT NULL,
  modify_index   bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX session_node_key ON session (node_key);
CREATE INDEX session_check_keys ON session USING gin (check_keys) WITH (fastupdate = off);

-- The session that holds a key; empty if none does.
ALTER TABLE kv ADD COLUMN session text NOT NULL DEFAULT '';
CREATE INDEX kv_session ON kv (session) WHERE session <> '';

-- Until when no session can lock a key, because one that held it ended; the key may be gone.
CREATE TABLE lock_delay (
  namespace text NOT NULL,
  key       bytea NOT NULL,
  until     timestamptz NOT NULL,
  PRIMARY KEY (namespace, key)
);

ALTER TABLE commit_index ADD COLUMN sessions bigint NOT NULL DEFAULT 0;

-- Whether a session may hold a key: it exists, and it holds the key already, or no lock delay keeps it.
CREATE FUNCTION latchkey_may_lock(asked_namespace text, asked_key bytea, asked_session text) RETURNS boolean
STABLE LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM session WHERE id = asked_session) THEN RETURN false; END IF;
  IF EXISTS (SELECT FROM kv WHERE namespace = asked_namespace AND key = asked_key AND session = asked_session) THEN
    RETURN true;
  END IF;
  RETURN NOT EXISTS (SELECT FROM lock_delay
    WHERE namespace = asked_namespace AND key = asked_key AND until > clock_timestamp());
END $$;

-- Ends sessions as part of the commit with an index: releases or deletes the keys that they hold, starts their lock delays, and
-- removes them. Changes of keys are logged from an ordinal on. Returns the number of keys.
CREATE FUNCTION latchkey_end_sessions(ended text[], at_index bigint, first_ordinal integer) RETURNS integer
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  count integer;
BEGIN
  WITH held AS MATERIALIZED (
    SELECT k.namespace, k.key, s.behavior, s.lock_delay_ms,
      first_ordinal + row_number() OVER (ORDER BY k.namespace, k.key) - 1 AS ordinal
    FROM kv k JOIN session s ON s.id = k.session WHERE k.session = ANY (ended) AND k.session <> ''
  ),
  released AS (
    UPDATE kv k SET session = '', modify_index = at_index FROM held h
    WHERE h.behavior <> 'delete' AND k.namespace = h.namespace AND k.key = h.key
  ),
  deleted AS (
    DELETE FROM kv k USING held h WHERE h.behavior = 'delete' AND k.namespace = h.namespace AND k.key = h.key
  ),
  delayed AS (
    INSERT INTO lock_delay (namespace, key, until)
    SELECT namespace, key, clock_timestamp() + lock_delay_ms * interval '1 millisecond' FROM held WHERE lock_delay_ms > 0
    ON CONFLICT (namespace, key) DO UPDATE SET until = excluded.until
  ),
  logged AS (
    INSERT INTO change (index, ordinal, entity, op, key, binary_key)
    SELECT at_index, ordinal, 'kv', CASE behavior WHEN 'delete' THEN 'delete' ELSE 'put' END, namespace, key FROM held
  )
  SELECT count(*) INTO count FROM held;
  DELETE FROM session WHERE id = ANY (ended);
  IF count > 0 THEN UPDATE commit_index SET kv = at_index; END IF;
  RETURN count;
END $$;

-- As before, with the index of sessions.
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
    'bindingRules', state.binding_rules, 'system', state.system, 'nodes', state.nodes, 'services', state.services,
    'checks', state.checks, 'coordinates', state.coordinates, 'sessions', state.sessions,
    'serviceIndexes', state.service_indexes,
    'intentions', state.intentions, 'intentionDestinations', state.intention_destinations);
  IF after < state.pruned OR after > state.index OR state.index - after > 20000 THEN
    RETURN json_build_object('index', state.index, 'now', time_ms, 'tables', tables, 'reset', true);
  END IF;
  RETURN json_build_object('index', state.index, 'now', time_ms, 'tables', tables, 'changes', (
    SELECT coalesce(json_agg(l ORDER BY l.index, l.ordinal), '[]')
    FROM (SELECT index, ordinal, entity, op, key, binary_key FROM change WHERE index > after) l));
END $$;

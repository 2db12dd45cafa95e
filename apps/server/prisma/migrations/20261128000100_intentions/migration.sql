-- Intentions: which service may connect to which. A row is the source of a destination, whichever API wrote it: the migration to
-- config entries moves nothing. Spec 9.5.
CREATE TABLE intention (
  -- Destination and source.
  key                text PRIMARY KEY,
  source_ns          text NOT NULL,
  source_name        text NOT NULL,
  destination_ns     text NOT NULL,
  destination_name   text NOT NULL,
  -- Null where permissions decide.
  action             text,
  permissions        json NOT NULL,
  description        text NOT NULL,
  -- Null since an edit through config entries.
  legacy_id          text,
  legacy_meta        json NOT NULL,
  legacy_create_time text,
  legacy_update_time text,
  hash               text NOT NULL,
  create_index       bigint NOT NULL,
  modify_index       bigint NOT NULL
);

-- What the intentions to a destination share.
CREATE TABLE intention_destination (
  key              text PRIMARY KEY,
  destination_ns   text NOT NULL,
  destination_name text NOT NULL,
  meta             json NOT NULL,
  create_index     bigint NOT NULL,
  modify_index     bigint NOT NULL
);

ALTER TABLE commit_index ADD COLUMN intentions bigint NOT NULL DEFAULT 0,
  ADD COLUMN intention_destinations bigint NOT NULL DEFAULT 0;

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
    'bindingRules', state.binding_rules, 'system', state.system, 'nodes', state.nodes, 'services', state.services,
    'checks', state.checks, 'coordinates', state.coordinates, 'serviceIndexes', state.service_indexes,
    'intentions', state.intentions, 'intentionDestinations', state.intention_destinations);
  IF after < state.pruned OR after > state.index OR state.index - after > 20000 THEN
    RETURN json_build_object('index', state.index, 'now', time_ms, 'tables', tables, 'reset', true);
  END IF;
  RETURN json_build_object('index', state.index, 'now', time_ms, 'tables', tables, 'changes', (
    SELECT coalesce(json_agg(l ORDER BY l.index, l.ordinal), '[]')
    FROM (SELECT index, ordinal, entity, op, key, binary_key FROM change WHERE index > after) l));
END $$;

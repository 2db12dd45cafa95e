-- The catalog of this datacenter: nodes, services, checks, coordinates, and the indexes of service names. Keys are in lower case:
-- the node, the namespace and the id, with U+0000 (escaped) between them.
CREATE TABLE catalog_node (
  key              text COLLATE "C" PRIMARY KEY,
  -- A UUID, or empty.
  id               text NOT NULL,
  name             text NOT NULL,
  address          text NOT NULL,
  tagged_addresses json,
  meta             json,
  create_index     bigint NOT NULL,
  modify_index     bigint NOT NULL
) WITH (fillfactor = 80);

CREATE TABLE catalog_service (
  key                 text COLLATE "C" PRIMARY KEY,
  node_key            text COLLATE "C" NOT NULL,
  -- Namespace and name in lower case.
  name_key            text COLLATE "C" NOT NULL,
  namespace           text NOT NULL,
  node                text NOT NULL,
  id                  text NOT NULL,
  name                text NOT NULL,
  kind                text NOT NULL,
  tags                text[] NOT NULL,
  address             text NOT NULL,
  tagged_addresses    json NOT NULL,
  meta                json,
  port                integer NOT NULL,
  socket_path         text NOT NULL,
  weights             json NOT NULL,
  enable_tag_override boolean NOT NULL,
  proxy               json NOT NULL,
  connect             json NOT NULL,
  create_index        bigint NOT NULL,
  modify_index        bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX catalog_service_node_key ON catalog_service (node_key);
CREATE INDEX catalog_service_name_key ON catalog_service (name_key);
CREATE INDEX catalog_service_namespace ON catalog_service (namespace) WHERE namespace <> 'default';

CREATE TABLE catalog_check (
  key          text COLLATE "C" PRIMARY KEY,
  node_key     text COLLATE "C" NOT NULL,
  -- The key of the service; empty for a check of the node.
  service_key  text COLLATE "C" NOT NULL,
  namespace    text NOT NULL,
  node         text NOT NULL,
  id           text NOT NULL,
  name         text NOT NULL,
  status       text NOT NULL,
  notes        text NOT NULL,
  output       text NOT NULL,
  service_id   text NOT NULL,
  type         text NOT NULL,
  "interval"   text NOT NULL,
  timeout      text NOT NULL,
  exposed_port integer NOT NULL,
  definition   json NOT NULL,
  create_index bigint NOT NULL,
  modify_index bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX catalog_check_node_key ON catalog_check (node_key);
CREATE INDEX catalog_check_service_key ON catalog_check (service_key) WHERE service_key <> '';
CREATE INDEX catalog_check_namespace ON catalog_check (namespace) WHERE namespace <> 'default';

CREATE TABLE catalog_coordinate (
  key          text COLLATE "C" PRIMARY KEY,
  node_key     text COLLATE "C" NOT NULL,
  node         text NOT NULL,
  segment      text NOT NULL,
  coord        json NOT NULL,
  create_index bigint NOT NULL,
  modify_index bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX catalog_coordinate_node_key ON catalog_coordinate (node_key);

-- Of each service with instances, the index of its last change. Empty: when last a service lost its last instance; '*': when last
-- one got its first, or lost its last.
CREATE TABLE catalog_service_index (
  name         text COLLATE "C" PRIMARY KEY,
  create_index bigint NOT NULL,
  modify_index bigint NOT NULL
) WITH (fillfactor = 80);

ALTER TABLE commit_index ADD COLUMN nodes bigint NOT NULL DEFAULT 0,
  ADD COLUMN services bigint NOT NULL DEFAULT 0,
  ADD COLUMN checks bigint NOT NULL DEFAULT 0,
  ADD COLUMN coordinates bigint NOT NULL DEFAULT 0,
  ADD COLUMN service_indexes bigint NOT NULL DEFAULT 0;

-- As before, with services and checks.
CREATE OR REPLACE FUNCTION latchkey_namespace_holds(asked text) RETURNS boolean LANGUAGE plpgsql
SET enable_seqscan = off AS $$
BEGIN
  RETURN asked <> 'default' AND (
    EXISTS (SELECT FROM token WHERE namespace = asked AND namespace <> 'default')
    OR EXISTS (SELECT FROM policy WHERE namespace = asked)
    OR EXISTS (SELECT FROM role WHERE namespace = asked)
    OR EXISTS (SELECT FROM auth_method WHERE namespace = asked)
    OR EXISTS (SELECT FROM binding_rule WHERE namespace = asked)
    OR EXISTS (SELECT FROM catalog_service WHERE namespace = asked AND namespace <> 'default')
    OR EXISTS (SELECT FROM catalog_check WHERE namespace = asked AND namespace <> 'default')
    OR EXISTS (SELECT FROM kv WHERE namespace = asked));
END $$;

-- As before, with the indexes of the new tables.
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
    'checks', state.checks, 'coordinates', state.coordinates, 'serviceIndexes', state.service_indexes);
  IF after < state.pruned OR after > state.index OR state.index - after > 20000 THEN
    RETURN json_build_object('index', state.index, 'now', time_ms, 'tables', tables, 'reset', true);
  END IF;
  RETURN json_build_object('index', state.index, 'now', time_ms, 'tables', tables, 'changes', (
    SELECT coalesce(json_agg(l ORDER BY l.index, l.ordinal), '[]')
    FROM (SELECT index, ordinal, entity, op, key, binary_key FROM change WHERE index > after) l));
END $$;

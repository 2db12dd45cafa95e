-- The schema of the store. Texts are escaped where PostgreSQL's text cannot hold them (a NUL, a lone surrogate): see
-- src/storage/read/stored-text.ts. Columns of type json keep a value as it was given; jsonb would reorder its keys.
--
-- The function that commits tokens and keys is not here but in prisma/commit-rows.sql, and created at each start.

-- Read leases. The protocol and why it is correct: docs/decisions/read-leases.md.
-- Changes when a standby takes over. Where the database does not tell, each of its starts counts as a takeover.
CREATE FUNCTION latchkey_timeline() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN left(pg_walfile_name(pg_current_wal_lsn()), 8);
EXCEPTION WHEN feature_not_supported OR insufficient_privilege OR undefined_function THEN
  RETURN extract(epoch FROM pg_postmaster_start_time())::text;
END $$;

-- One row: the commit index, and for each table of the port the index of its last change. Every write takes its lock
-- first, so commits come one after the other and the order of commits is the order of indexes.
CREATE TABLE commit_index (
  id                     boolean PRIMARY KEY DEFAULT true CHECK (id),
  index                  bigint NOT NULL DEFAULT 0,
  tokens                 bigint NOT NULL DEFAULT 0,
  policies               bigint NOT NULL DEFAULT 0,
  roles                  bigint NOT NULL DEFAULT 0,
  kv                     bigint NOT NULL DEFAULT 0,
  namespaces             bigint NOT NULL DEFAULT 0,
  system                 bigint NOT NULL DEFAULT 0,
  -- Changes up to here may have been removed from the log.
  pruned                 bigint NOT NULL DEFAULT 0,
  auth_methods           bigint NOT NULL DEFAULT 0,
  binding_rules          bigint NOT NULL DEFAULT 0,
  nodes                  bigint NOT NULL DEFAULT 0,
  services               bigint NOT NULL DEFAULT 0,
  checks                 bigint NOT NULL DEFAULT 0,
  coordinates            bigint NOT NULL DEFAULT 0,
  service_indexes        bigint NOT NULL DEFAULT 0,
  intentions             bigint NOT NULL DEFAULT 0,
  intention_destinations bigint NOT NULL DEFAULT 0,
  sessions               bigint NOT NULL DEFAULT 0,
  -- lease_phase: `none`: no process holds a lease, and a commit needs nothing. `open`: processes may hold leases and get them.
  -- `closing`: none gets one, and commits wait until all that were granted have ended. `blind`: the same after a standby took
  -- over, which may not have heard of all leases. lease_epoch is new whenever leases are opened, and never used twice.
  lease_phase            text NOT NULL DEFAULT 'none',
  lease_epoch            text NOT NULL DEFAULT '',
  timeline               text NOT NULL DEFAULT latchkey_timeline(),
  -- Names the last time that leases began to end, in `closing` and `blind`. New each time: a database that crashes may
  -- forget that the leases of an epoch were ending, and their end is then announced again.
  lease_closing          text NOT NULL DEFAULT ''
) WITH (fillfactor = 10);
INSERT INTO commit_index DEFAULT VALUES;

-- The log of changes: what changed at which index. Of a deletion, it is the only trace that is left. Every process that
-- catches up reads it; a line is removed once all have applied it.
CREATE TABLE change (
  index      bigint NOT NULL,
  ordinal    integer NOT NULL,
  entity     text NOT NULL,
  op         text NOT NULL,
  -- The accessor in lower case, or the id or name of the record. Of kv: the namespace.
  key        text,
  -- Of tokens: secret_hash. Of kv: the key.
  binary_key bytea,
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (index, ordinal)
);

CREATE TABLE token (
  -- Keyed hash of the secret: who presents it is looked up by it.
  secret_hash            bytea PRIMARY KEY,
  secret_cipher          bytea NOT NULL,
  -- Which key of the ring sealed the cipher.
  secret_key_id          text NOT NULL,
  accessor_id            text COLLATE "C" NOT NULL,
  -- In lower case; null on a legacy token that has no accessor yet (spec 9.2.3).
  accessor_key           text COLLATE "C" UNIQUE,
  -- The first 8 bytes of the keyed hash of the accessor in lower case: ids are unique among accessors and secrets alike,
  -- in any case.
  accessor_hash          bigint,
  namespace              text NOT NULL,
  description            text NOT NULL,
  policies               text[] NOT NULL,
  roles                  text[] NOT NULL,
  service_identities     json NOT NULL,
  -- The names in service_identities, for the filter.
  service_names          text[] NOT NULL,
  node_identities        json NOT NULL,
  rules                  text NOT NULL,
  type                   text NOT NULL,
  local                  boolean NOT NULL,
  auth_method            text NOT NULL,
  -- As shown; expires_at is the same instant for comparison.
  expiration_time        text,
  expires_at             timestamptz(3),
  create_time            text NOT NULL,
  hash                   text NOT NULL,
  create_index           bigint NOT NULL,
  modify_index           bigint NOT NULL,
  -- The keyed hash of the secret in lower case; null if it has no capitals, so few rows have one.
  folded_hash            bytea,
  -- Empty for a token that no login made.
  auth_method_namespace  text,
  auth_method_generation text,
  -- Who logged in; empty for a token that no login made.
  login_identity         text COLLATE "C"
) WITH (fillfactor = 85);
CREATE INDEX token_list_order ON token (create_index, accessor_id);
CREATE INDEX token_namespace ON token (namespace, create_index, accessor_id) WHERE namespace <> 'default';
CREATE INDEX token_accessor_hash ON token (accessor_hash);
CREATE INDEX token_expires_at ON token (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX token_policies ON token USING gin (policies) WHERE policies <> '{}';
CREATE INDEX token_roles ON token USING gin (roles) WHERE roles <> '{}';
CREATE INDEX token_service_names ON token USING gin (service_names) WHERE service_names <> '{}';
CREATE INDEX token_auth_method ON token (auth_method, create_index, accessor_id) WHERE auth_method <> '';
CREATE INDEX token_local ON token (create_index, accessor_id) WHERE local;
CREATE INDEX token_legacy ON token (create_index) WHERE type <> '' OR rules <> '';
CREATE INDEX token_without_accessor ON token (create_index, secret_hash) WHERE accessor_key IS NULL;
CREATE INDEX token_folded_hash ON token (folded_hash) WHERE folded_hash IS NOT NULL;
CREATE INDEX token_login ON token (auth_method_generation, login_identity) WHERE auth_method_generation <> '';

CREATE TABLE policy (
  id           text PRIMARY KEY,
  name         text NOT NULL,
  -- The name without case.
  name_key     text NOT NULL,
  namespace    text NOT NULL,
  description  text NOT NULL,
  rules        text NOT NULL,
  datacenters  json,
  hash         text NOT NULL,
  create_index bigint NOT NULL,
  modify_index bigint NOT NULL,
  UNIQUE (namespace, name_key)
);

CREATE TABLE role (
  id                 text PRIMARY KEY,
  name               text NOT NULL,
  name_key           text NOT NULL,
  namespace          text NOT NULL,
  description        text NOT NULL,
  policies           text[] NOT NULL,
  service_identities json NOT NULL,
  node_identities    json NOT NULL,
  hash               text NOT NULL,
  create_index       bigint NOT NULL,
  modify_index       bigint NOT NULL,
  UNIQUE (namespace, name_key)
);

CREATE TABLE namespace (
  name            text PRIMARY KEY,
  description     text NOT NULL,
  policy_defaults text[] NOT NULL,
  role_defaults   text[] NOT NULL,
  create_index    bigint NOT NULL,
  modify_index    bigint NOT NULL
);

CREATE TABLE system (
  key          text PRIMARY KEY,
  value        json NOT NULL,
  create_index bigint NOT NULL,
  modify_index bigint NOT NULL
);

-- Keys are bytes of UTF-8: they may hold a NUL, and lists are in byte order.
CREATE TABLE kv (
  namespace    text NOT NULL,
  key          bytea NOT NULL,
  flags        bigint NOT NULL,
  lock_index   bigint NOT NULL,
  value        bytea NOT NULL,
  create_index bigint NOT NULL,
  modify_index bigint NOT NULL,
  -- The session that holds the key; empty if none does.
  session      text NOT NULL DEFAULT '',
  PRIMARY KEY (namespace, key)
);
CREATE INDEX kv_session ON kv (session) WHERE session <> '';

-- The server processes that share this database. Times are of this database's clock.
CREATE TABLE member (
  id                text PRIMARY KEY,
  datacenter        text NOT NULL,
  node              text NOT NULL,
  version           text NOT NULL,
  mode              text NOT NULL,
  address           text NOT NULL,
  -- Tells on the same machine whether the process still lives: see src/storage/members/process-identity.ts.
  process           text NOT NULL,
  is_leader         boolean NOT NULL DEFAULT false,
  -- Taken for dead by the others: it may not commit until it has joined again.
  is_fenced         boolean NOT NULL DEFAULT false,
  started_at        timestamptz(3) NOT NULL,
  heartbeat_at      timestamptz(3) NOT NULL,
  left_at           timestamptz(3),
  -- The commit with which it joined, and the index up to which it has applied the log.
  join_index        bigint NOT NULL,
  seen_index        bigint NOT NULL,
  -- What each process thinks of this database's clock: how far it is ahead of the time that counts, and the time by this
  -- clock when that was measured. See src/storage/members/database-clock.ts.
  clock_ahead_ms    double precision,
  clock_measured_ms double precision,
  -- What the process that replicates knows of its progress, which all processes of a secondary datacenter report. Null in the
  -- others. See src/replication/replication-state.ts.
  replication       jsonb,
  -- The number of its last heartbeat or join.
  beat              bigint,
  -- The epoch in which its lease was granted.
  lease_epoch       text
);

-- The lookup key of secrets, sealed by a key of the ring, and a sample of every key that has sealed any, so
-- that a start with the wrong keys is noticed before anything is read or written.
CREATE TABLE lookup_key (
  id     boolean PRIMARY KEY DEFAULT true CHECK (id),
  key_id text NOT NULL,
  bytes  bytea NOT NULL
);

CREATE TABLE sealing_key (
  key_id text PRIMARY KEY,
  sample bytea NOT NULL
);

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
  modify_index    bigint NOT NULL,
  -- Limits of the tokens that logins make: decisions/login-limits.md.
  max_live_tokens integer,
  idle_ttl        text,
  -- RFC 3339: when idle_ttl was last changed.
  idle_since      text
);
CREATE INDEX auth_method_namespace ON auth_method (namespace);
CREATE INDEX auth_method_generation ON auth_method (generation);
-- Looked at by every commit of tokens, and nearly always empty.
CREATE INDEX auth_method_bounded ON auth_method (generation) WHERE max_live_tokens IS NOT NULL;

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

-- When tokens with an idle limit were last used, written now and then. No part of commits.
CREATE TABLE token_use (
  accessor_key text COLLATE "C" PRIMARY KEY,
  -- In milliseconds since the epoch.
  used_at      bigint NOT NULL
) WITH (fillfactor = 70);

-- Readers of the log of changes in other datacenters, by the names that they give themselves. No part of commits.
CREATE TABLE change_reader (
  name       text COLLATE "C" PRIMARY KEY,
  -- It has everything up to here.
  index      bigint NOT NULL,
  contact_at timestamptz(3) NOT NULL
) WITH (fillfactor = 70);

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
  modify_index bigint NOT NULL,
  -- How the agent of a node gets the status of a check. Absent: nothing here runs it.
  agent        json
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

-- Until when no session can lock a key, because one that held it ended; the key may be gone.
CREATE TABLE lock_delay (
  namespace text NOT NULL,
  key       bytea NOT NULL,
  until     timestamptz NOT NULL,
  PRIMARY KEY (namespace, key)
);

-- One row: only servers that know this migration, so all since this release, can run on the schema. A migration that only adds
-- leaves it as it is; one that removes something moves it to what no longer needs that. Decisions: schema upgrades.
CREATE TABLE schema_compatibility (
  id        boolean PRIMARY KEY DEFAULT true CHECK (id),
  migration text NOT NULL,
  release   text NOT NULL
);
INSERT INTO schema_compatibility (migration, release) VALUES ('20261128000000_initial', '1.0.0');

-- A record is only put where its namespace is, and a namespace is only deleted when it holds nothing; otherwise the commit
-- answers 'changed', so that its author looks again. `default` always exists; null (a token that is deleted brings none)
-- stands for it.
CREATE FUNCTION latchkey_namespace_exists(asked text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN coalesce(asked, 'default') = 'default' OR EXISTS (SELECT FROM namespace WHERE name = asked);
END $$;

-- Whether a namespace other than `default` holds anything. Looked up by index, however large the tables are: all other
-- writers wait.
CREATE FUNCTION latchkey_namespace_holds(asked text) RETURNS boolean LANGUAGE plpgsql
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

-- The index of the last change of a token; 0 where there is none.
CREATE FUNCTION latchkey_token_index(asked bytea) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN coalesce((SELECT modify_index FROM token WHERE secret_hash = asked), 0);
END $$;

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
-- removes them. Changes of keys are logged from an ordinal on. Frees at most so many keys and returns their number; if it
-- returns as many as that, another call of the same commit must end the rest.
CREATE FUNCTION latchkey_end_sessions(ended text[], at_index bigint, first_ordinal integer, at_most integer) RETURNS integer
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  count integer;
BEGIN
  WITH found AS MATERIALIZED (
    SELECT k.namespace, k.key, s.behavior, s.lock_delay_ms
    FROM kv k JOIN session s ON s.id = k.session WHERE k.session = ANY (ended) AND k.session <> '' LIMIT at_most
  ),
  held AS MATERIALIZED (
    SELECT *, first_ordinal + row_number() OVER (ORDER BY namespace, key) - 1 AS ordinal FROM found
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
  IF count < at_most THEN DELETE FROM session WHERE id = ANY (ended); END IF;
  IF count > 0 THEN UPDATE commit_index SET kv = at_index; END IF;
  RETURN count;
END $$;

-- What a process needs to know of changes to catch up from index `after`, of one snapshot. The rows of the directory that
-- they touched are read in the same transaction.
--
-- Answers { index, now } if nothing changed; otherwise also `tables` (the last index of each), and either `changes` or, if
-- the log does not reach back so far, { reset: true }. The latter is also answered, with a lower index, if the database has
-- lost commits that a process has seen.
--
-- The index is bounded on both sides: for `index > after` alone PostgreSQL, without statistics, expects a third of the log
-- and reads it all: 0.5 ms of processor time with 10,000 rows, for each question of a process.
CREATE FUNCTION latchkey_change_log(after bigint) RETURNS json STABLE LANGUAGE plpgsql AS $$
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
    FROM (SELECT index, ordinal, entity, op, key, binary_key FROM change
      WHERE index > after AND index <= state.index) l));
END $$;

-- Removes what every member has applied and is older than `kept_for` from the log, at most about 10,000 indexes. What a reader
-- still needs stays, unless it is older than `held_for` or not among the last `lines_max` lines.
CREATE FUNCTION latchkey_prune_log(kept_for interval, held_for interval, lines_max integer)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  oldest  bigint := (SELECT min(index) FROM change);
  seen    bigint := (SELECT min(seen_index) FROM member WHERE NOT is_fenced AND left_at IS NULL);
  bound   bigint := least(seen, oldest + 10000);
  held    bigint;
  last    bigint;
BEGIN
  DELETE FROM change_reader WHERE contact_at < clock_timestamp() - held_for;
  held := coalesce((SELECT min(index) FROM change_reader), bound);
  IF held < bound THEN
    held := greatest(held, (SELECT index FROM change ORDER BY index DESC, ordinal DESC OFFSET lines_max LIMIT 1));
  END IF;
  WITH removed AS (
    DELETE FROM change WHERE index <= bound AND changed_at < clock_timestamp() - kept_for
      AND (index <= held OR changed_at < clock_timestamp() - held_for)
    RETURNING index
  )
  SELECT max(index) INTO last FROM removed;
  IF last IS NOT NULL THEN
    UPDATE commit_index SET pruned = greatest(pruned, last);
  END IF;
  RETURN coalesce(last, 0);
END $$;

-- If a process has seen a higher index than the database has (a standby took over that lacked the last commits), raises the
-- index above it. All processes then read everything again.
CREATE FUNCTION latchkey_raise(known bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE commit_index SET index = known + 1, pruned = known + 1 WHERE index < known;
  SELECT pg_notify('latchkey', (known + 1)::text);
$$;

-- Notes that a standby took over, if it did; call it under the lock of the commit index. The standby may lack commits, and count
-- up to the index of a process that has applied them: so all go on from an index that none has reached, and read everything.
CREATE FUNCTION latchkey_note_takeover() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE commit_index SET timeline = latchkey_timeline(), lease_phase = 'blind', lease_epoch = gen_random_uuid()::text,
    lease_closing = gen_random_uuid()::text, index = index + 1000000, pruned = index + 1000000
  WHERE timeline <> latchkey_timeline();
  RETURN FOUND;
END $$;

-- Asked before every commit; takes the lock of the commit index. Null: no lease is out, or only that of the author, who is
-- alone. Otherwise nothing may be committed now; the answer says which leases must end first, and no more are granted:
-- { id, epoch, holders: [{ id, process, beat }] }, with the id of the closing. Without `holders`, only time tells.
--
-- author_beat: the author holds no lease that was granted to a heartbeat up to this one. A statement that arrives late
-- cannot know of later leases. waited: a closing (or epoch) whose leases have all ended, as the author knows.
CREATE FUNCTION latchkey_close_leases(author text, author_beat bigint, waited text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  state   commit_index;
  holders json;
  has_waited boolean;
BEGIN
  SELECT * INTO state FROM commit_index FOR UPDATE;
  IF latchkey_note_takeover() THEN SELECT * INTO state FROM commit_index; END IF;
  has_waited := coalesce(waited IN (state.lease_closing, state.lease_epoch), false);
  IF state.lease_phase = 'blind' AND NOT has_waited THEN
    RETURN json_build_object('id', state.lease_closing, 'epoch', state.lease_epoch);
  END IF;
  IF state.lease_phase = 'none' OR state.lease_phase <> 'blind' AND NOT EXISTS (SELECT FROM member
    WHERE id <> author AND left_at IS NULL AND (NOT is_fenced OR lease_epoch = state.lease_epoch))
  THEN RETURN NULL; END IF;
  IF state.lease_phase = 'open' OR NOT has_waited THEN
    SELECT json_agg(json_build_object('id', id, 'process', process, 'beat', beat)) INTO holders FROM member
    WHERE lease_epoch = state.lease_epoch AND left_at IS NULL AND (id <> author OR beat > author_beat);
    IF holders IS NOT NULL THEN
      IF state.lease_phase = 'open' THEN
        UPDATE commit_index SET lease_phase = 'closing', lease_closing = gen_random_uuid()::text
        RETURNING lease_closing INTO state.lease_closing;
        -- If the database crashes and forgets this, leases are open as before: hence `beat`, which tells a holder from one
        -- that gave up its lease before the crash, and `id`, which tells the closing of before from a later one.
        PERFORM set_config('synchronous_commit', 'off', true);
      END IF;
      PERFORM pg_notify('latchkey_lease', 'close ' || state.lease_epoch);
      RETURN json_build_object('id', state.lease_closing, 'epoch', state.lease_epoch, 'holders', holders);
    END IF;
  END IF;
  UPDATE commit_index SET lease_phase = 'none';
  RETURN NULL;
END $$;

-- Adds a member, or readmits one, through the commit index. A join ends all leases, as commits do: the one of a process that
-- is alone would not outlive the next commit. Joins are numbered with heartbeats: one that arrives after a later heartbeat
-- changes nothing. Heartbeats take the advisory lock in shared mode, joins alone: a heartbeat either was over before the
-- join, or sees the new member. Answers { index }, or what latchkey_close_leases does.
CREATE FUNCTION latchkey_enter(joining jsonb, waited text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  m        member := jsonb_populate_record(NULL::member, joining);
  at_index bigint;
  closing  json;
BEGIN
  PERFORM pg_advisory_xact_lock(7270736901);
  PERFORM FROM commit_index FOR UPDATE;
  closing := latchkey_close_leases(m.id, m.beat, waited);
  IF closing IS NOT NULL THEN RETURN closing; END IF;
  UPDATE commit_index SET index = index + 1 RETURNING index INTO at_index;
  INSERT INTO member (id, datacenter, node, version, mode, address, process, started_at, heartbeat_at, join_index,
    seen_index, beat)
  VALUES (m.id, m.datacenter, m.node, m.version, m.mode, m.address, m.process, clock_timestamp(), clock_timestamp(),
    at_index, at_index - 1, m.beat)
  ON CONFLICT (id) DO UPDATE SET mode = excluded.mode, address = excluded.address, is_leader = false,
    is_fenced = false, heartbeat_at = excluded.heartbeat_at, left_at = NULL, join_index = excluded.join_index,
    seen_index = excluded.seen_index, beat = excluded.beat, lease_epoch = NULL
  WHERE member.beat < excluded.beat;
  INSERT INTO change (index, ordinal, entity, op, key) VALUES (at_index, 0, 'members', 'put', m.id);
  PERFORM pg_notify('latchkey', at_index::text);
  RETURN json_build_object('index', at_index);
END $$;

-- A sign of life, with a lease for members that ask. Answers { is_member, index, now, others, lease, closing, clock }: whether
-- the sender is still a member; how many others may commit; whether it has a lease, counted from when it sent this; the id
-- of the closing if leases must end; and what another member thinks of the clock: the leader first, then who has been there
-- longest. An opinion from before a step of the clock is not about the time that the clock tells now, and is left out.
--
-- beating: the columns of the member, and holds_lease: whether it holds a lease now; asks_lease: whether it wants one;
-- waited: a closing (or epoch) whose leases have all run out, as the sender knows. A heartbeat that arrives after a later
-- one changes nothing.
--
-- Members silent for longer than `failed_after` are fenced first, under the lock of the index, so that none of their commits
-- comes after the index that is answered. Their leases count until they run out.
CREATE FUNCTION latchkey_heartbeat(beating jsonb, failed_after interval) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  m        member := jsonb_populate_record(NULL::member, beating);
  state    commit_index;
  held     text;
  others   integer;
  granted  boolean := false;
  now_ms   double precision;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7270736901);
  UPDATE member SET mode = m.mode, address = m.address, is_leader = m.is_leader, seen_index = m.seen_index,
    clock_ahead_ms = m.clock_ahead_ms, clock_measured_ms = m.clock_measured_ms, replication = m.replication,
    heartbeat_at = clock_timestamp(), beat = m.beat,
    lease_epoch = CASE WHEN (beating ->> 'holds_lease')::boolean THEN lease_epoch END
  WHERE id = m.id AND NOT is_fenced AND left_at IS NULL AND beat < m.beat
  RETURNING lease_epoch INTO held;
  IF NOT FOUND THEN RETURN json_build_object('is_member', false); END IF;
  IF EXISTS (SELECT FROM member WHERE NOT is_fenced AND left_at IS NULL
    AND heartbeat_at < clock_timestamp() - failed_after)
  THEN
    PERFORM FROM commit_index FOR UPDATE;
    -- A row that is locked is being beaten for right now.
    UPDATE member SET is_fenced = true, is_leader = false
    WHERE id IN (SELECT id FROM member WHERE NOT is_fenced AND left_at IS NULL
      AND heartbeat_at < clock_timestamp() - failed_after FOR UPDATE SKIP LOCKED);
  END IF;
  SELECT count(*) INTO others FROM member WHERE id <> m.id AND NOT is_fenced AND left_at IS NULL;
  SELECT * INTO state FROM commit_index;
  IF (beating ->> 'asks_lease')::boolean THEN
    -- Without the lock: the holder of a lease is known to every writer already, and to one that is alone there is no writer.
    granted := state.lease_phase = 'open' AND state.timeline = latchkey_timeline()
      AND (held IS NOT DISTINCT FROM state.lease_epoch OR others = 0);
    IF NOT granted THEN
      SELECT * INTO state FROM commit_index FOR UPDATE SKIP LOCKED;
      IF NOT FOUND THEN
        SELECT * INTO state FROM commit_index;
      ELSIF latchkey_note_takeover() THEN
        SELECT * INTO state FROM commit_index;
      ELSE
        IF state.lease_phase = 'none'
          OR state.lease_phase IN ('closing', 'blind') AND beating ->> 'waited' IN (state.lease_closing, state.lease_epoch)
        THEN
          UPDATE commit_index SET lease_phase = 'open', lease_epoch = gen_random_uuid()::text RETURNING * INTO state;
        END IF;
        granted := state.lease_phase = 'open';
      END IF;
    END IF;
    IF granted AND held IS DISTINCT FROM state.lease_epoch THEN
      UPDATE member SET lease_epoch = state.lease_epoch WHERE id = m.id;
    END IF;
  END IF;
  SELECT index INTO state.index FROM commit_index;
  now_ms := extract(epoch FROM clock_timestamp()) * 1000;
  RETURN json_build_object('is_member', true, 'index', state.index, 'others', others, 'now', now_ms, 'lease', granted,
    'closing', CASE WHEN state.lease_phase IN ('closing', 'blind') THEN state.lease_closing END,
    'clock', (
      SELECT json_build_object('aheadMs', clock_ahead_ms, 'isLeader', is_leader) FROM member
      WHERE id <> m.id AND NOT is_fenced AND left_at IS NULL AND abs(now_ms - clock_measured_ms) < 3000
      ORDER BY is_leader DESC, started_at, id LIMIT 1));
END $$;

-- Marks a member as left or, if it is known to be dead, fences it; either way it holds no lease. last_beat: only if this was
-- its last heartbeat; null: in any case.
CREATE FUNCTION latchkey_leave(leaving text, is_dead boolean, last_beat bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  at_index bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(7270736901);
  PERFORM FROM commit_index FOR UPDATE;
  PERFORM latchkey_note_takeover();
  UPDATE commit_index SET index = index + 1 RETURNING index INTO at_index;
  UPDATE member SET
    is_leader = false,
    is_fenced = is_fenced OR is_dead,
    lease_epoch = NULL,
    left_at = CASE WHEN is_dead THEN left_at ELSE clock_timestamp() END
  WHERE id = leaving AND (last_beat IS NULL OR beat = last_beat);
  INSERT INTO change (index, ordinal, entity, op, key) VALUES (at_index, 0, 'members', 'put', leaving);
  PERFORM pg_notify('latchkey', at_index::text);
END $$;

-- Names of intentions match regardless of case: keys have them in lower case. A restore calls this, because an archive of a
-- version before 1.0.0 may have others. Of intentions that differ only in case, the one that denies most is kept, then the
-- oldest.
CREATE FUNCTION latchkey_fold_intentions() RETURNS void LANGUAGE sql AS $$
  DELETE FROM intention WHERE key IN (SELECT key FROM (
    SELECT key, row_number() OVER (
      PARTITION BY destination_ns, lower(destination_name), source_ns, lower(source_name)
      ORDER BY action IS NOT DISTINCT FROM 'allow', action IS NULL, create_index, key) AS place
    FROM intention) ranked WHERE place > 1);
  DELETE FROM intention_destination WHERE key IN (SELECT key FROM (
    SELECT key, row_number() OVER (
      PARTITION BY destination_ns, lower(destination_name) ORDER BY create_index, key) AS place
    FROM intention_destination) ranked WHERE place > 1);
  UPDATE intention SET key = concat('[', to_json(destination_ns), ',', to_json(lower(destination_name)), ',',
    to_json(source_ns), ',', to_json(lower(source_name)), ']')
  WHERE destination_name <> lower(destination_name) OR source_name <> lower(source_name);
  UPDATE intention_destination SET key = concat('[', to_json(destination_ns), ',', to_json(lower(destination_name)), ']')
  WHERE destination_name <> lower(destination_name);
$$;

-- What lives in a namespace, and the namespace: each commit sees both. A record is only put where its namespace is, and a
-- namespace is only deleted when it holds nothing; else the commit answers 'changed', so that its author looks again.
-- Functions keep their parameters: processes of the version before call them as they did, and are held to this too.

-- `default` always exists. Null (a token that is deleted brings none) is taken for it.
CREATE FUNCTION latchkey_namespace_exists(asked text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN coalesce(asked, 'default') = 'default' OR EXISTS (SELECT FROM namespace WHERE name = asked);
END $$;

-- Whether a namespace other than `default` holds anything. Looked up by index, however large the tables are: all other
-- writers wait.
CREATE FUNCTION latchkey_namespace_holds(asked text) RETURNS boolean LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  RETURN asked <> 'default' AND (
    EXISTS (SELECT FROM token WHERE namespace = asked AND namespace <> 'default')
    OR EXISTS (SELECT FROM policy WHERE namespace = asked)
    OR EXISTS (SELECT FROM role WHERE namespace = asked)
    OR EXISTS (SELECT FROM kv WHERE namespace = asked));
END $$;

-- The functions below are as they were, with these two questions added.

CREATE OR REPLACE FUNCTION latchkey_conflict(change jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  row_of      jsonb := change->'row';
  expected    bigint := (change->>'expect')::bigint;
  is_put      boolean := change->>'op' = 'put';
  existing    bigint;
  holds_id    boolean;
  holds_id_2  boolean;
BEGIN
  CASE change->>'table'
  WHEN 'tokens' THEN
    SELECT
      (SELECT modify_index FROM token WHERE secret_hash = (row_of->>'secret_hash')::bytea),
      is_put AND (
        EXISTS (SELECT FROM token
          WHERE accessor_key = row_of->>'accessor_key' AND secret_hash <> (row_of->>'secret_hash')::bytea)
        OR expected = 0 AND EXISTS (SELECT FROM token WHERE secret_hash = (change->>'accessor_as_secret')::bytea)),
      is_put AND expected = 0 AND EXISTS (SELECT FROM token
        WHERE accessor_hash = (change->>'secret_as_accessor')::bigint)
    INTO existing, holds_id, holds_id_2;
    IF holds_id THEN RETURN 'accessor_in_use'; END IF;
    IF is_put AND expected = 0 AND (holds_id_2 OR existing IS NOT NULL) THEN RETURN 'secret_in_use'; END IF;
  WHEN 'policies' THEN
    SELECT
      (SELECT modify_index FROM policy WHERE id = row_of->>'id'),
      is_put AND EXISTS (SELECT FROM policy WHERE namespace = row_of->>'namespace'
        AND name_key = row_of->>'name_key' AND id <> row_of->>'id')
    INTO existing, holds_id;
    IF holds_id THEN RETURN 'name_in_use'; END IF;
  WHEN 'roles' THEN
    SELECT
      (SELECT modify_index FROM role WHERE id = row_of->>'id'),
      is_put AND EXISTS (SELECT FROM role WHERE namespace = row_of->>'namespace'
        AND name_key = row_of->>'name_key' AND id <> row_of->>'id')
    INTO existing, holds_id;
    IF holds_id THEN RETURN 'name_in_use'; END IF;
  WHEN 'namespaces' THEN
    existing := (SELECT modify_index FROM namespace WHERE name = row_of->>'name');
  WHEN 'system' THEN
    existing := (SELECT modify_index FROM system WHERE key = row_of->>'key');
  WHEN 'kv' THEN
    IF change->>'op' = 'delete-tree' THEN RETURN NULL; END IF;
    existing := (SELECT modify_index FROM kv
      WHERE namespace = row_of->>'namespace' AND key = (row_of->>'key')::bytea);
  END CASE;
  IF coalesce(existing, 0) <> expected THEN RETURN 'changed'; END IF;
  IF change->>'table' = 'namespaces' THEN
    IF NOT is_put AND latchkey_namespace_holds(row_of->>'name') THEN RETURN 'changed'; END IF;
  ELSIF is_put AND NOT latchkey_namespace_exists(row_of->>'namespace') THEN
    RETURN 'changed';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION latchkey_commit_tokens(changes jsonb, before bigint) RETURNS text[] LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  results text[];
BEGIN
  WITH input AS MATERIALIZED (
    SELECT n, c->>'op' AS op, (c->>'expect')::bigint AS expected,
      (c->>'accessor_as_secret')::bytea AS accessor_as_secret,
      (c->>'secret_as_accessor')::bigint AS secret_as_accessor,
      (c->>'service_identities')::json AS services, (c->>'node_identities')::json AS nodes, t.*
    FROM jsonb_array_elements(changes) WITH ORDINALITY AS e (c, n), jsonb_populate_record(NULL::token, c->'row') AS t
  ),
  checked AS MATERIALIZED (
    SELECT i.*, CASE
      WHEN op = 'put' AND (SELECT t.secret_hash FROM token t WHERE t.accessor_key = i.accessor_key) <> i.secret_hash
        THEN 'accessor_in_use'
      WHEN expected > 0 OR op = 'delete' THEN CASE
        WHEN coalesce((SELECT modify_index FROM token t WHERE t.secret_hash = i.secret_hash), 0) <> expected
          OR op = 'put' AND namespace <> 'default'
            AND (SELECT true FROM namespace n WHERE n.name = i.namespace) IS NULL
        THEN 'changed' END
      WHEN (SELECT true FROM token t WHERE t.secret_hash = i.accessor_as_secret) THEN 'accessor_in_use'
      WHEN (SELECT true FROM token t WHERE t.secret_hash = i.secret_hash)
        OR (SELECT true FROM token t WHERE t.accessor_hash = i.secret_as_accessor LIMIT 1) THEN 'secret_in_use'
      WHEN namespace <> 'default' AND (SELECT true FROM namespace n WHERE n.name = i.namespace) IS NULL
        THEN 'changed'
    END AS reason
    FROM input i
  ),
  numbered AS MATERIALIZED (
    SELECT c.*, before + count(*) FILTER (WHERE reason IS NULL) OVER (ORDER BY n) AS at_index FROM checked c
  ),
  put AS (
    INSERT INTO token
    SELECT secret_hash, secret_cipher, secret_key_id, accessor_id, accessor_key, accessor_hash, namespace, description,
      policies, roles, services, service_names, nodes, rules, type, local, auth_method, expiration_time, expires_at,
      create_time, hash, coalesce(nullif(create_index, 0), at_index), at_index
    FROM numbered WHERE reason IS NULL AND op = 'put'
    ON CONFLICT (secret_hash) DO UPDATE SET
      secret_cipher = excluded.secret_cipher,
      secret_key_id = excluded.secret_key_id,
      accessor_id = excluded.accessor_id,
      accessor_key = excluded.accessor_key,
      accessor_hash = excluded.accessor_hash,
      namespace = excluded.namespace,
      description = excluded.description,
      policies = excluded.policies,
      roles = excluded.roles,
      service_identities = excluded.service_identities,
      service_names = excluded.service_names,
      node_identities = excluded.node_identities,
      rules = excluded.rules,
      type = excluded.type,
      local = excluded.local,
      auth_method = excluded.auth_method,
      expiration_time = excluded.expiration_time,
      expires_at = excluded.expires_at,
      create_time = excluded.create_time,
      hash = excluded.hash,
      modify_index = excluded.modify_index
  ),
  removed AS (
    DELETE FROM token USING numbered m
    WHERE m.reason IS NULL AND m.op = 'delete' AND token.secret_hash = m.secret_hash
  ),
  logged AS (
    INSERT INTO change SELECT at_index, 0, 'tokens', op, accessor_key, secret_hash FROM numbered WHERE reason IS NULL
  )
  SELECT array_agg(coalesce(reason, at_index::text) ORDER BY n) INTO results FROM numbered;
  RETURN results;
END $$;

CREATE OR REPLACE FUNCTION latchkey_commit_at_once(author text, known bigint, ops text[], expected bigint[],
  accessors_as_secrets bytea[], secrets_as_accessors bigint[],
  secret_hashes bytea[], secret_ciphers bytea[], secret_key_ids text[],
  accessor_ids text[], accessor_keys text[], accessor_hashes bigint[],
  namespaces text[], descriptions text[], policy_lists text[], role_lists text[],
  service_lists text[], service_name_lists text[], node_lists text[],
  rule_texts text[], types text[], locals boolean[], auth_methods text[],
  expiration_times text[], expire_ats timestamptz[], create_times text[], hashes text[], create_indexes bigint[])
RETURNS bigint LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  before bigint;
  total  integer := cardinality(secret_hashes);
  done   integer;
BEGIN
  SELECT index INTO before FROM commit_index FOR UPDATE;
  IF before < known
    OR NOT EXISTS (SELECT FROM member WHERE id = author AND NOT is_fenced AND left_at IS NULL)
    OR EXISTS (SELECT FROM token WHERE secret_hash = ANY (accessors_as_secrets))
    OR EXISTS (SELECT FROM token WHERE accessor_hash = ANY (secrets_as_accessors))
    OR EXISTS (SELECT FROM (SELECT DISTINCT unnest(namespaces) AS name) AS held
      WHERE NOT latchkey_namespace_exists(held.name))
  THEN RETURN NULL; END IF;
  BEGIN
    WITH input AS MATERIALIZED (
      SELECT coalesce(op, ops[1]) AS op, coalesce(expect, expected[1]) AS expect,
        secret_hash, secret_cipher, coalesce(secret_key_id, secret_key_ids[1]) AS secret_key_id,
        accessor_id, accessor_key, accessor_hash,
        coalesce(namespace, namespaces[1]) AS namespace, coalesce(description, descriptions[1]) AS description,
        coalesce(policies, policy_lists[1])::text[] AS policies, coalesce(roles, role_lists[1])::text[] AS roles,
        coalesce(services, service_lists[1])::json AS services,
        coalesce(service_names, service_name_lists[1])::text[] AS service_names,
        coalesce(nodes, node_lists[1])::json AS nodes, coalesce(rules, rule_texts[1]) AS rules,
        coalesce(type, types[1]) AS type, coalesce(local, locals[1]) AS local,
        coalesce(auth_method, auth_methods[1]) AS auth_method, expiration_time, expires_at,
        coalesce(create_time, create_times[1]) AS create_time, coalesce(hash, hashes[1]) AS hash,
        coalesce(create_index, create_indexes[1]) AS create_index, before + n AS at_index
      FROM unnest(ops, expected, secret_hashes, secret_ciphers, secret_key_ids, accessor_ids, accessor_keys,
        accessor_hashes, namespaces, descriptions, policy_lists, role_lists, service_lists, service_name_lists,
        node_lists, rule_texts, types, locals, auth_methods, expiration_times, expire_ats, create_times, hashes,
        create_indexes)
      WITH ORDINALITY AS i (op, expect, secret_hash, secret_cipher, secret_key_id, accessor_id, accessor_key,
        accessor_hash, namespace, description, policies, roles, services, service_names, nodes,
        rules, type, local, auth_method, expiration_time, expires_at, create_time, hash, create_index, n)
    ),
    created AS (
      INSERT INTO token
      SELECT secret_hash, secret_cipher, secret_key_id, accessor_id, accessor_key, accessor_hash, namespace, description,
        policies, roles, services, service_names, nodes, rules, type, local,
        auth_method, expiration_time, expires_at, create_time, hash,
        coalesce(nullif(create_index, 0), at_index), at_index
      FROM input i WHERE op = 'put' AND expect = 0
      RETURNING 1
    ),
    updated AS (
      UPDATE token t SET
        secret_cipher = i.secret_cipher,
        secret_key_id = i.secret_key_id,
        accessor_id = i.accessor_id,
        accessor_key = i.accessor_key,
        accessor_hash = i.accessor_hash,
        namespace = i.namespace,
        description = i.description,
        policies = i.policies,
        roles = i.roles,
        service_identities = i.services,
        service_names = i.service_names,
        node_identities = i.nodes,
        rules = i.rules,
        type = i.type,
        local = i.local,
        auth_method = i.auth_method,
        expiration_time = i.expiration_time,
        expires_at = i.expires_at,
        create_time = i.create_time,
        hash = i.hash,
        modify_index = i.at_index
      FROM input i
      WHERE i.op = 'put' AND i.expect > 0 AND t.secret_hash = i.secret_hash AND t.modify_index = i.expect
      RETURNING 1
    ),
    removed AS (
      DELETE FROM token t USING input i
      WHERE i.op = 'delete' AND t.secret_hash = i.secret_hash AND t.modify_index = i.expect
      RETURNING 1
    ),
    logged AS (
      INSERT INTO change SELECT at_index, 0, 'tokens', op, accessor_key, secret_hash FROM input
    )
    SELECT (SELECT count(*) FROM created) + (SELECT count(*) FROM updated) + (SELECT count(*) FROM removed) INTO done;
    IF done < total THEN RAISE unique_violation; END IF;
  EXCEPTION WHEN unique_violation THEN
    RETURN NULL;
  END;
  UPDATE commit_index SET index = before + total, tokens = before + total;
  PERFORM pg_notify('latchkey', (before + total)::text);
  RETURN before;
END $$;

-- What an earlier version left in a namespace that is gone gets its namespace back, without defaults: so it can be seen
-- and deleted.
DO $$
DECLARE
  at_index bigint;
  lost     text[];
BEGIN
  SELECT index + 1 INTO at_index FROM commit_index FOR UPDATE;
  SELECT array_agg(namespace ORDER BY namespace) INTO lost FROM (
    SELECT namespace FROM token UNION SELECT namespace FROM policy
    UNION SELECT namespace FROM role UNION SELECT namespace FROM kv
  ) AS held WHERE NOT latchkey_namespace_exists(namespace);
  IF lost IS NULL THEN RETURN; END IF;
  INSERT INTO namespace SELECT name, '', '{}', '{}', at_index, at_index FROM unnest(lost) AS name;
  INSERT INTO change (index, ordinal, entity, op, key)
    SELECT at_index, n - 1, 'namespaces', 'put', name FROM unnest(lost) WITH ORDINALITY AS l (name, n);
  UPDATE commit_index SET index = at_index, namespaces = at_index;
  PERFORM pg_notify('latchkey', at_index::text);
END $$;

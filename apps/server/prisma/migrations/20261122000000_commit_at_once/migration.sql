-- An update finds room beside the row it replaces, so that only indexes of what it changes need a new entry.
ALTER TABLE token SET (fillfactor = 85);

-- Commits changes of single tokens that share no id with each other, on the assumption that none of them conflicts: for
-- two thirds of the cost of latchkey_commit, which looks at each. Parameters from `ops` on have one element per change, as
-- src/storage/token-columns.ts makes them, or a single one that is the same for all: only of columns that are never
-- null, which is why `coalesce` finds it. `expected`: 0 for a create, else the index of the change that is replaced.
--
-- Answers the index before the group; then the changes have the indexes that follow, in their order. Or null where
-- something is in the way, and nothing was done: latchkey_commit finds out for whom.
--
-- For the settings see latchkey_commit_tokens.
CREATE FUNCTION latchkey_commit_at_once(author text, known bigint, ops text[], expected bigint[],
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

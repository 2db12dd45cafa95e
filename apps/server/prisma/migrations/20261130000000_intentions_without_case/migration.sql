-- Names of intentions match regardless of case: keys have them in lower case. Of intentions that differ only in case, the one that
-- denies most is kept, then the oldest. A restore calls this too, because an archive may be older.
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

SELECT latchkey_fold_intentions();

/**
 * Skews the clock of a database. The store's statements call `clock_timestamp()` by its bare name, so a schema that precedes
 * PostgreSQL's own in the search path can replace it. The schema of the tables stays first, because a starting server looks
 * for them there.
 */
import pg from 'pg'

interface SkewedClock {
  /** Sets how far the clock is ahead, in milliseconds. */
  skew(ms: number): Promise<unknown>
  close(): Promise<void>
}

/** @param url a migrated database. Open connections keep the right clock. */
export async function openSkewedClock(url: string): Promise<SkewedClock> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    CREATE SCHEMA skew;
    CREATE TABLE skew.by (ms double precision);
    INSERT INTO skew.by VALUES (0);
    CREATE FUNCTION skew.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS
      'SELECT pg_catalog.clock_timestamp() + ms * interval ''1 ms'' FROM skew.by';
    DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET search_path = public, skew, pg_catalog', current_database());
    END $$`)
  return { skew: (ms) => client.query('UPDATE skew.by SET ms = $1', [ms]), close: () => client.end() }
}

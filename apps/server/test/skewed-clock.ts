/**
 * Sets the clock of a database of its own. The statements of the store ask `clock_timestamp()` by its bare name, so a schema that
 * comes before PostgreSQL's own in the search path decides what it says. That of the tables comes first, as a server that starts
 * looks for them there.
 */
import pg from 'pg'

interface SkewedClock {
  /** How far the clock is ahead from now on, in milliseconds. */
  skew(ms: number): Promise<unknown>
  close(): Promise<void>
}

/** @param url a migrated database. Connections that are open keep the right clock. */
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
  return {
    skew: (ms) => client.query('UPDATE skew.by SET ms = $1', [ms]),
    close: () => client.end(),
  }
}

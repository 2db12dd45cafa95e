import pg from 'pg'

const CONNECT_MS = 2_000
/** Replacing a million rows takes minutes. */
const STATEMENT_MS_MAX = 900_000

/** Opens a separate connection: backup and restore take minutes, and the pool is for requests. The caller ends it. */
export async function connectForArchive(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'latchkey-archive',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS_MAX,
  })
  // The next statement reports a lost connection; without a listener, the event would end the process.
  client.on('error', () => {})
  await client.connect()
  return client
}

import pg from 'pg'

/** A database URL for messages: `user@host:port/database`, never the password or other parameters. */
export function describeDatabase(url: string): string {
  const { user, host, port, database } = new pg.Client({ connectionString: url })
  return `${user ?? ''}@${host}:${port}/${database ?? ''}`
}

import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { createTestDatabase } from './database.ts'
import { atEndOfFile } from './end-of-file.ts'
import { SERVER_ENV } from './shared-env.ts'

/** Starts a server, by default on a new database. It is killed after all tests of the file. */
export async function startTestServer(env: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const databaseUrl = env.DATABASE_URL ?? (await createTestDatabase()).url
  const server = await runServer({ ...SERVER_ENV, DATABASE_URL: databaseUrl, ...env })
  atEndOfFile(() => server.stop('SIGKILL'))
  return server
}

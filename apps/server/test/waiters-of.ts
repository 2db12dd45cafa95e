import type { RunningServer } from '@latchkey/testkit/process/server-process'

/** Number of queries waiting on a server: tests poll it until theirs are waiting. */
export async function waitersOf(server: RunningServer, token: string): Promise<number> {
  const { body } = await server.call('GET', '/agent/metrics?format=prometheus', { token })
  return Number(/^latchkey_store_waiters (\d+)$/m.exec(body)?.[1])
}

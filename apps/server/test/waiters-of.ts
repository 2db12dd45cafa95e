import type { RunningServer } from '@latchkey/testkit/process/server-process'

/** How many queries a server holds: a test that needs them waiting waits for the number. */
export async function waitersOf(server: RunningServer, token: string): Promise<number> {
  const { body } = await server.call('GET', '/agent/metrics?format=prometheus', { token })
  return Number(/^latchkey_store_waiters (\d+)$/m.exec(body)?.[1])
}

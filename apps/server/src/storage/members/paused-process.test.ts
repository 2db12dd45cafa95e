import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { MEMBER_FAILED_AFTER_MS } from '@latchkey/acl'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { type TestContext, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { openTestStore, putNew, testKey } from '../../../test/store.ts'
import { LEASE_MS } from './leases/lease.ts'

const PATIENCE = { timeout: 30_000 }
const PROGRAM = join(import.meta.dirname, '../../../test/run-store.ts')

interface OtherProcess {
  readonly url: string
  ask(operation: 'read' | 'create', secretId: string): Promise<Record<string, unknown>>
  signal(signal: NodeJS.Signals): void
  readonly exited: Promise<unknown>
}

/** A process with a store on a separate database. */
async function startOther({ onTestFinished, expect }: TestContext): Promise<OtherProcess> {
  const database = await createTestDatabase()
  const child = spawn(process.execPath, [PROGRAM, database.url, testKey('test')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const lines = createInterface(child.stdout)
  const nextLine = async () => String((await once(lines, 'line'))[0])
  expect(await nextLine()).toBe('open')
  return {
    url: database.url,
    exited,
    signal: (signal) => child.kill(signal),
    async ask(operation, secretId) {
      child.stdin.write(`${operation} ${secretId}\n`)
      return JSON.parse(await nextLine())
    },
  }
}

test.concurrent.for([
  { pause: 'less than its lease', ms: LEASE_MS / 2 },
  { pause: 'longer than its lease', ms: LEASE_MS + 500 },
  { pause: 'until it is fenced', ms: MEMBER_FAILED_AFTER_MS + 1_500 },
])(
  'DUR-04: paused for $pause, a process that was alone answers with what was written during the pause',
  async ({ ms }, context) => {
    const { expect } = context
    const { url, ask, signal } = await startOther(context)
    const [own, early, late, afterwards] = [aToken(), aToken(), aToken(), aToken()]
    await ask('create', own.SecretID)
    await expect.poll(async () => (await ask('read', early.SecretID)).isAlone, PATIENCE).toBe(true)
    signal('SIGSTOP')
    // Waits until the other process's lease has expired, or until that process runs again.
    const opening = openTestStore({ url })
    const writing = opening.then((store) => store.commit([putNew(early)]))
    await sleep(ms)
    // An expired lease delays no writer: the write ends while the process is paused.
    if (ms > LEASE_MS) await writing
    const store = await (ms > LEASE_MS ? opening : undefined)
    await store?.commit([putNew(late)])
    signal('SIGCONT')
    await writing
    expect(await ask('read', early.SecretID)).toMatchObject({ found: true, isAlone: false })
    expect(await ask('read', late.SecretID)).toMatchObject({ found: store !== undefined })
    expect(await ask('create', afterwards.SecretID)).toMatchObject({ index: expect.any(Number) })
    const other = await opening
    await other.refresh('default')
    expect(await other.tokenBySecret(afterwards.SecretID)).toBeDefined()
    await other.close()
  },
)

test.concurrent('DUR-04: a member that is paused while it holds a lease delays only the next write, until that lease expires, and shows all writes afterwards', async (context) => {
  const { expect } = context
  const { url, ask, signal } = await startOther(context)
  const store = await openTestStore({ url })
  const [first, second] = [aToken(), aToken()]
  const holdBoth = async () => {
    await store.refresh('default')
    return (await ask('read', first.SecretID)).hasLease === true && store.status().hasLease
  }
  await expect.poll(holdBoth, PATIENCE).toBe(true)
  signal('SIGSTOP')
  await store.commit([putNew(first)])
  const { count, longestMs } = store.status().closings
  expect(longestMs).toBeGreaterThan(LEASE_MS / 4)
  await store.commit([putNew(second)])
  expect(store.status().closings.count).toBe(count)
  signal('SIGCONT')
  for (const { SecretID } of [first, second]) {
    expect(await ask('read', SecretID)).toMatchObject({ found: true })
  }
  await store.close()
})

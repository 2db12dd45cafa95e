import { createServer } from 'node:http'
import { createClient } from '@latchkey/sdk'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'
import { afterEach, expect, test } from 'vitest'
import { formatWatchLine, type WatchLine, watchMigration } from './watch.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A service whose migration advances with every request. */
async function serve(states: readonly object[]): Promise<string> {
  let asked = 0
  const server = createServer((_request, response) => {
    const state = states[Math.min(asked, states.length - 1)]
    asked += 1
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(state))
  })
  const port = await listenOnFreePort(server)
  closers.push(() => server.close())
  return `http://127.0.0.1:${port}`
}

const status = (State: string, Done: number) => ({
  State,
  Done,
  Total: 200,
  Batches: Math.ceil(Done / 128),
  TokensPerSecond: 128,
  EstimatedSeconds: (200 - Done) / 128,
})

test('tells each change once, and ends when the migration is done', async () => {
  const address = await serve([status('running', 128), status('running', 128), status('done', 200)])
  const lines: WatchLine[] = []
  const client = createClient({ address, env: false })
  for await (const line of watchMigration(client, { intervalMs: 1, signal: new AbortController().signal }))
    lines.push(line)
  expect(lines.map(({ state, done }) => [state, done])).toEqual([
    ['running', 128],
    ['done', 200],
  ])
})

test('an interruption ends it with the reason', async () => {
  const address = await serve([status('running', 128)])
  const interrupted = new AbortController()
  const lines = watchMigration(createClient({ address, env: false }), {
    intervalMs: 60_000,
    signal: interrupted.signal,
  })
  await lines.next()
  const next = lines.next()
  interrupted.abort(new Error('interrupted'))
  await expect(next).rejects.toThrow('interrupted')
})

test('the bar shows rate and time left', () => {
  const line = {
    at: '',
    state: 'running',
    done: 5_001,
    total: 10_002,
    batches: 40,
    tokensPerSecond: 128,
    estimatedSeconds: 38.2,
  }
  expect(formatWatchLine(line)).toBe(
    '[===============               ] 5,001 of 10,002 tokens, 128 a second, 39 s left',
  )
})

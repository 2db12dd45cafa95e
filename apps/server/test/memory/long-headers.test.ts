/** DOS-05 from outside: strangers present invented secrets, each in a header of maximum length. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { anId } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { startTestServer } from '../server.ts'

const HEAP_MIB = 128
const REQUESTS = 8_000
const CLIENTS = 16
const MIB = 1_048_576

const server = await startTestServer({ NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` })

/** What an anonymous caller gets for a header, `REQUESTS` times, by text. */
async function answersTo(header: (i: number) => Record<string, string>): Promise<Record<string, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const counts: Record<string, number> = {}
  let next = 0
  const client = async () => {
    while (next < REQUESTS) {
      next += 1
      const asked = request(`${server.url}/v1/acl/token/self`, { agent, headers: header(next) }).end()
      const [answer] = await once(asked, 'response')
      let text = `${answer.statusCode} `
      for await (const piece of answer.setEncoding('utf8')) text += piece
      counts[text] = (counts[text] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  agent.destroy()
  return counts
}

/** Resident memory of the server without its program files, in bytes. */
function memory(): number {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8')
  return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1]) * 1_024
}

test.each([
  ['a UUID followed by 15 KB', (i: number) => ({ Authorization: `Bearer ${anId(i)} ${'x'.repeat(15_000)}` })],
  [
    'a UUID followed by 15 KB of non-breaking spaces',
    (i: number) => ({ 'X-Service-Token': anId(i) + '\u00a0'.repeat(15_000) }),
  ],
])(
  `DOS-05: ${REQUESTS} headers with %s are all 403 ACL not found, in a heap of ${HEAP_MIB} MiB`,
  async (_name, header) => {
    const before = memory()
    expect(await answersTo(header)).toEqual({ '403 ACL not found': REQUESTS })
    expect(memory() - before).toBeLessThan(64 * MIB)
  },
)

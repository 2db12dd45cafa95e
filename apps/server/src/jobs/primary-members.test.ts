import { createServer, type RequestListener } from 'node:http'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { PrimaryClient } from '../outgoing/primary-client.ts'
import { readPrimaryMembers } from './primary-members.ts'

const log = pino({ level: 'silent' })
const cleanUp: (() => unknown)[] = []
afterEach(() => Promise.all(cleanUp.splice(0).map((end) => end())))

async function aServer(listener: RequestListener): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    listener(request, response)
  })
  cleanUp.push(() => server.close())
  const port = await listenOnFreePort(server)
  return { url: `http://127.0.0.1:${port}`, asked }
}

function membersOf(url: string) {
  const primary = new PrimaryClient({ origins: [url], tls: async () => ({}) })
  cleanUp.push(() => primary.close())
  return readPrimaryMembers(primary, { datacenter: 'dc1', log })
}

test('SSRF-01: only the configured primary is asked, at one path', async () => {
  const primary = await aServer((_, response) => response.end('{"Mode":"enabled"}'))
  expect(await membersOf(primary.url)).toMatchObject({
    members: [{ id: primary.url, datacenter: 'dc1', mode: 'enabled' }],
    follows: undefined,
  })
  expect(primary.asked).toEqual(['/v1/acl/replication'])
})

test('detects a primary that names another datacenter as its primary', async () => {
  const status = '{"Mode":"legacy","SourceDatacenter":"dc2"}'
  const primary = await aServer((_, response) => response.end(status))
  expect(await membersOf(primary.url)).toMatchObject({ follows: 'dc2' })
})

test.each([301, 302, 303, 307, 308])(
  'SSRF-01: a redirect of the primary with %d is not followed',
  async (status) => {
    const other = await aServer((_, response) => response.end('{"Mode":"enabled"}'))
    const primary = await aServer((_, response) =>
      response.writeHead(status, { Location: `${other.url}/v1/acl/replication` }).end(),
    )
    expect(await membersOf(primary.url)).toBeUndefined()
    expect(primary.asked).toHaveLength(1)
    expect(other.asked).toEqual([])
  },
)

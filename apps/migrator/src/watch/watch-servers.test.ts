/** Watches real Latchkey servers, through their own endpoint and through the API that every version has. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { parseServiceVersion } from '@latchkey/contract'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'
import { serverMain } from '@latchkey/testkit/process/server-build'
import { expect, test } from 'vitest'
import { run } from '../../test/io.ts'
import { EXIT } from '../errors.ts'
import { Cluster } from '../rehearse/cluster.ts'
import { generateTokens } from '../rehearse/steps/tokens.ts'
import { readConnection } from '../scan/connection.ts'
import { HttpReader } from '../scan/http-reader.ts'
import { type WatchLine, watch } from './watch.ts'

const TOKENS = 300

test('two servers, the old one of which leaves: waiting, running and done, with every token (spec 9.2)', async () => {
  const cluster = new Cluster({
    main: serverMain(),
    datacenter: 'dc1',
    defaultPolicy: 'deny',
    managementSecret: randomUUID(),
  })
  const { signal } = new AbortController()
  const proxy = createServer((request, response) => {
    const isOurs = request.url?.startsWith('/v1/internal/') === true
    const headers = { 'X-Service-Token': cluster.managementSecret }
    // The reference service has no such endpoint.
    if (isOurs) response.writeHead(404).end()
    else
      void fetch(`${cluster.urlOf('new')}${request.url}`, { headers }).then(async (answer) => {
        response.writeHead(answer.status).end(await answer.text())
      })
  })
  try {
    await cluster.open()
    await cluster.start('old', { version: parseServiceVersion('1.3.1'), acls: true })
    const tokens = generateTokens([{ type: 'client', count: TOKENS, rules: '', unwritable: false }])
    await cluster.client(cluster.managementSecret).legacy.import(tokens, { timeout: 60_000 })
    await cluster.start('new', { version: parseServiceVersion('1.4.0'), acls: true })
    const proxied = `http://127.0.0.1:${await listenOnFreePort(proxy)}`
    const connect = (from: string) => readConnection({ from }, { LATCHKEY_TOKEN: cluster.managementSecret })
    const addresses = await Promise.all([cluster.urlOf('new'), proxied].map(connect))
    const [own, any] = addresses.map((address) => {
      return watch([new HttpReader(address, signal)], { intervalMs: 50, signal })
    })
    if (own === undefined || any === undefined) throw new TypeError('two watches')
    const first = [(await own.next()).value, (await any.next()).value]
    for (const line of first) {
      expect(line).toMatchObject({
        state: 'waiting',
        done: 0,
        total: TOKENS + 2,
        servers: [
          { name: 'new', mode: 'legacy' },
          { name: 'old', mode: 'old' },
        ],
      })
    }
    const gate = (...options: readonly string[]) =>
      run(['gate', '--url', proxied, '--to', '1.4.0', '--backup-confirmed', 'tested', ...options])
    expect(await gate()).toMatchObject({ code: EXIT.blockers, stdout: expect.stringContaining('old (1.3.1') })
    expect(await gate('--next', 'old')).toMatchObject({
      code: EXIT.done,
      stdout: expect.stringContaining('every condition holds'),
    })
    await cluster.end('old', 'SIGQUIT')
    const [ownLines, anyLines] = await Promise.all([restOf(own), restOf(any)])
    expect(ownLines.at(-1)).toMatchObject({ state: 'done', done: TOKENS + 2, total: TOKENS + 2, batches: 3 })
    expect(anyLines.at(-1)).toMatchObject({ state: 'done', done: TOKENS + 2, total: TOKENS + 2 })
    expect(anyLines.at(-1)?.servers).toContainEqual(expect.objectContaining({ name: 'new', mode: 'new' }))
    expect(await gate('--fail-on', 'warning')).toMatchObject({
      code: EXIT.blockers,
      stdout: expect.stringContaining('no-return-passed'),
    })
    const last = await run(['watch', '--url', proxied])
    expect(last.code).toBe(EXIT.done)
    expect(JSON.parse(last.stdout)).toMatchObject({ state: 'done' })
  } finally {
    proxy.close()
    await cluster.close()
  }
}, 240_000)

async function restOf(lines: AsyncGenerator<WatchLine>): Promise<WatchLine[]> {
  const rest: WatchLine[] = []
  for await (const line of lines) rest.push(line)
  return rest
}

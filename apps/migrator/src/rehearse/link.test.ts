import { createServer } from 'node:http'
import { parseServiceVersion } from '@latchkey/contract'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'
import { afterEach, expect, test } from 'vitest'
import type { RunningServer } from './cluster.ts'
import { Link } from './fleet.ts'

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const end of cleanUp.splice(0).reverse()) await end()
})

/** A server that answers with its name; to `/held`, it sends only the first part. */
async function aServer(id: string): Promise<RunningServer> {
  const server = createServer((request, response) => {
    if (request.url === '/held') response.write('begun')
    else response.end(id)
  })
  const port = await listenOnFreePort(server)
  cleanUp.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const version = parseServiceVersion('1.8.7')
  return { id, url: `http://127.0.0.1:${port}`, version, acls: true, isPaused: false }
}

async function aLink(servers: readonly RunningServer[]): Promise<{ link: Link; url: string }> {
  const link = new Link(() => servers)
  cleanUp.push(() => link.close())
  return { link, url: await link.open() }
}

const ask = async (url: string) =>
  (await fetch(url, { headers: { connection: 'close' } }).catch(() => undefined))?.text()

test('leads to a server that runs, also after another has taken its place', async () => {
  const servers = [await aServer('one')]
  const { url } = await aLink(servers)
  expect(await ask(url)).toBe('one')
  servers.splice(0, 1, await aServer('two'))
  expect(await ask(url)).toBe('two')
  servers.pop()
  expect(await ask(url)).toBeUndefined()
})

test('cut, it ends what is under way and lets nothing through until it heals', async () => {
  const { link, url } = await aLink([await aServer('one')])
  const held = await fetch(`${url}/held`)
  const body = held.text()
  link.cut()
  await expect(body).rejects.toThrow()
  expect(await ask(url)).toBeUndefined()
  link.heal()
  expect(await ask(url)).toBe('one')
})

test('closes with connections open', async () => {
  const { link, url } = await aLink([await aServer('one')])
  const held = await fetch(`${url}/held`)
  await link.close()
  await expect(held.text()).rejects.toThrow()
})

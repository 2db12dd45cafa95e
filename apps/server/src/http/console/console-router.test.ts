import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { consoleRouter } from './console-router.ts'

const SCRIPT = 'console.log("Latchkey")\n'.repeat(20)

let folder: string
let server: Server
let base: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-ui-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<meta name="latchkey-server" content="" /><div id="root"></div>')
  writeFileSync(join(folder, 'assets/main-1a2b.js'), SCRIPT)
  writeFileSync(join(folder, 'assets/main-1a2b.js.gz'), gzipSync(SCRIPT))
  writeFileSync(join(folder, 'assets/lazy-3c4d.js'), SCRIPT)
  writeFileSync(join(folder, 'sources.sha256'), 'not for clients')
  const facts = {
    headerPrefix: 'X-Service-',
    edition: 'standard',
    datacenter: '"><b>',
    serviceVersion: '1.11',
  }
  const app = express()
  app.disable('etag')
  app.use('/ui', consoleRouter(facts, folder))
  app.use('/empty', consoleRouter(facts, join(folder, 'nothing')))
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

test('every address serves the same page, with facts about the server, escaped', async () => {
  const pages = await Promise.all(
    ['/ui', '/ui/', '/ui/tokens/d831b6e6'].map(async (path) => (await fetch(`${base}${path}`)).text()),
  )
  expect(new Set(pages).size).toBe(1)
  expect(pages[0]).toContain('&quot;datacenter&quot;:&quot;\\&quot;&gt;&lt;b&gt;&quot;')
})

test('the page allows no inline code or style, and no other origin', async () => {
  const { headers } = await fetch(`${base}/ui`)
  const policy = headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).not.toMatch(/unsafe|https?:|data:|\*/)
  expect(headers.get('cache-control')).toBe('no-cache')
})

test('a file with a hash in its name is cacheable forever, and sent as the build compressed it', async () => {
  const response = await fetch(`${base}/ui/assets/main-1a2b.js`)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'gzip',
    'content-type': 'text/javascript; charset=utf-8',
    vary: 'Accept-Encoding',
  })
  expect(await response.text()).toBe(SCRIPT)
  const plain = await fetch(`${base}/ui/assets/main-1a2b.js`, { headers: { 'Accept-Encoding': 'identity' } })
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(await plain.text()).toBe(SCRIPT)
})

test('HEAD returns only the headers, and a known ETag gets a 304', async () => {
  const head = await fetch(`${base}/ui/assets/main-1a2b.js`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  for (const path of ['/ui', '/ui/assets/main-1a2b.js']) {
    const tag = (await fetch(`${base}${path}`)).headers.get('etag') ?? ''
    // A browser sends this header; by default, fetch requests a new copy.
    const again = await fetch(`${base}${path}`, {
      headers: { 'If-None-Match': tag, 'Cache-Control': 'max-age=0' },
    })
    expect([path, again.status]).toEqual([path, 304])
  }
})

test('404: a chunk that a later build removed while the server runs', async () => {
  const read = async (name: string) => (await fetch(`${base}/ui/assets/${name}`)).status
  expect(await read('main-1a2b.js')).toBe(200)
  renameSync(join(folder, 'assets'), join(folder, 'replaced'))
  expect(await read('lazy-3c4d.js')).toBe(404)
  renameSync(join(folder, 'replaced'), join(folder, 'assets'))
  expect(await read('lazy-3c4d.js')).toBe(200)
})

test('404: files that are not of the console, and a console that was not built', async () => {
  const paths = ['/ui/assets/other.js', '/ui/sources.sha256', '/ui/assets/..%2Findex.html', '/empty']
  const statuses = await Promise.all(paths.map(async (path) => (await fetch(`${base}${path}`)).status))
  expect(statuses).toEqual([404, 404, 404, 404])
})

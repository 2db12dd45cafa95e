import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ACL_ERRORS, parseServiceVersion, profileOf } from '@latchkey/contract'
import { buildOpenApi, type OpenApiDocument } from '@latchkey/contract/openapi'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GUIDES } from '../../scripts/docs/guides.ts'
import { renderPage } from '../../scripts/docs/page.ts'
import { docsRouter, once as onceFor, readApiDocument } from './docs-router.ts'

// None of the versions whose files are there.
const serviceVersion = parseServiceVersion('1.10.1')
const settings = { serviceVersion, headerPrefixes: ['X-Other-'], edition: 'extended' } as const
const document = buildOpenApi({
  profile: profileOf(serviceVersion),
  headerPrefix: 'X-Other-',
  edition: 'extended',
})

let server: Server
let base: string

beforeAll(async () => {
  const app = express()
  app.disable('etag')
  app.use('/docs', docsRouter(settings))
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.close()
})

const page = async () => (await fetch(`${base}/docs`)).text()

test('document and page are those of the version, edition and header prefix of the server', async () => {
  const bytes = (await readApiDocument(settings)).bytes({ pretty: false })
  expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual(document)
  expect(await page()).toBe(renderPage(document))
})

test('the page has a place for every operation, schema, header and error', async () => {
  const text = await page()
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
  const ids = [
    ...operations.map(({ operationId }) => operationId),
    ...Object.keys(document.components.schemas).map((id) => `schema.${id}`),
    ...Object.keys(document.components.headers).map((name) => `header.${name}`),
    ...Object.keys(ACL_ERRORS).map((code) => `error.${code}`),
  ]
  expect(ids.filter((id) => !text.includes(` id="${id}"`))).toEqual([])
})

test('every link within the page leads to a place of the page, and no place is there twice', async () => {
  const text = await page()
  const places = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  const links = new Set([...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id))
  expect(links.size).toBeGreaterThan(100)
  expect([...links].filter((link) => !places.includes(link))).toEqual([])
  expect(places.filter((id, i) => places.indexOf(id) !== i)).toEqual([])
})

test('everything that the page loads comes from this server, and nothing else may be loaded', async () => {
  const response = await fetch(`${base}/docs`)
  const text = await response.text()
  const loaded = [...text.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"#][^"]*)"/g)].map(
    ([, url]) => url,
  )
  expect(new Set(loaded)).toEqual(new Set(['/docs/docs.css', '/docs/docs.js', '/docs/icon.svg']))
  for (const url of loaded.filter((link) => link?.startsWith('/docs/'))) {
    expect((await fetch(`${base}${url}`)).status).toBe(200)
  }
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(text).not.toMatch(/<style|<script(?! src)| style="| on\w+="/)
})

test('text of the document is escaped', () => {
  const hostile = structuredClone(document) as { info: { description: string } } & OpenApiDocument
  hostile.info.description = 'a <script>alert(1)</script> & "b" `<img>`'
  expect(renderPage(hostile)).toContain(
    'a &lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;b&quot; <code>&lt;img&gt;</code>',
  )
})

test('a client that has the page cached gets a 304', async () => {
  const { headers } = await fetch(`${base}/docs`)
  const tag = headers.get('etag') ?? ''
  const again = await fetch(`${base}/docs`, {
    // A browser sends this header; by default, fetch requests a new copy.
    headers: { 'If-None-Match': tag, 'Cache-Control': 'max-age=0' },
  })
  expect(again.status).toBe(304)
})

test('every page of docs is served, and reached from the page of the API; every link leads somewhere', async () => {
  const seen = new Map<string, string>()
  const waiting = ['/docs']
  for (const path of waiting) {
    const response = await fetch(`${base}${path}`)
    expect([path, response.status]).toEqual([path, 200])
    seen.set(path, await response.text())
    const links = [...(seen.get(path) ?? '').matchAll(/ href="(\/docs[^"#]*)/g)].map(([, url]) => url ?? '')
    waiting.push(...links.filter((url) => !/\.(css|js|svg)$/.test(url) && !waiting.includes(url)))
  }
  expect([...GUIDES.keys()].filter((slug) => !seen.has(`/docs/${slug}`))).toEqual([])
  for (const [path, text] of seen) {
    const places = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    const dead = [...text.matchAll(/ href="#([^"]+)"/g)].filter(([, id]) => !places.has(id))
    expect([path, dead.map(([, id]) => id)]).toEqual([path, []])
    expect([path, text.match(/href="[^"]*\.md/g)]).toEqual([path, null])
  }
  const anchors = [...seen.values()].flatMap((text) => [...text.matchAll(/ href="(\/docs[^"#]*)#([^"]+)"/g)])
  const missing = anchors.filter(([, path = '', id]) => !seen.get(path)?.includes(` id="${id}"`))
  expect(new Set(missing.map(([, path, id]) => `${path}#${id}`))).toEqual(new Set())
})

test('the page has one address', async () => {
  const response = await fetch(`${base}/docs/`, { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([301, '/docs'])
  expect((await fetch(`${base}/docs/nothing`)).status).toBe(404)
})

test('concurrent requests share one copy of a page, and a failure is not cached', async () => {
  let calls = 0
  const ask = onceFor(async () => {
    calls += 1
    if (calls === 1) throw new Error('the disk has gone')
    return calls
  })
  await expect(ask()).rejects.toThrow('the disk has gone')
  expect(await Promise.all([ask(), ask()])).toEqual([2, 2])
})

import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { KnownHeads } from './known-heads.ts'

const LINE = 'GET /v1/acl/token/self HTTP/1.1\r\n'

/** Node's parsed request with these headers. */
function parsed(
  headers: Readonly<Record<string, string>>,
  { method = 'GET', url = '/v1/acl/token/self', shouldKeepAlive = true } = {},
): readonly [IncomingMessage, ServerResponse] {
  const rawHeaders = Object.entries(headers).flat()
  const headersDistinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  const request = { method, url, headers, headersDistinct, rawHeaders, httpVersion: '1.1' }
  return [request, { shouldKeepAlive }] as unknown as readonly [IncomingMessage, ServerResponse]
}

const HEADERS = { host: 'x', 'x-token': 'a' }
const BYTES = Buffer.from(`${LINE}host: x\r\nx-token: a\r\n\r\n`)

test.each<readonly [string, string, readonly [IncomingMessage, ServerResponse]]>([
  ['the connection ends with it', `${BYTES}`, parsed(HEADERS, { shouldKeepAlive: false })],
  ['Node read another method', `${BYTES}`, parsed(HEADERS, { method: 'PUT' })],
  ['Node read another path', `${BYTES}`, parsed(HEADERS, { url: '/v1/acl/tokens' })],
  ['something is behind it', `${BYTES}G`, parsed(HEADERS)],
  ['something is before it', `\r\n${BYTES}`, parsed(HEADERS)],
  ['its body is shorter', `${BYTES}ab`, parsed({ ...HEADERS, 'content-length': '3' })],
  ['its body is chunked', `${BYTES}`, parsed({ ...HEADERS, 'transfer-encoding': 'chunked' })],
])('bytes are not recognized where %s', (_what, text, [request, response]) => {
  const heads = new KnownHeads()
  const bytes = Buffer.from(text)
  expect(heads.see(bytes, request, response, true)).toBe(false)
  expect(heads.find(bytes)).toBeUndefined()
})

test('a block with another number of lines than headers is not learned', () => {
  const heads = new KnownHeads()
  expect(heads.see(BYTES, ...parsed({ host: 'x' }), true)).toBe(true)
  expect(heads.find(BYTES)).toBeUndefined()
})

test('a known block needs a body of its length, and none with GET', () => {
  const heads = new KnownHeads()
  const request = (method: string, body: string) =>
    Buffer.from(`${LINE.replace('GET', method)}host: x\r\ncontent-length: 4\r\n\r\n${body}`)
  const headers = { host: 'x', 'content-length': '4' }
  heads.see(request('PUT', 'body'), ...parsed(headers, { method: 'PUT' }), true)
  expect(String(heads.find(request('POST', 'text'))?.body)).toBe('text')
  for (const bytes of [
    request('PUT', 'tex'),
    request('PUT', 'texts'),
    request('PUT', ''),
    request('GET', 'body'),
  ])
    expect(heads.find(bytes)).toBeUndefined()
})

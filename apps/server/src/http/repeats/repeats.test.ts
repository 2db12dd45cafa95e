import { Socket } from 'node:net'
import type { WireReply } from '@latchkey/service'
import { expect, test } from 'vitest'
import { appOptions } from '../../../test/app-options.ts'
import { createApp } from '../app.ts'
import type { PlainRequest } from './known-heads.ts'

function repeatOf(reply: Partial<WireReply>, own: Partial<PlainRequest> = {}) {
  const whole = { status: 200, headers: {}, body: '{}', endpoint: undefined, accessorId: undefined, ...reply }
  const { reader } = createApp(appOptions({ reply: () => whole }))
  const plain = { method: 'GET', url: '/v1/acl/token/self', headers: { host: 'localhost' }, body: undefined }
  return reader?.begin({ ...plain, ...own }, new Socket())
}

test('a reply with a header that Node rejects is left to Node, which reports it', () => {
  expect(repeatOf({ headers: { 'X-A': 'b' } })?.short?.headers).toEqual({ 'X-A': 'b' })
  expect(repeatOf({ headers: { 'X-A': 'b\r\nX-B: c' } })?.short).toBeUndefined()
})

test('a long reply is left to Node, and one that may be compressed for this client', () => {
  expect(repeatOf({ body: 'x'.repeat(65_536) })?.short).toBeUndefined()
  const text = { body: 'x'.repeat(2_000), isCompressible: true } as const
  expect(repeatOf(text)?.short?.headers).toEqual({ Vary: 'Accept-Encoding' })
  const headers = { host: 'localhost', 'accept-encoding': 'gzip' }
  expect(repeatOf(text, { headers })?.short).toBeUndefined()
})

test('a request for another host is left to the listener, which refuses it', () => {
  expect(repeatOf({})).toBeDefined()
  expect(repeatOf({}, { headers: { host: 'elsewhere.example' } })).toBeUndefined()
})

test('a request that can outlive its client has a signal', () => {
  const isAborted = (own: Partial<PlainRequest>) => repeatOf({}, own)?.signal?.aborted
  expect(isAborted({})).toBeUndefined()
  expect(isAborted({ url: '/v1/acl/token/self?dc=other' })).toBe(false)
  expect(isAborted({ url: '/v1/acl/token/self?index=1' })).toBe(false)
  expect(isAborted({ method: 'POST', url: '/v1/internal/acl/policy/lint' })).toBe(false)
})

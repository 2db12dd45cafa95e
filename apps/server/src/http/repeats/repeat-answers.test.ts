import { Socket } from 'node:net'
import type { WireReply } from '@latchkey/service'
import { expect, test } from 'vitest'
import { appOptions } from '../../../test/app-options.ts'
import { createApp } from '../app.ts'

function answerTo(reply: Partial<WireReply>, headers: Readonly<Record<string, string>> = {}) {
  const whole = { status: 200, headers: {}, body: '{}', endpoint: undefined, accessorId: undefined, ...reply }
  const { repeats } = createApp(
    appOptions({ handle: () => Promise.reject(new Error('not asked')), answerNow: () => whole }),
  )
  return repeats?.answer(
    { url: '/v1/acl/token/self', headers: { host: 'localhost', ...headers } },
    new Socket(),
  )
}

test('a reply with a header that Node does not write is left to Node, which reports it', () => {
  expect(answerTo({ headers: { 'X-A': 'b' } })?.reply.headers).toEqual({ 'X-A': 'b' })
  expect(answerTo({ headers: { 'X-A': 'b\r\nX-B: c' } })).toBeUndefined()
})

test('a request for another host is left to the listener, which refuses it', () => {
  expect(answerTo({})).toBeDefined()
  expect(answerTo({}, { host: 'elsewhere.example' })).toBeUndefined()
})

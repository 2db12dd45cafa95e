import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { limits } from '@latchkey/contract'
import { expect, test } from 'vitest'
import { UnreadAnswers } from './unread-answers.ts'

const HALF = limits.UNREAD_ANSWERS_BYTES_MAX / 2

/** A response whose client reads nothing. */
function anUnread(): ServerResponse & { readonly isClosed: boolean } {
  const response = Object.assign(new EventEmitter(), {
    writableFinished: false,
    isClosed: false,
    destroy() {
      response.isClosed = true
      response.emit('close')
    },
  })
  return response as unknown as ServerResponse & { readonly isClosed: boolean }
}

test('DOS-02: above the bound, the connection that has left its answer unread for longest is closed', () => {
  const unread = new UnreadAnswers()
  const responses = [anUnread(), anUnread(), anUnread()]
  for (const response of responses) unread.add(response, 'x'.repeat(HALF))
  expect(responses.map(({ isClosed }) => isClosed)).toEqual([true, false, false])
})

test('one that is read in between counts from its last piece', () => {
  const unread = new UnreadAnswers()
  const responses = [anUnread(), anUnread(), anUnread()]
  for (const place of [0, 1, 0, 2]) {
    const response = responses[place] as ServerResponse
    unread.remove(response)
    unread.add(response, 'x'.repeat(HALF))
  }
  expect(responses.map(({ isClosed }) => isClosed)).toEqual([false, true, false])
})

test('what has left or was closed is not counted, nor are short answers', () => {
  const unread = new UnreadAnswers()
  const stays = anUnread()
  unread.add(stays, 'x'.repeat(HALF))
  for (let i = 0; i < 10; i += 1) {
    const response = anUnread()
    unread.add(response, 'x'.repeat(HALF))
    response.emit('close')
    unread.add(Object.assign(anUnread(), { writableFinished: true }), 'x'.repeat(HALF))
    unread.add(anUnread(), 'x'.repeat(1_000))
  }
  expect(stays.isClosed).toBe(false)
})

test('bytes that many answers share count once, until the last of them has left', () => {
  const unread = new UnreadAnswers()
  const shared = new Uint8Array(HALF)
  const readers = Array.from({ length: 10 }, anUnread)
  for (const response of readers) unread.add(response, shared)
  const other = anUnread()
  unread.add(other, new Uint8Array(HALF))
  expect(readers.some(({ isClosed }) => isClosed)).toBe(false)
  for (const response of readers) unread.remove(response)
  unread.add(anUnread(), new Uint8Array(HALF))
  expect(other.isClosed).toBe(false)
})

import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { limits } from '@latchkey/contract'
import { expect, test, vi } from 'vitest'
import { UnreadAnswers } from './unread-answers.ts'

const MAX = limits.UNREAD_ANSWERS_BYTES_MAX

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

test('DOS-02: at twice the bound, the connection that has left its answer unread for longest is closed', () => {
  const unread = new UnreadAnswers()
  const responses = [anUnread(), anUnread(), anUnread()]
  for (const response of responses) unread.add(response, 'x'.repeat(MAX))
  expect(responses.map(({ isClosed }) => isClosed)).toEqual([true, false, false])
})

test('DOS-02: above the bound a long text waits, and once it has, connections unread for a second are closed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  try {
    const unread = new UnreadAnswers()
    await unread.room()
    const old = anUnread()
    unread.add(old, 'x'.repeat(MAX))
    vi.advanceTimersByTime(900)
    const young = anUnread()
    unread.add(young, 'x'.repeat(70_000))
    let hasRoom = false
    const room = unread.room().then(() => {
      hasRoom = true
    })
    await vi.advanceTimersByTimeAsync(50)
    expect([hasRoom, old.isClosed]).toEqual([false, false])
    await vi.advanceTimersByTimeAsync(100)
    await room
    expect([old.isClosed, young.isClosed]).toEqual([true, false])
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('one that is read in between counts from its last piece', () => {
  const unread = new UnreadAnswers()
  const responses = [anUnread(), anUnread(), anUnread()]
  for (const place of [0, 1, 0, 2]) {
    const response = responses[place] as ServerResponse
    unread.remove(response)
    unread.add(response, 'x'.repeat(MAX))
  }
  expect(responses.map(({ isClosed }) => isClosed)).toEqual([false, true, false])
})

test('what has left or was closed is not counted, nor are short answers', () => {
  const unread = new UnreadAnswers()
  const stays = anUnread()
  unread.add(stays, 'x'.repeat(MAX))
  for (let i = 0; i < 10; i += 1) {
    const response = anUnread()
    unread.add(response, 'x'.repeat(MAX))
    response.emit('close')
    unread.add(Object.assign(anUnread(), { writableFinished: true }), 'x'.repeat(MAX))
    unread.add(anUnread(), 'x'.repeat(1_000))
  }
  expect(stays.isClosed).toBe(false)
})

test('bytes that many answers share count once, until the last of them has left', () => {
  const unread = new UnreadAnswers()
  const shared = new Uint8Array(MAX)
  const readers = Array.from({ length: 10 }, anUnread)
  for (const response of readers) unread.add(response, shared)
  const other = anUnread()
  unread.add(other, new Uint8Array(MAX))
  expect(readers.some(({ isClosed }) => isClosed)).toBe(false)
  for (const response of readers) unread.remove(response)
  unread.add(anUnread(), new Uint8Array(MAX))
  expect(other.isClosed).toBe(false)
})

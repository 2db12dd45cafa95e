import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { limits } from '@latchkey/contract'
import { expect, test, vi } from 'vitest'
import { Backpressure, COUNTED_BYTES_MIN } from './backpressure.ts'

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
  const unread = new Backpressure()
  const responses = [anUnread(), anUnread(), anUnread()]
  for (const response of responses) unread.add(response, new Uint8Array(MAX))
  expect(responses.map(({ isClosed }) => isClosed)).toEqual([true, false, false])
})

test('DOS-02: above the bound a long text waits, and once it has, connections unread for a second are closed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  try {
    const unread = new Backpressure()
    await unread.room()
    const old = anUnread()
    unread.add(old, new Uint8Array(MAX))
    vi.advanceTimersByTime(900)
    const young = anUnread()
    unread.add(young, new Uint8Array(70_000))
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

test('an answer of 65,536 bytes is counted, and one byte less is not', () => {
  const [filling, short, long] = [anUnread(), anUnread(), anUnread()]
  const unread = new Backpressure()
  unread.add(filling, new Uint8Array(2 * MAX - COUNTED_BYTES_MIN + 1))
  unread.add(short, new Uint8Array(COUNTED_BYTES_MIN - 1))
  expect(filling.isClosed).toBe(false)
  unread.add(long, new Uint8Array(COUNTED_BYTES_MIN))
  expect([filling.isClosed, short.isClosed, long.isClosed]).toEqual([true, false, false])
})

test('of an answer in pieces, the last one is counted', () => {
  const [other, streamed] = [anUnread(), anUnread()]
  const unread = new Backpressure()
  unread.add(other, new Uint8Array(MAX))
  for (let i = 0; i < 10; i += 1) unread.add(streamed, new Uint8Array(100_000 + i))
  unread.add(streamed, new Uint8Array(MAX))
  expect([other.isClosed, streamed.isClosed]).toEqual([false, false])
})

test('the time of an answer that the client is reading runs from its last chunk', () => {
  const unread = new Backpressure()
  const responses = [anUnread(), anUnread(), anUnread()]
  for (const place of [0, 1, 0, 2]) {
    const response = responses[place] as ServerResponse
    unread.remove(response)
    unread.add(response, new Uint8Array(MAX))
  }
  expect(responses.map(({ isClosed }) => isClosed)).toEqual([false, true, false])
})

test('answers that were sent or closed are not counted, and neither are short answers', () => {
  const unread = new Backpressure()
  const stays = anUnread()
  unread.add(stays, new Uint8Array(MAX))
  for (let i = 0; i < 10; i += 1) {
    const response = anUnread()
    unread.add(response, new Uint8Array(MAX))
    response.emit('close')
    unread.add(Object.assign(anUnread(), { writableFinished: true }), new Uint8Array(MAX))
    unread.add(anUnread(), new Uint8Array(1_000))
  }
  expect(stays.isClosed).toBe(false)
})

test('bytes that many answers share are counted once, until the last of them has left', () => {
  const unread = new Backpressure()
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

test('one list longer than the bound is read by many at once, and longer texts do not wait for it', async () => {
  const unread = new Backpressure()
  const [earlier, ...readers] = Array.from({ length: 4 }, anUnread)
  unread.add(earlier as ServerResponse, new Uint8Array(MAX))
  const list = new Uint8Array(3 * MAX)
  for (const response of readers) unread.add(response, list)
  expect(earlier?.isClosed).toBe(true)
  expect(readers.map(({ isClosed }) => isClosed)).toEqual([false, false, false])
  await unread.room()
})

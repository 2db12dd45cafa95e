import { EventEmitter } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { limits } from '@latchkey/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { discardBodies } from './discarded-bodies.ts'

const DISCARDED_BYTES_MAX = limits.BODY_BYTES_MAX + 65_536
const NEXT_BODY_MS = 50

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate'] })
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

interface Bodies {
  readonly listener: RequestListener
  /** Whether the connection of the last request was paused when its request was answered. */
  wasPaused: boolean
}

function aListener(): Bodies {
  const bodies: Bodies = {
    wasPaused: false,
    listener: discardBodies(({ socket }) => {
      bodies.wasPaused = socket.isPaused as unknown as boolean
    }),
  }
  return bodies
}

/** A request that is refused before its body has arrived. */
function refuse(bodies: Bodies, headers: Record<string, string> = { 'content-length': '1000000' }) {
  const socket = Object.assign(new EventEmitter(), {
    bytesRead: 0,
    destroyed: false,
    isPaused: false,
    pause: () => {
      socket.isPaused = true
    },
    resume: () => {
      socket.isPaused = false
    },
    destroy: () => {
      socket.destroyed = true
      socket.emit('close')
    },
  })
  const request = { headers, socket, complete: false }
  const response = new EventEmitter()
  bodies.listener(request as unknown as IncomingMessage, response as unknown as ServerResponse)
  const { wasPaused } = bodies
  // Node resumes the socket once it has answered.
  socket.resume()
  response.emit('finish')
  vi.advanceTimersByTime(0)
  return { request, socket, wasPaused }
}

test('DOS-04: one body starts at a time, and a disconnected client takes no turn', () => {
  const bodies = aListener()
  const [first, gone, next] = [refuse(bodies), refuse(bodies), refuse(bodies)]
  const paused = () => [first, gone, next].map(({ socket }) => socket.isPaused)
  expect(paused()).toEqual([false, true, true])
  gone.socket.destroy()
  vi.advanceTimersByTime(NEXT_BODY_MS)
  expect(paused()).toEqual([false, true, false])
  for (const { request } of [first, next]) request.complete = true
  vi.advanceTimersByTime(2 * NEXT_BODY_MS)
  expect(vi.getTimerCount()).toBe(0)
  const later = refuse(bodies)
  expect(later.socket.isPaused).toBe(false)
  later.socket.destroy()
  vi.advanceTimersByTime(2 * NEXT_BODY_MS)
})

test('DOS-04: a connection is closed after the bound, and not before', () => {
  const { socket } = refuse(aListener())
  socket.bytesRead = DISCARDED_BYTES_MAX
  vi.advanceTimersByTime(2 * NEXT_BODY_MS)
  expect(socket.destroyed).toBe(false)
  socket.bytesRead += 1
  vi.advanceTimersByTime(1)
  expect(socket.destroyed).toBe(true)
  vi.advanceTimersByTime(1)
})

test.each([
  ['65,536 bytes', { 'content-length': '65536' }, 'read on'],
  ['65,537 bytes', { 'content-length': '65537' }, 'paused'],
  ['chunks', { 'transfer-encoding': 'chunked' }, 'paused'],
  ['no body', {}, 'read on'],
])('DOS-04: while a request with %s is answered, its connection is: %s %s', (_, headers, expected) => {
  const { request, wasPaused } = refuse(aListener(), headers as Record<string, string>)
  expect(wasPaused ? 'paused' : 'read on').toBe(expected)
  request.complete = true
  vi.advanceTimersByTime(2 * NEXT_BODY_MS)
})

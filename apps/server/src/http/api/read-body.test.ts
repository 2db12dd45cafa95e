import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { AclError, limits } from '@latchkey/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { bodyBudget, type Reservation, reserve } from './body-budget.ts'
import { readBody } from './read-body.ts'

/** A request whose body the test writes. */
function aRequest(headers: Record<string, string> = {}) {
  const stream = new PassThrough()
  return { stream, request: Object.assign(stream, { headers }) as unknown as IncomingMessage }
}

const readBodyOf = (request: IncomingMessage, bytesMax: number) =>
  readBody(request, { bytesMax, askForRoom: (bytes, onOverdue) => reserve(bodyBudget(), bytes, onOverdue) })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

async function refusalOf(body: Promise<Uint8Array>): Promise<AclError> {
  const error = await body.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof AclError ? error : expect.fail(`not refused: ${error}`)
}

test('a body that has already arrived is read without a time limit, and ends the request', async () => {
  const { stream, request } = aRequest({ 'content-length': '10' })
  stream.end('0123456789')
  const ended = once(stream, 'end')
  const setTimer = vi.spyOn(globalThis, 'setTimeout')
  expect(await readBodyOf(request, 10)).toHaveLength(10)
  await ended
  expect(setTimer).not.toHaveBeenCalled()
})

describe('the bound', () => {
  test('a body of exactly the bound passes, in one chunk or in many', async () => {
    for (const pieces of [['0123456789'], [...'0123456789']]) {
      const { stream, request } = aRequest({ 'content-length': '10' })
      const body = readBodyOf(request, 10)
      for (const piece of pieces) stream.write(piece)
      stream.end()
      expect(await body).toHaveLength(10)
    }
  })

  test.each(['11', '1073741824', '9007199254740993'])(
    'body_too_large: %s announced, before a byte is read (DOS-03)',
    async (length) => {
      const { stream, request } = aRequest({ 'content-length': length })
      stream.write('0123456789')
      expect((await refusalOf(readBodyOf(request, 10))).code).toBe('body_too_large')
      expect(stream.readableLength).toBe(10)
    },
  )

  test('body_too_large: one byte more than the bound; the rest is drained', async () => {
    const { stream, request } = aRequest()
    const body = readBodyOf(request, 10)
    for (const char of '0123456789a') stream.write(char)
    const error = await refusalOf(body)
    expect(error.code).toBe('body_too_large')
    expect(error.message).toBe('The body is larger than 10 bytes')
    stream.end('x'.repeat(100_000))
    await once(stream, 'end')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a body that does not arrive', () => {
  test('request_timeout after exactly 30 seconds, however steadily the body trickles (DOS-02)', async () => {
    const { stream, request } = aRequest({ 'content-length': '100' })
    let isOver = false
    const body = readBodyOf(request, 1_000).finally(() => {
      isOver = true
    })
    body.catch(() => {})
    for (let second = 0; second < 30; second += 1) {
      stream.write('x')
      await vi.advanceTimersByTimeAsync(second === 29 ? 999 : 1_000)
    }
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    const error = await refusalOf(body)
    expect(error.code).toBe('request_timeout')
    expect(error.details.headers).toEqual({ Connection: 'close' })
  })

  test('body_malformed: the client aborts', async () => {
    const { stream, request } = aRequest({ 'content-length': '100' })
    const body = readBodyOf(request, 1_000)
    stream.write('x')
    stream.destroy()
    expect((await refusalOf(body)).code).toBe('body_malformed')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a long body', () => {
  const SHORT = limits.ANONYMOUS_BODY_BYTES_MAX
  const MAX = limits.BODIES_BYTES_MAX

  /** Reads a body while another one has taken the whole budget. */
  function readBesideAnother(request: IncomingMessage) {
    const budget = bodyBudget()
    const other = reserve(budget, MAX, () => {})
    other.arrived()
    const rooms: (Reservation & { bytes: number; onOverdue: () => void })[] = []
    const onBegin = vi.fn()
    const body = readBody(request, {
      bytesMax: MAX,
      askForRoom: (bytes, onOverdue) => {
        const room = reserve(budget, bytes, onOverdue)
        vi.spyOn(room, 'arrived')
        rooms.push(Object.assign(room, { bytes, onOverdue }))
        return room
      },
      onBegin,
    })
    return { body, other, rooms, onBegin }
  }

  test('DOS-04: one that is announced is read once it has room, which it then keeps', async () => {
    const { stream, request } = aRequest({ 'content-length': `${SHORT + 1}` })
    const { body, other, rooms, onBegin } = readBesideAnother(request)
    stream.end(Buffer.alloc(SHORT + 1))
    expect(rooms).toMatchObject([{ bytes: SHORT + 1 }])
    expect([onBegin.mock.calls.length, stream.listenerCount('data')]).toEqual([0, 0])
    other.release()
    expect(await body).toHaveLength(SHORT + 1)
    expect(onBegin).toHaveBeenCalledOnce()
    expect(rooms[0]?.arrived).toHaveBeenCalledOnce()
  })

  test('DOS-04: one of unknown length is read to the end of a short one, and then waits for room', async () => {
    const { stream, request } = aRequest({ 'transfer-encoding': 'chunked' })
    const { body, other, rooms } = readBesideAnother(request)
    stream.write(Buffer.alloc(SHORT))
    await expect.poll(() => stream.readableLength).toBe(0)
    expect(rooms).toEqual([])
    stream.write('x')
    await expect.poll(() => rooms).toMatchObject([{ bytes: MAX }])
    expect(stream.isPaused()).toBe(true)
    stream.end('y')
    other.release()
    expect(await body).toHaveLength(SHORT + 2)
  })

  test.each([
    ['one that is announced', { 'content-length': '100000' }],
    ['one of unknown length', { 'transfer-encoding': 'chunked' }],
  ])('DOS-02: %s is refused without room', async (_, headers) => {
    const { stream, request } = aRequest(headers as Record<string, string>)
    const { body, other, rooms } = readBesideAnother(request)
    stream.write(Buffer.alloc(SHORT + 1))
    await expect.poll(() => rooms).toHaveLength(1)
    rooms[0]?.release()
    expect((await refusalOf(body)).code).toBe('unavailable')
    other.release()
  })

  test('DOS-02: request_timeout once it is overdue and others wait', async () => {
    const { stream, request } = aRequest({ 'content-length': '100000' })
    const { body, other, rooms } = readBesideAnother(request)
    stream.write('x')
    other.release()
    await expect.poll(() => stream.listenerCount('data')).toBe(1)
    rooms[0]?.onOverdue()
    expect((await refusalOf(body)).code).toBe('request_timeout')
    rooms[0]?.release()
  })

  test('body_malformed: the client leaves while its body waits for room', async () => {
    const { stream, request } = aRequest({ 'content-length': '100000' })
    const { body, other } = readBesideAnother(request)
    stream.destroy()
    await once(stream, 'close')
    other.release()
    expect((await refusalOf(body)).code).toBe('body_malformed')
  })
})

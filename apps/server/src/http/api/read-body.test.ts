import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { AclError } from '@latchkey/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { BodyBudget } from './body-budget.ts'
import { readBody } from './read-body.ts'

/** A request whose body the test writes. */
function aRequest(headers: Record<string, string> = {}) {
  const stream = new PassThrough()
  return { stream, request: Object.assign(stream, { headers }) as unknown as IncomingMessage }
}

const readBodyOf = (request: IncomingMessage, bytesMax: number) =>
  readBody(request, { bytesMax, askForRoom: (bytes, onOverdue) => new BodyBudget().ask(bytes, onOverdue) })

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

test('the pieces of a body, put together', async () => {
  const { stream, request } = aRequest()
  const body = readBodyOf(request, 100)
  for (const piece of ['a', '', 'bc', '\u00e9']) stream.write(piece)
  stream.end()
  expect(new TextDecoder().decode(await body)).toBe('abcé')
  expect(vi.getTimerCount()).toBe(0)
})

test('none at all is empty', async () => {
  const { stream, request } = aRequest()
  const body = readBodyOf(request, 0)
  stream.end()
  expect(await body).toHaveLength(0)
})

describe('the bound', () => {
  test('exactly as many bytes pass, in one piece or in many', async () => {
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

  test('body_too_large: one byte more than the bound; the rest flows away', async () => {
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

describe('a body that does not come', () => {
  test('request_timeout after 30 seconds, and not before, however steadily it trickles (DOS-02)', async () => {
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

  test('body_malformed: the client broke off', async () => {
    const { stream, request } = aRequest({ 'content-length': '100' })
    const body = readBodyOf(request, 1_000)
    stream.write('x')
    stream.destroy()
    expect((await refusalOf(body)).code).toBe('body_malformed')
    expect(vi.getTimerCount()).toBe(0)
  })
})

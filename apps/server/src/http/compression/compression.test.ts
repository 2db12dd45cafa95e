import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { COMPRESSED_BYTES_MIN, Compression, encodingFor } from './compression.ts'

const LONG = JSON.stringify(Array.from({ length: 100 }, (_, i) => ({ Name: `policy-${i}`, Rules: 'é' })))
const PLAIN = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync } as const
const KINDS = Object.keys(PLAIN) as (keyof typeof PLAIN)[]

const aReply = (body: string | Uint8Array | AsyncIterable<string>) => ({ headers: { A: 'b' }, body })

async function* pagesOf(...pages: string[]): AsyncGenerator<string> {
  yield* pages
}

async function bytesOf(body: string | Uint8Array | AsyncIterable<Uint8Array | string>): Promise<Buffer> {
  return typeof body === 'string' || body instanceof Uint8Array
    ? Buffer.from(body)
    : buffer(Readable.from(body))
}

test.each([
  ['gzip', 'gzip'],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['GZIP', 'gzip'],
  ['zstd;q=0.5, gzip', 'gzip'],
  ['*', 'zstd'],
  ['*;q=0.5, zstd;q=0', 'br'],
  ['identity, gzip;q=0.5', undefined],
  ['deflate', undefined],
  ['', undefined],
  ['gzip;q=0', undefined],
  [undefined, undefined],
])('from Accept-Encoding %s, the server chooses %s', (acceptEncoding, encoding) => {
  expect(encodingFor(acceptEncoding)).toBe(encoding)
})

test.each(KINDS)('%s: text, bytes and streams arrive as they were', async (encoding) => {
  const compression = new Compression()
  for (const body of [LONG, Buffer.from(LONG), pagesOf(LONG.slice(0, 500), '', LONG.slice(500))]) {
    const { headers, body: sent } = await compression.compress(aReply(body), encoding)
    expect(headers).toEqual({ A: 'b', 'Content-Encoding': encoding })
    const bytes = await bytesOf(sent)
    expect(bytes.length).toBeLessThan(LONG.length / 2)
    expect(String(PLAIN[encoding](bytes))).toBe(LONG)
  }
})

test('an answer varies if it may be compressed and is long enough', () => {
  const compression = new Compression()
  const varies = (body: string | AsyncIterable<string> | undefined, isCompressible?: boolean) =>
    compression.varies({ body, ...(isCompressible === undefined ? {} : { isCompressible }) })
  expect(varies('x'.repeat(COMPRESSED_BYTES_MIN), true)).toBe(true)
  expect(varies('x'.repeat(COMPRESSED_BYTES_MIN - 1), true)).toBe(false)
  expect(varies(pagesOf('x'), true)).toBe(true)
  expect(varies(undefined, true)).toBe(false)
  expect(varies(LONG, false)).toBe(false)
  expect(varies(LONG)).toBe(false)
})

test('bytes that several answers share are compressed once for each coding', async () => {
  const compression = new Compression()
  const shared = Buffer.from(LONG)
  const [first, second] = await Promise.all([
    compression.compress(aReply(shared), 'br'),
    compression.compress(aReply(shared), 'br'),
  ])
  expect(second.body).toBe(first.body)
  expect((await compression.compress(aReply(shared), 'br')).body).toBe(first.body)
  expect((await compression.compress(aReply(shared), 'gzip')).body).not.toBe(first.body)
})

test('while two answers are being compressed, others are sent uncompressed (DOS-05)', async () => {
  const compression = new Compression()
  const running = [compression.compress(aReply(LONG), 'gzip'), compression.compress(aReply(LONG), 'gzip')]
  const third = aReply(LONG)
  expect(compression.compress(third, 'gzip')).toBe(third)
  await Promise.all(running)
  expect((await compression.compress(aReply(LONG), 'gzip')).headers).toHaveProperty('Content-Encoding')
})

test.each(['ends', 'fails', 'is left by its reader'])(
  'a stream that %s makes room for others',
  async (end) => {
    const compression = new Compression()
    const failing = async function* () {
      yield LONG
      throw new Error('the database has gone')
    }
    for (let round = 0; round < 5; round += 1) {
      const { headers, body } = await compression.compress(
        aReply(end === 'fails' ? failing() : pagesOf(LONG, LONG)),
        'gzip',
      )
      expect(headers).toHaveProperty('Content-Encoding')
      const stream = body as AsyncIterable<Uint8Array>
      if (end === 'ends') await buffer(stream)
      else if (end === 'fails') await expect(text(stream)).rejects.toThrow('the database has gone')
      else for await (const _ of stream) break
    }
  },
)

test('a stream whose reader leaves ends its source', async () => {
  const compression = new Compression()
  let isOver = false
  const endless = async function* () {
    try {
      for (;;) yield crypto.randomUUID().repeat(1_000)
    } finally {
      isOver = true
    }
  }
  const { body } = await compression.compress(aReply(endless()), 'zstd')
  for await (const _ of body as AsyncIterable<Uint8Array>) break
  await expect.poll(() => isOver).toBe(true)
})

import { expect, test } from 'vitest'
import { clientOf } from '../../test/client.ts'
import { json, plain, problem, reset, startServer } from '../../test/test-server.ts'
import type { Client } from '../client.ts'
import { ContractBroken, NotFound } from '../errors.ts'
import { valueBytes, valueText } from './kv.ts'

const entry = { LockIndex: 0, Key: 'a', Flags: 3, Value: 'w7w=', CreateIndex: 5, ModifyIndex: 6 }
const absent = problem(404, 'not_found', {}, { 'X-Service-Index': 8, 'X-Service-LastContact': 3 })

test('get answers the entry, whose value decodes to bytes and text', async () => {
  await using server = await startServer(json([entry]))
  const found = await clientOf(server).kv.get('web/port')
  expect(found).toEqual(entry)
  expect(valueBytes(found)).toEqual(new Uint8Array([0xc3, 0xbc]))
  expect(valueText(found)).toBe('ü')
  expect(server.requests[0]?.url).toBe('/v1/kv/web/port')
})

test('404 not_found: get and getRaw of an absent key', async () => {
  await using server = await startServer(absent)
  await expect(clientOf(server).kv.get('a')).rejects.toThrow(NotFound)
  await expect(clientOf(server).kv.getRaw('a')).rejects.toThrow(NotFound)
})

test('an answer without an entry breaks the contract', async () => {
  await using server = await startServer(json([]))
  await expect(clientOf(server).kv.get('a')).rejects.toThrow(ContractBroken)
})

test('getRaw answers the bytes as they are, whatever their type', async () => {
  await using server = await startServer(plain(200, 'ü', { 'Content-Type': 'application/octet-stream' }))
  await expect(clientOf(server).kv.getRaw('a')).resolves.toEqual(new Uint8Array([0xc3, 0xbc]))
  expect(server.requests[0]?.url).toBe('/v1/kv/a?raw')
})

test('list and keys of a prefix without entries are empty, with the facts of the answer', async () => {
  await using server = await startServer(absent)
  const { kv } = clientOf(server).withMeta()
  await expect(kv.list('app/')).resolves.toMatchObject({ value: [], index: 8, lastContactMs: 3 })
  await expect(kv.keys('app/', { separator: '/' })).resolves.toMatchObject({ value: [], index: 8 })
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/v1/kv/app/?recurse',
    '/v1/kv/app/?keys&separator=%2F',
  ])
})

test('the empty prefix is the whole store; the empty key is misuse', async () => {
  await using server = await startServer(json([entry]))
  const { kv } = clientOf(server)
  await kv.list('')
  expect(server.requests[0]?.url).toBe('/v1/kv/?recurse')
  await expect(kv.get('')).rejects.toThrow(TypeError)
  await expect(kv.put('', 'x')).rejects.toThrow(TypeError)
  await expect(kv.delete('')).rejects.toThrow(TypeError)
  expect(server.requests).toHaveLength(1)
})

test('put sends text and bytes as they are, with flags and the index it depends on', async () => {
  await using server = await startServer(json(true), json(false))
  const { kv } = clientOf(server)
  await expect(kv.put('a', 'ü', { flags: 3 })).resolves.toBe(true)
  await expect(kv.put('a', new TextEncoder().encode('ü'), { cas: 0 })).resolves.toBe(false)
  expect(server.requests).toMatchObject([
    { method: 'PUT', url: '/v1/kv/a?flags=3', body: 'ü' },
    { method: 'PUT', url: '/v1/kv/a?cas=0', body: 'ü' },
  ])
})

test('flags beyond 2^53 keep all their digits, in a request and in an answer', async () => {
  const text = JSON.stringify([entry]).replace('"Flags":3', '"Flags":18446744073709551615')
  await using server = await startServer(json(true), plain(200, text, { 'Content-Type': 'application/json' }))
  const { kv } = clientOf(server)
  await kv.put('a', '', { flags: 2n ** 64n - 1n })
  expect(server.requests[0]?.url).toBe('/v1/kv/a?flags=18446744073709551615')
  expect((await kv.get('a')).Flags).toBe(2n ** 64n - 1n)
})

test('delete and deleteTree', async () => {
  await using server = await startServer(json(true))
  const { kv } = clientOf(server)
  await kv.delete('a', { cas: 6 })
  await kv.deleteTree('app/')
  expect(server.requests).toMatchObject([
    { method: 'DELETE', url: '/v1/kv/a?cas=6' },
    { method: 'DELETE', url: '/v1/kv/app/?recurse' },
  ])
})

const SESSION = '00000000-0000-4000-8000-00000000005e'

test.each<[string, number, (kv: Client['kv']) => Promise<unknown>]>([
  ['put', 2, (kv) => kv.put('a', 'x')],
  ['delete', 2, (kv) => kv.delete('a')],
  ['deleteTree', 2, (kv) => kv.deleteTree('a/')],
  ['put with cas', 1, (kv) => kv.put('a', 'x', { cas: 6 })],
  ['delete with cas', 1, (kv) => kv.delete('a', { cas: 6 })],
  ['acquire', 1, (kv) => kv.acquire('a', SESSION)],
  ['release', 1, (kv) => kv.release('a', SESSION)],
])(
  '%s after a lost answer: sent %d times, because a condition may no longer hold after the first',
  async (_, times, write) => {
    await using server = await startServer(reset())
    const written = write(clientOf(server, { retries: 1 }).kv)
    await expect(written).rejects.toMatchObject({ kind: 'unavailable', maybeApplied: true })
    expect(server.requests).toHaveLength(times)
  },
)

import { expect, test } from 'vitest'
import { clientOf } from '../../test/client.ts'
import { halfBody, plain, problem, stalledBody, startServer } from '../../test/test-server.ts'
import { PermissionDenied, Unavailable } from '../errors.ts'

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const piece of pieces) parts.push(piece)
  return Buffer.concat(parts).toString()
}

test('an archive is read in pieces', async () => {
  await using server = await startServer(plain(200, 'the archive'))
  expect(await textOf(await clientOf(server).snapshots.stream())).toBe('the archive')
})

test('a refusal rejects before there is a stream', async () => {
  await using server = await startServer(problem(403, 'privilege_missing'))
  await expect(clientOf(server).snapshots.stream()).rejects.toBeInstanceOf(PermissionDenied)
})

test('a restore leaves a blob to `fetch`, in the only mode in which Node keeps no copy of it', async () => {
  let sent: unknown
  const asked: string[] = []
  const archive = new Blob(['the ', 'archive'])
  const client = clientOf(
    { address: 'http://acl.example' },
    {
      fetch: async (url, init) => {
        asked.push(new URL(String(url)).search)
        sent = init
        return Response.json({ Index: 7, SnapshotIndex: 3, Records: { tokens: 1 } })
      },
    },
  )
  expect((await client.snapshots.restore(archive)).Index).toBe(7)
  expect(sent).toHaveProperty('redirect', 'error')
  expect(sent).toHaveProperty('body', archive)
  await client.snapshots.restore(archive, { unauthenticated: true })
  expect(asked).toEqual(['', '?unauthenticated'])
})

test('an archive that breaks off is Unavailable, and not read again', async () => {
  await using server = await startServer(halfBody())
  await expect(textOf(await clientOf(server).snapshots.stream())).rejects.toBeInstanceOf(Unavailable)
  expect(server.requests).toHaveLength(1)
})

test('an abort ends the stream with the reason of the signal, also after the limits of the call', async () => {
  await using server = await startServer(stalledBody())
  const abort = new AbortController()
  const reason = new Error('enough')
  const { signal } = abort
  const pieces = await clientOf(server).snapshots.stream({ signal, timeout: 60_000, attemptTimeout: 60_000 })
  const read = textOf(pieces)
  abort.abort(reason)
  await expect(read).rejects.toBe(reason)
})

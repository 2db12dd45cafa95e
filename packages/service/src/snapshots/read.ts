import type { Answer, Call } from '../handler.ts'
import { requireArchives } from './archives.ts'

/** An archive of the whole store. It queries the database first, because a stream that has begun can no longer be refused. */
export async function readSnapshotHandler(call: Call<'snapshots.read'>): Promise<Answer<'snapshots.read'>> {
  const archives = requireArchives(call)
  await call.service.store.refresh('consistent')
  return { body: { kind: 'byte-stream', pieces: archives.read() } }
}

import { type Answer, type Call, json } from '../handler.ts'
import { requireArchives } from './archives.ts'

export async function restoreSnapshotHandler(
  call: Call<'snapshots.restore'>,
): Promise<Answer<'snapshots.restore'>> {
  const isUnauthenticated = call.query.unauthenticated === true
  return json(await requireArchives(call).restore(call.body, { isUnauthenticated }))
}

/** Reconstructs the last log lines of a killed server, which it had not written. */
import { ACCESSOR_BATCH_SIZE_MAX } from '@latchkey/acl'
import { type LogLine, linesOf } from '../server-process.ts'
import { BATCH, BEGUN, type Done, ENDED } from './measured.ts'

export interface MigrationStatus {
  readonly State: string
  readonly Batches: number
  readonly Done: number
}

/** A server flushes its log a few times per second. */
const UNWRITTEN_MS = 500

/**
 * Adds the lines that killed servers did not write: a server may be killed after it commits a batch or ends legacy
 * mode, and before it logs this. The service has the total number of batches and tokens.
 */
export function withLostLines(
  log: readonly LogLine[],
  done: readonly Done[],
  status: MigrationStatus | undefined,
): readonly LogLine[] {
  if (status === undefined) return log
  const kills = done.flatMap(({ step, at }) => (step.kind === 'crash' ? [{ server: step.server, at }] : []))
  const [workers, batches] = [linesOf(log, BEGUN), linesOf(log, BATCH)]
  const lost: LogLine[] = []
  let tokens = status.Done - batches.reduce((sum, { fields }) => sum + Number(fields.tokens), 0)
  let count = status.Batches - batches.length
  for (const { server, at } of kills) {
    const worker = workers.findLast((line) => line.at <= at)
    if (count <= 0 || (worker !== undefined && worker.server !== server)) continue
    if (worker === undefined) lost.push({ server, at: at - UNWRITTEN_MS, message: BEGUN, fields: {} })
    const size = count === 1 ? tokens : Math.min(tokens, ACCESSOR_BATCH_SIZE_MAX)
    lost.push({ server, at, message: BATCH, fields: { tokens: size } })
    tokens -= size
    count -= 1
  }
  const first = workers[0]?.at ?? Number.POSITIVE_INFINITY
  const ender = kills.find(({ at }) => at <= first + UNWRITTEN_MS)
  if (status.State !== 'waiting' && linesOf(log, ENDED).length === 0 && ender !== undefined)
    lost.push({ server: ender.server, at: Math.min(ender.at, first), message: ENDED, fields: {} })
  return [...log, ...lost]
}

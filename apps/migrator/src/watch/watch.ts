/** Live progress of a migration, as the service reports it. */

import type { Client } from '@latchkey/sdk'
import { sleep } from '../sleep.ts'

export interface WatchLine {
  readonly at: string
  readonly state: string
  readonly done: number
  readonly total: number
  readonly batches: number
  readonly tokensPerSecond: number
  readonly estimatedSeconds: number
}

/** Polls until the migration is done, and yields each status that differs from the last. */
export async function* watchMigration(
  client: Client,
  options: { readonly intervalMs: number; readonly signal: AbortSignal },
): AsyncGenerator<WatchLine> {
  let last = ''
  for (;;) {
    const status = await client.status.migration({ signal: options.signal })
    const line: WatchLine = {
      at: new Date().toISOString(),
      state: status.State,
      done: status.Done,
      total: status.Total,
      batches: status.Batches,
      tokensPerSecond: status.TokensPerSecond,
      estimatedSeconds: status.EstimatedSeconds,
    }
    const content = JSON.stringify({ ...line, at: '' })
    if (content !== last) yield line
    last = content
    if (status.State === 'done') return
    await sleep(options.intervalMs, options.signal)
  }
}

const BAR_WIDTH = 30

/** One line for a terminal: `[=====>    ] 1,280 of 10,002 tokens, 128 a second, 68 s left`. */
export function formatWatchLine({
  state,
  done,
  total,
  tokensPerSecond,
  estimatedSeconds,
}: WatchLine): string {
  const filled = total === 0 ? BAR_WIDTH : Math.round((done / total) * BAR_WIDTH)
  const bar = '='.repeat(filled).padEnd(BAR_WIDTH)
  const counts = `${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} tokens`
  if (state === 'waiting') return `[${bar}] ${counts}, waiting for legacy mode to end`
  return `[${bar}] ${counts}, ${tokensPerSecond} a second, ${Math.ceil(estimatedSeconds)} s left`
}

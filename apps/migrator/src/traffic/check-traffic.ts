/** Reads an access log line by line and counts the calls that the target version breaks. */
import type { ServiceVersion } from '@latchkey/contract'
import { readLogLine } from './access-log.ts'
import { type CallVerdict, judgeCall } from './breaking-calls.ts'

/** Maximum number of clients to name per call. */
const CLIENTS_MAX = 20
/** Distinct clients are counted up to this many. */
const CLIENTS_COUNTED_MAX = 100_000
/** Longer lines are skipped: they do not log a call. */
const LINE_BYTES_MAX = 1024 * 1024

interface BrokenCall extends CallVerdict {
  readonly count: number
  readonly clients: number
  /** The busiest clients, with their share. */
  readonly topClients: readonly {
    readonly client: string
    readonly count: number
    readonly userAgent: string | null
  }[]
  /** Times from the log, in RFC 3339; null if it has none. */
  readonly firstSeen: string | null
  readonly lastSeen: string | null
}

export interface TrafficResult {
  readonly to: string
  readonly calls: number
  /** Lines that do not log a call. */
  readonly skipped: number
  /** Calls that break first, then those that may surprise; the most frequent first. */
  readonly broken: readonly BrokenCall[]
}

interface Entry {
  readonly verdict: CallVerdict
  count: number
  first: number | undefined
  last: number | undefined
  readonly clients: Map<string, { count: number; userAgent: string | undefined }>
}

export class TrafficCheck {
  private readonly to: ServiceVersion
  private readonly entries = new Map<string, Entry>()
  private calls = 0
  private skipped = 0

  constructor(to: ServiceVersion) {
    this.to = to
  }

  addLine(line: string): void {
    const call = readLogLine(line)
    if (call === undefined) {
      if (line.trim() !== '') this.skipped += 1
      return
    }
    this.calls += 1
    const verdict = judgeCall(call, this.to)
    if (verdict === undefined) return
    const key = `${verdict.gate} ${verdict.call}`
    const entry = this.entries.get(key) ?? {
      verdict,
      count: 0,
      first: undefined,
      last: undefined,
      clients: new Map(),
    }
    this.entries.set(key, entry)
    entry.count += 1
    if (call.atMs !== undefined) {
      entry.first = Math.min(entry.first ?? call.atMs, call.atMs)
      entry.last = Math.max(entry.last ?? call.atMs, call.atMs)
    }
    const client = entry.clients.get(call.client) ?? { count: 0, userAgent: call.userAgent }
    client.count += 1
    if (entry.clients.size < CLIENTS_COUNTED_MAX || client.count > 1) entry.clients.set(call.client, client)
  }

  /** Counts a line that was too long. */
  skip(): void {
    this.skipped += 1
  }

  result(): TrafficResult {
    const broken = [...this.entries.values()].map(({ verdict, count, first, last, clients }): BrokenCall => {
      const top = [...clients].sort(([, a], [, b]) => b.count - a.count).slice(0, CLIENTS_MAX)
      return {
        ...verdict,
        count,
        clients: clients.size,
        topClients: top.map(([client, each]) => ({
          client,
          count: each.count,
          userAgent: each.userAgent ?? null,
        })),
        firstSeen: first === undefined ? null : new Date(first).toISOString(),
        lastSeen: last === undefined ? null : new Date(last).toISOString(),
      }
    })
    broken.sort((a, b) => Number(b.breaks) - Number(a.breaks) || b.count - a.count)
    return { to: this.to.text, calls: this.calls, skipped: this.skipped, broken }
  }
}

/** Cuts chunks of bytes into lines and feeds them to a check, holding one line at a time. */
export async function checkTraffic(chunks: AsyncIterable<Uint8Array>, check: TrafficCheck): Promise<void> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  let length = 0
  const append = (part: string) => {
    length += part.length
    // Lines that are too long are only counted.
    if (length <= LINE_BYTES_MAX) parts.push(part)
    else parts = []
  }
  const finish = () => {
    if (length > LINE_BYTES_MAX) check.skip()
    else check.addLine(parts.join(''))
    parts = []
    length = 0
  }
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n')
    append(first)
    for (const part of rest) {
      finish()
      append(part)
    }
  }
  append(decoder.decode())
  finish()
}

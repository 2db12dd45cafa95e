/** Reads an access log line by line and counts the calls that the target version breaks. */
import type { ServiceVersion } from '@latchkey/contract'
import { counted, type Finding } from '../findings/finding.ts'
import { type LoggedCall, readLogLine } from './access-log.ts'
import { type CallVerdict, judgeCall } from './breaking-calls.ts'

const CLIENTS_MAX = 20
const CLIENTS_COUNTED_MAX = 100_000
const LINE_BYTES_MAX = 1024 * 1024

interface BrokenCall extends CallVerdict {
  readonly count: number
  readonly clients: number
  readonly topClients: readonly {
    readonly client: string
    readonly count: number
    readonly userAgent: string | null
  }[]
  readonly firstSeen: string | null
  readonly lastSeen: string | null
}

export interface TrafficResult {
  readonly to: string
  readonly calls: number
  /** Number of lines in a known format that are not calls. */
  readonly skipped: number
  /** Number of lines in an unknown format, which may be calls. */
  readonly unread: number
  /** Calls that break, then calls whose answer changes; the most frequent first. */
  readonly broken: readonly BrokenCall[]
}

interface Entry {
  count: number
  first: number | undefined
  last: number | undefined
  readonly verdict: CallVerdict
  readonly clients: Map<string, { readonly client: string; count: number; readonly userAgent: string | null }>
}

interface TrafficOptions {
  /** The current version of the cluster. Behaviour that it already has is not reported. */
  readonly from?: ServiceVersion | undefined
  readonly format?: RegExp | undefined
}

/** With a larger share of unread lines, the absence of breaking calls is inconclusive. */
const UNREAD_MAX = 0.01

export function isReadEnough({ calls, unread }: Pick<TrafficResult, 'calls' | 'unread'>): boolean {
  return unread <= (calls + unread) * UNREAD_MAX
}

export class TrafficCheck {
  private readonly to: ServiceVersion
  private readonly options: TrafficOptions
  private readonly entries = new Map<string, Entry>()
  private calls = 0
  private skipped = 0
  private unread = 0

  constructor(to: ServiceVersion, options: TrafficOptions = {}) {
    this.to = to
    this.options = options
  }

  addLine(line: string): void {
    if (line.trim() === '') return
    const call = readLogLine(line, this.options.format)
    if (call === 'other') this.skipped += 1
    else if (call === 'unread') this.unread += 1
    else this.addCall(call)
  }

  private addCall(call: LoggedCall): void {
    this.calls += 1
    const { from } = this.options
    const verdict = judgeCall(call, this.to)
    if (verdict === undefined) return
    if (from !== undefined && judgeCall(call, from)?.gate === verdict.gate) return
    const key = `${verdict.gate} ${verdict.call}`
    const { atMs, client: name, userAgent = null } = call
    const entry = this.entries.get(key) ?? { verdict, count: 0, first: atMs, last: atMs, clients: new Map() }
    this.entries.set(key, entry)
    entry.count += 1
    if (atMs !== undefined) {
      entry.first = Math.min(entry.first ?? atMs, atMs)
      entry.last = Math.max(entry.last ?? atMs, atMs)
    }
    const client = entry.clients.get(name) ?? { client: name, count: 0, userAgent }
    client.count += 1
    if (entry.clients.size < CLIENTS_COUNTED_MAX || client.count > 1) entry.clients.set(name, client)
  }

  skip(): void {
    this.unread += 1
  }

  result(): TrafficResult {
    const timeOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())
    const broken = [...this.entries.values()].map(
      ({ verdict, count, first, last, clients }): BrokenCall => ({
        ...verdict,
        count,
        clients: clients.size,
        topClients: [...clients.values()].sort((a, b) => b.count - a.count).slice(0, CLIENTS_MAX),
        firstSeen: timeOf(first),
        lastSeen: timeOf(last),
      }),
    )
    broken.sort((a, b) => Number(b.breaks) - Number(a.breaks) || b.count - a.count)
    return { to: this.to.text, calls: this.calls, skipped: this.skipped, unread: this.unread, broken }
  }
}

const NEWLINE = 0x0a
const decoder = new TextDecoder()

/** Splits chunks of bytes into lines and feeds them to a check. Keeps at most one line in memory. */
export async function checkTraffic(chunks: AsyncIterable<Uint8Array>, check: TrafficCheck): Promise<void> {
  let parts: Uint8Array[] = []
  let bytes = 0
  const append = (part: Uint8Array) => {
    bytes += part.length
    if (bytes <= LINE_BYTES_MAX) parts.push(part)
    else parts = []
  }
  const finish = () => {
    if (bytes > LINE_BYTES_MAX) check.skip()
    else check.addLine(decoder.decode(Buffer.concat(parts)))
    parts = []
    bytes = 0
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      append(chunk.subarray(from, end))
      finish()
      from = end + 1
    }
    append(chunk.subarray(from))
  }
  finish()
}

export function findTraffic(result: TrafficResult): Finding[] {
  const { to, broken } = result
  const calls = broken.map(({ gate, breaks, call, what, replacement, count, clients, lastSeen }) => ({
    id: `traffic-${gate}`,
    severity: breaks ? ('critical' as const) : ('warning' as const),
    count,
    detail: `${call} at ${to}: ${counted(count, 'call')} by ${counted(clients, 'client')}${lastSeen === null ? '' : `, last seen ${lastSeen}`}. ${what}`,
    avoid: `Use ${replacement}.`,
  }))
  return [...calls, ...findUnread(result), ...findNone(result)]
}

/** A log of another service, or of a level without calls, gives no information about clients. */
function findNone({ calls, skipped }: TrafficResult): Finding[] {
  if (calls > 0) return []
  return [
    {
      id: 'traffic-empty',
      severity: 'warning',
      count: skipped,
      detail: 'The access log contains no calls, so it does not show which clients would break',
      avoid:
        'Provide a log that contains calls: the legacy service logs all calls at level debug, but only refused ones by default.',
    },
  ]
}

/** If more than one percent of the lines are unread, breaking calls may have been missed. */
function findUnread(result: TrafficResult): Finding[] {
  const { unread } = result
  if (isReadEnough(result)) return []
  return [
    {
      id: 'traffic-unread',
      severity: 'warning',
      count: unread,
      detail: `${counted(unread, 'line')} of the access log could not be read, so calls that break may be missing here`,
      avoid: 'Describe the format of the log to check-traffic with --log-format.',
    },
  ]
}

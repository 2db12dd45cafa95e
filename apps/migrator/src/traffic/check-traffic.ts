/** Reads an access log line by line and counts the calls that the target version breaks. */
import type { ServiceVersion } from '@latchkey/contract'
import { gunzip, isGzip } from '../archive/unpack.ts'
import { type DumpSource, peek } from '../dump/read-dump.ts'
import { EXIT, InputError, systemProblem } from '../errors.ts'
import { counted, type Finding } from '../findings/finding.ts'
import { readLogLine } from './access-log.ts'
import { type CallVerdict, judgeCall } from './breaking-calls.ts'
import { type LoggedCall, METHODS } from './logged-call.ts'
import { shapeOf } from './shape.ts'

const CLIENTS_MAX = 20
const CLIENTS_COUNTED_MAX = 100_000
const LINE_BYTES_MAX = 1024 * 1024
const SAMPLES_MAX = 5
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS.split('|'))

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
  /** Number of lines that may be calls and could not be read. */
  readonly unread: number
  /** The first of them, from line 1, with `x` and `9` instead of letters and digits, which may be a secret. */
  readonly unreadSamples: readonly UnreadLine[]
  /** Calls that break, then calls whose answer changes; the most frequent first. */
  readonly broken: readonly BrokenCall[]
}

interface UnreadLine {
  readonly line: number
  readonly shape: string
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
  return calls > 0 && unread <= (calls + unread) * UNREAD_MAX
}

export class TrafficCheck {
  private readonly to: ServiceVersion
  private readonly options: TrafficOptions
  private readonly entries = new Map<string, Entry>()
  private calls = 0
  private skipped = 0
  private unread = 0
  private lines = 0
  private readonly unreadSamples: UnreadLine[] = []

  constructor(to: ServiceVersion, options: TrafficOptions = {}) {
    this.to = to
    this.options = options
  }

  addLine(line: string): void {
    this.lines += 1
    if (line.trim() === '') return
    const call = readLogLine(line, this.options.format)
    if (call === 'other') this.skipped += 1
    else if (call === 'unread') this.addUnread(shapeOf(line))
    else this.addCall(call)
  }

  private addCall(call: LoggedCall): void {
    this.calls += 1
    const { from } = this.options
    const verdict = judgeCall(
      { ...call, method: KNOWN_METHODS.has(call.method) ? call.method : 'OTHER' },
      this.to,
    )
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
    const client = entry.clients.get(name)
    if (client !== undefined) client.count += 1
    else if (entry.clients.size < CLIENTS_COUNTED_MAX)
      entry.clients.set(copy(name), { client: copy(name), count: 1, userAgent: userAgent && copy(userAgent) })
  }

  skipLongLine(): void {
    this.lines += 1
    this.addUnread(`longer than ${LINE_BYTES_MAX.toLocaleString('en-US')} bytes`)
  }

  private addUnread(shape: string): void {
    this.unread += 1
    if (this.unreadSamples.length < SAMPLES_MAX) this.unreadSamples.push({ line: this.lines, shape })
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
    const { calls, skipped, unread, unreadSamples } = this
    return { to: this.to.text, calls, skipped, unread, unreadSamples, broken }
  }
}

/** A substring keeps the whole line in memory; a copy does not. */
function copy(text: string): string {
  return Buffer.from(text).toString()
}

const NEWLINE = 0x0a
const decoder = new TextDecoder()

/**
 * Splits a log, which may be compressed with gzip, into lines and feeds them to a check. Keeps one line in memory.
 *
 * @throws InputError if it cannot be read to its end.
 */
export async function checkTraffic(source: DumpSource, check: TrafficCheck): Promise<void> {
  try {
    await addLines(plainChunks(source.chunks), check)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    const code = String(error.code)
    const problem = code.startsWith('Z_')
      ? 'gzip cannot unpack it: it is cut off or damaged'
      : systemProblem(error)
    throw new InputError(`cannot continue reading: ${problem}`, {
      place: { file: source.name },
      exitCode: EXIT.failed,
    })
  }
}

async function* plainChunks(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const { first, chunks } = await peek(bytesOf(source))
  yield* isGzip(first) ? gunzip(chunks) : chunks
}

async function* bytesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* source
}

async function addLines(chunks: AsyncIterable<Uint8Array>, check: TrafficCheck): Promise<void> {
  let parts: Uint8Array[] = []
  let bytes = 0
  const append = (part: Uint8Array) => {
    bytes += part.length
    if (bytes <= LINE_BYTES_MAX) parts.push(part)
    else parts = []
  }
  const finish = () => {
    if (bytes > LINE_BYTES_MAX) check.skipLongLine()
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
  return [...findBroken(result), ...findUnread(result)]
}

export function findBroken({ to, broken }: TrafficResult): Finding[] {
  return broken.map(({ gate, breaks, call, what, replacement, count, clients, lastSeen }) => ({
    id: `traffic-${gate}`,
    severity: breaks ? ('critical' as const) : ('warning' as const),
    count,
    detail: `${call} at ${to}: ${counted(count, 'call')} by ${counted(clients, 'client')}${lastSeen === null ? '' : `, last seen ${lastSeen}`}. ${what}`,
    avoid: `Use ${replacement}.`,
  }))
}

/** A log without calls, or with more than one percent of unread lines, does not show what breaks. */
function findUnread(result: TrafficResult): Finding[] {
  const { calls, skipped, unread } = result
  if (isReadEnough(result)) return []
  if (calls === 0 && unread === 0) {
    return [
      {
        id: 'traffic-empty',
        severity: 'critical',
        count: skipped,
        detail: 'The access log contains no calls, so it does not show which clients would break',
        avoid:
          'Provide a log that contains calls: the legacy service logs all calls at level debug, but only refused ones by default.',
      },
    ]
  }
  return [
    {
      id: 'traffic-unread',
      severity: 'critical',
      count: unread,
      detail: `${counted(unread, 'line')} of the access log could not be read, so calls that break may be missing here`,
      avoid: 'Let check-traffic show them, and describe the format of the log with --log-format.',
    },
  ]
}

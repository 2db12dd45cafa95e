/** The periods in which the machine of a rehearsal stalled: a stall delays everything within it. */
import type { Fleet } from '../fleet.ts'
import { poll } from '../watches.ts'
import type { Window } from '../workloads.ts'

/** Milliseconds since the schedule began. */
export interface Stall {
  readonly from: number
  readonly to: number
}

/** Answers that take longer are stalls. Also the tolerance for reading two clocks and writing a log line. */
export const CLOCK_MS = 50

const TICK_MS = 100
const ANSWER_MS_MAX = 60_000

/** The stalled time between two instants. Overlapping stalls are counted once. */
export function stalledMs(stalls: readonly Stall[], from: number, to: number): number {
  let reached = from
  let sum = 0
  for (const stall of [...stalls].sort((a, b) => a.from - b.from)) {
    const begin = Math.max(reached, stall.from)
    const end = Math.min(to, stall.to)
    if (end <= begin) continue
    sum += end - begin
    reached = end
  }
  return sum
}

export function distanceMs(a: number, b: number, stalls: readonly Stall[]): number {
  const [from, to] = [Math.min(a, b), Math.max(a, b)]
  return to - from - stalledMs(stalls, from, to)
}

/** Detects stalls of this process by its timers, and those of servers and database by consistent reads. */
export class StallWatch {
  readonly stalls: Stall[] = []
  private readonly fleet: Fleet
  private readonly startedAt: number
  private readonly asking = new Map<string, Promise<void>>()
  private readonly watching: () => Promise<void>

  constructor(fleet: Fleet, startedAt: number) {
    this.fleet = fleet
    this.startedAt = startedAt
    let dueAt = Date.now()
    this.watching = poll(() => {
      this.note(dueAt, Date.now())
      for (const { url, isPaused } of this.fleet.running()) {
        if (isPaused || this.asking.has(url)) continue
        const answered = this.ask(url).finally(() => this.asking.delete(url))
        this.asking.set(url, answered)
      }
      dueAt = Date.now() + TICK_MS
    }, TICK_MS)
  }

  async stop(): Promise<void> {
    await this.watching()
    await Promise.all(this.asking.values())
  }

  private async ask(url: string): Promise<void> {
    const askedAt = Date.now()
    try {
      const response = await fetch(`${url}/v1/kv/latchkey/rehearsal?consistent`, {
        headers: { 'X-Service-Token': this.fleet.managementSecret },
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      })
      await response.arrayBuffer()
    } catch {
      // A stopping server does not answer.
    }
    const isPaused = this.fleet.running().some((server) => server.url === url && server.isPaused)
    if (!isPaused) this.note(askedAt, Date.now())
  }

  private note(from: number, to: number): void {
    if (to - from > CLOCK_MS) this.stalls.push({ from: from - this.startedAt, to: to - this.startedAt })
  }
}

type Spans = Window['spans']

interface Options {
  readonly stalls: readonly Stall[]
  readonly allowedMs: number
}

/** Whether each call on one side is close to one on the other; only a brief burst may be missing. */
export function haveSameBursts(
  measured: Window | undefined,
  simulated: Window | undefined,
  options: Options,
): boolean {
  const [real, model] = [measured?.spans ?? [], simulated?.spans ?? []]
  return areIn(real, model, options) && areIn(model, real, options)
}

function areIn(spans: Spans, others: Spans, options: Options): boolean {
  const { stalls, allowedMs } = options
  const distanceTo = (at: number, { from, to }: Spans[number]) =>
    at < from ? distanceMs(at, from, stalls) : at > to ? distanceMs(to, at, stalls) : 0
  const isNear = (at: number) => others.some((other) => distanceTo(at, other) <= allowedMs)
  const long = burstsOf(spans, options).filter((burst) => {
    const [from, to] = [burst[0]?.from ?? 0, Math.max(...burst.map((each) => each.to))]
    return distanceMs(from, to, stalls) > allowedMs
  })
  return long.flat().every(({ from, to }) => isNear(from) && isNear(to))
}

function burstsOf(spans: Spans, { stalls, allowedMs }: Options): Spans[] {
  const bursts: Spans[number][][] = []
  let end = Number.NEGATIVE_INFINITY
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = bursts.at(-1)
    if (last === undefined || (span.from > end && distanceMs(end, span.from, stalls) > allowedMs))
      bursts.push([span])
    else last.push(span)
    end = Math.max(end, span.to)
  }
  return bursts
}

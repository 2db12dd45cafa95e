/** Alternates measurements of servers, A B A B: their results, their variation, and whether other work disturbed them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { machineCpuMs, treeCpuMs } from './process-tree.ts'
import type { Measured } from './processes.ts'

/** One measurement. */
export interface Sample {
  /** Answers per second, or milliseconds; the row says which. */
  readonly value: number
  readonly p99Ms?: number
  /** Answers other than 2xx, and requests without an answer. */
  readonly failures?: number
  /** Number of answers, by which processor time is divided. */
  readonly answers?: number
}

/** The results of one server: medians of all rounds. */
export interface Side {
  readonly value: number
  readonly p99Ms: number | undefined
  /** Processor time of the server's process tree for one answer, in microseconds. */
  readonly cpuUs: number | undefined
  /** Difference between the highest and the lowest value, as a fraction of the median. */
  readonly noise: number
  readonly failures: number
}

export interface Contest {
  readonly ours: Side
  /** Absent if this server runs alone. */
  readonly theirs: Side | undefined
  /** How many times as good our result is. Above 1: we lead. */
  readonly ratio: number | undefined
  readonly ratioP99: number | undefined
  /** Why the row has no verdict, if it has none. */
  readonly disturbed: string | undefined
}

interface ContestOptions {
  readonly rounds: number
  readonly isHigherBetter: boolean
}

/** Fraction of one core that other work may take during a measurement. */
const OTHERS_MAX = 0.1
/** Maximum attempts of a measurement that other work disturbed. */
const ATTEMPTS_MAX = 3
/** Pause until work left over from the last measurement is done. */
const PAUSE_MS = 300

/** Prepares a round on a server; the returned function measures it. */
type Arrange = (server: Measured, round: number) => Promise<() => Promise<Sample>>
type Taken = Sample & { readonly cpuMs: number | undefined; readonly others: number }

/** Measures this server, and another one if there is one, `rounds` times in turn. */
export async function compete(
  [ours, theirs]: readonly [Measured, Measured | undefined],
  arrange: Arrange,
  { rounds, isHigherBetter }: ContestOptions,
): Promise<Contest> {
  const servers = theirs ? [ours, theirs] : [ours]
  const a: Taken[] = []
  const b: Taken[] = []
  for (let round = 0; round < rounds; round += 1) {
    a.push(await calmly(() => take(ours, servers, () => arrange(ours, round))))
    if (theirs) b.push(await calmly(() => take(theirs, servers, () => arrange(theirs, round))))
  }
  const left = sideOf(a)
  const right = theirs && sideOf(b)
  const others = Math.max(...[...a, ...b].map((sample) => sample.others))
  const failures = left.failures + (right?.failures ?? 0)
  return {
    ours: left,
    theirs: right,
    ratio: right && (isHigherBetter ? left.value / right.value : right.value / left.value),
    ratioP99: right?.p99Ms && left.p99Ms ? right.p99Ms / left.p99Ms : undefined,
    disturbed:
      others > OTHERS_MAX
        ? `other work took ${(others * 100).toFixed(0)} % of a core`
        : failures > 0
          ? `${failures} requests failed`
          : undefined,
  }
}

async function calmly(taking: () => Promise<Taken>): Promise<Taken> {
  let taken = await taking()
  for (let attempt = 2; attempt <= ATTEMPTS_MAX && taken.others > OTHERS_MAX; attempt += 1) {
    const again = await taking()
    if (again.others < taken.others) taken = again
  }
  return taken
}

async function take(
  server: Measured,
  servers: readonly Measured[],
  arrange: () => Promise<() => Promise<Sample>>,
): Promise<Taken> {
  const measure = await arrange()
  await sleep(PAUSE_MS)
  // A server without a known process would be counted as other work, so other work is unknown then.
  const isKnown = servers.every(({ pid }) => pid > 0)
  const involved = () => servers.reduce((sum, { pid }) => sum + treeCpuMs(pid), 0) + treeCpuMs(process.pid)
  const cpu = () => (server.pid > 0 ? treeCpuMs(server.pid) : undefined)
  const [startedAt, machine, own, before] = [performance.now(), machineCpuMs(), involved(), cpu()]
  const sample = await measure()
  const [ms, machineAfter, ownAfter, after] = [
    performance.now() - startedAt,
    machineCpuMs(),
    involved(),
    cpu(),
  ]
  const others = isKnown ? Math.max(0, machineAfter - machine - (ownAfter - own)) / ms : 0
  const cpuMs = before === undefined || after === undefined ? undefined : after - before
  return { ...sample, cpuMs, others }
}

function sideOf(taken: readonly Taken[]): Side {
  const values = taken.map(({ value }) => value)
  const value = median(values)
  const perAnswer = taken.flatMap(({ cpuMs, answers }) =>
    cpuMs === undefined || !answers ? [] : [(cpuMs * 1_000) / answers],
  )
  const p99s = taken.flatMap(({ p99Ms }) => (p99Ms === undefined ? [] : [p99Ms]))
  return {
    value,
    p99Ms: p99s.length === 0 ? undefined : median(p99s),
    cpuUs: perAnswer.length === 0 ? undefined : median(perAnswer),
    noise: (Math.max(...values) - Math.min(...values)) / value,
    failures: taken.reduce((sum, { failures = 0 }) => sum + failures, 0),
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = 0, high = 0] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[middle]]
  return (low + high) / 2
}

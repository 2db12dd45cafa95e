/** The state of a run: its processes, the tokens so far, and the figures. */
import { applyLoad, type Load, type LoadResult } from './load.ts'
import type { BenchOptions } from './options.ts'
import type { Measured } from './processes.ts'

export interface LoadFigures {
  readonly case: string
  readonly connections: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: number | undefined
  readonly failures: number
  /** Baselines with a ready-made body of the same length, in the same run. */
  readonly raw?: Baseline
  readonly express?: Baseline
}

interface Baseline {
  readonly perSecond: number
  readonly cpuUs: number | undefined
}

/** Creates through the store and in hand-made groups, measured by `commit.ts`. */
export interface CommitFigures {
  readonly clients: number
  readonly storePerSecond: number
  readonly handMadePerSecond: number
}

export interface WaiterFigures {
  readonly case: string
  readonly waiters: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly bytesEach: number
  readonly rawP99Ms: number
}

export interface SizeFigures {
  readonly case: string
  readonly tokens: number
  /** From the start of the process and its database to the first answered read. */
  readonly firstReadMs: number
  readonly residentBytesAtStart: number
  /** The very first list. */
  readonly firstListMs: number
  /** The first list after a restart, and the second. */
  readonly restartedListMs: number
  readonly listAgainMs: number
  readonly listBytes: number
  readonly residentBytesAfter: number
  readonly residentBytesMax: number
}

export interface Figures {
  readonly loads: LoadFigures[]
  readonly waiters: WaiterFigures[]
  readonly sizes: SizeFigures[]
  readonly commits: CommitFigures[]
}

/** The baseline servers of this machine. */
export interface Baselines {
  readonly raw: Measured
  readonly express: Measured
}

/** Time for JIT compilation, in seconds, before the first measurement of a case. */
const WARM_UP_SECONDS = 1

/**
 * Measures a load: alternates rounds of it with rounds of the baselines, so that other work on the machine affects all alike.
 *
 * @param loads one for each round plus one for the warm-up, if requests can be sent only once.
 * @param bodyLength of one answer, for the baselines; absent if a comparison means nothing.
 */
export async function measureLoad(
  name: string,
  server: Measured,
  loads: (round: number) => Load,
  {
    baselines,
    bodyLength,
    options,
  }: {
    readonly baselines: Baselines
    readonly bodyLength?: number
    readonly options: BenchOptions
  },
): Promise<LoadFigures> {
  const { seconds, rounds } = options
  const ours: LoadResult[] = []
  const raw: LoadResult[] = []
  const express: LoadResult[] = []
  await applyLoad(server, loads(rounds), WARM_UP_SECONDS)
  for (let round = 0; round < rounds; round += 1) {
    const load = loads(round)
    ours.push(await applyLoad(server, load, seconds))
    if (bodyLength === undefined) continue
    const ready = { ...load, requests: [{ method: 'GET', path: `/bytes/${bodyLength}` }] }
    raw.push(await applyLoad(baselines.raw, ready, Math.ceil(seconds / 2)))
    express.push(await applyLoad(baselines.express, ready, Math.ceil(seconds / 2)))
  }
  return {
    case: name,
    connections: loads(0).connections,
    ...medianOf(ours),
    failures: ours.reduce((sum, { failures }) => sum + failures, 0),
    ...(raw.length === 0 ? {} : { raw: baselineOf(raw) }),
    ...(express.length === 0 ? {} : { express: baselineOf(express) }),
  }
}

function baselineOf(results: readonly LoadResult[]): Baseline {
  const { perSecond, cpuUs } = medianOf(results)
  return { perSecond, cpuUs }
}

function medianOf(results: readonly LoadResult[]): LoadResult {
  const sorted = [...results].sort((a, b) => a.perSecond - b.perSecond)
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (!middle) throw new TypeError('a median needs a measurement')
  return middle
}

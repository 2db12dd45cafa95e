/** Predicts a rehearsal before it begins, with the times that an earlier one measured on this machine. */
import * as z from 'zod'
import { downtimeOf, type Step } from '../steps/schedule.ts'
import {
  BATCH,
  BEGUN,
  commitMsOf,
  type Done,
  JOINED,
  joinedAt,
  type Measured,
  type Simulated,
  simulateMeasured,
} from './measured.ts'
import type { Findings } from './prove.ts'

const ms = z.number().min(0)

/** Means, in milliseconds. */
export const machineTimesSchema = z.object({
  /** From the beginning of a step until the next can begin, by kind; of one token if the step writes tokens. */
  stepMs: z.record(z.string(), ms),
  /** From the beginning of a restart or start until the new process has joined, by kind. */
  joinMs: z.record(z.string(), ms),
  /** From the end of legacy mode until a process begins to assign accessors. */
  beginMs: ms,
  /** From the end of legacy mode until each server says so. */
  noticeMs: ms,
  commitMs: ms,
})

export type MachineTimes = z.output<typeof machineTimesSchema>

export const UNKNOWN_TIMES: MachineTimes = { stepMs: {}, joinMs: {}, beginMs: 0, noticeMs: 0, commitMs: 0 }

/** Simulates the schedule, whose clock stands still while a step is carried out. */
export function simulateBeforehand(
  run: Pick<Measured, 'scenario' | 'tokens'>,
  steps: readonly Step[],
  times: MachineTimes,
): Simulated {
  const done: Done[] = []
  const log = [{ server: '', at: 0, message: BATCH, fields: { ms: times.commitMs } }]
  let [freeMs, lateMs] = [0, 0]
  for (const step of steps) {
    const at = Math.max(step.atMs + lateMs, freeMs)
    const lasts = (times.stepMs[step.kind] ?? 0) * ('count' in step ? (step.count ?? 1) : 1)
    const upMs = at + downtimeOf(step)
    freeMs = upMs + lasts
    lateMs += lasts
    const isStart = step.kind === 'restart' || step.kind === 'start'
    done.push({ step, at, ...(isStart ? { startedAt: freeMs } : {}) })
    const joinedMs = upMs + (times.joinMs[step.kind] ?? 0)
    if (isStart) log.push({ server: step.server, at: joinedMs, message: JOINED, fields: { ms: 0 } })
  }
  const simulated = simulateMeasured({ ...run, done, log, startedAt: 0, endedAt: undefined }, times.beginMs)
  const servers = Object.entries(simulated.servers).map(([id, server]) => {
    const { newModeAt } = server
    return [id, { ...server, newModeAt: newModeAt === null ? null : newModeAt + times.noticeMs / 1_000 }]
  })
  return { ...simulated, servers: Object.fromEntries(servers) }
}

/** The means of the known times and of those that this rehearsal measured. */
export function machineTimesOf(
  measured: Measured,
  { found, simulated, known }: { found: TimesFound; simulated: Simulated; known: MachineTimes | undefined },
): MachineTimes {
  const { log, done, startedAt } = measured
  const starts = done.flatMap((each) => {
    const at = joinedAt(each, log)
    return at === undefined ? [] : [[each.step.kind, at - each.at - downtimeOf(each.step)] as const]
  })
  const lengths = done.flatMap(({ step, at, startedAt: readyAt, answeredAt }) => {
    const endedAt = readyAt ?? answeredAt
    return endedAt === undefined ? [] : [[step.kind, endedAt - at - downtimeOf(step)] as const]
  })
  const ends = Object.entries(simulated.servers).flatMap(([id, { newModeAt }]) => {
    const seenAt = found.servers[id]?.newModeAt ?? null
    return newModeAt === null || seenAt === null ? [] : [{ newModeAt, seenAt }]
  })
  const endedAt = startedAt + 1_000 * Math.min(...ends.map(({ newModeAt }) => newModeAt))
  const begun = log.find(({ message, at }) => message === BEGUN && at >= endedAt)
  const noticeMs = mean(ends.map((each) => 1_000 * (each.seenAt - each.newModeAt)))
  return {
    stepMs: blendEach(known?.stepMs, meansOf(lengths)),
    joinMs: blendEach(known?.joinMs, meansOf(starts)),
    beginMs: blend(known?.beginMs, begun && begun.at - endedAt),
    noticeMs: blend(known?.noticeMs, noticeMs && Math.max(0, noticeMs)),
    commitMs: blend(known?.commitMs, commitMsOf(log)),
  }
}

/** Servers look at each other once a second, so equal rehearsals differ by half a second: the kept times even this out. */
function blend(known: number | undefined, measured: number | undefined): number {
  if (known === undefined || measured === undefined) return measured ?? known ?? 0
  return (known + measured) / 2
}

function blendEach(
  known: Readonly<Record<string, number>> = {},
  measured: Readonly<Record<string, number>>,
): Record<string, number> {
  const fresh = Object.entries(measured).map(([kind, value]) => [kind, blend(known[kind], value)] as const)
  return { ...known, ...Object.fromEntries(fresh) }
}

type TimesFound = Pick<Findings, 'servers' | 'migration' | 'secondaries'>

/** What happened when: as predicted, as simulated with the measured schedule, and as measured. In seconds. */
export function compareTimes(found: TimesFound, simulated: Simulated, beforehand: Simulated) {
  type At = number | null | undefined
  const row = (what: string, [predicted, again, real]: readonly [At, At, At]) => {
    const [before = null, after = null, measured = null] = [predicted, again, real]
    const difference = before === null || !measured ? null : Math.abs(before - measured) / measured
    return { what, beforehand: before, simulated: after, measured, difference }
  }
  const [planned, again, real] = [beforehand.migration, simulated.migration, found.migration]
  return [
    ...Object.entries(found.servers).map(([id, { newModeAt }]) =>
      row(`${id} in new mode`, [
        beforehand.servers[id]?.newModeAt,
        simulated.servers[id]?.newModeAt,
        newModeAt,
      ]),
    ),
    row('first batch', [planned.firstBatchAt, again.firstBatchAt, real.firstBatchAt]),
    row('last batch', [planned.lastBatchAt, again.lastBatchAt, real.lastBatchAt]),
    ...found.secondaries.map(({ datacenter, completeAt }) =>
      row(`last accessor in ${datacenter}`, [
        beforehand.secondaries[datacenter]?.completeAt,
        simulated.secondaries[datacenter]?.completeAt,
        completeAt,
      ]),
    ),
  ].filter((each) => each.beforehand !== null || each.simulated !== null || each.measured !== null)
}

function meansOf(samples: readonly (readonly [string, number])[]): Record<string, number> {
  const kinds = Map.groupBy(samples, ([kind]) => kind)
  return Object.fromEntries([...kinds].map(([kind, all]) => [kind, mean(all.map(([, each]) => each)) ?? 0]))
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, each) => sum + each, 0) / values.length
}

/** The state of a running rehearsal: its servers, clients and measurements. */
import type { LegacyToken } from '@latchkey/contract'
import type { Scenario } from '../scenario/scenario.ts'
import type { Fleet } from './fleet.ts'
import type { MachineTimes } from './proof/beforehand.ts'
import type { Done, Measured } from './proof/measured.ts'
import type { Stall } from './proof/stalls.ts'
import type { LogLine } from './server-process.ts'
import type { CreatedIntention } from './steps/intentions.ts'
import type { Step } from './steps/schedule.ts'
import type { TokenBook } from './steps/tokens.ts'
import type { ServerModes } from './watches.ts'
import type { Windows, Workloads } from './workloads.ts'

export interface RehearsalOptions {
  readonly scenario: Scenario
  readonly tokens: readonly LegacyToken[] | undefined
  readonly refusedRecords: readonly string[] | undefined
  readonly serverMain: string
  /** Factor for the waits of the schedule. Batch intervals never shrink. */
  readonly timeScale: number
  /** What an earlier rehearsal measured on this machine. */
  readonly times?: MachineTimes | undefined
  readonly signal: AbortSignal
  readonly onProgress: (text: string) => void
}

export interface Run {
  readonly options: RehearsalOptions
  readonly scenario: Scenario
  readonly steps: readonly Step[]
  readonly fleet: Fleet
  /** In the order of the migration, with those that the servers created. */
  readonly tokens: readonly LegacyToken[]
  readonly book: TokenBook
  readonly done: Done[]
  readonly intentions: CreatedIntention[]
  readonly refusedWrites: string[]
}

export interface Seen {
  readonly startedAt: number
  readonly endedAt: number
  readonly servers: Readonly<Record<string, ServerModes>>
  readonly stalls: readonly Stall[]
  /** When the last token of a secondary got its accessor, in seconds since the schedule began. */
  readonly completeAt: (datacenter: string) => number | null
  readonly windows: Windows
  readonly clients: ReturnType<Workloads['seen']>
}

export function measuredOf(
  { scenario, tokens, done }: Run,
  log: readonly LogLine[],
  times: Pick<Measured, 'startedAt' | 'endedAt'>,
): Measured {
  return { scenario, tokens, done, log, ...times }
}

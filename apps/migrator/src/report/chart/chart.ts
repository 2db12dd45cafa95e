/** The data of the chart in a report, for a simulation, a rehearsal or a live migration. */
import type { ClientErrors } from '../../clients/tally.ts'
import { MODE_TEXTS } from '../../simulate/history.ts'

export const LOOKS = { ...MODE_TEXTS, down: 'down', paused: 'paused' } as const
export type Look = keyof typeof LOOKS

/** A period with one look. Times are milliseconds from the start of the schedule; the last period has no end. */
export interface Stretch {
  readonly from: number
  readonly to: number | undefined
  readonly look: Look
  readonly version: string
  readonly leads: boolean
}

/** One server or client agent. */
export interface Track {
  readonly id: string
  readonly datacenter: string
  readonly isAgent: boolean
  readonly stretches: readonly Stretch[]
  /** When its last process left legacy mode. */
  readonly newModeAt: number | undefined
}

export interface TokenPoint {
  readonly at: number
  /** Tokens without an accessor from then on. */
  readonly remaining: number
}

export interface TokenLine {
  readonly datacenter: string
  readonly points: readonly TokenPoint[]
}

/** The errors and unexpected answers that the clients of one workload saw. */
export interface ClientTrack {
  readonly name: string
  readonly spans: readonly (ClientErrors['spans'][number] & { readonly isError: boolean })[]
}

/** An event with a vertical line through the whole chart. */
export interface Mark {
  readonly at: number
  readonly text: string
  /** `return`: the point of no return; `harm`: something fails; `step`: something that an operator does. */
  readonly kind: 'return' | 'harm' | 'step'
  /** Whether a server starts, which its bar shows too. */
  readonly isStart?: boolean
}

export interface Chart {
  readonly tracks: readonly Track[]
  readonly tokens: readonly TokenLine[]
  readonly clients: readonly ClientTrack[]
  readonly marks: readonly Mark[]
  /** The last event apart from batches: the chart may compress the time after it. */
  readonly busyUntil: number
  readonly end: number
}

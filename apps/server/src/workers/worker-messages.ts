/** Messages between the main process and its workers. */
import type { Rate, Taken } from '@latchkey/service'
import type { MetricSnapshot } from '../telemetry/metrics.ts'

/** Questions of a worker to the main process, which counts for all workers, and their answers. */
export interface Questions {
  /** Takes a connection slot for a client. The answer: whether one was free. */
  readonly slot: { readonly of: string; readonly answer: boolean }
  readonly rate: { readonly of: RateQuestion; readonly answer: Taken }
  readonly metrics: { readonly of: undefined; readonly answer: ServerMetrics }
}

/** `pool`: rates of different pools never share a bucket. */
export interface RateQuestion {
  readonly pool: 'logins' | 'dns'
  readonly rate: Rate
  readonly count: number
}

/** The merged metrics of all workers. */
export interface ServerMetrics {
  /** When the main process started, in milliseconds since the epoch. */
  readonly startedAt: number
  readonly metrics: MetricSnapshot
}

export type Kind = keyof Questions

export type Question = { [K in Kind]: { readonly kind: K; readonly of: Questions[K]['of'] } }[Kind]

export type ToMain =
  | { readonly kind: 'listening'; readonly url: string; readonly isBootstrapped: boolean }
  /** Answered by `answer` with the same number. */
  | { readonly kind: 'ask'; readonly ask: number; readonly question: Question }
  | { readonly kind: 'free'; readonly client: string }
  | { readonly kind: 'collected'; readonly ask: number; readonly metrics: MetricSnapshot }

export type ToWorker =
  /** Stop; `isForGood`: leave the cluster permanently. */
  | { readonly kind: 'stop'; readonly isForGood: boolean }
  | { readonly kind: 'answer'; readonly ask: number; readonly answer: Questions[Kind]['answer'] }
  /** Answered by `collected` with the same number. */
  | { readonly kind: 'collect'; readonly ask: number }

/** Exit code of a worker that must not be restarted, because its successor would be refused too. */
export const REFUSED_EXIT_CODE = 3

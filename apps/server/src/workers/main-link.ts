import type { Rate, RateLimits, Taken } from '@latchkey/service'
import type { ConnectionSlots } from '../http/listener/connection-limit.ts'
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

/** A worker's end of the channel to the main process. */
export interface Channel {
  send(message: ToMain): void
  onMessage(listener: (message: ToWorker) => void): void
}

/** The main process as its workers see it. It counts for all of them, so that limits apply to the whole server. */
export class MainLink {
  private readonly channel: Channel
  private readonly asked = new Map<number, (answer: Questions[Kind]['answer']) => void>()
  private asks = 0

  constructor(channel: Channel) {
    this.channel = channel
    channel.onMessage((message) => {
      if (message.kind !== 'answer') return
      this.asked.get(message.ask)?.(message.answer)
      this.asked.delete(message.ask)
    })
  }

  /** A client's connection limit covers all workers together. */
  readonly slots: ConnectionSlots = {
    take: async (client) =>
      (await this.ask('slot', client)) ? () => this.channel.send({ kind: 'free', client }) : undefined,
  }

  limitsOf(pool: RateQuestion['pool']): RateLimits {
    return { take: (rate: Rate, count: number): Promise<Taken> => this.ask('rate', { pool, rate, count }) }
  }

  /** The metrics of all workers, this one included. */
  metrics(): Promise<ServerMetrics> {
    return this.ask('metrics', undefined)
  }

  /** Lets the main process collect the metrics of this worker. */
  answerCollections(read: () => Promise<MetricSnapshot>): void {
    this.channel.onMessage((message) => {
      if (message.kind !== 'collect') return
      const { ask } = message
      void read().then((metrics) => this.channel.send({ kind: 'collected', ask, metrics }))
    })
  }

  private ask<K extends Kind>(kind: K, of: Questions[K]['of']): Promise<Questions[K]['answer']> {
    this.asks += 1
    const ask = this.asks
    return new Promise((resolve) => {
      this.asked.set(ask, resolve)
      // TypeScript does not see that kind and content match.
      this.channel.send({ kind: 'ask', ask, question: { kind, of } as Question })
    })
  }
}

/** The main process of several workers on one port: starts and replaces them, and counts for all of them. */

import type { Worker } from 'node:cluster'
import cluster from 'node:cluster'
import { type Release, TokenBuckets } from '@latchkey/service'
import type { Logger } from 'pino'
import { connectionSlots } from '../http/listener/connection-limit.ts'
import { StartError } from '../start-error.ts'
import { countedIn, type MetricSnapshot, mergeMetrics } from '../telemetry/metrics.ts'
import {
  type Kind,
  type Question,
  type Questions,
  REFUSED_EXIT_CODE,
  type ServerMetrics,
  type ToMain,
  type ToWorker,
} from './main-link.ts'

interface WorkersOptions {
  readonly count: number
  /** Environment variables of workers in addition to those of this process. */
  readonly env: Readonly<Record<string, string>>
  /** Maximum number of connections of a client to all workers together; 0 for no limit. */
  readonly connectionsMax: number
  readonly log: Logger
  /** Called when the first worker listens. */
  readonly onListening: (message: Extract<ToMain, { kind: 'listening' }>) => void
  readonly onFatal: (error: Error) => void
}

/** Makes glibc's allocator return memory after bursts of long answers; it kept 20 MiB per worker. */
const ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '262144',
  MALLOC_MMAP_THRESHOLD_: '1048576',
} as const

/** Pause before the successor of a worker starts, in milliseconds. */
const RESTART_DELAY_MS = 500

/** @returns stops all workers. */
export function startWorkers(options: WorkersOptions): (isForGood: boolean) => Promise<void> {
  const { log } = options
  const startedAt = Date.now()
  const slots = connectionSlots(options.connectionsMax)
  const pools = { logins: bucketsOfServer(), dns: bucketsOfServer() }
  const metrics = new WorkerMetrics((id, ask) => tell(cluster.workers?.[id], { kind: 'collect', ask }))
  let isStopping = false
  let isListening = false
  // Metrics may contain numbers that JSON cannot represent.
  cluster.setupPrimary({ serialization: 'advanced' })
  /** Workers that could not start. They are tried again once another one listens. */
  let failed = 0
  const forkLater = () => {
    setTimeout(() => {
      if (!isStopping) fork()
    }, RESTART_DELAY_MS)
  }
  /** @param isRefusal whether another worker would probably end in the same way. */
  const replace = (isRefusal: boolean) => {
    if (isListening || !isRefusal) {
      forkLater()
      return
    }
    failed += 1
    if (failed === options.count) options.onFatal(new StartError('The workers cannot start.'))
  }
  const fork = () => {
    const worker = cluster.fork({ ...ALLOCATOR, ...process.env, ...options.env })
    /** Its connections, by client. */
    const open = new Map<string, Release[]>()
    const takeSlot = (client: string): boolean => {
      const release = slots.take(client)
      if (release) open.set(client, [...(open.get(client) ?? []), release])
      return release !== undefined
    }
    const answerTo = ({ kind, of }: Question): Questions[Kind]['answer'] | Promise<ServerMetrics> => {
      if (kind === 'slot') return takeSlot(of)
      if (kind === 'rate') return pools[of.pool].take(of.rate, of.count)
      return metrics
        .collect(
          Object.values(cluster.workers ?? {}).flatMap((worker) =>
            worker?.isConnected() ? [worker.id] : [],
          ),
        )
        .then((merged) => ({ startedAt, metrics: merged }))
    }
    worker.on('message', (message: ToMain) => {
      if (worker.isDead()) return
      if (message.kind === 'ask') {
        const { ask, question } = message
        const answer = answerTo(question)
        if (answer instanceof Promise)
          void answer.then((late) => tell(worker, { kind: 'answer', ask, answer: late }))
        else tell(worker, { kind: 'answer', ask, answer })
      } else if (message.kind === 'free') {
        open.get(message.client)?.pop()?.()
        if (open.get(message.client)?.length === 0) open.delete(message.client)
      } else if (message.kind === 'collected') {
        metrics.collected(worker.id, message.ask, message.metrics)
      } else {
        if (!isListening) options.onListening(message)
        isListening = true
        for (; failed > 0; failed -= 1) forkLater()
      }
    })
    worker.once('exit', (code, signal) => {
      metrics.end(worker.id)
      for (const releases of open.values()) for (const release of releases) release()
      if (isStopping) return
      if (code === REFUSED_EXIT_CODE) {
        options.onFatal(new StartError('This version can no longer work on the data.'))
        return
      }
      log.error({ worker: worker.process.pid, code, signal }, 'a worker ended; another one replaces it')
      // If it was stopped or killed, the next one can start.
      replace(signal === null && code !== 0)
    })
    worker.on('error', (err) => {
      if (isStopping || worker.process.pid !== undefined) return
      // The system has no process or file left for it.
      log.error({ err }, 'a worker could not be started')
      replace(true)
    })
  }
  for (let i = 0; i < options.count; i += 1) fork()
  return async (isForGood) => {
    isStopping = true
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => endWorker(worker, isForGood)))
  }
}

function bucketsOfServer(): TokenBuckets {
  return new TokenBuckets(() => performance.now())
}

/** Workers reload the TLS files on SIGHUP, which operators send to the main process. */
export function hangUpWorkers(): void {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGHUP')
}

function endWorker(worker: Worker | undefined, isForGood: boolean): Promise<void> {
  if (!worker || worker.isDead()) return Promise.resolve()
  return new Promise((resolve) => {
    worker.once('exit', () => resolve())
    // A message, not a signal: a signal to the process group may have reached the worker already, and a second one
    // would abort it.
    tell(worker, { kind: 'stop', isForGood })
  })
}

/** Ignores errors, because the worker may have just ended. */
function tell(worker: Worker | undefined, message: ToWorker): void {
  worker?.send(message, () => {})
}

/** How long a worker may take to report its metrics, in milliseconds. After that, its last report is used. */
const ANSWER_MS_MAX = 2_000

interface Collection {
  readonly missing: Set<number>
  readonly done: () => void
}

/** Collects the metrics of all workers. Counts of ended workers are kept, so no counter decreases. */
export class WorkerMetrics {
  private readonly request: (worker: number, ask: number) => void
  private readonly latest = new Map<number, MetricSnapshot>()
  private readonly collections = new Map<number, Collection>()
  private ended: Promise<MetricSnapshot> = Promise.resolve([])
  private asks = 0

  /** @param request requests the metrics of a worker; pass its answer to {@link collected}. */
  constructor(request: (worker: number, ask: number) => void) {
    this.request = request
  }

  async collect(workers: readonly number[]): Promise<MetricSnapshot> {
    this.asks += 1
    const ask = this.asks
    const { promise, resolve } = Promise.withResolvers<void>()
    this.collections.set(ask, { missing: new Set(workers), done: resolve })
    const timer = setTimeout(resolve, ANSWER_MS_MAX)
    for (const worker of workers) this.request(worker, ask)
    await promise
    clearTimeout(timer)
    this.collections.delete(ask)
    // Both at the same moment: a worker that ends moves from one to the other.
    const [living, ended] = [[...this.latest.values()], this.ended]
    return mergeMetrics([...living, await ended]).getMetricsAsJSON()
  }

  collected(worker: number, ask: number, metrics: MetricSnapshot): void {
    this.latest.set(worker, metrics)
    this.arrived(worker, this.collections.get(ask))
  }

  /** A worker has ended. */
  end(worker: number): void {
    const last = this.latest.get(worker)
    this.latest.delete(worker)
    if (last) {
      this.ended = this.ended.then((ended) => mergeMetrics([ended, countedIn(last)]).getMetricsAsJSON())
    }
    for (const collection of this.collections.values()) this.arrived(worker, collection)
  }

  private arrived(worker: number, collection: Collection | undefined): void {
    collection?.missing.delete(worker)
    if (collection?.missing.size === 0) collection.done()
  }
}

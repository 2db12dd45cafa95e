/** One server process: builds the store, the API, the listener and the jobs, and stops them in order. */
import cluster from 'node:cluster'
import { StartRefused } from '@latchkey/acl'
import { profileOf } from '@latchkey/contract'
import { isSecondary } from '@latchkey/service'
import type { Logger } from 'pino'
import { registerSelf } from './checks/server-nodes.ts'
import { startChecks } from './checks/start-checks.ts'
import { createClusterInfo } from './cluster-info.ts'
import { type Config, describeConfig } from './config/config.ts'
import { startPatiently } from './database/start-patiently.ts'
import { startDns } from './dns/start-dns.ts'
import type { AccessLog } from './http/access-log.ts'
import { advertisedAddress } from './http/listener/advertised-address.ts'
import { startJobs } from './jobs/start-jobs.ts'
import { PrimaryClient } from './outgoing/primary-client.ts'
import { openTlsFiles } from './outgoing/tls-files.ts'
import { createRandom } from './random.ts'
import { Replication } from './replication/replication.ts'
import { openServerStore } from './server-store.ts'
import { createService } from './start/create-service.ts'
import { listen } from './start/listen.ts'
import { prepareData, warnOfPromotion } from './start/prepare-data.ts'
import { StartError } from './start-error.ts'
import { watchEventLoop } from './telemetry/event-loop-metrics.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { countReplication, watchReplication } from './telemetry/replication-metrics.ts'
import { watchStore } from './telemetry/store-metrics.ts'
import type { Tracing } from './tracing/open-tracing.ts'
import { startTraced } from './tracing/start-tracing.ts'
import type { MainLink } from './workers/main-link.ts'

export interface ServerProcessOptions {
  readonly config: Config
  readonly databaseUrl: string
  readonly dataDir: string
  readonly log: Logger
  /** Writes a line per answer; `undefined` if the log level is too low. */
  readonly accessLog: AccessLog | undefined
  /** Called if the process must stop, for example because its version has become too old for its data. */
  readonly onFatal: (error: Error) => void
  /** The main process, which counts for all workers. Default: this process counts for itself. */
  readonly main?: MainLink
}

export interface ServerProcess {
  /** The URL it listens on. */
  readonly url: string
  /** Whether a first management token exists. A secondary datacenter gets its token from the primary. */
  readonly isBootstrapped: boolean
  /** @param isForGood the other servers do not wait for a successor. */
  close(isForGood: boolean): Promise<void>
}

const random = createRandom()

/** @throws StartError if it cannot start. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { config, log } = options
  return startTraced(config, log, (tracing) => startPatiently(() => startOnce(options, tracing), { log }))
}

async function startOnce(
  options: ServerProcessOptions,
  tracing: Tracing | undefined,
): Promise<ServerProcess> {
  const { config, log, dataDir, main } = options
  const profile = profileOf(config.serviceVersion)
  const metrics = createMetrics()
  const startedAt = Date.now()
  const store = await openServerStore({ config, databaseUrl: options.databaseUrl, dataDir, log, tracing })
  /** How to stop what has started. If a later step fails, the next attempt needs the port. */
  const started: (() => Promise<void> | void)[] = []
  try {
    const data = { store, config, profile, random }
    await prepareData(data)
    // Workers would repeat it.
    log[main === undefined ? 'info' : 'debug']('joined the cluster')
    warnOfPromotion(data, log)
    watchEventLoop(metrics)
    watchStore(metrics, store)
    const tls = await openTlsFiles(config, (error) =>
      log.warn({ err: error }, 'the files for connections to other datacenters cannot be used'),
    )
    const { primaryUrls } = config
    const primary = primaryUrls.length > 0 ? new PrimaryClient({ origins: primaryUrls, tls }) : undefined
    if (primary) started.push(() => primary.close())
    const replication =
      primary && new Replication({ store, primary, config, random, log, onStep: countReplication(metrics) })
    const clusterInfo = createClusterInfo({
      store,
      config,
      dataDir,
      readMetrics: async () =>
        main?.metrics() ?? { metrics: await metrics.registry.getMetricsAsJSON(), startedAt },
      replication,
      log,
      leave: endServer,
    })
    if (replication) {
      watchReplication(metrics, {
        state: () => clusterInfo.replication(),
        report: () => clusterInfo.replicationReport(),
      })
    }
    const processService = await createService({
      ...options,
      profile,
      store,
      cluster: clusterInfo,
      tls,
      random,
      metrics,
      tracing,
      main,
    })
    const { service, localChecks, coordinateUpdates } = processService
    started.push(() => localChecks.stop())
    const listener = await listen({ ...options, ...processService, profile, store, metrics, tracing, main })
    started.push(() => listener.close(0))
    const dns = await startDns({
      config,
      profile,
      service,
      limits: main?.limitsOf('dns'),
      onAnswer: metrics.dnsAnswer,
      log,
    })
    if (dns) started.push(() => dns.close())
    await store.membership.announce(advertisedAddress(listener.address))
    await registerSelf(store, config, log)
    const jobs = startJobs({
      store,
      cluster: clusterInfo,
      config,
      primary,
      replication,
      coordinateUpdates,
      profile,
      random,
      log,
      onFatal: options.onFatal,
    })
    const checks = startChecks({ store, config, localChecks, log })
    main?.answerCollections(() => metrics.registry.getMetricsAsJSON())
    log.info({ address: listener.address, config: describeConfig(config) }, 'listening')
    const directory = store.directory()
    return {
      url: listener.url,
      isBootstrapped:
        directory.system('bootstrap') !== undefined ||
        !profile.has('api.token') ||
        isSecondary({ ...config, store }),
      close: async (isForGood) => {
        // From now on, check reports go to another process.
        localChecks.stop()
        await listener.drain()
        await Promise.all([listener.close(config.shutdownTimeoutMs), dns?.close()])
        await checks.stop()
        await jobs.stop()
        primary?.close()
        await store.close(isForGood)
      },
    }
  } catch (error) {
    for (const stop of started.reverse()) await stop()
    // It never served a request, so no server has to wait for it.
    await store.close(true)
    if (error instanceof StartRefused) throw new StartError(error.message, { cause: error })
    throw error
  }
}

/** Stops this server and its workers, as an operator would. */
function endServer(): void {
  process.kill(cluster.isWorker ? process.ppid : process.pid, 'SIGQUIT')
}

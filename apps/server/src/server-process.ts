/** One server process: builds the store, the API, the listener and the jobs, and stops them in order. */
import cluster from 'node:cluster'
import { BlockList, isIPv6 } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  advertisedMode,
  assertCanStart,
  initialIntentions,
  initialMode,
  MEMBER_HEARTBEAT_MS,
  StartRefused,
} from '@latchkey/acl'
import { HEADER_PREFIX_DEFAULT, profileOf, type ServiceProfile } from '@latchkey/contract'
import {
  CoordinateUpdates,
  ensureBuiltins,
  ensureLegacyBuiltins,
  isSecondary,
  putSystem,
  Service,
  startLocalChecks,
} from '@latchkey/service'
import type { Logger } from 'pino'
import { registerSelf } from './checks/server-nodes.ts'
import { startChecks } from './checks/start-checks.ts'
import { createClusterInfo } from './cluster-info.ts'
import { type Config, connectionsMaxOf, describeConfig, otherDatacenters } from './config/config.ts'
import { startPatiently } from './database/start-patiently.ts'
import { startDns } from './dns/start-dns.ts'
import { hashInWebAssembly } from './hashing/hash-in-web-assembly.ts'
import type { AccessLog } from './http/access-log.ts'
import { UnreadAnswers } from './http/api/unread-answers.ts'
import { createApp } from './http/app.ts'
import { consoleRouter, type ServerFacts } from './http/console/console-router.ts'
import { ApiPages } from './http/docs/api-pages.ts'
import { docsRouter } from './http/docs/docs-router.ts'
import { Door } from './http/door.ts'
import { rememberClients } from './http/listener/connections/connection-limit.ts'
import { OwnSlots } from './http/listener/connections/connection-slots.ts'
import { startHttpServer } from './http/listener/http-server.ts'
import { startJobs } from './jobs/start-jobs.ts'
import { createOutageLog } from './logging/outage-log.ts'
import { OpenIdClient } from './login/oidc/openid-client.ts'
import { ProviderVerifier } from './login/provider-verifier.ts'
import { HttpDatacenters } from './outgoing/http-datacenters.ts'
import { Outgoing } from './outgoing/outgoing.ts'
import { PrimaryClient } from './outgoing/primary-client.ts'
import { openTlsFiles } from './outgoing/tls-files.ts'
import { createRandom } from './random.ts'
import { Remembered } from './remembered.ts'
import { Replication } from './replication/replication.ts'
import { openServerStore, type ServerStore } from './server-store.ts'
import { StartError } from './start-error.ts'
import { watchCertificate } from './telemetry/certificate-metrics.ts'
import { watchLogins } from './telemetry/login-metrics.ts'
import { mergeMetrics } from './telemetry/merge-metrics.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { countReplication, watchReplication } from './telemetry/replication-metrics.ts'
import { watchStore } from './telemetry/store-metrics.ts'
import { watchUpgrade } from './telemetry/upgrade-metrics.ts'
import { CertificateWatch } from './tls/certificate-watch.ts'
import { readListenerTls } from './tls/listener-tls.ts'
import { ListPreparation } from './token-lists/list-preparation.ts'
import { openTokenLists } from './token-lists/open-token-lists.ts'
import type { Tracing } from './tracing/open-tracing.ts'
import { startTraced } from './tracing/start-tracing.ts'
import type { MainLink } from './workers/main-link.ts'

interface ServerProcessOptions {
  readonly config: Config
  readonly databaseUrl: string
  /** Whether that is the embedded database, in the data directory. */
  readonly isDatabaseEmbedded: boolean
  readonly dataDir: string
  readonly log: Logger
  /** Writes a line per answer; `undefined` if the level is too low. */
  readonly accessLog: AccessLog | undefined
  /** Called if the process must stop, for example because its version has become too old for its data. */
  readonly onFatal: (error: Error) => void
  /** Counts for several workers together. Default: this process counts for itself. */
  readonly main?: MainLink
}

interface ServerProcess {
  /** Where it listens, as a URL. */
  readonly url: string
  /** Whether a first management token exists; a secondary datacenter gets that of its primary. */
  readonly isBootstrapped: boolean
  /** @param isForGood the other servers do not wait for a successor. */
  close(isForGood: boolean): Promise<void>
}

/** If /readyz was not probed within this window, skip the drain delay. */
const PROBED_WITHIN_MS = 60_000

/** Least time between two looks at the deadlines of all TTL checks. */
const LOCAL_CHECKS_PAUSE_MS = 250

const random = createRandom()

/** @throws StartError if it cannot start. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { config, log } = options
  await hashInWebAssembly()
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
  try {
    await prepareData(store, config, profile)
    log.info('joined the cluster')
    warnOfPromotion(store, config, log)
    watchStore(metrics, store)
    watchUpgrade(metrics, store)
    watchLogins(metrics, store)
    const tls = await openTlsFiles(config, (error) =>
      log.warn({ err: error }, 'the files for connections to other datacenters cannot be used'),
    )
    const { primaryUrls } = config
    const primary = primaryUrls.length > 0 ? new PrimaryClient({ origins: primaryUrls, tls }) : undefined
    const replication =
      primary && new Replication({ store, primary, config, random, log, onStep: countReplication(metrics) })
    const clusterInfo = createClusterInfo({
      store,
      config,
      dataDir,
      readMetrics: async () => {
        if (main === undefined) return { registry: metrics.registry, startedAt }
        const ofServer = await main.metrics()
        return { registry: mergeMetrics([ofServer.metrics]), startedAt: ofServer.startedAt }
      },
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
    const closing = new AbortController()
    let isClosing = false
    const apiPages = new ApiPages(config)
    const unread = new UnreadAnswers()
    const outgoing = new Outgoing({
      allowHttp: config.authMethodHttp,
      hosts: config.authMethodHosts,
    })
    const coordinateUpdates = new CoordinateUpdates()
    const localChecks = startLocalChecks({
      store,
      nodeName: config.nodeName,
      process: store.membership.memberId,
      now: () => performance.now(),
      sleeper: { after: afterInBackground },
      random,
      pauseMs: LOCAL_CHECKS_PAUSE_MS,
      onError: (error) => log.warn({ err: error }, 'expired checks could not be written; trying again'),
    })
    const servedStore = tracing?.commits.store(store) ?? store
    const lists = await openTokenLists({ ...options, store, servedStore })
    const service = new Service({
      coordinateUpdates,
      localChecks,
      roomForText: () => unread.room(),
      store: servedStore,
      clock: store.clock,
      random,
      archives: store.archives,
      cluster: clusterInfo,
      profile,
      identity: {
        verifier: new ProviderVerifier(outgoing),
        oidc: new OpenIdClient(outgoing),
        allowHttp: config.authMethodHttp,
        loginsPerSecond: config.loginsPerSecond,
        limits: main?.limitsOf('logins'),
      },
      edition: config.edition,
      datacenter: config.datacenter,
      primaryDatacenter: config.primaryDatacenter,
      ...(config.tokenReplication ? {} : { tokensOfPrimary: { downPolicy: config.downPolicy } }),
      datacenters: new HttpDatacenters({
        datacenters: otherDatacenters(config),
        tls,
        log,
        onAnswer: (...facts) => metrics.forwarded(...facts),
      }),
      nodeName: config.nodeName,
      headerPrefixes: config.headerPrefixes,
      defaultPolicy: config.defaultPolicy,
      aclEnabled: config.aclEnabled,
      translateAddresses: config.translateAddresses,
      openapi: () => apiPages.document(),
      lists,
      onInternalError: (error, id) => log.error({ err: error, id }, 'request failed'),
      onUnavailable: createOutageLog(log),
    })
    const preparation =
      lists.areKept && profile.has('api.token')
        ? new ListPreparation({ lists, request: () => service.managersList(), log })
        : undefined
    const trustedProxies = blockList(config.trustedProxies)
    let probedAt = Number.NEGATIVE_INFINITY
    const readiness = new Remembered(() => store.notReady(), MEMBER_HEARTBEAT_MS)
    const notReady = async () => {
      probedAt = performance.now()
      return isClosing ? ['shutting down'] : readiness.get()
    }
    const app = createApp({
      service,
      unread,
      door: new Door({
        host: config.host,
        allowedHosts: config.allowedHosts,
        allowedOrigins: config.corsOrigins,
      }),
      corsOrigins: config.corsOrigins,
      fastLane: config.fastLane,
      forwardsWrites: config.primaryDatacenter !== config.datacenter,
      docs: docsRouter(() => apiPages.page()),
      console: config.ui ? consoleRouter(factsForConsole(config)) : undefined,
      log,
      metrics,
      accessLog: options.accessLog,
      notReady,
      clientOf: rememberClients(trustedProxies),
      closing: closing.signal,
      spans: tracing?.requests,
    })
    const listenerTls = await readListenerTls(config)
    const http = await startHttpServer({
      host: config.host,
      port: config.port,
      isShared: config.workers > 1,
      connections: {
        slots: main?.slots ?? new OwnSlots(connectionsMaxOf(config)),
        answers429: profile.has('http.connectionLimit429'),
        trustedProxies,
        onRefused: (address) => {
          metrics.connectionRefused()
          log.warn({ address }, 'too many connections from one address')
        },
      },
      ...app,
      tls: listenerTls,
    })
    const certificate =
      listenerTls && new CertificateWatch({ paths: config, current: listenerTls, apply: http.setTls, log })
    if (certificate) watchCertificate(metrics, certificate)
    const dns = await startDns({
      config,
      profile,
      service,
      limits: main?.limitsOf('dns'),
      onAnswer: metrics.dnsAnswer,
      log,
    }).catch(async (error: unknown) => {
      await http.close(0)
      throw error
    })
    const url = `${listenerTls ? 'https' : 'http'}://${http.address}`
    await store.membership.announce(http.address)
    await registerSelf(store, log)
    const jobs = startJobs({
      store,
      cluster: clusterInfo,
      config,
      primary,
      replication,
      coordinateUpdates,
      preparation,
      profile,
      random,
      log,
      onFatal: options.onFatal,
    })
    const checks = startChecks({ store, config, localChecks, log })
    main?.answerCollections(() => metrics.registry.getMetricsAsJSON())
    log.info({ address: http.address, config: describeConfig(config) }, 'listening')
    const directory = store.directory()
    return {
      url,
      isBootstrapped:
        directory.system('bootstrap') !== undefined ||
        !profile.has('api.token') ||
        isSecondary({ ...config, store }),
      close: async (isForGood) => {
        isClosing = true
        certificate?.stop()
        http.drain()
        // Reports go to another process from now on.
        localChecks.stop()
        if (performance.now() - probedAt < PROBED_WITHIN_MS) await sleep(config.drainTimeMs)
        closing.abort()
        await Promise.all([dns?.close(), http.close(config.shutdownTimeoutMs)])
        await checks.stop()
        await jobs.stop()
        primary?.close()
        await preparation?.finish()
        await lists.close()
        await store.close(isForGood)
      },
    }
  } catch (error) {
    // It never served, so no server has to wait for it.
    await store.close(true)
    if (error instanceof StartRefused) throw new StartError(error.message, { cause: error })
    throw error
  }
}

/** Facts that the console shows before its first request, and that it needs for requests. */
function factsForConsole({ headerPrefixes, edition, datacenter, serviceVersion }: Config): ServerFacts {
  const [headerPrefix = HEADER_PREFIX_DEFAULT] = headerPrefixes
  return { headerPrefix, edition, datacenter, serviceVersion: serviceVersion.text }
}

/** A timer that does not keep the process alive. */
function afterInBackground(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms).unref()
  return () => clearTimeout(timer)
}

/** Ends this server, with its workers, as its operator would. */
function endServer(): void {
  process.kill(cluster.isWorker ? process.ppid : process.pid, 'SIGQUIT')
}

/** Prepares the data for the first request, and checks that this version may work on it. Spec 9.2. */
async function prepareData(store: ServerStore, config: Config, profile: ServiceProfile): Promise<void> {
  await store.refresh('consistent')
  const isPrimary = !isSecondary({ ...config, store })
  const now = store.clock.now()
  const recorded = store.directory().system('acl-mode')?.Value
  assertCanStart({
    profile,
    recorded,
    legacyRightsCount: profile.has('upgrade.legacyRules') ? 0 : await countLegacyRights(store, isPrimary),
    mayDropLegacyRights: config.allowUnconvertedLegacy,
    flagName: 'LATCHKEY_ALLOW_UNCONVERTED_LEGACY',
  })
  const mode = recorded ?? initialMode(profile, { isPrimary, now })
  const { initialManagementToken } = config
  const context = { random, now, initialManagementToken, isSecondary: !isPrimary }
  if (mode.mode === 'enabled') await ensureBuiltins(store, context)
  else if (!recorded && isPrimary) await ensureLegacyBuiltins(store, context)
  if (!recorded) {
    const intentions = isPrimary ? initialIntentions(profile, now) : undefined
    await store.recordOnce([
      putSystem('acl-mode', mode, 0),
      ...(intentions ? [putSystem('intentions', intentions, 0)] : []),
    ])
  }
  // From 1.4.0 on, a secondary gets what it needs from its primary.
  const makesCopies = !isPrimary && mode.mode === 'legacy' && !profile.has('api.token')
  if (makesCopies) await ensureLegacyBuiltins(store, context)
  await store.membership.setMode(advertisedMode(profile, { aclEnabled: config.aclEnabled, recorded: mode }))
}

/** The promotion of a datacenter outweighs its settings, which an operator should bring up to date. Decisions: promotion. */
function warnOfPromotion(store: ServerStore, config: Config, log: Logger): void {
  const { datacenter, primaryDatacenter } = config
  const cluster = store.directory().system('cluster')?.Value
  if (cluster?.promoted === undefined || primaryDatacenter === datacenter) return
  log.warn(
    { promoted: cluster.promoted },
    `${datacenter} was promoted and is the primary, although LATCHKEY_PRIMARY_DATACENTER says ${primaryDatacenter}: ` +
      `set it to ${datacenter}, and remove LATCHKEY_PRIMARY_URL`,
  )
}

async function countLegacyRights(store: ServerStore, isPrimary: boolean): Promise<number> {
  const count = await store.countTokens({ legacyRights: true })
  // In a secondary, no migration links a global management token that has no accessor yet.
  if (isPrimary) return count
  return count + (await store.countTokens({ withoutAccessor: true, management: true, local: false }))
}

/** Addresses and ranges, validated when the configuration was read. */
function blockList(parts: readonly string[]): BlockList {
  const list = new BlockList()
  for (const part of parts) {
    const [address = '', prefix] = part.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}

import type { Random } from '@latchkey/acl'
import type { ServiceProfile } from '@latchkey/contract'
import { CoordinateUpdates, Service, startLocalChecks } from '@latchkey/service'
import type { Logger } from 'pino'
import type { ServerClusterInfo } from '../cluster-info.ts'
import { type Config, otherDatacenters } from '../config/config.ts'
import { shareOf } from '../config/workers.ts'
import { Backpressure } from '../http/api/backpressure.ts'
import { once, readApiDocument } from '../http/docs-router.ts'
import { createOutageLog } from '../logging/outage-log.ts'
import { OpenIdClient } from '../login/oidc/openid-client.ts'
import { ProviderVerifier } from '../login/provider-verifier.ts'
import { HttpDatacenters } from '../outgoing/http-datacenters.ts'
import { Outgoing } from '../outgoing/outgoing.ts'
import type { openTlsFiles } from '../outgoing/tls-files.ts'
import type { ServerStore } from '../server-store.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { CachedTokenLists } from '../token-lists/cached-token-lists.ts'
import type { Tracing } from '../tracing/open-tracing.ts'
import type { MainLink } from '../workers/main-link.ts'

interface ServiceParts {
  readonly config: Config
  readonly profile: ServiceProfile
  readonly store: ServerStore
  readonly cluster: ServerClusterInfo
  readonly tls: Awaited<ReturnType<typeof openTlsFiles>>
  readonly random: Random
  readonly metrics: Metrics
  readonly tracing: Tracing | undefined
  readonly main: MainLink | undefined
  readonly log: Logger
}

/** Minimum time between two scans of the deadlines of all TTL checks. */
const LOCAL_CHECKS_PAUSE_MS = 250

export type ProcessService = Awaited<ReturnType<typeof createService>>

export async function createService(parts: ServiceParts) {
  const { config, profile, store, cluster, tls, random, metrics, tracing, main, log } = parts
  const unread = new Backpressure()
  const outgoing = new Outgoing({ allowHttp: config.authMethodHttp, hosts: config.authMethodHosts })
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
  // The other half is for tokens.
  const lists = new CachedTokenLists(shareOf(config).cacheBytes / 2)
  const service = new Service({
    coordinateUpdates,
    localChecks,
    roomForText: () => unread.room(),
    store: servedStore,
    clock: store.clock,
    random,
    archives: store.archives,
    cluster,
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
    ownService: config.ownService,
    statusCodes: config.statusCodes,
    defaultPolicy: config.defaultPolicy,
    aclEnabled: config.aclEnabled,
    translateAddresses: config.translateAddresses,
    openapi: once(() => readApiDocument(config)),
    lists,
    onInternalError: (error, id) => log.error({ err: error, id }, 'request failed'),
    onUnavailable: createOutageLog(log),
  })
  return { service, unread, coordinateUpdates, localChecks }
}

/** A timer that does not keep the process alive. */
function afterInBackground(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms).unref()
  return () => clearTimeout(timer)
}

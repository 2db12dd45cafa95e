/** The listening side of a server process: starts and stops the HTTP app, its server and its certificate. */
import { BlockList, isIPv6 } from 'node:net'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { MEMBER_HEARTBEAT_MS } from '@latchkey/acl'
import { HEADER_PREFIX_DEFAULT, type ServiceProfile } from '@latchkey/contract'
import type { Logger } from 'pino'
import { type Config, connectionsMaxOf } from '../config/config.ts'
import type { AccessLog } from '../http/access-log.ts'
import { createApp } from '../http/app.ts'
import { consoleRouter, type ServerFacts } from '../http/console/console-router.ts'
import { docsRouter } from '../http/docs-router.ts'
import { HostGuard } from '../http/host-guard.ts'
import { connectionSlots, rememberClients } from '../http/listener/connection-limit.ts'
import { startHttpServer } from '../http/listener/http-server.ts'
import { Remembered } from '../remembered.ts'
import type { ServerStore } from '../server-store.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { CertificateWatch, watchCertificate } from '../tls/certificate-watch.ts'
import { readListenerTls } from '../tls/listener-tls.ts'
import type { Tracing } from '../tracing/open-tracing.ts'
import type { MainLink } from '../workers/main-link.ts'
import type { ProcessService } from './create-service.ts'

interface ListenParts extends Pick<ProcessService, 'service' | 'unread'> {
  readonly config: Config
  readonly profile: ServiceProfile
  readonly store: Pick<ServerStore, 'notReady'>
  readonly metrics: Metrics
  readonly accessLog: AccessLog | undefined
  readonly tracing: Tracing | undefined
  readonly main: MainLink | undefined
  readonly log: Logger
}

/** If /readyz was not probed within this window, skip the drain delay. */
const PROBED_WITHIN_MS = 60_000

/** @throws StartError if the address or the certificate cannot be used. */
export async function listen(parts: ListenParts) {
  const { config, profile, service, unread, store, metrics, accessLog, tracing, main, log } = parts
  const trustedProxies = blockList(config.trustedProxies)
  const closing = new AbortController()
  let isClosing = false
  let probedAt = Number.NEGATIVE_INFINITY
  const readiness = new Remembered(() => store.notReady(), MEMBER_HEARTBEAT_MS)
  const notReady = async () => {
    probedAt = performance.now()
    return isClosing ? ['shutting down'] : readiness.get()
  }
  const app = createApp({
    service,
    unread,
    guard: new HostGuard({
      host: config.host,
      ownNames: [hostname(), config.nodeName, ...config.dnsDomains],
      allowedHosts: config.allowedHosts,
      allowedOrigins: config.corsOrigins,
      dependsOnSecret: (request) => service.dependsOnSecret(request),
    }),
    corsOrigins: config.corsOrigins,
    fastLane: config.fastLane,
    forwardsWrites: config.primaryDatacenter !== config.datacenter,
    docs: docsRouter(config),
    console: config.ui ? consoleRouter(factsForConsole(config)) : undefined,
    log,
    metrics,
    accessLog: accessLog,
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
      slots: main?.slots ?? connectionSlots(connectionsMaxOf(config)),
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
  return {
    address: http.address,
    url: `${listenerTls ? 'https' : 'http'}://${http.address}`,
    /** Fails readiness until load balancers have had time to notice. Requests are still answered meanwhile. */
    drain: async () => {
      isClosing = true
      certificate?.stop()
      http.drain()
      if (performance.now() - probedAt < PROBED_WITHIN_MS) await sleep(config.drainTimeMs)
    },
    /** Ends all waits, lets requests in flight finish, and closes the rest after the deadline, in milliseconds. */
    close: async (deadlineMs: number) => {
      certificate?.stop()
      closing.abort()
      await http.close(deadlineMs)
    },
  }
}

/** Facts that the console shows before its first request or needs to send one. */
function factsForConsole({ headerPrefixes, edition, datacenter, serviceVersion }: Config): ServerFacts {
  const [headerPrefix = HEADER_PREFIX_DEFAULT] = headerPrefixes
  return { headerPrefix, edition, datacenter, serviceVersion: serviceVersion.text }
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

/** Starts DNS according to the configuration. */
import type { DnsReply } from '@latchkey/catalog'
import { AclError, type ServiceProfile } from '@latchkey/contract'
import type { RateLimits, Service } from '@latchkey/service'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { limitAnswers } from './limit-answers.ts'
import { Responder, type Transport } from './responder.ts'

interface StartDnsOptions {
  readonly config: Config
  readonly profile: ServiceProfile
  readonly service: Service
  /** Counts the answers to clients. Default: this process counts them. */
  readonly limits?: RateLimits | undefined
  readonly onAnswer: (rcode: DnsReply['rcode'], transport: Transport) => void
  readonly log: Logger
}

/** At most one line about failed questions is logged in this time, because any client can cause them. */
const LOG_INTERVAL_MS = 10_000

/** @returns `undefined` if DNS is off. @throws StartError if its address cannot be listened on. */
export async function startDns(options: StartDnsOptions): Promise<DnsServer | undefined> {
  const { config, profile, service, limits, onAnswer, log } = options
  const { dnsPort: port, dnsAddress: address } = config
  if (port === undefined) return undefined
  const names = service.names({
    settings: {
      domains: config.dnsDomains,
      ttlSeconds: Math.floor(config.dnsTtlMs / 1_000),
      onlyPassing: config.dnsOnlyPassing,
    },
    secretId: config.dnsToken,
  })
  const logError = atMostEvery(LOG_INTERVAL_MS, (error: unknown) => {
    if (error instanceof AclError) log.warn({ code: error.code }, 'DNS questions cannot be answered')
    else log.error({ err: error }, 'a DNS question failed')
  })
  const responder = new Responder({
    resolve: (question, recordsMax) => names.resolve(question, recordsMax),
    mayAnswer: limitAnswers(config.dnsAnswersPerSecond, limits),
    hasEdns: profile.has('dns.edns'),
    onAnswer,
    onError: logError,
  })
  const isShared = config.workers > 1
  const server = await startDnsServer({ address, port, isShared, responder, onError: logError })
  log.info({ address, port: server.port, domains: config.dnsDomains }, 'answering DNS')
  return server
}

function atMostEvery<T>(intervalMs: number, action: (value: T) => void): (value: T) => void {
  let next = Number.NEGATIVE_INFINITY
  return (value) => {
    const now = performance.now()
    if (now < next) return
    next = now + intervalMs
    action(value)
  }
}

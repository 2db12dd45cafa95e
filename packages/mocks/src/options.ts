/** The options of a mock service and their defaults. */
import {
  type EndpointName,
  HEADER_PREFIXES_DEFAULT,
  parseServiceVersion,
  refuseUnknownNames,
  SERVICE_VERSION_NEWEST,
  STATUS_CODES,
  type StatusCodes,
} from '@latchkey/contract'
import { type Duration, toMs } from './mock-clock.ts'
import { SEED_LISTS, type Seed } from './state/seed.ts'

/**
 * The delay of replies: one duration for all calls, or a function of the endpoint, which is `undefined` for an unknown
 * path. Latency belongs to the network, so it passes in real time even if the clock is frozen.
 */
export type Latency = Duration | ((endpoint: EndpointName | undefined) => Duration)

/** A mock service, as seen by another one. */
export interface OtherDatacenter {
  readonly baseUrl: string
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>
}

export interface MockServiceOptions {
  /**
   * URL of the service, without `/v1`. Default `https://latchkey.test`. In a browser, it may be a path on the page's origin.
   */
  readonly baseUrl?: string | undefined
  /** Initial records, restored by `reset()`. */
  readonly seed?: Seed | undefined
  /** `real` (default), or an instant at which time stands still until `clock.advance()`. */
  readonly clock?: 'real' | Date | number | string | undefined
  /** Delay of replies. Default: 0. */
  readonly latency?: Latency | undefined
  /** Secret of the initial management token. `false`: there is none, which leaves `bootstrap` open. */
  readonly managementToken?: string | false | undefined
  /** Service version. Default: the newest. Spec 9. */
  readonly serviceVersion?: string | undefined
  /** `extended` has namespaces. Default `standard`. Spec 4.9. */
  readonly edition?: 'standard' | 'extended' | undefined
  /** The decision if no rule matches. Default `deny`. */
  readonly defaultPolicy?: 'allow' | 'deny' | undefined
  /** Default `dc1`. */
  readonly datacenter?: string | undefined
  /**
   * Mock services of other datacenters, by name, which `dc` and `withDatacenter` reach. May be completed later, so that two
   * services can reach each other. Default: none.
   */
  readonly datacenters?: Readonly<Record<string, OtherDatacenter>> | undefined
  /**
   * The datacenter that owns policies, roles, namespaces and global tokens, one of `datacenters`. Writes to these go there,
   * and this service follows it. Default: this one.
   */
  readonly primaryDatacenter?: string | undefined
  /** Families of header names. Default `X-Service-` and `X-Consul-`. */
  readonly headerPrefixes?: readonly string[] | undefined
  /** Whose statuses refusals have: those of the header family's clients (default), our own, or those of the reference. */
  readonly statusCodes?: StatusCodes | undefined
  /** `false`: the ACL system is turned off. */
  readonly aclEnabled?: boolean | undefined
  /** `legacy`: a service in the middle of the upgrade to 1.4.0, which refuses the new ACL APIs. Spec 9.2.1. */
  readonly aclMode?: 'enabled' | 'legacy' | undefined
  /**
   * What to do with a request that no version of the service supports. `fail` (default): prints an error and replies 500 with
   * method and path. `answer`: replies 404, like the service.
   */
  readonly unknownEndpoints?: 'fail' | 'answer' | undefined
  /** Makes generated IDs and all other randomness repeatable, in every run and after every `reset()`. Default: they differ. */
  readonly randomSeed?: number | undefined
}

/** The values of the options that accept one of several. */
const CHOICES = {
  edition: ['standard', 'extended'],
  statusCodes: STATUS_CODES,
  defaultPolicy: ['allow', 'deny'],
  aclMode: ['enabled', 'legacy'],
  unknownEndpoints: ['fail', 'answer'],
} as const

/** The default secret of the management token. Random, so that no test uses the same secret by accident. */
export const MANAGEMENT_TOKEN_DEFAULT = '8f0c4d5e-61b7-4b0a-9d3e-2a7c95e1f846'

type Optional = 'primaryDatacenter' | 'randomSeed'

const DEFAULTS: Complete<Omit<MockServiceOptions, Optional>> & Pick<MockServiceOptions, Optional> = {
  baseUrl: 'https://latchkey.test',
  seed: {},
  clock: 'real',
  latency: 0,
  managementToken: MANAGEMENT_TOKEN_DEFAULT,
  serviceVersion: SERVICE_VERSION_NEWEST,
  edition: 'standard',
  defaultPolicy: 'deny',
  datacenter: 'dc1',
  datacenters: {},
  primaryDatacenter: undefined,
  headerPrefixes: HEADER_PREFIXES_DEFAULT,
  statusCodes: 'family',
  aclEnabled: true,
  aclMode: 'enabled',
  unknownEndpoints: 'fail',
  randomSeed: undefined,
}

/** All properties required, and none `undefined`. */
type Complete<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> }

/** The options, complete and checked. */
export interface Settings
  extends Complete<Omit<MockServiceOptions, 'baseUrl' | 'clock' | 'randomSeed' | 'serviceVersion'>> {
  readonly baseUrl: URL
  /** Instant at which time is frozen; `undefined` for real time. */
  readonly clockStart: number | undefined
  readonly version: ReturnType<typeof parseServiceVersion>
  readonly randomSeed: number | undefined
}

/**
 * Completes the options.
 *
 * @throws TypeError, or AclError `version_invalid`, for an invalid value.
 */
export function readOptions(options: MockServiceOptions): Settings {
  refuseUnknownNames('option', options, Object.keys(DEFAULTS))
  refuseUnknownNames('list of seed', options.seed ?? {}, Object.keys(SEED_LISTS))
  for (const name of Object.keys(CHOICES) as (keyof typeof CHOICES)[]) checkChoice(name, options[name])
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined && value !== null),
  )
  const { baseUrl, clock, serviceVersion, ...others } = { ...DEFAULTS, ...given }
  return {
    ...others,
    primaryDatacenter: others.primaryDatacenter ?? others.datacenter,
    baseUrl: readBaseUrl(baseUrl),
    clockStart: readInstant(clock),
    version: parseServiceVersion(serviceVersion, 'serviceVersion'),
    randomSeed: others.randomSeed,
  }
}

function checkChoice(name: keyof typeof CHOICES, value: string | undefined): void {
  const words: readonly string[] = CHOICES[name]
  if (value === undefined || words.includes(value)) return
  throw new TypeError(`${name} must be '${words.join("' or '")}', not ${JSON.stringify(value)}`)
}

/** In a browser, resolves a path against the page's origin. */
function readBaseUrl(text: string): URL {
  const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href
  if (!URL.canParse(text, page)) throw new TypeError(`baseUrl ${JSON.stringify(text)} is not a URL`)
  const url = new URL(text, page)
  if (url.search !== '' || url.hash !== '') throw new TypeError('baseUrl must have no query and no fragment')
  url.pathname = url.pathname.replace(/\/+$/, '')
  return url
}

function readInstant(clock: 'real' | Date | number | string): number | undefined {
  if (clock === 'real') return undefined
  const instant = new Date(clock).getTime()
  if (Number.isFinite(instant)) return instant
  throw new TypeError(`clock must be 'real' or an instant, not ${JSON.stringify(clock)}`)
}

/** @throws TypeError if the latency is not a duration. */
export function latencyMs(latency: Latency, endpoint: EndpointName | undefined): number {
  return toMs(typeof latency === 'function' ? latency(endpoint) : latency)
}

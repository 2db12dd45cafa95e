/** A service in memory with the test's own clock and randomness, called as a transport would call it. */

import { DecodingVerifier, type ReplicationRecord } from '@latchkey/acl'
import type { AgentMetrics, EndpointName, Policy, Role, Token } from '@latchkey/contract'
import {
  AclError,
  HEADER_PREFIXES_DEFAULT,
  PROBLEM_JSON,
  parseServiceVersion,
  profileOf,
  SERVICE_VERSION_NEWEST,
} from '@latchkey/contract'
import type { ClusterInfo, IdentityOptions, ServiceOptions } from '@latchkey/service'
import {
  ensureBuiltins,
  JsonDocument,
  MemoryStore,
  ownStatusOf,
  Service,
  startLocalChecks,
} from '@latchkey/service'
import { expect } from 'vitest'
import { SeededRandom } from '../random.ts'
import { putOf } from '../records/changes.ts'
import { checkReply } from './check-reply.ts'
import { VirtualClock } from './virtual-clock.ts'

/** The secret of every world's management token. */
export const MANAGEMENT = 'a0000000-0000-4000-8000-00000000000a'
/** A leap day, near noon. */
export const START = Date.parse('2028-02-29T11:59:30.250Z')

export interface WorldOptions
  extends Partial<
    Pick<
      ServiceOptions,
      | 'edition'
      | 'defaultPolicy'
      | 'aclEnabled'
      | 'headerPrefixes'
      | 'datacenter'
      | 'datacenters'
      | 'primaryDatacenter'
      | 'tokensOfPrimary'
      | 'lists'
      | 'translateAddresses'
      | 'turns'
    >
  > {
  /** Another API over the same store and clock. */
  readonly twinOf?: World
  /** Service version. Default: the newest. */
  readonly version?: string
  readonly cluster?: Partial<ClusterInfo>
  readonly identity?: Partial<IdentityOptions>
  /** Where its clock starts. Default {@link START}. */
  readonly startAt?: number
  /** Seed of the generated ids. Default 1. */
  readonly seed?: number
  /** The jitter of waits: 0 for none, 255 for all. */
  readonly jitterByte?: number
  /** Whether bootstrap was done, with the secret {@link MANAGEMENT}. Default true. */
  readonly isBootstrapped?: boolean
}

export interface AskOptions {
  /** Sent as `X-Service-Token`. */
  readonly token?: string
  /** A value is sent as JSON; text and bytes are sent unchanged. */
  readonly body?: unknown
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body as JSON. */
  readonly json: unknown
  /** The code of a refusal, in either form of body. */
  readonly code: string | undefined
  readonly accessorId: string | undefined
  readonly endpoint: EndpointName | undefined
}

export interface World {
  readonly service: Service
  readonly store: MemoryStore
  readonly clock: VirtualClock
  /** Sends a request below `/v1`. A 500 fails the test with its cause, as does an answer that breaks the contract. */
  ask(method: string, path: string, options?: AskOptions): Promise<Reply>
  /** Like {@link World.ask} with the management token; returns the JSON and fails unless the status is 200. */
  manage(method: string, path: string, body?: unknown): Promise<unknown>
  /** Creates a record with the management token, in `default` unless the body names a namespace. */
  token(body?: object): Promise<Token>
  policy(body: object): Promise<Policy>
  role(body: object): Promise<Role>
  /** Creates a policy with these rules and a token that links it; returns the token's secret. */
  secretWith(rules: string, token?: object): Promise<string>
}

/** Ends the intentions migration, as on new data. */
export function endIntentionsMigration({ store, clock }: Pick<World, 'store' | 'clock'>): void {
  const Value = { state: 'done', since: clock.now() } as const
  const record = { Key: 'intentions', Value, CreateIndex: 0, ModifyIndex: 0 } as const
  store.commitNow([putOf('system', record)])
}

const NODE = {
  id: 'node-id',
  node: 'n1',
  address: '127.0.0.1:8500',
  datacenter: 'dc1',
  version: SERVICE_VERSION_NEWEST,
  mode: 'enabled',
  status: 'alive',
} as const

/** A cluster whose second server fails right after the others were asked for it. */
export const WITH_FAILING: Partial<ClusterInfo> = {
  members: () => [NODE, { ...NODE, id: 'gone-id', node: 'gone', address: '127.0.0.2:8500' }],
  forceLeave: async (node) => (node === 'gone' ? 1 : node === NODE.node ? 'alive' : 0),
}

/** Empty metrics. */
export const NO_METRICS: AgentMetrics = {
  Timestamp: '2028-02-29 11:59:30 +0000 UTC',
  Gauges: [],
  Points: [],
  Counters: [],
  Samples: [],
}

/** A cluster of one. */
const ALONE: ClusterInfo = {
  self: () => NODE,
  members: () => [NODE],
  leader: () => NODE.address,
  legacyModeWaitsFor: () => [],
  metrics: () => ({ samples: NO_METRICS, prometheus: '' }),
  takeBootstrapReset: async () => 'none',
  host: () => ({ Memory: {}, CPU: [], Host: {}, Disk: null, CollectionTime: 0, Errors: null }),
  leave: () => {},
  forceLeave: async (node) => (node === NODE.node ? 'alive' : 0),
  debugConfig: () => ({}),
  replication: () => undefined,
}

/** Creates a world. Its ids come from one seed, so runs are repeatable. */
export async function aWorld(options: WorldOptions = {}): Promise<World> {
  const clock = options.twinOf?.clock ?? new VirtualClock(options.startAt ?? START)
  const { datacenter = 'dc1', primaryDatacenter = datacenter } = options
  const store = options.twinOf?.store ?? new MemoryStore(clock, { datacenter, primaryDatacenter })
  const seeded = new SeededRandom(options.seed ?? 1)
  const random = {
    bytes: (count: number) =>
      count === 1 && options.jitterByte !== undefined
        ? Uint8Array.of(options.jitterByte)
        : seeded.bytes(count),
  }
  const initialManagementToken = options.isBootstrapped === false ? undefined : MANAGEMENT
  if (!options.twinOf) {
    const isSecondary = primaryDatacenter !== datacenter
    await ensureBuiltins(store, { random, now: clock.now(), initialManagementToken, isSecondary })
    if (isSecondary && initialManagementToken !== undefined) await copyBuiltins(store, initialManagementToken)
  }
  let internalError: unknown
  const localChecks = startLocalChecks({
    store,
    nodeName: NODE.node,
    process: NODE.id,
    now: () => clock.now(),
    sleeper: clock,
    random,
    pauseMs: 0,
    onError: (error) => {
      internalError = error
    },
  })
  const openapi = new JsonDocument(() => ({ openapi: '3.1.0' }))
  const service = new Service({
    store,
    clock,
    random,
    cluster: { ...ALONE, ...options.cluster },
    profile: profileOf(parseServiceVersion(options.version ?? SERVICE_VERSION_NEWEST)),
    identity: { verifier: new DecodingVerifier(), allowHttp: true, loginsPerSecond: 0, ...options.identity },
    edition: options.edition ?? 'standard',
    datacenter,
    primaryDatacenter,
    ...(options.datacenters ? { datacenters: options.datacenters } : {}),
    ...(options.tokensOfPrimary ? { tokensOfPrimary: options.tokensOfPrimary } : {}),
    nodeName: 'n1',
    headerPrefixes: options.headerPrefixes ?? HEADER_PREFIXES_DEFAULT,
    defaultPolicy: options.defaultPolicy ?? 'deny',
    aclEnabled: options.aclEnabled ?? true,
    ...(options.lists ? { lists: options.lists } : {}),
    translateAddresses: options.translateAddresses ?? false,
    ...(options.turns ? { turns: options.turns } : {}),
    localChecks,
    openapi: () => openapi,
    onInternalError: (error) => {
      internalError = error
    },
  })
  let names = 0
  const world: World = {
    service,
    store,
    clock,
    async ask(method, path, { token, body, headers = {}, signal } = {}) {
      const sent: Readonly<Record<string, string>> =
        token === undefined ? headers : { 'x-service-token': token, ...headers }
      const reply = await service.handle({
        method,
        url: `/v1${path}`,
        header: (name) => sent[name],
        readBody: async (bytesMax) => bounded(bytesOf(body), bytesMax),
        requestId: 'request-1',
        signal,
      })
      const status = ownStatusOf(reply)
      if (status === 500) throw new Error(`${method} ${path} broke`, { cause: internalError })
      const text = await textOf(reply.body)
      // The contract describes our own dialect.
      if (reply.endpoint !== undefined && method !== 'OPTIONS' && status === reply.status) {
        checkReply(reply.endpoint, { status, contentType: reply.headers['Content-Type'], text })
      }
      return {
        status: reply.status,
        headers: reply.headers,
        text,
        get json() {
          return JSON.parse(text)
        },
        code: reply.error instanceof AclError ? reply.error.code : undefined,
        accessorId: reply.accessorId,
        endpoint: reply.endpoint,
      }
    },
    async manage(method, path, body) {
      const reply = await world.ask(method, path, { token: MANAGEMENT, body })
      if (reply.status !== 200) expect.fail(`${method} ${path}: ${reply.status} ${reply.text}`)
      return reply.json
    },
    // Other tests check valid answers against the contract.
    token: async (body = {}) => (await world.manage('PUT', '/acl/token', body)) as Token,
    policy: async (body) => (await world.manage('PUT', '/acl/policy', body)) as Policy,
    role: async (body) => (await world.manage('PUT', '/acl/role', body)) as Role,
    async secretWith(Rules, token = {}) {
      names += 1
      const policy = await world.policy({ Name: `made-${names}`, Rules })
      const { SecretID } = await world.token({ Policies: [{ ID: policy.ID }], ...token })
      return SecretID
    },
  }
  return world
}

/** Headers that ask for errors as problem JSON. */
export const WANTS_PROBLEM = { accept: PROBLEM_JSON }

/** What a primary would have sent to a secondary: its built-in records. */
async function copyBuiltins(store: MemoryStore, managementToken: string): Promise<void> {
  const primary = new MemoryStore({ after: () => () => {} })
  const random = new SeededRandom(0)
  await ensureBuiltins(primary, { random, now: START, initialManagementToken: managementToken })
  const { policies, tokens } = primary.snapshot()
  const Value: ReplicationRecord = { cluster: 'primary', index: primary.commitIndex(), skipped: [] }
  const cursor = { Key: 'replication', Value, CreateIndex: 0, ModifyIndex: 0 } as const
  await store.commit([
    ...[...policies.values()].map((record) => putOf('policies', record, 0)),
    ...[...tokens.values()].map((record) => putOf('tokens', record, 0)),
    putOf('system', cursor, 0),
  ])
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  if (body === undefined) return new Uint8Array(0)
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}

function bounded(bytes: Uint8Array, bytesMax: number): Uint8Array {
  if (bytes.length <= bytesMax) return bytes
  throw new AclError('body_too_large', `The body is larger than ${bytesMax} bytes`)
}

async function textOf(body: Awaited<ReturnType<Service['handle']>>['body']): Promise<string> {
  if (body === undefined || typeof body === 'string') return body ?? ''
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  let text = ''
  for await (const piece of body) text += typeof piece === 'string' ? piece : new TextDecoder().decode(piece)
  return text
}

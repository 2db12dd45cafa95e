/** The service behind the handlers: the API over a memory store, with an adjustable clock. */

import {
  type AclModeRecord,
  DecodingVerifier,
  initialIntentions,
  initialMode,
  type Random,
  SeededRandom,
} from '@latchkey/acl'
import {
  type AgentHost,
  type AgentMetrics,
  ENDPOINTS,
  HEADER_PREFIX_DEFAULT,
  profileOf,
} from '@latchkey/contract'
import { buildOpenApi } from '@latchkey/contract/openapi'
import {
  builtinChanges,
  type ClusterInfo,
  type ClusterMember,
  type Datacenters,
  datacenterSilent,
  datacenterUnreachable,
  type ForwardedReply,
  JsonDocument,
  legacyBuiltinChanges,
  type MemorySnapshot,
  MemoryStore,
  putSystem,
  Service,
  type ServiceOptions,
  startLocalChecks,
  type WireReply,
  type WireRequest,
} from '@latchkey/service'
import { NoAnswer } from '../faults.ts'
import { IdentityProvider } from '../identity-provider.ts'
import { MockClock } from '../mock-clock.ts'
import type { Settings } from '../options.ts'
import { BlockedCounter } from './blocked-counter.ts'
import { createFeed, type Feed } from './feed.ts'
import { Follower } from './follower.ts'
import { createAccessorMigration, createReaper } from './reaper.ts'
import { plantSeed } from './seed.ts'

const NODE_NAME = 'mock'

/** The mocks measure nothing. */
const NO_METRICS: AgentMetrics = {
  Timestamp: '0001-01-01 00:00:00 +0000 UTC',
  Gauges: [],
  Points: [],
  Counters: [],
  Samples: [],
}

/** The mocks run on no machine. */
const NO_HOST: AgentHost = { Memory: {}, CPU: [], Host: {}, Disk: null, CollectionTime: 0, Errors: null }

function clusterOfOne(settings: Settings, replication: ClusterInfo['replication']): ClusterInfo {
  const { aclEnabled, aclMode, baseUrl, datacenter, version } = settings
  const member: ClusterMember = {
    id: '00000000-0000-4000-8000-00000000000d',
    node: NODE_NAME,
    address: `${baseUrl.hostname}:${baseUrl.port || (baseUrl.protocol === 'https:' ? '443' : '80')}`,
    datacenter,
    version: version.text,
    mode: aclEnabled ? aclMode : 'disabled',
    status: 'alive',
  }
  return {
    self: () => member,
    members: () => [member],
    leader: () => member.address,
    legacyModeWaitsFor: () => [`the option aclMode of the mock service to be "enabled"`],
    metrics: () => ({ samples: NO_METRICS, prometheus: '' }),
    takeBootstrapReset: async () => 'none',
    host: () => NO_HOST,
    leave: () => {},
    forceLeave: async (node) => (node === NODE_NAME ? 'alive' : 0),
    debugConfig: () => ({}),
    replication,
  }
}

function mockDatacenters({
  datacenter: own,
  datacenters,
}: Pick<Settings, 'datacenter' | 'datacenters'>): Datacenters {
  return {
    get names() {
      return Object.keys(datacenters).filter((name) => name !== own)
    },
    send: async (name, { method, url, headers, body, signal }) => {
      const other = datacenters[name]
      const init = {
        method,
        headers: { ...headers },
        body: body === undefined || method === 'GET' ? null : new Uint8Array(body),
        signal: signal ?? null,
      }
      if (!other) throw datacenterUnreachable(name)
      const answer = other.fetch(`${other.baseUrl}${url}`, init).catch((error: unknown) => {
        if (signal?.aborted) throw error
        const isUnsent = error instanceof NoAnswer && !error.isSent
        throw method === 'GET' || isUnsent
          ? datacenterUnreachable(name, error)
          : datacenterSilent(name, error)
      })
      return replyOf(await answer)
    },
  }
}

function replyOf(answer: Response): ForwardedReply {
  return {
    status: answer.status,
    header: (name) => answer.headers.get(name) ?? undefined,
    body: pieces(answer),
  }
}

async function* pieces(answer: Response): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(await answer.arrayBuffer())
}

export class ServiceState {
  readonly clock: MockClock
  readonly blocked: BlockedCounter
  readonly identityProvider: IdentityProvider
  private readonly service: Service
  private readonly store: MemoryStore
  private readonly reapLater: () => void
  private readonly migrateLater: () => void
  private readonly initial: MemorySnapshot
  private readonly random: MockRandom
  /** For mock services that follow this one. */
  readonly feed: Feed
  /** Set in a secondary datacenter. */
  readonly follower: Follower | undefined

  /** @throws TypeError if the seed breaks a rule. */
  constructor(settings: Settings) {
    const { clockStart, version, edition, datacenter, primaryDatacenter } = settings
    const { headerPrefixes, defaultPolicy, aclEnabled } = settings
    const random = createRandom(settings.randomSeed)
    this.random = random
    const profile = profileOf(version)
    this.identityProvider = new IdentityProvider(random)
    this.clock = new MockClock(clockStart)
    this.blocked = new BlockedCounter(this.clock)
    this.store = new MemoryStore(this.blocked)
    this.reapLater = createReaper(this.store, this.clock)
    this.migrateLater = createAccessorMigration(this.store, this.clock, random)
    const isSecondary = primaryDatacenter !== datacenter
    const { store, clock } = this
    this.follower = isSecondary ? new Follower({ settings, store, clock, random }) : undefined
    const openapi = new JsonDocument(() => ({
      ...buildOpenApi({
        profile,
        edition,
        headerPrefix: headerPrefixes[0] ?? HEADER_PREFIX_DEFAULT,
        serverUrl: settings.baseUrl.href.replace(/\/$/, ''),
      }),
    }))
    const service: ServiceOptions = {
      store: this.store,
      clock: this.clock,
      random,
      localChecks: startLocalChecks({
        store,
        nodeName: NODE_NAME,
        process: NODE_NAME,
        now: () => clock.now(),
        sleeper: { after: (ms, callback) => clock.afterInBackground(ms, callback) },
        random,
        pauseMs: 0,
        onError: (error) => console.error('[latchkey mocks] a check could not be written', error),
      }),
      cluster: clusterOfOne(settings, () => this.follower?.state()),
      profile,
      identity: {
        verifier: new DecodingVerifier(),
        oidc: this.identityProvider,
        allowHttp: true,
        loginsPerSecond: 0,
      },
      edition,
      datacenter,
      primaryDatacenter,
      datacenters: mockDatacenters(settings),
      nodeName: NODE_NAME,
      headerPrefixes,
      statusCodes: settings.statusCodes,
      defaultPolicy,
      aclEnabled,
      openapi: () => openapi,
      onInternalError: (error, requestId) =>
        console.error(`[latchkey mocks] request ${requestId} failed`, error),
    }
    this.service = new Service(service)
    const secretId = settings.managementToken || ''
    this.feed = createFeed(service, { store, blocked: this.blocked, secretId })
    const now = this.clock.now()
    const mode: AclModeRecord =
      settings.aclMode === 'legacy' ? { mode: 'legacy' } : initialMode(profile, { isPrimary: true, now })
    const initialManagementToken = settings.managementToken || undefined
    const found = {
      directory: this.store.directory(),
      anonymousToken: undefined,
      initialManagementToken: undefined,
      managementToken: undefined,
    }
    const toChanges = mode.mode === 'enabled' ? builtinChanges : legacyBuiltinChanges
    this.store.commitNow(toChanges(found, { random, now, initialManagementToken, isSecondary }))
    const intentions = initialIntentions(profile, now)
    this.store.commitNow([
      putSystem('acl-mode', mode, 0),
      ...(intentions ? [putSystem('intentions', intentions, 0)] : []),
    ])
    plantSeed(settings.seed, { store: this.store, random, now, edition })
    this.initial = this.store.snapshot()
    random.rewind()
    this.reapLater()
  }

  async handle(request: WireRequest): Promise<WireReply> {
    await this.follower?.catchUp()
    const reply = await this.service.handle(request)
    const isWrite = reply.endpoint !== undefined && ENDPOINTS[reply.endpoint].method !== 'GET'
    if (isWrite) this.reapLater()
    if (isWrite && reply.endpoint?.startsWith('legacy.')) this.migrateLater()
    return reply
  }

  snapshot(): MemorySnapshot {
    return this.store.snapshot()
  }

  /** Restores a snapshot; waiting blocking queries see a change. */
  restore(snapshot: MemorySnapshot): void {
    this.store.restore(snapshot)
    this.reapLater()
    this.migrateLater()
  }

  /** Restores the seed and the start time. */
  reset(): void {
    this.clock.reset()
    this.random.rewind()
    this.identityProvider.reset()
    this.restore(this.initial)
    this.follower?.reset()
  }
}

/** The platform's cryptographic source, or a repeatable one. */
interface MockRandom extends Random {
  /** Begins the stream for requests, far from the one for the records of the seed. */
  rewind(): void
}

function createRandom(seed: number | undefined): MockRandom {
  if (seed === undefined) {
    return { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)), rewind: () => {} }
  }
  let source = new SeededRandom(seed)
  const rewind = () => {
    source = new SeededRandom(seed ^ 0x8000_0000)
  }
  return { bytes: (count) => source.bytes(count), rewind }
}

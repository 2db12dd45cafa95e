/**
 * A server inside this process: a store with the API on top. Like processes, nodes share nothing but their database. A test
 * can replace the store that the API sees.
 */

import { type Clock, DecodingVerifier, type Random } from '@latchkey/acl'
import {
  HEADER_PREFIXES_DEFAULT,
  parseServiceVersion,
  profileOf,
  SERVICE_VERSION_NEWEST,
} from '@latchkey/contract'
import {
  type ClusterInfo,
  ensureBuiltins,
  JsonDocument,
  Service,
  type Store,
  startLocalChecks,
  type WireReply,
} from '@latchkey/service'
import { NO_METRICS } from '@latchkey/testkit/service/world'
import { pino } from 'pino'
import { connectDatabase } from '../../../src/database/connect.ts'
import { createRandom } from '../../../src/random.ts'
import { parseEncryptionKeys } from '../../../src/secrets/encryption-keys.ts'
import { createKeyRing } from '../../../src/secrets/key-ring.ts'
import type { PostgresStore } from '../../../src/storage/open-store.ts'
import { openStore } from '../../../src/storage/open-store.ts'
import { CachedTokenLists } from '../../../src/token-lists/cached-token-lists.ts'
import { PATIENT } from '../../database.ts'
import { type Gateway, NoAnswer, type Reply, type Request } from './gateway.ts'
import { MANAGEMENT, SHARED_ENV } from './server-group.ts'

export interface NodeOptions {
  readonly url: string
  /** Replaces the store that the API sees. */
  readonly wrap?: (store: PostgresStore) => Store
  readonly isCaching?: boolean
  readonly edition?: 'standard' | 'extended'
  /** The source of new ids. */
  readonly random?: Random
  /** Determines CreateTime and expiration. Default: the store's clock. */
  readonly clock?: Clock
  readonly replicaUrl?: string
}

export interface Node {
  readonly gateway: Gateway
  /** Returns the answer with all its headers. */
  ask(request: Request): Promise<NodeReply>
  /** The store, without {@link NodeOptions.wrap}. */
  readonly store: PostgresStore
  close(): Promise<void>
}

export interface NodeReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

const log = pino({ level: 'silent' })
const LIST_CACHE_BYTES = 16_777_216

/** Opens a node on a migrated database. The first node creates the built-in records. */
export async function openNode(options: NodeOptions): Promise<Node> {
  const { url, wrap = (store) => store, isCaching = true, random = createRandom() } = options
  const database = connectDatabase({ url, log, limits: PATIENT })
  const { replicaUrl } = options
  const replica =
    replicaUrl === undefined ? undefined : connectDatabase({ url: replicaUrl, log, limits: PATIENT })
  const ring = createKeyRing(parseEncryptionKeys(SHARED_ENV.LATCHKEY_ENCRYPTION_KEYS ?? ''))
  const member = { datacenter: 'dc1', node: 'test', version: '1.11.0' }
  const store = await openStore({ database, replica, url, ring, log, member, isCaching })
  await store.refresh('consistent')
  await ensureBuiltins(store, {
    random,
    now: (options.clock ?? store.clock).now(),
    initialManagementToken: MANAGEMENT,
  })
  const wrapped = wrap(store)
  const localChecks = startLocalChecks({
    store: wrapped,
    nodeName: NODE.node,
    process: store.membership.memberId,
    now: () => performance.now(),
    sleeper: {
      after: (ms, callback) => {
        const timer = setTimeout(callback, ms).unref()
        return () => clearTimeout(timer)
      },
    },
    random,
    pauseMs: 250,
    onError: (error) => log.error(error),
  })
  const service = new Service({
    localChecks,
    store: wrapped,
    clock: options.clock ?? store.clock,
    random,
    cluster: ALONE,
    profile: profileOf(parseServiceVersion(SERVICE_VERSION_NEWEST)),
    identity: { verifier: new DecodingVerifier(), allowHttp: true, loginsPerSecond: 0 },
    edition: options.edition ?? 'standard',
    datacenter: 'dc1',
    nodeName: 'test',
    headerPrefixes: HEADER_PREFIXES_DEFAULT,
    defaultPolicy: 'deny',
    aclEnabled: true,
    lists: new CachedTokenLists(isCaching ? LIST_CACHE_BYTES : 0),
    openapi: () => new JsonDocument(() => ({})),
    onInternalError: (error) => log.error(error),
  })
  const ask = (request: Request) => askService(service, request)
  return {
    gateway: { ask: async (request) => replyOf(await ask(request)), close: () => {} },
    ask,
    store,
    close: async () => {
      await store.close()
      await Promise.all([database.close(), replica?.close()])
    },
  }
}

async function askService(
  service: Service,
  { method, path, token, body, signal }: Request,
): Promise<NodeReply> {
  const text = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body)
  const reply = await service.handle({
    method,
    url: `/v1${path}`,
    header: (name) => (name === 'x-service-token' ? token : undefined),
    readBody: async () => Buffer.from(text),
    requestId: 'request',
    signal,
  })
  return { status: reply.status, headers: reply.headers, text: await textOf(reply.body) }
}

async function textOf(body: WireReply['body']): Promise<string> {
  if (body === undefined || typeof body === 'string') return body ?? ''
  if (body instanceof Uint8Array) return Buffer.from(body).toString('utf8')
  const chunks: Buffer[] = []
  try {
    for await (const chunk of body) chunks.push(Buffer.from(chunk))
  } catch (error) {
    // A real server would cut the connection here.
    throw new NoAnswer(error, true)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function replyOf({ status, headers, text }: NodeReply): Reply {
  return {
    status,
    text,
    index: Number(headers['X-Service-Index'] ?? 0),
    lastContactMs: Number(headers['X-Service-LastContact'] ?? 0),
    knownLeader: headers['X-Service-KnownLeader'] === 'true',
  }
}

const NODE = {
  id: 'test',
  node: 'test',
  address: '',
  datacenter: 'dc1',
  version: '1.11.0',
  mode: 'enabled',
  status: 'alive',
} as const

/** The proofs never use this. */
const ALONE: ClusterInfo = {
  self: () => NODE,
  members: () => [NODE],
  leader: () => '',
  legacyModeWaitsFor: () => [],
  metrics: () => ({ samples: NO_METRICS, prometheus: '' }),
  takeBootstrapReset: async () => 'none',
  host: () => ({ Memory: {}, CPU: [], Host: {}, Disk: null, CollectionTime: 0, Errors: null }),
  leave: () => {},
  forceLeave: async () => 'alive',
  debugConfig: () => ({}),
  replication: () => undefined,
}

/** Worlds of several datacenters that reach each other in memory. */

import type { ReplicationRecord } from '@latchkey/acl'
import type { Change, Datacenters, ForwardedRequest, WireReply } from '@latchkey/service'
import { putOf } from '../records/changes.ts'
import { aWorld, type World, type WorldOptions } from './world.ts'

/** What one datacenter sent to another. */
interface Hop {
  readonly to: string
  readonly request: ForwardedRequest
}

export interface Fleet {
  /** dc1. */
  readonly primary: World
  /** dc2. It catches up before each answer of the primary. */
  readonly secondary: World
  readonly hops: readonly Hop[]
  /** Copies the primary's records into the secondary, as replication does, but deletes nothing. */
  follow(): Promise<void>
  /** From now on, the secondary catches up only on request. */
  fallBehind(): void
}

/** @param options of each world, besides its name. */
export async function aFleet(
  options: { readonly primary?: WorldOptions; readonly secondary?: WorldOptions } = {},
): Promise<Fleet> {
  const hops: Hop[] = []
  let follows = true
  const worlds = new Map<string, World>()
  const datacenters: Datacenters = {
    names: ['dc1', 'dc2'],
    send: async (to, request) => {
      hops.push({ to, request })
      const reply = await worlds.get(to)?.service.handle(received(request))
      if (!reply) throw new Error(`there is no ${to}`)
      if (follows) await follow()
      return {
        status: reply.status,
        header: (name) => lowered(reply.headers)[name],
        body: pieces(reply.body),
      }
    },
  }
  const primary = await aWorld({ datacenter: 'dc1', datacenters, ...options.primary })
  const secondary = await aWorld({
    datacenter: 'dc2',
    primaryDatacenter: 'dc1',
    datacenters,
    seed: 2,
    isBootstrapped: false,
    ...options.secondary,
  })
  worlds.set('dc1', primary).set('dc2', secondary)
  const follow = async () => {
    const changes = [...directoryChanges(primary)]
    for await (const tokens of primary.store.tokens({ local: false })) {
      for (const record of tokens) changes.push(putOf('tokens', record))
    }
    const replication: ReplicationRecord = { cluster: 'dc1', index: primary.store.commitIndex(), skipped: [] }
    const record = { Key: 'replication', Value: replication, CreateIndex: 0, ModifyIndex: 0 } as const
    await secondary.store.commit([...changes, putOf('system', record)])
  }
  await follow()
  const fallBehind = () => {
    follows = false
  }
  return { primary, secondary, hops, follow, fallBehind }
}

function* directoryChanges({ store }: World): Generator<Change> {
  const directory = store.directory()
  for (const record of directory.namespaces()) {
    yield putOf('namespaces', record)
  }
  for (const record of directory.policies()) yield putOf('policies', record)
  for (const record of directory.roles()) yield putOf('roles', record)
}

function received({ method, url, headers, body, signal }: ForwardedRequest) {
  const sent = lowered(headers)
  return {
    method,
    url,
    header: (name: string) => sent[name],
    readBody: async () => body ?? new Uint8Array(0),
    requestId: sent['x-request-id'] ?? '',
    signal,
  }
}

function lowered(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

async function* pieces(body: WireReply['body']): AsyncGenerator<Uint8Array> {
  if (body === undefined) return
  if (typeof body === 'string') yield new TextEncoder().encode(body)
  else if (body instanceof Uint8Array) yield body
  else
    for await (const piece of body) yield typeof piece === 'string' ? new TextEncoder().encode(piece) : piece
}

/** Clients that send random requests for a few tokens to any of several processes, and record the answers. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TokenRecord } from '@latchkey/acl'
import { SeededRandom } from '@latchkey/testkit/random'
import { type Gateway, jsonOf, NoAnswer, type Reply } from '../harness/gateway.ts'
import type { Call, History, Operation, Outcome } from './history.ts'

interface RandomHistoryOptions {
  readonly gateways: readonly Gateway[]
  /** The secret of a management token. */
  readonly token: string
  /** Determines requests and processes, but not how the answers interleave. */
  readonly seed: number
  readonly clients?: number
  /** Operations of all clients together. */
  readonly operations?: number
  /** Number of tokens. */
  readonly slots?: number
  /** Awaited from time to time, while no request is in flight. */
  readonly calm?: () => Promise<void>
  /** Operations between two such pauses. */
  readonly calmEvery?: number
}

type Ids = Pick<TokenRecord, 'AccessorID' | 'SecretID'>

/** Delay after a process could not be reached, in milliseconds. */
const PAUSE_MS = 2

/** Relative frequency of calls: reads reveal wrong writes. */
const KINDS: readonly Call['kind'][] = [
  ...(['create', 'create', 'update', 'update', 'update', 'delete'] as const),
  ...(['read', 'read', 'read', 'read', 'self', 'self', 'list', 'list'] as const),
]

/** Records one history, then removes its tokens. */
export async function liveHistory(options: RandomHistoryOptions): Promise<History> {
  const {
    gateways,
    token,
    seed,
    clients = 8,
    operations: total = 200,
    slots = 6,
    calmEvery = total,
  } = options
  const random = new SeededRandom(seed)
  const ids: readonly Ids[] = Array.from({ length: slots }, () => ({
    AccessorID: randomUUID(),
    SecretID: randomUUID(),
  }))
  const operations: Operation[] = []
  let clock = 0
  let begun = 0

  const run = async (client: number, end: number) => {
    for (; begun < end; ) {
      begun += 1
      const process = random.below(gateways.length)
      const call = randomCall(random, slots, `c${client}n${begun}`)
      const request = requestOf(call, { ids, token, mode: random.pick(['', 'consistent']) })
      clock += 1
      const startedAt = clock
      let reply: Reply | undefined
      try {
        reply = await gateways[process]?.ask(request)
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
        if (!error.maybeApplied) {
          await sleep(PAUSE_MS)
          continue
        }
      }
      clock += 1
      const outcome = reply ? outcomeOf(call, reply, ids) : ({ kind: 'unknown' } as const)
      operations.push({ client, process, call, outcome, startedAt, endedAt: clock, index: reply?.index ?? 0 })
    }
  }
  while (begun < total) {
    await options.calm?.()
    const end = Math.min(begun + calmEvery, total)
    await Promise.all(Array.from({ length: clients }, (_, client) => run(client, end)))
  }
  await cleanUp(gateways, ids, token)
  return { seed, slots, operations }
}

function randomCall(random: SeededRandom, slots: number, value: string): Call {
  const kind = random.pick(KINDS)
  const slot = random.below(slots)
  switch (kind) {
    case 'create':
    case 'update':
      return { kind, slot, value }
    case 'list':
      return { kind }
    default:
      return { kind, slot }
  }
}

function requestOf(
  call: Call,
  { ids, token, mode }: { readonly ids: readonly Ids[]; readonly token: string; readonly mode: string },
): Parameters<Gateway['ask']>[0] {
  if (call.kind === 'list') return { method: 'GET', path: `/acl/tokens?${mode}`, token }
  const { AccessorID, SecretID } = ids[call.slot] as Ids
  switch (call.kind) {
    case 'create':
      return {
        method: 'PUT',
        path: '/acl/token',
        token,
        body: { AccessorID, SecretID, Description: call.value },
      }
    case 'update':
      return { method: 'PUT', path: `/acl/token/${AccessorID}`, token, body: { Description: call.value } }
    case 'delete':
      return { method: 'DELETE', path: `/acl/token/${AccessorID}`, token }
    case 'read':
      return { method: 'GET', path: `/acl/token/${AccessorID}?${mode}`, token }
    case 'self':
      return { method: 'GET', path: `/acl/token/self?${mode}`, token: SecretID }
  }
}

/** Status of a refusal because the token exists (create) or does not exist. */
const REFUSALS: Readonly<Record<Exclude<Call['kind'], 'list'>, number>> = {
  create: 409,
  update: 404,
  delete: 404,
  read: 404,
  self: 403,
}

function outcomeOf(call: Call, reply: Reply, ids: readonly Ids[]): Outcome {
  if (reply.status >= 500) return { kind: 'unknown' }
  if (call.kind === 'list') return { kind: 'listed', values: valuesOf(jsonOf(reply), ids) }
  const isRefused = reply.status === REFUSALS[call.kind]
  switch (call.kind) {
    case 'create':
    case 'update':
      if (isRefused) return { kind: 'refused' }
      return { kind: 'done', modifyIndex: jsonOf<TokenRecord>(reply).ModifyIndex }
    case 'delete':
      if (isRefused) return { kind: 'refused' }
      if (jsonOf(reply) !== true) throw new Error(`a delete answered ${reply.text}`)
      return { kind: 'done', modifyIndex: undefined }
    default:
      return { kind: 'seen', held: isRefused ? undefined : jsonOf<TokenRecord>(reply).Description }
  }
}

function valuesOf(tokens: readonly TokenRecord[], ids: readonly Ids[]): ReadonlyMap<number, string> {
  const slotOf = new Map(ids.map(({ AccessorID }, slot) => [AccessorID, slot]))
  const values = new Map<number, string>()
  for (const { AccessorID, Description } of tokens) {
    const slot = slotOf.get(AccessorID)
    if (slot === undefined) continue
    if (values.has(slot)) throw new Error(`a list shows ${AccessorID} twice`)
    values.set(slot, Description)
  }
  return values
}

async function cleanUp(gateways: readonly Gateway[], ids: readonly Ids[], token: string): Promise<void> {
  for (const { AccessorID } of ids) {
    for (const gateway of gateways) {
      const reply = await gateway
        .ask({ method: 'DELETE', path: `/acl/token/${AccessorID}`, token })
        .catch(() => undefined)
      if (reply && reply.status < 500) break
    }
  }
}

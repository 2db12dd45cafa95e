/**
 * COH-02, COH-03: a right is revoked through one process, and used at once through all of them. Default and `consistent`
 * reads must refuse from the acknowledgement on. A `stale` answer may still grant, but only if its stated age reaches back
 * before the acknowledgement.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Policy, Role, Token } from '@latchkey/contract'
import type { SeededRandom } from '@latchkey/testkit/random'
import { type Gateway, jsonOf, type Reply, type Request } from '../harness/gateway.ts'
import { type LeaseCounts, openLeases } from '../harness/leases.ts'
import { MANAGEMENT } from '../harness/server-group.ts'

interface RevocationResult {
  /** Revocations, by kind. */
  readonly tries: Readonly<Record<RevocationKind, number>>
  /** Answers that granted after the acknowledgement, described in words. */
  readonly grants: readonly string[]
  /** Stale answers that granted although their stated age does not reach back to the acknowledgement. */
  readonly untruths: readonly string[]
  /** How long after the acknowledgement the last stale answer granted, in milliseconds; 0 if none did. */
  readonly staleMs: readonly number[]
  /** Before every second round, all processes should hold leases. */
  readonly leases: LeaseCounts
}

/** Ways to revoke the right. */
const REVOCATIONS = {
  'token deleted': ({ manage, token }: Granted) => manage('DELETE', `/acl/token/${token.AccessorID}`),
  'policy unlinked': ({ manage, token }: Granted) => manage('PUT', `/acl/token/${token.AccessorID}`, {}),
  'policy edited': ({ manage, policy: { ID, Name } }: Granted) =>
    manage('PUT', `/acl/policy/${ID}`, { ID, Name }),
  'policy deleted': ({ manage, policy }: Granted) => manage('DELETE', `/acl/policy/${policy.ID}`),
  'role unlinked': ({ manage, token }: Granted) => manage('PUT', `/acl/token/${token.AccessorID}`, {}),
  'role edited': ({ manage, role: { ID, Name } }: Granted) => manage('PUT', `/acl/role/${ID}`, { ID, Name }),
  'role deleted': ({ manage, role }: Granted) => manage('DELETE', `/acl/role/${role.ID}`),
} as const

type RevocationKind = keyof typeof REVOCATIONS
const REVOCATION_KINDS = Object.keys(REVOCATIONS) as RevocationKind[]

/** Sends a request with a management token to the revoking process; throws unless it succeeds. */
type Manage = (method: Request['method'], path: string, body?: unknown) => Promise<Reply>

/** A policy that grants the right, and a role that links it. */
interface Right {
  readonly policy: Policy
  readonly role: Role
  /** A key that the right allows writing. */
  readonly key: string
}

interface Granted extends Right {
  readonly manage: Manage
  /** Linked to the policy, or to the role. */
  readonly token: Token
}

/** Pause between two stale answers. */
const STALE_PAUSE_MS = 2

/**
 * Revokes rights, some concurrently, and uses them through every gateway. Every second round first waits for leases, because
 * the previous round leaves none.
 */
export async function proveRevocation(options: {
  readonly gateways: readonly Gateway[]
  readonly random: SeededRandom
  readonly tries: number
  readonly atOnce?: number
}): Promise<RevocationResult> {
  const { gateways, random, tries: total, atOnce = 8 } = options
  const tries = Object.fromEntries(REVOCATION_KINDS.map((kind) => [kind, 0])) as Record<
    RevocationKind,
    number
  >
  const [grants, untruths, staleMs]: [string[], string[], number[]] = [[], [], []]
  const leases = { tried: 0, open: 0 }
  const rights = new Map<number, Right>()
  const prepare = async (place: number) => {
    const kind = random.pick(REVOCATION_KINDS)
    const manage = manageThrough(random.pick(gateways))
    const right = rights.get(place) ?? (await makeRight(manage, `try-${random.below(2 ** 32)}`))
    // An edited or deleted record cannot be reused.
    if (kind === 'token deleted' || kind.endsWith('unlinked')) rights.set(place, right)
    else rights.delete(place)
    const granted = await grant(kind, right, manage)
    // Now all processes have the right in memory.
    await Promise.all(gateways.map(async (gateway) => expectGrant(await gateway.ask(authorize(granted)))))
    return { kind, granted }
  }
  for (let begun = 0; begun < total; begun += atOnce) {
    const places = Array.from({ length: Math.min(atOnce, total - begun) }, (_, place) => place)
    const turn = await Promise.all(places.map(prepare))
    if ((begun / atOnce) % 2 === 0) await openLeases(gateways, leases)
    const results = await Promise.all(turn.map(({ kind, granted }) => revoke(kind, granted, gateways)))
    for (const { kind } of turn) tries[kind] += 1
    for (const found of results) {
      grants.push(...found.grants)
      untruths.push(...found.untruths)
      staleMs.push(found.staleMs)
    }
  }
  return { tries, grants, untruths, staleMs, leases }
}

function manageThrough(gateway: Gateway): Manage {
  return async (method, path, body) => {
    const reply = await gateway.ask({ method, path, token: MANAGEMENT, body })
    if (reply.status !== 200) throw new Error(`${method} ${path} answered ${reply.status}: ${reply.text}`)
    return reply
  }
}

async function makeRight(manage: Manage, name: string): Promise<Right> {
  const Rules = `key_prefix "${name}/" { policy = "write" }`
  const policy = jsonOf<Policy>(await manage('PUT', '/acl/policy', { Name: name, Rules }))
  const role = jsonOf<Role>(await manage('PUT', '/acl/role', { Name: name, Policies: [{ ID: policy.ID }] }))
  return { policy, role, key: `${name}/key` }
}

async function grant(kind: RevocationKind, right: Right, manage: Manage): Promise<Granted> {
  const { policy, role } = right
  const links = kind.startsWith('role') ? { Roles: [{ ID: role.ID }] } : { Policies: [{ ID: policy.ID }] }
  return { ...right, manage, token: jsonOf<Token>(await manage('PUT', '/acl/token', links)) }
}

async function revoke(kind: RevocationKind, granted: Granted, gateways: readonly Gateway[]) {
  await REVOCATIONS[kind](granted)
  const revokedAt = performance.now()
  const uses = [authorize(granted), readKey(granted, 'consistent')]
  const [answers, stale] = await Promise.all([
    Promise.all(
      gateways.flatMap((gateway, i) =>
        [...uses, ...(i === 0 ? [write(granted)] : [])].map((use) => gateway.ask(use)),
      ),
    ),
    Promise.all(gateways.map((gateway) => askStale(gateway, granted, revokedAt))),
  ])
  return {
    grants: answers.filter(isGrant).map((reply) => `${kind}: ${reply.status} ${reply.text}`),
    untruths: stale.flatMap(({ untruth }) => (untruth === undefined ? [] : [`${kind}: ${untruth}`])),
    staleMs: Math.max(...stale.map(({ grantedMs }) => grantedMs)),
  }
}

function authorize({ token, key }: Granted): Request {
  const body = [{ Resource: 'key', Segment: key, Access: 'write' }]
  return { method: 'POST', path: '/internal/acl/authorize', token: token.SecretID, body }
}

function write({ token, key }: Granted): Request {
  return { method: 'PUT', path: `/kv/${key}`, token: token.SecretID, body: 'written' }
}

function readKey({ token, key }: Granted, mode: string): Request {
  return { method: 'GET', path: `/kv/${key}?${mode}`, token: token.SecretID }
}

/** For a missing key, a grant is a 404. */
function isGrant({ status, text }: Reply): boolean {
  return status === 404 || (status === 200 && !text.includes('"Allow":false'))
}

function expectGrant(reply: Reply): void {
  if (!isGrant(reply)) throw new Error(`the right is not there: ${reply.status} ${reply.text}`)
}

/** Sends stale reads until one is refused. */
async function askStale(gateway: Gateway, granted: Granted, revokedAt: number) {
  let grantedMs = 0
  for (;;) {
    const askedAt = performance.now()
    const reply = await gateway.ask(readKey(granted, 'stale'))
    if (!isGrant(reply)) return { grantedMs, untruth: undefined }
    grantedMs = performance.now() - revokedAt
    // The answer claims that its state was current at this moment, or later.
    const currentAt = askedAt - reply.lastContactMs
    if (currentAt > revokedAt) {
      const lateMs = Math.round(currentAt - revokedAt)
      return { grantedMs, untruth: `granted by a state of ${lateMs} ms after the acknowledgement` }
    }
    await sleep(STALE_PAUSE_MS)
  }
}

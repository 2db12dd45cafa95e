/** Writes that a secondary forwards to the primary, and those that it makes itself. Decisions: writes in a secondary. */
import { isGone, placeOfTokenWrite, type WritePlace } from '@latchkey/acl'
import type { AclErrorCode, AnyRoute, RouteName } from '@latchkey/contract'
import { AclError, invariant, limits, OUTAGE_CODES } from '@latchkey/contract'
import type { Presented } from '../caller/caller.ts'
import { aclModeOf, isWithoutTokens, type ServiceOptions } from '../options.ts'
import { stringify } from '../reply/json-text.ts'
import { decodeRequestBody } from '../request/body.ts'
import { DATACENTER_FAMILY } from '../request/headers.ts'
import type { ParsedRequest } from '../request/parse.ts'
import type { WireReply } from '../request/wire.ts'
import type { Store } from '../store/store.ts'
import { datacenterSilent, type ForwardedReply } from './datacenters.ts'
import { collect, exchange, type ForwardingParts, once, passOn } from './exchange.ts'

/** A record with its rules takes up to a megabyte. */
const ANSWER_BYTES_MAX = 4_194_304
/** The statuses after which a client may look for its record: it was written, or its IDs are in use. */
const TELLS_OF_RECORD: ReadonlySet<number> = new Set([200, 409])

/** Whether a request in a secondary may affect records of the primary. Requests that legacy mode refuses are refused in this datacenter. */
export function mayBeForPrimary({ route }: ParsedRequest, service: ServiceOptions): boolean {
  const { writes } = route
  if (writes !== 'global' && writes !== 'token') return false
  if (aclModeOf(service.store.directory()) !== 'legacy') return true
  // In legacy mode nothing is replicated, so each datacenter imports copies of the legacy tokens.
  return !route.refusedInLegacyMode && route.name !== 'legacy.import'
}

/**
 * Forwards a write to the primary, unless it is for a local token. No rule is checked here, because a caller's rights may
 * differ between datacenters.
 *
 * A request with an unknown secret is refused without forwarding. The secret of a local token is not sent.
 * @returns the reply of the primary, or the one of this datacenter if the write must be made here.
 * @throws AclError `caller_unknown`, `datacenter_unreachable`, `datacenter_silent`, `unavailable`, and the errors of
 *   reading a body.
 */
export async function writeInPrimary(asked: ParsedRequest, parts: ForwardingParts): Promise<WireReply> {
  const { request, route, state } = asked
  const { service } = parts
  await service.store.refresh('default')
  const caller = await parts.callers.resolve(asked.secretId, service.store)
  const bytesMax = caller.presented ? limits.BODY_BYTES_MAX : limits.ANONYMOUS_BODY_BYTES_MAX
  let body: Uint8Array | undefined
  try {
    if (route.body !== undefined) body = await request.readBody(bytesMax)
  } catch (error) {
    // A caller without the right is refused for that first, as everywhere.
    await parts.admission.admit(asked)
    throw error
  }
  if (route.writes === 'token' && (await isMadeHere(asked, body, caller, service)))
    return parts.answerHere(asked, body)

  const { token, presented } = caller
  if (presented) state.accessorId = token.AccessorID
  const secretId = presented && !token.Local ? asked.secretId : undefined
  const { primaryDatacenter: name } = service
  invariant(name, 'a secondary has a primary')
  const known = presented ? token : undefined
  const sent = { name, isNamed: false, secretId, token: known, body }
  const reply = await exchange(asked, sent, parts)
  return passOn(asked, await onceReplicated(asked, reply, { name, service }))
}

/** The primary's reply, once the copies here are as recent or the wait is over. */
async function onceReplicated(
  { request, route, state }: ParsedRequest,
  reply: ForwardedReply,
  { name, service }: { readonly name: string; readonly service: ServiceOptions },
): Promise<ForwardedReply> {
  const { status } = reply
  // The primary's index means nothing to a client of this datacenter.
  const header = (asked: string) => (asked === INDEX ? undefined : reply.header(asked))
  const index = indexOf(reply)
  // Read completely, so that the reply occupies no connection while the client waits.
  const answer = await collect(reply.body, ANSWER_BYTES_MAX).catch((error: unknown) => {
    throw datacenterSilent(name, error)
  })
  const asAnswered = { status, header, body: once(answer) }
  if (index === undefined || !TELLS_OF_RECORD.has(status)) return asAnswered
  const { store } = service
  try {
    const lag = await lagBehind(index, service, request.signal)
    if (lag > 0) state.setHeader('replicationLag', String(lag))
    if (lag > 0 || status !== 200) return asAnswered
    return { ...asAnswered, body: once(await withOwnIndexes(answer, route, { store, pretty: state.pretty })) }
  } catch {
    // The primary has decided; a failure here must not hide its reply.
    return asAnswered
  }
}

const INDEX = DATACENTER_FAMILY.index.toLowerCase()

/** The primary's index when it replied: the highest index of a replicated record. */
function indexOf(reply: ForwardedReply): number | undefined {
  const index = Number(reply.header(INDEX))
  return Number.isSafeInteger(index) ? index : undefined
}

const NOT_OF_BODY: ReadonlySet<AclErrorCode> = new Set([...OUTAGE_CODES, 'token_replication_off'])

async function isMadeHere(
  { route, params }: ParsedRequest,
  received: Uint8Array | undefined,
  caller: Presented,
  service: ServiceOptions,
): Promise<boolean> {
  try {
    const body = received && (decodeRequestBody(route, received, service) as Named)
    const isHere = (await placeOf(route.name, service, caller, { ...body, ...params })) === 'here'
    if (isHere && isWithoutTokens(service) && route.name !== 'login.logout')
      throw new AclError('token_replication_off', 'Local tokens are disabled')
    return isHere
  } catch (error) {
    if (!(error instanceof AclError) || NOT_OF_BODY.has(error.code)) throw error
    // A body that cannot be decoded is refused here, after checking that the caller may send it.
    return true
  }
}

interface Indexed {
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Hash?: string
}

type Find = (store: Store, record: Readonly<Record<string, unknown>>) => Promise<Indexed | undefined>

const FIND: { readonly [R in AnyRoute['resource']]?: Find } = {
  tokens: (store, { AccessorID }) => store.tokenByAccessor(String(AccessorID)),
  policies: async (store, { ID }) => store.directory().policy(String(ID)),
  roles: async (store, { ID }) => store.directory().role(String(ID)),
  namespaces: async (store, { Name }) => store.directory().namespace(String(Name)),
}

/**
 * Replaces the indexes of the record in an answer of the primary by those of its local copy, so that a client can wait from
 * them. An answer without a record, or whose record has no copy here, stays unchanged.
 * @param answer body of a 200 of the primary.
 */
async function withOwnIndexes(
  answer: Uint8Array,
  { resource }: AnyRoute,
  { store, pretty }: { readonly store: Store; readonly pretty: boolean },
): Promise<Uint8Array> {
  const record: unknown = JSON.parse(new TextDecoder().decode(answer))
  if (!isIndexed(record)) return answer
  const copy = await FIND[resource]?.(store, { ...record })
  if (!copy) return answer
  // If the copy already contains a later write, a blocking read from the index before it returns immediately.
  const ModifyIndex = copy.Hash === record.Hash ? copy.ModifyIndex : copy.ModifyIndex - 1
  const shown = { ...record, CreateIndex: copy.CreateIndex, ModifyIndex }
  return new TextEncoder().encode(stringify(shown, pretty))
}

function isIndexed(value: unknown): value is Indexed {
  return typeof value === 'object' && value !== null && 'CreateIndex' in value && 'ModifyIndex' in value
}

/** How long a write waits until its record can be read here. */
const REPLICATION_MS_MAX = 2_000

/**
 * Waits until this datacenter has replicated up to an index of the primary, or for {@link REPLICATION_MS_MAX}. Does not
 * wait if replication is not running.
 * @returns how many indexes are missing; 0 for none.
 */
async function lagBehind(
  index: number,
  { store, clock }: Pick<ServiceOptions, 'store' | 'clock'>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const deadline = clock.now() + REPLICATION_MS_MAX
  for (;;) {
    // Read before the record, so that no change to it is missed.
    const seen = store.tableIndex('system')
    const record = store.directory().system('replication')?.Value
    const lag = index - (record?.index ?? 0)
    const leftMs = deadline - clock.now()
    if (lag <= 0 || !record || leftMs <= 0 || signal?.aborted) return Math.max(0, lag)
    await store.wait('system', seen, leftMs, signal)
  }
}

/** What requests that write one token name: the token, and whether it is to be a local one. */
interface Named {
  readonly AccessorID?: string
  readonly ID?: string
  readonly Local?: boolean | undefined
}

async function placeOf(
  name: RouteName,
  { store, clock }: ServiceOptions,
  { token, presented }: Presented,
  { AccessorID, ID = '', Local }: Named,
): Promise<WritePlace> {
  // Without a token, the request is refused here.
  if (name === 'login.logout') return presented ? placeOfTokenWrite(token) : 'here'
  if (name === 'tokens.create') return placeOfTokenWrite(undefined, Local)
  const stored = await (AccessorID === undefined
    ? store.tokenBySecret(ID)
    : store.tokenByAccessor(AccessorID))
  const isLiving = stored && !isGone(stored, clock.now(), store.directory())
  return placeOfTokenWrite(isLiving ? stored : undefined, Local)
}

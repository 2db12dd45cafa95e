/** Writes that a secondary forwards to the primary. Decisions: writes in a secondary. */
import { AclError, type AclErrorCode, invariant, limits } from '@latchkey/contract'
import { aclModeOf } from '../caller/acl-mode.ts'
import type { Presented } from '../caller/caller.ts'
import { isSecondary, type ServiceOptions } from '../options.ts'
import { decodeRequestBody } from '../request/body.ts'
import { DATACENTER_FAMILY } from '../request/headers.ts'
import type { ParsedRequest } from '../request/parse.ts'
import type { WireReply } from '../request/wire.ts'
import { datacenterSilent, type ForwardedReply } from './datacenters.ts'
import { collect, exchange, type ForwardingParts, once, passOn } from './exchange.ts'
import { withOwnIndexes } from './own-indexes.ts'
import { lagBehind } from './replicated-index.ts'
import { isWithoutTokens, localTokensDisabled } from './without-tokens.ts'
import { placeOf } from './write-places.ts'

/** A record with its rules takes up to a megabyte. */
const ANSWER_BYTES_MAX = 4_194_304
/** The answers after which a client may look for what it wrote: it is there, or its ids are in use. */
const TELLS_OF_RECORD: ReadonlySet<number> = new Set([200, 409])

/** Whether the request may concern records of the primary. Legacy mode comes first: it refuses without looking further. */
export function mayBeForPrimary({ route }: ParsedRequest, service: ServiceOptions): boolean {
  const { writes } = route
  if ((writes !== 'global' && writes !== 'token') || !isSecondary(service)) return false
  if (aclModeOf(service.store.directory()) !== 'legacy') return true
  // Nothing is replicated yet, so each datacenter imports copies of the legacy tokens.
  return !route.refusedInLegacyMode && route.name !== 'legacy.import'
}

/**
 * Lets the primary make a write, unless it is one of a Local token. No rule is checked here: a caller's rights may differ
 * between datacenters.
 *
 * A secret that is unknown here is refused, and nothing is sent. That of a local token is not sent.
 *
 * @returns the answer of the primary, or the body of the request if the write is to be made here.
 * @throws AclError `caller_unknown`, `datacenter_unreachable`, `datacenter_silent`, `unavailable`, and those of a body.
 */
export async function writeInPrimary(
  asked: ParsedRequest,
  parts: ForwardingParts,
): Promise<{ readonly reply: WireReply } | { readonly received: Uint8Array | undefined }> {
  const { request, route, state } = asked
  const { service } = parts
  await service.store.refresh('default')
  const caller = await parts.callers.resolve(service.aclEnabled ? asked.secretId : undefined, service.store)
  const bytesMax = caller.presented ? limits.BODY_BYTES_MAX : limits.ANONYMOUS_BODY_BYTES_MAX
  let body: Uint8Array | undefined
  try {
    if (route.body !== undefined) body = await request.readBody(bytesMax)
  } catch (error) {
    // As everywhere, a caller without the right is told that first.
    await parts.admission.admit(asked)
    throw error
  }
  if (route.writes === 'token' && (await isMadeHere(asked, body, caller, service))) return { received: body }

  const { token, presented } = caller
  if (presented) state.accessorId = token.AccessorID
  const secretId = presented && !token.Local ? asked.secretId : undefined
  const { primaryDatacenter: name } = service
  invariant(name, 'a secondary has a primary')
  const known = presented ? token : undefined
  const sent = { name, isNamed: false, secretId, token: known, body }
  const reply = await exchange(asked, sent, parts)
  return { reply: passOn(asked, await onceReplicated(asked, reply, { name, service })) }
}

/** The answer of the primary when the copies here are as new, or as old as they may be. */
async function onceReplicated(
  { request, route, state }: ParsedRequest,
  reply: ForwardedReply,
  { name, service }: { readonly name: string; readonly service: ServiceOptions },
): Promise<ForwardedReply> {
  const { status } = reply
  // The index is one of the primary, so it means nothing to a client of this datacenter.
  const header = (asked: string) => (asked === INDEX ? undefined : reply.header(asked))
  const index = indexOf(reply)
  // Read to its end, so that it takes up no room while the client waits.
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
    // The primary has decided: a failure of this datacenter must not hide that.
    return asAnswered
  }
}

const INDEX = DATACENTER_FAMILY.index.toLowerCase()

/** What the primary had when it answered: the highest index of what datacenters have in common. */
function indexOf(reply: ForwardedReply): number | undefined {
  const index = Number(reply.header(INDEX))
  return Number.isSafeInteger(index) ? index : undefined
}

const NOT_OF_BODY: ReadonlySet<AclErrorCode> = new Set(['unavailable', 'token_replication_off'])

async function isMadeHere(
  { route, params }: ParsedRequest,
  received: Uint8Array | undefined,
  caller: Presented,
  service: ServiceOptions,
): Promise<boolean> {
  try {
    const body = received && decodeRequestBody(route, received, service)
    const isHere = (await placeOf(route.name, { params, body, caller, service })) === 'here'
    if (isHere && isWithoutTokens(service) && route.name !== 'login.logout') throw localTokensDisabled()
    return isHere
  } catch (error) {
    if (!(error instanceof AclError) || NOT_OF_BODY.has(error.code)) throw error
    // A body that cannot be decoded is refused here, once the caller has the right to send it.
    return true
  }
}

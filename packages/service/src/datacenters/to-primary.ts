/** Writes that a secondary leaves to the primary. Decisions: writes in a secondary. */
import { AclError, invariant, limits } from '@latchkey/contract'
import { aclModeOf } from '../caller/acl-mode.ts'
import type { Presented } from '../caller/caller.ts'
import { isSecondary, type ServiceOptions } from '../options.ts'
import { decodeRequestBody } from '../request/body.ts'
import { DATACENTER_FAMILY } from '../request/headers.ts'
import type { ParsedRequest } from '../request/parse.ts'
import type { WireReply } from '../request/wire.ts'
import { datacenterSilent, type ForwardedReply } from './datacenters.ts'
import { collect, exchange, type ForwardingParts, once, passOn } from './exchange.ts'
import { lagBehind } from './replicated-index.ts'
import { placeOf } from './write-places.ts'

/** A record with its rules takes up to a megabyte. */
const ANSWER_BYTES_MAX = 4_194_304
/** The answers after which a client may look for what it wrote: it is there, or its ids are in use. */
const TELLS_OF_RECORD: ReadonlySet<number> = new Set([200, 409])

/** Whether the request may concern records of the primary. Legacy mode comes first: it refuses without looking further. */
export function mayBeForPrimary({ route }: ParsedRequest, service: ServiceOptions): boolean {
  const { writes } = route
  if ((writes !== 'global' && writes !== 'token') || !isSecondary(service)) return false
  return !route.refusedInLegacyMode || aclModeOf(service.store.directory()) !== 'legacy'
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
  const body = route.body === undefined ? undefined : await request.readBody(bytesMax)
  if (route.writes === 'token' && (await isMadeHere(asked, body, caller, service))) return { received: body }

  const { token, presented } = caller
  if (presented) state.accessorId = token.AccessorID
  const secretId = presented && !token.Local ? asked.secretId : undefined
  const { primaryDatacenter: name } = service
  invariant(name, 'a secondary has a primary')
  const known = presented ? token : undefined
  const sent = { name, isNamed: false, secretId, token: known, body }
  const reply = await whole(name, await exchange(asked, sent, parts))
  const index = indexOf(reply)
  if (index !== undefined && TELLS_OF_RECORD.has(reply.status)) {
    const lag = await lagBehind(index, service, request.signal)
    if (lag > 0) state.setHeader('replicationLag', String(lag))
  }
  // The index is one of the primary, so it means nothing to a client of this datacenter.
  return {
    reply: passOn(asked, {
      ...reply,
      header: (header) => (header === INDEX ? undefined : reply.header(header)),
    }),
  }
}

const INDEX = DATACENTER_FAMILY.index.toLowerCase()

/** What the primary had when it answered: the highest index of what datacenters have in common. */
function indexOf(reply: ForwardedReply): number | undefined {
  const index = Number(reply.header(INDEX))
  return Number.isSafeInteger(index) ? index : undefined
}

async function isMadeHere(
  { route, params }: ParsedRequest,
  received: Uint8Array | undefined,
  caller: Presented,
  service: ServiceOptions,
): Promise<boolean> {
  try {
    const body = received && decodeRequestBody(route, received, service.profile)
    return (await placeOf(route.name, { params, body, caller, service })) === 'here'
  } catch (error) {
    if (!(error instanceof AclError) || error.code === 'unavailable') throw error
    // A body that cannot be decoded is refused here, once the caller has the right to send it.
    return true
  }
}

/** Reads the answer to its end, so that it takes up no room while the client waits for the records. */
async function whole(name: string, reply: ForwardedReply): Promise<ForwardedReply> {
  try {
    return { ...reply, body: once(await collect(reply.body, ANSWER_BYTES_MAX)) }
  } catch (error) {
    throw datacenterSilent(name, error)
  }
}

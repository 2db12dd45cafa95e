/**
 * Requests that another datacenter answers: those with `?dc=`, and what a secondary leaves to its primary. Decisions:
 * datacenters, tokens of the primary.
 */
import { AclError, invariant, limits, type RouteName } from '@latchkey/contract'
import { isSecondary, isWithoutTokens } from '../options.ts'
import type { ParsedRequest } from '../request/parse.ts'
import type { WireReply } from '../request/wire.ts'
import { exchange, type ForwardingParts, knownToken, passOn } from './exchange.ts'
import { mayBeForPrimary, writeInPrimary } from './to-primary.ts'

const READS: ReadonlySet<RouteName> = new Set<RouteName>([
  'tokens.read',
  'tokens.self',
  'tokens.list',
  'decisions.whoCan',
  'legacy.info',
  'legacy.list',
])
/** Logins would create local tokens. */
const LOGINS = /^(authMethods|bindingRules|login)\./

/**
 * Forwards a parsed request if another datacenter answers it.
 * @returns undefined if this datacenter answers.
 * @throws AclError `token_replication_off`; the promise rejects with the errors of the functions below.
 */
export function answerElsewhere(
  asked: ParsedRequest,
  parts: ForwardingParts,
): Promise<WireReply> | undefined {
  const { service } = parts
  const { name, right, method } = asked.route
  if (asked.elsewhere !== undefined) return forward(asked, asked.elsewhere, parts)
  if (!isSecondary(service)) return undefined
  if (isWithoutTokens(service)) {
    if (LOGINS.test(name) && name !== 'login.logout')
      throw new AclError(
        'token_replication_off',
        'Token replication is required for auth methods to function',
      )
    if (READS.has(name)) return readInPrimary(asked, parts)
  }
  // Only the primary stores intentions, and it checks all rights of the caller. Decisions: intentions.
  if (right === 'intention' && method === 'GET') return readInPrimary(asked, parts)
  return mayBeForPrimary(asked, service) ? writeInPrimary(asked, parts) : undefined
}

/**
 * Forwards a request to the datacenter that it names and returns the reply. The other datacenter checks everything except
 * the query options common to all endpoints.
 *
 * The secret of a local token is not sent, because it is valid nowhere else. Any other secret is sent, even an unknown one,
 * because the other datacenter may know it.
 * @throws AclError `datacenter_unknown` for a request that was forwarded already; `query_invalid`,
 *   `datacenter_unreachable`, `datacenter_silent`, `unavailable`, and the errors of reading a body.
 */
async function forward(asked: ParsedRequest, name: string, parts: ForwardingParts): Promise<WireReply> {
  const { request, route, state, secretId } = asked
  if (state.forwarding) {
    const message = 'No path to datacenter: the request was forwarded twice'
    throw new AclError('datacenter_unknown', message, { field: 'dc' })
  }
  if (route.name === 'tokens.bootstrap') {
    const message = 'Invalid dc: bootstrap a datacenter at one of its own servers'
    throw new AclError('query_invalid', message, { field: 'dc' })
  }
  // A login is authenticated by its body alone.
  const { ignoresToken = false } = route
  const token = ignoresToken ? undefined : await knownToken(asked, parts)
  if (token?.Local) {
    state.headers.Warning = `299 - "The local token of ${parts.service.datacenter} is not valid in ${name}: the request was sent without it"`
  } else state.accessorId = token?.AccessorID
  const anyonesMax = ignoresToken ? route.bodyBytesMax : undefined
  const bytesMax = token ? limits.BODY_BYTES_MAX : (anyonesMax ?? limits.ANONYMOUS_BODY_BYTES_MAX)
  const body = route.body === undefined ? undefined : await request.readBody(bytesMax)
  const secret = token?.Local || ignoresToken ? undefined : secretId
  return passOn(asked, await exchange(asked, { name, isNamed: true, secretId: secret, token, body }, parts))
}

/**
 * Forwards a read to the primary.
 * @throws AclError `caller_unknown` for a local token, whose secret is not sent; `datacenter_unreachable`,
 *   `datacenter_silent`, and the errors of reading a body.
 */
async function readInPrimary(asked: ParsedRequest, parts: ForwardingParts): Promise<WireReply> {
  const { request, route, state, secretId } = asked
  const { primaryDatacenter: name } = parts.service
  invariant(name, 'a secondary has a primary')
  const token = await knownToken(asked, parts)
  // Refused instead of sent without the secret: an anonymous caller may get a list from which everything is left out.
  if (token?.Local) {
    const message = `ACL not found; the local token of ${parts.service.datacenter} is not valid in ${name}`
    throw new AclError('caller_unknown', message)
  }
  state.accessorId = token?.AccessorID
  const body = route.body === undefined ? undefined : await request.readBody(limits.ANONYMOUS_BODY_BYTES_MAX)
  return passOn(asked, await exchange(asked, { name, isNamed: false, secretId, token, body }, parts))
}

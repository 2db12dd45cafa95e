/**
 * A secondary that does not replicate tokens: which requests it forwards to the primary, and which it refuses. Decisions:
 * tokens of the primary.
 */
import { AclError, invariant, limits, type RouteName } from '@latchkey/contract'
import { isSecondary, type ServiceOptions } from '../options.ts'
import type { ParsedRequest } from '../request/parse.ts'
import type { WireReply } from '../request/wire.ts'
import { exchange, type ForwardingParts, knownToken, passOn } from './exchange.ts'

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

export function isWithoutTokens(service: ServiceOptions): boolean {
  return service.tokensOfPrimary !== undefined && isSecondary(service)
}

export function requireTokens({ route }: ParsedRequest): void {
  if (LOGINS.test(route.name) && route.name !== 'login.logout')
    throw new AclError('token_replication_off', 'Token replication is required for auth methods to function')
}

/** Whether a request reads intentions, which only the primary stores. */
export function readsIntentions({ route }: ParsedRequest): boolean {
  return route.right === 'intention' && route.method === 'GET'
}

export function readsTokens({ route }: ParsedRequest): boolean {
  return READS.has(route.name)
}

export function localTokensDisabled(): AclError {
  return new AclError('token_replication_off', 'Local tokens are disabled')
}

/**
 * Forwards a read to the primary.
 * @throws AclError `caller_unknown` for a local token, whose secret is not sent; `datacenter_unreachable`,
 *   `datacenter_silent`, and the errors of reading a body.
 */
export async function readInPrimary(asked: ParsedRequest, parts: ForwardingParts): Promise<WireReply> {
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

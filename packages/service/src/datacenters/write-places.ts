/**
 * Where a secondary makes a write to a token; each route determines which token it affects. Decisions: writes in a secondary.
 */
import { isGone, placeOfTokenWrite, type TokenRecord, type WritePlace } from '@latchkey/acl'
import type { Body, Params, RouteName, RouteOf } from '@latchkey/contract'
import type { Presented } from '../caller/caller.ts'
import type { ServiceOptions } from '../options.ts'

/** The routes that write one token. */
type TokenWrite = {
  [N in RouteName]: RouteOf<N>['metadata'] extends { readonly writes: 'token' } ? N : never
}[RouteName]

interface Asked<N extends TokenWrite> {
  readonly params: Params<N>
  readonly body: Body<N>
  readonly caller: Presented
  readonly service: Pick<ServiceOptions, 'store' | 'clock'>
}

type Rule<N extends TokenWrite> = (asked: Asked<N>) => WritePlace | Promise<WritePlace>

const RULES: { readonly [N in TokenWrite]: Rule<N> } = {
  'tokens.create': ({ body }) => placeOfTokenWrite(undefined, body.Local),
  'tokens.update': async ({ params, body, service }) =>
    placeOfTokenWrite(await byAccessor(service, params.AccessorID), body.Local),
  'tokens.clone': async ({ params, service }) =>
    placeOfTokenWrite(await byAccessor(service, params.AccessorID)),
  'tokens.delete': async ({ params, service }) =>
    placeOfTokenWrite(await byAccessor(service, params.AccessorID)),
  // Without a token, the request is refused here.
  'login.logout': ({ caller }) => (caller.presented ? placeOfTokenWrite(caller.token) : 'here'),
  'legacy.create': async ({ body, service }) => placeOfTokenWrite(await bySecret(service, body.ID ?? '')),
  'legacy.update': async ({ body, service }) => placeOfTokenWrite(await bySecret(service, body.ID ?? '')),
  'legacy.clone': async ({ params, service }) => placeOfTokenWrite(await bySecret(service, params.ID)),
  'legacy.destroy': async ({ params, service }) => placeOfTokenWrite(await bySecret(service, params.ID)),
}

/** @param asked a request of the route with that name. */
export function placeOf(
  name: RouteName,
  asked: { readonly params: object; readonly body: unknown } & Pick<Asked<TokenWrite>, 'caller' | 'service'>,
): WritePlace | Promise<WritePlace> {
  // Rule and route have the same name, which the compiler cannot follow through a variable.
  const rule = RULES[name as TokenWrite] as (asked: object) => WritePlace | Promise<WritePlace>
  return rule(asked)
}

async function byAccessor(service: Asked<TokenWrite>['service'], accessorId: string) {
  return living(service, await service.store.tokenByAccessor(accessorId))
}

async function bySecret(service: Asked<TokenWrite>['service'], secretId: string) {
  return living(service, await service.store.tokenBySecret(secretId))
}

function living(
  { store, clock }: Asked<TokenWrite>['service'],
  token: TokenRecord | undefined,
): TokenRecord | undefined {
  return token && !isGone(token, clock.now(), store.directory()) ? token : undefined
}

import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import { AclError, type AnyRoute, absentFieldsOf, decodeBody, decodeUtf8, limits } from '@latchkey/contract'
import type { Caller } from '../caller/caller.ts'
import { isJudgedByName } from '../caller/endpoint-right.ts'
import type { ServiceOptions } from '../options.ts'
import type { WireRequest } from './wire.ts'

export type ReceivedBody = Uint8Array | AsyncIterable<Uint8Array>

export function streamOf(request: WireRequest): AsyncIterable<Uint8Array> {
  return request.streamBody?.() ?? onceRead(request)
}

async function* onceRead(request: WireRequest): AsyncGenerator<Uint8Array> {
  yield await request.readBody(limits.BODY_BYTES_MAX)
}

/**
 * Reads a body. If no right to a name was required yet, anonymous callers may only send a short one; a valid token raises the
 * bound.
 */
export function readBody(
  request: WireRequest,
  route: AnyRoute,
  { presented, token }: Pick<Caller, 'presented'> & Partial<Pick<Caller, 'token'>>,
): Uint8Array | Promise<Uint8Array> {
  const bytesMax = route.bodyBytesMax ?? limits.BODY_BYTES_MAX
  const isJudgedLater = route.right === 'none' || isJudgedByName(route.right)
  const isBounded = isJudgedLater && !presented && !route.ignoresToken
  // A legacy token may have no accessor.
  const sender = presented ? token?.AccessorID || token?.SecretID : undefined
  if (!isBounded) return request.readBody(bytesMax, sender)
  const explain = (error: unknown): never => {
    if (!(error instanceof AclError) || error.code !== 'body_too_large') throw error
    const message = `The body is larger than ${limits.ANONYMOUS_BODY_BYTES_MAX} bytes, the limit without a valid token; with one, the limit is ${bytesMax}`
    throw new AclError('body_too_large', message, error.details)
  }
  try {
    const body = request.readBody(limits.ANONYMOUS_BODY_BYTES_MAX)
    return body instanceof Promise ? body.catch(explain) : body
  } catch (error) {
    return explain(error)
  }
}

export type Decoding = Pick<ServiceOptions, 'profile' | 'edition'>

/**
 * Decodes a body with the schema of its route and the fields of this service version. Spec 9.3: unknown fields are refused
 * from 1.7.0 and ignored before.
 */
export function decodeRequestBody(route: AnyRoute, bytes: ReceivedBody, service: Decoding): unknown {
  if (!(bytes instanceof Uint8Array) || route.body === 'raw') return bytes
  if (route.body === 'text') return decodeUtf8(bytes)
  return decodeJsonBody(route, bytes, service)
}

/** Like {@link decodeRequestBody}, for a route that takes JSON. */
export function decodeJsonBody(
  route: AnyRoute,
  body: Uint8Array | string,
  { profile, edition }: Decoding,
): unknown {
  const schema = route.schemas.body
  if (schema === undefined) return body
  const {
    bodyOptional: optional,
    bodyValuesMax: valuesMax,
    batch,
    looseNames,
    exactIntegers,
    inspectBody,
  } = route
  return decodeBody(schema, body, {
    unknownFields: profile.has('body.refuseUnknownFields') ? 'refuse' : 'ignore',
    absentFields: absentFieldsOf(schema, profile),
    ...(route.namespaced || route.inDefault
      ? { impliedField: { name: 'Namespace', values: impliedNamespaces(route, edition) } }
      : {}),
    ...(optional ? { optional } : {}),
    ...(looseNames ? { looseNames } : {}),
    ...(inspectBody ? { inspect: (json) => inspectBody(json, profile) } : {}),
    ...(exactIntegers ? { exactIntegers } : {}),
    ...(valuesMax === undefined ? {} : { valuesMax }),
    ...(batch ? { batch } : {}),
  })
}

/**
 * The namespaces that a body may name although its route has no field for one. An empty name means nothing, and sessions and
 * agent registrations are in `default`. Bodies of intentions name the namespaces of both ends. Decisions: namespaces.
 */
function impliedNamespaces({ inDefault, looseNames }: AnyRoute, edition: Decoding['edition']): string[] {
  return edition === 'extended' && inDefault && looseNames ? ['', DEFAULT_NAMESPACE] : ['']
}

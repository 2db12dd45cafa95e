/** Planned failures. */

import {
  ACL_ERROR_CODES,
  ACL_ERRORS,
  AclError,
  type AclErrorCode,
  type Dialect,
  ENDPOINTS,
  type EndpointName,
} from '@latchkey/contract'
import { renderError, type WireReply, type WireRequest } from '@latchkey/service'

/**
 * How a call fails. A status, such as 503: the call is refused with the first code of this status, and has no effect. A code,
 * such as `id_in_use`: the same with this code. `network`: the service cannot be reached. `lost`: the call takes effect, but
 * its reply is lost.
 */
export type Failure = number | AclErrorCode | 'network' | 'lost'

/** The error of a call without a reply, with which `fetch` rejects. */
export class NoAnswer extends TypeError {
  /** Whether the request reached the service. */
  readonly isSent: boolean

  constructor(failure: 'network' | 'lost') {
    super('Failed to fetch')
    this.isSent = failure === 'lost'
  }
}

/** The planned failures of each endpoint. */
export class Faults {
  private readonly planned = new Map<EndpointName, Failure[]>()

  /** @throws TypeError for an invalid endpoint, failure or number of times. */
  plan(endpoint: EndpointName, failure: Failure, times: number): void {
    if (!Object.hasOwn(ENDPOINTS, endpoint))
      throw new TypeError(`no endpoint is named ${JSON.stringify(endpoint)}`)
    if (!isFailure(failure)) {
      throw new TypeError(
        `${JSON.stringify(failure)} is not a failure: pass a status of 400 to 599, an error code, 'network' or 'lost'`,
      )
    }
    if (!Number.isInteger(times) || times < 1)
      throw new TypeError(`times must be a whole number from 1, not ${times}`)
    const plan = this.planned.get(endpoint) ?? []
    for (let i = 0; i < times; i += 1) plan.push(failure)
    this.planned.set(endpoint, plan)
  }

  /** Takes the planned failure of this call, if any. */
  take(endpoint: EndpointName | undefined): Failure | undefined {
    return endpoint === undefined ? undefined : this.planned.get(endpoint)?.shift()
  }

  clear(): void {
    this.planned.clear()
  }
}

function isFailure(failure: Failure): boolean {
  if (typeof failure === 'number') return Number.isInteger(failure) && failure >= 400 && failure <= 599
  return failure === 'network' || failure === 'lost' || Object.hasOwn(ACL_ERRORS, failure)
}

/** The refusal for a planned failure: the service's own or, for statuses that the service never sends, a proxy's. */
export function refuse(
  failure: number | AclErrorCode,
  request: WireRequest,
  endpoint: EndpointName,
  ofClient: Dialect,
): WireReply {
  const dialect = typeof failure === 'number' ? 'service' : ofClient
  const context = { request, endpoint, accessorId: undefined, headers: {}, pretty: false, dialect } as const
  const code = typeof failure === 'number' ? codeOf(failure) : failure
  if (code !== undefined) return renderError(new AclError(code, MESSAGE, { headers: RETRY_AT_ONCE }), context)
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
  return { ...context, status: Number(failure), headers, body: MESSAGE }
}

const MESSAGE = 'This failure was asked for with failNext()'

/** Lets clients that honor the header retry immediately. */
const RETRY_AT_ONCE = { 'Retry-After': '0' }

/** Codes that only logins declare; a status alone never selects them. */
const OF_LOGIN: ReadonlySet<AclErrorCode> = new Set([
  'provider_unavailable',
  'too_many_live_tokens',
  'too_many_logins',
])

function codeOf(status: number): AclErrorCode | undefined {
  const codes = ACL_ERROR_CODES.filter((code) => !OF_LOGIN.has(code))
  return codes.find((code) => ACL_ERRORS[code].status === status)
}

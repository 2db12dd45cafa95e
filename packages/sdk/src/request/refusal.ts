/** Converts an unsuccessful answer to an error. */

import { PROBLEM_JSON } from '../contract.ts'
import {
  Conflict,
  ContractBroken,
  type ErrorCode,
  type ErrorFacts,
  type ErrorKind,
  Invalid,
  type LatchkeyError,
  LegacyMode,
  type MissingRight,
  NotFound,
  PermissionDenied,
  Timeout,
  Unavailable,
} from '../errors.ts'
import type { AnswerMeta } from '../meta.ts'
import { type Call, factsOf } from './call.ts'

/** Excludes `login_failed`, which is not an answer of the service. */
type RefusalKind = Exclude<ErrorKind, 'login_failed'>

const CLASSES: Readonly<Record<RefusalKind, new (facts: ErrorFacts) => LatchkeyError>> = {
  permission_denied: PermissionDenied,
  not_found: NotFound,
  conflict: Conflict,
  invalid: Invalid,
  legacy_mode: LegacyMode,
  unavailable: Unavailable,
  timeout: Timeout,
  contract_broken: ContractBroken,
}

/** Codes whose kind differs from the kind of their status, because they concern the service, not the record. */
const KIND_BY_CODE: Readonly<Record<string, RefusalKind>> = {
  legacy_mode: 'legacy_mode',
  endpoint_unknown: 'invalid',
  endpoint_not_built: 'invalid',
  acl_disabled: 'invalid',
}

const KIND_BY_STATUS: Readonly<Record<number, RefusalKind>> = {
  401: 'permission_denied',
  403: 'permission_denied',
  404: 'not_found',
  408: 'timeout',
  409: 'conflict',
  429: 'unavailable',
}

/** The error kind of an answer. */
export function kindOf(status: number, code?: string): RefusalKind {
  const known = (code === undefined ? undefined : KIND_BY_CODE[code]) ?? KIND_BY_STATUS[status]
  if (known) return known
  if (status >= 500) return 'unavailable'
  return status >= 400 ? 'invalid' : 'contract_broken'
}

/** An answer with a status other than 200. */
interface RefusalAnswer {
  readonly call: Call
  readonly status: number
  /** Media type without parameters, in lower case; empty if there is none. */
  readonly mediaType: string
  /** Possibly truncated. */
  readonly body: string
  readonly meta: AnswerMeta
  readonly retryAfterMs: number | undefined
  /** Redacts the call's secrets in a text. */
  readonly clean: (text: string) => string
}

/** The service could not reach the datacenter that handles the write, and sent nothing. */
const NOTHING_SENT: ErrorCode = 'datacenter_unreachable'

const CODE = /^[a-z]+(?:_[a-z]+)*$/

/** Maximum characters of a plain body in a message. */
const DETAIL_LENGTH_MAX = 500

/**
 * Builds the error for an answer. A 4xx is attributed to the service only if it has the service's form: a proxy's 404
 * page does not mean that a record is absent.
 */
export function refusalOf(answer: RefusalAnswer): LatchkeyError {
  const { call, status, meta, retryAfterMs } = answer
  const problem = answer.mediaType === PROBLEM_JSON ? readProblem(answer.body, answer.clean) : undefined
  const isPlain = answer.mediaType === 'text/plain' || answer.body === ''
  // Any server may answer 404 in plain text, for example below a wrong base path.
  const isStrangers404 = status === 404 && problem === undefined && meta.index === undefined
  const isOurs = problem !== undefined || (isPlain && !isStrangers404) || status >= 500 || status === 429
  const kind = isOurs ? kindOf(status, problem?.code) : 'contract_broken'
  const detail =
    problem?.detail ?? (isPlain ? answer.clean(answer.body).trim().slice(0, DETAIL_LENGTH_MAX) : '')
  const said = kind === 'contract_broken' ? describeForeignAnswer(answer) : detail
  const { detail: _, requestId, ...facts } = { detail: '', requestId: undefined, ...problem }
  return new CLASSES[kind]({
    ...facts,
    ...factsOf(call, status >= 500 && status !== 501 && problem?.code !== NOTHING_SENT),
    message: `${call.endpoint}: ${status}${said === '' ? '' : ` ${said}`}`,
    status,
    meta: { ...meta, requestId: requestId ?? meta.requestId },
    retryAfterMs,
  })
}

function describeForeignAnswer({ status, mediaType, clean }: RefusalAnswer): string {
  if (status === 0 || (status >= 300 && status < 400)) {
    return 'The answer is a redirect, which is not followed: the secret would go along'
  }
  const advice = status === 404 ? '; check the path of the address' : ''
  return `The answer is not one of this service (content type ${clean(mediaType) || 'absent'})${advice}`
}

/** Parses RFC 9457 leniently: drops members of an unexpected type; `undefined` if it is not an object. */
function readProblem(body: string, clean: (text: string) => string) {
  const json = parseObject(body)
  if (!json) return undefined
  const text = (name: string): string | undefined => {
    const value = stringOf(json[name])
    return value === undefined ? undefined : clean(value)
  }
  const code = stringOf(json.code)
  const count = (name: string): number | undefined =>
    typeof json[name] === 'number' ? json[name] : undefined
  return {
    detail: text('detail') || text('title') || '',
    // Not redacted, because a one-letter secret would change the code. Nothing but a code has this form.
    code: code !== undefined && CODE.test(code) ? code : undefined,
    requestId: text('requestId'),
    field: text('field'),
    line: count('line'),
    column: count('column'),
    missing: readMissing(json.missing, clean),
    accessorId: text('accessorId'),
  }
}

function readMissing(value: unknown, clean: (text: string) => string): MissingRight | undefined {
  if (!isObject(value)) return undefined
  const resource = stringOf(value.resource)
  const access = stringOf(value.access)
  const segment = stringOf(value.segment)
  if (resource === undefined || access === undefined) return undefined
  const right = { resource: clean(resource), access: clean(access) }
  return segment === undefined ? right : { ...right, segment: clean(segment) }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Answers and refusals of operations. A refusal is plain text, or problem JSON if the request accepts it. */
import { ACL_ERRORS, type AclErrorCode } from '../errors.ts'
import { EXAMPLES } from '../generated/examples.ts'
import { HEADER, PROBLEM_JSON, REQUEST_ID_HEADER } from '../headers.ts'
import type { AnyRoute } from '../routes.ts'
import type { Example, JsonSchema, MediaType, Reference, Response, ResponseHeader } from './document.ts'

const text: JsonSchema = { type: 'string' }
const number: JsonSchema = { type: 'integer', minimum: 0 }

/** Headers by their key in `components.headers`. */
export function responseHeaders(headerPrefix: string): Readonly<Record<string, ResponseHeader>> {
  return {
    [`${headerPrefix}${HEADER.index}`]: {
      description: 'Index of the answer, never 0. Pass it as `index` to wait for a change.',
      schema: number,
    },
    [`${headerPrefix}${HEADER.knownLeader}`]: {
      description: 'Whether the server can reach the primary database.',
      schema: { type: 'string', enum: ['true', 'false'] },
    },
    [`${headerPrefix}${HEADER.lastContact}`]: {
      description: 'Age of the state in milliseconds. 0 unless `stale`.',
      schema: number,
    },
    [`${headerPrefix}${HEADER.effectiveConsistency}`]: {
      description: 'How the answer was read: `leader` is the default. Since 1.0.7.',
      schema: { type: 'string', enum: ['leader', 'consistent', 'stale'] },
    },
    [`${headerPrefix}${HEADER.queryBackend}`]: {
      description: 'How the answer was produced. Since 1.10.',
      schema: { type: 'string', enum: ['blocking-query'] },
    },
    [`${headerPrefix}${HEADER.resultsFiltered}`]: {
      description:
        '`true` if rows that the caller may not read were left out; otherwise absent. Only for callers with a token. Since 1.11.',
      schema: { type: 'string', enum: ['true'] },
    },
    [`${headerPrefix}${HEADER.nextCursor}`]: {
      description: 'Present unless this is the last page. Pass it as `cursor`.',
      schema: text,
    },
    [`${headerPrefix}${HEADER.defaultPolicy}`]: {
      description: 'What applies if no rule matches.',
      schema: { type: 'string', enum: ['allow', 'deny'] },
    },
    [`${headerPrefix}${HEADER.translateAddresses}`]: {
      description: '`true` if the server translates addresses; otherwise absent. Section 9.3.',
      schema: { type: 'string', enum: ['true'] },
    },
    [REQUEST_ID_HEADER]: {
      description: 'Id of the request. The caller’s own, if it sent one.',
      schema: text,
    },
    'X-Cache': { description: 'With `cached`: `HIT`, or `MISS` after a wait.', schema: text },
    Age: { description: 'Of a `HIT`, in seconds.', schema: text },
    Warning: { description: 'Present if the token came in the query string.', schema: text },
    'Retry-After': { description: 'Seconds to wait before a retry.', schema: number },
  }
}

/** All responses of an endpoint by status. */
export function responsesOf(
  route: AnyRoute,
  { answer, headerPrefix }: { readonly answer: JsonSchema; readonly headerPrefix: string },
): Readonly<Record<string, Response>> {
  const byStatus = new Map<number, AclErrorCode[]>()
  for (const code of route.refusals) {
    const { status } = ACL_ERRORS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return {
    200: {
      description: route.blocking ? 'The answer, immediately or after a wait.' : 'The answer.',
      headers: headersOf(route, headerPrefix),
      content: answerContent(route, answer),
    },
    ...Object.fromEntries([...byStatus].map(([status, codes]) => [status, refusal(status, codes)])),
  }
}

function headersOf(route: AnyRoute, headerPrefix: string): Readonly<Record<string, Reference>> {
  const own = [
    ...(route.blocking ? [HEADER.index, HEADER.knownLeader, HEADER.lastContact, HEADER.queryBackend] : []),
    ...(route.saysConsistency ? [HEADER.effectiveConsistency] : []),
    ...(route.rowRights ? [HEADER.resultsFiltered] : []),
    ...('cursor' in route.schemas.query.shape ? [HEADER.nextCursor] : []),
    HEADER.defaultPolicy,
    HEADER.translateAddresses,
  ].map((suffix) => `${headerPrefix}${suffix}`)
  const others = [REQUEST_ID_HEADER, 'Warning', ...(route.saysCache ? ['X-Cache', 'Age'] : [])]
  return Object.fromEntries([...own, ...others].map((name) => [name, headerRef(name)]))
}

function headerRef(name: string): Reference {
  return { $ref: `#/components/headers/${name}` }
}

function answerContent(route: AnyRoute, answer: JsonSchema): Readonly<Record<string, MediaType>> {
  const examples: Readonly<Record<string, Example>> = EXAMPLES[route.name].answers
  if (route.answerForm === 'text') {
    return { 'text/plain': { schema: { type: 'string', description: 'Rules' }, examples } }
  }
  if (route.answerForm === 'bytes') {
    return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' }, examples } }
  }
  const others = (route.otherAnswers ?? []).map(({ type, note }) => [
    type,
    { schema: { type: 'string', description: note } },
  ])
  return { 'application/json': { schema: answer, examples }, ...Object.fromEntries(others) }
}

function refusal(status: number, codes: readonly AclErrorCode[]): Response {
  const titles = codes.map((code) => `\`${code}\`: ${ACL_ERRORS[code].title}.`).join(' ')
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
  const retry =
    status === ACL_ERRORS.unavailable.status ? { headers: { 'Retry-After': headerRef('Retry-After') } } : {}
  return {
    description: titles,
    ...retry,
    content: {
      'text/plain': { schema: { type: 'string', description: 'What is wrong, in one sentence.' } },
      [PROBLEM_JSON]: { schema: { $ref: '#/components/schemas/Problem' }, examples },
    },
    'x-latchkey-errors': codes,
  }
}

/** Answers and refusals of operations. Design 6: a refusal is text, or problem JSON where the request accepts it. */
import { ACL_ERRORS, type AclErrorCode } from '../errors.ts'
import { EXAMPLES } from '../examples.ts'
import { HEADER, PROBLEM_JSON, REQUEST_ID_HEADER } from '../headers.ts'
import type { AnyRoute } from '../routes.ts'
import type { Example, JsonSchema, MediaType, Reference, Response, ResponseHeader } from './document.ts'

const text: JsonSchema = { type: 'string' }
const number: JsonSchema = { type: 'integer', minimum: 0 }

/** Headers by their key in `components.headers`. */
export function responseHeaders(headerPrefix: string): Readonly<Record<string, ResponseHeader>> {
  return {
    [`${headerPrefix}${HEADER.index}`]: {
      description: 'Index of the answer: send it back as `index` to wait for the next one. Never 0.',
      schema: number,
    },
    [`${headerPrefix}${HEADER.knownLeader}`]: {
      description: 'Whether the primary database is known to be reachable.',
      schema: { type: 'string', enum: ['true', 'false'] },
    },
    [`${headerPrefix}${HEADER.lastContact}`]: {
      description: 'Age of the shown state in milliseconds; 0 unless `stale`.',
      schema: number,
    },
    [`${headerPrefix}${HEADER.nextCursor}`]: {
      description: 'There where a page is not the last one: send it back as `cursor`.',
      schema: text,
    },
    [`${headerPrefix}${HEADER.defaultPolicy}`]: {
      description: 'What happens where no rule decides.',
      schema: { type: 'string', enum: ['allow', 'deny'] },
    },
    [`${headerPrefix}${HEADER.translateAddresses}`]: {
      description: 'There, as `true`, where the server translates addresses. Section 9.3.',
      schema: { type: 'string', enum: ['true'] },
    },
    [REQUEST_ID_HEADER]: {
      description: 'The id of the request: the caller’s own where it sent one.',
      schema: text,
    },
    Warning: { description: 'There where the token came in the query string.', schema: text },
    'Retry-After': { description: 'Seconds after which to try again.', schema: number },
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
      description: route.blocking ? 'The answer, now or after a wait.' : 'The answer.',
      headers: headersOf(route, headerPrefix),
      content: answerContent(route, answer),
    },
    ...Object.fromEntries([...byStatus].map(([status, codes]) => [status, refusal(status, codes)])),
  }
}

function headersOf(route: AnyRoute, headerPrefix: string): Readonly<Record<string, Reference>> {
  const own = [
    ...(route.blocking ? [HEADER.index, HEADER.knownLeader, HEADER.lastContact] : []),
    ...('cursor' in route.schemas.query.shape ? [HEADER.nextCursor] : []),
    HEADER.defaultPolicy,
    HEADER.translateAddresses,
  ].map((suffix) => `${headerPrefix}${suffix}`)
  return Object.fromEntries([...own, REQUEST_ID_HEADER, 'Warning'].map((name) => [name, headerRef(name)]))
}

function headerRef(name: string): Reference {
  return { $ref: `#/components/headers/${name}` }
}

function answerContent(route: AnyRoute, answer: JsonSchema): Readonly<Record<string, MediaType>> {
  const examples: Readonly<Record<string, Example>> = EXAMPLES[route.name].answers
  if (route.answerForm === 'text') {
    return { 'text/plain': { schema: { type: 'string', description: 'A rule text' }, examples } }
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
      'text/plain': { schema: { type: 'string', description: 'What is wrong, in a sentence.' } },
      [PROBLEM_JSON]: { schema: { $ref: '#/components/schemas/Problem' }, examples },
    },
    'x-latchkey-errors': codes,
  }
}

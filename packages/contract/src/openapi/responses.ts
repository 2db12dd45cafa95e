/** Answers and refusals of operations. Design 6: a refusal is text, or problem JSON where the request accepts it. */
import { errorsOf } from '../endpoint-errors.ts'
import type { Endpoint, EndpointName } from '../endpoints.ts'
import { ACL_ERRORS, type AclErrorCode } from '../errors.ts'
import { HEADER, PROBLEM_JSON, REQUEST_ID_HEADER } from '../headers.ts'
import type { Example, JsonSchema, MediaType, Reference, Response, ResponseHeader } from './document.ts'
import { EXAMPLES } from './examples.ts'

const text: JsonSchema = { type: 'string' }
const number: JsonSchema = { type: 'integer', minimum: 0 }

/** Bodies that are not JSON, with their type. An empty list: as everywhere else, JSON. */
const OTHER_ANSWERS: Partial<Record<EndpointName, readonly { type: string; note: string; only?: true }[]>> = {
  'rules.translate': [{ type: 'text/plain', note: 'A rule text', only: true }],
  'rules.translateToken': [{ type: 'text/plain', note: 'A rule text', only: true }],
  'kv.read': [{ type: 'application/octet-stream', note: 'The value alone, with `raw`' }],
  'agent.metrics': [{ type: 'text/plain', note: 'With `format=prometheus`' }],
}

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

/** A problem document (RFC 9457). */
export function problemSchema(codes: readonly AclErrorCode[]): JsonSchema {
  const named = (description: string, schema: JsonSchema = text) => ({ ...schema, description })
  return {
    type: 'object',
    description: 'A refusal, for requests with `Accept: application/problem+json`. Never carries a secret.',
    properties: {
      type: named('`urn:latchkey:error:` and the code.'),
      title: named('What the code means.'),
      status: named('The HTTP status.', number),
      detail: named('What is wrong with this request.'),
      code: named('Stable: programs look at this.', { type: 'string', enum: codes }),
      field: named('Full path of the field, or name of the query option or header.'),
      line: named('Line in a rule text or body, from 1.', number),
      column: named('Column in that line, from 1.', number),
      missing: named('The right that is missing.', {
        type: 'object',
        properties: {
          resource: named('What it is about.'),
          segment: named('The name or path within it.'),
          access: named('What may not be done.'),
        },
        required: ['resource', 'access'],
      }),
      accessorId: named('Accessor of the caller.'),
      requestId: named('For the log of the server.'),
    },
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  }
}

/** All responses of an endpoint by status. */
export function responsesOf(
  name: EndpointName,
  endpoint: Endpoint,
  { answer, headerPrefix }: { readonly answer: JsonSchema; readonly headerPrefix: string },
): Readonly<Record<string, Response>> {
  const byStatus = new Map<number, AclErrorCode[]>()
  for (const code of errorsOf(endpoint)) {
    const { status } = ACL_ERRORS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return {
    200: {
      description: endpoint.blocking ? 'The answer, now or after a wait.' : 'The answer.',
      headers: headersOf(endpoint, headerPrefix),
      content: answerContent(name, answer),
    },
    ...Object.fromEntries([...byStatus].map(([status, codes]) => [status, refusal(status, codes)])),
  }
}

function headersOf(endpoint: Endpoint, headerPrefix: string): Readonly<Record<string, Reference>> {
  const own = [
    ...(endpoint.blocking ? [HEADER.index, HEADER.knownLeader, HEADER.lastContact] : []),
    ...(endpoint.query?.includes('cursor') ? [HEADER.nextCursor] : []),
    HEADER.defaultPolicy,
    HEADER.translateAddresses,
  ].map((suffix) => `${headerPrefix}${suffix}`)
  return Object.fromEntries([...own, REQUEST_ID_HEADER, 'Warning'].map((name) => [name, headerRef(name)]))
}

function headerRef(name: string): Reference {
  return { $ref: `#/components/headers/${name}` }
}

function answerContent(name: EndpointName, answer: JsonSchema): Readonly<Record<string, MediaType>> {
  const others = OTHER_ANSWERS[name] ?? []
  const examples: Readonly<Record<string, Example>> = EXAMPLES[name].answers
  return Object.fromEntries([
    ...(others.some((other) => other.only) ? [] : [['application/json', { schema: answer, examples }]]),
    ...others.map(({ type, note, only }) => [
      type,
      { schema: { type: 'string', description: note }, ...(only ? { examples } : {}) },
    ]),
  ])
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

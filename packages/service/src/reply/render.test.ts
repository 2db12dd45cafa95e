/** The forms of answers and refusals. Decisions: error bodies. */
import { AclError, type AclErrorCode, type EndpointName, PROBLEM_JSON } from '@latchkey/contract'
import { describe, expect, test } from 'vitest'
import { ownStatusOf, type WireReply } from '../request/wire.ts'
import type { JsonElementBytes, JsonElements } from './json-text.ts'
import { JsonDocument, jsonBytes, jsonElements, jsonText } from './json-text.ts'
import { FOREIGN_CONTENT, type ReplyContext, renderAnswer, renderError } from './render.ts'

function context(accept?: string, pretty = false, over: Partial<ReplyContext> = {}): ReplyContext {
  return {
    request: {
      method: 'GET',
      url: '/v1/acl/tokens',
      header: (name) => (name === 'accept' ? accept : undefined),
      readBody: async () => new Uint8Array(0),
      requestId: 'request-1',
    },
    endpoint: 'tokens.list',
    accessorId: 'accessor',
    headers: { 'X-Service-Index': '5' },
    pretty,
    dialect: 'service',
    ...over,
  }
}

describe('a refusal', () => {
  test('includes its headers', () => {
    const error = new AclError('unavailable', 'away', { headers: { 'Retry-After': '1' } })
    expect(renderError(error, context()).headers).toMatchObject({ 'Retry-After': '1' })
  })

  test.each([
    [undefined, false],
    ['*/*', false],
    ['application/json', false],
    ['text/plain', false],
    ['application/problem', false],
    [PROBLEM_JSON, true],
    ['Application/Problem+JSON', true],
    [`application/json, ${PROBLEM_JSON};q=0.9`, true],
  ])('Accept %s: problem JSON %s', (accept, isProblem) => {
    const { headers } = renderError(new AclError('not_found', 'x'), context(accept))
    expect(headers['Content-Type'] === PROBLEM_JSON).toBe(isProblem)
  })

  test.each<[AclErrorCode, EndpointName | undefined, number, string]>([
    ['name_in_use', 'policies.create', 500, 'text/plain; charset=utf-8'],
    ['not_found', 'tokens.delete', 200, 'application/json'],
    ['unavailable', undefined, 500, 'text/plain; charset=utf-8'],
  ])('%s of %s in the dialect of the reference: %i, or ours as a problem', (code, endpoint, status, type) => {
    const error = new AclError(code, 'x')
    const reply = renderError(error, context(undefined, false, { endpoint, dialect: 'reference' }))
    expect([reply.status, reply.headers['Content-Type']]).toEqual([status, type])
    expect(reply.body).toBe(status === 200 ? 'true' : 'x')
    expect(ownStatusOf(reply)).toBe(error.status)
    const problem = renderError(error, context(PROBLEM_JSON, false, { endpoint, dialect: 'reference' }))
    expect([problem.status, JSON.parse(String(problem.body)).status]).toEqual([error.status, error.status])
  })

  test.each([
    new Error('password=hunter2'),
    'hunter2',
    undefined,
    { status: 403, message: 'hunter2' },
    Object.assign(new Error('hunter2'), { code: 'not_found' }),
    new AclError('internal', 'hunter2'),
  ])('a fault of ours is a 500 that says its request id and nothing else: %s', (fault) => {
    for (const accept of [undefined, PROBLEM_JSON]) {
      const reply = renderError(fault, context(accept))
      expect(reply.status).toBe(500)
      expect(String(reply.body)).toContain('request-1')
      expect(JSON.stringify([reply.body, reply.headers])).not.toContain('hunter2')
    }
  })
})

async function textOf({ body }: WireReply): Promise<string> {
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  let text = ''
  for await (const piece of body ?? []) {
    text += typeof piece === 'string' ? piece : new TextDecoder().decode(piece)
  }
  return text
}

function inBytes<T>(elements: JsonElements<T>): JsonElementBytes<T> {
  return new TextEncoder().encode(elements) as unknown as JsonElementBytes<T>
}

async function* pagesOf<T>(pages: readonly T[]): AsyncGenerator<T> {
  yield* pages
}

test.each([
  ['reference', undefined, 'text/plain'],
  ['reference', PROBLEM_JSON, 'application/octet-stream'],
  ['service', undefined, 'application/octet-stream'],
] as const)(
  'a raw value in the dialect %s, accepting %s: %s, which no browser runs',
  (dialect, accept, type) => {
    const bytes = {
      kind: 'bytes',
      bytes: new Uint8Array(1),
      contentType: 'application/octet-stream',
    } as const
    const { headers } = renderAnswer({ body: bytes }, context(accept, false, { dialect }), {})
    expect(headers).toMatchObject({ 'Content-Type': type, ...FOREIGN_CONTENT })
    const empty = renderAnswer({ body: { kind: 'text', text: '' } }, context(accept, false, { dialect }), {})
    expect('Content-Type' in empty.headers).toBe(type !== 'text/plain')
    const refused = renderError(new AclError('not_found', ''), context(accept, false, { dialect }))
    expect('Content-Type' in refused.headers).toBe(type !== 'text/plain')
  },
)

describe('an answer', () => {
  const value = [{ a: 1, b: { c: '<&>é\u2028' } }, { d: [] }]
  const pages = value.map((element) => jsonElements<unknown>([element]))
  const nothing = jsonElements<unknown>([])
  const FORMS = [
    ['a value', () => ({ kind: 'json', value }) as const],
    ['text', () => ({ kind: 'json-text', text: jsonText(value) }) as const],
    ['bytes', () => ({ kind: 'json-bytes', bytes: jsonBytes(jsonText(value)) }) as const],
    ['a document', () => ({ kind: 'json-document', document: new JsonDocument(() => value) }) as const],
    [
      'a stream',
      () =>
        ({
          kind: 'json-stream',
          pages: pagesOf([nothing, ...pages.slice(0, 1), nothing, ...pages.slice(1)]),
        }) as const,
    ],
    [
      'a stream of bytes',
      () => ({ kind: 'json-stream', pages: pagesOf([nothing, ...pages, nothing].map(inBytes)) }) as const,
    ],
  ] as const

  test.each(FORMS)(
    'from %s: compact JSON, or indented by four with a newline at the end',
    async (_name, body) => {
      const compact = renderAnswer({ body: body() }, context(), {})
      expect(await textOf(compact)).toBe(JSON.stringify(value))
      expect(compact.headers).toMatchObject({
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
        'X-Request-Id': 'request-1',
      })
      const pretty = renderAnswer({ body: body() }, context(undefined, true), {})
      expect(await textOf(pretty)).toBe(`${JSON.stringify(value, undefined, 4)}\n`)
    },
  )

  test('an empty stream is an empty list', async () => {
    expect(
      await textOf(renderAnswer({ body: { kind: 'json-stream', pages: pagesOf([]) } }, context(), {})),
    ).toBe('[]')
  })

  test('an answer that may hold secrets is compressible only if it shows none', () => {
    const answer = { body: { kind: 'text', text: 'x' } } as const
    const isCompressible = (holdsSecrets: boolean, showsNoSecret: boolean) =>
      renderAnswer(
        showsNoSecret ? { ...answer, showsNoSecret } : answer,
        context(),
        holdsSecrets ? { holdsSecrets } : {},
      ).isCompressible
    expect(isCompressible(false, false)).toBe(true)
    expect(isCompressible(true, true)).toBe(true)
    expect(isCompressible(true, false)).toBe(false)
  })

  test('bytes are sent unchanged, with their own content type', () => {
    const bytes = Uint8Array.of(0, 255)
    const reply = renderAnswer(
      { body: { kind: 'bytes', bytes, contentType: 'application/octet-stream' } },
      context(undefined, true),
      {},
    )
    expect(reply.body).toBe(bytes)
    expect(reply.headers['Content-Type']).toBe('application/octet-stream')
  })
})

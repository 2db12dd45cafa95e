/**
 * The suite against services with one fault each: it must detect every fault. A suite that passes a broken service shows
 * nothing when it passes a good one.
 */
import { createMockService } from '@latchkey/mocks'
import { expect, test } from 'vitest'
import { CASES, PLAIN_TRAITS, runCases, type Target } from '../src/index.ts'

interface Answer {
  status: number
  text: string
  readonly headers: Headers
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Headers
}

/** Breaks an answer on its way back. */
type Fault = (answer: Answer, sent: Sent) => void

const onTokenAnswers =
  (change: (token: Record<string, unknown>) => void): Fault =>
  (answer, { path }) => {
    if (answer.status !== 200 || !/^\/v1\/acl\/token(?:\/|\?|$)/.test(path) || !answer.text.startsWith('{'))
      return
    const token = JSON.parse(answer.text)
    change(token)
    answer.text = JSON.stringify(token)
  }

const status =
  (from: number, to: number): Fault =>
  (answer) => {
    if (answer.status === from) answer.status = to
  }

/** Each fault, and a case that must detect it; others may, too. */
const FAULTS: Readonly<Record<string, readonly [Fault, string]>> = {
  'secrets are shown to readers': [
    (answer) => {
      answer.text = answer.text.replaceAll('"<hidden>"', '"11111111-2222-4333-8444-000000000000"')
    },
    'read/secret',
  ],
  'ExpirationTTL is kept in the record': [
    onTokenAnswers((token) => {
      if (token.ExpirationTime) token.ExpirationTTL = '1h'
    }),
    'expiration/lifetime',
  ],
  'CreateTime has microseconds': [
    onTokenAnswers((token) => {
      token.CreateTime = String(token.CreateTime).replace('Z', '123Z')
    }),
    'create/time',
  ],
  'the keys of a token are in another order': [
    onTokenAnswers((token) => {
      const { AccessorID } = token
      delete token.AccessorID
      token.AccessorID = AccessorID
    }),
    'records/keys',
  ],
  'empty lists are shown': [
    onTokenAnswers((token) => Object.assign(token, { Roles: token.Roles ?? [] })),
    'update/replaces',
  ],
  'the hash is different': [
    onTokenAnswers((token) => Object.assign(token, { Hash: 'AAAA' })),
    'records/hash',
  ],
  'the description is trimmed': [
    onTokenAnswers((token) => Object.assign(token, { Description: String(token.Description).trim() })),
    'create/description',
  ],
  'a missing token is 403': [status(404, 403), 'read/missing'],
  'an id in use is 400': [status(409, 400), 'create/ids-taken'],
  'a broken rule is 500': [status(400, 500), 'links/service-name'],
  'a wrong method is 404': [status(405, 404), 'methods/table'],
  'a removed endpoint is 404': [status(410, 404), 'versions/legacy-removed'],
  'a body above the bound is 400': [status(413, 400), 'decoding/too-large'],
  'a missing right is 401': [status(403, 401), 'list/right'],
  'texts end with a newline': [
    (answer) => {
      if (answer.headers.get('content-type')?.startsWith('text/plain')) answer.text += '\n'
    },
    'read/missing',
  ],
  'texts name no charset': [
    (answer) => {
      if (answer.headers.get('content-type')?.startsWith('text/plain'))
        answer.headers.set('content-type', 'text/plain')
    },
    'read/missing',
  ],
  'problems have another code': [
    (answer) => {
      answer.text = answer.text.replace('"code":"local_mismatch"', '"code":"field_immutable"')
    },
    'update/local',
  ],
  'problems name no field': [
    (answer) => {
      answer.text = answer.text.replace(/"field":"[^"]*",/, '')
    },
    'decoding/unknown-field',
  ],
  'Allow is not sent': [(answer) => answer.headers.delete('allow'), 'methods/token-api'],
  'the index is 0': [(answer) => answer.headers.set('x-service-index', '0'), 'blocking/headers'],
  'KnownLeader is not sent': [(answer) => answer.headers.delete('x-service-knownleader'), 'blocking/headers'],
  'answers may be cached': [(answer) => answer.headers.delete('cache-control'), 'records/json'],
  'a token in the query gets no warning': [
    (answer) => answer.headers.delete('warning'),
    'auth/query-warning',
  ],
  'a delete answers false': [
    (answer, { method }) => {
      if (method === 'DELETE' && answer.text === 'true') answer.text = 'false'
    },
    'delete/record',
  ],
  'legacy rules are shown in lists': [
    (answer, { path }) => {
      if (path.startsWith('/v1/acl/tokens'))
        answer.text = answer.text.replaceAll('"Local":', '"Rules":"","Local":')
    },
    'list/record',
  ],
}

function faultyTarget(fault: Fault): Target {
  const service = createMockService({ unknownEndpoints: 'answer' })
  const { baseUrl: url, managementToken: token } = service
  return {
    name: 'faulty',
    url,
    token,
    prefix: 'X-Service-',
    traits: PLAIN_TRAITS,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const path = input.slice(url.length)
      const response = await service.fetch(request)
      const answer = {
        status: response.status,
        text: await response.text(),
        headers: new Headers(response.headers),
      }
      fault(answer, { method: request.method, path, headers: request.headers })
      const body = request.method === 'HEAD' || answer.text === '' ? null : answer.text
      return new Response(body, { status: answer.status, headers: answer.headers })
    },
  }
}

const SEEN = Object.entries(FAULTS).map(([name, [fault, id]]) => ({ name, fault, id }))

test.for(SEEN)('$name: seen by $id', async ({ fault, id }) => {
  const suspects = CASES.filter((one) => one.id === id)
  const [result] = await runCases(suspects, faultyTarget(fault))
  expect(result).toMatchObject({ id, outcome: 'failed' })
})

test('without a fault these cases pass on the same target', async () => {
  const ids = new Set(SEEN.map(({ id }) => id))
  const results = await runCases(
    CASES.filter(({ id }) => ids.has(id)),
    faultyTarget(() => undefined),
  )
  expect(results).toHaveLength(ids.size)
  expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
})

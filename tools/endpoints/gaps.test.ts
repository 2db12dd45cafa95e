import { expect, test } from 'vitest'
import { findGaps } from './gaps.ts'

const ROUTE = {
  name: 'tokens.clone',
  resource: 'tokens',
  method: 'PUT',
  path: '/v1/acl/token/:AccessorID/clone',
} as const
const HANDLERS = "'tokens.clone': cloneTokenHandler,"
const SDK = "* Endpoint `tokens.clone`\nendpoint: 'tokens.clone'"
const CASES = "ctx.ok('PUT', `/acl/token/${id}/clone?ns=a`, {})"

test('an endpoint with handler, method, docstring and case has no gap', () => {
  expect(findGaps([ROUTE], { handlers: HANDLERS, sdk: SDK, cases: CASES })).toEqual([])
})

test.each([
  ['no handler', { handlers: '' }],
  ['no SDK method', { sdk: '* Endpoint `tokens.clone`' }],
  ['no docstring', { sdk: "endpoint: 'tokens.clone'" }],
  ['no conformance case', { cases: "ctx.ok('PUT', '/acl/token')" }],
  ['no conformance case', { cases: CASES.replace('PUT', 'GET') }],
])('%s: the gap names the endpoint', (gap, source) => {
  const sources = { handlers: HANDLERS, sdk: SDK, cases: CASES, ...source }
  expect(findGaps([ROUTE], sources)).toEqual([expect.stringContaining(`tokens.clone: ${gap}`)])
})

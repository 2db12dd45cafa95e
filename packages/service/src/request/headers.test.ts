/** INJ-05: the credential and the header family of a request. Spec 5. */

import { aWorld, MANAGEMENT } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'
import { credentialOf, headerFamilies, namespaceHeaderOf } from './headers.ts'

const families = headerFamilies()

type Headers = Readonly<Record<string, string>>
const source = (headers: Headers) => ({ header: (name: string) => headers[name] })
const credential = (query: string, headers: Headers = {}) =>
  credentialOf(source(headers), new URLSearchParams(query), families)

const S = 'secret-one'
const OTHER = 'secret-two'

const CREDENTIALS: readonly (readonly [string, string, Headers, string | undefined])[] = [
  ['nothing', '', {}, undefined],
  ['the query', `token=${S}`, {}, S],
  ['the header', '', { 'x-service-token': S }, S],
  ['the header of another family', '', { 'x-consul-token': S }, S],
  ['a bearer', '', { authorization: `Bearer ${S}` }, S],

  ['query over header', `token=${S}`, { 'x-service-token': OTHER }, S],
  ['query over bearer', `token=${S}`, { authorization: `Bearer ${OTHER}` }, S],
  ['header over bearer', '', { 'x-service-token': S, authorization: `Bearer ${OTHER}` }, S],
  ['other header over bearer', '', { 'x-consul-token': S, authorization: `Bearer ${OTHER}` }, S],
  ['first family over second', '', { 'x-consul-token': OTHER, 'x-service-token': S }, S],

  ['an empty query', 'token=', { 'x-service-token': S }, S],
  ['a query without value', 'token', { 'x-service-token': S }, S],
  ['an empty header', '', { 'x-service-token': '', 'x-consul-token': S }, S],
  ['a blank header', '', { 'x-service-token': ' \t ', authorization: `Bearer ${S}` }, S],
  [
    'all of them empty',
    'token=',
    { 'x-service-token': '', 'x-consul-token': '', authorization: 'Bearer' },
    undefined,
  ],

  ['the first of repeated query values', `token=${S}&token=${OTHER}`, {}, S],
  ['an empty first of repeated query values', `token=&token=${OTHER}`, { 'x-service-token': S }, S],
  ['a query name in another case', `Token=${OTHER}`, { 'x-service-token': S }, S],
  ['an encoded query name', `%74oken=${S}`, {}, S],
  ['an encoded query value, decoded once', 'token=a%2Bb%2520c', {}, 'a+b%20c'],
  ['a query that is not trimmed', 'token=%20a%20', {}, ' a '],
  ['a header that is trimmed', '', { 'x-service-token': `  ${S}\t` }, S],
  ['a header with a list in it, as one text', '', { 'x-service-token': `${S}, ${OTHER}` }, `${S}, ${OTHER}`],

  ['a scheme in another case', '', { authorization: `bEARER ${S}` }, S],
  ['many blanks', '', { authorization: `  Bearer \t  ${S}  ` }, S],
  ['only the first word', '', { authorization: `Bearer ${S} ${OTHER}` }, S],
  ['a bearer with a comma, as one word', '', { authorization: `Bearer ${S},Bearer ${OTHER}` }, `${S},Bearer`],
  ['no blank', '', { authorization: `Bearer${S}` }, undefined],
  ['a bare value', '', { authorization: S }, undefined],
  ['another scheme', '', { authorization: `Basic ${S}` }, undefined],
  ['a longer scheme', '', { authorization: `BearerX ${S}` }, undefined],
  ['a scheme alone', '', { authorization: 'Bearer ' }, undefined],
  ['a colon', '', { authorization: `Bearer: ${S}` }, undefined],
]

test.each(CREDENTIALS)('%s', (_name, query, headers, secretId) => {
  expect(credential(query, headers).secretId).toBe(secretId)
})

test('marks a credential in the query', () => {
  expect(credential(`token=${S}`).inQuery).toBe(true)
  expect(credential('token=', { 'x-service-token': S }).inQuery).toBe(false)
})

describe('header families', () => {
  const answered = async (headers: Headers, headerPrefixes?: readonly string[]) => {
    const world = await aWorld(headerPrefixes ? { headerPrefixes } : {})
    const reply = await world.ask('GET', `/acl/tokens?limit=1&token=${MANAGEMENT}`, { headers })
    const names = Object.keys(reply.headers).filter((name) => /^X-/.test(name) && name !== 'X-Request-Id')
    return new Set(names.map((name) => name.split('-').slice(0, 2).join('-')))
  }

  test('a page has its next cursor in every header family of the reply', async () => {
    const { ask } = await aWorld()
    const { headers } = await ask('GET', `/acl/tokens?limit=1&token=${MANAGEMENT}`)
    expect(headers['X-Service-Next-Cursor']).toMatch(/./)
    expect(headers['X-Consul-Next-Cursor']).toBe(headers['X-Service-Next-Cursor'])
  })

  test('uses exactly the configured families', async () => {
    const prefixes = ['X-Mine-', 'X-Yours-']
    expect(await answered({}, prefixes)).toEqual(new Set(['X-Mine', 'X-Yours']))
    expect(await answered({ 'x-yours-token': '' }, prefixes)).toEqual(new Set(['X-Yours']))
    const world = await aWorld({ headerPrefixes: prefixes })
    const ask = (headers: Headers) => world.ask('GET', '/acl/tokens', { headers })
    expect((await ask({ 'x-yours-token': MANAGEMENT })).status).toBe(200)
    expect((await ask({ 'x-service-token': MANAGEMENT })).code).toBe('privilege_missing')
  })

  test('the namespace header of the first family with a value, trimmed, with its own name', () => {
    const of = (headers: Headers) => namespaceHeaderOf(source(headers), families)
    expect(of({})).toBeUndefined()
    expect(of({ 'x-service-namespace': ' ', 'x-consul-namespace': ' team ' })).toEqual({
      name: 'X-Consul-Namespace',
      value: 'team',
    })
    expect(of({ 'x-service-namespace': 'a', 'x-consul-namespace': 'b' })?.value).toBe('a')
  })

  test('without a configured family, uses the first of the contract', async () => {
    expect(await answered({}, [])).toEqual(new Set(['X-Service']))
  })
})

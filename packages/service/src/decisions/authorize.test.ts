import { limits } from '@latchkey/contract'
import { type AskOptions, aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { beforeAll, describe, expect, test } from 'vitest'

const PATH = '/internal/acl/authorize'
const CHECK = { Resource: 'key', Segment: 'a/b', Access: 'read' }

let world: World
let reader: string
beforeAll(async () => {
  world = await aWorld()
  reader = await world.secretWith('key_prefix "a/" { policy = "read" }\nacl = "read"')
})

const ask = (body: unknown, options: AskOptions = {}, query = '') =>
  world.ask('POST', `${PATH}${query}`, { token: reader, ...options, body })

describe('authorize', () => {
  test('answers the checks in order, each echoed as it was sent', async () => {
    const checks = [
      CHECK,
      { ...CHECK, Access: 'WRITE' },
      { Resource: 'acl', Access: 'read' },
      { Resource: 'acl', Segment: '', Access: 'write' },
      { ...CHECK, Allow: true, Segment: 'b' },
    ]
    expect((await ask(checks)).json).toEqual([
      { ...CHECK, Allow: true },
      { ...CHECK, Access: 'WRITE', Allow: false },
      { Resource: 'acl', Access: 'read', Allow: true },
      { Resource: 'acl', Access: 'write', Allow: false },
      { ...CHECK, Segment: 'b', Allow: false },
    ])
  })

  test.each(['[]', ' [ ] ', 'null'])('%s is answered without looking up the token', async (body) => {
    for (const token of [reader, 'nobody', '<hidden>']) {
      expect((await ask(body, { token })).text).toBe('[]')
    }
  })

  test('a request without a token uses the anonymous token; an unknown token is refused', async () => {
    const anonymous = await world.ask('POST', PATH, { body: [CHECK] })
    expect(anonymous.json).toEqual([{ ...CHECK, Allow: false }])
    expect((await ask([CHECK], { token: 'nobody' })).code).toBe('caller_unknown')
  })

  test('repeated checks are decided by the current rights of each caller', async () => {
    const policy = await world.policy({ Name: 'changing', Rules: 'key "a" { policy = "read" }' })
    const [token, other] = await Promise.all(
      ['key "a" { policy = "write" }', ''].map((rules) => world.secretWith(rules)),
    )
    const changing = await world.secretWith('', { Policies: [{ ID: policy.ID }] })
    const allowed = async (token: string | undefined, query = '') =>
      (await ask([{ Resource: 'key', Segment: 'a', Access: 'write' }], { token: token ?? '' }, query)).json
    const allows = [{ Resource: 'key', Segment: 'a', Access: 'write', Allow: true }]
    const denies = [{ ...allows[0], Allow: false }]
    for (let time = 0; time < 2; time += 1) {
      expect(await allowed(token)).toEqual(allows)
      expect(await allowed(other)).toEqual(denies)
      expect(await allowed(changing)).toEqual(denies)
      expect(await allowed(token, '?explain')).toMatchObject([{ ...allows[0], Explanation: {} }])
    }
    const Rules = 'key "a" { policy = "write" }'
    await world.manage('PUT', `/acl/policy/${policy.ID}`, { Name: 'changing', Rules })
    expect(await allowed(changing)).toEqual(allows)
    await world.manage('DELETE', `/acl/policy/${policy.ID}`)
    expect(await allowed(changing)).toEqual(denies)
    expect((await ask([{ Resource: 'key', Segment: 'a', Access: 'write' }], { token: 'nobody' })).code).toBe(
      'caller_unknown',
    )
  })

  test(`${limits.AUTHORIZE_CHECKS_MAX} checks pass, one more is batch_too_large, however many and whatever they are`, async () => {
    const checks = (count: number, check: unknown = CHECK) => Array.from({ length: count }, () => check)
    expect((await ask(checks(64))).json).toHaveLength(64)
    for (const [count, check] of [
      [65, CHECK],
      [65, 1],
      [100_000, {}],
    ] as const) {
      expect(await ask(checks(count, check))).toMatchObject({ status: 400, code: 'batch_too_large' })
    }
  })

  test.each([
    ['', 'body_required'],
    ['[{}]', 'field_type'],
    ['[{"Resource":"key","Access":"read","Foo":1}]', 'field_unknown'],
    ['[{"Resource":"Key","Access":"read"}]', 'field_invalid'],
    ['[{"Resource":"acl","Access":"list"}]', 'field_invalid'],
    ['[', 'body_malformed'],
  ])('%s: %s, before anything is said of the token', async (body, code) => {
    for (const token of [reader, 'nobody']) expect((await ask(body, { token })).code).toBe(code)
  })
})

describe('explain', () => {
  test('names the rule that decided and its source, or the missing right', async () => {
    const { json } = await ask([CHECK, { ...CHECK, Access: 'write' }], {}, '?explain')
    expect(json).toMatchObject([
      { Allow: true, Explanation: { Rule: { Kind: 'key_prefix', Segment: 'a/', Level: 'read', Line: 1 } } },
      { Allow: false, Explanation: { Missing: { Resource: 'key', Segment: 'a/b', Access: 'write' } } },
    ])
  })

  test("reading another token's rights needs acl:read; a token's own rights need nothing", async () => {
    const other = await world.token()
    const nobody = await world.token()
    const query = (accessor: string) => `?accessor=${accessor}`
    expect((await ask([CHECK], {}, query(other.AccessorID))).json).toEqual([{ ...CHECK, Allow: false }])
    const powerless = { token: nobody.SecretID }
    expect((await ask([CHECK], powerless, query(other.AccessorID))).code).toBe('privilege_missing')
    expect((await ask([CHECK], powerless, query(nobody.AccessorID.toUpperCase()))).status).toBe(200)
    const missing = '11111111-1111-4111-8111-111111111111'
    expect((await ask([CHECK], {}, query(missing))).code).toBe('not_found')
    expect((await ask([CHECK], powerless, query(missing))).code).toBe('privilege_missing')
    expect((await ask([CHECK], {}, query('nope'))).code).toBe('id_invalid')
    const self = await world.ask('GET', '/acl/token/self', { token: reader })
    expect(
      (await ask([CHECK], { token: MANAGEMENT }, query((self.json as typeof other).AccessorID))).json,
    ).toEqual([{ ...CHECK, Allow: true }])
  })
})

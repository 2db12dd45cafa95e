/** When tokens expire. Spec 2.1, 3, 4.2.1, 4.2.2, 8; EXP-02, EXP-03. */
import assert from 'node:assert/strict'
import type { Token } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'
import type { Context } from '../../context.ts'

const MINUTE = 60_000
const DAY = 86_400_000

/** An instant this far ahead of the target's clock. */
function ahead(ctx: Context, ms: number): string {
  return new Date(ctx.now() + ms).toISOString()
}

const OUT_OF_BOUNDS = '400 expiration_out_of_bounds'
const TTL_OUT_OF_BOUNDS = `${OUT_OF_BOUNDS} ExpirationTTL` as const
const TOO_SHORT = /cannot be less than 1m0s in the future \(was /
const TOO_LONG = /cannot be more than 24h0m0s in the future \(was /

export const expirationCases: readonly Case[] = [
  test('expiration/lifetime [2.1/ExpirationTTL, 2.1/CreateTime, D/records/durations] ExpirationTime becomes CreateTime plus ExpirationTTL, in every notation, and ExpirationTTL is not kept', async (ctx) => {
    const lifetimes: [string | number, number][] = [
      ['60s', 60_000],
      ['5m', 300_000],
      ['1h30m', 5_400_000],
      ['1.5h', 5_400_000],
      ['90000ms', 90_000],
      [90e9, 90_000],
    ]
    for (const [ExpirationTTL, ms] of lifetimes) {
      const token = await ctx.token({ ExpirationTTL })
      assert.equal(
        Date.parse(token.ExpirationTime ?? '') - Date.parse(token.CreateTime),
        ms,
        `${ExpirationTTL}`,
      )
      assert(!('ExpirationTTL' in token))
    }
  }),
  test('expiration/lifetime-none [2.1/ExpirationTTL, 2.1/ExpirationTime] a lifetime of 0, an empty or zero time, and null mean no expiration', async (ctx) => {
    const nothings = [
      { ExpirationTTL: '0s' },
      { ExpirationTTL: 0 },
      { ExpirationTTL: null },
      { ExpirationTime: '' },
      { ExpirationTime: null },
      { ExpirationTime: '0001-01-01T00:00:00Z' },
    ]
    for (const fields of nothings)
      assert(!('ExpirationTime' in (await ctx.token(fields))), JSON.stringify(fields))
  }),
  test('expiration/lifetime-bounds [4.2.2, 8/expiration, D/tokens/bounds] 400 expiration_out_of_bounds: a lifetime just below 1 minute or above 24 hours; both bounds pass (EXP-02)', async (ctx) => {
    for (const ExpirationTTL of ['1m', '60s', 60e9, '24h', '23h59m60s', 86_400e9])
      await ctx.token({ ExpirationTTL })
    for (const ExpirationTTL of ['59.999s', '59s', '1ms', '1ns', 59_999e6]) {
      await ctx.refuses('PUT', '/acl/token', { body: { ExpirationTTL } }, TTL_OUT_OF_BOUNDS, TOO_SHORT)
    }
    for (const ExpirationTTL of ['24h0m0.001s', '24h1m', '10000h', 86_400_001e6]) {
      await ctx.refuses('PUT', '/acl/token', { body: { ExpirationTTL } }, TTL_OUT_OF_BOUNDS, TOO_LONG)
    }
    for (const ExpirationTTL of ['-1m', -60e9]) {
      await ctx.refuses('PUT', '/acl/token', { body: { ExpirationTTL } }, TTL_OUT_OF_BOUNDS)
    }
  }),
  test('expiration/lifetime-malformed [D/records/durations, D/status/malformed-400] 400 field_type: a lifetime that is not a duration', async (ctx) => {
    for (const ExpirationTTL of ['60', '1d', 'soon', '', '1h 30m', true, {}, ['1h']]) {
      await ctx.refuses('PUT', '/acl/token', { body: { ExpirationTTL } }, '400 field_type ExpirationTTL')
    }
  }),
  test('expiration/time-bounds [4.2.1, 8/expiration] 400 expiration_out_of_bounds: an ExpirationTime too near, too far or past', async (ctx) => {
    const slack = 30_000
    for (const ms of [MINUTE + slack, DAY - slack]) await ctx.token({ ExpirationTime: ahead(ctx, ms) })
    const refuse = (ms: number, text: string | RegExp) => {
      const body = { ExpirationTime: ahead(ctx, ms) }
      return ctx.refuses('PUT', '/acl/token', { body }, `${OUT_OF_BOUNDS} ExpirationTime`, text)
    }
    await refuse(MINUTE - slack, TOO_SHORT)
    await refuse(DAY + slack, TOO_LONG)
    await refuse(Date.parse('9999-12-31T23:59:59Z') - ctx.now(), TOO_LONG)
    await refuse(-slack, 'ExpirationTime cannot be before CreateTime')
  }),
  test('expiration/time-bounds-exact [4.2.1, D/tokens/bounds, 8/expiration] exactly 1 minute and exactly 24 hours ahead pass, 1 ms outside is refused (EXP-02)', async (ctx) => {
    for (const ms of [MINUTE, MINUTE + 1, DAY - 1, DAY]) await ctx.token({ ExpirationTime: ahead(ctx, ms) })
    for (const [ms, text] of [
      [MINUTE - 1, TOO_SHORT],
      [DAY + 1, TOO_LONG],
    ] as const) {
      await ctx.refuses(
        'PUT',
        '/acl/token',
        { body: { ExpirationTime: ahead(ctx, ms) } },
        OUT_OF_BOUNDS,
        text,
      )
    }
  }).needing({ clock: true }),
  test('expiration/calendar [4.2.1] the window is elapsed time: leap days, ends of years and clock changes of any zone do not matter (EXP-02)', async (ctx) => {
    const days = [
      '2028-02-28T12:00:00Z',
      '2028-12-31T23:59:59.5Z',
      '2029-03-25T00:30:00Z',
      '2029-10-28T00:30:00Z',
    ]
    for (const day of days) {
      ctx.clock.advance(Date.parse(day) - ctx.now())
      const token = await ctx.token({ ExpirationTime: ahead(ctx, DAY) })
      assert.equal(Date.parse(token.ExpirationTime ?? ''), Date.parse(day) + DAY)
      await ctx.refuses(
        'PUT',
        '/acl/token',
        { body: { ExpirationTime: ahead(ctx, DAY + 1) } },
        OUT_OF_BOUNDS,
        TOO_LONG,
      )
    }
  }).needing({ clock: true }),
  test('expiration/zones [D/records/times, 2.1/ExpirationTime] a time in any zone is accepted, kept to the millisecond, and shown in UTC without trailing zeros', async (ctx) => {
    const at = Math.floor(ctx.now() / 1_000) * 1_000 + 7_200_000 + 250
    const local = `${new Date(at + 5.5 * 3_600_000).toISOString().slice(0, -1)}987+05:30`
    const token = await ctx.token({ ExpirationTime: local })
    assert.equal(token.ExpirationTime, new Date(at).toISOString().replace('.250Z', '.25Z'))
    const whole = await ctx.token({ ExpirationTime: new Date(at - 250).toISOString() })
    assert.match(whole.ExpirationTime ?? '', /:\d\dZ$/)
  }),
  test('expiration/time-malformed [D/records/times, D/status/malformed-400] 400 field_type: a time without a zone, or a text that is not a time', async (ctx) => {
    const bad = [
      '2099-01-01T00:00:00',
      '2099-01-01',
      'tomorrow',
      '2099-02-30T00:00:00Z',
      '2099-01-01T24:00:00Z',
      1e12,
      {},
    ]
    for (const ExpirationTime of bad) {
      await ctx.refuses('PUT', '/acl/token', { body: { ExpirationTime } }, '400 field_type ExpirationTime')
    }
  }),
  test('expiration/both [4.2.2, D/status/rule-400] 400 expiration_conflict: a time and a lifetime together', async (ctx) => {
    const body = { ExpirationTime: ahead(ctx, 3_600_000), ExpirationTTL: '1h' }
    const text = 'Token Expiration TTL and Expiration Time cannot both be set'
    await ctx.refuses('PUT', '/acl/token', { body }, '400 expiration_conflict', text)
  }),
  test('expiration/reached [3, D/tokens/expired, 2.1/ExpirationTime, D/status/caller-403] every operation finds the token 1 s and 1 ms before its expiration, and none from that instant on (EXP-03)', async (ctx) => {
    const key = ctx.unique('key')
    await ctx.ok('PUT', `/kv/${key}`, { raw: 'v' })
    const policy = await ctx.policy(`acl = "write"\nkey "${key}" { policy = "read" }`)
    const create = () => ctx.token({ ExpirationTTL: '1m', Policies: [{ ID: policy.ID }] })
    const [token, ...others] = [await create(), await create(), await create()]
    const body = { Resource: 'key', Segment: key, Access: 'read' }
    const isListed = async () => {
      const lists = [
        await ctx.ok<Token[]>('GET', `/acl/tokens?policy=${policy.ID}`),
        await ctx.ok<Token[]>('GET', '/acl/tokens'),
        await ctx.ok<Token[]>('GET', '/acl/tokens?limit=1000'),
        await ctx.ok<Token[]>('GET', '/acl/tokens?pretty'),
        await ctx.ok<Token[]>('POST', '/internal/acl/who-can', { body }),
      ]
      const found = lists.map((list) => list.some((one) => one.AccessorID === token.AccessorID))
      assert.equal(new Set(found).size, 1, 'lists and who-can agree')
      return found[0]
    }
    const about = `/internal/acl/authorize?accessor=${token.AccessorID}`
    for (const [i, other] of others.entries()) {
      ctx.clock.advance(i === 0 ? MINUTE - 1_000 : 999)
      await ctx.ok('POST', '/internal/acl/authorize', { token: token.SecretID, body: [body] })
      await ctx.ok('POST', about, { body: [body] })
      await ctx.ok('GET', '/acl/token/self', { token: token.SecretID })
      await ctx.ok('GET', `/kv/${key}`, { token: token.SecretID })
      await ctx.ok('GET', `/acl/token/${token.AccessorID}`)
      await ctx.ok('PUT', `/acl/token/${token.AccessorID}`, { body: { Policies: [{ ID: policy.ID }] } })
      // A clone would live for less than a minute.
      const tooShort = '400 expiration_out_of_bounds'
      await ctx.refuses('PUT', `/acl/token/${token.AccessorID}/clone`, { body: {} }, tooShort)
      await ctx.ok('DELETE', `/acl/token/${other.AccessorID}`)
      assert.equal(await isListed(), true)
    }
    for (const step of [1, 1, 999, 5_000]) {
      ctx.clock.advance(step)
      const gone = ['403 caller_unknown', 'ACL not found'] as const
      await ctx.refuses('GET', '/acl/token/self', { token: token.SecretID }, ...gone)
      await ctx.refuses('GET', `/kv/${key}`, { token: token.SecretID }, ...gone)
      await ctx.refuses('PUT', '/acl/token', { token: token.SecretID, body: {} }, ...gone)
      await ctx.refuses('POST', '/internal/acl/authorize', { token: token.SecretID, body: [body] }, ...gone)
      const missing = '404 not_found'
      await ctx.refuses('POST', about, { body: [body] }, missing)
      await ctx.refuses('GET', `/acl/token/${token.AccessorID}?expanded`, {}, missing)
      await ctx.refuses('GET', `/acl/token/${token.AccessorID}`, {}, missing)
      await ctx.refuses('PUT', `/acl/token/${token.AccessorID}`, { body: {} }, missing)
      await ctx.refuses('PUT', `/acl/token/${token.AccessorID}/clone`, { body: {} }, missing)
      await ctx.refuses('DELETE', `/acl/token/${token.AccessorID}`, {}, missing)
      assert.equal(await isListed(), false)
    }
  }).needing({ clock: true }),
  test('expiration/wakes [3, D/tokens/expired, D/blocking/wakes] the expiry of a token, to the millisecond, wakes self, reads and lists that showed it, with a higher index', async (ctx) => {
    const policy = await ctx.policy()
    const { AccessorID, SecretID } = await ctx.token({ Policies: [{ ID: policy.ID }], ExpirationTTL: '1m' })
    const statuses = new Map<string, number>()
    const reads: readonly (readonly [path: string, token: string | undefined, status: number])[] = [
      ['/acl/token/self?', SecretID, 403],
      [`/acl/token/${AccessorID}?`, undefined, 404],
      [`/acl/token/${AccessorID}?expanded&`, undefined, 404],
      ['/acl/tokens?', undefined, 200],
      [`/acl/tokens?policy=${policy.ID}&`, undefined, 200],
    ]
    const waits = await Promise.all(
      reads.map(async ([path, token]) => {
        const options = token === undefined ? {} : { token }
        const first = await ctx.call('GET', path, options)
        const index = Number(first.headers.get(ctx.header('Index')))
        const reply = ctx.call('GET', `${path}index=${index}&wait=10m`, options).then((answer) => {
          statuses.set(path, answer.status)
          if (path.startsWith('/acl/tokens')) assert(!answer.text.includes(AccessorID), path)
          assert(Number(answer.headers.get(ctx.header('Index'))) > index, `${path}: the index stays`)
        })
        return { reply }
      }),
    )
    const turns = () => new Promise((resolve) => setTimeout(resolve, 40))
    await turns()
    ctx.clock.advance(MINUTE - 1)
    await turns()
    assert.deepEqual([...statuses], [], 'nothing is new a millisecond before')
    ctx.clock.advance(1)
    await turns()
    const woken = new Map(statuses)
    // Ends the waits that were not woken.
    ctx.clock.advance(15 * MINUTE)
    await Promise.allSettled(waits.map(({ reply }) => reply))
    assert.deepEqual(woken, new Map(reads.map(([path, , status]) => [path, status])))
    await Promise.all(waits.map(({ reply }) => reply))
  }).needing({ clock: true }),
  test('expiration/reached-in-real-time [3, D/tokens/expired] a token is never refused before its ExpirationTime, and never accepted a second after it (EXP-01)', async (ctx) => {
    const token = await ctx.token({ ExpirationTTL: '1m' })
    const endsAt = Date.parse(token.ExpirationTime ?? '') - Date.parse(token.CreateTime) + Date.now()
    const slackMs = 1_000
    while (Date.now() < endsAt + 3 * slackMs) {
      const sentAt = Date.now()
      const { status } = await ctx.call('GET', '/acl/token/self', { token: token.SecretID })
      if (sentAt < endsAt - slackMs) assert.equal(status, 200, `refused ${endsAt - sentAt} ms before its end`)
      if (sentAt > endsAt + slackMs) assert.equal(status, 403, `accepted ${sentAt - endsAt} ms after its end`)
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }).needing({ patience: true }),
  test('expiration/ids-after [D/tokens/expired] once an expired token is reaped, its ids can be reused', async (ctx) => {
    const { AccessorID, SecretID } = await ctx.token({ ExpirationTTL: '1m' })
    ctx.clock.advance(MINUTE + 10_000)
    await ctx.token({ AccessorID, SecretID })
  }).needing({ clock: true }),
  test('expiration/clone-bounds [D/tokens/clone-refused, 4.6] 400 expiration_out_of_bounds: a clone of a token with less than 1 minute left; exactly 1 minute passes', async (ctx) => {
    const token = await ctx.token({ ExpirationTTL: '2m' })
    ctx.clock.advance(MINUTE)
    const clone = await ctx.ok<Token>('PUT', `/acl/token/${token.AccessorID}/clone`, { body: {} })
    assert.equal(clone.ExpirationTime, token.ExpirationTime)
    ctx.clock.advance(1)
    await ctx.refuses('PUT', `/acl/token/${token.AccessorID}/clone`, { body: {} }, OUT_OF_BOUNDS, TOO_SHORT)
  }).needing({ clock: true }),
]

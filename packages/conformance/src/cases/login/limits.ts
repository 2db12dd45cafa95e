/** Limits of the tokens that logins create: extensions. Decisions: login limits. */
import assert from 'node:assert/strict'
import type { Answer, AuthMethod } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'
import type { Context } from '../../context.ts'
import { aMethod, aRule, login, loginBody } from './provider.ts'

type Login = Answer<'authMethods.logins'>[number]
type AuthMethodListEntry = Answer<'authMethods.list'>[number]

const MINUTE = 60_000
const FULL = ['429 too_many_live_tokens', 'Too many live tokens: auth method '] as const
const GONE = '403 caller_unknown'

/** A method whose logins succeed. */
async function aBoundMethod(ctx: Context, fields: Readonly<Record<string, unknown>>) {
  const there = await aMethod(ctx, fields)
  await aRule(ctx, there.method)
  const write = ({ MaxLiveTokens: _max, IdleTTL: _ttl, ...method }: AuthMethod, limits: object) =>
    ctx.ok('PUT', `/acl/auth-method/${method.Name}`, { body: { ...method, ...limits } })
  return { ...there, change: (limits: object) => write(there.method, limits) }
}

const loginsOf = (ctx: Context, { Name }: AuthMethod, query = '') =>
  ctx.ok<Login[]>('GET', `/acl/auth-method/${Name}/logins${query}`)

export const limitCases: readonly Case[] = [
  test('login/limits-written [D/login/limits] MaxLiveTokens and IdleTTL are shown if set and cleared by 0; invalid values are refused', async (ctx) => {
    const { method } = await aMethod(ctx, { MaxLiveTokens: 10_000, IdleTTL: '1m' })
    const path = `/acl/auth-method/${method.Name}`
    const limitsIn = ({ MaxLiveTokens, IdleTTL }: AuthMethod | AuthMethodListEntry) => [
      MaxLiveTokens,
      IdleTTL,
    ]
    assert.deepEqual(limitsIn(await ctx.ok<AuthMethod>('GET', path)), [10_000, '1m0s'])
    const list = await ctx.ok<AuthMethodListEntry[]>('GET', '/acl/auth-methods')
    assert.deepEqual(list.filter(({ Name }) => Name === method.Name).map(limitsIn), [[10_000, '1m0s']])
    for (const MaxLiveTokens of [-1, 1.5, 10_001]) {
      await ctx.refuses(
        'PUT',
        path,
        { body: { ...method, MaxLiveTokens } },
        '400 field_invalid MaxLiveTokens',
      )
    }
    for (const IdleTTL of ['59s', '24h1s', '-1m']) {
      await ctx.refuses('PUT', path, { body: { ...method, IdleTTL } }, '400 expiration_out_of_bounds IdleTTL')
    }
    await ctx.ok('PUT', path, { body: { ...method, MaxLiveTokens: 0, IdleTTL: 0 } })
    const keys = Object.keys(await ctx.ok('GET', path))
    assert(!keys.includes('MaxLiveTokens') && !keys.includes('IdleTTL'))
  }),
  test('login/live-tokens [D/login/limits, D/login/refused] 429 too_many_live_tokens: a login beyond MaxLiveTokens, even a concurrent one; a logout or a higher bound makes room', async (ctx) => {
    const there = await aBoundMethod(ctx, { MaxLiveTokens: 3 })
    const body = await loginBody(there)
    const replies = await Promise.all(Array.from({ length: 8 }, () => ctx.call('POST', '/acl/login', body)))
    const made = replies.filter(({ status }) => status === 200).map(({ text }) => JSON.parse(text).SecretID)
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 200, 200, ...Array(5).fill(429)])
    const refused = replies.find(({ status }) => status === 429)
    assert.match(refused?.text ?? '', /has 3$/)
    assert.equal(refused?.headers.get('retry-after'), '60')
    await ctx.refuses('POST', '/acl/login', body, ...FULL)
    await ctx.ok('POST', '/acl/logout', { token: made[0] })
    await ctx.ok('POST', '/acl/login', body)
    await ctx.refuses('POST', '/acl/login', body, ...FULL)
    await there.change({ MaxLiveTokens: 1 })
    await ctx.ok('GET', '/acl/token/self', { token: made[1] })
    await ctx.refuses('POST', '/acl/login', body, ...FULL)
    await there.change({})
    await ctx.ok('POST', '/acl/login', body)
  }),
  test('login/logins [D/login/limits] the logins of a method are counted per sub, in order and in pages, and show a last use only with IdleTTL; 404 not_found: no such method', async (ctx) => {
    const there = await aBoundMethod(ctx, {})
    assert.deepEqual(await loginsOf(ctx, there.method), [])
    for (const sub of ['ben', 'anna', 'anna/ä%', 'anna', undefined, '']) {
      await login(ctx, there, { claims: sub === undefined ? {} : { sub } })
    }
    const logins = await loginsOf(ctx, there.method)
    const counts = logins.map(({ Identity, LiveTokens }) => [Identity, LiveTokens])
    const expected = [
      ['', 2],
      ['anna', 2],
      ['anna/ä%', 1],
      ['ben', 1],
    ]
    assert.deepEqual(counts, expected)
    assert.deepEqual(Object.keys(logins[0] ?? {}), ['Identity', 'LiveTokens', 'OldestCreateTime'])
    const path = `/acl/auth-method/${there.method.Name}/logins?limit=1`
    const paged: unknown[] = []
    let cursor = ''
    for (let page = 0; page <= expected.length; page += 1) {
      const reply = await ctx.call('GET', `${path}${cursor}`)
      paged.push(...JSON.parse(reply.text).map((each: Login) => [each.Identity, each.LiveTokens]))
      const next = reply.headers.get(ctx.header('Next-Cursor'))
      if (next === null) break
      cursor = `&cursor=${encodeURIComponent(next)}`
    }
    assert.deepEqual(paged, expected)
    await ctx.refuses('GET', `/acl/auth-method/${ctx.unique('none')}/logins`, {}, '404 not_found')
    for (const text of ['anna', '.%25']) {
      await ctx.refuses(
        'GET',
        `/acl/auth-method/${there.method.Name}/logins?cursor=${text}`,
        {},
        '400 query_invalid cursor',
      )
    }
  }),
  test('login/idle [D/login/limits, D/login/life] a token unused for IdleTTL and a tenth is gone for good; reads keep it alive, and a blocking query does for as long as it may wait', async (ctx) => {
    const there = await aBoundMethod(ctx, { IdleTTL: '10m', MaxLiveTokens: 3 })
    const tokens = [await login(ctx, there), await login(ctx, there), await login(ctx, there)]
    const [used = '', idle = '', waiting = ''] = tokens.map(({ SecretID }) => SecretID)
    const self = (token: string, query = '') => ctx.ok('GET', `/acl/token/self${query}`, { token })
    for (let minute = 0; minute < 10; minute += 2) {
      ctx.clock.advance(2 * MINUTE)
      await self(used)
    }
    // It answers at once here, but might have waited: 8.5 minutes.
    await self(waiting, '?index=1&wait=8m')
    ctx.clock.advance(MINUTE - 1)
    await self(used)
    ctx.clock.advance(1)
    await ctx.refuses('GET', '/acl/token/self', { token: idle }, GONE)
    await ctx.refuses('POST', '/acl/logout', { token: idle }, GONE)
    ctx.clock.advance(10 * MINUTE)
    await self(used)
    await self(waiting)
    const [{ LiveTokens = 0, LastUse = '' } = {}] = await loginsOf(ctx, there.method)
    assert.deepEqual([LiveTokens, Date.parse(LastUse)], [2, ctx.now()])
    await login(ctx, there)
    await there.change({})
    ctx.clock.advance(60 * MINUTE)
    await self(used)
    await there.change({ IdleTTL: '1m' })
    ctx.clock.advance(MINUTE)
    await self(used)
    ctx.clock.advance(MINUTE + MINUTE / 10)
    await ctx.refuses('GET', '/acl/token/self', { token: used }, GONE)
  }).needing({ clock: true }),
]

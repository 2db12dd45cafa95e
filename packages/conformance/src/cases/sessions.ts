/** Sessions, and the locks of keys that they hold. Spec 9.3, 9.4. */
import assert from 'node:assert/strict'
import type { KvEntry, Session } from '@latchkey/contract'
import { type Case, test } from '../case.ts'
import type { Context } from '../context.ts'

export const sessionCases: readonly Case[] = [
  test('sessions/record [9.4, 9.3/1.7.0, D/sessions/create] a session is created with defaults, read by ID, by node and in the list, renewed, and destroyed', async (ctx) => {
    const Node = await aNode(ctx)
    const { ID } = await ctx.ok<{ ID: string }>('PUT', '/session/create', { body: { Node, TTL: '24h' } })
    const [session] = await ctx.ok<Session[]>('GET', `/session/info/${ID.toUpperCase()}`)
    const { CreateIndex, ...shown } = session ?? {}
    assert.deepEqual(shown, {
      ...{ ID, Name: '', Node, LockDelay: 15_000_000_000, Behavior: 'release', TTL: '24h' },
      ...{ NodeChecks: [], ServiceChecks: null, ModifyIndex: CreateIndex },
    })
    const ids = (sessions: readonly Session[]) => sessions.map((one) => one.ID)
    assert.deepEqual(ids(await ctx.ok('GET', `/session/node/${Node.toUpperCase()}`)), [ID])
    const all = ids(await ctx.ok('GET', '/session/list'))
    assert(all.includes(ID))
    assert.deepEqual(all, all.toSorted())
    assert.deepEqual(await ctx.ok('PUT', `/session/renew/${ID}`), [session])
    assert.equal(await ctx.ok('PUT', `/session/destroy/${ID}`), true)
    assert.deepEqual(await ctx.ok('GET', `/session/info/${ID}`), [])
    assert.equal(await ctx.ok('PUT', `/session/destroy/${ID}`), true)
    const gone = ['404 not_found', `Session id '${ID}' not found`] as const
    await ctx.refuses('PUT', `/session/renew/${ID}`, {}, ...gone)
  }).needing({ from: '1.7.0' }),
  test('sessions/faults [9.4, D/sessions/create] 400: malformed ids, unknown nodes and checks, durations out of range, and invalid behaviours', async (ctx) => {
    const Node = await aNode(ctx)
    const invalid: readonly [object, string][] = [
      [{ Node: `${Node}-unknown` }, 'Missing node registration'],
      [{ Node, Checks: ['unknown'] }, "Missing check 'unknown' registration"],
      [{ Node, Behavior: 'Delete' }, "Invalid Behavior setting 'Delete'"],
      [{ Node, TTL: '9999ms' }, "Invalid Session TTL '9999000000', must be between [10s=24h0m0s]"],
      [{ Node, TTL: '24h1ms' }, 'Invalid Session TTL'],
      [{ Node, TTL: 'abc' }, 'Session TTL \'abc\' invalid: time: invalid duration "abc"'],
      [{ Node, LockDelay: 'abc' }, 'Request decode failed: time: invalid duration "abc"'],
      [{ Node, LockDelay: '-5s' }, 'Invalid LockDelay'],
    ]
    for (const [body, text] of invalid) {
      const refusal = ['400 field_invalid', text] as const
      await ctx.refuses('PUT', '/session/create', { body }, ...refusal)
    }
    await ctx.refuses('PUT', '/session/create', { body: { Node: '' } }, '400 field_required')
    for (const [method, path] of [
      ['GET', '/session/info/x'],
      ['PUT', '/session/renew/x'],
      ['PUT', '/session/destroy/x'],
    ] as const) {
      await ctx.refuses(method, path, {}, '400 id_invalid')
    }
  }),
  test('sessions/rights [9.4, D/sessions/rights] writing needs session:write on the node; reads show sessions of the nodes with session:read', async (ctx) => {
    const Node = await aNode(ctx)
    const { ID } = await ctx.ok<{ ID: string }>('PUT', '/session/create', { body: { Node, Checks: [] } })
    const reader = await ctx.caller(`session "${Node}" { policy = "read" }`)
    const other = await ctx.caller(`session "${Node}-other" { policy = "write" }`)
    const seen = async (token: string) =>
      (await ctx.ok<Session[]>('GET', `/session/info/${ID}`, { token })).length
    assert.deepEqual([await seen(reader.SecretID), await seen(other.SecretID)], [1, 0])
    const denied = '403 privilege_missing'
    for (const { SecretID: token } of [reader, other])
      await ctx.refuses('PUT', '/session/create', { token, body: { Node } }, denied)
    const powerless = await ctx.caller('')
    for (const { SecretID: token } of [reader, powerless]) {
      await ctx.refuses('PUT', `/session/renew/${ID}`, { token }, denied)
      await ctx.refuses('PUT', `/session/destroy/${ID}`, { token }, denied)
    }
  }),
  test('sessions/locks [9.4, D/sessions/locks] only one session at a time locks a key; other writes keep the lock; LockIndex counts the locks', async (ctx) => {
    const [one, two] = [await aSession(ctx), await aSession(ctx)]
    const path = `/kv/${ctx.unique('lock')}`
    const put = (query: string, raw = '') => ctx.ok<boolean>('PUT', `${path}?${query}`, { raw })
    const lock = async () => {
      const [entry] = await ctx.ok<KvEntry[]>('GET', path)
      return [entry?.LockIndex, entry?.Session, Buffer.from(entry?.Value ?? '', 'base64').toString()]
    }
    assert.equal(await put(`acquire=${one}`, 'a'), true)
    assert.deepEqual(await lock(), [1, one, 'a'])
    assert.deepEqual([await put(`acquire=${two}`, 'b'), await put(`release=${two}`, 'b')], [false, false])
    assert.equal(await put(`acquire=${one.toUpperCase()}`, 'c'), true)
    assert.equal(await put('flags=7', 'd'), true)
    assert.deepEqual(await lock(), [1, one, 'd'])
    const [locked] = await ctx.ok<KvEntry[]>('GET', path)
    assert.equal(await put(`cas=${locked?.ModifyIndex}`, 'd2'), true)
    assert.deepEqual(await lock(), [1, one, 'd2'])
    assert.equal(await put(`release=${one}&flags=9`, 'e'), true)
    assert.deepEqual(await lock(), [1, undefined, 'e'])
    assert.equal((await ctx.ok<KvEntry[]>('GET', path))[0]?.Flags, 9, 'a release writes the flags')
    assert.equal(await put(`acquire=${two}`, 'f'), true)
    assert.deepEqual(await lock(), [2, two, 'f'])
    await ctx.ok('PUT', `/session/destroy/${two}`)
    assert.deepEqual(await lock(), [2, undefined, 'f'])
    assert.equal(await put(`acquire=${one}`), false, 'the lock delay keeps the key')
    const refuses = (
      query: string,
      code: 'id_missing' | 'id_invalid' | 'query_invalid' | 'session_unknown',
    ) => ctx.refuses('PUT', `${path}?${query}`, {}, `400 ${code}`)
    await refuses('acquire=', 'id_missing')
    await refuses('acquire=x', 'id_invalid')
    await refuses(`acquire=${two}`, 'session_unknown')
    await refuses(`acquire=${one}&release=${one}`, 'query_invalid')
    await refuses(`acquire=${one}&cas=0`, 'query_invalid')
    assert.equal(await put('release=x'), false)
  }),
  test('sessions/case-of-node [9.4, D/sessions/create] 403 privilege_missing: the right to the node in the case of the request alone, not in the stored one', async (ctx) => {
    const Node = ctx.unique('Node')
    await ctx.ok('PUT', '/catalog/register', { body: { Node, Address: '10.0.0.1' } })
    const asked = Node.toLowerCase()
    const create = (token: string) => ({ token, body: { Node: asked } })
    const { SecretID: wrong } = await ctx.caller(`session "${asked}" { policy = "write" }`)
    await ctx.refuses('PUT', '/session/create', create(wrong), '403 privilege_missing')
    const both = `session "${asked}" { policy = "write" } session "${Node}" { policy = "write" }`
    const { SecretID: right } = await ctx.caller(both)
    await ctx.ok('PUT', '/session/create', create(right))
  }),
  test('sessions/keys [9.4, D/sessions/keys] with session, trees and names of keys show only the keys that this session locks', async (ctx) => {
    const [one, two] = [await aSession(ctx), await aSession(ctx)]
    const tree = `${ctx.unique('locks')}/`
    for (const [key, session] of Object.entries({ a: one, b: two, c: one } as const)) {
      assert.equal(await ctx.ok('PUT', `/kv/${tree}${key}?acquire=${session}`), true)
    }
    await ctx.ok('PUT', `/kv/${tree}free`)
    const names = await ctx.ok<string[]>('GET', `/kv/${tree}?keys&session=${one.toUpperCase()}`)
    assert.deepEqual(names, [`${tree}a`, `${tree}c`])
    const entries = await ctx.ok<KvEntry[]>('GET', `/kv/?recurse&session=${two}`)
    assert.deepEqual(
      entries.map(({ Key, Session }) => [Key, Session]),
      [[`${tree}b`, two]],
    )
    const { SecretID: token } = await ctx.caller(`key "${tree}c" { policy = "read" }`)
    assert.deepEqual(await ctx.ok('GET', `/kv/?keys&session=${one}`, { token }), [`${tree}c`])
    await ctx.ok('PUT', `/session/destroy/${one}`)
    assert.deepEqual(await ctx.ok('GET', `/kv/?keys&session=${one}`), [])
    await ctx.refuses('GET', '/kv/?keys&session=x', {}, '400 id_invalid')
  }),
  test('sessions/ends [9.4, D/sessions/ends] a check that turns critical or is removed ends a session, as the end of its node does; behaviour delete then deletes its keys', async (ctx) => {
    const Node = ctx.unique('node')
    const check = (Status: string) => ({
      Node,
      Address: '10.0.0.1',
      Check: { CheckID: 'c', Name: 'c', Status },
    })
    await ctx.ok('PUT', '/catalog/register', { body: check('passing') })
    const body = { Node, Checks: ['c'], Behavior: 'delete', LockDelay: '0s' }
    const { ID } = await ctx.ok<{ ID: string }>('PUT', '/session/create', { body })
    const path = `/kv/${ctx.unique('lock')}`
    await ctx.ok('PUT', `${path}?acquire=${ID}`)
    await ctx.ok('PUT', '/catalog/register', { body: check('warning') })
    assert.equal((await ctx.ok<Session[]>('GET', `/session/info/${ID}`)).length, 1)
    await ctx.ok('PUT', '/catalog/register', { body: check('critical') })
    assert.deepEqual(await ctx.ok('GET', `/session/info/${ID}`), [])
    await ctx.refuses('GET', path, {}, '404 not_found')
    const text = "Check 'c' is in critical state"
    await ctx.refuses('PUT', '/session/create', { body }, '400 check_critical', text)
    for (const [Checks, removed] of [
      [['c'], { Node, CheckID: 'c' }],
      [[], { Node }],
    ] as const) {
      await ctx.ok('PUT', '/catalog/register', { body: check('passing') })
      const ofRemoved = await ctx.ok<{ ID: string }>('PUT', '/session/create', { body: { Node, Checks } })
      await ctx.ok('PUT', '/catalog/deregister', { body: removed })
      assert.deepEqual(await ctx.ok('GET', `/session/info/${ofRemoved.ID}`), [])
    }
  }),
]

async function aNode(ctx: Context): Promise<string> {
  const Node = ctx.unique('node')
  await ctx.ok('PUT', '/catalog/register', { body: { Node, Address: '10.0.0.1' } })
  return Node
}

async function aSession(ctx: Context): Promise<string> {
  const body = { Node: await aNode(ctx), Checks: [] }
  return (await ctx.ok<{ ID: string }>('PUT', '/session/create', { body })).ID
}

/** Transactions over keys, nodes, services and checks. */
import assert from 'node:assert/strict'
import { type Case, test } from '../case.ts'
import type { Context } from '../context.ts'

interface Answer {
  readonly Results: readonly Record<string, Record<string, unknown>>[] | null
  readonly Errors: readonly { readonly OpIndex: number; readonly What: string }[] | null
  readonly Index?: number
  readonly KnownLeader?: boolean
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

async function apply(ctx: Context, operations: readonly object[], token?: string | null) {
  const reply = await ctx.call('PUT', '/txn', { body: operations, ...(token === undefined ? {} : { token }) })
  return { status: reply.status, headers: reply.headers, ...(JSON.parse(reply.text) as Answer) }
}

export const transactionCases: readonly Case[] = [
  test('txn/keys [D/transactions/keys] writes of keys are committed together at one index, and each sees the earlier ones', async (ctx) => {
    const dir = ctx.unique('dir')
    const made = await apply(ctx, [
      { KV: { Verb: 'check-not-exists', Key: `${dir}/a` } },
      { KV: { Verb: 'set', Key: `${dir}/a`, Value: base64('1'), Flags: 7 } },
      { KV: { Verb: 'cas', Key: `${dir}/b`, Index: 0, Value: base64('2') } },
      { KV: { Verb: 'get', Key: `${dir}/a` } },
      { KV: { Verb: 'get-tree', Key: `${dir}/` } },
      { KV: { Verb: 'delete', Key: `${dir}/b` } },
    ])
    assert.deepEqual([made.status, made.Errors], [200, null])
    assert.equal(made.Index, undefined)
    const index = made.Results?.[0]?.KV?.ModifyIndex
    const shown = (name: string, Value: string | null, Flags = 0) => ({
      KV: { LockIndex: 0, Key: `${dir}/${name}`, Flags, Value, CreateIndex: index, ModifyIndex: index },
    })
    // The extended edition also shows a Namespace.
    const results = made.Results?.map(({ KV: { Namespace: _, ...KV } = {} }) => ({ KV }))
    assert.deepEqual(results, [
      shown('a', null, 7),
      shown('b', null),
      shown('a', base64('1'), 7),
      shown('a', base64('1'), 7),
      shown('b', base64('2')),
    ])
    assert.deepEqual(await ctx.ok('GET', `/kv/${dir}/?keys`), [`${dir}/a`])
    const [entry] = await ctx.ok<{ ModifyIndex: number }[]>('GET', `/kv/${dir}/a`)
    assert.equal(entry?.ModifyIndex, index)
  }),
  test('txn/flags [D/transactions/keys] flags keep all 64 bits', async (ctx) => {
    const key = ctx.unique('key')
    const flags = '16213838234312408544'
    const text = `[{"KV":{"Verb":"set","Key":"${key}","Flags":${flags}}},{"KV":{"Verb":"get","Key":"${key}"}}]`
    const reply = await ctx.call('PUT', '/txn', { raw: text })
    assert.equal(reply.status, 200)
    assert.equal(reply.text.split(`"Flags":${flags},`).length, 3)
  }),
  test('txn/all-or-nothing [D/transactions/failures] 409: if an operation fails, all are undone, and the error names every failing one', async (ctx) => {
    const dir = ctx.unique('dir')
    await ctx.ok('PUT', `/kv/${dir}/there`, { raw: 'v' })
    const failing = await apply(ctx, [
      { KV: { Verb: 'set', Key: `${dir}/new`, Value: base64('1') } },
      { KV: { Verb: 'get', Key: `${dir}/gone` } },
      { KV: { Verb: 'cas', Key: `${dir}/there`, Index: 1, Value: base64('2') } },
      { KV: { Verb: 'check-index', Key: `${dir}/gone`, Index: 1 } },
      { KV: { Verb: 'check-not-exists', Key: `${dir}/there` } },
      { KV: { Verb: 'delete-cas', Key: `${dir}/gone`, Index: 1 } },
      { KV: { Verb: 'delete-cas', Key: `${dir}/there`, Index: 1 } },
    ])
    assert.deepEqual([failing.status, failing.Results], [409, null])
    assert.deepEqual(failing.Errors, [
      { OpIndex: 1, What: `key "${dir}/gone" doesn't exist` },
      { OpIndex: 2, What: `failed to set key "${dir}/there", index is stale` },
      { OpIndex: 3, What: `failed to check index, key "${dir}/gone" doesn't exist` },
      { OpIndex: 4, What: `key "${dir}/there" exists` },
      { OpIndex: 6, What: `failed to delete key "${dir}/there", index is stale` },
    ])
    await ctx.refuses('GET', `/kv/${dir}/new`, {}, '404 not_found')
    const unknown = [
      { KV: { Verb: 'shift', Key: 'a' } },
      { KV: { Verb: 'lock', Key: 'a' } },
      { Node: { Verb: 'shift', Node: { Node: 'n' } } },
    ]
    assert.deepEqual((await apply(ctx, [...unknown, { KV: { Verb: 'get', Key: `${dir}/gone` } }])).Errors, [
      { OpIndex: 0, What: 'unknown KV verb "shift"' },
      { OpIndex: 1, What: 'missing session' },
      { OpIndex: 2, What: 'unknown Node verb "shift"' },
      { OpIndex: 3, What: `key "${dir}/gone" doesn't exist` },
    ])
    // A malformed operation hides those that would only fail, because nothing is looked up.
    const malformed = await apply(ctx, [...unknown, { KV: { Verb: 'set' } }])
    assert.deepEqual(malformed.Errors, [{ OpIndex: 3, What: 'Must provide key' }])
  }),
  test('txn/reads [D/transactions/reads] a read-only transaction reports its freshness and obeys the consistency modes', async (ctx) => {
    const key = ctx.unique('key')
    await ctx.ok('PUT', `/kv/${key}`, { raw: 'v' })
    for (const mode of ['', '?consistent', '?stale']) {
      const reply = await ctx.call('PUT', `/txn${mode}`, { body: [{ KV: { Verb: 'get', Key: key } }] })
      const answer = JSON.parse(reply.text) as Answer
      assert.deepEqual([answer.Index, answer.KnownLeader], [0, true])
      assert.equal(answer.Results?.[0]?.KV?.Value, base64('v'))
    }
    for (const body of [[], [{}]]) {
      const empty = await apply(ctx, body)
      assert.deepEqual([empty.status, empty.Results, empty.Index], [200, [], 0])
    }
    await ctx.refuses('PUT', '/txn?consistent&stale', { body: [] }, '400 query_invalid stale')
  }),
  test('txn/rights [D/transactions/rights] 409 with Permission denied: rights are checked before anything is looked up; gets leave out what the caller may not read, existing or not', async (ctx) => {
    const dir = ctx.unique('dir')
    for (const name of ['a', 'b']) await ctx.ok('PUT', `/kv/${dir}/${name}`, { raw: name })
    const { SecretID } = await ctx.caller(
      `key "${dir}/a" { policy = "write" }\nkey "${dir}/read" { policy = "read" }`,
    )
    const denied = await apply(
      ctx,
      [
        { KV: { Verb: 'set', Key: `${dir}/a`, Value: '' } },
        { KV: { Verb: 'set', Key: `${dir}/b`, Value: '' } },
        { KV: { Verb: 'check-index', Key: `${dir}/b`, Index: 1 } },
        { KV: { Verb: 'check-not-exists', Key: `${dir}/read` } },
        { KV: { Verb: 'delete-tree', Key: `${dir}/` } },
        { KV: { Verb: 'check-index', Key: `${dir}/a`, Index: 1 } },
      ],
      SecretID,
    )
    assert.equal(denied.status, 409)
    assert.deepEqual(
      denied.Errors,
      [1, 2, 3, 4].map((OpIndex) => ({ OpIndex, What: 'Permission denied' })),
    )
    const hidden = await apply(
      ctx,
      [
        { KV: { Verb: 'get', Key: `${dir}/b` } },
        { KV: { Verb: 'get', Key: `${dir}/gone` } },
        { KV: { Verb: 'get-tree', Key: `${dir}/` } },
      ],
      SecretID,
    )
    assert.deepEqual(
      hidden.Results?.map(({ KV }) => KV?.Key),
      [`${dir}/a`],
    )
    await ctx.refuses('PUT', '/txn', { body: [], token: crypto.randomUUID() }, '403 caller_unknown')
  }),
  test('txn/limits [D/transactions/bounds] 413: a transaction has more than 64 operations; 400: a value is not base64', async (ctx) => {
    const operations = (count: number) =>
      Array.from({ length: count }, () => ({ KV: { Verb: 'check-not-exists', Key: ctx.unique('key') } }))
    assert.equal((await apply(ctx, operations(64))).status, 200)
    await ctx.refuses('PUT', '/txn', { body: operations(65) }, '413 transaction_too_large')
    const broken = [{ KV: { Verb: 'set', Key: 'a', Value: 'a' } }]
    await ctx.refuses('PUT', '/txn', { body: broken }, '400 field_invalid')
  }),
  test('txn/shown [D/transactions/bounds] 413: operations show more than 4 MiB together, however often they show the same record', async (ctx) => {
    const dir = ctx.unique('dir')
    const stored = 'v'.repeat(100_000)
    await ctx.ok('PUT', `/kv/${dir}/a`, { raw: stored })
    const times = (count: number, operation: object) => Array.from({ length: count }, () => operation)
    for (const KV of [
      { Verb: 'get-tree', Key: `${dir}/` },
      { Verb: 'get', Key: `${dir}/a` },
    ]) {
      assert.equal((await apply(ctx, times(40, { KV }))).status, 200)
      await ctx.refuses('PUT', '/txn', { body: times(43, { KV }) }, '413 transaction_too_large')
    }
    const set = { KV: { Verb: 'set', Key: `${dir}/b`, Value: base64(stored) } }
    const get = { KV: { Verb: 'get', Key: `${dir}/b` } }
    await ctx.refuses('PUT', '/txn', { body: [set, ...times(43, get)] }, '413 transaction_too_large')
    await ctx.refuses('GET', `/kv/${dir}/b`, {}, '404 not_found')
  }),
  test('txn/shown-catalog [D/transactions/bounds] 413: the tags of a service count each time that one of its checks shows them', async (ctx) => {
    const [Node, name] = [ctx.unique('node'), ctx.unique('service')]
    const Tags = Array.from({ length: 50 }, (_, i) => `${i}`.padEnd(2_000, 't'))
    const check = (i: number) => ({
      Check: { Verb: 'set', Check: { Node, CheckID: `c${i}`, ServiceID: name, Status: 'passing' } },
    })
    const made = [
      { Node: { Verb: 'set', Node: { Node, Address: '10.0.0.1' } } },
      { Service: { Verb: 'set', Node, Service: { Service: name, Tags } } },
    ]
    const checks = (count: number) => Array.from({ length: count }, (_, i) => check(i))
    await ctx.refuses('PUT', '/txn', { body: [...made, ...checks(45)] }, '413 transaction_too_large')
    assert.deepEqual(await ctx.ok('GET', `/catalog/service/${name}`), [])
    assert.equal((await apply(ctx, [...made, ...checks(30)])).status, 200)
    const ofNode = await apply(ctx, [{ Check: { Verb: 'set', Check: { Node, CheckID: 'of-node' } } }])
    assert.equal(ofNode.Results?.[0]?.Check?.ServiceTags, null)
    const Service = { Verb: 'get', Node, Service: { ID: name } }
    await ctx.refuses(
      'PUT',
      '/txn',
      { body: checks(45).map(() => ({ Service })) },
      '413 transaction_too_large',
    )
  }).needing({ from: '1.4.1' }),
  test('txn/catalog [D/transactions/catalog] nodes, services and checks are registered and removed together, each by its own operation', async (ctx) => {
    const Node = ctx.unique('node')
    const name = ctx.unique('service')
    const made = await apply(ctx, [
      { Node: { Verb: 'cas', Node: { Node, Address: '10.0.0.1', ModifyIndex: 0 } } },
      { Service: { Verb: 'set', Node, Service: { ID: `${name}-1`, Service: name, Port: 80 } } },
      { Check: { Verb: 'set', Check: { Node, CheckID: 'c', ServiceID: `${name}-1`, Status: 'passing' } } },
      { Service: { Verb: 'get', Node, Service: { ID: `${name}-1` } } },
    ])
    assert.deepEqual([made.status, made.Errors], [200, null])
    const [node, service, check, again] = made.Results ?? []
    const index = node?.Node?.ModifyIndex
    assert.deepEqual([service?.Service?.Port, service?.Service?.ModifyIndex], [80, index])
    assert.deepEqual([check?.Check?.ServiceName, check?.Check?.CreateIndex], [name, index])
    assert.deepEqual(again, service)
    const [instance] = await ctx.ok<{ Checks: { Status: string }[] }[]>('GET', `/health/service/${name}`)
    assert.equal(instance?.Checks[0]?.Status, 'passing')
    const stale = await apply(ctx, [
      { Node: { Verb: 'cas', Node: { Node, Address: '10.0.0.2', ModifyIndex: 0 } } },
      { Service: { Verb: 'delete-cas', Node, Service: { ID: `${name}-1`, Service: name, ModifyIndex: 1 } } },
      { Check: { Verb: 'set', Check: { Node, CheckID: 'd', ServiceID: 'gone' } } },
      { Service: { Verb: 'set', Node: `${Node}-gone`, Service: { Service: name } } },
      { Service: { Verb: 'delete', Node, Service: { ID: `${name}-1` } } },
    ])
    // Malformed operations are reported first.
    assert.deepEqual(stale.Errors, [{ OpIndex: 4, What: 'Must provide service name with ID' }])
    const Key = ctx.unique('key')
    const two = { KV: { Verb: 'set', Key }, Node: { Verb: 'get', Node: { Node } } }
    await ctx.refuses('PUT', '/txn', { body: [{}, two] }, '400 field_invalid [1]')
    await ctx.refuses('GET', `/kv/${Key}`, {}, '404 not_found')
    const failing = await apply(ctx, [
      { Node: { Verb: 'cas', Node: { Node, Address: '10.0.0.2', ModifyIndex: 0 } } },
      { Service: { Verb: 'delete-cas', Node, Service: { ID: `${name}-1`, Service: name, ModifyIndex: 1 } } },
      { Check: { Verb: 'set', Check: { Node, CheckID: 'd', ServiceID: 'gone' } } },
      { Service: { Verb: 'set', Node: `${Node}-gone`, Service: { Service: name } } },
    ])
    assert.deepEqual(failing.Errors, [
      { OpIndex: 0, What: `failed to set node "${Node}", index is stale` },
      { OpIndex: 1, What: `failed to delete service "${name}-1" on node "${Node}", index is stale` },
      { OpIndex: 2, What: 'Missing service registration' },
      { OpIndex: 3, What: 'Missing node registration' },
    ])
    const gone = await apply(ctx, [
      { Node: { Verb: 'delete-cas', Node: { Node, ModifyIndex: index } } },
      { KV: { Verb: 'set', Key: ctx.unique('key'), Value: '' } },
    ])
    assert.equal(gone.status, 200)
    assert.deepEqual(await ctx.ok('GET', `/catalog/service/${name}`), [])
  }).needing({ from: '1.4.1' }),
  test('txn/node-twice [D/transactions/catalog] a node that a transaction creates and then changes, or renames, has the index of the transaction', async (ctx) => {
    const [Node, renamed] = [ctx.unique('node'), ctx.unique('renamed')]
    const ID = crypto.randomUUID()
    const set = (fields: object) => ({ Node: { Verb: 'set', Node: { ID, Address: '10.0.0.1', ...fields } } })
    const made = await apply(ctx, [set({ Node }), set({ Node, Address: '10.0.0.2' }), set({ Node: renamed })])
    assert.equal(made.status, 200)
    const index = made.Results?.[2]?.Node?.ModifyIndex
    const stored = await ctx.ok<{ Node: object }>('GET', `/catalog/node/${renamed}`)
    assert.partialDeepStrictEqual(stored.Node, { CreateIndex: index, ModifyIndex: index })
    await ctx.ok('PUT', '/catalog/deregister', { body: { Node: renamed } })
  }).needing({ from: '1.4.1' }),
  test('txn/locks [D/transactions/keys] keys are locked, written under the lock and released; removing a node in a transaction releases its locks', async (ctx) => {
    const [Node, key] = [ctx.unique('node'), ctx.unique('key')]
    await ctx.ok('PUT', '/catalog/register', { body: { Node, Address: '10.0.0.1' } })
    const body = { Node, LockDelay: '0s' }
    const session = async () => (await ctx.ok<{ ID: string }>('PUT', '/session/create', { body })).ID
    const [mine, other] = [await session(), await session()]
    const of = (Verb: string, Session: string) => ({ KV: { Verb, Key: key, Session, Value: base64(Verb) } })
    const locked = await apply(ctx, [
      of('lock', mine),
      of('check-session', mine),
      { KV: { Verb: 'set', Key: key, Value: base64('by the leader') } },
    ])
    assert.deepEqual([locked.status, locked.Errors], [200, null])
    assert.deepEqual(
      locked.Results?.map(({ KV }) => [KV?.LockIndex, KV?.Session]),
      [1, 1, 1].map((index) => [index, mine]),
    )
    const failing = await apply(ctx, [
      of('lock', other),
      of('unlock', other),
      of('check-session', other),
      of('lock', crypto.randomUUID()),
    ])
    assert.equal(failing.status, 409)
    assert.deepEqual(
      failing.Errors?.map(({ What }) => What.replace(/"[^"]*"/g, '""')),
      [
        'failed to lock key "", lock is already held',
        'failed to unlock key "", lock isn\'t held, or is held by another session',
        'failed session check for key "", current session "" != ""',
        'invalid session ""',
      ],
    )
    const gone = await apply(ctx, [
      { Node: { Verb: 'delete', Node: { Node } } },
      { KV: { Verb: 'get', Key: key } },
    ])
    assert.deepEqual([gone.Results?.[0]?.KV?.LockIndex, gone.Results?.[0]?.KV?.Session], [1, undefined])
    const [entry] = await ctx.ok<{ Session?: string; ModifyIndex: number }[]>('GET', `/kv/${key}`)
    assert.deepEqual([entry?.Session, entry?.ModifyIndex], [undefined, gone.Results?.[0]?.KV?.ModifyIndex])
  }).needing({ from: '1.7.0' }),
  test('txn/catalog-rights [D/transactions/rights] 409 with Permission denied: an operation needs the rights to both the stored and the sent record', async (ctx) => {
    const Node = ctx.unique('node')
    const [mine, theirs] = [ctx.unique('mine'), ctx.unique('theirs')]
    await ctx.ok('PUT', '/catalog/register', {
      body: {
        Node,
        Address: '10.0.0.1',
        Service: { ID: 'taken', Service: theirs },
        Check: { CheckID: 'of-theirs', ServiceID: 'taken' },
      },
    })
    const { SecretID } = await ctx.caller(`service "${mine}" { policy = "write" }`)
    const check = { Node, CheckID: 'of-theirs' }
    const operations = [
      { Service: { Verb: 'set', Node, Service: { ID: 'own', Service: mine } } },
      { Service: { Verb: 'set', Node, Service: { ID: 'taken', Service: mine } } },
      { Service: { Verb: 'delete', Node, Service: { ID: 'taken', Service: mine } } },
      { Check: { Verb: 'delete', Check: { ...check, ServiceName: mine } } },
      { Check: { Verb: 'set', Check: { ...check, ServiceID: 'own' } } },
      { Node: { Verb: 'set', Node: { Node, Address: '10.0.0.2' } } },
    ]
    const denied = await apply(ctx, operations, SecretID)
    assert.equal(denied.status, 409)
    assert.deepEqual(
      denied.Errors,
      [1, 2, 3, 4, 5].map((OpIndex) => ({ OpIndex, What: 'Permission denied' })),
    )
    const made = await apply(ctx, operations.slice(0, 1), SecretID)
    assert.equal(made.status, 200)
    await ctx.ok('PUT', '/catalog/deregister', { body: { Node } })
  }).needing({ from: '1.4.1' }),
]

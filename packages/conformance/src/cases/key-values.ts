/** The key-value store. Spec 5.4, 7. */
import assert from 'node:assert/strict'
import { type Case, test } from '../case.ts'

export const keyValueCases: readonly Case[] = [
  test('kv/value [5.4] a key is written, read as a record and raw, listed, and deleted', async (ctx) => {
    const key = `${ctx.unique('dir')}/a b%ü`
    const path = `/kv/${key.split('/').map(encodeURIComponent).join('/')}`
    assert.equal((await ctx.call('PUT', path, { raw: 'va\u0000lue' })).text, 'true')
    const [entry] = await ctx.ok<{ Key: string; Value: string }[]>('GET', path)
    assert.deepEqual([entry?.Key, entry?.Value], [key, Buffer.from('va\u0000lue').toString('base64')])
    const raw = await ctx.call('GET', `${path}?raw`)
    assert.deepEqual([raw.text, raw.headers.get('content-type')], ['va\u0000lue', 'application/octet-stream'])
    // A value that is a web page must not run in the browser.
    assert.equal(raw.headers.get('x-content-type-options'), 'nosniff')
    assert.match(raw.headers.get('content-security-policy') ?? '', /^sandbox\b(?!.*allow-)/)
    const dir = `/kv/${key.split('/')[0]}`
    assert.deepEqual(await ctx.ok('GET', `${dir}/?keys`), [key])
    assert.equal((await ctx.ok<unknown[]>('GET', `${dir}?recurse`)).length, 1)
    assert.equal((await ctx.call('DELETE', `/kv/${encodeURIComponent(key)}`)).text, 'true')
    await ctx.refuses('GET', path, {}, '404 not_found')
  }),
  test('kv/doubled-slashes [5.4] keys with a leading or double slash are written, listed and read with encoded slashes', async (ctx) => {
    const dir = ctx.unique('dir')
    for (const [Key, path] of [
      [`/${dir}`, `/kv/%2F${dir}`],
      [`${dir}//b`, `/kv/${dir}/%2Fb`],
    ] as const) {
      assert.equal((await ctx.call('PUT', path, { raw: 'v' })).text, 'true')
      const [entry] = await ctx.ok<{ Key: string }[]>('GET', path)
      assert.equal(entry?.Key, Key)
      assert.deepEqual(await ctx.ok('GET', `${path}?keys`), [Key])
      assert.equal((await ctx.call('DELETE', path)).text, 'true')
    }
  }),
  test('kv/forbidden [7/key-value, 5.4, 9.3/1.0] 403 privilege_missing: a token without the right, or an anonymous caller, reads a key, whether it exists or not', async (ctx) => {
    const key = ctx.unique('key')
    await ctx.ok('PUT', `/kv/${key}`, { raw: 'v' })
    const powerless = await ctx.caller('key "other" { policy = "read" }')
    for (const path of [`/kv/${key}`, `/kv/${key}-missing`, `/kv/${key}?raw`]) {
      const text = /lacks permission 'key:read' on "/
      for (const token of [powerless.SecretID, null]) {
        await ctx.refuses('GET', path, { token }, '403 privilege_missing', text)
      }
      await ctx.refuses('GET', path, { token: crypto.randomUUID() }, '403 caller_unknown')
    }
  }),
  test('kv/forbidden-before-1.0 [9.3/1.0, D/versions/gates] 404 before 1.0: an anonymous caller reads a key', async (ctx) => {
    const key = ctx.unique('key')
    await ctx.ok('PUT', `/kv/${key}`, { raw: 'v' })
    await ctx.ok('GET', `/kv/${key}`)
    assert.equal((await ctx.call('GET', `/kv/${key}`, { token: null })).status, 404)
  }).needing({ from: '0.7', before: '1.0', mode: 'legacy' }),
  test('kv/rights [5.4] 403 privilege_missing: a key is written or deleted without key:write; a tree is deleted without write on all of it', async (ctx) => {
    const dir = ctx.unique('dir')
    await ctx.ok('PUT', `/kv/${dir}/a`, { raw: 'v' })
    const reader = await ctx.caller(`key_prefix "${dir}" { policy = "read" }`)
    const writer = await ctx.caller(
      `key_prefix "${dir}" { policy = "write" }\nkey "${dir}/b" { policy = "read" }`,
    )
    const refusal = '403 privilege_missing'
    await ctx.ok('GET', `/kv/${dir}/a`, { token: reader.SecretID })
    await ctx.refuses('PUT', `/kv/${dir}/a`, { raw: 'w', token: reader.SecretID }, refusal)
    await ctx.refuses('DELETE', `/kv/${dir}/a`, { token: reader.SecretID }, refusal)
    await ctx.ok('PUT', `/kv/${dir}/a`, { raw: 'w', token: writer.SecretID })
    await ctx.refuses('DELETE', `/kv/${dir}/?recurse`, { token: writer.SecretID }, refusal)
    await ctx.refuses('PUT', `/kv/${ctx.unique('other')}`, { raw: 'w', token: writer.SecretID }, refusal)
    await ctx.ok('DELETE', `/kv/${dir}/a`, { token: writer.SecretID })
    const owner = await ctx.caller(`key_prefix "${dir}" { policy = "write" }`)
    await ctx.ok('DELETE', `/kv/${dir}/?recurse`, { token: owner.SecretID })
  }),
  test('kv/filtered [5.4] lists and trees of keys show what the caller may read; 404 if that is nothing', async (ctx) => {
    const dir = ctx.unique('dir')
    for (const name of ['a', 'b', 'c']) await ctx.ok('PUT', `/kv/${dir}/${name}`, { raw: name })
    const partial = await ctx.caller(
      `key_prefix "${dir}/" { policy = "list" }\nkey "${dir}/b" { policy = "deny" }`,
    )
    const keys = await ctx.ok<string[]>('GET', `/kv/${dir}/?keys`, { token: partial.SecretID })
    assert.deepEqual(keys, [`${dir}/a`, `${dir}/c`])
    const reader = await ctx.caller(
      `key_prefix "${dir}/" { policy = "read" }\nkey "${dir}/b" { policy = "deny" }`,
    )
    const tree = await ctx.ok<{ Key: string }[]>('GET', `/kv/${dir}/?recurse`, { token: reader.SecretID })
    assert.deepEqual(
      tree.map(({ Key }) => Key),
      [`${dir}/a`, `${dir}/c`],
    )
    const powerless = await ctx.caller('')
    await ctx.refuses('GET', `/kv/${dir}?recurse`, { token: powerless.SecretID }, '404 not_found')
  }),
  test('kv/names-hidden [5.4] keys that the caller may not read look absent in names: 404 below a prefix, [] for all names', async (ctx) => {
    const dir = ctx.unique('dir')
    await ctx.ok('PUT', `/kv/${dir}/key`, { raw: 'v' })
    const powerless = await ctx.caller('')
    const elsewhere = await ctx.caller(`key_prefix "${dir}/other/" { policy = "read" }`)
    for (const { SecretID: token } of [powerless, elsewhere]) {
      for (const prefix of [dir, `${dir}/`, `${dir}/key`, `${dir}/none`]) {
        for (const query of ['keys', 'keys&separator=/', 'recurse']) {
          await ctx.refuses('GET', `/kv/${prefix}?${query}`, { token }, '404 not_found')
        }
      }
      assert.deepEqual(await ctx.ok('GET', '/kv/?keys', { token }), [])
    }
  }),
  test('kv/flags [5.4] flags are unsigned 64-bit numbers, shown with all digits in every answer', async (ctx) => {
    const path = `/kv/${ctx.unique('key')}`
    for (const flags of ['0', '42', '9007199254740993', '9223372036854775808', '18446744073709551615']) {
      assert.equal((await ctx.call('PUT', `${path}?flags=${flags}`, { raw: '1' })).text, 'true')
      for (const query of ['', '?recurse', '?pretty'])
        assert.match((await ctx.call('GET', path + query)).text, new RegExp(`"Flags": ?${flags}[,\\n]`))
    }
    for (const flags of ['18446744073709551616', '-1', '1.5', 'x']) {
      await ctx.refuses('PUT', `${path}?flags=${flags}`, { raw: '1' }, '400 query_invalid', /flags/)
    }
  }),
  test('kv/cas [5.4] cas writes and deletes only an unchanged key, and answers false otherwise; deleting a missing key succeeds', async (ctx) => {
    const path = `/kv/${ctx.unique('key')}`
    assert.equal((await ctx.call('PUT', `${path}?cas=0`, { raw: '1' })).text, 'true')
    assert.equal((await ctx.call('PUT', `${path}?cas=0`, { raw: '2' })).text, 'false')
    const [entry] = await ctx.ok<{ ModifyIndex: number }[]>('GET', path)
    assert.equal((await ctx.call('PUT', `${path}?cas=${entry?.ModifyIndex}`, { raw: '3' })).text, 'true')
    assert.equal((await ctx.call('DELETE', `${path}?cas=${entry?.ModifyIndex}`)).text, 'false')
    assert.equal((await ctx.call('DELETE', `${path}?cas=0`)).text, 'false')
    assert.equal((await ctx.call('GET', `${path}?raw`)).text, '3')
    // A missing key has nothing to overwrite, which is false, and nothing to delete, which is true.
    assert.equal(
      (await ctx.call('PUT', `${path}-none?cas=${entry?.ModifyIndex}`, { raw: '4' })).text,
      'false',
    )
    for (const cas of [0, entry?.ModifyIndex])
      assert.equal((await ctx.call('DELETE', `${path}-none?cas=${cas}`)).text, 'true')
  }),
  test('kv/unchanged [5.4, D/transactions/keys, D/blocking/wakes] a write of what the key already holds succeeds, keeps its ModifyIndex and wakes nobody; a change does not', async (ctx) => {
    const [Node, key] = [ctx.unique('node'), ctx.unique('key')]
    await ctx.ok('PUT', '/catalog/register', { body: { Node, Address: '10.0.0.1' } })
    const { ID: Session } = await ctx.ok<{ ID: string }>('PUT', '/session/create', { body: { Node } })
    const read = async () => {
      const [entry] = await ctx.ok<{ ModifyIndex: number; LockIndex: number }[]>('GET', `/kv/${key}`)
      return entry
    }
    const put = async (query: string, raw: string) =>
      assert.equal((await ctx.call('PUT', `/kv/${key}?${query}`, { raw })).text, 'true', query)
    const inTxn = async (Verb: string, text: string, more: object) => {
      const Value = Buffer.from(text).toString('base64')
      const reply = await ctx.call('PUT', '/txn', { body: [{ KV: { Verb, Key: key, Value, ...more } }] })
      assert.equal(reply.status, 200, Verb)
      return JSON.parse(reply.text).Results[0].KV.ModifyIndex
    }
    for (const [flags, lock] of [
      ['', {}],
      ['flags=7', { Flags: 7 }],
      [`acquire=${Session}`, { Session }],
    ] as const) {
      await put(flags, 'value')
      const stored = await read()
      const ModifyIndex = stored?.ModifyIndex ?? 0
      const waiting = ctx.call('GET', `/kv/${key}?index=${ModifyIndex}&wait=60s`)
      const plain = 'Session' in lock ? '' : flags
      for (const query of [flags, plain, `${plain}&cas=${ModifyIndex}`]) await put(query, 'value')
      const verbs = 'Session' in lock ? ['lock', 'set', 'cas'] : ['set', 'cas']
      for (const verb of verbs)
        assert.equal(await inTxn(verb, 'value', { ...lock, Index: ModifyIndex }), ModifyIndex, verb)
      assert.deepEqual(await read(), stored)
      // Another value of the same length is a change, and the first that the watcher sees.
      const changed = await inTxn('set', 'eulav', lock)
      assert(changed > ModifyIndex)
      assert.equal(JSON.parse((await waiting).text)[0].ModifyIndex, changed)
    }
    const { ModifyIndex: before = 0 } = (await read()) ?? {}
    assert((await inTxn('set', '', { Flags: 0 })) > before, 'an empty value is another value')
    assert.equal((await ctx.call('GET', `/kv/${key}?raw`)).text, '')
    await put('', 'eulav')
    const { ModifyIndex = 0, LockIndex } = (await read()) ?? {}
    await put(`release=${Session}`, 'eulav')
    const released = await read()
    assert.equal(released?.LockIndex, LockIndex)
    assert(released && released.ModifyIndex > ModifyIndex, 'a release changes the lock')
    await ctx.ok('PUT', '/catalog/deregister', { body: { Node } })
  }),
]

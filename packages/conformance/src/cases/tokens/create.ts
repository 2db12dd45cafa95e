/** Creating tokens. Spec 2.1, 4.2. */
import assert from 'node:assert/strict'
import type { Token } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const createCases: readonly Case[] = [
  test('create/ids-generated [2.1/AccessorID, 2.1/SecretID, 4.2] a create with an empty body generates two different UUIDs and answers the record', async (ctx) => {
    const token = await ctx.token()
    assert.match(token.AccessorID, UUID)
    assert.match(token.SecretID, UUID)
    assert.notEqual(token.AccessorID, token.SecretID)
    const empty = await ctx.token({ AccessorID: '', SecretID: '' })
    assert.match(empty.AccessorID, UUID)
    assert.deepEqual(await ctx.ok('GET', `/acl/token/${token.AccessorID}`), token)
  }),
  test('create/ids-chosen [2.1/AccessorID, 2.1/SecretID] a create uses the ids that it is given', async (ctx) => {
    const ids = { AccessorID: crypto.randomUUID(), SecretID: crypto.randomUUID() }
    const token = await ctx.token(ids)
    assert.deepEqual({ AccessorID: token.AccessorID, SecretID: token.SecretID }, ids)
    assert.equal(
      (await ctx.ok<Token>('GET', '/acl/token/self', { token: ids.SecretID })).AccessorID,
      ids.AccessorID,
    )
  }),
  test('create/ids-alike [D/tokens/unique] accessor and secret may be the same new UUID', async (ctx) => {
    const id = crypto.randomUUID()
    const token = await ctx.token({ AccessorID: id, SecretID: id })
    assert.equal(token.AccessorID, token.SecretID)
  }),
  test('create/ids-malformed [2.1/AccessorID, 2.1/SecretID, D/status/rule-400] 400 id_invalid: an id that is not a UUID; the error does not repeat the secret', async (ctx) => {
    for (const bad of ['x', 'zzzzzzzz-0000-4000-8000-000000000000', '0000000000004000800000000000000011aa']) {
      for (const field of ['AccessorID', 'SecretID']) {
        await ctx.refuses(
          'PUT',
          '/acl/token',
          { body: { [field]: bad } },
          `400 id_invalid ${field}`,
          `Invalid Token: ${field} is not a valid UUID`,
        )
      }
    }
    const reply = await ctx.call('PUT', '/acl/token', { body: { SecretID: 'canary-canary' } })
    assert(!reply.text.includes('canary'), 'the refusal repeats the secret')
  }),
  test('create/ids-reserved [D/tokens/reserved] 400 id_reserved: ids with the prefix 00000000-0000-0000-0000-0000000000', async (ctx) => {
    for (const field of ['AccessorID', 'SecretID']) {
      const body = { [field]: '00000000-0000-0000-0000-000000000009' }
      await ctx.refuses('PUT', '/acl/token', { body }, `400 id_reserved ${field}`)
    }
  }),
  test('create/ids-taken [D/tokens/unique, D/status/taken-409] 409 id_in_use: an id is already an accessor or a secret, in any case', async (ctx) => {
    const taken = await ctx.token()
    const capital = await ctx.token({
      AccessorID: crypto.randomUUID().toUpperCase(),
      SecretID: crypto.randomUUID().toUpperCase(),
    })
    const cases = [
      ['AccessorID', taken.AccessorID],
      ['AccessorID', taken.AccessorID.toUpperCase()],
      ['AccessorID', taken.SecretID],
      ['AccessorID', taken.SecretID.toUpperCase()],
      ['SecretID', taken.SecretID],
      ['SecretID', taken.SecretID.toUpperCase()],
      ['SecretID', taken.AccessorID],
      ['SecretID', taken.AccessorID.toUpperCase()],
      ['AccessorID', capital.SecretID.toLowerCase()],
      ['SecretID', capital.SecretID.toLowerCase()],
      ['SecretID', capital.AccessorID.toLowerCase()],
    ] as const
    for (const [field, id] of cases) {
      const text = `Invalid Token: ${field} is already in use`
      await ctx.refuses('PUT', '/acl/token', { body: { [field]: id } }, `409 id_in_use ${field}`, text)
    }
  }),
  test('create/ids-free-again [D/tokens/unique] ids of a deleted token can be reused', async (ctx) => {
    const { AccessorID, SecretID } = await ctx.token()
    await ctx.ok('DELETE', `/acl/token/${AccessorID}`)
    assert.equal((await ctx.token({ AccessorID, SecretID })).AccessorID, AccessorID)
  }),
  test('create/description [2.1/Description, D/decoding/strings] a description may be any text and is kept as given', async (ctx) => {
    for (const text of ['', ' two  blanks ', 'grüße\n\t"<>&\u2028😀', '\u0000']) {
      assert.equal((await ctx.token({ Description: text })).Description, text)
    }
  }),
  test('create/description-bound [D/decoding/bounds] 400 field_too_long: a description above 4 KiB of UTF-8; exactly 4 KiB pass', async (ctx) => {
    await ctx.token({ Description: 'é'.repeat(2_048) })
    const body = { Description: `${'é'.repeat(2_048)}x` }
    await ctx.refuses('PUT', '/acl/token', { body }, '400 field_too_long Description')
  }),
  test('create/links-bound [D/decoding/bounds] 400 field_too_long: more than 1,000 links of one kind', async (ctx) => {
    const body = { Policies: Array.from({ length: 1_001 }, () => ({ Name: 'x' })) }
    await ctx.refuses('PUT', '/acl/token', { body }, '400 field_too_long Policies')
  }),
  test('create/local [2.1/Local] Local defaults to false', async (ctx) => {
    assert.equal((await ctx.token()).Local, false)
    assert.equal((await ctx.token({ Local: true })).Local, true)
  }),
  test('create/auth-method [2.1/AuthMethod] 400 field_invalid: a create cannot name an auth method', async (ctx) => {
    const body = { AuthMethod: 'minikube' }
    await ctx.refuses('PUT', '/acl/token', { body }, '400 field_invalid AuthMethod')
    assert(!('AuthMethod' in (await ctx.token({ AuthMethod: '' }))))
  }),
  test('create/rules [D/status/rule-400] 400 field_invalid: a create cannot have legacy rules; empty ones pass', async (ctx) => {
    const body = { Rules: 'key "" { policy = "read" }' }
    await ctx.refuses('PUT', '/acl/token', { body }, '400 field_invalid Rules')
    await ctx.token({ Rules: '' })
  }),
  test('create/time [2.1/CreateTime, D/records/times] CreateTime is the time of the create, in UTC, with at most three decimals', async (ctx) => {
    const { CreateTime } = await ctx.token()
    assert.match(CreateTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,2}[1-9])?Z$/)
    const offMs = Math.abs(Date.parse(CreateTime) - ctx.now())
    assert(offMs < 300_000, `CreateTime is ${offMs} ms off`)
  }),
  test('create/right [4.1/Create, 5.2, D/status/right-403] 403 privilege_missing: a caller with acl:read creates a token; the error names the missing right', async (ctx) => {
    const reader = await ctx.caller('acl = "read"')
    await ctx.refuses(
      'PUT',
      '/acl/token',
      { body: {}, token: reader.SecretID },
      '403 privilege_missing',
      `Permission denied: token with AccessorID '${reader.AccessorID}' lacks permission 'acl:write'`,
    )
    const writer = await ctx.caller('acl = "write"')
    await ctx.token({}, { token: writer.SecretID })
  }),
  test('create/right-anonymous [4.1/Create, D/status/right-403] 403 privilege_missing: an anonymous caller creates a token', async (ctx) => {
    const text = "Permission denied: anonymous token lacks permission 'acl:write'"
    await ctx.refuses('PUT', '/acl/token', { body: {}, token: null }, '403 privilege_missing', text)
  }),
]

/** Intentions by ID and by names. Spec 9.3, 9.5; decisions: intentions. */
import assert from 'node:assert/strict'
import type { ConfigEntry, Intention } from '@latchkey/contract'
import { type Case, test } from '../case.ts'
import type { Context } from '../context.ts'

const DENIED = '403 privilege_missing'

/** Creates an intention and returns its ID. */
export async function anIntention(ctx: Context, fields: Readonly<Record<string, unknown>>): Promise<string> {
  const { ID } = await ctx.ok<{ ID: string }>('POST', '/connect/intentions', {
    body: { Action: 'allow', ...fields },
  })
  return ID
}

const ends = (source: string, destination: string) =>
  `source=${encodeURIComponent(source)}&destination=${encodeURIComponent(destination)}`

export const intentionCases: readonly Case[] = [
  test('intentions/record [D/intentions/by-id] an intention is created, read by its ID in any case, replaced by an update, listed and deleted', async (ctx) => {
    const [SourceName, DestinationName] = [ctx.unique('a'), ctx.unique('b')]
    const fields = { SourceName, DestinationName, Description: 'd', Meta: { team: 'x' } }
    const ID = await anIntention(ctx, fields)
    const read = () => ctx.ok<Intention>('GET', `/connect/intentions/${ID.toUpperCase()}`)
    const created = await read()
    const { CreatedAt, UpdatedAt, Hash, CreateIndex, ModifyIndex } = created
    const times = { CreatedAt, UpdatedAt, Hash, CreateIndex, ModifyIndex }
    const ends = { SourceNS: 'default', DestinationNS: 'default', SourceType: 'consul', Precedence: 9 }
    const shown = { ...created }
    for (const name of ['DefaultAddr', 'DefaultPort'] as const) delete shown[name]
    assert.deepEqual(shown, { ...fields, ID, Action: 'allow', ...ends, ...times })
    assert(CreatedAt === UpdatedAt && Hash !== '' && CreateIndex === ModifyIndex)
    const body = { SourceName, DestinationName, Action: 'deny' }
    assert.deepEqual(await ctx.ok('PUT', `/connect/intentions/${ID}`, { body }), { ID })
    const updated = await read()
    assert.equal(updated.Action, 'deny')
    assert.equal(updated.Description, '')
    assert.equal(Object.keys(updated.Meta ?? {}).length, 0)
    assert(updated.ModifyIndex > ModifyIndex && updated.CreateIndex === CreateIndex)
    const listed = await ctx.ok<Intention[]>('GET', '/connect/intentions')
    assert.deepEqual(
      listed.find((intention) => intention.ID === ID),
      updated,
    )
    assert.equal(await ctx.ok<boolean>('DELETE', `/connect/intentions/${ID}`), true)
    const unknown = '404 not_found'
    await ctx.refuses('GET', `/connect/intentions/${ID}`, {}, unknown, 'Intention not found')
    await ctx.refuses('PUT', `/connect/intentions/${ID}`, { body }, unknown, 'Cannot modify non-existent')
    await ctx.refuses('DELETE', `/connect/intentions/${ID}`, {}, unknown, 'Cannot delete non-existent')
    await ctx.refuses('GET', `/connect/intentions/x`, {}, '400 id_invalid')
  }),
  test('intentions/rules [D/intentions/by-id, D/status/rule-400, D/status/taken-409] 400: an intention breaks a rule; the error names the field; 409 intention_in_use: the same four names twice', async (ctx) => {
    const [SourceName, DestinationName] = [ctx.unique('a'), ctx.unique('b')]
    const body = { SourceName, DestinationName, Action: 'allow' }
    const table: readonly (readonly [object, string, string, string?])[] = [
      [{ ID: crypto.randomUUID() }, 'field_invalid', 'ID', 'ID must be empty'],
      [{ SourceName: '' }, 'field_required', 'SourceName', 'SourceName must be set'],
      [{ DestinationName: '' }, 'field_required', 'DestinationName', 'DestinationName must be set'],
      [{ SourceName: 'a*' }, 'field_invalid', 'SourceName', 'SourceName: wildcard character'],
      [{ Action: 'Allow' }, 'field_invalid', 'Action', "Action must be set to 'allow' or 'deny'"],
      [{ SourceType: 'x' }, 'field_invalid', 'SourceType', "SourceType must be set to 'consul'"],
      [{ Description: 'é'.repeat(257) }, 'field_too_long', 'Description'],
      [{ Foo: 1 }, 'field_unknown', 'Foo'],
    ]
    for (const [fields, code, field, text = ''] of table) {
      const refusal = `400 ${code as 'field_invalid'} ${field}` as const
      await ctx.refuses('POST', '/connect/intentions', { body: { ...body, ...fields } }, refusal, text)
    }
    const ID = await anIntention(ctx, body)
    const text = `duplicate intention found: ALLOW default/${SourceName} => default/${DestinationName} (ID: ${ID}, Precedence: 9)`
    await ctx.refuses('POST', '/connect/intentions', { body }, '409 intention_in_use', text)
    await ctx.ok('DELETE', `/connect/intentions/${ID}`)
  }),
  test('intentions/destination-fixed [9.5] 400 field_immutable: from 1.9.0 an update cannot change the destination', async (ctx) => {
    const SourceName = ctx.unique('a')
    const ID = await anIntention(ctx, { SourceName, DestinationName: ctx.unique('b') })
    const body = { SourceName, DestinationName: ctx.unique('c'), Action: 'allow' }
    await ctx.refuses('PUT', `/connect/intentions/${ID}`, { body }, '400 field_immutable DestinationName')
    await ctx.ok('DELETE', `/connect/intentions/${ID}`)
  }).needing({ from: '1.9.0' }),
  test('intentions/match [D/intentions/precedence] match and check: the highest precedence first, wildcards included; check follows the first match', async (ctx) => {
    const [a, b] = [ctx.unique('a'), ctx.unique('b')]
    const broad = await anIntention(ctx, { SourceName: '*', DestinationName: b, Action: 'deny' })
    const exact = await anIntention(ctx, { SourceName: a, DestinationName: b })
    const match = async (by: string, name: string) => {
      const found = await ctx.ok<Record<string, Intention[]>>(
        'GET',
        `/connect/intentions/match?by=${by}&name=${name}&name=default/${b}`,
      )
      assert.deepEqual(Object.keys(found), name === b ? [b, `default/${b}`] : [name, `default/${b}`])
      return found[name]?.filter(({ DestinationName }) => DestinationName === b) ?? []
    }
    const toB = await match('destination', b)
    assert.deepEqual(
      toB.map(({ ID, Precedence }) => [ID, Precedence]),
      [
        [exact, 9],
        [broad, 8],
      ],
    )
    assert.deepEqual(
      (await match('source', a)).map(({ ID }) => ID),
      [exact, broad],
    )
    const check = (source: string) =>
      ctx.ok('GET', `/connect/intentions/check?source=${source}&destination=${b}`)
    assert.deepEqual(await check(a), { Allowed: true })
    assert.deepEqual(await check(ctx.unique('other')), { Allowed: false })
    for (const [path, field] of [
      ['match?name=x', 'by'],
      ['match?by=source', 'name'],
      ['match?name=x&by=source&by=destination', 'by'],
      [`check?destination=${b}`, 'source'],
      [`check?source=${a}`, 'destination'],
    ] as const) {
      await ctx.refuses('GET', `/connect/intentions/${path}`, {}, `400 field_required ${field}`)
    }
    await ctx.refuses(
      'GET',
      `/connect/intentions/check?source=a/b/c&destination=${b}`,
      {},
      '400 field_invalid source',
    )
    for (const id of [broad, exact]) await ctx.ok('DELETE', `/connect/intentions/${id}`)
  }),
  test('intentions/filter [D/intentions/by-id] a filter selects intentions by their fields; 400 filter_invalid if it cannot be parsed', async (ctx) => {
    const DestinationName = ctx.unique('b')
    const allow = await anIntention(ctx, { SourceName: ctx.unique('a'), DestinationName })
    const deny = await anIntention(ctx, { SourceName: ctx.unique('a'), DestinationName, Action: 'deny' })
    const filter = encodeURIComponent(`DestinationName == "${DestinationName}" and Action == deny`)
    const found = await ctx.ok<Intention[]>('GET', `/connect/intentions?filter=${filter}`)
    assert.deepEqual(
      found.map(({ ID }) => ID),
      [deny],
    )
    await ctx.refuses('GET', `/connect/intentions?filter=Foo`, {}, '400 filter_invalid')
    for (const id of [allow, deny]) await ctx.ok('DELETE', `/connect/intentions/${id}`)
  }),
  test('intentions/case [D/intentions/case] names match regardless of case and keep their spelling: another case is the same intention', async (ctx) => {
    const [a, b] = [ctx.unique('a'), ctx.unique('b')]
    const [A, B] = [a.toUpperCase(), b.toUpperCase()]
    const ID = await anIntention(ctx, { SourceName: a, DestinationName: b, Action: 'deny' })
    for (const [SourceName, DestinationName] of [
      [a, B],
      [A, b],
    ]) {
      const body = { SourceName, DestinationName, Action: 'allow' }
      await ctx.refuses('POST', '/connect/intentions', { body }, '409 intention_in_use')
    }
    await anIntention(ctx, { SourceName: '*', DestinationName: B, Action: 'allow' })
    const allowed = async (source: string, destination: string) =>
      (await ctx.ok<{ Allowed: boolean }>('GET', `/connect/intentions/check?${ends(source, destination)}`))
        .Allowed
    assert.deepEqual([await allowed(A, B), await allowed('other', b)], [false, true])
    for (const [by, name] of Object.entries({ source: A, destination: B } as const)) {
      const match = `/connect/intentions/match?by=${by}&name=${name}`
      const { [name]: found = [] } = await ctx.ok<Record<string, Intention[]>>('GET', match)
      const [first] = found
      assert.deepEqual([first?.SourceName, first?.DestinationName, first?.ID], [a, b, ID])
    }
    assert.equal((await ctx.ok<Intention>('GET', `/connect/intentions/exact?${ends(A, B)}`)).ID, ID)
    const body = { SourceName: A, DestinationName: B, Action: 'allow' }
    assert.deepEqual(await ctx.ok('PUT', `/connect/intentions/${ID}`, { body }), { ID })
    const entry = `/config/service-intentions/${B}`
    assert.equal((await ctx.ok<ConfigEntry>('GET', entry)).Sources.length, 2)
    await ctx.ok('PUT', `/connect/intentions/exact?${ends(a, B)}`, { body: { Action: 'deny' } })
    const { Name, Sources } = await ctx.ok<ConfigEntry>('GET', entry)
    assert.deepEqual([Name, Sources.map((source) => source.Name)], [b, [a, '*']])
    const sources = [a, A].map((name) => ({ Name: name, Action: 'allow' }))
    const twice = { Kind: 'service-intentions', Name: b, Sources: sources }
    await ctx.refuses('PUT', '/config', { body: twice }, '400 field_invalid')
    await ctx.ok('DELETE', `/connect/intentions/exact?${ends(A, b)}`)
    await ctx.ok('DELETE', entry)
    await ctx.refuses('GET', `/config/service-intentions/${b}`, {}, '404 not_found')
  }).needing({ from: '1.9.0' }),
  test('intentions/case-rights [D/intentions/rights] 403 privilege_missing: a right to a name in another case is no right to the stored one: rules are case-sensitive', async (ctx) => {
    const [a, b] = [ctx.unique('a'), ctx.unique('b')]
    const B = b.toUpperCase()
    await anIntention(ctx, { SourceName: a, DestinationName: b })
    const rule = (name: string) => `service "${name}" { policy = "write" intentions = "write" }`
    const { SecretID: token } = await ctx.caller(rule(B))
    const text = /^Permission denied: (?!.*"b-)/
    for (const [method, path, body] of [
      ['POST', '/connect/intentions', { SourceName: 'x', DestinationName: B, Action: 'allow' }],
      ['PUT', `/connect/intentions/exact?${ends('x', B)}`, { Action: 'allow' }],
      ['DELETE', `/connect/intentions/exact?${ends(a, B)}`, undefined],
      ['PUT', '/config', { Kind: 'service-intentions', Name: B, Sources: [{ Name: 'x', Action: 'allow' }] }],
      ['DELETE', `/config/service-intentions/${B}`, undefined],
      ['GET', `/connect/intentions/match?by=destination&name=${B}`, undefined],
      ['GET', `/connect/intentions/check?${ends(a, B)}`, undefined],
    ] as const)
      await ctx.refuses(method, path, { body, token }, DENIED, text)
    // A record that the caller may not read is absent.
    const absent = '404 not_found'
    await ctx.refuses('GET', `/connect/intentions/exact?${ends(a, B)}`, { token }, absent)
    await ctx.refuses('GET', `/config/service-intentions/${B}`, { token }, absent)
    const { SecretID: both } = await ctx.caller(`${rule(b)}\n${rule(B)}`)
    await ctx.ok('DELETE', `/config/service-intentions/${B}`, { token: both })
  }).needing({ from: '1.9.0' }),
  test('intentions/rights [D/intentions/rights] 403 privilege_missing: writing needs intentions write on the destination, reading needs read on either end', async (ctx) => {
    const [a, b] = [ctx.unique('a'), ctx.unique('b')]
    const rule = (name: string, level: string) =>
      `service "${name}" { policy = "read" intentions = "${level}" }`
    const writer = await ctx.caller(rule(b, 'write'))
    const sourceReader = await ctx.caller(rule(a, 'read'))
    const powerless = await ctx.caller('')
    const body = { SourceName: a, DestinationName: b, Action: 'allow' }
    await ctx.refuses('POST', '/connect/intentions', { body, token: sourceReader.SecretID }, DENIED)
    const { ID } = await ctx.ok<{ ID: string }>('POST', '/connect/intentions', {
      body,
      token: writer.SecretID,
    })
    const path = `/connect/intentions/${ID}`
    assert.equal((await ctx.ok('GET', path, { token: sourceReader.SecretID })).ID, ID)
    await ctx.refuses('GET', path, { token: powerless.SecretID }, DENIED)
    const seen = await ctx.ok<unknown[]>('GET', '/connect/intentions', { token: powerless.SecretID })
    assert.deepEqual(seen, [])
    const match = `/connect/intentions/match?by=destination&name=${b}`
    await ctx.refuses('GET', match, { token: sourceReader.SecretID }, DENIED)
    await ctx.ok('GET', match, { token: writer.SecretID })
    const check = `/connect/intentions/check?source=${a}&destination=${b}`
    await ctx.refuses('GET', check, { token: sourceReader.SecretID }, DENIED)
    await ctx.ok('GET', check, { token: writer.SecretID })
    await ctx.refuses('DELETE', path, { token: sourceReader.SecretID }, DENIED)
    // `*` needs write in every rule on services, including the rule for all other services.
    const all = 'service_prefix "" { policy = "read" intentions = "write" }'
    const everywhere = await ctx.caller(all)
    const butOne = await ctx.caller(`${all}\nservice "${b}" { policy = "deny" }`)
    const wild = { body: { ...body, SourceName: a, DestinationName: '*' } }
    await ctx.refuses('POST', '/connect/intentions', { ...wild, token: writer.SecretID }, DENIED)
    await ctx.refuses('POST', '/connect/intentions', { ...wild, token: butOne.SecretID }, DENIED)
    const made = await ctx.ok<{ ID: string }>('POST', '/connect/intentions', {
      ...wild,
      token: everywhere.SecretID,
    })
    await ctx.ok('DELETE', `/connect/intentions/${made.ID}`, { token: everywhere.SecretID })
    await ctx.ok('DELETE', path, { token: writer.SecretID })
  }),
  test('intentions/exact [D/intentions/by-name] by names: PUT creates and replaces, GET reads, DELETE answers true, even if there is nothing to delete', async (ctx) => {
    const [a, b] = [ctx.unique('a'), ctx.unique('b')]
    const query = ends(a, `default/${b}`)
    await ctx.refuses('GET', `/connect/intentions/exact?${query}`, {}, '404 not_found', 'Intention not found')
    assert.equal(
      await ctx.ok<boolean>('PUT', `/connect/intentions/exact?${query}`, {
        body: { Action: 'deny', Description: 'x' },
      }),
      true,
    )
    const made = await ctx.ok<Intention>('GET', `/connect/intentions/exact?${query}`)
    assert.deepEqual([made.Action, made.Description, made.ID, made.Precedence], ['deny', 'x', undefined, 9])
    await ctx.ok('PUT', `/connect/intentions/exact?${query}`, { body: { ...made, Action: 'allow' } })
    assert.equal((await ctx.ok('GET', `/connect/intentions/exact?${query}`)).Action, 'allow')
    await ctx.refuses(
      'PUT',
      `/connect/intentions/exact?${query}`,
      { body: { Action: 'allow', Meta: { a: 'b' } } },
      '400 field_invalid Meta',
    )
    await ctx.refuses('GET', `/connect/intentions/exact?destination=${b}`, {}, '400 field_required source')
    const twice = `/connect/intentions/exact?${query}&source=other`
    await ctx.refuses('DELETE', twice, {}, '400 field_required source')
    for (let time = 1; time <= 2; time += 1)
      assert.equal(await ctx.ok<boolean>('DELETE', `/connect/intentions/exact?${query}`), true)
    await ctx.refuses('GET', `/connect/intentions/exact?${query}`, {}, '404 not_found')
  }).needing({ from: '1.9.0' }),
  test('intentions/edited [9.5] an edit through config entries removes ID and times; then 409 intention_edited until the entry is deleted (spec 9.5.3)', async (ctx) => {
    const [a, b] = [ctx.unique('a'), ctx.unique('b')]
    const body = { SourceName: a, DestinationName: b, Action: 'allow' }
    const ID = await anIntention(ctx, body)
    await ctx.ok('PUT', `/connect/intentions/exact?${ends(ctx.unique('c'), b)}`, { body: { Action: 'deny' } })
    const edited = await ctx.ok<Intention>('GET', `/connect/intentions/exact?${ends(a, b)}`)
    assert.deepEqual([edited.ID, edited.CreatedAt, edited.UpdatedAt, edited.Hash], Array(4).fill(undefined))
    for (const method of ['GET', 'DELETE']) {
      await ctx.refuses(method, `/connect/intentions/${ID}`, {}, '404 not_found')
    }
    const other = { body: { ...body, SourceName: ctx.unique('d') } }
    const text = `cannot use legacy intention API to edit intentions with a destination of "${b}"`
    await ctx.refuses('POST', '/connect/intentions', other, '409 intention_edited', text)
    await ctx.ok('DELETE', `/config/service-intentions/${b}`)
    const again = await ctx.ok<{ ID: string }>('POST', '/connect/intentions', { body })
    await ctx.ok('DELETE', `/connect/intentions/${again.ID}`)
  }).needing({ from: '1.9.0' }),
  test('intentions/namespaces [9.3/1.9.0] the list shows intentions to one destination namespace, or to all with ns=*; a write by names keeps the namespaces of other sources', async (ctx) => {
    const DestinationName = ctx.unique('b')
    const fields = { SourceName: ctx.unique('a'), DestinationName }
    const namespace = ctx.unique('n')
    await ctx.ok('PUT', '/namespace', { body: { Name: namespace } })
    const here = await anIntention(ctx, fields)
    const there = await anIntention(ctx, { ...fields, DestinationNS: namespace })
    const list = async (query: string) =>
      (await ctx.ok<Intention[]>('GET', `/connect/intentions${query}`))
        .filter((intention) => intention.DestinationName === DestinationName)
        .map(({ ID }) => ID)
    assert.deepEqual(await list(''), [here])
    assert.deepEqual(await list(`?ns=${namespace}`), [there])
    assert.deepEqual((await list('?ns=*')).toSorted(), [here, there].toSorted())
    for (const id of [here, there]) await ctx.ok('DELETE', `/connect/intentions/${id}`)
    const { SourceName } = fields
    const sources = ['default', namespace]
    const exact = (ns: string) => `/connect/intentions/exact?${ends(`${ns}/${SourceName}`, DestinationName)}`
    for (const ns of sources) await ctx.ok('PUT', exact(ns), { body: { Action: 'allow' } })
    for (const ns of sources) {
      assert.equal((await ctx.ok<Intention>('GET', exact(ns))).SourceNS, ns)
      await ctx.ok('DELETE', exact(ns))
    }
  }).needing({ edition: 'extended', from: '1.9.0' }),
  test('intentions/words [D/intentions/by-id, D/intentions/precedence] before 1.9.0 the standard edition stores and matches any word as a namespace, and rights ignore it', async (ctx) => {
    const [a, b] = [ctx.unique('a'), ctx.unique('b')]
    const body = { SourceNS: 'foo', SourceName: a, DestinationNS: 'Bar', DestinationName: b, Action: 'allow' }
    const { SecretID: token } = await ctx.caller(`service "${b}" { policy = "read" intentions = "write" }`)
    const { ID } = await ctx.ok('POST', '/connect/intentions', { body, token })
    const { SourceNS, DestinationNS } = await ctx.ok<Intention>('GET', `/connect/intentions/${ID}`, { token })
    assert.deepEqual([SourceNS, DestinationNS], ['foo', 'Bar'])
    const again = { ...body, SourceNS: 'FOO' }
    await ctx.refuses('POST', '/connect/intentions', { body: again, token }, '409 intention_in_use')
    const allowed = async (...of: [string, string]) =>
      (await ctx.ok('GET', `/connect/intentions/check?${ends(...of)}`, { token })).Allowed
    assert.deepEqual([await allowed(`foo/${a}`, `bar/${b}`), await allowed(a, b)], [true, false])
    const path = `/connect/intentions/match?by=destination&name=bar/${b}`
    const matches = await ctx.ok<Record<string, Intention[]>>('GET', path, { token })
    assert.deepEqual(
      matches[`bar/${b}`]?.map((each) => each.ID),
      [ID],
    )
    await ctx.ok('DELETE', `/connect/intentions/${ID}`, { token })
  }).needing({ edition: 'standard', before: '1.9.0' }),
  test('intentions/migration [9.5] new data has nothing to migrate: the migration is done', async (ctx) => {
    const { State } = await ctx.ok('GET', '/internal/intentions/migration')
    assert.equal(State, 'done')
  }).needing({ from: '1.9.0' }),
]

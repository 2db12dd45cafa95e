/** Config entries of kind `service-intentions`. Spec 9.5; decisions: intentions. */
import assert from 'node:assert/strict'
import type { ConfigEntry, Intention } from '@latchkey/contract'
import { type Case, test } from '../case.ts'
import { anIntention } from './intentions.ts'

const Kind = 'service-intentions'
const needs = { from: '1.9.0' } as const

export const configEntryCases: readonly Case[] = [
  test('config-entries/record [D/intentions/config-entries] an entry is written, read, listed, written with cas and deleted; its sources are intentions', async (ctx) => {
    const Name = ctx.unique('b')
    const [exact, wild] = [
      { Name: ctx.unique('a'), Action: 'allow' },
      { Name: '*', Action: 'deny' },
    ]
    const body = { Kind, Name, Sources: [wild, exact], Meta: { team: 'x' } }
    const path = `/config/service-intentions/${Name}`
    const text = `Config entry not found for "${Kind}" / "${Name}"`
    await ctx.refuses('GET', path, {}, '404 not_found', text)
    assert.equal(await ctx.ok<boolean>('PUT', '/config?cas=1', { body }), false)
    assert.equal(await ctx.ok<boolean>('PUT', '/config?cas=0', { body }), true)
    assert.equal(await ctx.ok<boolean>('PUT', '/config?cas=0', { body }), false)
    const entry = await ctx.ok<ConfigEntry>('GET', path)
    const { Namespace: _, ...shown } = entry
    const Sources = shown.Sources.map(({ Namespace: __, ...source }) => source)
    assert.deepEqual(
      { ...shown, Sources },
      {
        Kind,
        Name,
        Sources: [
          { ...exact, Precedence: 9, Type: 'consul' },
          { ...wild, Precedence: 8, Type: 'consul' },
        ],
        Meta: { team: 'x' },
        CreateIndex: entry.CreateIndex,
        ModifyIndex: entry.ModifyIndex,
      },
    )
    const listed = (await ctx.ok<ConfigEntry[]>('GET', '/config/service-intentions')).find(
      (each) => each.Name === Name,
    )
    assert.deepEqual(listed, entry)
    const match = await ctx.ok<Record<string, Intention[]>>(
      'GET',
      `/connect/intentions/match?by=destination&name=${Name}`,
    )
    const ofEntry = match[Name]?.filter(({ DestinationName }) => DestinationName === Name)
    assert.deepEqual(
      ofEntry?.map(({ SourceName, Meta, ModifyIndex }) => [SourceName, Meta?.team, ModifyIndex]),
      [exact.Name, '*'].map((name) => [name, 'x', entry.ModifyIndex]),
    )
    assert.equal(await ctx.ok<boolean>('PUT', `/config?cas=${entry.ModifyIndex}`, { body: entry }), true)
    const replaced = await ctx.ok<ConfigEntry>('GET', path)
    assert(replaced.ModifyIndex > entry.ModifyIndex && replaced.CreateIndex === entry.CreateIndex)
    for (let time = 1; time <= 2; time += 1) assert.deepEqual(await ctx.ok('DELETE', path), {})
    await ctx.refuses('GET', path, {}, '404 not_found')
  }).needing(needs),
  test('config-entries/conditional-delete [D/intentions/config-entries] a delete with cas deletes an entry only at this ModifyIndex', async (ctx) => {
    const Name = ctx.unique('b')
    const path = `/config/service-intentions/${Name}`
    await ctx.ok('PUT', '/config', { body: { Kind, Name, Sources: [{ Name: 'a', Action: 'allow' }] } })
    const { ModifyIndex } = await ctx.ok<ConfigEntry>('GET', path)
    for (const wrong of [0, ModifyIndex - 1, ModifyIndex + 1]) {
      assert.equal(await ctx.ok('DELETE', `${path}?cas=${wrong}`), false)
      await ctx.ok('GET', path)
    }
    await ctx.refuses('DELETE', `${path}?cas=x`, {}, '400 query_invalid')
    assert.equal(await ctx.ok('DELETE', `${path}?cas=${ModifyIndex}`), true)
    await ctx.refuses('GET', path, {}, '404 not_found')
    for (const index of [0, ModifyIndex]) assert.equal(await ctx.ok('DELETE', `${path}?cas=${index}`), false)
  }).needing({ from: '1.11' }),
  test('config-entries/rules [D/intentions/config-entries, D/status/rule-400] 400: an entry breaks a rule; the error says where', async (ctx) => {
    const source = { Name: 'a', Action: 'allow' }
    const table: readonly (readonly [object, string, string])[] = [
      [{ Kind: '' }, 'field_required', 'Payload does not contain a kind/Kind key at the top level'],
      [{ Kind: 'x' }, 'field_invalid', 'invalid config entry kind: x'],
      [{ Name: '' }, 'field_required', 'Name is required'],
      [{ Sources: [] }, 'field_required', 'At least one source is required'],
      [{ Sources: [{ Action: 'allow' }] }, 'field_required', 'Sources[0].Name is required'],
      [{ Sources: [source, source] }, 'field_invalid', 'Sources[1] defines "a" more than once'],
      [{ Sources: [{ Name: 'a' }] }, 'field_invalid', "Sources[0].Action must be set to 'allow' or 'deny'"],
      [{ Sources: [{ ...source, Type: 'x' }] }, 'field_invalid', "Sources[0].Type must be set to 'consul'"],
      [
        { Sources: [{ ...source, LegacyMeta: { a: 'b' } }] },
        'field_invalid',
        'Sources[0].LegacyMeta must be omitted',
      ],
      [
        { Sources: [{ Name: 'a', Permissions: [{ Action: 'allow', HTTP: {} }] }] },
        'field_invalid',
        'Sources[0].Permissions[0].HTTP should not be empty',
      ],
    ]
    const Name = ctx.unique('b')
    for (const [fields, code, text] of table) {
      const body = { Kind, Name, Sources: [source], ...fields }
      await ctx.refuses('PUT', '/config', { body }, `400 ${code as 'field_invalid'}`, text)
    }
  }).needing(needs),
  test('config-entries/kinds [D/intentions/config-entries] 501 endpoint_not_built: a kind that this service does not store, whatever its fields; 400: an unknown kind', async (ctx) => {
    for (const kind of ['service-defaults', 'ingress-gateway', 'mesh']) {
      const body = { kind, name: ctx.unique('b'), protocol: 'http' }
      await ctx.refuses('PUT', '/config', { body }, '501 endpoint_not_built')
      await ctx.refuses('GET', `/config/${kind}`, {}, '501 endpoint_not_built')
    }
    const unknown = ['400 field_invalid Kind', 'invalid config entry kind: x'] as const
    await ctx.refuses('PUT', '/config', { body: { Kind: 'x', Name: 'b', Foo: 1 } }, ...unknown)
    await ctx.refuses('GET', '/config/x/b', {}, ...unknown)
  }).needing({ from: '1.5.0' }),
  test('config-entries/older [D/intentions/config-entries] 400: service-intentions before 1.9.0', async (ctx) => {
    const body = { Kind, Name: ctx.unique('b'), Sources: [{ Name: 'a', Action: 'allow' }] }
    await ctx.refuses(
      'PUT',
      '/config',
      { body },
      '400 field_invalid Kind',
      `invalid config entry kind: ${Kind}`,
    )
  }).needing({ from: '1.5.0', before: '1.9.0' }),
  test('config-entries/spelling [D/intentions/config-entries] names of fields match without case and underscores; two spellings of one are refused', async (ctx) => {
    const name = ctx.unique('b')
    const sources = [{ NAME: 'a', action: 'allow', legacy_id: '' }]
    assert.equal(await ctx.ok<boolean>('PUT', '/config', { body: { kind: Kind, name, sources } }), true)
    const twice = { kind: Kind, Kind, name, sources }
    await ctx.refuses('PUT', '/config', { body: twice }, '400 body_malformed Kind')
    await ctx.ok('DELETE', `/config/${Kind}/${name}`)
  }).needing(needs),
  test('config-entries/legacy-fields [9.5] an entry shows LegacyID, LegacyMeta and times; a write drops them, and must leave LegacyMeta out (spec 9.5.3)', async (ctx) => {
    const [SourceName, DestinationName] = [ctx.unique('a'), ctx.unique('b')]
    const ID = await anIntention(ctx, { SourceName, DestinationName, Meta: { team: 'x' } })
    const path = `/config/service-intentions/${DestinationName}`
    const entry = await ctx.ok<ConfigEntry>('GET', path)
    const [source] = entry.Sources
    assert.deepEqual([source?.LegacyID, source?.LegacyMeta], [ID, { team: 'x' }])
    assert(source?.LegacyCreateTime === source?.LegacyUpdateTime && source?.LegacyCreateTime !== undefined)
    const refusal = ['400 field_invalid', 'Sources[0].LegacyMeta must be omitted'] as const
    await ctx.refuses('PUT', '/config', { body: entry }, ...refusal)
    const Sources = entry.Sources.map((each) => ({ ...each, LegacyMeta: {} }))
    await ctx.ok('PUT', '/config', { body: { ...entry, Sources } })
    const [edited] = (await ctx.ok<ConfigEntry>('GET', path)).Sources
    const { LegacyID, LegacyMeta, LegacyCreateTime, LegacyUpdateTime } = edited ?? {}
    assert.deepEqual([LegacyID, LegacyMeta, LegacyCreateTime, LegacyUpdateTime], Array(4).fill(undefined))
    await ctx.ok('DELETE', path)
  }).needing(needs),
  test('config-entries/rights [D/intentions/rights] 403 privilege_missing: an entry needs intentions write on its name to be written, and intentions read to be read', async (ctx) => {
    const Name = ctx.unique('b')
    const writer = await ctx.caller(`service "${Name}" { policy = "read" intentions = "write" }`)
    const reader = await ctx.caller(`service "${Name}" { policy = "read" }`)
    const powerless = await ctx.caller('')
    const body = { Kind, Name, Sources: [{ Name: 'a', Action: 'allow' }] }
    const denied = '403 privilege_missing'
    await ctx.refuses('PUT', '/config', { body, token: reader.SecretID }, denied)
    await ctx.ok('PUT', '/config', { body, token: writer.SecretID })
    await ctx.ok('GET', `/config/service-intentions/${Name}`, { token: reader.SecretID })
    await ctx.refuses('GET', `/config/service-intentions/${Name}`, { token: powerless.SecretID }, denied)
    assert.deepEqual(
      await ctx.ok<unknown[]>('GET', '/config/service-intentions', { token: powerless.SecretID }),
      [],
    )
    await ctx.refuses('DELETE', `/config/service-intentions/${Name}`, { token: reader.SecretID }, denied)
    await ctx.ok('DELETE', `/config/service-intentions/${Name}`, { token: writer.SecretID })
  }).needing(needs),
]

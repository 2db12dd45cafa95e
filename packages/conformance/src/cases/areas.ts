/** Network areas, in the extended edition. Spec 9.4. */
import assert from 'node:assert/strict'
import { type Area, limits } from '@latchkey/contract'
import { type Case, test } from '../case.ts'

const EXTENDED = { edition: 'extended' } as const

export const areaCases: readonly Case[] = [
  test('areas/life [9.4] an area is made, listed, read, joined and deleted; an unknown one is 404; its members are a list', async (ctx) => {
    const PeerDatacenter = ctx.unique('dc')
    const RetryJoin = ['10.2.0.8', 'db.dc2.example.com:8300', '[::1]:8300', '::1']
    const { ID } = await ctx.ok<{ ID: string }>('POST', '/operator/area', {
      body: { PeerDatacenter, RetryJoin },
    })
    const area = { ID, PeerDatacenter, RetryJoin, UseTLS: false }
    assert.deepEqual(await ctx.ok('GET', `/operator/area/${ID}`), [area])
    const listed = await ctx.ok<Area[]>('GET', '/operator/area')
    assert.deepEqual(
      listed.filter((one) => one.ID === ID),
      [area],
    )
    const joined = await ctx.ok<{ Joined: boolean }[]>('PUT', `/operator/area/${ID}/join`, {
      body: ['10.2.0.9:8300', '10.2.0.8', 'http://10.2.0.9', '10.2.0.9:0', ''],
    })
    assert.deepEqual(
      joined.map(({ Joined }) => Joined),
      [true, true, false, false, false],
    )
    const [{ RetryJoin: after } = area] = await ctx.ok<Area[]>('GET', `/operator/area/${ID}`)
    assert.deepEqual(after, [...RetryJoin, '10.2.0.9:8300'])
    assert(Array.isArray(await ctx.ok('GET', `/operator/area/${ID}/members`)))
    await ctx.refuses(
      'POST',
      '/operator/area',
      { body: { PeerDatacenter } },
      '409 name_in_use PeerDatacenter',
    )
    assert.equal((await ctx.call('DELETE', `/operator/area/${ID}`)).status, 200)
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/members'],
      ['PUT', '/join'],
    ] as const)
      await ctx.refuses(
        method,
        `/operator/area/${ID}${path}`,
        method === 'PUT' ? { body: [] } : {},
        '404 not_found',
      )
  }).needing(EXTENDED),
  test('areas/bounds [9.4] 400: no peer, the own datacenter, a bad address, too many addresses', async (ctx) => {
    const [own = ''] = await ctx.ok<string[]>('GET', '/catalog/datacenters')
    const many = Array.from({ length: limits.AREA_ADDRESSES_MAX + 1 }, (_, i) => `10.2.0.${i}`)
    for (const [body, refusal] of [
      [{}, '400 field_required PeerDatacenter'],
      [{ PeerDatacenter: own }, '400 field_invalid PeerDatacenter'],
      [{ PeerDatacenter: 'a b' }, '400 field_invalid PeerDatacenter'],
      [{ PeerDatacenter: 'dc9', RetryJoin: ['a', 'b c'] }, '400 field_invalid RetryJoin[1]'],
      [{ PeerDatacenter: 'dc9', RetryJoin: many }, '400 field_too_long RetryJoin'],
      [{ PeerDatacenter: 'dc9', ID: 'chosen' }, '400 field_invalid ID'],
    ] as const)
      await ctx.refuses('POST', '/operator/area', { body }, refusal)
    await ctx.refuses('PUT', '/operator/area/any/join', { body: many }, '400 batch_too_large')
  }).needing(EXTENDED),
]

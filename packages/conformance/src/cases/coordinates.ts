/** Network coordinates. Spec 9.4. */
import assert from 'node:assert/strict'
import type { Coordinate, DatacenterCoordinates } from '@latchkey/contract'
import { type Case, test } from '../case.ts'

const Coord = { Vec: [0.1, 0, 0, 0, 0, 0, 0, 0.2], Error: 0.5, Adjustment: 0, Height: 0.001 }

export const coordinateCases: readonly Case[] = [
  test('coordinates/update [9.4] 200: a report needs node:write and eight numbers; a report for an unknown node is dropped', async (ctx) => {
    const Node = `node-${crypto.randomUUID()}`
    const policy = await ctx.policy(`node "${Node}" { policy = "read" }`)
    const { SecretID: token } = await ctx.token({ Policies: [{ ID: policy.ID }] })
    const report = { Node, Coord }
    const reply = await ctx.call('PUT', '/coordinate/update', { body: report })
    assert.deepEqual([reply.status, reply.text], [200, ''])
    await ctx.refuses('PUT', '/coordinate/update', { token, body: report }, '403 privilege_missing')
    const { Vec, Height } = Coord
    const lower = { node: Node, coord: { vec: Vec, error: 0.5, height: Height } }
    assert.equal((await ctx.call('PUT', '/coordinate/update', { body: lower })).status, 200)
    const flat = { Node, Coord: { ...Coord, Vec: [1, 2] } }
    await ctx.refuses('PUT', '/coordinate/update', { body: flat }, '400 field_invalid')
    for (const body of [{}, { Coord }, { Node: '', Coord }]) {
      await ctx.refuses('PUT', '/coordinate/update', { body }, '400 field_required Node')
    }
    await ctx.refuses('GET', `/coordinate/node/${Node}`, { token }, '404 not_found')
    await ctx.refuses('GET', '/coordinate/node/another', { token }, '403 privilege_missing')
  }),
  test('coordinates/lists [9.4] coordinates are listed by node, and the datacenter of the server is listed first', async (ctx) => {
    const nodes = await ctx.ok<Coordinate[]>('GET', '/coordinate/nodes')
    const names = nodes.map(({ Node }) => Node.toLowerCase())
    assert.deepEqual(names, names.toSorted())
    const lists = await ctx.ok<DatacenterCoordinates[]>('GET', '/coordinate/datacenters', { token: null })
    const datacenters = await ctx.ok<string[]>('GET', '/catalog/datacenters', { token: null })
    assert.deepEqual(
      lists.map(({ Datacenter }) => Datacenter),
      datacenters,
    )
  }),
]

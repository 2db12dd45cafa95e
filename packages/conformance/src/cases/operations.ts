/** What the service says of itself, and the questions that are extensions. Spec 9.3, 9.4. */
import assert from 'node:assert/strict'
import type { Case } from '../case.ts'

interface Found {
  readonly Code: string
  readonly Line: number
}

export const operationCases: readonly Case[] = [
  {
    id: 'operations/cluster',
    spec: '9.4',
    title: 'leader, peers, members, datacenters and replication describe one cluster',
    async run(ctx) {
      const leader = await ctx.ok<string>('GET', '/status/leader', { token: null })
      const peers = await ctx.ok<string[]>('GET', '/status/peers', { token: null })
      assert(peers.includes(leader), `the leader ${leader} is not among the peers`)
      const members = await ctx.ok<{ Datacenter: string; Status: number }[]>('GET', '/agent/members')
      assert.equal(members.filter(({ Status }) => Status === 1).length, peers.length)
      const datacenters = await ctx.ok<string[]>('GET', '/catalog/datacenters', { token: null })
      for (const { Datacenter } of members) assert(datacenters.includes(Datacenter), Datacenter)
      const replication = await ctx.ok('GET', '/acl/replication', { token: null })
      assert.equal(replication.Enabled, false)
      assert.equal(replication.Mode, 'enabled')
    },
  },
  {
    id: 'operations/metrics',
    spec: '9.4',
    title: 'metrics are JSON, and text for Prometheus where it is asked for; both need agent:read',
    async run(ctx) {
      const metrics = await ctx.ok('GET', '/agent/metrics')
      for (const part of ['Gauges', 'Counters', 'Samples']) assert(Array.isArray(metrics[part]), part)
      const text = await ctx.call('GET', '/agent/metrics?format=prometheus')
      assert.match(text.headers.get('content-type') ?? '', /^text\/plain;/)
      await ctx.refuses('GET', '/agent/metrics', { token: null }, { status: 403, code: 'privilege_missing' })
    },
  },
  {
    id: 'operations/documents',
    spec: 'D/versions/gates',
    title:
      'the changes between two versions, and an OpenAPI document that has their endpoints, are for everyone',
    async run(ctx) {
      const changes = await ctx.ok<{ Gate: string; At: string }[]>(
        'GET',
        '/internal/versions?from=1.4.0&to=1.5.0',
        { token: null },
      )
      assert(changes.some(({ Gate, At }) => Gate === 'api.role' && At === '1.5.0'))
      const document = await ctx.ok('GET', '/openapi.json', { token: null })
      assert(Object.keys(document.paths as object).includes('/v1/acl/role'))
    },
  },
  {
    id: 'operations/migration',
    spec: '5.2',
    title: 'the accessor migration counts what it has done, for acl:read',
    async run(ctx) {
      const { Done, Total } = await ctx.ok<{ Done: number; Total: number }>('GET', '/internal/acl/migration')
      assert(Done <= Total, `${Done} of ${Total}`)
    },
  },
  {
    id: 'questions/lint',
    spec: 'D/rules/unknown',
    title: 'lint finds what a create would refuse, with its place, and needs no token',
    async run(ctx) {
      const lint = (Rules: string) =>
        ctx.ok<Found[]>('POST', '/acl/policy/lint', { body: { Rules }, token: null })
      assert.deepEqual(await lint('key "a" { policy = "read" }'), [])
      const [found] = await lint('\nkey "a" { policy = "reed" }')
      assert.equal(found?.Line, 2)
    },
  },
  {
    id: 'questions/who-can',
    spec: '5.2',
    title: 'who-can lists the tokens with a right, and what-if those that other rules would change',
    async run(ctx) {
      const key = ctx.unique('key')
      const policy = await ctx.policy(`key "${key}" { policy = "read" }`)
      const { AccessorID } = await ctx.token({ Policies: [{ ID: policy.ID }] })
      const named = (tokens: readonly { AccessorID: string }[]) =>
        tokens.some((token) => token.AccessorID === AccessorID)
      const check = { Resource: 'key', Segment: key, Access: 'read' }
      assert(named(await ctx.ok('POST', '/internal/acl/who-can', { body: check })))
      const body = { ...check, Access: 'write' }
      assert(!named(await ctx.ok('POST', '/internal/acl/who-can', { body })))
      const changes = await ctx.ok<{ AccessorID: string; Losses: unknown[] }[]>(
        'POST',
        `/acl/policy/${policy.ID}/what-if`,
        { body: { Rules: '' } },
      )
      const [change] = changes
      assert.equal(changes.length, 1)
      assert.equal(change?.AccessorID, AccessorID)
      assert((change?.Losses.length ?? 0) > 0)
    },
  },
]

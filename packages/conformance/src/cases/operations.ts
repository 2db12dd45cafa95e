/** Endpoints about the service itself, and extensions. Spec 9.3, 9.4. */
import assert from 'node:assert/strict'
import type { Changes, Token } from '@latchkey/contract'
import { HEADER_PREFIX_DEFAULT, HEADER_PREFIX_REFERENCE } from '@latchkey/contract'
import { type Case, test } from '../case.ts'

interface Found {
  readonly Code: string
  readonly Line: number
}

interface Member {
  readonly Name: string
  readonly Datacenter: string
  readonly Status: number
}

interface Server {
  readonly ID: string
  readonly Address: string
  readonly Leader: boolean
}

export const operationCases: readonly Case[] = [
  test('operations/cluster [9.4] leader, peers, members, datacenters and replication describe one cluster', async (ctx) => {
    const leader = await ctx.ok<string>('GET', '/status/leader', { token: null })
    const peers = await ctx.ok<string[]>('GET', '/status/peers', { token: null })
    assert(peers.includes(leader), `the leader ${leader} is not among the peers`)
    const members = await ctx.ok<Member[]>('GET', '/agent/members')
    assert.equal(members.filter(({ Status }) => Status === 1).length, peers.length)
    const datacenters = await ctx.ok<string[]>('GET', '/catalog/datacenters', { token: null })
    for (const { Datacenter } of members) assert(datacenters.includes(Datacenter), Datacenter)
    const wide = await ctx.ok<Member[]>('GET', '/agent/members?wan=1&segment=_all')
    const names = members.map(({ Name, Datacenter }) => `${Name}.${Datacenter}`)
    assert.deepEqual(wide.map(({ Name }) => Name).sort(), names.sort())
    const refusal = ['400 query_invalid', 'Cannot provide a segment'] as const
    await ctx.refuses('GET', '/agent/members?wan=1&segment=x', {}, ...refusal)
    const replication = await ctx.ok('GET', '/acl/replication', { token: null })
    assert.equal(replication.Enabled, false)
    assert.equal(replication.Mode, 'enabled')
  }).needing({ datacenter: 'primary' }),
  test('operations/servers [9.4] the peers of Raft are the servers that status/peers lists, and autopilot calls them healthy', async (ctx) => {
    const raft = await ctx.ok<{ Servers: Server[] }>('GET', '/operator/raft/configuration')
    const addresses = raft.Servers.map(({ Address }) => Address)
    assert.deepEqual(addresses.sort(), (await ctx.ok<string[]>('GET', '/status/peers')).sort())
    const leader = await ctx.ok<string>('GET', '/status/leader')
    assert.deepEqual(
      raft.Servers.filter(({ Leader }) => Leader).map(({ Address }) => Address),
      [leader],
    )
    const health = await ctx.ok('GET', '/operator/autopilot/health')
    assert.deepEqual([health.Healthy, health.FailureTolerance], [true, addresses.length - 1])
    const [{ ID = '', Address = '' } = {}] = raft.Servers
    for (const [query, refusal] of [
      ['', '400 query_invalid'],
      [`?id=${ID}&address=${Address}`, '400 query_invalid'],
      ['?address=nope', '404 not_found'],
      ['?id=nope', '404 not_found'],
      [`?id=${ID}`, '400 field_invalid'],
      [`?address=${Address}`, '400 field_invalid'],
    ] as const)
      await ctx.refuses('DELETE', `/operator/raft/peer${query}`, {}, refusal)
    const { ID: policy } = await ctx.policy('operator = "read"')
    const { SecretID: token } = await ctx.token({ Policies: [{ ID: policy }] })
    await ctx.ok('GET', '/operator/raft/configuration', { token })
    await ctx.refuses('DELETE', '/operator/raft/peer?id=nope', { token }, '403 privilege_missing')
    await ctx.refuses('GET', '/operator/autopilot/health', { token: null }, '403 privilege_missing')
  }),
  test('operations/autopilot [9.4] the settings of autopilot are kept as sent, and replaced only with their index', async (ctx) => {
    const before = await ctx.ok('GET', '/operator/autopilot/configuration')
    const path = '/operator/autopilot/configuration'
    const sent = { CleanupDeadServers: false, LastContactThreshold: '1500ms', max_trailing_logs: 7 }
    assert.equal(await ctx.ok('PUT', `${path}?cas=${Number(before.ModifyIndex) + 1}`, { body: sent }), false)
    assert.deepEqual(await ctx.ok('GET', path), before)
    assert.equal(await ctx.ok('PUT', `${path}?cas=${before.ModifyIndex}`, { body: sent }), true)
    const after = await ctx.ok('GET', path)
    assert.deepEqual(
      [after.CleanupDeadServers, after.LastContactThreshold, after.MaxTrailingLogs, after.MinQuorum],
      [false, '1.5s', 7, 0],
    )
    for (const [body, refusal] of [
      [{ CleanupDeadServers: 'x' }, '400 field_type CleanupDeadServers'],
      [{ LastContactThreshold: 'zz' }, '400 field_type LastContactThreshold'],
      [{ MaxTrailingLogs: -1 }, '400 field_type MaxTrailingLogs'],
      [{ UpgradeVersionTag: 'x'.repeat(129) }, '400 field_too_long UpgradeVersionTag'],
      [{ Quorum: 1 }, '400 field_unknown Quorum'],
    ] as const)
      await ctx.refuses('PUT', path, { body }, refusal)
    assert.equal(await ctx.ok('PUT', '/operator/autopilot/configuration', { body: before }), true)
    assert.deepEqual(await ctx.ok('GET', path), { ...before, ...(await indexesOf()) })

    async function indexesOf() {
      const { CreateIndex, ModifyIndex } = await ctx.ok('GET', path)
      return { CreateIndex, ModifyIndex }
    }
  }),
  test('operations/metrics [9.4] metrics are JSON, or Prometheus text on request; both need agent:read', async (ctx) => {
    const metrics = await ctx.ok('GET', '/agent/metrics')
    for (const part of ['Gauges', 'Counters', 'Samples']) assert(Array.isArray(metrics[part]), part)
    const text = await ctx.call('GET', '/agent/metrics?format=prometheus')
    assert.match(text.headers.get('content-type') ?? '', /^text\/plain;/)
    await ctx.refuses('GET', '/agent/metrics', { token: null }, '403 privilege_missing')
  }),
  test('operations/replication-token [D/replication/token] the replication token is set and removed with acl:write, and is never shown', async (ctx) => {
    const Token = '5c6b0d42-77f1-4c8e-9d0a-0e1f2a3b4c5d'
    assert.equal(await ctx.ok('PUT', '/agent/token/replication', { body: { Token } }), true)
    for (const shown of ['/agent/self', '/acl/replication', '/acl/changes']) {
      assert(!JSON.stringify(await ctx.ok('GET', shown)).includes(Token), shown)
    }
    const path = '/agent/token/replication'
    const policy = await ctx.policy('acl = "read"')
    const reader = await ctx.token({ Policies: [{ ID: policy.ID }] })
    await ctx.refuses('PUT', path, { token: reader.SecretID, body: { Token } }, '403 privilege_missing')
    for (const wrong of ['<hidden>', 'a b', 'é']) {
      await ctx.refuses('PUT', path, { body: { Token: wrong } }, '400 field_invalid')
    }
    assert.equal(await ctx.ok('PUT', path, { body: { Token: '' } }), true)
    assert.equal(await ctx.ok('PUT', path, { body: { Token: '' } }), true)
  }).needing({ datacenter: 'primary' }), // A secondary uses its own token.
  test('operations/forwarded-writes [D/replication/writes] 404 not_found: the primary hides its local tokens from a write that a secondary forwards', async (ctx) => {
    const local = await ctx.token({ Local: true, Policies: [{ Name: 'global-management' }] })
    // Datacenters send each other headers with this prefix, whatever the target's own prefix is.
    const sent = (token: string) => ({
      token: null,
      headers: { 'X-Service-Forwarded': 'another', 'X-Service-Token': token },
    })
    const manager = sent(ctx.target.token)
    const path = `/acl/token/${local.AccessorID}`
    const missing = '404 not_found'
    await ctx.refuses('DELETE', path, manager, missing)
    await ctx.refuses('PUT', path, { ...manager, body: { Local: true } }, missing)
    await ctx.refuses('PUT', `${path}/clone`, { ...manager, body: {} }, missing)
    await ctx.refuses('PUT', '/acl/token', { ...sent(local.SecretID), body: {} }, '403 caller_unknown')
    assert.equal((await ctx.ok<Token>('GET', path)).SecretID, local.SecretID)

    const created = await ctx.call('PUT', '/acl/token', { ...manager, body: {} })
    assert.equal(created.status, 200)
    const { CreateIndex, AccessorID } = JSON.parse(created.text) as Token
    assert(Number(created.headers.get('x-service-index')) >= CreateIndex)
    const global = await ctx.ok<Token>('GET', `/acl/token/${AccessorID}`)
    assert.equal(global.Local, false)
    const wrong = { 'X-Service-Forwarded': 'another;elsewhere', 'X-Service-Token': ctx.target.token }
    await ctx.refuses(
      'PUT',
      '/acl/token',
      { token: null, headers: wrong, body: {} },
      '400 datacenter_unknown',
    )
  }).needing({ datacenter: 'primary' }),
  test('operations/documents [D/versions/gates] the changes between two versions and the OpenAPI document need no right', async (ctx) => {
    const changes = await ctx.ok<{ Gate: string; At: string }[]>(
      'GET',
      '/internal/versions?from=1.4.0&to=1.5.0',
      { token: null },
    )
    assert(changes.some(({ Gate, At }) => Gate === 'api.role' && At === '1.5.0'))
    const document = await ctx.ok('GET', '/openapi.json', { token: null })
    assert(Object.keys(document.paths as object).includes('/v1/acl/role'))
  }),
  test('operations/changes [D/changes/follow] a reader that applies the changes after the index of a first copy has the policies, roles and global tokens, with their secrets', async (ctx) => {
    const first = await ctx.ok<Changes>('GET', '/acl/changes')
    const since = `/acl/changes?index=${first.Index}&cluster=${first.Cluster}`
    const policy = await ctx.policy('acl = "write"')
    const Policies = [{ ID: policy.ID }]
    const kept = await ctx.token({ Policies })
    const gone = await ctx.token()
    const local = await ctx.token({ Local: true })
    await ctx.ok('DELETE', `/acl/token/${gone.AccessorID}`)
    const changes = await ctx.ok<Changes>('GET', since)
    assert(changes.Index > first.Index)
    assert(first.After === undefined && changes.After === String(first.Index))
    const stored = changes.Policies.find(({ ID }) => ID === policy.ID)
    assert.equal(stored?.Rules, 'acl = "write"')
    const shown = changes.Tokens.find(({ AccessorID }) => AccessorID === kept.AccessorID)
    assert.equal(shown?.SecretID, kept.SecretID)
    assert.deepEqual(shown?.Policies, Policies)
    assert(!changes.Tokens.some(({ AccessorID }) => AccessorID === local.AccessorID))
    assert(changes.Deleted.Tokens.includes(gone.AccessorID))
    assert(!changes.Deleted.Tokens.includes(kept.AccessorID))
    const staged = await ctx.ok<Changes>('GET', `${since}&staged`)
    assert.equal(staged.More, undefined)
    assert(staged.Tokens.some(({ AccessorID }) => AccessorID === kept.AccessorID))

    const waiting = ctx.ok<Changes>('GET', `/acl/changes?index=${changes.Index}&wait=60s`)
    await ctx.ok('DELETE', `/acl/token/${kept.AccessorID}`)
    let next = await waiting
    // Other cases may have woken the read.
    for (let more = 0; more < 100 && !next.Deleted.Tokens.includes(kept.AccessorID); more += 1) {
      next = await ctx.ok<Changes>('GET', `/acl/changes?index=${next.Index}&wait=10s`)
    }
    assert(next.Deleted.Tokens.includes(kept.AccessorID))

    const other = await ctx.ok<Changes>('GET', `/acl/changes?index=${first.Index}&cluster=another`)
    assert.equal(other.Reset, true)
    const ahead = await ctx.ok<Changes>('GET', '/acl/changes?index=999999999999')
    assert.equal(ahead.Reset, true)
    for (const text of ['x', 'kv.', 'tokens.x'])
      await ctx.refuses('GET', `/acl/changes?cursor=${text}`, {}, '400 query_invalid cursor')
  }),
  test('operations/changes-right [D/changes/right] 403 privilege_missing: changes without acl:write, because they show every secret', async (ctx) => {
    const { SecretID: reader } = await ctx.caller('acl = "read"')
    await ctx.refuses('GET', '/acl/changes', { token: reader }, '403 privilege_missing')
    await ctx.refuses('GET', '/acl/changes?index=1', { token: null }, '403 privilege_missing')
  }),
  test('operations/snapshot [9.4] only global managers read an archive of the whole store; 501 endpoint_not_built if there is none', async (ctx) => {
    const { SecretID: token } = await ctx.caller('operator = "write" acl = "read"')
    for (const who of [{ token }, { token: null }]) {
      await ctx.refuses('GET', '/snapshot', who, '403 privilege_missing')
      await ctx.refuses('PUT', '/snapshot', { ...who, raw: 'an archive' }, '403 privilege_missing')
    }
    const archive = await ctx.call('GET', '/snapshot')
    if (archive.status === 501) {
      await ctx.refuses('PUT', '/snapshot', { raw: 'x' }, '501 endpoint_not_built')
      return
    }
    const types = [HEADER_PREFIX_DEFAULT, HEADER_PREFIX_REFERENCE].map(async (prefix) => {
      const headers = { [`${prefix}Token`]: ctx.target.token }
      const { headers: answered } = await ctx.call('GET', '/snapshot', { token: null, headers })
      return [answered.get('content-type'), answered.has(`${prefix}Index`)]
    })
    const wanted = [
      ['application/octet-stream', false],
      ['application/x-gzip', true],
    ]
    assert.deepEqual(await Promise.all(types), wanted)
    for (const raw of ['', 'x', archive.text.slice(0, 100)]) {
      await ctx.refuses('PUT', '/snapshot', { raw }, '400 snapshot_invalid')
    }
  }),
  test('operations/promote [D/replication/promotion] 409 replication_refused: a primary datacenter is not promoted, and follows no other store', async (ctx) => {
    const [Datacenter] = await ctx.ok<string[]>('GET', '/catalog/datacenters', { token: null })
    await ctx.refuses('PUT', '/acl/replication/promote', { body: { Datacenter } }, '409 replication_refused')
    const { Cluster } = await ctx.ok<Changes>('GET', '/acl/changes')
    await ctx.refuses('PUT', '/acl/replication/accept', { body: { Cluster } }, '409 replication_refused')
    const { Index } = await ctx.ok<Changes>('GET', '/acl/changes')
    const later = `/acl/changes?cluster=${crypto.randomUUID()}&index=${Index + 2 ** 32}`
    await ctx.refuses('GET', later, {}, '409 primary_superseded')
  }).needing({ datacenter: 'primary' }),
  test('operations/promote-body [D/replication/promotion] 400: a promotion names another datacenter or none, or an acceptance names no store', async (ctx) => {
    const other = { body: { Datacenter: 'another' } }
    await ctx.refuses('PUT', '/acl/replication/promote', other, '400 field_invalid Datacenter')
    await ctx.refuses('PUT', '/acl/replication/promote', { body: {} }, '400 field_required Datacenter')
    await ctx.refuses('PUT', '/acl/replication/accept', { body: {} }, '400 field_required Cluster')
    const text = { body: { Cluster: 'x' } }
    await ctx.refuses('PUT', '/acl/replication/accept', text, '400 id_invalid Cluster')
  }),
  test('operations/promote-right [D/replication/promotion] 403 privilege_missing: promotion and acceptance without acl:write, because they affect every record', async (ctx) => {
    const { SecretID: token } = await ctx.caller('acl = "read"')
    await ctx.refuses(
      'PUT',
      '/acl/replication/promote',
      { token, body: { Datacenter: 'dc1' } },
      '403 privilege_missing',
    )
    const Cluster = crypto.randomUUID()
    await ctx.refuses('PUT', '/acl/replication/accept', { token, body: { Cluster } }, '403 privilege_missing')
  }),
  test('operations/migration [5.2] the accessor migration reports its progress to a caller with acl:read', async (ctx) => {
    const { Done, Total } = await ctx.ok<{ Done: number; Total: number }>('GET', '/internal/acl/migration')
    assert(Done <= Total, `${Done} of ${Total}`)
  }),
  test('questions/lint [D/rules/unknown] lint reports what a create would refuse, with its position, without a token', async (ctx) => {
    const lint = (Rules: string) =>
      ctx.ok<Found[]>('POST', '/acl/policy/lint', { body: { Rules }, token: null })
    assert.deepEqual(await lint('key "a" { policy = "read" }'), [])
    const [found] = await lint('\nkey "a" { policy = "reed" }')
    assert.equal(found?.Line, 2)
  }),
  test('questions/who-can [5.2] who-can lists the tokens that have a right; what-if lists the tokens that a change of rules would affect', async (ctx) => {
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
  }),
]

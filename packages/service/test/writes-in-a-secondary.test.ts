/** Writes in a secondary datacenter, and how the primary handles forwarded ones. Decisions: writes in a secondary. */

import { AclError, type AclErrorCode, type Token } from '@latchkey/contract'
import { deleteOf, putOf } from '@latchkey/testkit/records/changes'
import { aFleet, type Fleet } from '@latchkey/testkit/service/fleet'
import { MANAGEMENT, type Reply, WANTS_PROBLEM, type World } from '@latchkey/testkit/service/world'
import { beforeEach, describe, expect, test } from 'vitest'

const UNKNOWN = '00000000-0000-4000-8000-00000000beef'
const FORWARDED = { 'x-service-forwarded': 'dc2' }
const MANAGER = { Policies: [{ Name: 'global-management' }] }

let fleet: Fleet
let primary: World
let secondary: World
/** A global token that both datacenters have. */
let global: Token
/** Local tokens that manage their own datacenter. */
let localThere: Token
let localHere: Token

beforeEach(async () => {
  fleet = await aFleet({ primary: { version: '1.10.12' }, secondary: { version: '1.10.12' } })
  primary = fleet.primary
  secondary = fleet.secondary
  global = await primary.token()
  localThere = await primary.token({ ...MANAGER, Local: true })
  await fleet.follow()
  localHere = await secondary.token({ ...MANAGER, Local: true })
})

/** A request to the secondary, and the datacenter that answered it. */
async function placed(...request: Parameters<World['ask']>): Promise<{ place: string; reply: Reply }> {
  const before = fleet.hops.length
  const reply = await secondary.ask(...request)
  return { place: fleet.hops.length > before ? 'dc1' : 'dc2', reply }
}

describe('where a write is made', () => {
  test.each<[string, string, unknown, 'dc1' | 'dc2']>([
    ['PUT', '/acl/policy', { Name: 'p' }, 'dc1'],
    ['PUT', '/acl/role', { Name: 'r' }, 'dc1'],
    ['PUT', '/acl/token', {}, 'dc1'],
    ['PUT', '/acl/token', { Local: false }, 'dc1'],
    ['PUT', '/acl/token', { Local: true }, 'dc2'],
    ['PUT', '/acl/token/GLOBAL', { Description: 'new' }, 'dc1'],
    ['PUT', '/acl/token/HERE', { Local: true, Description: 'new' }, 'dc2'],
    ['PUT', '/acl/token/GLOBAL/clone', {}, 'dc1'],
    ['PUT', '/acl/token/HERE/clone', {}, 'dc2'],
    ['DELETE', '/acl/token/GLOBAL', undefined, 'dc1'],
    ['DELETE', '/acl/token/HERE', undefined, 'dc2'],
    ['PUT', '/acl/create', { ID: 'legacy' }, 'dc1'],
    ['PUT', '/acl/destroy/GLOBAL_SECRET', undefined, 'dc1'],
    ['PUT', '/acl/destroy/HERE_SECRET', undefined, 'dc2'],
    ['PUT', '/acl/auth-method', { Name: 'm', Type: 'jwt', Config: { JWTValidationPubKeys: ['k'] } }, 'dc2'],
    ['PUT', '/kv/key', 'value', 'dc2'],
    ['POST', '/connect/intentions', { SourceName: 'a', DestinationName: 'b', Action: 'deny' }, 'dc1'],
  ])('%s %s %j: %s', async (method, path, body, expected) => {
    const filled = path
      .replace('GLOBAL_SECRET', global.SecretID)
      .replace('HERE_SECRET', localHere.SecretID)
      .replace('GLOBAL', global.AccessorID)
      .replace('HERE', localHere.AccessorID)
    const { place, reply } = await placed(method, filled, { token: MANAGEMENT, body })
    expect({ place, text: reply.text, status: reply.status }).toMatchObject({ place: expected, status: 200 })
  })

  test('intentions are read in the primary, the only datacenter that has them (decisions: intentions)', async () => {
    const body = { SourceName: 'a', DestinationName: 'b', Action: 'allow' }
    const { ID } = (await primary.manage('POST', '/connect/intentions', body)) as { ID: string }
    const { place, reply } = await placed('GET', `/connect/intentions/${ID}`, { token: MANAGEMENT })
    expect([place, reply.json]).toEqual(['dc1', expect.objectContaining({ ID, DestinationName: 'b' })])
    expect((await secondary.ask('GET', '/connect/intentions', { token: localHere.SecretID })).status).toBe(
      403,
    )
    expect(secondary.store.directory().intentions().list()).toEqual([])
  })

  test('they are read as a known caller, and the secret of a local token is not sent', async () => {
    const read = (token: string) => secondary.ask('GET', '/connect/intentions', { token })
    expect((await read(MANAGEMENT)).status).toBe(200)
    expect(fleet.hops.at(-1)?.request).toMatchObject({
      headers: { 'x-service-token': MANAGEMENT },
      isOfKnownCaller: true,
    })
    expect((await read(localThere.SecretID)).status).toBe(403)
    expect(fleet.hops.at(-1)?.request.isOfKnownCaller).toBe(false)
    const sent = fleet.hops.length
    expect(await read(localHere.SecretID)).toMatchObject({
      status: 403,
      text: 'ACL not found; the local token of dc2 is not valid in dc1',
    })
    expect(fleet.hops).toHaveLength(sent)
  })

  test('copies of legacy tokens are imported here in legacy mode, and afterwards in the primary', async () => {
    const body = [{ ID: 'old', Name: 'a', Type: 'client', Rules: '', CreateIndex: 1, ModifyIndex: 1 }]
    const place = async () => {
      const { place, reply } = await placed('PUT', '/internal/acl/legacy-tokens', { token: MANAGEMENT, body })
      return [place, reply.status]
    }
    expect(await place()).toEqual(['dc1', 200])
    const Value = { mode: 'legacy' } as const
    const record = { Key: 'acl-mode', Value, CreateIndex: 0, ModifyIndex: 0 } as const
    const expected = secondary.store.directory().system('acl-mode')?.ModifyIndex ?? 0
    secondary.store.commitNow([putOf('system', record, expected)])
    expect(await place()).toEqual(['dc2', 200])
  })

  test('a token logs out where it belongs', async () => {
    const { place, reply } = await placed('POST', '/acl/logout', { token: global.SecretID })
    // The primary says that this token does not come from a login.
    expect([place, reply.status]).toEqual(['dc1', 403])
    expect((await secondary.ask('POST', '/acl/logout', { token: localHere.SecretID })).code).toBe(
      'privilege_missing',
    )
    expect((await secondary.ask('POST', '/acl/logout')).code).toBe('caller_unknown')
    expect(fleet.hops).toHaveLength(1)
  })

  test.each([
    ['a local token, without Local', () => localHere, {}, 'local_mismatch'],
    ['a global token, with Local: true', () => global, { Local: true }, 'local_mismatch'],
    ['an unknown one, with Local: true', () => ({ AccessorID: UNKNOWN }), { Local: true }, 'not_found'],
  ] as const)('an update of %s is refused here', async (_case, token, body, code) => {
    const reply = await secondary.ask('PUT', `/acl/token/${token().AccessorID}`, { token: MANAGEMENT, body })
    expect(reply.code).toBe(code)
    expect(fleet.hops).toEqual([])
  })

  test('403 privilege_missing, not 413: a caller without the right sends a body that is too long', async () => {
    const ask = (length: number, token: object) =>
      secondary.ask('PUT', '/acl/token', { body: `"${'x'.repeat(length)}"`, ...token })
    expect((await ask(20_000, {})).code).toBe('privilege_missing')
    expect((await ask(1_100_000, { token: global.SecretID })).code).toBe('privilege_missing')
    expect((await ask(1_100_000, { token: MANAGEMENT })).code).toBe('body_too_large')
    expect(fleet.hops).toEqual([])
  })

  test('a body that cannot be read is refused here, after the caller', async () => {
    const ask = (token?: string) =>
      secondary.ask('PUT', '/acl/token', { body: '{', ...(token === undefined ? {} : { token }) })
    expect((await ask(MANAGEMENT)).code).toBe('body_malformed')
    expect((await ask()).code).toBe('privilege_missing')
    expect(fleet.hops).toEqual([])
  })
})

describe('a refusal of the primary is rendered in the dialect of the client', () => {
  const ofFamily = { headers: { 'x-consul-token': MANAGEMENT } }
  test.each<[string, string, object | undefined, number, string, string]>([
    ['PUT', '/acl/policy', { Name: 'taken' }, 500, 'name_in_use', 'Name "taken" already exists'],
    ['PUT', '/acl/policy', {}, 500, 'field_required', 'no Name is set'],
    ['DELETE', `/acl/token/${UNKNOWN}`, undefined, 200, 'not_found', 'true'],
    ['DELETE', `/acl/policy/${UNKNOWN}?dc=dc1`, undefined, 200, 'not_found', 'true'],
    ['GET', `/acl/policy/${UNKNOWN}?dc=dc1`, undefined, 403, 'not_found', 'ACL not found'],
  ])('%s %s %j: %i', async (method, path, body, status, code, text) => {
    await primary.policy({ Name: 'taken' })
    const { place, reply } = await placed(method, path, { body, ...ofFamily })
    expect([place, reply.status, reply.code]).toEqual(['dc1', status, code])
    expect(reply.text).toContain(text)
    const headers = { ...ofFamily.headers, ...WANTS_PROBLEM }
    const problem = await secondary.ask(method, path, { body, headers })
    expect([problem.status, problem.code]).toEqual([new AclError(code as AclErrorCode, '').status, code])
  })
})

describe('what is sent', () => {
  test('method, path, query without dc and token, body bytes, and the secret in the standard family', async () => {
    const body = '{ "Name": "p" }'
    const path = `/acl/policy?pretty&dc=dc2&token=${MANAGEMENT}`
    const { headers } = await secondary.ask('PUT', path, { body, headers: { accept: 'application/json' } })
    const [{ to, request } = expect.fail()] = fleet.hops
    expect(to).toBe('dc1')
    expect(request).toMatchObject({ method: 'PUT', url: '/v1/acl/policy?pretty', isOfKnownCaller: true })
    expect(new TextDecoder().decode(request.body)).toBe(body)
    expect(request.headers).toEqual({
      accept: 'application/problem+json, application/json',
      'x-service-token': MANAGEMENT,
      'X-Service-Forwarded': 'dc2;dc1',
      'X-Request-Id': 'request-1',
    })
    expect(headers).not.toHaveProperty('X-Service-Index')
  })

  test('nothing, if the secret is unknown here, including the secret of a local token of the primary', async () => {
    for (const token of [UNKNOWN, localThere.SecretID]) {
      const reply = await secondary.ask('PUT', '/acl/policy', { token, body: { Name: 'p' } })
      expect(reply.code).toBe('caller_unknown')
    }
    expect(fleet.hops).toEqual([])
  })

  test('never the secret of a local token: its caller is anonymous there, and the 403 says why', async () => {
    const ask = (headers: Readonly<Record<string, string>>) =>
      secondary.ask('PUT', '/acl/policy', { token: localHere.SecretID, body: { Name: 'p' }, headers })
    const addition = '; the local token of dc2 is not valid in dc1'
    const plain = await ask({})
    expect(plain.status).toBe(403)
    expect(plain.text).toMatch(/^Permission denied: anonymous token/)
    expect(plain.text.endsWith(addition)).toBe(true)
    const { detail, code } = (await ask(WANTS_PROBLEM)).json as { detail: string; code: string }
    expect([detail, code]).toEqual([plain.text, 'privilege_missing'])
    expect(JSON.stringify(fleet.hops.map(({ request }) => request.headers))).not.toContain(localHere.SecretID)
    expect(fleet.hops.map(({ request }) => request.isOfKnownCaller)).toEqual([false, false])
  })

  test('the caller and its namespace, whatever header families the datacenters use for their clients', async () => {
    const extended = { edition: 'extended' } as const
    const { primary: there, secondary: here } = await aFleet({
      primary: { ...extended, headerPrefixes: ['X-One-'] },
      secondary: { ...extended, headerPrefixes: ['X-Two-'] },
    })
    const manager = { 'x-one-token': MANAGEMENT }
    await there.ask('PUT', '/namespace', { body: { Name: 'team' }, headers: manager })
    const headers = { 'x-two-token': MANAGEMENT, 'x-two-namespace': 'team' }
    expect((await here.ask('PUT', '/acl/policy', { body: { Name: 'p' }, headers })).json).toMatchObject({
      Namespace: 'team',
    })
    const read = { headers: { ...headers, 'x-two-token': MANAGEMENT } }
    expect((await here.ask('GET', '/acl/policy/name/p?dc=dc1', read)).status).toBe(200)
  })
})

describe('the primary', () => {
  const forwarded = (method: string, path: string, body?: unknown) =>
    primary.ask(method, path, { token: MANAGEMENT, body, headers: FORWARDED })

  test('404: in a forwarded write its own local tokens are missing, as unknown ones are', async () => {
    for (const accessorId of [localThere.AccessorID, UNKNOWN]) {
      const path = `/acl/token/${accessorId}`
      for (const [method, at, body] of [
        ['DELETE', path, undefined],
        ['PUT', path, {}],
        ['PUT', `${path}/clone`, {}],
      ] as const) {
        const reply = await secondary.ask(method, at, { token: MANAGEMENT, body })
        expect([reply.status, reply.text]).toEqual([
          404,
          expect.stringContaining('does not exist: ACL not found'),
        ])
      }
      expect((await forwarded('GET', path)).code).toBe('not_found')
    }
    expect((await primary.ask('GET', '/acl/token/self', { token: localThere.SecretID })).status).toBe(200)
  })

  test('the legacy API neither changes nor destroys its local tokens for a secondary', async () => {
    const { SecretID } = localThere
    expect((await forwarded('PUT', `/acl/destroy/${SecretID}`)).json).toBe(true)
    expect((await forwarded('PUT', `/acl/clone/${SecretID}`)).code).toBe('privilege_missing')
    expect((await forwarded('PUT', '/acl/create', { ID: SecretID })).code).toBe('id_in_use')
    expect((await primary.ask('GET', '/acl/token/self', { token: SecretID })).status).toBe(200)
  })

  test('403 caller_unknown: the secret of its local token, in a write that a secondary forwarded', async () => {
    const options = { token: localThere.SecretID, body: { Name: 'p' }, headers: FORWARDED }
    expect((await primary.ask('PUT', '/acl/policy', options)).code).toBe('caller_unknown')
  })

  test('REP-13: 400 datacenter_unknown: a secondary refuses a request that was forwarded to it as the primary', async () => {
    const body = { Name: 'p' }
    for (const world of [secondary, primary]) {
      const headers = { 'x-service-forwarded': 'dc3;dc9' }
      expect((await world.ask('PUT', '/acl/policy', { token: MANAGEMENT, body, headers })).code).toBe(
        'datacenter_unknown',
      )
    }
    const reply = await secondary.ask('PUT', '/acl/policy', { token: MANAGEMENT, body, headers: FORWARDED })
    expect([reply.status, reply.code]).toEqual([400, 'datacenter_unknown'])
    expect(fleet.hops).toEqual([])
  })

  test('a login that names another datacenter is authenticated by its body alone, which may be as long as in any login', async () => {
    const body = { AuthMethod: 'none', BearerToken: 'x'.repeat(20_000) }
    for (const caller of [{}, { token: localHere.SecretID }, { token: MANAGEMENT }]) {
      const reply = await secondary.ask('POST', '/acl/login?dc=dc1', { ...caller, body })
      expect([reply.status, reply.text]).toEqual([403, 'ACL not found: auth method "none" not found'])
      expect(reply.headers.Warning).toBeUndefined()
      expect(fleet.hops.at(-1)?.request.headers).not.toHaveProperty('x-service-token')
    }
  })

  test('a global write that a client sends to the secondary through dc returns to the primary', async () => {
    const options = { token: MANAGEMENT, body: { Name: 'p' } }
    expect((await primary.ask('PUT', '/acl/policy?dc=dc2', options)).status).toBe(200)
    expect(fleet.hops.map(({ to }) => to)).toEqual(['dc2', 'dc1'])
    expect((await primary.ask('GET', '/acl/policy/name/p', options)).status).toBe(200)
  })
})

test.each([
  ['/acl/token', {}, ({ AccessorID }: Record<string, string>) => `/acl/token/${AccessorID}`],
  ['/acl/policy', { Name: 'p' }, ({ ID }: Record<string, string>) => `/acl/policy/${ID}`],
  ['/acl/role', { Name: 'r' }, ({ ID }: Record<string, string>) => `/acl/role/${ID}`],
] as const)(
  '%s: the record in the answer has the indexes of its local copy, from which a client can wait',
  async (path, body, there) => {
    const made = await secondary.ask('PUT', `${path}?pretty`, { token: MANAGEMENT, body })
    const record = made.json as Record<string, string>
    const read = await secondary.ask('GET', `${there(record)}?pretty`, { token: MANAGEMENT })
    expect(made.text).toBe(read.text)
    const other = await primary.ask('GET', there(record), { token: MANAGEMENT })
    expect((other.json as Token).ModifyIndex).not.toBe((read.json as Token).ModifyIndex)
  },
)

describe('a client of the secondary reads what it wrote', () => {
  beforeEach(() => fleet.fallBehind())
  const untilWaiting = (count: number) =>
    expect.poll(() => secondary.clock.waiting, { timeout: 20_000 }).toBe(count)
  const write = () => secondary.ask('PUT', '/acl/token', { token: MANAGEMENT, body: {} })

  test('the reply is sent when the record has arrived', async () => {
    let isAnswered = false
    const answer = write().finally(() => {
      isAnswered = true
    })
    await untilWaiting(1)
    await secondary.clock.advance(1_999)
    expect(isAnswered).toBe(false)
    await fleet.follow()
    const { headers, json } = await answer
    expect(headers).not.toHaveProperty('X-Service-Replication-Lag')
    const { AccessorID } = json as Token
    expect((await secondary.ask('GET', `/acl/token/${AccessorID}`, { token: MANAGEMENT })).status).toBe(200)
  })

  test('after two seconds it is sent anyway, with the lag of this datacenter', async () => {
    const answer = write()
    await untilWaiting(1)
    const record = secondary.store.directory().system('replication')?.Value
    await secondary.clock.advance(2_000)
    const { status, headers } = await answer
    expect([status, headers['X-Service-Replication-Lag']]).toEqual([
      200,
      String(primary.store.commitIndex() - (record?.index ?? 0)),
    ])
  })

  test('a refusal does not wait, unless it says that the IDs are in use', async () => {
    const repeated = (body: object) => secondary.ask('PUT', '/acl/token', { token: MANAGEMENT, body })
    const AccessorID = UNKNOWN
    const first = repeated({ AccessorID })
    await untilWaiting(1)
    expect((await repeated({ Policies: [{ Name: 'none' }] })).status).toBe(400)
    let isRefused = false
    const second = repeated({ AccessorID }).then(({ status }) => {
      isRefused = true
      return status
    })
    await untilWaiting(2)
    expect(isRefused).toBe(false)
    await fleet.follow()
    expect([(await first).status, await second]).toEqual([200, 409])
  })

  test('nothing waits if replication is not running', async () => {
    const record = secondary.store.directory().system('replication')
    if (!record) expect.fail()
    await secondary.store.commit([deleteOf('system', record)])
    expect((await write()).headers).toHaveProperty('X-Service-Replication-Lag')
  })
})

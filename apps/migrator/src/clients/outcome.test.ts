import { describe, expect, test } from 'vitest'
import { version } from '../version.ts'
import type { CallContext, CallKind } from './call.ts'
import { outcomeOf, refusedConnection } from './outcome.ts'

/** A call to a healthy server of a version, through an agent if given. */
function aCall(serverVersion: string, agentVersion?: string, rest: Partial<CallContext> = {}): CallContext {
  return {
    model: 'service',
    server: { version: version(serverVersion), mode: 'new', state: 'up', isLeader: true },
    agent: agentVersion === undefined ? undefined : version(agentVersion),
    payload: { path: undefined, field: undefined },
    hasLeader: true,
    primaryLeader: version(serverVersion),
    intentionsAreMigrated: false,
    isEdited: false,
    isPrimaryReached: true,
    isPrimary: true,
    tokenSource: 'own',
    bootstrapped: undefined,
    isBootstrapRecorded: false,
    ...rest,
  }
}

const inMode = (mode: CallContext['server']['mode'], text = '1.8.7') => ({
  server: { version: version(text), mode, state: 'up' as const, isLeader: true },
})

const REJECTED = 'rpc error making call: failed session lookup: index error: UUID must be 36 characters'
const BLOCKED = 'Intentions are read only while being upgraded to config entries'

// Call, version of the agent (absent: none), version of the server, status, text or undefined if nothing is unusual.
const ROWS: readonly (readonly [
  CallKind,
  string | undefined,
  string,
  number | undefined,
  string | undefined,
])[] = [
  // Spec 9.1.
  ['new', undefined, '1.3.1', 404, '(empty body)'],
  ['new', '1.4.0', '1.3.1', 500, "rpc error making call: rpc: can't find method ACL.TokenList"],
  ['new', '1.3.1', '1.8.7', 404, '(empty body)'],
  ['new', '1.8.7', '1.4.0', undefined, undefined],
  ['legacy', undefined, '1.10.0', undefined, undefined],
  ['legacy', '1.3.1', '1.8.7', undefined, undefined],
  ['legacy', undefined, '1.11.0', 410, 'Endpoint /v1/acl/… for the legacy ACL system was removed in 1.11.'],
  // Spec 9.3 (1.0): the server decides.
  ['kv-read', undefined, '0.9.4', undefined, undefined],
  ['kv-read', '0.9.4', '1.0.0', 403, 'rpc error: Permission denied'],
  ['kv-read', undefined, '1.0.0', 403, 'Permission denied'],
  // Spec 9.3 (1.3.0).
  ['tag-filter', '1.2.3', '1.3.0', 200, 'all instances, whatever the tag'],
  ['tag-filter', '1.2.3', '1.3.1', undefined, undefined],
  ['tag-filter', '1.3.0', '1.2.3', 200, 'no instance at all'],
  // Spec 9.3 (1.7.0): sessions, in both directions, fixed both ways in 1.7.2.
  ['session', '1.6.3', '1.7.1', 500, REJECTED],
  ['session', '1.7.1', '1.6.3', 500, REJECTED],
  ['session', '1.6.3', '1.7.2', undefined, undefined],
  ['session', '1.7.2', '1.6.3', undefined, undefined],
  ['session', '1.7.2', '1.7.1', undefined, undefined],
  // Spec 7, 9.3 (1.7.0): the agent decides.
  ['unknown-field', '1.6.3', '1.7.0', undefined, undefined],
  ['unknown-field', '1.7.0', '1.6.3', 400, 'json: unknown field "…"'],
  // Spec 9.4.
  ['wrong-method', undefined, '0.9.4', undefined, undefined],
  ['wrong-method', undefined, '1.0.0', 405, 'method POST not allowed'],
  // Spec 9.5.2.
  ['intention-write', undefined, '1.8.7', undefined, undefined],
  ['intention-write', undefined, '1.9.0', 500, BLOCKED],
  ['intention-write', '1.8.7', '1.9.0', 500, `rpc error making call: ${BLOCKED}`],
  ['intention-config-write', undefined, '1.8.7', 400, 'invalid config entry kind: service-intentions'],
  ['intention-read', undefined, '1.9.0', undefined, undefined],
]

test.each(ROWS)('%s through agent %s to server %s: %s %s', (call, agent, server, status, text) => {
  const outcome = outcomeOf(call, aCall(server, agent))
  expect(outcome?.status).toBe(status)
  expect(outcome?.text).toBe(text)
})

describe('legacy mode (spec 9.2.1)', () => {
  test('the new API answers 500 with the text that clients match, and 403 by our servers', () => {
    const text = 'The ACL system is currently in legacy mode.'
    expect(outcomeOf('new', aCall('1.8.7', undefined, inMode('legacy')))).toMatchObject({ status: 500, text })
    const ours = aCall('1.8.7', undefined, { ...inMode('legacy'), model: 'latchkey' })
    expect(outcomeOf('new', ours)).toMatchObject({ status: 403, text })
  })

  test('the legacy API works', () => {
    expect(outcomeOf('legacy', aCall('1.8.7', undefined, inMode('legacy')))).toBeUndefined()
  })

  test('bootstrap is refused, and afterwards open again where it was closed before', () => {
    expect(outcomeOf('bootstrap', aCall('1.8.7', undefined, inMode('legacy')))?.kind).toBe('legacy-mode')
    expect(outcomeOf('bootstrap', aCall('1.8.7', undefined, { bootstrapped: true }))?.status).toBe(200)
    expect(outcomeOf('bootstrap', aCall('1.8.7', undefined, { bootstrapped: false }))).toBeUndefined()
  })

  test('with ACLs off every ACL call answers 401', () => {
    for (const call of ['new', 'legacy'] as const) {
      expect(outcomeOf(call, aCall('1.8.7', undefined, inMode('off')))?.status).toBe(401)
    }
  })
})

test('a connection over the limit is closed without an answer before 1.9.0, and with a 429 from it (spec 8)', () => {
  expect(refusedConnection(version('1.8.7')).status).toBeUndefined()
  expect(refusedConnection(version('1.9.0')).status).toBe(429)
})

describe('calls to a secondary', () => {
  const inSecondary = (rest: Partial<CallContext>) => aCall('1.8.7', undefined, { isPrimary: false, ...rest })
  test.each([
    ['copies, the primary down', { tokenSource: 'copies', isPrimaryReached: false }, undefined],
    ['no copies, the primary up', { tokenSource: 'primary' }, undefined],
    [
      'no copies, the primary down',
      { tokenSource: 'primary', isPrimaryReached: false },
      'primary-unreachable',
    ],
    [
      'no copies, no leader in the primary',
      { tokenSource: 'primary', primaryLeader: undefined },
      'no-leader',
    ],
    ['a replication token with acl:read', { tokenSource: 'nothing' }, 'token-unknown'],
  ] as const)('the token API with %s', (_, rest, kind) => {
    expect(outcomeOf('new', inSecondary(rest))?.kind).toBe(kind)
  })

  test('the legacy API needs the primary', () => {
    expect(outcomeOf('legacy', inSecondary({ tokenSource: 'copies' }))).toBeUndefined()
    const down = inSecondary({ tokenSource: 'copies', isPrimaryReached: false })
    expect(outcomeOf('legacy', down)?.kind).toBe('primary-unreachable')
  })
})

test('bootstrap after a snapshot of a version before 1.4.0 is refused, whether it happened or not', () => {
  const after = (bootstrapped: boolean) =>
    outcomeOf('bootstrap', aCall('1.8.7', undefined, { bootstrapped, isBootstrapRecorded: true }))
  expect(after(true)).toBeUndefined()
  expect(after(false)).toMatchObject({ kind: 'bootstrap-closed', status: 403 })
})

test.each([
  ['/v1/acl/token', 400, 'Bad request: Token decoding failed: json: unknown field "Bogus"'],
  ['/v1/acl/policy', 400, 'Bad request: Policy decoding failed: json: unknown field "Bogus"'],
  ['/v1/agent/service/register', 400, 'Request decode failed: json: unknown field "Bogus"'],
  ['/v1/txn', 400, 'Failed to parse body: json: unknown field "Bogus"'],
  ['/v1/connect/intentions', 500, 'Failed to decode request body: json: unknown field "Bogus"'],
  ['/v1/session/create', undefined, undefined],
  ['/v1/event/fire/deploy', undefined, undefined],
])('an unknown field in a body of %s: %s %s (spec 9.3, 1.7.0)', (path, status, text) => {
  const outcome = outcomeOf('unknown-field', aCall('1.7.2', undefined, { payload: { path, field: 'Bogus' } }))
  expect([outcome?.status, outcome?.text]).toEqual([status, text])
})

test.each([
  ['/v1/acl/token', 'NodeIdentities', '1.6.3', undefined],
  ['/v1/acl/token', 'NodeIdentities', '1.7.0', 400],
  ['/v1/acl/token', 'nodeidentities', '1.8.0', 400],
  ['/v1/acl/token', 'NodeIdentities', '1.8.1', undefined],
  ['/v1/acl/token/a0000000-0000-4000-8000-00000000000a', 'NodeIdentities', '1.8.0', 400],
  ['/v1/acl/token/a0000000-0000-4000-8000-00000000000a', 'NodeIdentities', '1.8.1', undefined],
  ['/v1/acl/auth-method', 'MaxTokenTTL', '1.7.3', 400],
  ['/v1/acl/auth-method', 'MaxTokenTTL', '1.8.0', undefined],
  ['/v1/acl/token', 'Description', '1.7.0', undefined],
])(
  'a body of %s with %s at %s: %s, by the gate of the field (spec 9.1, 9.3)',
  (path, field, edge, status) => {
    expect(outcomeOf('unknown-field', aCall(edge, undefined, { payload: { path, field } }))?.status).toBe(
      status,
    )
  },
)

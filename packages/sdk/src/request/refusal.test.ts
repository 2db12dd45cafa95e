import { ACL_ERRORS, type AclErrorCode } from '@latchkey/contract'
import { expect, test } from 'vitest'
import { clientOf } from '../../test/client.ts'
import { ACCESSOR_ID } from '../../test/records.ts'
import { html, plain, problem, type Reply, startServer } from '../../test/test-server.ts'
import type { ErrorKind, LatchkeyError } from '../errors.ts'
import { kindOf } from './refusal.ts'

async function errorOf(reply: Reply): Promise<LatchkeyError> {
  await using server = await startServer(reply)
  return await clientOf(server, { retries: 0 })
    .tokens.read(ACCESSOR_ID)
    .then(
      () => expect.unreachable(),
      (error: LatchkeyError) => error,
    )
}

test('every code of the error table becomes one class (spec 7; decisions: status codes)', () => {
  const byKind: Partial<Record<ErrorKind, AclErrorCode[]>> = {}
  for (const [code, { status }] of Object.entries(ACL_ERRORS)) {
    const kind = kindOf(status, code)
    byKind[kind] = [...(byKind[kind] ?? []), code as AclErrorCode]
  }
  const { invalid, ...others } = byKind
  expect(others).toEqual({
    permission_denied: expect.arrayContaining(['privilege_missing', 'caller_unknown', 'bootstrap_done']),
    legacy_mode: ['legacy_mode'],
    not_found: ['not_found'],
    conflict: expect.arrayContaining(['id_in_use', 'name_in_use']),
    timeout: ['request_timeout'],
    unavailable: expect.arrayContaining(['internal', 'unavailable', 'too_many_connections']),
  })
  expect(invalid).toEqual(
    expect.arrayContaining([
      'field_unknown',
      'local_mismatch',
      'endpoint_unknown',
      'endpoint_removed',
      'body_too_large',
    ]),
  )
})

test('403 privilege_missing: PermissionDenied has the accessor and the missing right', async () => {
  const missing = { resource: 'acl', segment: 'x', access: 'read' }
  const error = await errorOf(
    problem(403, 'privilege_missing', { missing, accessorId: ACCESSOR_ID, requestId: 'r-1' }),
  )
  expect(error).toMatchObject({
    name: 'PermissionDenied',
    kind: 'permission_denied',
    code: 'privilege_missing',
    status: 403,
    endpoint: 'tokens.read',
    requestId: 'r-1',
    missing,
    accessorId: ACCESSOR_ID,
    message: 'tokens.read: 403 detail of privilege_missing',
  })
})

test.each<readonly [number, string, Record<string, unknown>, object]>([
  [400, 'rules_invalid', { field: 'Rules', line: 3, column: 5 }, { name: 'Invalid', kind: 'invalid' }],
  [409, 'id_in_use', { field: 'AccessorID' }, { name: 'Conflict', kind: 'conflict' }],
  [403, 'legacy_mode', {}, { name: 'LegacyMode', kind: 'legacy_mode' }],
  [404, 'not_found', {}, { name: 'NotFound', kind: 'not_found', index: 31 }],
  [400, 'a_code_of_a_newer_service', {}, { kind: 'invalid' }],
])('%i %s is an error of its kind, with %j', async (status, code, members, expected) => {
  const error = await errorOf(problem(status, code, members, { 'X-Service-Index': 31 }))
  expect(error).toMatchObject({ code, ...members, ...expected })
})

test('a plain text body is the message, and the header has the request id', async () => {
  const error = await errorOf(plain(403, 'ACL not found\n', { 'X-Request-Id': 'r-2' }))
  expect(error).toMatchObject({
    kind: 'permission_denied',
    code: undefined,
    requestId: 'r-2',
    message: 'tokens.read: 403 ACL not found',
  })
})

test('ignores members of an unexpected type', async () => {
  const odd = { code: 7, field: null, requestId: {}, missing: { resource: 1 }, detail: ['x'] }
  const error = await errorOf(problem(403, 'privilege_missing', odd))
  expect(error).toMatchObject({ code: undefined, requestId: undefined, missing: undefined })
  expect(error.message).toBe('tokens.read: 403 privilege_missing')
})

test('an empty detail falls back to the title', async () => {
  const error = await errorOf(problem(404, 'not_found', { detail: '', title: 'The record does not exist' }))
  expect(error.message).toBe('tokens.read: 404 The record does not exist')
})

test.each([
  ['the text of a server for a path that it lacks', plain(404, 'No such endpoint')],
  ['nothing', plain(404, '')],
  ['a web page', html(404)],
])('404 with %s breaks the contract: the path of the address may be wrong', async (_, reply) => {
  const error = await errorOf(reply)
  expect(error).toMatchObject({ kind: 'contract_broken', status: 404 })
  expect(error.message).toMatch(/^tokens\.read: 404 The answer is not one of this service .*check the path/)
})

test('a redirect breaks the contract, and the message is a sentence without the name of the method', async () => {
  const error = await errorOf(plain(301, '', { Location: '/elsewhere' }))
  expect(error.kind).toBe('contract_broken')
  expect(error.message).toMatch(/^tokens\.read: 301 The answer is a redirect, which is not followed/)
})

/** The texts and headers are those of a real service after the same requests. */
import { expect, test } from 'vitest'
import { AclError, type AclErrorCode, type AclErrorDetails } from '../errors.ts'
import type { EndpointName } from '../generated/endpoints.ts'
import { parseJson } from '../json/json.ts'
import { referenceHeadersOf, referenceTextOf } from './reference-answers.ts'

const ID = '99999999-8888-4777-8666-555555555555'
const params = { ID, AccessorID: ID }

interface Said extends AclErrorDetails {
  readonly message?: string
  readonly status?: number
}

test.each<[EndpointName | undefined, AclErrorCode, Said, string]>([
  ['tokens.list', 'privilege_missing', { message: 'Permission denied: token with …' }, 'Permission denied'],
  [undefined, 'endpoint_unknown', { message: 'No such endpoint' }, ''],
  ['kv.read', 'query_invalid', { field: 'index' }, 'Invalid index'],
  ['tokens.read', 'not_found', {}, 'ACL not found'],
  ['tokens.update', 'not_found', {}, `Cannot find token "${ID}"`],
  ['policies.update', 'not_found', {}, `cannot find policy ${ID}`],
  ['roles.read', 'not_found', {}, ''],
  ['tokens.read', 'id_missing', { status: 400 }, 'Bad request: Missing token ID'],
  [
    'policies.read',
    'id_missing',
    { status: 400, message: 'Missing policy ID' },
    'Bad request: Missing policy ID',
  ],
  ['policies.read', 'id_missing', { status: 500, message: 'ours' }, 'ours'],
  [
    'policies.update',
    'name_in_use',
    { message: 'Invalid Policy: A Policy with Name "a" already exists' },
    'Invalid Policy: A policy with name "a" already exists',
  ],
  [
    'roles.create',
    'name_invalid',
    {
      message: `Node identity "A B" has an invalid name. Only lowercase alphanumeric characters, '-' and '_' are allowed, and more`,
    },
    "Node identity has an invalid name. Only alphanumeric characters, '-' and '_' are allowed",
  ],
  [
    'agent.registerService',
    'privilege_missing',
    { missing: { resource: 'service', access: 'write', segment: 'web' } },
    'Permission denied: Missing service:write on web',
  ],
  [
    'agent.registerService',
    'privilege_missing',
    { missing: { resource: 'service', access: 'write' } },
    'Permission denied',
  ],
  ['agent.deregisterService', 'not_found', { message: 'Unknown service "a"' }, 'Unknown service {"a" {}}'],
  ['tokens.create', 'body_required', { status: 400 }, 'Bad request: Token decoding failed: EOF'],
  ['sessions.create', 'body_required', {}, 'Request decode failed: EOF'],
  [
    'sessions.create',
    'field_unknown',
    { field: 'a[0].Foo' },
    'Request decode failed: json: unknown field "Foo"',
  ],
  [
    'sessions.create',
    'field_type',
    { message: 'Name: expected string, received number' },
    'Request decode failed: json: cannot unmarshal number into Go struct field .Name of type string',
  ],
  [
    'agentChecks.register',
    'field_type',
    { message: 'TTL is not a duration: invalid duration "abc"' },
    'Request decode failed: time: invalid duration "abc"',
  ],
  ['snapshots.restore', 'snapshot_invalid', { message: 'ours' }, 'ours'],
])('%s %s %j: %s', (endpoint, code, { message = 'ours', status = 500, ...details }, text) => {
  const error = new AclError(code, message, details)
  expect(referenceTextOf(error, { endpoint, params, status })).toBe(text)
})

test.each([
  ['{', 'unexpected EOF'],
  ['{nope', "invalid character 'n' looking for beginning of object key string"],
  ['?', "invalid character '?' looking for beginning of value"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a": 1 2}', "invalid character '2' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
  ['{"a": ]', "invalid character ']' looking for beginning of value"],
  ['"a\n"', "invalid character '\n' in string literal"],
])('the body %s: %s', (body, problem) => {
  const refusal = () => {
    try {
      return parseJson(body)
    } catch (error) {
      return error
    }
  }
  const text = referenceTextOf(refusal() as AclError, { endpoint: 'sessions.create', params, status: 400 })
  expect(text).toBe(`Request decode failed: ${problem}`)
})

const READ = {
  'X-Consul-Index': '5',
  'X-Consul-KnownLeader': 'true',
  'X-Consul-LastContact': '0',
  Other: 'x',
}
const REFUSED = { ...READ, 'X-Consul-KnownLeader': 'false' }

test.each<[EndpointName, AclErrorCode | undefined, object]>([
  ['tokens.read', undefined, READ],
  ['tokens.read', 'not_found', READ],
  ['tokens.read', 'privilege_missing', REFUSED],
  ['tokens.self', 'caller_unknown', READ],
  ['roles.read', 'not_found', { Other: 'x' }],
  ['roles.read', 'caller_unknown', REFUSED],
  ['kv.read', 'privilege_missing', { Other: 'x' }],
  ['kv.read', 'not_found', READ],
  ['health.service', 'query_invalid', { Other: 'x' }],
  ['intentions.match', undefined, { Other: 'x' }],
])('the headers of %s after %s', (endpoint, code, headers) => {
  expect(referenceHeadersOf(READ, endpoint, code)).toEqual(headers)
})

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
  readonly url?: string
}

const BACKTICK = String.fromCharCode(96)
const UNREAD = 'Invalid cas: it must be a whole number from 0 to 2^64 - 1'
const UNCLOSED =
  'Rules: line 2, column 5: found the end of the text, expected "}" for the "{" of line 1, column 9'
const evaluator = (problem: string) => `Failed to create boolean expression evaluator: ${problem}`

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
  ['operator.removePeer', 'query_invalid', { status: 400, message: 'ours' }, 'Bad request: ours'],
  ['snapshots.restore', 'snapshot_invalid', { message: 'ours' }, 'ours'],
  [
    'kv.write',
    'query_invalid',
    { field: 'cas', message: UNREAD, url: '/v1/kv/a?cas=ab%22c' },
    String.raw`strconv.ParseUint: parsing "ab\"c": invalid syntax`,
  ],
  [
    'kv.delete',
    'query_invalid',
    { field: 'cas', message: UNREAD, url: '/v1/kv/a?cas=18446744073709551616' },
    'strconv.ParseUint: parsing "18446744073709551616": value out of range',
  ],
  [
    'policies.create',
    'rules_invalid',
    { message: UNCLOSED },
    'Failed to parse ACL rules: At 2:6: object expected closing RBRACE got: EOF',
  ],
  [
    'legacy.translate',
    'rules_invalid',
    { message: UNCLOSED, status: 400 },
    'Bad request: Failed to parse rules: At 2:6: object expected closing RBRACE got: EOF',
  ],
  [
    'legacy.create',
    'rules_invalid',
    { message: UNCLOSED },
    'ACL rule compilation failed: Failed to parse ACL rules: At 2:6: object expected closing RBRACE got: EOF',
  ],
  [
    'policies.create',
    'rules_invalid',
    { message: 'Rules: line 1, column 7: ours' },
    'Rules: line 1, column 7: ours',
  ],
  [
    'health.service',
    'filter_invalid',
    { message: evaluator('line 1, column 6: found the end, expected a name or a number or a quoted text') },
    evaluator(
      String.raw`1:6 (5): no match found, expected: "-", "0", "\"", "${BACKTICK}", [ \t\r\n], [1-9] or [a-zA-Z]`,
    ),
  ],
  [
    'health.service',
    'filter_invalid',
    { message: evaluator('line 1, column 4: found the end, expected "==" or "!=" or "is"') },
    evaluator(String.raw`1:4 (3): no match found, expected: "!=", ".", "==", "[", [ \t\r\n] or [a-zA-Z0-9_]`),
  ],
  [
    'health.service',
    'filter_invalid',
    { message: evaluator('line 1, column 1: found "==", expected a name or a number') },
    evaluator('line 1, column 1: found "==", expected a name or a number'),
  ],
  [
    'intentions.create',
    'field_invalid',
    { field: 'Action', message: "Action must be set to 'allow' or 'deny'" },
    "1 error occurred:\n\t* Action must be set to 'allow' or 'deny'\n\n",
  ],
  ['intentions.create', 'field_invalid', { field: 'ID', message: 'ours' }, 'ours'],
  [
    'authMethods.create',
    'field_unknown',
    { field: 'Config.Foo', message: 'unknown field "Config.Foo"' },
    "Invalid Auth Method: error decoding config: 1 error(s) decoding:\n\n* '' has invalid keys: Foo",
  ],
  [
    'authMethods.create',
    'field_unknown',
    { field: 'Foo', status: 400 },
    'Bad request: AuthMethod decoding failed: json: unknown field "Foo"',
  ],
  [
    'tokens.update',
    'local_mismatch',
    { message: 'Cannot toggle local mode of a-1: Local was omitted, which means false; send "Local": true' },
    'cannot toggle local mode of a-1',
  ],
  [
    'tokens.create',
    'expiration_out_of_bounds',
    { message: "Token Expiration TTL '-1h0m0s' should be > 0" },
    "Token Expiration TTL '-1h0m0s' should be > 0",
  ],
  ['roles.delete', 'id_invalid', {}, 'failed acl role lookup: index error: UUID must be 36 characters'],
  [
    'catalog.register',
    'field_invalid',
    { field: 'ID', message: 'Bad node ID: "x" is no UUID' },
    'Bad node ID: uuid string is wrong length',
  ],
  ['login.login', 'field_required', { field: 'AuthMethod', status: 403 }, 'ACL not found'],
  [
    'configEntries.write',
    'field_invalid',
    { field: 'Kind', message: 'invalid config entry kind: x', status: 400 },
    'Bad request: Request decoding failed: invalid config entry kind: x',
  ],
])('%s %s %j: %s', (endpoint, code, { message = 'ours', status = 500, url, ...details }, text) => {
  const error = new AclError(code, message, details)
  expect(referenceTextOf(error, { endpoint, params, status, url })).toBe(text)
})

test.each([
  ['{', 'unexpected EOF'],
  ['{nope', "invalid character 'n' looking for beginning of object key string"],
  ['?', "invalid character '?' looking for beginning of value"],
  ['nope', "invalid character 'o' in literal null (expecting 'u')"],
  ['[tru]', "invalid character ']' in literal true (expecting 'e')"],
  ['fal', 'unexpected EOF'],
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
